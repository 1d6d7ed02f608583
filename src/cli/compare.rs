//! `tiebreak compare`.

use super::conduct;
use super::options::{LoadOptions, OutputOptions, RequestOptions, TargetOptions, WorkloadOptions};
use crate::exit::{Error, Exit};
use crate::near;
use crate::plan::sweep::{self, SweepAsked};
use crate::plan::{Command, Spec, units};
use record::Interleave;
use std::time::Duration;

pub(super) const EXAMPLES: &str = "\
Examples:
  tiebreak compare old=http://127.0.0.1:8080/ new=http://127.0.0.1:8081/
      any number of contenders; a bare address is named after its host and port
  tiebreak compare keep=http://127.0.0.1:8080/ fresh=http://127.0.0.1:8080/ --set fresh.reuse=never
      one server, two ways of talking to it
  tiebreak compare a=http://127.0.0.1:8080/ b=http://127.0.0.1:8081/ --rate 5k/s --arrivals poisson
      response times at a given rate
  tiebreak compare nginx lighttpd mine=node --connections 500
      servers that tiebreak launches itself (see `tiebreak recipes`), and ends again
  tiebreak compare memcached redis --value 1kB --distribution 'zipf(0.99)'
      stores: loaded first, and what they return is verified
  tiebreak compare one=redis://127.0.0.1:6379 many=redis://127.0.0.1:6379 --set many.depth=16
      one store, one operation and sixteen in flight on a connection
  tiebreak compare memcached redis file:///dev/shm/cache --workload ycsb-b
      two stores, and a directory used as a cache
  tiebreak compare a='exec:php check_a.php' b='exec:php check_b.php' --operations 100k
      whole programs, run to their end again and again
  tiebreak compare memcached redis --sweep connections=1,8,32,128
      the same at four loads: how throughput and latency grow, and where that bends
  tiebreak compare experiments/http-servers.toml --restarts 10
      an experiment file: any program, launched afresh ten times (see `tiebreak check`)
  tiebreak compare old=http://127.0.0.1:8080/ new=http://127.0.0.1:8081/ --require 'p99 <= 1.05x'
      for CI: exit code 1 where that was not shown
  tiebreak compare a=https://localhost:8443/ b=http+unix://%2Frun%2Fapp.sock/ --cacert ca.pem
      TLS, and a unix socket (its path percent-encoded)";

