//! The command that goes on with a search.

use super::BisectArgs;
use crate::plan::settings::declared::Declared;
use crate::plan::{Command, RunSettings, Settings, Spec, WorkloadSettings};
use protocol::Error;
use protocol::address::tls::Trust;
use std::path::Path;
use text::shell_words::quote_if_needed;
use text::shown::shown;

/// The command as it was typed, with the directory of the search. Flags of the load are not repeated, because their
/// values may be secret.
///
/// # Errors
/// If the flags are not valid.
pub(super) fn command(args: &BisectArgs, directory: &Path) -> Result<String, Error> {
    let mut words = vec!["tiebreak", "bisect", &args.good, &args.bad];
    words.extend(args.file.as_deref());
    let out = directory.display().to_string();
    words.extend(["--out", &out]);
    let options = [("--contender", &args.contender), ("--case", &args.case)];
    for (flag, value) in options {
        words.extend(value.iter().flat_map(|value| [flag, value.as_str()]));
    }
    words.extend(args.improvement.then_some("--improvement"));
    words.extend(args.skip.iter().flat_map(|revision| ["--skip", revision.as_str()]));
    if !args.paths.is_empty() {
        words.push("--");
        words.extend(args.paths.iter().map(String::as_str));
    }
    let words: Vec<String> = words.into_iter().map(|word| shown(quote_if_needed(word))).collect();
    let others = if has_more(args)? { ", with its other flags as they were" } else { "" };
    Ok(format!("`{}`{others}", words.join(" ")))
}

/// Whether flags of the load or of targets were typed.
fn has_more(args: &BisectArgs) -> Result<bool, Error> {
    let mut typed = Spec::new(Command::Compare, Vec::new());
    args.flags.fill(&mut typed)?;
    args.target.fill(&mut typed)?;
    let Spec { common, run, workload, scale, sets, connect_to, trust, .. } = &typed;
    let is_set = Settings::table().any(|row| row.is_given(common))
        || RunSettings::table().any(|row| row.is_given(run))
        || WorkloadSettings::table().any(|row| row.is_given(workload));
    let allows = typed.allow_public || typed.allow_destructive || typed.allow_file;
    let is_of_targets = scale.is_some() || !sets.is_empty() || !connect_to.is_empty();
    Ok(is_set || allows || is_of_targets || *trust != Trust::default())
}
