//! `tiebreak compare`.

use crate::cli::against;
use crate::cli::against::AgainstOptions;
use crate::cli::agents::AgentOptions;
use crate::cli::commands::run;
use crate::cli::flags::{COMPARE, Flags};
use crate::cli::help;
use crate::cli::options;
use crate::cli::options::{OutputOptions, TargetOptions};
use crate::plan::settings::sweep_settings;
use crate::plan::settings::sweep_settings::SweepSettings;
use crate::plan::{Command, Spec};
use protocol::{Error, Exit};

/// The examples that `-h` has room for.
pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  tiebreak compare old=http://127.0.0.1:8080/ new=http://127.0.0.1:8081/
      any number of contenders; a bare address is named after its host and port
  tiebreak compare nginx lighttpd mine=node --connections 500
      servers that tiebreak launches and stops itself (see `tiebreak recipes`)
  tiebreak compare --against HEAD~1
      your program before the last commit and now, as tiebreak.toml describes it (`tiebreak init`)";

/// Further examples, which only `--help` shows.
const MORE_EXAMPLES: &str = "
  tiebreak compare experiments/http-servers.toml --launches 10
      an experiment file: any program, launched ten times (see `tiebreak check`)
  tiebreak compare --against main... --require 'throughput >= 0.97x'
      for CI: the merge base of a branch, and the branch
  tiebreak compare keep=http://127.0.0.1:8080/ fresh=http://127.0.0.1:8080/ --set fresh.reuse=never
      one server, with persistent and with fresh connections
  tiebreak compare a=http://127.0.0.1:8080/ b=http://127.0.0.1:8081/ --rate 5k/s --arrivals poisson
      response times at a given rate
  tiebreak compare old=http://127.0.0.1:8080/ new=http://127.0.0.1:8081/ --slo 'p99 <= 5ms'
      how much load each can take, and the ratio of both
  tiebreak compare a='exec:php check_a.php' b='exec:php check_b.php' --operations 100k
      whole programs, run to completion repeatedly
  tiebreak compare nginx lighttpd --sweep connections=1,8,32,128
      the same at four loads: how throughput and latency grow, and where the curve bends
  tiebreak compare old=http://127.0.0.1:8080/ new=http://127.0.0.1:8081/ --require 'p99 <= 1.05x'
      for CI: exit code 1 if that was not shown
  tiebreak compare a=https://localhost:8443/ b=http+unix://%2Frun%2Fapp.sock/ --cacert ca.pem
      TLS, and a unix socket (its path percent-encoded)";

pub(in crate::cli) const EXAMPLES_OF_RANK: &str = "\
Examples:
  tiebreak rank nginx lighttpd caddy node
      servers that tiebreak launches itself, from the best to the worst, with ties
  tiebreak rank a=http://127.0.0.1:8080/ b=http://127.0.0.1:8081/ c=http://127.0.0.1:8082/ --by p99
      by the p99 of response time
  tiebreak rank experiments/http-servers.toml --launches 1
      an experiment file; one launch of each where time is short";

/// The text at the end of `--help`.
pub(in crate::cli) fn after_long_help() -> String {
    let of_protocols = help::examples("compare", |examples| examples.compare);
    options::with_keys(&format!("{EXAMPLES}{MORE_EXAMPLES}{of_protocols}"))
}

/// Compare two contenders or more: which is faster, by how much
///
/// All contenders are driven in turns; a pilot chooses how long a turn is. The other
/// contenders are compared with the first one.
#[derive(clap::Args)]
pub(in crate::cli) struct CompareArgs {
    /// Contenders: addresses, recipes by name, or an experiment file
    #[arg(required_unless_present = "revisions", value_name = "[NAME=]URL|RECIPE|FILE.toml")]
    contenders: Vec<String>,
    /// Compare at several load points: connections=1,8,32,128
    ///
    /// The factor is connections, rate, value (bytes) or depth, with 2 to 16 points. Every
    /// round drives all contenders at each point, in random order. The report has a verdict
    /// for each point, throughput and latency against the factor, and where each curve
    /// bends. The connections of all points are open at once.
    #[arg(long, value_name = "FACTOR=N,N,…", value_parser = sweep_settings::parse, hide_short_help = true)]
    sweep: Option<SweepSettings>,
    #[command(flatten)]
    flags: Flags<COMPARE>,
    #[command(flatten)]
    target: TargetOptions,
    #[command(flatten)]
    against: AgainstOptions,
    #[command(flatten)]
    pub(super) agents: AgentOptions,
    #[command(flatten)]
    pub(super) output: OutputOptions,
}

/// `words` are those of the command that may be recorded.
pub(in crate::cli) fn perform(args: &CompareArgs, words: Vec<String>) -> Result<Exit, Error> {
    drive(&Spec { words, ..spec(args)? }, args)
}

/// `tiebreak rank`: a comparison of all pairs.
pub(in crate::cli) fn rank(args: &CompareArgs, words: Vec<String>) -> Result<Exit, Error> {
    let mut spec = Spec { words, ..spec(args)? };
    spec.run.rank = true;
    drive(&spec, args)
}

fn drive(spec: &Spec, args: &CompareArgs) -> Result<Exit, Error> {
    if args.agents.share() {
        against::refuse_agents(spec)?;
        crate::cli::agents::perform(spec, &args.agents, &args.output)
    } else {
        run::drive(spec, &args.output)
    }
}

pub(in crate::cli) fn spec(args: &CompareArgs) -> Result<Spec, Error> {
    let mut spec = Spec::new(Command::Compare, args.contenders.clone());
    spec.sweep.clone_from(&args.sweep);
    args.flags.fill(&mut spec)?;
    args.target.fill(&mut spec)?;
    args.against.fill(&mut spec);
    spec.agents = args.agents.count()?;
    Ok(spec)
}
