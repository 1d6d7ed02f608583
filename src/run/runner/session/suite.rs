//! The cases of a suite: their listing, and their rounds.

use super::{Drive, RunSession, everyone};
use crate::plan::length::rule::OVERHEAD;
use crate::plan::question::require::Requirement;
use crate::plan::suite::cases;
use crate::run::runner::environment::Halt;
use crate::run::runner::orders;
use engine::interleaving::Sequence;
use record::{Cases, Event, Interleave, PilotChoice, PilotSeen, Plan, Slice, TrialRecord};
use std::io::Write;
use std::time::Duration;
use text::lists;
use text::shown::shown;
use text::units::{nanoseconds, show_counted, show_ns, show_whole_seconds};

/// If all rounds take longer than this, the run says how to make them shorter.
const LONG_NS: u64 = 60_000_000_000;
/// The most names of cases that are listed.
const MOST_NAMES: usize = 10;

/// How long a round takes.
struct RoundTime {
    ns: u64,
    /// Whether each case was run alone before. Otherwise the time of a run of all cases is known.
    of_each_case: bool,
}

impl<W: Write> RunSession<'_, W> {
    /// Runs every contender once, which lists the cases, and then drives the rounds.
    pub(super) fn suite(&mut self) -> Result<(), Halt> {
        let plan = self.plan;
        let lists = self.list_cases()?;
        let figures: Vec<_> =
            lists.iter().map(|trial| trial.seen.programs.figures.clone()).collect();
        let mut cases = cases::compared(&plan.question, &figures).map_err(Halt::Target)?;
        if let Some(why) = cases::too_few_rounds(&plan.question, &cases, plan.is_rebuilt()) {
            return Err(Halt::Usage(why));
        }
        let required = self.requirements_with_a_case(&cases)?;
        let of_all_ns = lists.iter().map(|trial| took_ns(&trial.seen.slices)).sum();
        let time = self.fit_suite_into_time(&mut cases, of_all_ns)?;
        refuse_left_out(&plan.requirements, &required, &cases)?;
        let choice = self.choice(&cases, &lists, &time);
        self.writer.write_and_sync(&Event::Cases(Box::new(cases.clone())))?;
        self.writer.write_and_sync(&Event::Pilot(choice.clone()))?;
        choice
            .why
            .iter()
            .for_each(|sentence| self.writer.progress.say(&format!("suite: {sentence}")));
        if self.only_first_stage {
            return Ok(());
        }
        let plan = &plan.clone().with_choice(&choice);
        let alone = if self.environment.runs_cases_alone() { names(&cases) } else { Vec::new() };
        let order = orders::suite(plan, alone.len());
        self.environment.set_cases(&alone)?;
        let left = Duration::from_nanos(time.ns.saturating_mul(plan.rounds.into()));
        self.writer.progress.phase("round", left, plan.rounds);
        self.drive_together(Drive::Rounds, &order, &everyone(plan))?;
        self.single_runs()
    }

    /// The requirements in their order. One about cases that there are not is refused.
    fn requirements_with_a_case(&self, cases: &Cases) -> Result<Vec<Requirement>, Halt> {
        let parsed = self.plan.requirements.iter().map(|text| {
            let requirement = Requirement::parse(text, &self.plan.question)?;
            requirement.refuse_without_case(compared(cases))?;
            Ok(requirement)
        });
        parsed.collect::<Result<_, _>>().map_err(Halt::Usage)
    }

    /// One run of all cases of each contender, in drawn order.
    fn list_cases(&mut self) -> Result<Vec<TrialRecord>, Halt> {
        let mut lists = Vec::new();
        for contender in self.drawn(Sequence::Readiness) {
            let name = &self.plan.contenders[contender].name;
            self.writer.progress.phase(&format!("listing the cases of {name}"), Duration::ZERO, 0);
            let order = orders::ready(self.plan, contender);
            let list = self.drive(Drive::FirstRequests, &order, &[contender])?.pop();
            match list.filter(|trial| !trial.seen.programs.figures.is_empty()) {
                Some(list) => lists.push(list),
                None => return Err(self.not_ready(contender, "it gave no figures")),
            }
        }
        lists.sort_by_key(|trial| trial.contender);
        Ok(lists)
    }

    /// Leaves out the cases for which the time that was given does not suffice. Returns how long a round takes.
    /// `of_all_ns` is the time of one run of all cases of each contender.
    fn fit_suite_into_time(
        &mut self,
        cases: &mut Cases,
        of_all_ns: u64,
    ) -> Result<RoundTime, Halt> {
        let within_ns = self.plan.question.length.within_ns();
        let Some(within_ns) = within_ns else {
            return Ok(RoundTime { ns: of_all_ns, of_each_case: false });
        };
        let left_ns = |this: &Self| {
            let left_ns = within_ns.saturating_sub(nanoseconds(this.began.elapsed()));
            (left_ns as f64 / OVERHEAD) as u64
        };
        if self.environment.runs_cases_alone() {
            let costs_ns = self.costs_of_cases(cases)?;
            let left_ns = left_ns(self);
            let fits = cases::fit_into(&self.plan.question, cases, costs_ns, left_ns);
            let ns =
                fits.map_err(|why| Halt::Usage(format!("--within {}: {why}", show_ns(within_ns))))?;
            return Ok(RoundTime { ns, of_each_case: true });
        }
        let needed_ns = of_all_ns.saturating_mul(cases.replicates.into());
        if needed_ns <= left_ns(self) {
            return Ok(RoundTime { ns: of_all_ns, of_each_case: false });
        }
        Err(Halt::Usage(format!(
            "--within {}: {}, of which {} is left; no case can be left out, because each run is of all cases: give more \
             time{}, or let the command select cases with {{case}}",
            show_ns(within_ns),
            self.lasts(cases, needed_ns, "about"),
            show_whole_seconds(left_ns(self)),
            self.environment
                .shorter_runs()
                .map_or(String::new(), |flags| format!(", make runs shorter ({flags})")),
        )))
    }

    /// Runs each case of each contender alone. Returns what each costs in a round of all contenders, in nanoseconds.
    fn costs_of_cases(&mut self, cases: &Cases) -> Result<Vec<u64>, Halt> {
        let names = names(cases);
        self.environment.set_cases(&names)?;
        let order = orders::suite(&Plan { rounds: 1, ..self.plan.clone() }, names.len());
        self.writer.progress.phase("timing each case", Duration::ZERO, 0);
        let trials = self.drive_together(Drive::Pilot, &order, &everyone(self.plan))?;
        let cost_ns = |at: usize| {
            trials
                .iter()
                .filter_map(|trial| trial.seen.slices.get(at))
                .map(|slice| slice.took_ns)
                .sum()
        };
        Ok((0..names.len()).map(cost_ns).collect())
    }

    /// What the listing showed, in the place of a pilot.
    fn choice(&self, cases: &Cases, lists: &[TrialRecord], time: &RoundTime) -> PilotChoice {
        let saw = lists.iter().map(|trial| PilotSeen {
            throughput: 1e9 / took_ns(&trial.seen.slices).max(1) as f64,
            ..PilotSeen::default()
        });
        let alone = self.environment.runs_cases_alone();
        // A run of one case takes longer than its share of a run of all, because the program starts anew.
        let about = if alone && !time.of_each_case { "at least" } else { "about" };
        let all_ns = time.ns.saturating_mul(cases.replicates.into());
        let mut why = vec![self.lasts(cases, all_ns, about)];
        if alone {
            why.push("contenders take turns case by case".to_owned());
        }
        let shorter_runs = self.environment.shorter_runs();
        if let Some(arguments) = shorter_runs.as_ref().filter(|_| all_ns > LONG_NS) {
            why.push(format!("runs become shorter with {arguments}"));
        }
        if !cases.left_out.is_empty() {
            why.push(format!("left out for want of time: {}", some_of(&cases.left_out)));
        }
        for only in &cases.only_in {
            why.push(format!(
                "only in {}: {}",
                self.plan.question.name_of(only.contender),
                some_of(&only.cases)
            ));
        }
        let of_each_ns = time.ns / self.plan.contenders.len().max(1) as u64;
        PilotChoice {
            interleave: Interleave::Turns,
            slice_ns: of_each_ns,
            round_ns: of_each_ns,
            burn_in_ns: vec![0; self.plan.contenders.len()],
            why,
            saw: saw.collect(),
            rounds: Some(cases.replicates),
            run_length: shorter_runs.as_deref().map(names_of_arguments),
            ..PilotChoice::default()
        }
    }

    fn lasts(&self, cases: &Cases, ns: u64, about: &str) -> String {
        format!(
            "{}, {} of {} programs: {about} {}",
            show_counted(cases.compared.len() as u64, "case"),
            show_counted(cases.replicates.into(), "round"),
            self.plan.contenders.len(),
            show_whole_seconds(ns)
        )
    }
}

