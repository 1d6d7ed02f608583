//! `tiebreak plan`.

use super::compare::{self, CompareArgs};
use crate::cli::outputs::Copies;
use crate::cli::{against, conduct, outputs};
use crate::plan::length::rule::OVERHEAD;
use crate::plan::{Inputs, Spec, suite, sweep};
use crate::run::judging::Judged;
use crate::run::runner::Reporting;
use crate::targets::launch::OwnDirectory;
use judge::verdict::{ContenderSummary, Suite, Weight};
use protocol::{Error, Exit};
use record::{EndReason, LengthRule, PilotChoice, Plan, SecondStage};
use serde_json::{Value, json};
use text::shown::{shown, shown_sentence};
use text::units::{show_counted, show_ns, show_percent, show_whole_seconds};

/// The examples at the end of its help.
const EXAMPLES: &str = "\
Examples:
  tiebreak plan old=http://127.0.0.1:8080/ new=http://127.0.0.1:8081/ --see 2%
      how many rounds it takes to call a true difference of 2 %, and how long that is
  tiebreak plan experiments/http-servers.toml --within 10min
      what a comparison of ten minutes can see";

/// Name of the JSON schema: `schema/plan.v1.json`.
const SCHEMA: &str = "tiebreak.plan/1";
/// The chance with which a true difference is called.
const CHANCE: f64 = 0.8;
/// The most cases of a suite that are named on the terminal without --verbose.
const MOST_NAMES: usize = 20;
const SECOND: u64 = 1_000_000_000;

/// Find out how long a comparison must be to see a given difference
///
/// Takes the arguments of `tiebreak compare`, with --see or --within. It drives the pilot and a first
/// stage of ten rounds or launches (more for many comparisons), and prints how many a comparison needs and how
/// long it takes. Of a suite it names the cases, by one run of each program (the first 20, or all with
/// --verbose and in --json FILE). With --within it also runs each case alone, where the command selects
/// cases. It leaves no directory. `tiebreak compare` with the same words does what was planned.
/// `tiebreak check` prints every setting, and drives nothing.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct PlanArgs {
    #[command(flatten)]
    compare: CompareArgs,
}

pub(in crate::cli) fn perform(args: &PlanArgs) -> Result<Exit, Error> {
    let output = &args.compare.output;
    let unused = [
        (output.out.is_some(), "--out"),
        (output.html.is_some(), "--html"),
        (output.markdown.is_some(), "--markdown"),
        (output.junit.is_some(), "--junit"),
        (args.compare.agents.share(), "--agents"),
    ];
    if let Some((_, flag)) = unused.iter().find(|(is_given, _)| *is_given) {
        return Err(Error::usage(format!(
            "{flag}: `tiebreak plan` drives from this machine and leaves only its answer, on standard output \
             or in --json FILE: leave it out"
        )));
    }
    // Checked before anything is driven.
    let copies = output.copies()?;
    let mut spec = compare::spec(&args.compare)?;
    spec.run.requirements.clear();
    let (inputs, _snapshots) = against::read(&spec, output.quiet)?;
    refuse_sweep(&spec, &inputs)?;
    let resolved = conduct::settle_read(&spec, inputs)?;
    if resolved.plan.question.seeks_capacity() {
        return Err(Error::usage(
            "`tiebreak plan` does not plan a search for capacities: its length is fixed, and `tiebreak check` \
             says how long it takes",
        ));
    }
    let is_suite = resolved.plan.question.is_suite;
    let rule = &resolved.plan.question.length;
    if !is_suite && !matches!(rule, LengthRule::See(_) | LengthRule::WithinNs(_)) {
        return Err(Error::usage(
            "say what to plan for: --see 2% (how long a comparison must be to see 2 %), or --within 2min \
             (what a comparison of two minutes can see)",
        ));
    }
    let scratch = OwnDirectory::create(&std::env::temp_dir(), "plan").map_err(|error| {
        Error::failed(format!("no temporary directory can be created: {error}"))
    })?;
    let run = scratch.path().join("run");
    let (out, quiet, no_cache) = (Some(run.as_path()), output.quiet, output.no_cache);
    let reporting = Reporting { out, quiet, no_cache, only_first_stage: true };
    let (_, judged) = conduct::measure(&resolved, reporting, None)?;
    if is_suite {
        let is_least = rule.within_ns().is_none() && suite::is_case_by_case(&resolved.accesses);
        let most = if output.verbose { usize::MAX } else { MOST_NAMES };
        return plan_of_suite(&judged, &copies, is_least, most);
    }
    let answer = Answer::of(&judged)?;
    copies.write_with(|_| format!("{:#}\n", answer.json()))?;
    outputs::print_beside_copies(&copies, |_| answer.text())?;
    Ok(Exit::Sound)
}

