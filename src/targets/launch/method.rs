//! The method of a published experiment: a command that is run once against each target
//! and prints a figure.

use crate::targets::launch::launcher::LaunchContext;
use crate::targets::launch::{LaunchCommand, Missing, Values, orders};
use keeper::{Keeper, LaunchOptions, ProcessOrder, logs};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;
use text::shown::shown;

/// The longest time that one run may take.
const LONGEST: Duration = Duration::from_secs(600);
/// How many bytes of its output are searched.
const SEARCHED: u64 = 1 << 20;

/// A command, and where to find the figure in its output.
#[derive(Clone)]
pub struct Method {
    /// The program and its arguments; `{url}` is the address of a target.
    pub command: LaunchCommand,
    /// The words before the figure.
    pub prints: String,
    /// The Debian package of the program.
    pub package: Option<String>,
    /// The directory of the experiment file, in which the command is run.
    pub directory: PathBuf,
}

impl Method {
    /// Runs the command once against the target at this address, and returns its figure.
    ///
    /// # Errors
    /// If there is no figure: the reason, without secrets and control characters.
    pub fn run(&self, name: &str, url: &str, context: LaunchContext<'_>) -> Result<f64, String> {
        let values =
            Values { url: url.to_owned(), directory: self.directory.clone(), ..Values::default() };
        let argv = self.command.fill(&values);
        let env = orders::inherited(None);
        if let Some(missing) = self.missing() {
            return Err(missing.to_string());
        }
        let log = context.logs.join(format!("{name}.article.log"));
        let order = ProcessOrder {
            argv,
            cwd: self.directory.clone(),
            env,
            user: None,
            log: log.clone(),
            cores: Vec::new(),
            stop: libc::SIGTERM,
            grace: Duration::from_secs(1),
            group: false,
        };
        let secrets: Vec<String> =
            context.secrets.iter().map(|secret| secret.reveal().to_owned()).collect();
        let from = logs::length(&log);
        run_to_its_end(&order, &secrets, context)?;
        let output =
            read(&log, from).map_err(|error| format!("its output cannot be read: {error}"))?;
        figure(&output, &self.prints)
            .ok_or_else(|| format!("it printed no number after `{}`", shown(&self.prints)))
    }

    /// The program if it is not installed. None if it is.
    pub(crate) fn missing(&self) -> Option<Missing> {
        let program = self.command.fill(&Values::default()).into_iter().next()?;
        orders::missing_program(&program, &orders::inherited(None), self.package.clone())
    }
}

fn run_to_its_end(
    order: &ProcessOrder,
    secrets: &[String],
    context: LaunchContext<'_>,
) -> Result<(), String> {
    let launch_options = LaunchOptions {
        secrets: secrets.to_vec(),
        run: context.logs.parent().map(Path::to_owned),
        ..LaunchOptions::default()
    };
    let mut keeper = Keeper::start(launch_options).map_err(|error| error.to_string())?;
    let ended = keeper.run(order, LONGEST, context.stopped).map_err(|error| error.to_string());
    let stopped = keeper.stop().map_err(|error| error.to_string());
    match ended? {
        Some(how) if how.good() => stopped.map(drop),
        Some(how) => Err(format!("it {how}")),
        None => Err("it took longer than 10 minutes, and was stopped".to_owned()),
    }
}

fn read(log: &Path, from: u64) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    logs::open_at(log, from)?.take(SEARCHED).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the number that follows these words and any blanks. None if there is none.
fn figure(output: &str, words: &str) -> Option<f64> {
    let rest = output.split_once(words)?.1.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    rest[..end].trim_end_matches('.').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::figure;

    #[test]
    fn the_number_after_the_words() {
        let ab =
            "Time taken for tests:   0.9 seconds\nRequests per second:    5555.25 [#/sec] (mean)\n";
        assert_eq!(figure(ab, "Requests per second:"), Some(5555.25));
        assert_eq!(figure("took 11.6.", "took"), Some(11.6));
        assert_eq!(figure("took long", "took"), None);
        assert_eq!(figure("", "took"), None);
    }
}
