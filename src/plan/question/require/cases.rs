//! Requirements about cases: those of a suite, or requests that are judged apart, by what they cost.

use super::{By, Requirement, check, parse};
use crate::plan::suite::cases::several;
use judge::verdict::{Beyond, Checked, Comparison, Finding, RequirementStatus, Suite};
use record::{Metric, Question};
use text::{
    glob, lists, near,
    shown::{short_case, shown},
    units,
};

/// Maximum number of cases that a sentence names.
const MOST_NAMED: usize = 5;
const EXAMPLE: &str =
    "write it like `every case <= 1.03x` or `case \"parse/*\" <= 1.03x by favourable end`";

/// The cases that a requirement is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// Every case.
    Every,
    /// Those whose name fits this pattern.
    Fitting(String),
}

impl Which {
    fn has(&self, case: &str) -> bool {
        match self {
            Which::Every => true,
            Which::Fitting(pattern) => glob::fits(pattern, case),
        }
    }

    /// With the pattern completed for these cases.
    fn for_cases<'a>(&self, cases: impl Iterator<Item = &'a str>) -> Which {
        match self {
            Which::Every => Which::Every,
            Which::Fitting(pattern) => Which::Fitting(glob::completed(pattern, cases)),
        }
    }
}

/// Reads `[B/A] every case OP RATIO [by …]` or `[B/A] case "PATTERN" OP RATIO [by …]`. Returns None if the text is
/// about something else than cases.
pub(super) fn requirement(text: &str, question: &Question) -> Option<Result<Requirement, String>> {
    Some(split(text, question)?.and_then(|parts| read(text, parts, question)))
}

fn read(
    text: &str,
    (pair, which, rest): (&str, Which, &str),
    question: &Question,
) -> Result<Requirement, String> {
    if !question.is_suite && question.requests.is_empty() {
        return Err("this run has no cases: they are those of programs with `figures`, and the \
                    requests that by_request in [workload] compares one by one"
            .to_owned());
    }
    // In place of the case, whose name may contain a sign.
    let rest = format!("case {rest}");
    let (left, sense, right) = parse::at_the_sign(&rest)?;
    if left != "case" {
        return Err(format!("the comparison sign must follow the case; {EXAMPLE}"));
    }
    let pairs = if pair.is_empty() { None } else { Some(parse::pairs_of(pair, question)?) };
    let (bound, by) = parse::bound_of(right)?;
    let requirement = Requirement {
        text: text.trim().to_owned(),
        pairs,
        metric: Metric::Cost,
        part: None,
        cases: Some(which),
        sense,
        bound,
        by,
    };
    if !question.is_suite {
        fits(&requirement, question.requests.iter().map(String::as_str))?;
    }
    Ok(requirement)
}

/// The pair, the cases, and the text after them.
fn split<'a>(
    text: &'a str,
    question: &Question,
) -> Option<Result<(&'a str, Which, &'a str), String>> {
    let before_a_sign =
        &text[..text.find(['<', '>', '=', '≤', '≥', '"', '\'']).unwrap_or(text.len())];
    let is_word = |at: &usize| {
        let next = text[at + 4..].chars().next();
        let ends = next.is_none_or(|c| c.is_whitespace() || "\"'<>=≤≥".contains(c));
        ends && (*at == 0 || text[..*at].ends_with(char::is_whitespace))
    };
    // The last one: a contender may be called `case`.
    let words = before_a_sign.match_indices("case").map(|(at, _)| at);
    let at = words.filter(is_word).last()?;
    let (before, after) = (text[..at].trim(), text[at + 4..].trim_start());
    let every = before.strip_suffix("every");
    if let Some(pair) = every.filter(|pair| pair.is_empty() || pair.ends_with(char::is_whitespace))
    {
        return Some(Ok((pair.trim(), Which::Every, after)));
    }
    let Some(quote) = after.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        // Only a suite has nothing else that can be required.
        let why = || Err(format!("the name of a case must be in quotes; {EXAMPLE}"));
        return question.is_suite.then(why);
    };
    Some(match after[1..].split_once(quote) {
        None => Err(format!("the quote after the name of the case is missing; {EXAMPLE}")),
        Some(("", _)) => Err(format!("the name of the case is empty; {EXAMPLE}")),
        Some((pattern, rest)) => Ok((before, Which::Fitting(pattern.to_owned()), rest)),
    })
}

/// Checks that at least one of these cases fits, when they are known, and only one a name without wildcards.
///
/// # Errors
/// When that is not so; the text names the nearest ones, or those that fit.
pub(super) fn fits<'a>(
    of: &Requirement,
    cases: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), String> {
    let Some(Which::Fitting(pattern)) = &of.cases else { return Ok(()) };
    let fitting = glob::fitting(pattern, cases.clone());
    if fitting.len() > 1 && glob::is_name(pattern) {
        return Err(several(pattern, &fitting));
    }
    if !fitting.is_empty() {
        return Ok(());
    }
    let nearest = near::by_distance(&glob::literal(pattern), cases);
    let nearest: Vec<String> = nearest.into_iter().take(3).map(short_case).collect();
    let nearest = if nearest.is_empty() {
        "there are no cases".to_owned()
    } else {
        format!("the nearest names are {}", lists::listed(&nearest))
    };
    Err(format!("no case fits `{}`: {nearest}", shown(pattern)))
}

