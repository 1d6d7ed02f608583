//! The report of `tiebreak conformance null`: what each lane costs by itself.

use super::Style;
use super::terminal::plain_table;
use judge::stats::quantile::median;
use record::Host;
use serde::Serialize;
use text::shown::shown;
use text::units;

/// Name of the JSON schema: `schema/null.v1.json`.
pub const SCHEMA: &str = "tiebreak.null/1";
/// A generator that was busy for less than this share of its time did not limit the rate.
const BUSY_FROM: f64 = 0.95;
/// From this share of stolen or waited time on there is a caution.
const DISTURBED_FROM: f64 = 0.02;

/// The measurements of all lanes.
#[derive(Clone, Debug, Serialize)]
pub struct OwnCosts {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// Version of tiebreak.
    pub version: &'static str,
    /// Start, UTC, RFC 3339.
    pub started: String,
    /// Number of rounds.
    pub rounds: u32,
    /// How long each lane was driven in a round, in seconds.
    pub round: f64,
    /// Connections of each lane.
    pub connections: u32,
    /// The core that the generator ran on.
    pub generator_core: u32,
    /// The core of the null server. None if it shared the generator's.
    pub server_core: Option<u32>,
    /// Share of its time that the generator waited for its core.
    pub waited: f64,
    /// Time that the hypervisor stole from all cores, by time driven.
    pub stolen: f64,
    /// The lanes, in the order in which they were requested.
    pub lanes: Vec<OwnCost>,
    /// The machine.
    pub host: Host,
}

/// The measurements of one lane.
#[derive(Clone, Debug, Serialize)]
pub struct OwnCost {
    /// The protocol.
    pub protocol: &'static str,
    /// Operations in flight on a connection.
    pub depth: u32,
    /// `persistent` or `fresh`.
    pub connections: &'static str,
    /// Operations of all rounds.
    pub operations: u64,
    /// Operations without the correct reply.
    pub failed: u64,
    /// CPU time of the generator for each operation, in seconds.
    pub cpu_per_operation: Spread,
    /// Operations per second.
    pub throughput: Spread,
    /// Share of its time that the generator's thread ran, or waited for its core.
    pub busy: f64,
}

impl OwnCost {
    fn name(&self) -> String {
        lane_name(self.protocol, self.depth, self.connections == "fresh")
    }
}

/// `RESP2 x16`, `HTTP/1.1 fresh`.
pub fn lane_name(protocol: &str, depth: u32, fresh: bool) -> String {
    match (fresh, depth) {
        (true, _) => format!("{protocol} fresh"),
        (_, 1) => protocol.to_owned(),
        (_, depth) => format!("{protocol} x{depth}"),
    }
}

/// A figure over the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The lowest.
    pub low: f64,
    /// The highest.
    pub high: f64,
    /// `s` or `1/s`.
    pub unit: &'static str,
}

impl Spread {
    /// Computes it from the figures of one or more rounds.
    pub fn of(mut figures: Vec<f64>, unit: &'static str) -> Spread {
        figures.sort_by(f64::total_cmp);
        let median = median(&figures).expect("there is a round");
        Spread { median, low: figures[0], high: figures[figures.len() - 1], unit }
    }
}

/// As JSON, with a newline at its end.
pub fn json(costs: &OwnCosts) -> String {
    // It has no maps with unusual keys and does no I/O, so nothing can fail.
    serde_json::to_string_pretty(costs).expect("figures are always JSON") + "\n"
}

/// For the terminal.
pub fn terminal(costs: &OwnCosts, style: Style) -> String {
    let head = ["lane", "CPU/op", "of all rounds", "op/s", "of all rounds", "busy"];
    let rows: Vec<Vec<String>> = costs.lanes.iter().map(row).collect();
    plain_table(&head, &rows, &remarks(costs), style)
}

fn row(of: &OwnCost) -> Vec<String> {
    let (cpu, rate) = (of.cpu_per_operation, of.throughput);
    let seconds = |figure| units::seconds(Some(figure));
    let per_second = |figure| units::rate(Some(figure));
    vec![
        of.name(),
        seconds(cpu.median),
        format!("{} to {}", seconds(cpu.low), seconds(cpu.high)),
        per_second(rate.median),
        format!("{} to {}", per_second(rate.low), per_second(rate.high)),
        units::percent(of.busy),
    ]
}

