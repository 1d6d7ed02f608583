//! `tiebreak conformance self`: comparisons whose answer is known, on this machine.

use super::{conduct, outputs};
use crate::cores::share_out;
use crate::exit::{Error, Exit};
use crate::judging::Judged;
use crate::plan::{Command, Spec};
use crate::runner::{self, Reporting};
use crate::{signals, utc};
use judge::stats::two_stages::TwoStages;
use judge::verdict::{Comparison, Word};
use report::alone::Spread;
use report::self_test::{self, EqualPair, PlantedDifference, SelfTest};
use report::words;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use testserver::{Behaviour, TestServer};
use text::shown::shown;

/// Enough for a p50 of some milliseconds.
const CONNECTIONS: u32 = 16;
const WARM_UP: Duration = Duration::from_millis(200);
const ROUNDS: u32 = 10;
/// The length of a round when one server is compared with itself.
const ALIKE_ROUND: Duration = Duration::from_millis(200);
/// The length of a round when servers with a known difference are compared.
const KNOWN_ROUND: Duration = Duration::from_millis(300);
const SERVICE_US: u64 = 100;
/// The known differences in percent, the largest first. As the service takes 100 µs, they are
/// the differences in µs, too.
const PERCENT: [u32; 3] = [10, 3, 1];
/// How many comparisons of each known difference are made.
const EACH: u32 = 6;

pub(super) const EXAMPLES: &str = "\
Examples:
  tiebreak conformance self
      about six minutes; do not use the machine meanwhile
  tiebreak conformance self --against http://127.0.0.1:8080/
      compares this server with itself, instead of the embedded one
  tiebreak conformance self --json self.json
      the same figures for programs (schema/self.v1.json)";

/// Test whether comparisons on this machine can be trusted, with known differences
///
/// One server is compared with itself 20 times, or 60 times if more than 2 of the 20 find a
/// difference; 10 of 60 are a failure. Servers whose service times differ by 10, 3 and 1 %
/// are compared six times each. The answer is the smallest difference that this machine
/// finds reliably. Exit code 0: 10 % or less; 1: it does not even find 10 %.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SelfArgs {
    /// Compare this server with itself, instead of the embedded one
    #[arg(long, value_name = "URL")]
    against: Option<String>,
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

pub(super) fn perform(args: &SelfArgs) -> Result<Exit, Error> {
    let started = SystemTime::now();
    let cores = share_out(&conduct::read_cores()?, None)?;
    let conductor = Conductor {
        directory: runner::new_folder(args.out.as_deref(), started, "self")?,
        core: cores.others.first().copied(),
        quiet: args.quiet,
    };
    let alike = conductor.alike(args.against.as_deref())?;
    let mut known = Vec::new();
    for percent in PERCENT {
        if signals::caught() || alike.passed == Some(false) {
            break;
        }
        known.push(conductor.known(percent)?);
    }
    // The smallest difference that counts is the last before the first that was missed:
    // smaller ones could have been found by chance.
    let finds = known.iter().take_while(|known| known.is_found()).last();
    let finds_percent = finds.map(|known| known.percent);
    let test = SelfTest {
        schema: self_test::SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        started: utc::rfc3339(started),
        runs: conductor.directory.display().to_string(),
        stopped: signals::caught(),
        trusted: alike.passed == Some(true) && finds_percent.is_some(),
        finds_percent,
        alike,
        known,
    };
    print_result(&test, args.json.as_deref())?;
    Ok(exit(&test))
}

fn exit(test: &SelfTest) -> Exit {
    if test.stopped {
        Exit::Void
    } else if test.trusted {
        Exit::Sound
    } else {
        Exit::NotMet
    }
}

fn print_result(test: &SelfTest, json: Option<&Path>) -> Result<(), Error> {
    outputs::table_or_json(
        json,
        || self_test::json(test),
        || self_test::terminal(test, outputs::style()),
    )
}

/// What all comparisons of a self-test share.
struct Conductor {
    directory: PathBuf,
    /// The core of the embedded servers.
    core: Option<u32>,
    quiet: bool,
}

