//! k6: the summary at its end, and the file of `--summary-export` or `handleSummary`.

use super::{Facts, Lines, Section, Tool, USUAL, starts, statistic};
use crate::json::Leaf;
use crate::key::{Fact, Key};
use crate::numbers::{Number, decimal_bytes, number, seconds};

pub(super) static TOOL: Tool = Tool {
    name: "k6",
    prints: &[
        Key::Operations,
        Key::Rate,
        Key::Connections,
        Key::Failed,
        Key::Mean,
        Key::Max,
        Key::Percentile(0),
    ],
    clock: 0.0,
    keeps_sending: false,
    in_flight: None,
    load_last: true,
    owns,
    line,
    document: Some(document),
    ..USUAL
};

fn owns(line: &str) -> bool {
    let line = line.trim_start_matches(['✓', '✗', ' ']);
    starts(line, &["█ TOTAL RESULTS", "checks_total."])
        || starts(line, &["http_req", "data_received.", "checks."]) && line.contains(".: ")
}

fn line(line: &str, _: &mut Section, facts: &mut Facts) {
    if line.starts_with("█ TOTAL RESULTS") {
        return facts.begins();
    }
    let crossed = line.starts_with('✗');
    let line = line.trim_start_matches(['✓', '✗', ' ']);
    if crossed && (line.starts_with('\'') || line.contains("..")) {
        facts.0.push(Fact::Adds(Key::Crossed, 1.0));
    }
    let Some((label, value)) = line.split_once(": ") else { return };
    let (label, value) = (label.trim_end_matches('.'), value.trim());
    let value = value.trim_start_matches(['✓', ' ']);
    let value = match value.strip_prefix('✗') {
        // A threshold below a metric: `✗ 'rate<0.01' rate=5.00%`.
        Some(_) => return,
        None => value,
    };
    let mut words = value.split_whitespace();
    let mut word = || words.next().unwrap_or("");
    match label {
        "http_reqs" => {
            facts.figure(Key::Operations, number(word()));
            facts.figure(Key::Rate, number(word().trim_end_matches("/s")));
        }
        // `avg=14.77ms min=45.45µs med=285.42µs max=1.65s p(90)=21.03ms`
        "http_req_duration" => {
            for (name, value) in value.split_whitespace().filter_map(|part| part.split_once('=')) {
                facts.figure(statistic(name), seconds(value));
            }
        }
        "http_req_connecting" => {
            let mean = value.split_whitespace().find_map(|part| part.strip_prefix("avg="));
            facts.figure(Key::ConnectMean, seconds(mean.unwrap_or("")));
        }
        "http_req_failed" => facts.figure(Key::Failed, counted(value)),
        "checks_total" => facts.figure(Key::Checks, number(word())),
        "checks_failed" => facts.figure(Key::FailedChecks, counted(value)),
        "checks" => checks(value, facts),
        "dropped_iterations" => facts.figure(Key::Unsent, number(word())),
        "vus_max" => facts.figure(Key::Connections, number(word())),
        "data_received" => {
            let (amount, unit, per_second) = (word(), word(), [word(), word()].concat());
            facts.figure(Key::Bytes, decimal_bytes(&format!("{amount} {unit}")));
            facts.figure(Key::BytesPerSecond, decimal_bytes(per_second.trim_end_matches("/s")));
        }
        _ => {}
    }
}

/// The first count of `5.00% 400 out of 7999`, or of `5.00% ✓ 400 ✗ 7599`.
fn counted(value: &str) -> Number {
    let mut words = value.split_whitespace().skip(1).filter(|word| *word != "✓");
    number(words.next().unwrap_or(""))
}

/// `95.00% 7600 out of 8000`, or `95.00% ✓ 7600 ✗ 400`: those that passed are counted first.
fn checks(value: &str, facts: &mut Facts) {
    let words: Vec<&str> = value.split_whitespace().collect();
    let (passed, other) = match words[..] {
        [_, passed, "out", "of", all] => (passed, all),
        [_, "✓", passed, "✗", failed] => (passed, failed),
        _ => return,
    };
    let (Number::Clear(passed), Number::Clear(other)) = (number(passed), number(other)) else {
        return facts.0.push(Fact::Unclear);
    };
    let all = if words.contains(&"of") { other } else { passed + other };
    facts.figure(Key::Checks, Number::Clear(all));
    facts.figure(Key::FailedChecks, Number::Clear(all - passed));
}

fn document(leaves: &[Leaf], lines: &mut Lines) {
    if !leaves.iter().any(|leaf| leaf.path.starts_with("metrics/http_reqs/")) {
        return;
    }
    for leaf in leaves {
        // `handleSummary` has the figures of a metric one level deeper.
        let path = leaf.path.replacen("/values/", "/", 1);
        let Some((metric, name)) =
            path.strip_prefix("metrics/").and_then(|path| path.split_once('/'))
        else {
            continue;
        };
        if metric == "checks" && ["passes", "fails"].contains(&name) {
            lines.adds(Key::Checks, leaf);
        }
        let (key, per) = match (metric, name) {
            ("http_reqs", "count") => (Key::Operations, 1.0),
            ("http_reqs", "rate") => (Key::Rate, 1.0),
            ("http_req_failed", "passes") => (Key::Failed, 1.0),
            ("checks", "fails") => (Key::FailedChecks, 1.0),
            ("dropped_iterations", "count") => (Key::Unsent, 1.0),
            ("vus_max", "max") => (Key::Connections, 1.0),
            ("data_received", "count") => (Key::Bytes, 1.0),
            ("data_received", "rate") => (Key::BytesPerSecond, 1.0),
            ("http_req_connecting", "avg") => (Key::ConnectMean, 1e3),
            ("http_req_duration", name) => {
                lines.figure(statistic(name), leaf, 1e3);
                continue;
            }
            _ => continue,
        };
        lines.figure(key, leaf, per);
    }
}