/// What was measured, on what machine, and what makes the figures less reliable.
fn remarks(costs: &OwnCosts) -> Vec<String> {
    let server = match costs.server_core {
        Some(core) => format!("the null server on core {core}"),
        None => "the null server on the same core, because there is no other".to_owned(),
    };
    let mut all = vec![format!(
        "medians of {} rounds of {} each, and the lowest and highest round; one worker on core \
         {}, {server}; {} to each lane; {}, {}",
        costs.rounds,
        units::round_seconds(costs.round),
        costs.generator_core,
        units::counted(costs.connections.into(), "connection"),
        shown(&costs.host.cpu),
        shown(&costs.host.kernel),
    )];
    all.push(format!(
        "the machine: the generator waited for its core for {} of its time, and the hypervisor \
         stole {} of a core",
        units::percent(costs.waited),
        units::percent(costs.stolen)
    ));
    if costs.waited.max(costs.stolen) >= DISTURBED_FROM {
        all.push(
            "caution: other work disturbed the machine; measure again when it is idle".to_owned(),
        );
    }
    for of in costs.lanes.iter().filter(|of| of.failed > 0) {
        let failed = units::count(of.failed);
        all.push(format!("caution: {}: {failed} operations without the correct reply", of.name()));
    }
    if costs.lanes.iter().any(|of| of.busy < BUSY_FROM) {
        all.push(format!(
            "where the generator was busy for less than {} of its time, the null server was the \
             slower part: CPU/op is valid, but the generator's highest rate is above op/s",
            units::percent(BUSY_FROM)
        ));
    }
    all
}

#[cfg(test)]
pub(super) fn example() -> OwnCosts {
    let spread = |median: f64, unit| Spread::of(vec![0.9 * median, median, 1.2 * median], unit);
    let lane = |protocol, depth, cpu: f64, busy| OwnCost {
        protocol,
        depth,
        connections: "persistent",
        operations: 1_000_000,
        failed: 0,
        cpu_per_operation: spread(cpu, "s"),
        throughput: spread(busy / cpu, "1/s"),
        busy,
    };
    let host = Host { cpu: "A CPU".to_owned(), kernel: "Linux 6.1".to_owned(), ..Host::default() };
    OwnCosts {
        schema: SCHEMA,
        version: "0.1.0",
        started: "2026-01-02T03:04:05Z".to_owned(),
        rounds: 10,
        round: 0.2,
        connections: 32,
        generator_core: 1,
        server_core: Some(0),
        waited: 0.001,
        stolen: 0.03,
        lanes: vec![lane("HTTP/1.1", 1, 3.1e-6, 0.99), lane("RESP2", 16, 5.2e-7, 0.8)],
        host,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::validator;
    use super::*;

    #[test]
    fn the_table() {
        let mut costs = example();
        costs.lanes[1].failed = 3;
        let printed = terminal(&costs, Style { colour: false, width: 100 });
        let printed = printed.replace(units::JOINT, " ");
        let table: Vec<&str> = printed.lines().take(3).collect();
        let wanted = [
            "  lane         CPU/op        of all rounds       op/s          of all rounds   busy",
            "  HTTP/1.1    3.10 µs   2.79 µs to 3.72 µs    319 k/s     287 k/s to 383 k/s   99 %",
            "  RESP2 x16    520 ns     468 ns to 624 ns   1.54 M/s   1.38 M/s to 1.85 M/s   80 %",
        ];
        assert_eq!(table, wanted, "{printed}");
        let cautions: Vec<&str> = printed.lines().filter(|line| line.contains("caution")).collect();
        assert_eq!(
            cautions,
            [
                "  caution: other work disturbed the machine; measure again when it is idle",
                "  caution: RESP2 x16: 3 operations without the correct reply",
            ]
        );
        assert!(printed.contains("the null server was the"), "{printed}");
    }

    #[test]
    fn the_json_is_as_the_schema_says() {
        let schema = include_str!("../../../schema/null.v1.json");
        let schema = serde_json::from_str(schema).expect("JSON");
        let mut value: serde_json::Value = serde_json::from_str(&json(&example())).expect("JSON");
        assert_eq!(validator::wrong_by(&schema, &value), Vec::<String>::new());
        value["lanes"][0]["depth"] = serde_json::json!("deep");
        value["lanes"][1].as_object_mut().expect("an object").remove("busy");
        assert_eq!(validator::wrong_by(&schema, &value).len(), 2);
    }

    #[test]
    fn medians_lie_in_the_middle() {
        let of = |figures: &[f64]| Spread::of(figures.to_vec(), "s");
        assert_eq!(of(&[3.0]), Spread { median: 3.0, low: 3.0, high: 3.0, unit: "s" });
        assert_eq!(of(&[9.0, 1.0, 3.0]), Spread { median: 3.0, low: 1.0, high: 9.0, unit: "s" });
        assert_eq!(of(&[4.0, 1.0]).median, 2.5);
    }
}
