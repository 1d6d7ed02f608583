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

/// The search that was typed.
pub(super) struct Typed<'a> {
    args: &'a BisectArgs,
    /// Whether flags of the load or of targets were typed.
    has_more: bool,
}

/// What differs between the commands: all other words are those that were typed.
struct Words<'a> {
    ends: [&'a str; 2],
    out: Option<&'a str>,
    improvement: bool,
    paths: &'a [String],
}

impl<'a> Typed<'a> {
    /// # Errors
    /// If the flags are not valid.
    pub(super) fn of(args: &'a BisectArgs) -> Result<Typed<'a>, Error> {
        Ok(Typed { args, has_more: has_more(args)? })
    }

    /// The command as it was typed, with the directory of the search.
    pub(super) fn with(&self, directory: &Path) -> String {
        let out = directory.display().to_string();
        self.in_words(&Words { out: Some(&out), ..self.words() })
    }

    /// What another search finds that says more than this one, and its command. None if there is none.
    pub(super) fn next(&self, record: &Bisection) -> Option<String> {
        let typed = self.words();
        let (words, finds) = match report::bisect::next(record)? {
            Next::OtherDirection => (
                Words { improvement: !typed.improvement, ..typed },
                if typed.improvement { "what made it dearer" } else { "what made it cheaper" },
            ),
            Next::AllBetween(before, last) => {
                let ends = [before, last].map(|commit| commit.short.as_str());
                (Words { ends, paths: &[], ..typed }, "which of these commits it is")
            }
        };
        Some(format!("{finds}: {}", self.in_words(&words)))
    }

    fn words(&self) -> Words<'a> {
        let BisectArgs { good, bad, improvement, paths, .. } = self.args;
        Words { ends: [good, bad], out: None, improvement: *improvement, paths }
    }

    /// Flags of the load are not repeated, because their values may be secret.
    fn in_words(&self, of: &Words<'_>) -> String {
        let args = self.args;
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
        let words: Vec<String> =
            words.into_iter().map(|word| shown(quote_if_needed(word))).collect();
        let others = if self.has_more { ", with its other flags as they were" } else { "" };
        format!("`{}`{others}", words.join(" "))
    }
}

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