/// One result for each pair that the requirement is about. The suite says which cases were not compared.
pub(super) fn check(
    of: &Requirement,
    which: &Which,
    comparisons: &[Comparison],
    findings: &[Finding],
    suite: Option<&Suite>,
) -> Vec<Checked> {
    let mut costs: Vec<Comparison> = comparisons.iter().filter_map(cost).collect();
    let compared = costs.iter().filter_map(|of| of.case.as_deref());
    let left_out = suite.iter().flat_map(|suite| &suite.left_out).map(String::as_str);
    let which = &which.for_cases(compared.chain(left_out));
    costs.retain(|of| of.case.as_deref().is_some_and(|case| which.has(case)));
    let pairs = costs.chunk_by(|one, next| (&one.a, &one.b) == (&next.a, &next.b));
    let checked = pairs.filter_map(|pair| {
        let checked = of_pair(of, pair, findings)?;
        Some(match suite {
            Some(suite) => with_not_compared(checked, which, suite),
            None => checked,
        })
    });
    let checked: Vec<Checked> = checked.collect();
    if checked.is_empty() { vec![check::not_compared(of, "such a case")] } else { checked }
}

/// The comparison of a case by its cost. None of other comparisons.
fn cost(of: &Comparison) -> Option<Comparison> {
    if of.case.is_some() {
        return Some(of.clone());
    }
    let case = Some(of.request.clone()?);
    let inverse = |ratio: f64| 1.0 / ratio;
    let beyond = of.beyond_generator.map(|beyond| Beyond {
        ratio: inverse(beyond.ratio),
        low: inverse(beyond.high),
        high: inverse(beyond.low),
    });
    Some(Comparison {
        metric: Metric::Cost,
        request: None,
        case,
        ratio: of.ratio.map(inverse),
        low: of.high.map(inverse),
        high: of.low.map(inverse),
        beyond_generator: beyond,
        ..of.clone()
    })
}

fn of_pair(of: &Requirement, cases: &[Comparison], findings: &[Finding]) -> Option<Checked> {
    let seen = cases.iter().filter_map(|case| check::Seen::of(of, case, findings));
    let each = seen.map(|seen| {
        let checked = seen.check();
        (seen, checked)
    });
    let each: Vec<(check::Seen, Checked)> = each.collect();
    let (_, first) = each.first()?;
    let with = |status| each.iter().filter(move |(_, checked)| checked.status == status);
    let all = units::show_counted(each.len() as u64, "case");
    let wanted = format!("{} {}", of.sense.sign(), check::digits(of.bound, of.bound));
    let (violating, unknown) =
        (with(RequirementStatus::NotMet).count(), with(RequirementStatus::Undetermined).count());
    let (status, why) = if violating > 0 {
        let how = match of.by {
            By::UnfavourableEnd => "not shown to be",
            By::Estimate => "not, by the estimate,",
            By::FavourableEnd => "shown not to be",
        };
        let named = named(with(RequirementStatus::NotMet).map(|(seen, _)| seen.brief()));
        let are = are(violating);
        (RequirementStatus::NotMet, format!("{violating} of {all} {are} {how} {wanted}: {named}"))
    } else if unknown > 0 {
        let why =
            |(seen, checked): &(check::Seen, Checked)| format!("{}: {}", seen.case(), checked.why);
        let named = named(with(RequirementStatus::Undetermined).map(why));
        let why = format!("nothing can be said of {unknown} of {all}: {named}");
        (RequirementStatus::Undetermined, why)
    } else {
        let why = match of.by {
            By::UnfavourableEnd => format!("the whole interval of each of {all} is {wanted}"),
            By::Estimate => format!("the estimate of each of {all} is {wanted}"),
            By::FavourableEnd => format!("none of {all} was shown not to be {wanted}"),
        };
        (RequirementStatus::Met, why)
    };
    Some(Checked { requirement: of.text.clone(), status, why, ..first.clone() })
}

fn are(many: usize) -> &'static str {
    if many == 1 { "is" } else { "are" }
}

/// Says which of these cases were not compared. Nothing is known of those that were left out, so the requirement is
/// not met by the others alone.
fn with_not_compared(mut checked: Checked, which: &Which, suite: &Suite) -> Checked {
    let many = |cases: &[String]| cases.iter().filter(|case| which.has(case)).count();
    let left_out = many(&suite.left_out);
    let of_pair =
        suite.only_in.iter().filter(|only| [&checked.a, &checked.b].contains(&&only.contender));
    let only_in = of_pair.map(|only| (many(&only.cases), &only.contender)).filter(|of| of.0 > 0);
    let only_in = only_in.map(|(many, of)| format!("{many} {} only in {}", are(many), shown(of)));
    let were = if left_out == 1 { "was" } else { "were" };
    let left = (left_out > 0).then(|| format!("{left_out} {were} left out to fit into the time"));
    let missing: Vec<String> = left.into_iter().chain(only_in).collect();
    if !missing.is_empty() {
        checked.why = format!("{}; {}", checked.why, missing.join(", "));
    }
    if left_out > 0 && checked.status == RequirementStatus::Met {
        checked.status = RequirementStatus::Undetermined;
    }
    checked
}

/// The first of these, and how many others there are.
fn named(all: impl Iterator<Item = String>) -> String {
    let others = |n| units::show_counted(n, "other");
    lists::first_listed(&all.collect::<Vec<String>>(), MOST_NAMED, others)
}
