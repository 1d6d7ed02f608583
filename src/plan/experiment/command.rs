//! Commands: a list of a program and its arguments, or a text for a shell.

use crate::exit::Error;
use crate::plan::experiment::scope::Scope;
use crate::plan::experiment::table::Value;
use crate::plan::experiment::text::{Text, Values};
use std::fmt;

/// A program and its arguments. It shows as one would type it.
#[derive(Clone)]
pub struct Command {
    argv: Vec<Text>,
    /// A shell runs it.
    pub shell: bool,
}

impl Command {
    pub(super) fn read(value: &Value<'_>, shell: bool, scope: Scope<'_>) -> Result<Command, Error> {
        if value.is_text() {
            if !shell {
                return Err(value.error(
                    "a text is run by a shell, and only with `shell = true`; else write a list of \
                     the program and its arguments, such as [\"nginx\", \"-v\"]",
                ));
            }
            let text = value.open_text_in(scope)?;
            return Ok(Command { argv: vec![Text::plain("sh"), Text::plain("-c"), text], shell });
        }
        let parts = value.list()?;
        if shell {
            return Err(value.error("with `shell = true` a command is one text, not a list"));
        }
        let argv = parts.iter().map(|part| part.open_text_in(scope));
        let argv: Vec<Text> = argv.collect::<Result<_, _>>()?;
        match argv.first().map(Text::to_string) {
            None => Err(value.error("the list is empty: it begins with a program")),
            Some(program) if program.is_empty() => Err(parts[0].error("the program has no name")),
            Some(_) => Ok(Command { argv, shell }),
        }
    }

    /// Reads a list of commands.
    pub(super) fn read_all(
        value: &Value<'_>,
        shell: bool,
        scope: Scope<'_>,
    ) -> Result<Vec<Command>, Error> {
        value.list()?.iter().map(|command| Command::read(command, shell, scope)).collect()
    }

    /// The arguments as the program gets them.
    pub fn fill(&self, values: &Values) -> Vec<String> {
        self.argv.iter().map(|part| part.fill(values)).collect()
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, part) in self.argv.iter().enumerate() {
            let blank = if at == 0 { "" } else { " " };
            write!(f, "{blank}{}", quoted(&part.to_string()))?;
        }
        Ok(())
    }
}

/// In quotes where a shell would need them.
fn quoted(part: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%{}".contains(c);
    match !part.is_empty() && part.chars().all(plain) {
        true => part.to_owned(),
        false => format!("'{}'", part.replace('\'', r"'\''")),
    }
}