/// Says which cases a suite has, at most so many of them on the terminal, and how long its rounds take, which one run
/// of each program has shown. `is_least` says whether they may take longer.
fn plan_of_suite(
    judged: &Judged,
    copies: &Copies,
    is_least: bool,
    most_names: usize,
) -> Result<Exit, Error> {
    if let Some(failure) = judged.failure() {
        return Err(Error { exit: judged.exit(), text: shown(failure) });
    }
    let (Some(pilot), Some(suite)) = (&judged.pilot, judged.verdict().suite()) else {
        return Err(Error {
            exit: Exit::Void,
            text: "stopped before the cases were listed".to_owned(),
        });
    };
    let sentences = pilot.why.iter().map(|sentence| shown_sentence(sentence) + "\n");
    let text = sentences.chain(case_lines(suite, most_names)).collect::<String>();
    copies.write_with(|_| {
        format!("{:#}\n", suite_json(&judged.header.plan, pilot, suite, is_least))
    })?;
    outputs::print_beside_copies(copies, |_| text.clone())?;
    Ok(Exit::Sound)
}

/// A heading, a line for each of the first cases, and one that says how many others there are.
fn case_lines(suite: &Suite, most: usize) -> Vec<String> {
    let names = suite.cases.iter().take(most);
    let names = names.map(|case| format!("  {}\n", shown(&case.name)));
    let mut lines: Vec<String> = std::iter::once("cases:\n".to_owned()).chain(names).collect();
    if let others @ 1.. = suite.cases.len().saturating_sub(most) {
        lines.push(format!("  and {others} more, which --verbose names\n"));
    }
    lines
}

/// The plan of a suite. What rounds of one case would see is not known before they were driven.
fn suite_json(plan: &Plan, pilot: &PilotChoice, suite: &Suite, is_least: bool) -> Value {
    let rounds = pilot.rounds.unwrap_or(plan.rounds);
    let round_ns = pilot.round_ns.saturating_mul(plan.contenders.len() as u64);
    let takes_ns = round_ns.saturating_mul(rounds.into());
    let mut plan = plan_json(plan, rounds, pilot.round_ns, takes_ns);
    plan["takes_at_least"] = is_least.into();
    plan["cases"] = suite.cases.iter().map(|case| case.name.as_str()).collect();
    plan["left_out"] = json!(suite.left_out);
    plan
}

/// A plan of so many replicates, of which nothing is known but how long they take.
fn plan_json(plan: &Plan, replicates: u32, round_ns: u64, takes_ns: u64) -> Value {
    let question = &plan.question;
    let seconds = |ns: u64| ns as f64 / SECOND as f64;
    json!({
        "schema": SCHEMA,
        "version": env!("CARGO_PKG_VERSION"),
        "contenders": question.names(),
        "see": question.length.see(),
        "within": question.length.within_ns().map(seconds),
        "replicate": if question.restarts > 0 { "launch" } else { "round" },
        "replicates": replicates,
        "rounds_of_a_launch": question.rounds_of_a_launch(),
        "round": seconds(round_ns),
        "takes": seconds(takes_ns),
        "takes_at_least": false,
        "cases": null,
        "left_out": null,
        "deviation": null,
        "sees": null,
        "chance": CHANCE,
    })
}

/// Refuses load points, each of which would need a length of its own.
fn refuse_sweep(spec: &Spec, inputs: &Inputs) -> Result<(), Error> {
    let Some(sweep) = sweep::in_words(spec, inputs) else { return Ok(()) };
    Err(Error::usage(format!(
        "`tiebreak plan` finds the length of one comparison, and a sweep holds several: leave out {sweep}"
    )))
}

/// How long a comparison must be, and what it sees.
struct Answer<'a> {
    plan: &'a Plan,
    stage: SecondStage,
    /// How long each contender is driven in a round.
    round_ns: u64,
    /// How long the whole comparison takes, in nanoseconds.
    takes_ns: u64,
}

