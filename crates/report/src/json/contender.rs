//! One contender's part of the report.

use super::capacity;
use super::figures::{figure, kinds, known_times, outcomes, rounds, times};
use super::{list, seconds, unless_empty, without_nulls};
use crate::{View, words::costs};
use judge::verdict::{ContenderSummary, Finding, StoreSummary, WarmUps};
use record::{Loaded, Programs, Settled};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) fn contender(view: &View, of: &ContenderSummary) -> Value {
    let planned = view.plan().contenders.iter().find(|planned| planned.name == of.name);
    let unless_zero = |count: u64| Some(count).filter(|count| *count > 0);
    let contender = json!({
        "name": of.name,
        "target": planned.map(|planned| &planned.target),
        "withdrawn": withdrawn(view, of),
        "operations": of.operations,
        "sent": of.sent,
        "capacity": of.capacity.as_ref().map(|capacity| capacity::capacity(view, capacity)),
        "warm_ups": warm_ups(&of.warm_ups),
        "unsent": of.unsent,
        "unsent_times": unless_zero(of.unsent_times),
        "burn_in_excluded": of.burn_in_excluded,
        "latency_samples": of.histogram.len(),
        "without_latency": of.without_latency,
        "read_at_rest": unless_zero(of.read_at_rest),
        "metrics": metrics(of),
        "kinds": kinds(view, of, of),
        "groups": list(&of.groups, |group| self::group(view, of, group)),
        "requests": list(&of.requests, |of| json!({
            "name": of.name,
            "operations": of.operations,
            "throughput": figure(of.throughput, "1/s"),
        })),
        "outcomes": outcomes(view, of, of),
        "codes": of.codes,
        "connections": of.connections,
        "generator_idle": of.generator_idle,
        "target_cost": target_cost(view, of),
        "store": of.store.as_ref().map(store),
        "rounds": rounds(of),
        "latency_curve": list(&of.latency_curve, |(share, time)| json!({
            "share": share,
            "response_time": time,
        })),
        "slices": list(&of.slices, |(start, throughput)| json!({
            "start": start,
            "throughput": throughput,
        })),
        "histogram": Some(&of.histogram).filter(|histogram| !histogram.is_empty()),
        "agents": Some(&of.agents).filter(|agents| !agents.is_empty()),
    });
    without_nulls(
        contender,
        &["withdrawn", "capacity", "warm_ups", "unsent_times", "read_at_rest", "agents"],
    )
}

/// When a contender left and why: its figures are those before.
fn withdrawn<'a>(view: &View<'a>, of: &ContenderSummary) -> Option<&'a str> {
    let is_about = |it: &&Finding| it.contender.as_deref() == Some(of.name.as_str());
    let mut left = view.findings.iter().filter(|finding| finding.rule == "withdrawn");
    left.find(is_about).map(|finding| finding.evidence.as_str())
}

/// The measurements of one group.
fn group(view: &View, contender: &ContenderSummary, of: &ContenderSummary) -> Value {
    json!({
        "name": of.name,
        "operations": of.operations,
        "sent": of.sent,
        "unsent": of.unsent,
        "burn_in_excluded": of.burn_in_excluded,
        "latency_samples": of.histogram.len(),
        "without_latency": of.without_latency,
        "metrics": {
            "throughput": figure(of.throughput, "1/s"),
            "response_time": times(of.response_time),
            "service_time": times(of.service_time),
            "send_lag": times(of.send_lag),
        },
        "kinds": kinds(view, contender, of),
        "outcomes": outcomes(view, contender, of),
        "connections": of.connections,
        "rounds": rounds(of),
    })
}

/// Warm-ups that were ended by a test.
fn warm_ups(of: &WarmUps) -> Option<Value> {
    (of.number > 0).then(|| {
        json!({
            "number": of.number,
            "first": seconds(of.first_ns),
            "longest": seconds(of.longest_ns),
            "not_levelled": of.cold,
        })
    })
}

