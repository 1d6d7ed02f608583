//! Options of a comparison of revisions, and the building of its sides.

use super::{conduct, outputs};
use crate::plan::against::{Against, Building, RevisionExperiment};
use crate::plan::{self, Inputs, Spec};
use crate::system::signals;
use crate::targets::revisions::BuiltSnapshot;
use protocol::Error;
use text::shown::shown_sentence;

#[derive(clap::Args)]
#[command(next_help_heading = "Targets")]
pub(super) struct AgainstOptions {
    /// Compare FILE.toml's contender, built from REV, with the working tree's
    ///
    /// REV is any commit that git knows, such as v1.4 or HEAD~1; REV... is its merge base with HEAD. The
    /// contenders are called `old` (with several --against `old-1`, `old-2`, …) and `new`. Each is built in
    /// the same way, in a snapshot of its own with empty build caches; `new` is HEAD with uncommitted changes
    /// and files that are neither tracked nor ignored. FILE.toml is tiebreak.toml in the root of the
    /// repository unless another one is given. What was built from a commit is kept in
    /// ~/.cache/tiebreak/revisions (`tiebreak clean` removes it).
    #[arg(long = "against", value_name = "REV")]
    revisions: Vec<String>,
    /// The contender of the file that is built, if the file has several
    #[arg(long, value_name = "NAME", requires = "revisions", hide_short_help = true)]
    contender: Option<String>,
    /// Use the experiment file of each revision, not today's; requires --allow-file
    #[arg(long, requires = "revisions", hide_short_help = true)]
    their_experiment: bool,
    /// Build each side N times, and take each build as one replicate
    ///
    /// The layout of a program changes with every build that is told to change it, and moves its speed by
    /// itself. `build` gets TIEBREAK_REBUILD=1 … N in its environment; `tiebreak help revisions` has what
    /// to do with it in Go, C, C++ and Rust. A server is launched once from each build, and a
    /// program has one round with each.
    #[arg(long, value_name = "N", requires = "revisions", hide_short_help = true)]
    rebuilds: Option<u32>,
}

impl AgainstOptions {
    pub(super) fn fill(&self, spec: &mut Spec) {
        spec.against = Against {
            revisions: self.revisions.clone(),
            contender: self.contender.clone(),
            is_their_experiment: self.their_experiment,
            rebuilds: self.rebuilds,
        };
    }
}

/// Refuses agents: what is built here is not on their machines.
pub(super) fn refuse_agents(spec: &Spec) -> Result<(), Error> {
    if spec.against.revisions.is_empty() {
        return Ok(());
    }
    Err(Error::usage(
        "--against builds on this machine, and agents drive from others: --agents is not supported with it yet",
    ))
}

/// What a spec names: with --against after every side was built. The snapshots must live until the run ends.
pub(super) fn read(spec: &Spec, quiet: bool) -> Result<(Inputs, Vec<BuiltSnapshot>), Error> {
    if spec.against.revisions.is_empty() {
        return Ok((plan::read(spec)?, Vec::new()));
    }
    let experiment = RevisionExperiment::read(spec)?;
    let sides = experiment.sides(&spec.against.revisions)?;
    // What is wrong with the comparison is said before anything is built, which may take minutes.
    conduct::settle_read(spec, experiment.unbuilt(&sides, spec.against.rebuilds)?)?;
    let _stop = conduct::catch_signals()?;
    let tell = |text: &str| {
        if !quiet {
            outputs::complain(&shown_sentence(text));
        }
    };
    let building = Building { stopped: &signals::caught, tell: &tell };
    experiment.build(&sides, spec.against.rebuilds, &building).map_err(|failed| failed.error)
}
