//! The report of `tiebreak conformance self`, for people and for programs.

use super::Style;
use super::terminal::plain_table;
use judge::stats::two_stages::{BOTH, FAILS_AT, FIRST};
use serde::Serialize;
use text::units;

/// Name of the JSON schema: `schema/self.v1.json`.
pub const SCHEMA: &str = "tiebreak.self/1";
/// This machine finds a known difference if at least this percentage of the runs found it and
/// none reported the opposite sign.
const FOUND_PERCENT: u32 = 80;

/// All measurements.
#[derive(Clone, Debug, Serialize)]
pub struct SelfTest {
    /// Name of the JSON schema: `schema/self.v1.json`.
    pub schema: &'static str,
    /// Version of tiebreak.
    pub version: &'static str,
    /// Start, UTC, RFC 3339.
    pub started: String,
    /// Connections to each server.
    pub connections: u32,
    /// Rounds of each comparison.
    pub rounds: u32,
    /// How long each server was to be driven in a round, in seconds.
    pub round: f64,
    /// The directory that holds the journal of every comparison.
    pub runs: String,
    /// One server compared with itself.
    pub alike: EqualPair,
    /// Two servers, one of which does more work by a known share.
    pub known: Vec<PlantedDifference>,
    /// Whether a signal ended it early.
    pub stopped: bool,
    /// Whether few enough comparisons were wrong, and at least the largest known difference was
    /// found.
    pub trusted: bool,
    /// The smallest known difference that was found, in percent. None if none was found.
    pub finds_percent: Option<u32>,
}

/// One server compared with itself.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EqualPair {
    /// The URL of the server, without the login and the values of the query. None means the
    /// embedded one.
    pub against: Option<String>,
    /// Comparisons that were completed.
    pub compared: u32,
    /// Comparisons that reported a difference.
    pub different: u32,
    /// Comparisons that the audit refused: neither equal nor different.
    pub void: u32,
    /// Whether the rule of two stages is satisfied, which counts no void comparisons. None if the
    /// test ended before the rule had an answer.
    pub passed: Option<bool>,
    /// Median width of the intervals of those that are not void: high ÷ low − 1.
    pub median_width: Option<f64>,
    /// The longest time that each server was driven in a round, in seconds: the pilot may lengthen
    /// rounds.
    pub longest_round: Option<f64>,
}

/// Comparisons with one known difference.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PlantedDifference {
    /// By how many percent one server's service time is longer.
    pub percent: u32,
    /// Comparisons.
    pub compared: u32,
    /// Comparisons that reported *slower*, which is correct.
    pub found: u32,
    /// Comparisons that reported *faster*, which is wrong.
    pub wrong: u32,
    /// Comparisons whose interval contained the true ratio.
    pub covered: u32,
    /// Comparisons that the audit refused.
    pub void: u32,
    /// Median width of the intervals of those that are not void: high ÷ low − 1.
    pub median_width: Option<f64>,
    /// The longest time that each server was driven in a round, in seconds: the pilot may lengthen
    /// rounds.
    pub longest_round: Option<f64>,
}

impl PlantedDifference {
    /// Whether this machine finds a difference of this size.
    pub fn is_found(&self) -> bool {
        self.compared > 0 && self.wrong == 0 && 100 * self.found >= FOUND_PERCENT * self.compared
    }
}

/// As JSON, with a newline at its end.
pub fn json(test: &SelfTest) -> String {
    // It has no maps with unusual keys and does no I/O, so nothing can fail.
    serde_json::to_string_pretty(test).expect("figures are always JSON") + "\n"
}

/// For the terminal: the answer first.
pub fn terminal(test: &SelfTest, style: Style) -> String {
    let head =
        ["truth", "compared", "called right", "called wrong", "covered", "void", "width", "round"];
    let mut rows = vec![alike_row(&test.alike)];
    rows.extend(test.known.iter().map(known_row));
    let table = plain_table(&head, &rows, &remarks(test), style);
    format!("  {}\n\n{table}", answer(test))
}

/// The answer, in one line.
pub fn answer(test: &SelfTest) -> String {
    let alike = &test.alike;
    match (alike.passed, test.finds_percent) {
        _ if test.stopped => {
            "stopped before the end: nothing can be said about this machine".to_owned()
        }
        (None, _) => format!(
            "nothing can be said about this machine: the audit refused {} of {} comparisons of a \
             server with itself",
            alike.void, alike.compared
        ),
        (Some(false), _) => format!(
            "this machine cannot be trusted: a server was reported as different from itself in {} \
             of {} comparisons",
            alike.different, alike.compared
        ),
        (Some(true), None) => "this machine reports no difference between equal servers, but \
                               found none of the known differences: it is too noisy"
            .to_owned(),
        (Some(true), Some(percent)) => format!(
            "this machine can be trusted to find a difference of {percent} % and more in {} \
             rounds of {}",
            test.rounds,
            length(test)
        ),
    }
}