/// Compare two contenders or more: which is faster, by how much
///
/// All contenders are driven in turns; a pilot chooses how long a turn is. The first
/// contender is the one that the others are compared with.
#[derive(clap::Args)]
pub(super) struct CompareArgs {
    /// Contenders: addresses, recipes by name, or an experiment file
    #[arg(required = true, value_name = "[NAME=]URL|RECIPE|FILE.toml")]
    contenders: Vec<String>,
    /// The same comparison at several load points: connections=1,8,32,128
    ///
    /// Of connections, rate, value (bytes) or depth; 2 to 16 points. Each is a whole
    /// comparison in a folder of its own; the report shows throughput and latency
    /// against the factor, and where each contender bends. Targets that are launched
    /// are launched anew for each point.
    #[arg(long, value_name = "FACTOR=N,N,…", value_parser = sweep::parse)]
    sweep: Option<SweepAsked>,
    #[command(flatten)]
    rounds: RoundOptions,
    #[command(flatten)]
    verdict: VerdictOptions,
    #[command(flatten)]
    load: LoadOptions,
    #[command(flatten)]
    request: RequestOptions,
    #[command(flatten)]
    workload: WorkloadOptions,
    #[command(flatten)]
    target: TargetOptions,
    #[command(flatten)]
    output: OutputOptions,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Rounds")]
struct RoundOptions {
    /// How many rounds: each is one replicate [default: 10, or more for many comparisons]
    ///
    /// With --restarts: rounds of each launch [default: 5]. With --until-decided: rounds
    /// before the first look [default: 10].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// How long each contender is driven in a round [default: 1s; turns: 2.5s]
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    round: Option<Duration>,
    /// Length of a turn within a round [default: the pilot chooses]
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    slice: Option<Duration>,
    /// slices (short turns, many a round) or turns (one a round) [default: the pilot chooses]
    #[arg(long, value_name = "HOW", value_parser = interleave)]
    interleave: Option<Interleave>,
    /// How long the pilot drives each contender, for tests in which it decides nothing
    #[arg(long, hide = true, value_name = "TIME", value_parser = units::duration)]
    pilot: Option<Duration>,
    /// Launch every target afresh N times: then the launch is the replicate
    ///
    /// A server settles differently at each start. A verdict from one launch is about
    /// that launch; with --restarts it is about the programs. Only for targets that
    /// tiebreak launches.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    restarts: Option<u32>,
    /// Operations of one run of a program (exec:) that does not announce them
    ///
    /// A program announces its operations by its last line of output: operations 100000.
    #[arg(long, value_name = "N", value_parser = units::count)]
    operations: Option<u64>,
    /// Look five times whether it is decided, and stop when it is
    ///
    /// After 10, 16, 26, 40 and 60 rounds, with narrower errors at each look so that all
    /// together keep the confidence that was asked for.
    #[arg(long)]
    until_decided: bool,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Verdict")]
struct VerdictOptions {
    /// The smallest difference that matters [default: 1%]
    #[arg(long, value_name = "PERCENT", value_parser = units::percent)]
    matters: Option<f64>,
    /// Confidence of the verdicts, all comparisons together [default: 95%]
    #[arg(long, value_name = "PERCENT", value_parser = units::percent)]
    confidence: Option<f64>,
    /// Compare every contender with every other, not only with the first
    #[arg(long)]
    all_pairs: bool,
    /// The contenders are meant to answer differently
    #[arg(long)]
    expect_different: bool,
    /// What must be shown, such as 'new/old throughput >= 0.97'; else exit code 1
    ///
    /// A ratio of two contenders, or of each pair where none is named: 'p99 <= 1.05x'.
    /// Of one group: 'p99 of writers <= 1.05x'.
    /// It must hold for the whole interval; `by estimate` and `by favourable end` ask
    /// for less. May be given several times.
    #[arg(long = "require", value_name = "[B/A] METRIC [of GROUP] >= RATIO")]
    requirements: Vec<String>,
}

fn interleave(text: &str) -> Result<Interleave, String> {
    match text {
        "slices" => Ok(Interleave::Slices),
        "turns" => Ok(Interleave::Turns),
        other => {
            let meant = near::did_you_mean(other, ["slices", "turns"]);
            Err(format!("it is slices or turns{meant}"))
        }
    }
}

pub(super) fn perform(args: &CompareArgs) -> Result<Exit, Error> {
    conduct::perform(&spec(args)?, &args.output)
}

pub(super) fn spec(args: &CompareArgs) -> Result<Spec, Error> {
    let mut spec = Spec::new(Command::Compare, args.contenders.clone());
    spec.sweep.clone_from(&args.sweep);
    spec.rounds = args.rounds.rounds;
    spec.round = args.rounds.round;
    spec.slice = args.rounds.slice;
    spec.interleave = args.rounds.interleave;
    spec.pilot = args.rounds.pilot;
    spec.restarts = args.rounds.restarts;
    spec.operations = args.rounds.operations;
    spec.until_decided = args.rounds.until_decided;
    spec.requirements.clone_from(&args.verdict.requirements);
    spec.matters = args.verdict.matters;
    spec.confidence = args.verdict.confidence;
    spec.all_pairs = args.verdict.all_pairs;
    spec.expect_different = args.verdict.expect_different;
    args.load.fill(&mut spec);
    args.request.fill(&mut spec.common)?;
    args.workload.fill(&mut spec);
    args.target.fill(&mut spec)?;
    Ok(spec)
}