impl Conductor {
    /// Compares one server with itself until the rule of two stages has a result.
    fn alike(&self, against: Option<&str>) -> Result<EqualPair, Error> {
        let embedded = self.server(0)?;
        let url = against.map_or_else(|| format!("http://{}/", embedded.address()), str::to_owned);
        let mut alike = EqualPair { against: against.map(str::to_owned), ..EqualPair::default() };
        let (mut stages, mut widths) = (TwoStages::default(), Vec::new());
        while alike.passed.is_none() && !signals::caught() {
            let number = stages.compared + 1;
            let judged = self.compare([&url, &url], ALIKE_ROUND, &format!("equal-{number:02}"))?;
            let Some(primary) = primary(&judged) else { break };
            let different = matches!(primary.verdict, Word::Faster | Word::Slower);
            alike.void += u32::from(primary.verdict == Word::Void);
            alike.passed = stages.add(different);
            widths.extend(width(primary));
            self.say(&format!("one server with itself, {number}: {}", found(primary)));
        }
        (alike.compared, alike.different) = (stages.compared, stages.different);
        alike.median_width = median(widths);
        Ok(alike)
    }

    /// Compares two servers, of which one does `percent` more work, several times.
    fn known(&self, percent: u32) -> Result<PlantedDifference, Error> {
        let slower_us = SERVICE_US + u64::from(percent) * SERVICE_US / 100;
        let truth = SERVICE_US as f64 / slower_us as f64;
        let servers = [self.server(SERVICE_US)?, self.server(slower_us)?];
        let [a, b] = servers.each_ref().map(|server| format!("http://{}/", server.address()));
        let mut known = PlantedDifference { percent, ..PlantedDifference::default() };
        let mut widths = Vec::new();
        for number in 1..=EACH {
            if signals::caught() {
                break;
            }
            let name = format!("slower-by-{percent}-percent-{number}");
            let judged = self.compare([&a, &b], KNOWN_ROUND, &name)?;
            let Some(primary) = primary(&judged) else { break };
            known.compared += 1;
            known.found += u32::from(primary.verdict == Word::Slower);
            known.wrong += u32::from(primary.verdict == Word::Faster);
            known.void += u32::from(primary.verdict == Word::Void);
            let bounds = primary.low.zip(primary.high);
            let covers = bounds.is_some_and(|(low, high)| low <= truth && truth <= high);
            known.covered += u32::from(covers);
            widths.extend(width(primary));
            self.say(&format!("slower by {percent} %, {number} of {EACH}: {}", found(primary)));
        }
        known.median_width = median(widths);
        Ok(known)
    }

    fn server(&self, service_us: u64) -> Result<TestServer, Error> {
        let service = Duration::from_micros(service_us);
        TestServer::start(Behaviour { service, ..Behaviour::default() }, self.core)
            .map_err(|error| Error::failed(format!("the embedded server cannot start: {error}")))
    }

    /// One comparison like that of `compare`, with a pilot, a journal and an audit.
    fn compare(&self, urls: [&str; 2], round: Duration, name: &str) -> Result<Judged, Error> {
        let [a, b] = urls;
        let mut spec = Spec::new(Command::Compare, vec![format!("a={a}"), format!("b={b}")]);
        spec.common.connections = Some(CONNECTIONS);
        spec.run.rounds = Some(ROUNDS);
        spec.run.round = Some(round);
        spec.run.warm_up = Some(WARM_UP);
        let resolved = conduct::settle(&spec)?;
        let out = self.directory.join(name);
        let reporting = Reporting { out: Some(&out), quiet: true, no_cache: false, part: "" };
        let (_, judged) = conduct::measure(&resolved, reporting, None)?;
        if let Some(failure) = judged.failure() {
            return Err(Error { exit: judged.exit(), text: shown(failure).to_string() });
        }
        Ok(judged)
    }

    fn say(&self, text: &str) {
        if !self.quiet {
            outputs::complain(text);
        }
    }
}

fn primary(judged: &Judged) -> Option<&Comparison> {
    judged.verdict().comparisons().iter().find(|comparison| comparison.primary)
}

fn found(comparison: &Comparison) -> String {
    let word = words::word(comparison.verdict, comparison.metric);
    match comparison.low.zip(comparison.high) {
        Some((low, high)) => format!("{word} ({low:.3}x to {high:.3}x)"),
        None => word.to_owned(),
    }
}

/// Upper end ÷ lower end − 1.
fn width(comparison: &Comparison) -> Option<f64> {
    let (low, high) = comparison.low.zip(comparison.high)?;
    (low > 0.0).then(|| high / low - 1.0)
}

fn median(values: Vec<f64>) -> Option<f64> {
    (!values.is_empty()).then(|| Spread::of(values, "").median)
}
