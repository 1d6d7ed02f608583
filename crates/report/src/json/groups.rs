//! The measurements of one group, and its load.

use super::figures::{Figure, OutcomesData, Round, Times, outcomes, round, times};
use super::kinds::{self, KindData};
use crate::{View, words};
use judge::verdict::{ContenderSummary, Sent};
use record::{Arrivals, Contender, seen::Connections};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct GroupData<'a> {
    name: &'a str,
    operations: u64,
    sent: Sent,
    unsent: u64,
    burn_in_excluded: u64,
    latency_samples: u64,
    without_latency: u64,
    metrics: Metrics,
    kinds: Vec<KindData>,
    outcomes: OutcomesData,
    connections: &'a Connections,
    rounds: Vec<Round>,
}

#[derive(Serialize)]
struct Metrics {
    throughput: Figure,
    response_time: Times,
    service_time: Times,
    send_lag: Times,
}

/// The load of one group.
#[derive(Serialize)]
pub(super) struct GroupOrder<'a> {
    name: &'a str,
    connections: u32,
    depth: u32,
    arrivals: &'static str,
    rate: Option<f64>,
    mix: Option<String>,
}

pub(super) fn of<'a>(view: &View, contender: &'a ContenderSummary) -> Vec<GroupData<'a>> {
    let groups = contender.groups.iter();
    let data = groups.map(|of| GroupData {
        name: &of.name,
        operations: of.operations,
        sent: of.sent,
        unsent: of.unsent,
        burn_in_excluded: of.burn_in_excluded,
        latency_samples: of.histogram.len(),
        without_latency: of.without_latency,
        metrics: Metrics {
            throughput: Figure { value: of.throughput, unit: "1/s" },
            response_time: times(of.response_time),
            service_time: times(of.service_time),
            send_lag: times(of.send_lag),
        },
        kinds: kinds::of(view, contender, &of.kinds),
        outcomes: outcomes(&of.outcomes, view.code_names(contender)),
        connections: &of.connections,
        rounds: of.rounds.iter().map(round).collect(),
    });
    data.collect()
}

pub(super) fn orders(of: &Contender) -> Vec<GroupOrder<'_>> {
    let workload = of.asks.workload();
    let mix = |at: usize| {
        let workload = workload?;
        Some(words::mix(workload, workload.mixes().get(at)?))
    };
    let each = of.groups.iter().enumerate();
    let orders = each.map(|(at, group)| GroupOrder {
        name: &group.name,
        connections: group.intensity.connections,
        depth: group.intensity.depth,
        arrivals: arrivals(group.intensity.arrivals),
        rate: group.intensity.arrivals.rate(),
        mix: mix(at),
    });
    orders.collect()
}

/// The name of the arrivals.
pub(super) fn arrivals(of: Arrivals) -> &'static str {
    match of {
        Arrivals::Closed => "closed",
        Arrivals::Constant(_) => "constant",
        Arrivals::Poisson(_) => "poisson",
    }
}
