//! Rate, mean response time and connections that do not fit each other.

use super::{Check, Checked, Rule, counts, fine, found};
use crate::key::{At, Key, Label};
use crate::run::PublishedRun;
use judge::verdict::Weight;
use text::units::{show_percent, show_seconds};

pub(super) const RULE: Rule = Rule {
    name: "littles_law",
    weight: Weight::Void,
    threshold: "For tools that wait for a reply before they send the next request: rate × mean \
                response time is the mean number of requests in flight. More than the connections \
                (× pipeline): void; a caution if the output does not show how many requests a \
                connection may have in flight, or if the rate is a mean of samples (bombardier). \
                wrk's mean may be higher by a quarter of its longest time, because it adds \
                samples. autocannon with pipelining is not checked if there were errors. Less than \
                half of the connections, although no rate was requested and nothing failed: a \
                caution.",
    why: "A connection that waits for its reply has one request in flight. More are impossible, so \
          a figure is from another run or was changed. With far fewer, the connections were idle \
          most of the time: the load generator was the slower part, or it was told to send less.",
    remedy: "Publish the complete output with the command line. If the generator was the slower \
             part, use more of its threads, or another generator.",
    check: Check::Run(check),
};

/// Share by which the product may exceed the connections: tools stop their clocks at different
/// places, and round.
const OFF: f64 = 0.1;
/// Share of the connections below which the generator stood still.
const IDLE: f64 = 0.5;

fn check(run: &PublishedRun) -> Checked {
    let (Some(rate), Some(mean), Some(connections)) =
        (run.figure(Key::Rate), run.figure(Key::Mean), run.connections())
    else {
        return fine();
    };
    let asked = run.figure(Key::AskedRate).is_some();
    if !run.tool.closed || asked || connections.value < 1.0 {
        return fine();
    }
    let pipeline = in_flight(run);
    let (failed, _, _) = counts(run, super::failed_requests::CLASSES);
    // autocannon sends a pipeline again after an error, and measures from the first time.
    if run.tool.name == "autocannon" && failed > 0.0 && pipeline.is_some_and(|of| of > 1.0) {
        return fine();
    }
    let room = connections.value * pipeline.unwrap_or(1.0);
    let step = step(run);
    let (least, most) =
        (rate.value * (mean.value - step).max(0.0), rate.value * (mean.value + step));
    let lines = [rate.line, mean.line, connections.line];
    let product = |seen: &str| {
        format!(
            "{} per second × {} are {:.1} requests in flight, {seen} {room} connections",
            rate.value,
            show_seconds(mean.value),
            rate.value * mean.value
        )
    };
    if least > (room + rate.value * added(run, room / rate.value)) * (1.0 + OFF) {
        let certain = pipeline.is_some() && !run.tool.samples_rate;
        let weight = if certain { Weight::Void } else { Weight::Caution };
        return found(weight, product("more than the"), lines);
    }
    let sends = run.tool.keeps_sending && pipeline == Some(1.0) && failed == 0.0;
    if most < IDLE * room && sends {
        let idle = show_percent(1.0 - rate.value * mean.value / room);
        let text = format!("{}, which were idle for {idle} of the time", product("with"));
        return found(Weight::Caution, text, lines);
    }
    fine()
}

/// Operations that a connection may have in flight, if that is known: as printed, as in the command
/// line, or as the tool does without being told. A script of wrk can send several at once.
fn in_flight(run: &PublishedRun) -> Option<f64> {
    let command = run.text(Label::Command).map(|at| at.value.as_str());
    let has_scripts = run.tool.name.starts_with("wrk");
    let by_script = has_scripts && command.is_some_and(|text| text.contains(" -s"));
    let of_command = command.is_some() && !by_script || run.tool.name == "wrk";
    run.figure(Key::Pipeline)
        .map(|at: At<f64>| at.value)
        .or(run.tool.in_flight)
        .or_else(|| (of_command && !by_script).then_some(1.0))
}

/// By how much wrk's mean may exceed that of the replies, in seconds. For a reply that took longer
/// than twice the mean time between replies it adds samples in steps of that time. They add most if
/// all other replies took no time; then half of all samples are evenly spread up to the longest.
fn added(run: &PublishedRun, between: f64) -> f64 {
    match run.figure(Key::Max) {
        _ if run.tool.name != "wrk" => 0.0,
        Some(max) if max.value <= 2.0 * between => 0.0,
        Some(max) => max.value / 4.0,
        None => f64::INFINITY,
    }
}

/// Half of the last digit of a printed mean, in seconds.
fn step(run: &PublishedRun) -> f64 {
    match run.tool.name {
        "ab" | "JMeter" | "locust" => 1e-3,
        "siege" | "autocannon" => 5e-3,
        "cassandra-stress" => 5e-5,
        "sysbench" | "hey" => 5e-5,
        _ => 5e-7,
    }
}
