//! The commands that go on with a search, or say more than it.

use super::BisectArgs;
use crate::plan::settings::declared::Declared;
use crate::plan::{Command, RunSettings, Settings, Spec, WorkloadSettings};
use protocol::Error;
use protocol::address::tls::Trust;
use report::bisect::{Bisection, Next};
use std::path::Path;
use text::shell_words::quote_if_needed;
use text::shown::shown;

/// What differs between the commands: all other words are those that were typed.
struct Words<'a> {
    ends: [&'a str; 2],
    out: Option<&'a str>,
    improvement: bool,
    paths: &'a [String],
}

/// The command as it was typed, with the directory of the search.
///
/// # Errors
/// If the flags are not valid.
pub(super) fn command(args: &BisectArgs, directory: &Path) -> Result<String, Error> {
    let out = directory.display().to_string();
    in_words(args, &Words { out: Some(&out), ..typed(args) })
}

/// The command of another search that says more than this one, and what it finds. None if there is none.
///
/// # Errors
/// If the flags are not valid.
pub(super) fn next(args: &BisectArgs, record: &Bisection) -> Result<Option<String>, Error> {
    let typed = typed(args);
    let (words, finds) = match report::bisect::next(record) {
        None => return Ok(None),
        Some(Next::OtherDirection) => (
            Words { improvement: !typed.improvement, ..typed },
            if typed.improvement { "what made it dearer" } else { "what made it cheaper" },
        ),
        Some(Next::AllBetween(before, last)) => {
            let ends = [before, last].map(|commit| commit.short.as_str());
            (Words { ends, paths: &[], ..typed }, "which of these commits it is")
        }
    };
    Ok(Some(format!("{finds}: {}", in_words(args, &words)?)))
}

fn typed(args: &BisectArgs) -> Words<'_> {
    let BisectArgs { good, bad, improvement, paths, .. } = args;
    Words { ends: [good, bad], out: None, improvement: *improvement, paths }
}

/// Flags of the load are not repeated, because their values may be secret.
fn in_words(args: &BisectArgs, of: &Words<'_>) -> Result<String, Error> {
    let mut words = vec!["tiebreak", "bisect"];
    words.extend(of.ends);
    words.extend(args.file.as_deref());
    let options = [
        ("--out", of.out),
        ("--contender", args.contender.as_deref()),
        ("--case", args.case.as_deref()),
    ];
    for (flag, value) in options {
        words.extend(value.into_iter().flat_map(|value| [flag, value]));
    }
    words.extend(of.improvement.then_some("--improvement"));
    words.extend(args.skip.iter().flat_map(|revision| ["--skip", revision.as_str()]));
    if !of.paths.is_empty() {
        words.push("--");
        words.extend(of.paths.iter().map(String::as_str));
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
