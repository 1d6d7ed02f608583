//! A sample of stores with several kinds of operation, one of which has two halves.

use super::{Parts, compare, comparison, histogram, quantiles, second};
use judge::verdict::{Comparison, KindSummary, Quantiles, Word};
use record::{
    Distribution, Kind, Metric, RequestPlan, Share, Skew, Step, ValueBytes, Verify, Work, Workload,
};

/// Two stores with different distributions of keys; on one of them some conditional writes
/// failed.
pub(crate) fn kinds() -> Parts {
    let mut parts = compare(&[("memcached", 98_200.0), ("redis", 91_700.0)], 10);
    let ratios = [0.93, 0.94, 0.93, 0.92, 0.95, 0.93, 0.94, 0.93, 0.92, 0.94];
    let pair = |made: Comparison| Comparison { a: "memcached".into(), b: "redis".into(), ..made };
    parts.comparisons = vec![
        comparison("memcached", "redis", Word::Slower, (0.934, 0.926, 0.941), &ratios),
        pair(second(Metric::ResponseP99, Word::Slower, (1.08, 1.05, 1.12))),
    ];
    for (number, contender) in parts.header.plan.contenders.iter_mut().enumerate() {
        let scheme = ["memcached", "redis"][number];
        contender.target = format!("{scheme}://127.0.0.1:{}", [11_211, 6379][number]);
        let last = [Kind::Cas, Kind::Command(0)][number];
        let skew = Skew { hottest: 0.0378, top_1_percent: 0.304, top_10_percent: 0.449 };
        let workload = workload(number, last);
        contender.asks = RequestPlan::Store(Work { workload, skew: Some(skew) });
    }
    for (number, contender) in parts.contenders.iter_mut().enumerate() {
        let operations = contender.operations;
        let last = [Kind::Cas, Kind::Command(0)][number];
        let kind =
            |kind: Kind, share: u64, typical: f64| of_kind(kind, operations / share, typical);
        contender.kinds = vec![
            kind(Kind::Get, 2, 0.61e-3),
            kind(last, 10, 1.3e-3),
            kind(Kind::ReadModifyWrite, 4, 1.27e-3),
        ];
        contender.kinds.sort_by_key(|seen| seen.kind);
    }
    let outcomes = &mut parts.contenders[0].outcomes;
    (outcomes.ok, outcomes.conflict) = (outcomes.ok - 1_204, 1_204);
    parts
}

pub(super) fn workload(contender: usize, last: Kind) -> Workload {
    let share = |(kind, weight)| Share { kind, weight };
    let step = |bytes, weight| Step { bytes, weight };
    let words = ["ZADD", "board", "{number}", "{key}"].map(str::to_owned).to_vec();
    Workload {
        prefix: format!("tiebreak{contender:02}:"),
        keys: 100_000,
        distribution: Distribution::YcsbZipfian,
        hot: 1.0,
        value: ValueBytes::Steps(vec![step(32, 70.0), step(1000, 25.0), step(64_000, 5.0)]),
        compressible: true,
        keys_as: record::KeysAs::Number,
        values_as: record::ValuesAs::Version,
        mix: [(Kind::Get, 0.5), (Kind::ReadModifyWrite, 0.4), (last, 0.1)].map(share).to_vec(),
        verify: Verify::Sample,
        commands: if contender == 1 { vec![words] } else { Vec::new() },
        custom: record::Custom::default(),
        groups: Vec::new(),
    }
}

pub(super) fn of_kind(kind: Kind, operations: u64, typical: f64) -> KindSummary {
    let times = |typical: f64| quantiles(&histogram(typical, 1000));
    let half = |typical: f64| {
        let of: (u64, Quantiles) = (operations, times(typical));
        Some(of).filter(|_| kind.has_halves())
    };
    KindSummary {
        kind,
        operations,
        ok: operations,
        miss: 0,
        wrong: 0,
        response_time: times(typical),
        read: half(typical * 0.48),
        update: half(typical * 0.52),
    }
}