/// The length of a round: `200 ms`, or `up to 352 ms` if the pilot lengthened rounds.
fn length(test: &SelfTest) -> String {
    let longest = test.known.iter().filter_map(|known| known.longest_round);
    let longest = longest.fold(test.round, f64::max);
    let up_to = if longest > test.round { "up to " } else { "" };
    format!("{up_to}{}", show(longest))
}

fn show(seconds: f64) -> String {
    units::show_ns((seconds * 1e9).round() as u64)
}

fn alike_row(alike: &EqualPair) -> Vec<String> {
    let right = alike.compared - alike.different - alike.void;
    vec![
        "equal".to_owned(),
        alike.compared.to_string(),
        right.to_string(),
        alike.different.to_string(),
        "-".to_owned(),
        alike.void.to_string(),
        width(alike.median_width),
        round(alike.longest_round),
    ]
}

fn known_row(known: &PlantedDifference) -> Vec<String> {
    vec![
        format!("{} % slower", known.percent),
        known.compared.to_string(),
        known.found.to_string(),
        known.wrong.to_string(),
        format!("{} of {}", known.covered, known.compared),
        known.void.to_string(),
        width(known.median_width),
        round(known.longest_round),
    ]
}

fn width(share: Option<f64>) -> String {
    share.map_or("-".to_owned(), units::percent)
}

fn round(seconds: Option<f64>) -> String {
    seconds.map_or("-".to_owned(), show)
}

/// The rule, and where the evidence is.
fn remarks(test: &SelfTest) -> Vec<String> {
    let server = match &test.alike.against {
        Some(url) => text::shown::shown(url).to_string(),
        None => "the embedded test server".to_owned(),
    };
    let runs = text::shown::shown(&test.runs);
    // If the audit refused comparisons of a server with itself, this was one of them.
    let last = format!("equal-{:02}", test.alike.compared);
    vec![
        format!("{} connections to each server", test.connections),
        format!(
            "equal: {server} compared with itself. At most 2 of {FIRST} comparisons may report a \
             difference, or else at most {} of {BOTH}: a tool with correct intervals fails this \
             once in 2000 times.",
            FAILS_AT - 1
        ),
        "N % slower: embedded servers whose service time differs by N %. A difference counts \
         as found if 80 % of the comparisons or more called it slower and none called it faster. \
         Width: median of the intervals, upper end ÷ lower end − 1. Round: the longest, since the \
         pilot may lengthen rounds."
            .to_owned(),
        format!("journals of all comparisons: {runs}; for reasons: tiebreak audit {runs}/{last}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::tests::validator;
    use super::*;

    fn known(percent: u32, found: u32, wrong: u32) -> PlantedDifference {
        PlantedDifference {
            percent,
            compared: 6,
            found,
            wrong,
            covered: 6,
            void: 0,
            median_width: Some(0.012),
            longest_round: Some(0.2),
        }
    }

    fn test(passed: Option<bool>, finds_percent: Option<u32>) -> SelfTest {
        SelfTest {
            schema: SCHEMA,
            version: "0.1.0",
            started: "2026-01-02T03:04:05Z".to_owned(),
            connections: 16,
            rounds: 10,
            round: 0.2,
            runs: "tiebreak-runs/x".to_owned(),
            alike: EqualPair { compared: 20, different: 1, passed, ..EqualPair::default() },
            known: vec![known(10, 6, 0), known(3, 5, 0), known(1, 2, 0)],
            stopped: false,
            trusted: passed == Some(true) && finds_percent.is_some(),
            finds_percent,
        }
    }

    #[test]
    fn a_difference_is_found_by_four_of_five_and_never_by_the_wrong_sign() {
        let table = [((6, 0), true), ((5, 0), true), ((4, 0), false), ((5, 1), false)];
        for ((found, wrong), expected) in table {
            assert_eq!(known(3, found, wrong).is_found(), expected, "{found} {wrong}");
        }
    }

    #[test]
    fn the_answer_is_one_line() {
        let table = [
            (test(Some(true), Some(3)), "of 3 % and more in 10 rounds of 200 ms"),
            (test(None, None), "the audit refused 0 of 20"),
            (test(Some(true), None), "too noisy"),
            (test(Some(false), Some(3)), "cannot be trusted"),
            (SelfTest { stopped: true, ..test(None, None) }, "stopped"),
        ];
        for (test, expected) in table {
            let line = answer(&test);
            assert!(line.contains(expected) && !line.contains('\n'), "{line}");
        }
    }

    #[test]
    fn the_answer_names_the_rounds_that_were_driven() {
        let mut test = test(Some(true), Some(1));
        assert!(answer(&test).ends_with("in 10 rounds of 200 ms"), "{}", answer(&test));
        test.known[1].longest_round = Some(0.352);
        assert!(answer(&test).ends_with("in 10 rounds of up to 352 ms"), "{}", answer(&test));
        assert!(terminal(&test, Style { colour: false, width: 100 }).contains("352 ms"));
    }

    #[test]
    fn the_json_is_as_its_schema_says() {
        let schema = include_str!("../../../schema/self.v1.json");
        let value = serde_json::from_str(&json(&test(Some(true), Some(3)))).expect("JSON");
        validator::assert_fits(schema, &value);
    }
}
