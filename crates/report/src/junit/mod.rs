//! JUnit XML for CI services: one suite each for the audit, the comparisons, the control, the ranks, the
//! capacities, the load points of a sweep, and the requirements.
//!
//! Only a requirement that is not met fails; a verdict alone, even *slower*, is a result and
//! not a failure. An undecided comparison, a case that is not compared, and a capacity that was not found, count as
//! skipped. A void run, a case of the control that differs, a contender that is not ranked, and a requirement about
//! which nothing can be said, count as errors.

use super::{View, words};
use judge::bend::Bend;
use judge::verdict::{
    CapacitySummary, Checked, Comparison, ContenderSummary, RequirementStatus, Weight, Word,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use text::shown::{shown, shown_sentence};

/// The whole file.
pub(super) fn file(view: &View) -> String {
    let suites = [
        Suite { name: "audit", cases: vec![audit(view)] },
        Suite {
            name: "comparisons",
            cases: view
                .comparisons
                .iter()
                .map(|it| comparison(view, it))
                .chain(not_compared(view))
                .collect(),
        },
        Suite { name: "control", cases: control(view) },
        Suite { name: "ranks", cases: ranks(view) },
        Suite {
            name: "capacities",
            cases: words::capacity::of(view).map(|(of, it)| capacity(view, of, it)).collect(),
        },
        Suite { name: "load points", cases: load_points(view) },
        Suite { name: "requirements", cases: view.checked.iter().map(requirement).collect() },
    ];
    let suites: Vec<Suite> = suites.into_iter().filter(|suite| !suite.cases.is_empty()).collect();
    let all: Vec<&Case> = suites.iter().flat_map(|suite| &suite.cases).collect();
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let _ = writeln!(out, "<testsuites name=\"tiebreak\" {}>", counts(&all));
    for suite in &suites {
        suite.write(view, &mut out);
    }
    out.push_str("</testsuites>\n");
    out
}

struct Suite {
    name: &'static str,
    cases: Vec<Case>,
}

/// One test case.
struct Case {
    name: String,
    end: CaseResult,
    /// Sentences, one on each line. Empty if `end` says everything.
    lines: Vec<String>,
}

/// How it ended.
enum CaseResult {
    Passed,
    /// The kind of failure, and the reason.
    Failed(&'static str, String),
    Error(&'static str, String),
    Skipped(String),
}

fn audit(view: &View) -> Case {
    let lines = view.findings.iter().map(|finding| {
        format!(
            "{}: {}: {} What to do: {}",
            words::weight(finding.weight),
            words::rule_and_name(finding),
            finding.evidence,
            finding.remedy
        )
    });
    let void = view.findings.iter().find(|finding| finding.weight == Weight::Void);
    let end = match void {
        Some(finding) => {
            CaseResult::Error("void", format!("{}: {}", finding.rule, finding.evidence))
        }
        None => CaseResult::Passed,
    };
    let lines = std::iter::once(words::audit(view)).chain(words::remarks(view)).chain(lines);
    Case { name: "the run can be judged".to_owned(), end, lines: lines.collect() }
}

fn comparison(view: &View, of: &Comparison) -> Case {
    let claim = words::claim(view, of).text('x');
    let verdict = format!("{}: {claim}", words::word(of.verdict, of.metric));
    let lines = [verdict, words::basis(view, of).text('x')].into_iter();
    let end = match of.verdict {
        Word::Void => CaseResult::Error("void", "the audit refused it".to_owned()),
        // A case that failed, and not one that is merely uncertain.
        Word::Undecided if of.case.is_some() && of.ratio.is_none() => {
            CaseResult::Error("failed", of.because.join("; "))
        }
        Word::Undecided => CaseResult::Skipped(claim),
        Word::Faster | Word::Slower | Word::Equivalent => CaseResult::Passed,
    };
    // The name is the same in every run, because CI identifies a test by its name.
    let metric = words::groups::short_metric(of);
    Case {
        name: format!("{metric} of {} against {}", shown(&of.b), shown(&of.a)),
        end,
        lines: lines.chain(words::reservations(view, of)).collect(),
    }
}

/// The cases that only one side of a pair has, and those that were left out, each by the name that it has where it is
/// compared: a benchmark that vanished is skipped and not absent.
fn not_compared(view: &View) -> Vec<Case> {
    let Some(suite) = view.suite else { return Vec::new() };
    let mut all = BTreeMap::new();
    for pair in &suite.pairs {
        let name = |case: &str| {
            format!("cost of {} of {} against {}", shown(case), shown(&pair.b), shown(&pair.a))
        };
        let sides = suite.only_in.iter().filter(|of| [&pair.a, &pair.b].contains(&&of.contender));
        for only in sides {
            let why = format!("only in {}", shown(&only.contender));
            all.extend(only.cases.iter().map(|case| (name(case), why.clone())));
        }
        all.extend(
            suite.left_out.iter().map(|case| (name(case), words::cases::LEFT_OUT.to_owned())),
        );
    }
    let case = |(name, why)| Case { name, end: CaseResult::Skipped(why), lines: Vec::new() };
    all.into_iter().map(case).collect()
}

/// The cases of a suite's control. One that differs from itself is an error.
fn control(view: &View) -> Vec<Case> {
    let control = view.suite.and_then(|suite| suite.control.as_ref());
    let cases = control.into_iter().flat_map(|control| &control.comparisons);
    let case = |of: &Comparison| {
        let case = comparison(view, of);
        if of.verdict.is_difference() {
            let claim = words::claim(view, of).text('x');
            Case { end: CaseResult::Error("control", claim), ..case }
        } else {
            case
        }
    };
    cases.map(case).collect()
}

/// The ranks that each contender can have. One that is not ranked failed, or did not do what was asked.
fn ranks(view: &View) -> Vec<Case> {
    let Some(ranking) = view.ranking else { return Vec::new() };
    let name = |of: &str| format!("rank of {}", shown(of));
    let ranked = ranking.ranked.iter().zip(words::ranking::rows(view, ranking, 'x'));
    let ranked = ranked.map(|(of, row)| {
        let lines = vec![format!("{}: {}, {}", row.rank, row.figure, row.ratio)];
        let end = if view.void {
            CaseResult::Error("void", "the audit refused the run".to_owned())
        } else {
            CaseResult::Passed
        };
        Case { name: name(&of.name), end, lines }
    });
    let refused = ranking.not_ranked.iter().map(|of| {
        let end = CaseResult::Error("not_ranked", format!("{}: {}", of.rule, of.why));
        Case { name: name(&of.name), end, lines: Vec::new() }
    });
    ranked.chain(refused).collect()
}

/// The highest rate of a contender with its objective. Skipped if it was not found.
fn capacity(view: &View, of: &ContenderSummary, capacity: &CapacitySummary) -> Case {
    let answer = words::capacity::answer(view, of, capacity);
    let end = if view.void {
        CaseResult::Error("void", "the audit refused the run".to_owned())
    } else if words::capacity::is_found(&capacity.outcome) {
        CaseResult::Passed
    } else {
        CaseResult::Skipped(answer.clone())
    };
    let lines = std::iter::once(answer).chain(words::capacity::reservation(of, capacity));
    Case { name: format!("capacity of {}", shown(&of.name)), end, lines: lines.collect() }
}

/// Where the curve of each target bends. Skipped if that is not clear.
fn load_points(view: &View) -> Vec<Case> {
    let Some(sweep) = view.sweep() else { return Vec::new() };
    let curves = sweep.curves();
    let case = |(number, (name, sentence)): (usize, (&str, String))| {
        let curve = curves.get(number).map(|of| of.1);
        let steps = curve.map_or(Vec::new(), |curve| words::sweep::steps(&sweep, curve, 'x'));
        let end = match curve.map(|curve| &curve.bend) {
            None | Some(Bend::Undetermined) => CaseResult::Skipped(sentence.clone()),
            Some(Bend::NotSought | Bend::NotUpTo(_) | Bend::At { .. }) => CaseResult::Passed,
        };
        let lines = std::iter::once(sentence).chain(steps).collect();
        Case { name: format!("where the curve of {} bends", shown(name)), end, lines }
    };
    words::sweep::bends(&sweep, 'x').into_iter().enumerate().map(case).collect()
}

fn requirement(checked: &Checked) -> Case {
    let why = checked.why.clone();
    let (end, lines) = match checked.status {
        RequirementStatus::Met => (CaseResult::Passed, vec![why]),
        RequirementStatus::NotMet => (CaseResult::Failed("not_met", why), Vec::new()),
        RequirementStatus::Undetermined => (CaseResult::Error("undetermined", why), Vec::new()),
    };
    Case { name: words::required(checked), end, lines }
}

/// The counts that JUnit requires on suites.
fn counts(cases: &[&Case]) -> String {
    let count = |is: fn(&CaseResult) -> bool| cases.iter().filter(|case| is(&case.end)).count();
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
        cases.len(),
        count(|end| matches!(end, CaseResult::Failed(..))),
        count(|end| matches!(end, CaseResult::Error(..))),
        count(|end| matches!(end, CaseResult::Skipped(_))),
    )
}

impl Suite {
    fn write(&self, view: &View, out: &mut String) {
        let cases: Vec<&Case> = self.cases.iter().collect();
        let _ = writeln!(out, "  <testsuite name=\"{}\" {}>", self.name, counts(&cases));
        let properties = [
            ("plan", view.header.plan_hash.clone()),
            ("seed", view.plan().seed.to_string()),
            ("started", view.header.started.clone()),
            ("version", view.header.version.clone()),
            ("run", view.run.to_owned()),
        ];
        out.push_str("    <properties>\n");
        for (name, value) in properties {
            let value = xml(&value);
            let _ = writeln!(out, "      <property name=\"{name}\" value=\"{value}\"/>");
        }
        out.push_str("    </properties>\n");
        for case in cases {
            case.write(self.name, out);
        }
        out.push_str("  </testsuite>\n");
    }
}

impl Case {
    fn write(&self, suite: &str, out: &mut String) {
        let name = xml(&self.name);
        let _ = writeln!(out, "    <testcase classname=\"tiebreak.{suite}\" name=\"{name}\">");
        let end = match &self.end {
            CaseResult::Passed => None,
            CaseResult::Failed(kind, why) => Some(("failure", Some(kind), why)),
            CaseResult::Error(kind, why) => Some(("error", Some(kind), why)),
            CaseResult::Skipped(why) => Some(("skipped", None, why)),
        };
        if let Some((tag, kind, why)) = end {
            let kind = kind.map(|kind| format!(" type=\"{kind}\"")).unwrap_or_default();
            let _ = writeln!(out, "      <{tag}{kind} message=\"{}\"/>", xml(why));
        }
        let lines: Vec<String> = self.lines.iter().map(|line| xml(line)).collect();
        if !lines.is_empty() {
            let _ = writeln!(out, "      <system-out>{}</system-out>", lines.join("\n"));
        }
        out.push_str("    </testcase>\n");
    }
}

/// Escapes text for an attribute or between tags. XML 1.0 cannot represent control characters
/// and two others: control characters are escaped readably, the others are replaced.
fn xml(text: &str) -> String {
    let mut out = String::new();
    for c in shown_sentence(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
pub(crate) mod tests;
