//! Commands: a program and its arguments.

use crate::targets::launch::template::{Text, Values};
use std::fmt;
use text::shell_words;

/// A program and its arguments. It is displayed as it would be typed in a shell.
#[derive(Clone)]
pub struct LaunchCommand {
    argv: Vec<Text>,
    /// Whether a shell runs it.
    pub shell: bool,
}

impl LaunchCommand {
    /// A program and its arguments.
    pub fn new(argv: Vec<Text>) -> LaunchCommand {
        LaunchCommand { argv, shell: false }
    }

    /// A command line that a shell runs.
    pub fn of_shell(text: Text) -> LaunchCommand {
        LaunchCommand { argv: vec![Text::plain("sh"), Text::plain("-c"), text], shell: true }
    }

    /// The program and its arguments, with the placeholders replaced.
    pub fn fill(&self, values: &Values) -> Vec<String> {
        self.argv.iter().map(|part| part.fill(values)).collect()
    }
}

impl fmt::Display for LaunchCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, part) in self.argv.iter().enumerate() {
            let blank = if at == 0 { "" } else { " " };
            write!(f, "{blank}{}", quoted(&part.to_string()))?;
        }
        Ok(())
    }
}

/// Quotes an argument if a shell requires it.
fn quoted(part: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%{}".contains(c);
    if !part.is_empty() && part.chars().all(plain) {
        part.to_owned()
    } else {
        shell_words::quote(part)
    }
}
