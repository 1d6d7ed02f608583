//! What every host gets: the binary, the experiment file, and the arguments of an agent.

use crate::exit::Error;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs;
use std::io;

/// The options that concern the coordinator alone. Each has a value.
const OWN: [&str; 6] = ["--agents", "--out", "--json", "--html", "--markdown", "--junit"];
/// The experiment file in the directory on the host.
const EXPERIMENT: &str = "experiment.toml";

/// An experiment file.
pub(crate) struct ExperimentFile {
    /// The argument that names it.
    pub(crate) argument: String,
    pub(crate) text: String,
}

/// What is sent to every host.
pub(super) struct Work {
    pub(super) binary: Vec<u8>,
    /// The SHA-256 of the binary, in hexadecimal digits.
    pub(super) hash: String,
    /// A script that sets the arguments and writes the experiment file.
    script: String,
}

impl Work {
    /// The work of the agents of this process, which has these arguments.
    ///
    /// # Errors
    /// If the binary of this process cannot be read.
    pub(super) fn new(
        arguments: &[String],
        experiment: Option<&ExperimentFile>,
    ) -> Result<Work, Error> {
        let binary = fs::read("/proc/self/exe")
            .map_err(|error: io::Error| Error::failed(format!("/proc/self/exe: {error}")))?;
        Ok(Work::of(binary, arguments, experiment))
    }

    /// The work of agents that run this binary.
    pub(super) fn of(
        binary: Vec<u8>,
        arguments: &[String],
        experiment: Option<&ExperimentFile>,
    ) -> Work {
        let mut hash = String::new();
        for byte in Sha256::digest(&binary) {
            // Writing to a text cannot fail.
            let _ = write!(hash, "{byte:02x}");
        }
        Work { binary, hash, script: script(arguments, experiment) }
    }

    /// The script for the agent of this rank.
    pub(super) fn script(&self, rank: u32, size: u32) -> String {
        format!("rank={rank} size={size}\n{}", self.script)
    }
}

fn script(arguments: &[String], experiment: Option<&ExperimentFile>) -> String {
    let mut script = String::from("set -- compare --agents env");
    for argument in of_agent(arguments) {
        let is_file = experiment.is_some_and(|file| file.argument == argument);
        let argument = if is_file { EXPERIMENT } else { argument };
        script.push(' ');
        script.push_str(&quoted(argument));
    }
    if let Some(file) = experiment {
        let text = quoted(&file.text);
        // Writing to a text cannot fail.
        let _ = write!(script, "\nprintf %s {text} >{EXPERIMENT}");
    }
    script.push('\n');
    script
}

/// The arguments after `compare`, without those that concern the coordinator alone.
fn of_agent(arguments: &[String]) -> Vec<&str> {
    let mut left = arguments.iter().map(String::as_str).skip_while(|word| *word != "compare");
    left.next();
    let mut kept = Vec::new();
    while let Some(word) = left.next() {
        if word == "--" {
            kept.push(word);
            break;
        }
        let has_value_inside =
            OWN.iter().any(|own| word.strip_prefix(own).is_some_and(|rest| rest.starts_with('=')));
        if OWN.contains(&word) {
            left.next();
        } else if !has_value_inside {
            kept.push(word);
        }
    }
    kept.extend(left);
    kept
}

/// The text as one word of a POSIX shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use text::shell_words;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn an_agent_gets_the_arguments_that_are_not_about_output() {
        let all = "compare a=http://h/ --agents ssh:h1 --out=x --quiet --json - --html=y --rounds 6 \
                   --markdown m --junit=j --seed 7 -- --out";
        let kept = "a=http://h/ --quiet --rounds 6 --seed 7 -- --out";
        assert_eq!(of_agent(&words(all)), words(kept));
    }

    #[test]
    fn every_text_is_one_word_for_a_shell() {
        for text in ["", "a b", "it's", "''", "\\", "$(x) `y` \"z\" !"] {
            assert_eq!(shell_words::split(&quoted(text)).expect("a word"), [text]);
        }
    }

    #[test]
    fn the_experiment_file_has_another_name_on_the_host() {
        let argument = "some/where.toml".to_owned();
        let file = ExperimentFile { argument, text: "a = 'b'\n".to_owned() };
        let script = script(&words("compare some/where.toml --rounds 6"), Some(&file));
        let wanted = "set -- compare --agents env 'experiment.toml' '--rounds' '6'\n\
                      printf %s 'a = '\\''b'\\''\n' >experiment.toml\n";
        assert_eq!(script, wanted);
    }
}
