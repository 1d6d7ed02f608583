//! `tiebreak load`.

use crate::cli::conduct;
use crate::cli::flags::{Flags, LOAD};
use crate::cli::help;
use crate::cli::options::{TargetOptions, with_keys};
use crate::cli::outputs;
use crate::plan::{Command, Resolved, Spec};
use crate::run::runner;
use crate::run::runner::LoadReporting;
use crate::system::signals;
use protocol::{Error, Exit};
use report::words;
use text::shown::shown;

/// The text at the end of its help.
fn after_help() -> String {
    format!("Examples:{}", help::examples("load", |examples| examples.load))
}

/// Load stores with the keys of a workload, and measure nothing
///
/// `compare` and `run` load stores themselves; this command does it ahead of time. A store
/// that still contains the keys of an earlier load is not loaded again, and an interrupted
/// load continues where it stopped: the store itself records how far it came. Takes the
/// flags of `compare`; those that do not change what is loaded (--mix, --distribution,
/// --hot) have no effect. The exit code is 3 if a store does not contain all of its keys
/// afterwards, because it had no room for them or evicted some.
#[derive(clap::Args)]
#[command(after_help = after_help(), after_long_help = with_keys(&after_help()))]
pub(in crate::cli) struct LoadArgs {
    /// Stores that run already; each gets the keys that `compare` uses for the contender
    /// in the same position
    #[arg(required = true, value_name = "[NAME=]URL")]
    contenders: Vec<String>,
    /// Write all keys, even if the store contains them already
    #[arg(long)]
    reload: bool,
    #[command(flatten)]
    flags: Flags<LOAD>,
    #[command(flatten)]
    target: TargetOptions,
    /// Show no progress on standard error
    #[arg(short, long)]
    quiet: bool,
}

pub(in crate::cli) fn perform(args: &LoadArgs) -> Result<Exit, Error> {
    let mut spec = Spec::new(Command::Load, args.contenders.clone());
    args.flags.fill(&mut spec)?;
    args.target.fill(&mut spec)?;
    let resolved = conduct::settle(&spec)?;
    check(&resolved)?;
    let stop = conduct::catch_signals()?;
    let reporting = LoadReporting { quiet: args.quiet, reload: args.reload };
    let stores = runner::load(&resolved, &stop, reporting)?;
    let mut exit = Exit::Sound;
    for (contender, store) in resolved.plan.contenders.iter().zip(&stores) {
        let outcome = match store.as_ref().filter(|store| store.loaded.is_some()) {
            Some(store) => words::store(store).join("; "),
            None => "not all of its keys are loaded".to_owned(),
        };
        outputs::print(&format!("{}: {outcome}\n", shown(&contender.name)))?;
        let sound = store.as_ref().is_some_and(words::is_loaded);
        exit = if sound { exit } else { Exit::Void };
    }
    if signals::caught() {
        outputs::complain("stopped: the next load of the same keys continues from here");
    }
    Ok(exit)
}

/// Accepts only stores that still run after the load.
fn check(resolved: &Resolved) -> Result<(), Error> {
    for contender in &resolved.plan.contenders {
        let name = shown(&contender.name);
        if !contender.launch.is_empty() {
            return Err(Error::usage(format!(
                "`{name}` would be launched, loaded and stopped: start it yourself and give its \
                 address; `tiebreak compare` and `tiebreak run` load what they launch"
            )));
        }
        if !contender.asks.is_store() {
            return Err(Error::usage(format!(
                "`{name}` is not a store: keys are loaded into caches, files and databases"
            )));
        }
    }
    Ok(())
}
