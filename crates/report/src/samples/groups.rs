//! A sample of groups: readers beside writers at a rate.

use super::{Parts, histogram, kinds::kinds, quantiles, second};
use judge::verdict::{Comparison, ContenderSummary, Word};
use record::{Arrivals, Group, GroupQuestion, Intensity, Kind, Metric, RequestPlan, Share, Work};

const NAMES: [&str; 2] = ["readers", "writers"];

/// Two stores that are equally fast for reads; one is slower for writes.
pub(crate) fn groups() -> Parts {
    let mut parts = kinds();
    let plan = &mut parts.header.plan;
    plan.question.secondary.clear();
    plan.question.groups = NAMES
        .map(|name| GroupQuestion { name: name.to_owned(), metrics: vec![Metric::ResponseP99] })
        .to_vec();
    for contender in &mut plan.contenders {
        let asked = [(20, 32, Arrivals::Closed), (2, 8, Arrivals::Constant(5000.0))];
        let groups = NAMES.iter().zip(asked).map(|(name, (connections, depth, arrivals))| Group {
            name: (*name).to_owned(),
            intensity: Intensity { connections, depth, arrivals },
        });
        contender.groups = groups.collect();
        (contender.intensity.connections, contender.intensity.depth) = (22, 32);
        let RequestPlan::Store(Work { workload, .. }) = &mut contender.asks else {
            panic!("a store")
        };
        let share = |(kind, weight)| Share { kind, weight };
        workload.commands.clear();
        workload.mix =
            [(Kind::Get, 0.9), (Kind::MultiGet(10), 0.1), (Kind::Set, 1.0)].map(share).to_vec();
        workload.groups = vec![2, 1];
    }
    for contender in &mut parts.contenders {
        contender.outcomes.ok += std::mem::take(&mut contender.outcomes.conflict);
        let mut kind = contender.kinds[0].clone();
        (kind.read, kind.update) = (None, None);
        contender.groups = NAMES.iter().map(|name| group(contender, name)).collect();
        contender.groups[0].kinds = [Kind::Get, Kind::MultiGet(10)]
            .map(|of| judge::verdict::KindSummary { kind: of, ..kind.clone() })
            .to_vec();
        contender.kinds.clear();
    }
    let of = |group: &str, made: Comparison| Comparison {
        a: "memcached".into(),
        b: "redis".into(),
        group: Some(group.to_owned()),
        ..made
    };
    parts.comparisons.truncate(1);
    let equal = second(Metric::ResponseP99, Word::Equivalent, (1.001, 0.996, 1.005));
    let slower = second(Metric::ResponseP99, Word::Slower, (1.21, 1.17, 1.26));
    parts.comparisons.extend([of("readers", equal), of("writers", slower)]);
    parts
}

/// Writers at their rate, and readers with the rest of the throughput.
fn group(of: &ContenderSummary, name: &str) -> ContenderSummary {
    let (readers, seconds) = (name == NAMES[0], 10);
    let writes = 5000 * seconds;
    let quick = readers || of.name == "memcached";
    let times = quantiles(&histogram(if quick { 0.6e-3 } else { 0.73e-3 }, 1000));
    let mut group = ContenderSummary {
        name: name.to_owned(),
        operations: if readers { of.operations - writes } else { writes },
        throughput: of.throughput.map(|rate| if readers { rate - 5000.0 } else { 5000.0 }),
        response_time: times,
        service_time: times,
        send_lag: of.send_lag,
        rounds: of.rounds.clone(),
        ..ContenderSummary::default()
    };
    group.outcomes.ok = group.operations;
    group
}
