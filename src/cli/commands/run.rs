//! `tiebreak run`.

use crate::cli::flags::{Flags, RUN};
use crate::cli::options::{OutputOptions, TargetOptions, with_keys};
use crate::cli::{against, conduct, outputs};
use crate::plan::settings::sweep_settings;
use crate::plan::settings::sweep_settings::SweepSettings;
use crate::plan::{Command, Spec};
use protocol::{Error, Exit};

const EXAMPLES: &str = "\
Examples:
  tiebreak run http://127.0.0.1:8080/ --duration 10s
      as many requests as the server answers on 64 connections
  tiebreak run http://127.0.0.1:8080/ --rate 1000/s --connections 10
      response times at 1000 requests a second, counted from when each was due
  tiebreak run nginx
      a server that tiebreak launches itself (see `tiebreak recipes`)
  tiebreak run http://127.0.0.1:8080/ -n 10k -c 1
      10,000 requests, one after the other
  tiebreak run nginx --sweep connections=1,4,16,64
      from how many connections on more of them gain little, and what they cost in latency";

/// Drive one contender without interruption, with the same audit
///
/// A run shows how fast one launch of a server was on this machine at that time, also with
/// --sweep. To find out whether one server is faster than another, use `tiebreak compare`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = with_keys(EXAMPLES))]
pub(in crate::cli) struct RunArgs {
    /// An address, the name of a recipe, or an experiment file with one contender
    // Several are accepted here, so that the error message is ours: that of clap would quote
    // an address, which may contain a login.
    #[arg(required = true, value_name = "[NAME=]URL|RECIPE|FILE.toml")]
    contenders: Vec<String>,
    /// Drive several load points, and show where the curve bends: connections=1,8,32,128
    ///
    /// The factor is connections, rate, value (bytes) or depth, with 2 to 16 points. Every
    /// round drives each point once, in random order. The report shows throughput, p50 and
    /// p99 of each with their intervals, and where the curve bends. The connections of all
    /// points are open at once.
    #[arg(long, value_name = "FACTOR=N,N,…", value_parser = sweep_settings::parse, hide_short_help = true)]
    sweep: Option<SweepSettings>,
    #[command(flatten)]
    flags: Flags<RUN>,
    #[command(flatten)]
    target: TargetOptions,
    #[command(flatten)]
    output: OutputOptions,
}

pub(in crate::cli) fn perform(args: &RunArgs) -> Result<Exit, Error> {
    let mut spec = Spec::new(Command::Run, args.contenders.clone());
    spec.sweep.clone_from(&args.sweep);
    args.flags.fill(&mut spec)?;
    args.target.fill(&mut spec)?;
    drive(&spec, &args.output)
}

/// Performs a run, or a comparison by this process alone, and reports it.
pub(super) fn drive(spec: &Spec, output: &OutputOptions) -> Result<Exit, Error> {
    let copies = output.copies()?;
    // The snapshots are removed when the run has ended.
    let (inputs, _snapshots) = against::read(spec, output.quiet)?;
    let resolved = conduct::settle_read(spec, inputs)?;
    let measured = conduct::measure(&resolved, output.reporting(), None)?;
    outputs::publish(&measured, &copies, output.verbose)
}
