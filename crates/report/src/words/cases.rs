//! The sentences about cases: how many have which verdict, and which changed.

use crate::cases::{Cases, Figure, Row};
use crate::words::Sentence;
use crate::words::reasons::{self, Reason};
use crate::{View, words};
use judge::verdict::{Comparison, FailedCase, Suite, Word};
use text::shown::{shown, shown_sentence};
use text::{lists, units};

/// Maximum number of names that a short list has.
const MOST_NAMED: usize = 5;

/// Why the cases have no verdict that `--within` left no time for.
pub(crate) const LEFT_OUT: &str = "left out to fit into the time";

/// How many cases have which verdict: `2 of 70 slower (worst: parse/large 1.12x, 1.08x to 1.15x), 1 faster, 61
/// equivalent within 3 %, 6 undecided`.
pub(crate) fn answer(of: &Cases) -> Sentence {
    let sentence = Sentence::default();
    if of.with(Word::Void) > 0 {
        let many = units::counted(of.count() as u64, of.kind);
        return sentence.plain(format!("no verdict on {many}"));
    }
    let slower = of.with(Word::Slower);
    let sentence = sentence.plain(format!("{slower} of {} slower", of.count()));
    let mut sentence = with_extreme(sentence, of, Word::Slower, "worst");
    let within = format!(" equivalent within {}", units::show_percent(of.matters));
    let others = [
        (of.with(Word::Faster), " faster"),
        (of.with(Word::Equivalent), within.as_str()),
        (of.with(Word::Undecided), " undecided"),
        (of.failed.len(), " failed"),
    ];
    for (many, what) in others.into_iter().filter(|(many, _)| *many > 0) {
        sentence = sentence.plain(format!(", {many}{what}"));
        if what == " faster" && slower == 0 {
            sentence = with_extreme(sentence, of, Word::Faster, "best");
        }
    }
    sentence
}

/// Adds the case with this verdict that changed most: ` (worst: parse/large 1.12x, 1.08x to 1.15x)`.
fn with_extreme(sentence: Sentence, of: &Cases, word: Word, what: &str) -> Sentence {
    let Some(row) = of.changed().into_iter().find(|row| row.word == word) else { return sentence };
    let sentence = sentence.plain(format!(" ({what}: ")).case(row.name);
    sentence.plain(format!(" {})", ratio(of, row, ", ", "")))
}

/// How many requests have which verdict, as the cases of a service.
pub(crate) fn requests(of: &Cases) -> Sentence {
    let mut sentence =
        Sentence::default().plain("requests by what they cost (the inverse of throughput): ");
    sentence.0.extend(answer(of).0);
    sentence
}

/// What the ratios are, for all lines below: said once.
pub(crate) fn about(view: &View, of: &Cases) -> String {
    let together = match of.family {
        1 => "the interval holds".to_owned(),
        many => format!("all {many} intervals hold together"),
    };
    let rests =
        of.rows.first().map_or(String::new(), |row| format!(", {}", words::rests_on(view, row.of)));
    format!(
        "ratios are those of cost, {} to {}: above 1 is slower; {together} at {}{rests}",
        shown(of.b),
        shown(of.a),
        units::level(1.0 - view.plan().question.alpha)
    )
}

/// The ratio with its interval: `1.12x (1.08x to 1.15x)`, between these marks.
pub(crate) fn ratio(of: &Cases, row: &Row, open: &str, close: &str) -> String {
    match row.ratios(of.matters).as_deref() {
        None => units::MISSING.to_owned(),
        Some([ratio, low, high]) => format!("{ratio}x{open}{low}x to {high}x{close}"),
        Some(ratio) => format!("{}x", ratio.concat()),
    }
}

/// A figure with its unit, escaped.
fn figure(of: Figure) -> String {
    shown(units::figure_of_tool(of.value, of.unit))
}

/// The figure of each side, for two cells of a table.
pub(crate) fn of_sides(row: &Row) -> [String; 2] {
    row.figures.map_or([units::MISSING; 2].map(str::to_owned), |both| both.map(figure))
}

/// The figures of both sides: `12.1 ms → 13.5 ms`.
pub(crate) fn figures(row: &Row) -> String {
    row.figures.map_or(String::new(), |[a, b]| format!("{} → {}", figure(a), figure(b)))
}

/// Says that the case is shown by the inverse of its figure. Empty if a smaller figure is better, and for requests,
/// of which it is said once.
pub(crate) fn inverse(row: &Row) -> String {
    match row.figures {
        Some([a, _]) if a.larger_is_better && row.of.request.is_none() => match a.unit {
            "" => "shown by the inverse of its figure".to_owned(),
            unit => format!("shown by the inverse of {}", shown(unit)),
        },
        _ => String::new(),
    }
}

/// Why verdicts are missing or weaker than their intervals: each reason once, with the number of cases.
pub(crate) fn reasons(of: &Cases) -> Vec<Sentence> {
    let because = |of: &Comparison| of.because.iter().map(shown_sentence).collect();
    let reasons = reasons::reasons(of.rows.iter().map(|row| row.of), because);
    let about = |reason: &Reason| match reason.of[..] {
        [only] => Sentence::default().case(only.part().unwrap_or_default()),
        _ => {
            let all = units::counted(of.count() as u64, of.kind);
            Sentence::default().plain(format!("{} of {all}", reason.of.len()))
        }
    };
    reasons.iter().map(|reason| about(reason).plain(format!(": {}", reason.text))).collect()
}

/// What a case that failed lacks: `parse (new: no figure in round 3)`, with names as `name` writes them.
fn failed(of: &FailedCase, name: &dyn Fn(&str) -> String) -> String {
    let (case, contender) = (name(&of.case), name(&of.contender));
    format!("{case} ({contender}: {} in round {})", shown(&of.why), of.round)
}

/// What has no verdict, one sentence for each kind: the label and the names, as `name` writes them. With `all` every
/// one is named.
pub(crate) fn without_verdict(
    suite: &Suite,
    of: &[Cases],
    all: bool,
    name: &dyn Fn(&str) -> String,
) -> Vec<(String, String)> {
    let most = if all { usize::MAX } else { MOST_NAMED };
    let mut sentences = Vec::new();
    for cases in of.iter().filter(|of| !of.failed.is_empty()) {
        let names: Vec<String> = cases.failed.iter().map(|of| failed(of, name)).collect();
        sentences.push(("failed".to_owned(), named(&names, most)));
    }
    let names = |names: &[String]| names.iter().map(|of| name(of)).collect::<Vec<String>>();
    for only in suite.only_in.iter().filter(|only| !only.cases.is_empty()) {
        let label = format!("only in {}", name(&only.contender));
        sentences.push((label, named(&names(&only.cases), most)));
    }
    if !suite.left_out.is_empty() {
        let names = named(&names(&suite.left_out), most);
        sentences.push((LEFT_OUT.to_owned(), names));
    }
    sentences
}

/// The first names, and how many others there are.
fn named(names: &[String], most: usize) -> String {
    let listed = lists::first_listed(names, most, |n| units::counted(n, "other"));
    if names.len() > 1 { format!("{} ({listed})", names.len()) } else { listed }
}

/// What the control showed: `the control, new again against new, differs in none of 70 cases`.
pub(crate) fn control(of: &Cases) -> String {
    let differs = of.with(Word::Slower) + of.with(Word::Faster);
    let many = match differs {
        0 => "none".to_owned(),
        many => many.to_string(),
    };
    format!(
        "the control, {} against {}, differs in {many} of {}",
        shown(of.b),
        shown(of.a),
        units::counted(of.count() as u64, "case")
    )
}
