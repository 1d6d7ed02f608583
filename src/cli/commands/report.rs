//! `tiebreak report`.

use crate::cli::outputs;
use crate::cli::outputs::{Copies, Format, PageArgs};
use clap::ValueHint;
use protocol::{Error, Exit};
use std::io::IsTerminal;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  tiebreak report
      the newest run in tiebreak-runs/
  tiebreak report tiebreak-runs/20261122T000649Z-1a2b3c4d
  tiebreak report tiebreak-runs/20261122T000649Z-1a2b3c4d --verbose
  tiebreak report tiebreak-runs/20261122T000649Z-1a2b3c4d --json | jq .comparisons
  tiebreak report tiebreak-runs/20261122T000649Z-1a2b3c4d --html report.html
  tiebreak report tiebreak-runs/20261122T000649Z-1a2b3c4d --markdown | gh pr comment 7 -F -";

/// Show the report of a run again, from its journal
///
/// The journal is judged again. On any machine the same version of tiebreak gives the same
/// report, byte for byte. The exit code is that of the run.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct ReportArgs {
    /// Directory of the run [default: the newest in tiebreak-runs/]
    #[arg(value_name = "RUN", value_hint = ValueHint::DirPath)]
    run: Option<PathBuf>,
    /// Print the full report, not only what fits on one screen
    #[arg(long)]
    verbose: bool,
    #[command(flatten)]
    pages: PageArgs,
    /// Write JUnit XML for CI, to this file or to standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(num_args = 0..=1, default_missing_value = "-")]
    junit: Option<PathBuf>,
}

pub(in crate::cli) fn perform(args: &ReportArgs) -> Result<Exit, Error> {
    let junit = (Format::Junit, args.junit.as_deref());
    let copies = Copies::checked(args.pages.formats().into_iter().chain([junit]))?;
    let detail = outputs::detail(args.verbose);
    let to_terminal = std::io::stdout().is_terminal();
    let judged = outputs::recorded(args.run.as_deref())?;
    if copies.any() {
        copies.write(&judged)?
    } else {
        outputs::print(&outputs::terminal(&judged, to_terminal, detail))?
    }
    Ok(judged.exit())
}
