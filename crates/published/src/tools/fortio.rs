//! fortio load.

use super::{Facts, Section, Tool, USUAL, WITH_PERCENTILES, first, percentile};
use crate::key::{Fact, Key, Label};
use crate::numbers::{Number, followed_by, number, seconds};

pub(super) static TOOL: Tool = Tool {
    name: "fortio",
    prints: WITH_PERCENTILES,
    clock: 0.001,
    silent: true,
    shows_statuses: true,
    owns,
    line,
    ..USUAL
};

fn owns(line: &str) -> bool {
    line.starts_with("Fortio ") && line.contains(" running at ")
        || line.starts_with("Starting at ") && line.contains(" qps with ")
        || line.starts_with("Aggregated Function Time : count ")
        || line.starts_with("Ended after ") && line.contains(" calls. qps=")
        || line.starts_with("All done ") && line.ends_with(" qps")
}

/// The section of the times of replies; other sections have percentiles as well.
const OF_REPLIES: &str = "Aggregated Function Time";
const SECTIONS: &[&str] =
    &[OF_REPLIES, "Aggregated Sleep Time", "Error cases", "Connection time", "Response "];
/// The last line. An author may quote a line of the run below it.
const ENDED: &str = "All done";

fn line(text: &str, section: &mut Section, facts: &mut Facts) {
    read(text, section, facts);
    if *section == ENDED && owns(text) {
        section.clear();
        facts.0.insert(0, Fact::Begins);
    } else if *section == ENDED {
        facts.0.clear();
    }
    if text.starts_with(ENDED) {
        *section = ENDED.to_owned();
    } else if *section != ENDED
        && let Some(heading) = SECTIONS.iter().find(|heading| text.starts_with(**heading))
    {
        *section = (*heading).to_owned();
    }
}

fn read(line: &str, section: &Section, facts: &mut Facts) {
    if line.starts_with("Fortio ") {
        facts.begins();
        first_line(line, facts);
    } else if let Some(rest) = line.strip_prefix("Starting at ") {
        if let Some((rate, rest)) = rest.split_once(" qps with ") {
            facts.optional(Key::AskedRate, number(rate));
            facts.figure(Key::Connections, first(rest));
        }
    } else if let Some(rest) = line.strip_prefix("Ended after ") {
        ended(rest, facts);
    } else if let Some(rest) = line.strip_prefix("Aggregated Function Time : ") {
        times(rest, facts);
    } else if let Some(rest) = line.strip_prefix("# target ").filter(|_| section == OF_REPLIES) {
        if let Some((percent, value)) = rest.split_once("% ") {
            facts.figure(percentile(percent), number(value));
        }
    } else if line.starts_with("Sockets used: ") {
        // Without errors there is one socket for each connection.
        let needed = line.split_once("would be ").map_or("", |(_, needed)| needed);
        facts.part(Key::Connections, number(needed.trim_end_matches(')')));
    } else if line.starts_with("All done ") {
        // Its figures count if the line `Ended after` is missing.
        facts.part(Key::Operations, first(line.trim_start_matches("All done ")));
        let rest = line.strip_suffix(" qps").and_then(|rest| rest.rsplit_once(", "));
        let (before, rate) = rest.unwrap_or_default();
        facts.part(Key::Rate, number(rate));
        let mean = before.strip_suffix(" avg").and_then(|rest| rest.rsplit_once(") "));
        facts.part(Key::Mean, seconds(mean.map_or("", |(_, mean)| mean)));
    } else if line.starts_with("Response Body") {
        // Sizes can include headers; nothing at all is an empty body.
        if line.contains(" avg 0 ") {
            facts.figure(Key::ReplyBytes, Number::Clear(0.0));
        }
    } else if let Some((result, count)) = other_result(line) {
        let failed = if GOOD.contains(&result) { Number::Clear(0.0) } else { first(count) };
        facts.adds(Key::Errors, failed);
    } else if let Some(rest) = line.strip_prefix("Code ")
        && let Some((code, count)) = rest.split_once(':')
    {
        match code.trim().parse() {
            Ok(code @ 100..=599) => facts.figure(Key::Status(code), first(count)),
            // No reply.
            _ => facts.adds(Key::Errors, first(count)),
        }
    }
}

/// `Fortio 1.60.3 running at 400 queries per second, 4->4 procs, for 15s: tcp://10.0.0.7:7000`
fn first_line(line: &str, facts: &mut Facts) {
    let (settings, target) = line.rsplit_once(": ").unwrap_or((line, ""));
    facts.text(Label::Target, target);
    let rate = settings.split_once(" running at ").map_or("", |(_, rate)| rate);
    facts.optional(Key::AskedRate, followed_by(rate, "queries per second"));
    // Instead of a duration it can have a number of calls.
    let until = settings.rsplit_once(", for ").map_or("", |(_, until)| until);
    facts.optional(Key::AskedDuration, seconds(until));
}

/// What connections without HTTP print for a success.
const GOOD: &[&str] = &["OK", "SERVING"];

/// `tcp OK : 40 (100.0 %)`, `Health SERVING : 40`: the results of connections without HTTP.
fn other_result(line: &str) -> Option<(&str, &str)> {
    let (result, count) = line.split_once(" : ")?;
    let kinds = ["tcp ", "udp ", "Health ", "Ping "];
    Some((kinds.iter().find_map(|kind| result.strip_prefix(kind))?, count))
}

/// `5.02s : 40 calls. qps=7.96`
fn ended(text: &str, facts: &mut Facts) {
    let Some((duration, rest)) = text.split_once(" : ") else { return };
    facts.figure(Key::Duration, seconds(duration));
    facts.figure(Key::Operations, first(rest));
    facts.figure(Key::Rate, number(rest.split_once("qps=").map_or("", |(_, rate)| rate)));
}

/// `count 40 avg 0.0012 +/- 0.001 min 0.0008 max 0.003 sum 0.05`, in seconds
fn times(text: &str, facts: &mut Facts) {
    let words: Vec<&str> = text.split_whitespace().collect();
    for pair in words.windows(2) {
        match pair[0] {
            "avg" => facts.figure(Key::Mean, number(pair[1])),
            "min" => facts.figure(Key::Min, number(pair[1])),
            "max" => facts.figure(Key::Max, number(pair[1])),
            _ => {}
        }
    }
}
