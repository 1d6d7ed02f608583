//! `tiebreak run`.

use super::conduct;
use super::options::{
    LoadOptions, OutputOptions, RequestOptions, TargetOptions, WorkloadOptions, with_keys,
};
use crate::exit::{Error, Exit};
use crate::plan::sweep::{self, SweepAsked};
use crate::plan::{Command, Spec, units};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  tiebreak run http://127.0.0.1:8080/ --duration 10s
      as many requests as 64 connections take
  tiebreak run http://127.0.0.1:8080/ --rate 1000/s --connections 10
      response times at 1000 requests a second, counted from when each was due
  tiebreak run nginx
      a server that tiebreak launches itself (see `tiebreak recipes`)
  tiebreak run http://127.0.0.1:8080/ -n 10k -c 1
      10 000 requests, one after the other";

/// Drive one contender without a break, with the same audit
///
/// One run says how fast a server was just then, on this machine. To say that one is
/// faster than another, use `tiebreak compare`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = with_keys(EXAMPLES))]
pub(super) struct RunArgs {
    /// The contender: an address, a recipe's name, or an experiment file of one
    // One; but several are taken, to say in our own words what is wrong, and
    // without quoting an address that may hold a login.
    #[arg(required = true, value_name = "[NAME=]URL|RECIPE|FILE.toml")]
    contenders: Vec<String>,
    /// How long [default: 10s; with -n: until N are done, 1h at most]
    #[arg(long, value_name = "TIME", value_parser = units::duration, help_heading = "Load")]
    duration: Option<Duration>,
    /// Stop after so many requests
    #[arg(short = 'n', long, value_name = "N", value_parser = operations, help_heading = "Load")]
    operations: Option<u64>,
    // Refused, and by what it is for.
    #[arg(long, hide = true, value_name = "FACTOR=N,N,…", value_parser = sweep::parse)]
    sweep: Option<SweepAsked>,
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

fn operations(text: &str) -> Result<u64, String> {
    match units::count(text)? {
        0 => Err("at least one request".to_owned()),
        count => Ok(count),
    }
}

pub(super) fn perform(args: &RunArgs) -> Result<Exit, Error> {
    let mut spec = Spec::new(Command::Run, args.contenders.clone());
    spec.duration = args.duration;
    spec.operations = args.operations;
    spec.sweep.clone_from(&args.sweep);
    args.load.fill(&mut spec);
    args.request.fill(&mut spec.common)?;
    args.workload.fill(&mut spec);
    args.target.fill(&mut spec)?;
    conduct::perform(&spec, &args.output)
}
