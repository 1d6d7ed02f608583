//! `tiebreak conformance self`: comparisons whose answer is known, on this machine.

use crate::cli::{conduct, outputs};
use crate::plan::{Command, Resolved, Spec};
use crate::run::conformance::counting;
use crate::run::conformance::counting::{EACH, Found};
use crate::run::runner;
use crate::run::runner::Reporting;
use crate::system::cores::share_out;
use crate::system::{signals, utc};
use judge::stats::two_stages::{ALLOWED, BOTH, FIRST};
use protocol::{Error, Exit};
use record::Plan;
use report::self_test::{self, EqualPair, PlantedDifference, SelfTest};
use std::iter::repeat_n;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use testserver::{Behaviour, TestServer};
use text::quantities;
use text::shown::shown;

const WARM_UP: Duration = Duration::from_millis(200);
/// How long each server is driven in a round, unless `--round` says otherwise.
const ROUND: Duration = Duration::from_millis(200);
const SERVICE_US: u64 = 100;
/// The known differences in percent, the largest first. As the service takes 100 µs, they are
/// the differences in µs, too.
const PERCENT: [u32; 3] = [10, 3, 1];
pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  tiebreak conformance self
      about six minutes; do not use the machine meanwhile
  tiebreak conformance self --against http://127.0.0.1:8080/
      compares this server with itself, instead of the embedded one
  tiebreak conformance self --connections 64 --rounds 30 --round 1s
      for comparisons of this size; 40 minutes
  tiebreak conformance self --json self.json
      the same figures for programs (schema/self.v1.json)";

/// Test whether comparisons on this machine can be trusted, with known differences
///
/// One server is compared with itself 20 times, or 60 times if more than 2 of the 20 find a
/// difference; 10 of 60 are a failure. Servers whose service times differ by 10, 3 and 1 %
/// are compared six times each. Each server is started once. The answer is the smallest difference
/// that this machine finds reliably. Exit code 0: 10 % or less; 1: it does not even find 10 %, or finds
/// differences where there are none; 3: the audit refused several comparisons, or the test was stopped.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct SelfArgs {
    /// Compare this server with itself, instead of the embedded one
    #[arg(long, value_name = "URL")]
    against: Option<String>,
    /// Connections to each server
    #[arg(short, long, value_name = "N", default_value_t = 16,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    connections: u32,
    /// Number of rounds of each comparison; fewer than 6 can show no difference
    #[arg(long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(6..=1000))]
    rounds: u32,
    /// How long each server is driven in a round [default: 200ms]
    #[arg(long, value_name = "TIME", value_parser = quantities::duration)]
    round: Option<Duration>,
    /// As that of `compare`, for tests in which the pilot decides nothing
    #[arg(long, value_name = "TIME", hide = true, value_parser = quantities::duration)]
    pilot: Option<Duration>,
    /// Directory for the journals of all comparisons [default: a new one in tiebreak-runs/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write the figures as JSON; - is standard output, in place of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Show no progress on standard error
    #[arg(short, long)]
    quiet: bool,
}

pub(in crate::cli) fn perform(args: &SelfArgs) -> Result<Exit, Error> {
    let started = SystemTime::now();
    outputs::check_file("--json", args.json.as_deref())?;
    let cores = share_out(&conduct::read_cores()?, None)?;
    let core = cores.others.first().copied();
    let embedded = server(0, core)?;
    let url = args.against.clone().unwrap_or_else(|| format!("http://{}/", embedded.address()));
    // Before the directory is made, since it may refuse the options.
    let plan = settle(args, [&url, &url])?.plan;
    let directory = runner::new_folder(args.out.as_deref(), started, "self")?;
    let conductor = Conductor { args, directory, core };
    conductor.announce(&plan);
    let mut alike = conductor.alike(&url)?;
    // As a journal has it: without a password.
    alike.against = args.against.as_ref().map(|_| plan.contenders[0].target.clone());
    let mut known = Vec::new();
    for percent in PERCENT {
        if signals::caught() || alike.passed != Some(true) {
            break;
        }
        known.push(conductor.known(percent)?);
    }
    let finds_percent = counting::smallest_found(&known);
    let test = SelfTest {
        schema: self_test::SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        started: utc::rfc3339(started),
        connections: args.connections,
        rounds: args.rounds,
        round: args.round.unwrap_or(ROUND).as_secs_f64(),
        runs: conductor.directory.display().to_string(),
        stopped: signals::caught(),
        trusted: alike.passed == Some(true) && finds_percent.is_some(),
        finds_percent,
        alike,
        known,
    };
    let table = || self_test::terminal(&test, outputs::style());
    outputs::table_or_json(args.json.as_deref(), || self_test::json(&test), table)?;
    Ok(exit(&test))
}

