//! From a journal to a verdict. A run that has just ended and one of last year take the same path,
//! so both produce the same report byte for byte, and nothing is judged during the measurement.

use crate::plan::question::require::Requirement;
use crate::run::journal;
use crate::run::journal::Reader;
use crate::system::exit;
use judge::Judge;
use judge::growth::{self, Growth};
use judge::objectives;
use judge::verdict::{CapacityOutcome, Checked, Finding, RequirementStatus, Suite, Verdict};
use protocol::{Error, Exit};
use record::{End, EndReason, Event, Header, Phase, PilotChoice, Plan, SecondStage, SingleRun};
use report::ReportInput;
use std::fs;
use std::path::{Path, PathBuf};
use text::shown::shown;

#[cfg(test)]
pub(crate) mod example;

/// A judged journal.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Its header; the plan is that which the pilot and a first stage have completed.
    pub header: Header,
    /// What the pilot chose.
    pub pilot: Option<PilotChoice>,
    /// What the first stage showed. None if the run has no second one, or ended before.
    pub stage: Option<SecondStage>,
    end: Option<End>,
    verdict: Verdict,
    checked: Vec<Checked>,
    growth: Option<Growth>,
    single_runs: Vec<SingleRun>,
    run: String,
    /// What was ignored in the journal.
    pub note: Option<String>,
    /// Trials of any phase.
    pub trials: u64,
    /// Trials of the rounds.
    pub driven: u64,
}

impl Judged {
    /// The run in the form that the report needs.
    pub fn report_input(&self) -> ReportInput<'_> {
        ReportInput {
            header: &self.header,
            pilot: self.pilot.as_ref(),
            end: self.end.as_ref(),
            verdict: &self.verdict,
            run: &self.run,
            journal_note: self.note.clone(),
            checked: &self.checked,
            growth: self.growth.as_ref(),
            single_runs: &self.single_runs,
        }
    }

    /// The judge's verdict.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// How the run exits.
    pub fn exit(&self) -> Exit {
        let met = self.checked.iter().all(|checked| checked.status == RequirementStatus::Met);
        let rounds = self.verdict.complete_rounds().max(u32::from(self.is_known_without_rounds()));
        // A void load point says nothing against the others, but a reader of the exit code alone must not miss it.
        let void = self.verdict.void_in_part();
        let of_run = exit::of_run(self.end.as_ref(), void, rounds, met);
        let has_refused = self.verdict.ranking().is_some_and(|of| !of.not_ranked.is_empty());
        let has_failed = self.verdict.suite().is_some_and(Suite::has_failed);
        let withdrawn = |of: &Finding| of.rule == "withdrawn";
        let has_left = self.verdict.findings().iter().any(withdrawn);
        match of_run {
            // Those load points are void because their target failed.
            Exit::Void if has_left && !self.verdict.load_points().is_empty() => Exit::TargetFailed,
            // The others are ranked or compared, but one contender or case did not do what was asked.
            Exit::Sound | Exit::NotMet if has_refused || has_failed => Exit::TargetFailed,
            // So many left that nothing can be ranked.
            Exit::TargetFailed if self.verdict.ranking().is_some() && void => Exit::Void,
            other => other,
        }
    }

    /// Whether there is something to report: a round was driven, or none was needed.
    pub fn has_answer(&self) -> bool {
        self.driven > 0 || self.is_known_without_rounds()
    }

    /// Whether the search for capacities gave an answer about every contender, so that there was nothing to drive in
    /// rounds.
    fn is_known_without_rounds(&self) -> bool {
        self.verdict.contenders().iter().all(|of| {
            let outcome = of.capacity.as_ref().map(|capacity| &capacity.outcome);
            // Below 0 says only that nothing was answered in the pilot.
            matches!(outcome, Some(CapacityOutcome::Below(rate)) if *rate > 0.0)
                || matches!(outcome, Some(CapacityOutcome::AtLeast(_)))
        })
    }

    /// What ended the run, if a target or tiebreak failed.
    pub fn failure(&self) -> Option<&str> {
        let failed = matches!(self.exit(), Exit::TargetFailed | Exit::Failed);
        // A run that was completed without a contender has said so.
        let ended = self.end.as_ref().filter(|end| failed && end.reason != EndReason::Complete);
        ended.map(|end| end.detail.as_str())
    }
}

/// Reads and judges a run: its directory, or its journal.
///
/// # Errors
/// If the run does not exist, or if its journal cannot be read.
pub fn read(run: &Path) -> Result<Judged, Error> {
    read_with(run, |_| ()).map(|(judged, ())| judged)
}

