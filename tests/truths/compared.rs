//! Comparisons of two addresses as a user makes them: through the binary, with its
//! pilot, its plan and its journal.

use crate::common::{TestDirectory, number};
use crate::size::pilot;
use serde_json::Value;

/// The result of a comparison, by throughput.
#[derive(Debug)]
pub(crate) struct Compared {
    /// `faster`, `slower`, `equivalent` or `undecided`.
    pub(crate) word: String,
    /// Why it is undecided, if another reason than its interval is known. Only printed.
    #[allow(dead_code, reason = "failures print it")]
    pub(crate) because: Value,
    pub(crate) ratio: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The ratio of each round.
    pub(crate) rounds: Vec<f64>,
    /// Share of the rounds in which the generator waited for a core or time was stolen.
    pub(crate) disturbed: f64,
}

/// Compares `b` with `a`. The seed is given, so that a failure can be run again with
/// the same order of slices.
pub(crate) fn compare(a: &str, b: &str, seed: u64, more: &[&str]) -> Compared {
    let directory = TestDirectory::new();
    let (a, b, seed) = (format!("a={a}"), format!("b={b}"), seed.to_string());
    let common = ["--warm-up", "300ms", "--out", "run", "--seed", &seed];
    let words = [&["compare", &a, &b][..], &common[..], pilot(), more].concat();
    let (_, report) = directory.report(&words);
    Compared::of(&report, disturbance(&directory))
}

impl Compared {
    /// The result that a report has, of a run that was so much disturbed. It must not be void.
    pub(crate) fn of(report: &Value, disturbed: f64) -> Compared {
        assert_eq!(report["void"], false, "{:#}", report["findings"]);
        let all = report["comparisons"].as_array().expect("comparisons");
        let found = all.iter().find(|one| one["metric"] == "throughput" && one["primary"] == true);
        let found = found.unwrap_or_else(|| panic!("throughput is compared: {all:#?}"));
        // Undecided in every run, if there are too few rounds for an interval.
        let figure =
            |key: &str| found[key].as_f64().unwrap_or_else(|| panic!("{key} in {found:#}"));
        let compared = Compared {
            word: found["verdict"].as_str().expect("a verdict").to_owned(),
            because: found["because"].clone(),
            ratio: figure("ratio"),
            low: figure("low"),
            high: figure("high"),
            rounds: found["rounds"].as_array().map_or(Vec::new(), |rounds| {
                rounds.iter().map(|round| number(&round["ratio"])).collect()
            }),
            disturbed,
        };
        println!("{compared:?}");
        compared
    }

    pub(crate) fn is_called_different(&self) -> bool {
        ["faster", "slower"].contains(&self.word.as_str())
    }

    pub(crate) fn covers(&self, truth: f64) -> bool {
        self.low <= truth && truth <= self.high
    }

    /// Of the interval, as a share: 0.08 reaches from 0.96 to 1.04.
    pub(crate) fn width(&self) -> f64 {
        (self.high / self.low).ln()
    }
}

/// A comparison as the table of truths tells it: `slower 0.412 (0.405 to 0.420)`.
pub(crate) fn in_words(comparison: &Value) -> String {
    let word = comparison["verdict"].as_str().expect("a verdict");
    let [ratio, low, high] = ["ratio", "low", "high"].map(|key| number(&comparison[key]));
    format!("{word} {ratio:.3} ({low:.3} to {high:.3})")
}

/// The slices of the rounds and of the short warm-up right before them, in the order in
/// which they were driven, from the run's journal.
pub(crate) fn slices(directory: &TestDirectory) -> Vec<Value> {
    let journal = std::fs::read_to_string(directory.file("run/journal.jsonl")).expect("a journal");
    let mut slices = Vec::new();
    for line in journal.lines() {
        let mut line: Value = serde_json::from_str(line).expect("a line of JSON");
        // What comes before the pilot's choice was another drive.
        if !line["event"]["pilot"].is_null() {
            slices.clear();
        }
        let trial = line["event"]["trial"].take();
        if trial["phase"] != "round" && trial["phase"] != "warm_up" {
            continue;
        }
        for slice in trial["seen"]["slices"].as_array().expect("slices") {
            let mut slice = slice.clone();
            slice["contender"] = trial["contender"].clone();
            slices.push(slice);
        }
    }
    slices.sort_by_key(|slice| count(slice, "place"));
    slices
}

/// A whole number of a slice.
pub(crate) fn count(slice: &Value, key: &str) -> u64 {
    slice[key].as_u64().unwrap_or_else(|| panic!("{key} in {slice}"))
}

/// Share of the rounds of the run in this directory in which the generator waited for a core or time was
/// stolen.
pub(crate) fn disturbance(directory: &TestDirectory) -> f64 {
    let slices = slices(directory);
    let sum = |key: &str| slices.iter().map(|slice| count(slice, key)).sum::<u64>() as f64;
    (sum("waited_ns") + sum("steal_ns")) / sum("took_ns")
}
