//! Writes the report of a run: for the terminal, as JSON, and as one page.
//!
//! Everything here is a pure function of the journal and the verdict. It formats figures and
//! scales them to units and pixels; they are computed elsewhere.
#![forbid(unsafe_code)]

pub mod alone;
pub mod bisect;
mod cases;
mod html;
mod json;
mod junit;
mod markdown;
mod printed;
pub mod self_test;
mod sweep;
mod terminal;
pub mod words;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

use judge::belief::{Belief, belief};
use judge::growth::Growth;
use judge::verdict::{Checked, Comparison, ContenderSummary, Finding, GateSummary, Scope, Verdict};
use judge::verdict::{LoadPoint, Ranking, Suite};
use record::{End, Header, PilotChoice, Plan, SingleRun};
use std::collections::BTreeMap;

pub use html::bisect::page as bisect_html;
pub use html::printed::page as printed_html;
pub use markdown::printed::summary as printed_markdown;
pub use printed::{json as printed_json, scan_notes as printed_scan_notes};
pub use terminal::bisect::report as bisect_terminal;
pub use terminal::{printed::report as printed_terminal, table_of_words};

/// Everything that a report is written from.
#[derive(Clone, Debug)]
pub struct ReportInput<'a> {
    /// Line 1 of the journal.
    pub header: &'a Header,
    /// What the pilot chose. None for `run`, or if the run ended before.
    pub pilot: Option<&'a PilotChoice>,
    /// How the run ended. None if the journal does not say.
    pub end: Option<&'a End>,
    /// The judge's verdict.
    pub verdict: &'a Verdict,
    /// The directory of the run as `tiebreak report` accepts it, for hints.
    pub run: &'a str,
    /// What was left out of the journal, such as an incomplete last line.
    pub journal_note: Option<String>,
    /// The requirements of the run with their results, in their order.
    pub checked: &'a [Checked],
    /// How its targets grow with their load. None if the run did not sweep load points, if
    /// the audit refused all of them, or if too few rounds were driven.
    pub growth: Option<&'a Growth>,
    /// The results of a published experiment's own method.
    pub single_runs: &'a [SingleRun],
}

/// The style of the terminal report. The caller chooses it, because it knows whether stdout is
/// a terminal, and `NO_COLOR`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Use ANSI colours.
    pub colour: bool,
    /// Columns that a line may take.
    pub width: usize,
}

/// How much the terminal report contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What fits on one screen.
    Short,
    /// Everything (`--verbose`).
    Full,
}

/// The report as JSON, `tiebreak.report/1` (schema/report.v1.json), with a
/// newline at its end. The same input gives the same bytes.
pub fn json(input: &ReportInput) -> String {
    json::report(&View::of(input))
}

/// The report as one self-contained page.
pub fn html(input: &ReportInput) -> String {
    html::page(&View::of(input))
}

/// The report for the terminal, with a newline at its end.
pub fn terminal(input: &ReportInput, style: Style, detail: Detail) -> String {
    let view = View::of(input);
    match detail {
        Detail::Short => terminal::short::report(&view, style),
        Detail::Full => terminal::report(&view, style),
    }
}

/// The verdicts, one line for each pair: `new is 1.31x faster than old (1.27x to 1.36x)`.
pub fn found(input: &ReportInput) -> Vec<String> {
    let view = View::of(input);
    if view.void {
        return vec!["void: the audit refused the run".to_owned()];
    }
    if view.suite.is_some() {
        let each = cases::Cases::all(&view);
        return each
            .iter()
            .map(|of| words::cases::answer(of).text('x').replace(text::units::JOINT, " "))
            .collect();
    }
    let claims = view.primaries().map(|of| words::brief(&view, of).text('x'));
    claims.map(|claim| claim.replace(text::units::JOINT, " ")).collect()
}

/// A summary for a pull request, in GitHub's Markdown, with a newline at its end.
pub fn markdown(input: &ReportInput) -> String {
    markdown::summary(&View::of(input))
}

/// Audit, comparisons and requirements as JUnit's XML, for CI services.
pub fn junit(input: &ReportInput) -> String {
    junit::file(&View::of(input))
}

/// The parts of an input. A [`Verdict`] can only be built by the judge, but its parts by anyone,
/// so the formatters can be tested with parts made by hand.
#[derive(Clone, Copy, Debug)]
struct View<'a> {
    header: &'a Header,
    pilot: Option<&'a PilotChoice>,
    end: Option<&'a End>,
    contenders: &'a [ContenderSummary],
    comparisons: &'a [Comparison],
    findings: &'a [Finding],
    void: bool,
    complete_rounds: u32,
    rules_checked: u32,
    gate: Option<&'a GateSummary>,
    scope: Scope,
    ranking: Option<&'a Ranking>,
    run: &'a str,
    journal_note: Option<&'a str>,
    checked: &'a [Checked],
    growth: Option<&'a Growth>,
    load_points: &'a [LoadPoint],
    suite: Option<&'a Suite>,
    single_runs: &'a [SingleRun],
}

impl<'a> View<'a> {
    fn of(input: &'a ReportInput<'a>) -> View<'a> {
        View {
            header: input.header,
            pilot: input.pilot,
            end: input.end,
            contenders: input.verdict.contenders(),
            comparisons: input.verdict.comparisons(),
            findings: input.verdict.findings(),
            void: input.verdict.void(),
            complete_rounds: input.verdict.complete_rounds(),
            rules_checked: input.verdict.rules_checked(),
            gate: input.verdict.gate(),
            scope: input.verdict.scope(),
            ranking: input.verdict.ranking(),
            run: input.run,
            journal_note: input.journal_note.as_deref(),
            checked: input.checked,
            growth: input.growth,
            load_points: input.verdict.load_points(),
            suite: input.verdict.suite(),
            single_runs: input.single_runs,
        }
    }

    fn plan(&self) -> &'a Plan {
        &self.header.plan
    }

    /// Names of the codes of this contender's replies.
    fn code_names(&self, contender: &ContenderSummary) -> &'a BTreeMap<u16, String> {
        let question = &self.plan().question;
        let at = question.contenders.iter().position(|of| of.name == contender.name);
        question.code_names(at.unwrap_or(usize::MAX))
    }

    /// The smallest difference that matters, as a share.
    fn matters(&self) -> f64 {
        self.plan().question.matters
    }

    /// Whether the headline can be believed.
    fn belief(&self) -> Belief<'a> {
        if let Some(sweep) = self.sweep() {
            return sweep.least_believed().view.belief();
        }
        let (rounds, matters) = (self.complete_rounds, self.matters());
        belief(self.contenders, self.comparisons, self.findings, rounds, matters)
    }

    /// The figures of the contender of this name.
    fn contender(&self, name: &str) -> Option<&'a ContenderSummary> {
        self.contenders.iter().find(|contender| contender.name == name)
    }

    /// The pairs compared, (a, b), in their order.
    fn pairs(&self) -> Vec<(&'a str, &'a str)> {
        let mut pairs = Vec::new();
        for comparison in self.comparisons {
            let pair = (comparison.a.as_str(), comparison.b.as_str());
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        pairs
    }

    /// The comparisons that the verdict rests on.
    fn primaries(&self) -> impl Iterator<Item = &'a Comparison> + use<'a> {
        self.comparisons.iter().filter(|comparison| comparison.primary)
    }
}
