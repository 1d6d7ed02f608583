//! `tiebreak conformance`.

use super::self_test::{self, SelfArgs};
use crate::cli::{conduct, outputs};
use crate::run::conformance::{alone, null};
use crate::run::progress::{Progress, ProgressStyle};
use crate::system::cores::share_out;
use crate::system::{host, utc};
use protocol::{Error, Exit};
use report::alone as own_costs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use text::quantities;

const EXAMPLES: &str = "\
Examples:
  tiebreak conformance self
      can comparisons on this machine be trusted? About six minutes
  tiebreak conformance null
      about 40 seconds; a table of all protocols
  tiebreak conformance null --json null.json
      the same figures for programs (schema/null.v1.json)";

const NULL_EXAMPLES: &str = "\
Examples:
  tiebreak conformance null
      about 40 seconds
  tiebreak conformance null --connections 500 --json -
      with more connections for each lane; JSON on standard output, without the table";

/// Measure tiebreak itself against servers of known behaviour
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct ConformanceArgs {
    #[command(subcommand)]
    what: ConformanceTask,
}

#[derive(clap::Subcommand)]
enum ConformanceTask {
    #[command(name = "self")]
    Itself(SelfArgs),
    Null(NullArgs),
}

/// Measure what each lane costs by itself: CPU time per operation, and the highest rate
///
/// Every protocol is driven against the null server, which runs on another core and
/// answers at once with the shortest correct reply. Files are in a directory in memory, and
/// the program that is run does nothing. All lanes are interleaved, so that they run under
/// the same conditions. What a lane costs here is not caused by the target.
#[derive(clap::Args)]
#[command(after_help = NULL_EXAMPLES)]
struct NullArgs {
    /// Connections of each lane
    #[arg(short, long, value_name = "N", default_value_t = 32,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    connections: u32,
    /// Number of rounds
    #[arg(long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// How long each lane is driven in a round [default: 200ms]
    #[arg(long, value_name = "TIME", value_parser = round)]
    round: Option<Duration>,
    /// Write the figures as JSON; - is standard output, in place of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Show no progress on standard error
    #[arg(short, long)]
    quiet: bool,
}

fn round(text: &str) -> Result<Duration, String> {
    match quantities::duration(text)? {
        short if short < Duration::from_millis(1) => Err("must be at least 1ms".to_owned()),
        long if long > Duration::from_secs(60) => Err("must be at most 60s".to_owned()),
        round => Ok(round),
    }
}

pub(in crate::cli) fn perform(args: &ConformanceArgs) -> Result<Exit, Error> {
    match &args.what {
        ConformanceTask::Itself(args) => self_test::perform(args),
        ConformanceTask::Null(args) => null(args),
    }
}

fn null(args: &NullArgs) -> Result<Exit, Error> {
    let started = utc::rfc3339(SystemTime::now());
    outputs::check_file("--json", args.json.as_deref())?;
    let cores = share_out(&conduct::read_cores()?, None)?;
    let host = host::facts(&cores.allowed, conduct::raise_descriptors()?);
    let order = null::Order {
        rounds: args.rounds,
        round: args.round.unwrap_or(Duration::from_millis(200)),
        connections: args.connections,
        generator_core: cores.generator.last().copied().unwrap_or(0),
        server_core: cores.others.first().copied(),
    };
    let lanes = null::lanes();
    let needed = 2 * u64::from(args.connections) * lanes.len() as u64 + 100;
    if needed > host.descriptors {
        return Err(Error::usage(format!(
            "{} connections for each lane require about {needed} file descriptors, and this \
             process may open {}: use fewer --connections, or raise the hard limit (ulimit -Hn)",
            args.connections, host.descriptors
        )));
    }
    let stop = conduct::catch_signals()?;
    let trials = {
        let names: Vec<String> = lanes.iter().map(null::Lane::name).collect();
        let progress = Progress::start(ProgressStyle::fitting(args.quiet), &names);
        progress.keep_on(&cores.own);
        progress.phase("round", null::length(&order, &lanes), order.rounds);
        null::measure(&order, &lanes, &stop, &mut |trial| progress.trial(trial))
            .map_err(alone::failed)?
    };
    let costs = null::figures(&order, &lanes, &trials, (host, started)).map_err(Error::failed)?;
    let table = || own_costs::terminal(&costs, outputs::style());
    outputs::table_or_json(args.json.as_deref(), || own_costs::json(&costs), table)?;
    Ok(Exit::Sound)
}
