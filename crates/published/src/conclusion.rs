//! What may and may not be concluded, in one paragraph.

use crate::audit::Audit;
use crate::board::sentences;
use crate::compare::{Comparison, Word};
use crate::groups::Measure;
use crate::rules::RULES;
use crate::tools::ToolKind;
use judge::verdict::Weight;
use text::lists::listed;
use text::units::show_counted;

/// The largest number of comparisons in the paragraph.
const MOST: usize = 4;

impl Audit {
    /// States in one paragraph what may and may not be concluded.
    pub fn conclusion(&self) -> String {
        let mut sentences = sentences::conclusion(&self.lists);
        if self.runs.is_empty() && !sentences.is_empty() {
            return sentences.join(" ");
        }
        sentences.push(what_was_read(self));
        if self.runs.is_empty() {
            return sentences.remove(0);
        }
        sentences.extend(void(self));
        match self.comparisons.len() {
            0 => sentences.push(alone(self)),
            _ => sentences.extend(compared(self)),
        }
        sentences.extend(percentiles(self));
        sentences.join(" ")
    }
}

fn what_was_read(audit: &Audit) -> String {
    let mut tools: Vec<&str> = audit.runs.iter().map(|run| run.tool.name).collect();
    tools.sort_unstable();
    tools.dedup();
    if tools.is_empty() {
        return "No run of a known tool was found.".to_owned();
    }
    let runs = show_counted(audit.runs.len() as u64, "run");
    let contenders = if audit.groups.len() < audit.runs.len() {
        format!(" of {}", show_counted(audit.groups.len() as u64, "contender"))
    } else {
        String::new()
    };
    format!("The output contains {runs}{contenders}, made with {}.", listed(&tools))
}

/// Runs that did not measure a server at work.
fn void(audit: &Audit) -> Option<String> {
    let is_void = |run: &usize| audit.weight(*run) == Some(Weight::Void);
    let void = (0..audit.runs.len()).filter(is_void).count();
    let mut rules: Vec<&str> = audit
        .objections
        .iter()
        .filter(|objection| objection.weight == Weight::Void)
        .map(|objection| objection.rule)
        .collect();
    rules.dedup();
    let which = match (void, audit.runs.len()) {
        (0, _) => return None,
        (1, 1) => "It may not".to_owned(),
        (all, of) if all == of => "None of them may".to_owned(),
        (1, _) => "1 of them may not".to_owned(),
        (some, _) => format!("{some} of them may not"),
    };
    Some(format!("{which} be used for any conclusion ({}).", listed(&rules)))
}

/// The sentence if there is nothing to compare with.
fn alone(audit: &Audit) -> String {
    let of_program = audit.runs.iter().all(|run| run.tool.kind == ToolKind::Program);
    if (0..audit.runs.len()).all(|run| audit.weight(run) == Some(Weight::Void)) {
        let what = if of_program { "program" } else { "server" };
        return format!("The output does not show how fast the {what} is.");
    }
    let repeated = audit.groups.iter().any(|group| group.runs.len() > 1);
    let spread = if repeated { "" } else { "how much a second run would differ, nor " };
    let sound = audit.runs.iter().enumerate();
    let sound = sound.filter(|(at, _)| audit.weight(*at) != Some(Weight::Void));
    let mut missing: Vec<String> =
        sound.flat_map(|(_, run)| run.missing_for_conclusion()).collect();
    missing.sort_unstable();
    missing.dedup();
    let (what, any, servers) = if of_program {
        ("the printed times were measured", "a time was measured", "programs")
    } else {
        ("the printed rate was reached", "a rate was reached", "servers")
    };
    if !missing.is_empty() {
        return format!(
            "It may not be concluded that {any}, because the output does not show: {}; nor \
             {spread}which of two {servers} is faster.",
            listed(&missing)
        );
    }
    format!(
        "It may be concluded that {what} on that machine, at that time, \
         under that load. It may not be concluded {spread}which of two {servers} is faster."
    )
}

fn compared(audit: &Audit) -> Vec<String> {
    let mut sentences: Vec<String> =
        audit.comparisons.iter().take(MOST).map(|of| comparison(audit, of)).collect();
    if audit.comparisons.len() > MOST {
        let more = show_counted((audit.comparisons.len() - MOST) as u64, "comparison");
        sentences.push(format!("{more} more are listed below."));
    }
    let cautions = audit.objections.iter().filter(|objection| {
        objection.weight == Weight::Caution
            && !["no_repetition", "cut_short", "unequal_load"].contains(&objection.rule)
    });
    let mut rules: Vec<&str> = cautions.map(|objection| objection.rule).collect();
    rules.sort_by_key(|name| RULES.iter().position(|rule| rule.name == *name));
    rules.dedup();
    if !rules.is_empty() {
        sentences.push(format!("These objections also weaken the figures: {}.", listed(&rules)));
    }
    sentences
}

fn comparison(audit: &Audit, of: &Comparison) -> String {
    let (a, b) = (&audit.groups[of.a].name, &audit.groups[of.b].name);
    let words = of.measure.words();
    let Some(ratio) = of.ratio else {
        let state = if of.word == Word::NoFigure { "missing" } else { "0" };
        return format!("{b} and {a} cannot be compared: a {words} is {state}.");
    };
    let printed = format!("the printed {words} of {b} is {ratio:.3} times that of {a}");
    let better = match of.measure {
        Measure::Rate => ratio > 1.0,
        Measure::P99 | Measure::Mean => ratio < 1.0,
    };
    let first = audit.groups[of.a].runs[0];
    let is_program = audit.runs[first].tool.kind == ToolKind::Program;
    let faster = if better { b } else { a };
    let unknown = |but: &str| {
        format!("It may not be concluded which of {a} and {b} is faster: {printed}, but {but}.")
    };
    match of.word {
        Word::Void => unknown("the runs are not valid"),
        Word::UnequalLoad => unknown("under a different load"),
        Word::NoFigure => format!("{b} and {a} cannot be compared: a {words} is missing."),
        Word::OneRun if is_program => {
            unknown("all runs of one were made before those of the other")
        }
        Word::OneRun => unknown(
            "one of them has only one run, so the difference between two runs of the same \
             contender is unknown",
        ),
        Word::Overlap => unknown("their runs overlap"),
        Word::TooFew(chance) => format!(
            "It is likely but not shown that {faster} is faster: {printed} and no runs overlap, \
             but with so few runs that happens by chance in {:.0} of 100 cases.",
            chance * 100.0
        ),
        Word::Apart(chance) => format!(
            "It may be concluded that {faster} was faster in these runs, on that machine: \
             {printed}, and no runs overlap, which happens by chance in {:.1} of 100 cases if the \
             runs were made in random order.",
            chance * 100.0
        ),
    }
}

/// Percentiles can be wrong although the rate is valid.
fn percentiles(audit: &Audit) -> Option<String> {
    let about =
        ["hidden_stall", "closed_loop_rate", "filled_in", "percentile_support", "broken_off"];
    let is_named = |name: &&&str| audit.objections.iter().any(|of| of.rule == **name);
    let rules: Vec<&str> = about.iter().filter(is_named).copied().collect();
    (!rules.is_empty())
        .then(|| format!("Not all of the printed percentiles may be quoted ({}).", listed(&rules)))
}