fn exit(test: &SelfTest) -> Exit {
    if test.stopped || test.alike.passed.is_none() {
        Exit::Void
    } else if test.trusted {
        Exit::Sound
    } else {
        Exit::NotMet
    }
}

/// What all comparisons of a self-test share.
struct Conductor<'a> {
    args: &'a SelfArgs,
    directory: PathBuf,
    /// The core of the embedded servers.
    core: Option<u32>,
}

impl Conductor<'_> {
    fn alike(&self, url: &str) -> Result<EqualPair, Error> {
        counting::compare_equal(|number, all| {
            let part = format!("one server with itself, {number} of {all}");
            self.compare([url, url], &format!("equal-{number:02}"), &part)
        })
    }

    fn known(&self, percent: u32) -> Result<PlantedDifference, Error> {
        let slower_us = SERVICE_US + u64::from(percent) * SERVICE_US / 100;
        let servers = [server(SERVICE_US, self.core)?, server(slower_us, self.core)?];
        let [a, b] = servers.each_ref().map(|server| format!("http://{}/", server.address()));
        counting::compare_known(percent, |number| {
            let part = format!("slower by {percent} %, {number} of {EACH}");
            self.compare([&a, &b], &format!("slower-by-{percent}-percent-{number}"), &part)
        })
    }

    /// One comparison like that of `compare`, with a pilot, a journal and an audit. Returns None
    /// if it was stopped.
    fn compare(
        &self,
        urls: [&str; 2],
        directory: &str,
        part: &str,
    ) -> Result<Option<Found>, Error> {
        let resolved = settle(self.args, urls)?;
        let out = self.directory.join(directory);
        let reporting = Reporting { out: Some(&out), quiet: true, ..Reporting::default() };
        let (_, judged) = conduct::measure(&resolved, reporting, None)?;
        if let Some(failure) = judged.failure() {
            let text = format!("{part}: {}", shown(failure));
            return Err(Error { exit: judged.exit(), text });
        }
        if signals::caught() {
            return Ok(None);
        }
        let found = Found::of(&judged);
        self.say(&format!("{part}: {found}"));
        Ok(Some(found))
    }

    /// Says how long the test takes, given the plan of one of its comparisons.
    fn announce(&self, plan: &Plan) {
        let comparisons = FIRST as usize + PERCENT.len() * EACH as usize;
        let takes = runner::foreseen(repeat_n(plan, comparisons));
        self.say(&format!(
            "{comparisons} comparisons, {takes}; {} more if more than {ALLOWED} of the first \
             {FIRST} report a difference",
            BOTH - FIRST
        ));
    }

    fn say(&self, text: &str) {
        if !self.args.quiet {
            outputs::complain(text);
        }
    }
}

/// The plan of one comparison.
fn settle(args: &SelfArgs, [a, b]: [&str; 2]) -> Result<Resolved, Error> {
    let mut spec = Spec::new(Command::Compare, vec![format!("a={a}"), format!("b={b}")]);
    spec.common.connections = Some(args.connections);
    spec.run.rounds = Some(args.rounds);
    spec.run.round = Some(args.round.unwrap_or(ROUND));
    spec.run.pilot = args.pilot;
    spec.run.warm_up = Some(WARM_UP);
    conduct::settle(&spec)
}

/// A server that works for this many microseconds on each request.
fn server(service_us: u64, core: Option<u32>) -> Result<TestServer, Error> {
    let service = Duration::from_micros(service_us);
    TestServer::start(Behaviour { service, ..Behaviour::default() }, core)
        .map_err(|error| Error::failed(format!("the embedded server cannot start: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_follows_from_the_result() {
        let result = |passed, finds_percent: Option<u32>, stopped| SelfTest {
            schema: self_test::SCHEMA,
            version: "",
            started: String::new(),
            connections: 16,
            rounds: 10,
            round: 0.2,
            runs: String::new(),
            alike: EqualPair { passed, ..EqualPair::default() },
            known: Vec::new(),
            stopped,
            trusted: passed == Some(true) && finds_percent.is_some(),
            finds_percent,
        };
        assert_eq!(exit(&result(Some(true), Some(10), false)), Exit::Sound);
        assert_eq!(exit(&result(Some(true), None, false)), Exit::NotMet);
        assert_eq!(exit(&result(Some(false), None, false)), Exit::NotMet);
        assert_eq!(exit(&result(None, None, false)), Exit::Void);
        assert_eq!(exit(&result(Some(true), Some(10), true)), Exit::Void);
    }
}
