//! `tiebreak demo`.

use crate::cli::conduct;
use crate::cli::outputs;
use crate::cli::outputs::Copies;
use crate::plan::{Command, Spec};
use crate::run::judging::Judged;
use crate::run::runner::Reporting;
use crate::system::cores::share_out;
use crate::system::signals;
use clap::ValueHint;
use protocol::{Error, Exit};
use std::path::{Path, PathBuf};
use std::time::Duration;
use testserver::{Behaviour, TestServer};
use text::shown::shown;

/// Few enough that the p50 (16 × 110 µs) is short compared with slices of 50 ms.
const CONNECTIONS: u32 = 16;
const ROUND: Duration = Duration::from_millis(500);
const ROUNDS: u32 = 10;
const WARM_UP: Duration = Duration::from_millis(300);
const SERVICE: Duration = Duration::from_micros(100);
const SLOWER_SERVICE: Duration = Duration::from_micros(110);

const EXAMPLES: &str = "\
Examples:
  tiebreak demo
      prints both answers, and writes their reports to directories in tiebreak-runs/
  tiebreak demo --out demo
      writes them to demo/1 and demo/2
  tiebreak demo --quiet
      without progress";

/// Two real comparisons in under a minute, no server needed
///
/// The first compares persistent with fresh connections to one server. The second compares
/// a server with one that is known to be 10 % slower, so that the answer can be checked.
/// The servers are embedded, and their behaviour is known; nothing leaves this machine.
/// Each is started once, so both answers are about these launches.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct DemoArgs {
    /// Directory of both runs, which are 1 and 2 in it [default: new ones under tiebreak-runs/]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Show no progress on standard error
    #[arg(short, long)]
    quiet: bool,
}

pub(in crate::cli) fn perform(args: &DemoArgs) -> Result<Exit, Error> {
    let outs = outs(args)?;
    // The servers run on a separate core, which the generator does not use.
    let cores = share_out(&conduct::read_cores()?, None)?;
    let core = cores.others.first().copied();
    outputs::print("1 of 2: persistent against fresh connections, to one server\n\n")?;
    let server = start(Behaviour::default(), core)?;
    let mut spec = spec(&[("persistent", &server), ("fresh", &server)]);
    spec.sets = vec!["fresh.reuse=never".to_owned()];
    let first = compare(&spec, args, outs[0].as_deref())?;
    drop(server);
    // The second comparison can be sound even if the first is void.
    if !matches!(first.exit(), Exit::Sound | Exit::Void) || signals::caught() {
        return Ok(first.exit());
    }
    outputs::print("\n2 of 2: a server against one that is known to be 10 % slower\n\n")?;
    let base = start(Behaviour { service: SERVICE, ..Behaviour::default() }, core)?;
    let slower = start(Behaviour { service: SLOWER_SERVICE, ..Behaviour::default() }, core)?;
    let second = self::spec(&[("100us", &base), ("110us", &slower)]);
    let second = compare(&second, args, outs[1].as_deref())?;
    outputs::print(&ending(&first, &second))?;
    Ok(if first.exit() == Exit::Sound { second.exit() } else { first.exit() })
}

/// The directories of the two runs. None stands for a new one.
fn outs(args: &DemoArgs) -> Result<[Option<PathBuf>; 2], Error> {
    let outs = ["1", "2"].map(|number| args.out.as_ref().map(|out| out.join(number)));
    // The second one is checked now, and not after the first run.
    match outs.iter().flatten().find(|out| out.symlink_metadata().is_ok()) {
        None => Ok(outs),
        Some(taken) => Err(Error::usage(format!(
            "--out: {} exists already: name another directory",
            shown(taken.display().to_string())
        ))),
    }
}

fn start(behaviour: Behaviour, core: Option<u32>) -> Result<TestServer, Error> {
    TestServer::start(behaviour, core)
        .map_err(|error| Error::failed(format!("the embedded server cannot start: {error}")))
}

fn spec(contenders: &[(&str, &TestServer)]) -> Spec {
    let contenders =
        contenders.iter().map(|(name, server)| format!("{name}=http://{}/", server.address()));
    let mut spec = Spec::new(Command::Demo, contenders.collect());
    spec.common.connections = Some(CONNECTIONS);
    spec.run.round = Some(ROUND);
    spec.run.rounds = Some(ROUNDS);
    spec.run.warm_up = Some(WARM_UP);
    spec
}

fn compare(spec: &Spec, args: &DemoArgs, out: Option<&Path>) -> Result<Judged, Error> {
    let resolved = conduct::settle(spec)?;
    let reporting = Reporting { out, quiet: args.quiet, ..Reporting::default() };
    let measured = conduct::measure(&resolved, reporting, None)?;
    outputs::publish(&measured, &Copies::default(), false)?;
    Ok(measured.1)
}

/// Both verdicts, each beside the truth, and what to try next.
fn ending(first: &Judged, second: &Judged) -> String {
    let found = [first, second].map(|judged| report::found(&judged.report_input()).join("; "));
    let truths = ["slower: each request connects".to_owned(), truth(second)];
    let head = ["what tiebreak found", "the truth"];
    let rows = found.into_iter().zip(truths).map(|(found, truth)| vec![found, truth]);
    let next = "try next: tiebreak compare old=http://127.0.0.1:8080/ new=http://127.0.0.1:8081/";
    let below = [next.to_owned()];
    let rows: Vec<Vec<String>> = rows.collect();
    format!("\n{}", report::table_of_words(&head, &rows, &below, outputs::style()))
}

/// The true ratio of the second comparison, and whether its interval contains it.
fn truth(judged: &Judged) -> String {
    let truth = SERVICE.as_secs_f64() / SLOWER_SERVICE.as_secs_f64();
    let primary = judged.verdict().comparisons().iter().find(|comparison| comparison.primary);
    let bounds = primary.and_then(|primary| Some((primary.low?, primary.high?)));
    // As they are printed: a reader compares these digits.
    let digits = |ratio: f64| (1000.0 * ratio).round();
    let covered = match bounds {
        Some((low, high)) if digits(low) <= digits(truth) && digits(truth) <= digits(high) => {
            "the interval contains it"
        }
        Some(_) => "outside the interval, as 1 in 20 is",
        None => "there is no interval",
    };
    format!("{truth:.3}x: {covered}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn both_directories_are_checked_before_the_first_run() {
        let scratch = Scratch::new();
        let args = |out: Option<&str>| DemoArgs {
            out: out.map(|out| scratch.path().join(out)),
            quiet: true,
        };
        assert_eq!(outs(&args(None)), Ok([None, None]));
        let at = |name: &str| scratch.path().join(name);
        assert_eq!(outs(&args(Some("d"))), Ok([Some(at("d/1")), Some(at("d/2"))]));
        std::fs::create_dir_all(at("d/2")).expect("new");
        let error = outs(&args(Some("d"))).expect_err("taken");
        assert!(
            error.text.ends_with("d/2 exists already: name another directory"),
            "{}",
            error.text
        );
    }
}
