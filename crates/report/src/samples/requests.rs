//! A sample of requests that are also driven alone: one of three is slower.

use super::{Parts, kinds::of_kind, kinds::workload, second};
use judge::verdict::{Comparison, RequestSummary, Word};
use record::{Custom, CustomOperation, Kind, Metric, OperationText, RequestPlan, Share, Work};

const NAMES: [&str; 3] = ["home", "search", "order"];

/// Two web servers of three requests.
pub(crate) fn requests() -> Parts {
    let mut parts = super::faster();
    parts.findings.clear();
    parts.header.plan.question.requests = NAMES.map(str::to_owned).to_vec();
    for contender in &mut parts.header.plan.contenders {
        let request = contender.asks.request().cloned().expect("web servers");
        contender.asks = RequestPlan::Requests { request, work: work() };
    }
    for contender in &mut parts.contenders {
        let share = contender.operations / 3;
        contender.kinds = (0..3).map(|at| of_kind(Kind::Custom(at), share, 1.3e-3)).collect();
        let alone = |name: &&str| RequestSummary {
            name: (*name).to_owned(),
            operations: share,
            throughput: contender.throughput,
        };
        contender.requests = NAMES.iter().map(alone).collect();
    }
    let old = parts.contenders[0].requests[2].throughput;
    parts.contenders[1].requests[2].throughput = old.map(|rate| rate * 0.95);
    let of = |request: &str, word, ratio| Comparison {
        request: Some(request.to_owned()),
        ..second(Metric::Throughput, word, ratio)
    };
    parts.comparisons.extend([
        of("home", Word::Equivalent, (1.001, 0.994, 1.006)),
        of("search", Word::Undecided, (1.006, 0.985, 1.024)),
        of("order", Word::Slower, (0.950, 0.941, 0.958)),
    ]);
    parts
}

fn work() -> Work {
    let operation = |name: &str| CustomOperation {
        name: name.to_owned(),
        parameters: Vec::new(),
        says: OperationText::Request {
            method: "GET".to_owned(),
            target: format!("/{name}"),
            header_names: Vec::new(),
            body_bytes: 0,
        },
    };
    let mut workload = workload(0, Kind::Get);
    workload.mix = (0..3).map(|at| Share { kind: Kind::Custom(at), weight: 1.0 }).collect();
    workload.commands.clear();
    workload.custom = Custom { operations: NAMES.map(operation).to_vec(), ..Custom::default() };
    Work { workload, skew: None }
}