/// Refuses a requirement that is about no case but those that were left out for want of time.
fn refuse_left_out(texts: &[String], required: &[Requirement], cases: &Cases) -> Result<(), Halt> {
    let mut all = texts.iter().zip(required);
    match all.find(|(_, of)| of.refuse_without_case(compared(cases)).is_err()) {
        None => Ok(()),
        Some((text, _)) => Err(Halt::Usage(format!(
            "--require '{}': what it is about was left out by --within ({}): give more time, or leave out the \
             requirement",
            shown(text),
            some_of(&cases.left_out)
        ))),
    }
}

fn compared(cases: &Cases) -> impl Iterator<Item = &str> + Clone {
    cases.compared.iter().map(|case| case.name.as_str())
}

fn names(cases: &Cases) -> Vec<String> {
    compared(cases).map(str::to_owned).collect()
}

/// The arguments without their values: `--warmup and --runs` of `--warmup 1 --runs 5 (hyperfine)`.
fn names_of_arguments(arguments: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for word in arguments.split(' ').filter(|word| word.starts_with('-')) {
        let name = word.split('=').next().unwrap_or(word);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    lists::listed(&names)
}

/// The first names, and how many others there are.
fn some_of(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(shown).collect();
    lists::first_listed(&names, MOST_NAMES, |others| format!("{others} more"))
}

fn took_ns(slices: &[Slice]) -> u64 {
    slices.iter().map(|slice| slice.took_ns).sum()
}

#[cfg(test)]
mod tests {
    use super::names_of_arguments;

    #[test]
    fn arguments_are_named_once_and_without_their_values() {
        for (arguments, names) in [
            ("-benchtime 100ms (go)", "-benchtime"),
            ("--benchmark_min_time=0.1s (google-benchmark)", "--benchmark_min_time"),
            ("--warmup 1 --runs 5 (hyperfine) and --runs 5 (other)", "--warmup and --runs"),
        ] {
            assert_eq!(names_of_arguments(arguments), names);
        }
    }
}
