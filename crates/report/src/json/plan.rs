//! The plan's part of the report: what was requested, in seconds, and what the pilot chose.

use super::{list, seconds, without_nulls};
use crate::{View, words};
use judge::objectives;
use record::{
    Arrivals, Contender, ContenderQuestion, LengthRule, Metric, PilotChoice, Question, Reuse,
};
use serde_json::{Value, json};

pub(super) fn plan(view: &View) -> Value {
    let plan = view.plan();
    let question = &plan.question;
    let contenders = plan.contenders.iter().enumerate();
    let contenders = contenders.map(|(number, of)| contender(of, question.contenders.get(number)));
    json!({
        "hash": view.header.plan_hash,
        "seed": plan.seed,
        "command": plan.command,
        "contenders": contenders.collect::<Value>(),
        "interleave": plan.interleave,
        "slice": plan.slice_ns.map(seconds),
        "round": seconds(plan.round_ns),
        "rounds": plan.rounds,
        "restarts": question.restarts,
        "interim_looks": question.interim_looks,
        "look_levels": look_levels(question),
        "see": question.length.see(),
        "within": question.length.within_ns().map(seconds),
        "requirements": plan.requirements,
        "warm_up": seconds(plan.warm_up_ns),
        "generator_cores": plan.generator_cores,
        "question": self::question(question),
        "pilot": view.pilot.map(|chosen| pilot(chosen, question)),
    })
}

/// The error that each family spends at each look of short rounds. Empty for all other runs.
fn look_levels(question: &Question) -> Vec<f64> {
    match &question.length {
        LengthRule::ShortRounds { looks, .. } if !question.interim_looks.is_empty() => {
            looks.iter().map(|look| look.level).collect()
        }
        _ => Vec::new(),
    }
}

/// One contender as requested.
fn contender(of: &Contender, known: Option<&ContenderQuestion>) -> Value {
    let (request, workload) = (of.asks.request(), of.asks.workload());
    let messages = of.asks.messages().map(|of| {
        let messages = json!({ "kind": of.kind, "bytes": of.bytes, "members": of.members });
        without_nulls(messages, &["members"])
    });
    let contender = json!({
        "name": of.name,
        "target": of.target,
        "revision": of.revision,
        "launch": of.launch,
        "address": of.address.to_string(),
        "connections": of.intensity.connections,
        "depth": of.intensity.depth,
        "workload": workload.map(|workload| words::workload(workload, of.intensity.depth)),
        "database": words::database(&of.asks),
        "skew": of.asks.skew(),
        "reuse": reuse(of.reuse),
        "arrivals": arrivals(of.intensity.arrivals),
        "rate": of.intensity.arrivals.rate(),
        "groups": groups(of),
        "timeout": seconds(of.timeout_ns),
        "operations": of.operations,
        "method": request.map(|request| &request.method),
        "header_names": of.asks.header_names(),
        "body_bytes": request.map_or(0, |request| request.body_bytes),
        "expect": request.map_or(&[][..], |request| &request.expect),
        "messages": messages,
        "tls": of.tls,
        "consistency": of.consistency,
        "replication": of.replication,
        "sharding": of.sharding,
        "cpu_in_sight": known.map(|known| known.cpu_in_sight),
        "port_limit": known.and_then(|known| known.port_limit),
    });
    let optional = ["revision", "database", "messages", "consistency", "replication", "sharding"];
    without_nulls(contender, &optional)
}

/// As users write it: `always`, `never` or a number of operations; or the pool.
fn reuse(of: Reuse) -> Value {
    match of {
        Reuse::Always => json!("always"),
        Reuse::Never => json!("never"),
        Reuse::Times(operations) => json!(operations),
        Reuse::Pool(pool) => json!({
            "pool": {
                "max": pool.max,
                "wait": seconds(pool.wait_ns),
                "maintenance": pool.maintenance,
            },
        }),
    }
}

/// The name of the arrivals.
fn arrivals(of: Arrivals) -> &'static str {
    match of {
        Arrivals::Closed => "closed",
        Arrivals::Constant(_) => "constant",
        Arrivals::Poisson(_) => "poisson",
    }
}

/// The load of each group.
fn groups(of: &Contender) -> Value {
    let workload = of.asks.workload();
    let mix = |number: usize| Some(words::mix(workload?, workload?.mixes().get(number)?));
    let groups = of.groups.iter().enumerate().map(|(number, group)| {
        json!({
            "name": group.name,
            "connections": group.intensity.connections,
            "depth": group.intensity.depth,
            "arrivals": arrivals(group.intensity.arrivals),
            "rate": group.intensity.arrivals.rate(),
            "mix": mix(number),
        })
    });
    groups.collect()
}

fn question(of: &Question) -> Value {
    let paths = |metrics: &[Metric]| list(metrics, |metric| json!(metric.path()));
    let objectives: Vec<String> = of.objectives.iter().map(|of| objectives::show(*of)).collect();
    let question = json!({
        "primary": of.primary.path(),
        "objectives": Some(objectives).filter(|objectives| !objectives.is_empty()),
        "secondary": paths(&of.secondary),
        "groups": list(&of.groups, |group| json!({
            "name": group.name,
            "metrics": paths(&group.metrics),
        })),
        "requests": of.requests,
        "is_ranked": Some(true).filter(|_| of.is_ranked),
        "is_suite": Some(true).filter(|_| of.is_suite),
        "control": of.control.map(|pair| of.name_of(pair.b)),
        "load_points": Some(&of.load_points).filter(|points| !points.is_empty()),
        "blocks": Some(blocks(of)).filter(|blocks| !blocks.is_empty()),
        "pairs": list(&of.pairs, |pair| json!({
            "a": of.name_of(pair.a),
            "b": of.name_of(pair.b),
        })),
        "alpha": of.alpha,
        "matters": of.matters,
        "expect_different": of.expect_different,
        "shares_core": of.shares_core,
    });
    without_nulls(
        question,
        &["objectives", "is_ranked", "is_suite", "control", "load_points", "blocks"],
    )
}

/// The names of the contenders of each round.
fn blocks(of: &Question) -> Vec<Vec<&str>> {
    let names = |block: &Vec<u32>| block.iter().map(|number| of.name_of(*number)).collect();
    of.blocks.iter().map(names).collect()
}

fn pilot(of: &PilotChoice, question: &Question) -> Value {
    let seen = of.saw.iter().zip(&question.contenders).enumerate();
    let contenders = seen.map(|(number, (saw, asked))| {
        json!({
            "name": asked.name,
            "burn_in": of.burn_in_ns.get(number).copied().map(seconds),
            "throughput": saw.throughput,
            "p50": seconds(saw.p50_ns),
            "p99": seconds(saw.p99_ns),
            "generator_idle": saw.generator_idle,
            "cpu_at_rest": saw.cpu_at_rest,
        })
    });
    json!({
        "interleave": of.interleave,
        "slice": seconds(of.slice_ns),
        "round": seconds(of.round_ns),
        "why": of.why,
        "contenders": contenders.collect::<Value>(),
    })
}