fn metrics(of: &ContenderSummary) -> Value {
    let phases = &of.phases;
    let server = phases.server.iter().map(|(part, took)| (part, times(*took)));
    let server: BTreeMap<&String, Value> = server.collect();
    let metrics = json!({
        "throughput": figure(of.throughput, "1/s"),
        "response_time": times(of.response_time),
        "service_time": times(of.service_time),
        "send_lag": times(of.send_lag),
        "connect_time": times(of.connect_time),
        "tls_time": times(of.tls_time),
        "first_byte_time": times(of.first_byte_time),
        "acquire_time": known_times(phases.acquire),
        "log_in_time": known_times(phases.log_in),
        "upgrade_time": times(phases.upgrade),
        "prepare_time": known_times(phases.prepare),
        "fetch_time": known_times(phases.fetch),
        "server_times": Some(server).filter(|server| !server.is_empty()),
        "generator_cpu_per_operation": figure(of.generator_cpu_per_operation, "s"),
        "own_cpu_per_operation": figure(of.own_cpu_per_operation, "s"),
        "own_cpu_measured_before": figure(of.own_cost_age_s.map(|age| age as f64), "s"),
        "target_cpu_per_operation": figure(of.target.cpu_per_operation, "s"),
        "target_peak_memory": of.target.middle_peak_memory.map(|bytes| figure(Some(bytes), "B")),
    });
    let optional = [
        "target_peak_memory",
        "acquire_time",
        "log_in_time",
        "prepare_time",
        "fetch_time",
        "server_times",
    ];
    without_nulls(metrics, &optional)
}

/// Not named `target`, which is its URL.
fn target_cost(view: &View, of: &ContenderSummary) -> Value {
    let target = &of.target;
    // The journal leaves out an empty list of nodes, this report does not.
    let nodes = target.nodes.as_ref();
    let nodes = nodes.map(|of| json!({ "driven": of.driven, "not_dialled": of.not_dialled }));
    let cost = json!({
        "cpu_source": target.cpu_source,
        "cpu_unavailable": target.cpu_unavailable,
        "cpu_at_rest": target.cpu_at_rest,
        "busy": target.busy,
        "cores": costs::cores(view, of),
        "shares_process_with": target.shares_process_with,
        "not_included": Some(&target.behind).filter(|behind| !behind.is_empty()),
        "peak_memory_bytes": target.peak_memory_bytes,
        "memory_source": target.memory_source.as_deref().and_then(unless_empty),
        "launches": target.launches,
        "watch": target.watch,
        "runs": runs(&target.programs),
        "facts": target.facts,
        "nodes": nodes,
    });
    without_nulls(cost, &["not_included", "watch", "nodes"])
}

/// Costs of whole programs, summed over the rounds.
fn runs(all: &Programs) -> Option<Value> {
    (!all.is_empty()).then(|| {
        json!({
            "count": all.runs,
            "failed": all.failed,
            "wall": seconds(all.wall_ns),
            "user": seconds(all.user_ns),
            "system": seconds(all.system_ns),
            "output_bytes": all.output_bytes,
            "left_behind": all.outlived,
        })
    })
}

/// What a store reported about itself.
fn store(of: &StoreSummary) -> Value {
    json!({
        "load": of.loaded.as_ref().map(load),
        "items": of.items,
        "bytes": of.bytes,
        "evicted": of.evicted,
        "unreachable": of.unreachable,
        "shared_with": of.shared_with,
    })
}

fn load(of: &Loaded) -> Value {
    json!({
        "how": of.how,
        "why": of.why,
        "keys": of.keys,
        "from": of.from,
        "written": of.written,
        "failed": of.failed,
        "ended_at": of.ended_at,
        "took": seconds(of.took_ns),
        "settled": of.settled.as_ref().map(settled),
    })
}

fn settled(of: &Settled) -> Value {
    let cores = |permille: u64| permille as f64 / 1e3;
    match of {
        Settled::Compactions { left, nodes, took_ns } => json!({
            "by": "compactions",
            "left": left,
            "nodes": nodes,
            "took": seconds(*took_ns),
        }),
        Settled::Cpu { why, permille, limit, took_ns } => json!({
            "by": "cpu",
            "cores": cores(*permille),
            "limit": cores(*limit),
            "took": seconds(*took_ns),
            "why": why,
        }),
        Settled::Unseen { why } => json!({ "by": "unseen", "why": why }),
    }
}