/// Reads and judges a run, and asks its judge something else before the verdict.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_with<T>(
    run: &Path,
    ask: impl FnOnce(&Judge) -> T,
) -> Result<(Judged, T), Error> {
    let (run, file) = find(run)?;
    let mut reader = Reader::open(&file)?;
    let Some(Event::Header(mut header)) = reader.next_event()? else {
        return Err(Error::failed(format!(
            "{}: the journal has no header",
            shown(file.display().to_string())
        )));
    };
    if let Some(sweep) = &header.plan.sweep {
        // Journals of earlier versions leave them out of the question.
        header.plan.question.load_points = sweep.names();
    }
    let mut judge = Judge::new(&header.plan.question);
    let (mut pilot, mut stage, mut end, mut single_runs) = (None, None, None, Vec::new());
    let (mut trials, mut driven) = (0, 0);
    while let Some(event) = reader.next_event()? {
        match event {
            Event::Header(_) => unreachable!("the reader takes a header in line 1 alone"),
            Event::Target(ready) => judge.target(&ready),
            Event::Store(store) => judge.store(&store),
            Event::Loaded(loaded) => judge.loaded(&loaded),
            Event::OwnCost(kept) => judge.own_cost(&kept),
            Event::TargetDone(done) => judge.target_done(&done),
            Event::Pilot(choice) => {
                judge.pilot(&choice);
                header.plan = header.plan.with_choice(&choice);
                pilot = Some(choice);
            }
            Event::SecondStage(shown) => {
                judge.second_stage(&shown);
                header.plan = header.plan.with_replicates(shown.replicates);
                stage = Some(shown);
            }
            Event::Trial(trial) => {
                judge.add(&trial);
                trials += 1;
                driven += u64::from(trial.phase == Phase::Round);
            }
            // They describe the record and change no verdict: trials have what the audit needs.
            Event::Agents(_) | Event::Clocks(_) => {}
            Event::SingleRun(run) => single_runs.push(run),
            Event::Cases(cases) => {
                judge.cases(&cases);
                header.plan = header.plan.with_replicates(cases.replicates);
            }
            Event::Withdrawn(of) => judge.withdrawn(&of),
            Event::End(how) => {
                judge.end(&how);
                end = Some(how);
            }
        }
    }
    let notes = reader.notes();
    let asked = ask(&judge);
    let verdict = judge.verdict();
    let judged = Judged {
        checked: check(&header.plan, &verdict),
        growth: growth::of_run(&header.plan, &verdict),
        single_runs,
        header: *header,
        pilot,
        stage,
        end,
        verdict,
        run: run.display().to_string(),
        note: (!notes.is_empty()).then(|| notes.join("; ")),
        trials,
        driven,
    };
    Ok((judged, asked))
}

/// Checks each requirement of the plan against everything that it covers. A journal may contain one
/// that only another version of tiebreak can read; it cannot be checked, and the report says why.
fn check(plan: &Plan, verdict: &Verdict) -> Vec<Checked> {
    let checked = |text: &String| match Requirement::parse(text, &plan.question) {
        Ok(requirement) => {
            requirement.check(verdict.comparisons(), verdict.findings(), verdict.suite())
        }
        Err(why) => vec![Checked {
            requirement: text.clone(),
            a: String::new(),
            b: String::new(),
            status: RequirementStatus::Undetermined,
            why: format!("this version of tiebreak cannot read it: {why}"),
        }],
    };
    let required = plan.requirements.iter().flat_map(checked);
    required.chain(check_objectives(plan, verdict)).collect()
}

/// Checks the objectives of a rate. Empty if there are none, or a capacity was sought.
fn check_objectives(plan: &Plan, verdict: &Verdict) -> Vec<Checked> {
    if plan.question.seeks_capacity() {
        return Vec::new();
    }
    let each = verdict.contenders().iter();
    let of = |contender| {
        plan.question.objectives.iter().map(move |of| objectives::check(*of, contender))
    };
    each.flat_map(of).collect()
}

/// The file with which earlier versions began the directory of a sweep, whose load points were runs of their own.
pub(crate) const OLD_SWEEP: &str = "sweep.json";

/// Says how to read the load points of a sweep of an earlier version.
fn old_sweep(run: &Path) -> Error {
    let path = |of: &Path| shown(of.display().to_string());
    let entries = fs::read_dir(run).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut parts: Vec<PathBuf> =
        entries.filter(|part| part.join(journal::FILE).is_file()).collect();
    parts.sort();
    let each: Vec<String> =
        parts.iter().map(|part| format!("\n  tiebreak report {}", path(part))).collect();
    let how = if each.is_empty() { " none was driven" } else { "" };
    Error::usage(format!(
        "{} is a sweep of an earlier version of tiebreak, in which each load point is a run of its own; \
         read them one by one:{how}{}",
        path(run),
        each.concat()
    ))
}

fn find(run: &Path) -> Result<(PathBuf, PathBuf), Error> {
    let path = shown(run.display().to_string());
    if run.is_dir() {
        let file = run.join(journal::FILE);
        return if file.exists() {
            Ok((run.to_owned(), file))
        } else if run.join(OLD_SWEEP).is_file() {
            Err(old_sweep(run))
        } else {
            Err(Error::usage(format!(
                "{path} does not contain {}: pass the directory of a run, such as one under \
                 tiebreak-runs/",
                journal::FILE
            )))
        };
    }
    if run.exists() {
        let directory = run.parent().filter(|directory| *directory != Path::new(""));
        Ok((directory.unwrap_or(Path::new(".")).to_owned(), run.to_owned()))
    } else {
        Err(Error::usage(format!(
            "the run {path} was not found: pass the directory of a run, such as one under \
             tiebreak-runs/"
        )))
    }
}

#[cfg(test)]
mod tests;
