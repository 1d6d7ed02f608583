//! What every host gets: the binary, the experiment file, and the arguments of an agent.

use protocol::Error;
use sha2::{Digest, Sha256};
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use text::hex::hex;
use text::shell_words::quote;

/// The options that concern the coordinator alone. Each has a value.
const OWN: [&str; 6] = ["--agents", "--out", "--json", "--html", "--markdown", "--junit"];
/// The experiment file in the directory on the host.
pub(crate) const EXPERIMENT: &str = "experiment.toml";

/// Reads arguments as the script wrote them, and removes the file: it may hold secrets, and the script that
/// removes the directory may be killed.
///
/// # Errors
/// If the file cannot be read or removed.
pub(crate) fn take_arguments(file: &Path) -> io::Result<Vec<OsString>> {
    let bytes = fs::read(file)?;
    fs::remove_file(file)?;
    let ended = bytes.split_inclusive(|byte| *byte == 0);
    Ok(ended
        .map(|word| OsStr::from_bytes(word.strip_suffix(b"\0").unwrap_or(word)).to_owned())
        .collect())
}

pub(crate) struct ExperimentFile {
    /// The argument that names it.
    pub(crate) argument: String,
    pub(crate) text: String,
}

/// What is sent to every host.
pub(super) struct HostPayload {
    pub(super) binary: Vec<u8>,
    /// The SHA-256 of the binary, in hexadecimal digits.
    pub(super) hash: String,
    script: String,
}

impl HostPayload {
    /// What the agents of this process need: its binary and these arguments.
    ///
    /// # Errors
    /// If the binary of this process cannot be read.
    pub(super) fn new(
        arguments: &[String],
        experiment: Option<&ExperimentFile>,
    ) -> Result<HostPayload, Error> {
        let binary = fs::read("/proc/self/exe")
            .map_err(|error: io::Error| Error::failed(format!("/proc/self/exe: {error}")))?;
        Ok(HostPayload::of(binary, arguments, experiment))
    }

    /// What agents that run this binary need.
    pub(super) fn of(
        binary: Vec<u8>,
        arguments: &[String],
        experiment: Option<&ExperimentFile>,
    ) -> HostPayload {
        let hash = hex(&Sha256::digest(&binary));
        HostPayload { binary, hash, script: script(arguments, experiment) }
    }

    pub(super) fn script(&self, rank: u32, size: u32) -> String {
        format!("rank={rank} size={size}\n{}", self.script)
    }
}

fn script(arguments: &[String], experiment: Option<&ExperimentFile>) -> String {
    // A command of the shell itself, so that it is no process whose arguments others see.
    let mut script = String::from("printf '%s\\0' compare --agents env");
    for argument in of_agent(arguments) {
        let is_file = experiment.is_some_and(|file| file.argument == argument);
        let argument = if is_file { EXPERIMENT } else { argument };
        script.push(' ');
        script.push_str(&quote(argument));
    }
    script.push_str(" >arguments");
    if let Some(file) = experiment {
        let text = quote(&file.text);
        // Writing to a text cannot fail.
        let _ = write!(script, "\nprintf %s {text} >{EXPERIMENT}");
    }
    script.push('\n');
    script
}

/// The arguments of `compare`, without those that concern the coordinator alone. `rank` is `compare --rank`.
fn of_agent(arguments: &[String]) -> Vec<&str> {
    let is_command = |word: &str| ["compare", "rank"].contains(&word);
    let mut left = arguments.iter().map(String::as_str).skip_while(|word| !is_command(word));
    let is_rank = left.next() == Some("rank");
    let mut kept: Vec<&str> = is_rank.then_some("--rank").into_iter().collect();
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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn the_experiment_file_has_another_name_on_the_host() {
        let argument = "some/where.toml".to_owned();
        let file = ExperimentFile { argument, text: "a = 'b'\n".to_owned() };
        let script = script(&words("compare some/where.toml --rounds 6"), Some(&file));
        let wanted = "printf '%s\\0' compare --agents env 'experiment.toml' '--rounds' '6' >arguments\n\
                      printf %s 'a = '\\''b'\\''\n' >experiment.toml\n";
        assert_eq!(script, wanted);
    }
}