impl<'a> Answer<'a> {
    /// # Errors
    /// If the first stage failed, was stopped, or the audit refused it.
    fn of(judged: &'a Judged) -> Result<Answer<'a>, Error> {
        if let Some(failure) = judged.failure() {
            return Err(Error { exit: judged.exit(), text: shown(failure) });
        }
        let void = |text: String| Error { exit: Exit::Void, text };
        let (Some(stage), Some(pilot)) = (judged.stage, &judged.pilot) else {
            let end = judged.report_input().end;
            let is_complete = end.is_some_and(|end| end.reason == EndReason::Complete);
            let why = if is_complete {
                "no two contenders have figures in all rounds of the first stage: `tiebreak compare` says \
                 why not"
            } else {
                "stopped before the end of the first stage: nothing was planned"
            };
            return Err(void(why.to_owned()));
        };
        let verdict = judged.verdict();
        let refused = verdict.findings().iter().find(|finding| finding.weight == Weight::Void);
        if let Some(finding) = refused {
            let (rule, evidence) = (shown(&finding.rule), shown_sentence(&finding.evidence));
            return Err(void(format!(
                "the audit refused the first stage: {rule}: {evidence}; {}",
                shown_sentence(&finding.hint)
            )));
        }
        let plan = &judged.header.plan;
        let takes_ns = takes_ns(plan, pilot, verdict.contenders());
        Ok(Answer { plan, stage, round_ns: pilot.round_ns, takes_ns })
    }

    /// `11 rounds of 1 s`, or `10 launches of 2 rounds of 500 ms`.
    fn replicates(&self) -> String {
        let round = show_ns(self.round_ns);
        let number = self.stage.replicates.into();
        match self.plan.question.rounds_of_a_launch() {
            None => format!("{} of {round} each", show_counted(number, "round")),
            Some(each) => format!(
                "{} of each, with {} of {round}",
                show_counted(number, "launch"),
                show_counted(each.into(), "round")
            ),
        }
    }

    fn text(&self) -> String {
        let takes = show_whole_seconds(self.takes_ns);
        let of_length = format!("{}: {takes}", self.replicates());
        let (see, sees) = (self.plan.question.length.see(), show_percent(self.stage.sees));
        let what = match see {
            Some(see) if self.stage.sees > see => format!(
                "too few for {}, and the most that there may be; with a chance of 80 % to call a true {sees}",
                show_percent(see)
            ),
            Some(see) => format!("with a chance of 80 % to call a true {}", show_percent(see)),
            None => format!("with a chance of 80 % to call a true {sees}"),
        };
        format!("{of_length}; {what}\n")
    }

    fn json(&self) -> Value {
        let SecondStage { replicates, deviation, sees } = self.stage;
        let mut plan = plan_json(self.plan, replicates, self.round_ns, self.takes_ns);
        plan["deviation"] = json!(deviation);
        plan["sees"] = sees.into();
        plan
    }
}

/// About how long the comparison takes, with warm-up, pilot, launches, loads and the last replies of slices.
fn takes_ns(plan: &Plan, pilot: &PilotChoice, contenders: &[ContenderSummary]) -> u64 {
    let question = &plan.question;
    let warm_up_ns = pilot.warm_up_ns.unwrap_or(plan.warm_up_ns);
    let of_plan = Plan { warm_up_ns, round_ns: pilot.round_ns, ..plan.clone() };
    let slices = pilot.round_ns.div_ceil(pilot.slice_ns.max(1)).saturating_mul(plan.rounds.into());
    let drains_ns: u64 = pilot.saw.iter().map(|seen| seen.p50_ns.saturating_mul(slices)).sum();
    let launch_s = contenders.iter().map(|of| {
        let loaded = of.store.as_ref().and_then(|store| store.loaded.as_ref());
        let load_s = loaded.map_or(0.0, |loaded| loaded.whole_ns() as f64 / SECOND as f64);
        of.target.launch_took.unwrap_or(0.0) + load_s
    });
    let launches = question.restarts.max(1);
    // Later launches are warmed up, too.
    let warm_ups_ns =
        warm_up_ns.saturating_mul((contenders.len() as u64) * u64::from(launches - 1));
    let launches_ns = launch_s.sum::<f64>() * f64::from(launches) * SECOND as f64;
    let parts_ns = of_plan.least_ns().saturating_add(drains_ns).saturating_add(warm_ups_ns);
    ((parts_ns as f64 + launches_ns) * OVERHEAD) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{self, Command};
    use std::fs;

    #[test]
    fn a_sweep_is_refused_where_it_is_written() {
        let scratch = crate::scratch::Scratch::new();
        let refused = |in_file: &str, typed: Option<&str>| {
            let file = scratch.path().join("e.toml");
            let servers = "[contender.a]\nurl = 'http://127.0.0.1:1/'\n\
                           [contender.b]\nurl = 'http://127.0.0.1:2/'\n";
            fs::write(&file, format!("{in_file}\n{servers}")).expect("a file");
            let mut spec = Spec::new(Command::Compare, vec![file.display().to_string()]);
            spec.allow_file = true;
            spec.sweep =
                typed.map(|text| plan::settings::sweep_settings::parse(text).expect("a sweep"));
            let inputs = plan::read(&spec).expect("a good file");
            refuse_sweep(&spec, &inputs).map_err(|error| error.text)
        };
        assert_eq!(refused("", None), Ok(()));
        let of_flag = refused("see = '2%'", Some("connections=1,8")).expect_err("a sweep");
        assert!(of_flag.ends_with("a sweep holds several: leave out --sweep"), "{of_flag}");
        let of_file = refused("sweep = { connections = [1, 8] }", None).expect_err("a sweep");
        assert!(of_file.ends_with("leave out the sweep in the experiment file"), "{of_file}");
    }
}
