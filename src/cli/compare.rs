//! `tiebreak compare`.

use super::conduct;
use super::options::{LoadOptions, OutputOptions, RequestOptions, TargetOptions};
use crate::exit::{Error, Exit};
use crate::near;
use crate::plan::{Command, Spec, settings, units};
use record::Interleave;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  tiebreak compare old=http://127.0.0.1:8080/ new=http://127.0.0.1:8081/
      any number of contenders; a bare address is named after its host and port
  tiebreak compare keep=http://127.0.0.1:8080/ fresh=http://127.0.0.1:8080/ --set fresh.reuse=never
      one server, two ways of talking to it
  tiebreak compare a=http://127.0.0.1:8080/ b=http://127.0.0.1:8081/ --rate 5k/s --arrivals poisson
      response times at a given rate
  tiebreak compare a=https://localhost:8443/ b=http+unix://%2Frun%2Fapp.sock/ --cacert ca.pem
      TLS, and a unix socket (its path percent-encoded)";

/// Compare two contenders or more: which is faster, by how much
///
/// All contenders are driven in turns; a pilot chooses how long a turn is. The first
/// contender is the one that the others are compared with.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = long_help())]
pub(super) struct CompareArgs {
    /// Contenders: an address each, with a name of your choice
    #[arg(required = true, value_name = "[NAME=]URL")]
    contenders: Vec<String>,
    /// Set one contender's own settings, such as fresh.reuse=never; see --help for all keys
    #[arg(long = "set", value_name = "NAME.KEY=VALUE")]
    sets: Vec<String>,
    #[command(flatten)]
    rounds: RoundOptions,
    #[command(flatten)]
    verdict: VerdictOptions,
    #[command(flatten)]
    load: LoadOptions,
    #[command(flatten)]
    request: RequestOptions,
    #[command(flatten)]
    target: TargetOptions,
    #[command(flatten)]
    output: OutputOptions,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Rounds")]
struct RoundOptions {
    /// How many rounds: each is one replicate [default: 10, or more for many comparisons]
    #[arg(long, value_name = "N")]
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
}

fn long_help() -> String {
    let keys = settings::KEYS.map(|(key, example)| format!("  {key:<12} {example}\n"));
    format!("{EXAMPLES}\n\nKeys of --set NAME.KEY=VALUE:\n{}", keys.concat().trim_end())
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
    let mut spec = Spec::new(Command::Compare, args.contenders.clone());
    spec.sets.clone_from(&args.sets);
    spec.rounds = args.rounds.rounds;
    spec.round = args.rounds.round;
    spec.slice = args.rounds.slice;
    spec.interleave = args.rounds.interleave;
    spec.matters = args.verdict.matters;
    spec.confidence = args.verdict.confidence;
    spec.all_pairs = args.verdict.all_pairs;
    spec.expect_different = args.verdict.expect_different;
    args.load.fill(&mut spec);
    args.request.fill(&mut spec.common)?;
    args.target.fill(&mut spec);
    conduct::perform(&spec, &args.output)
}
