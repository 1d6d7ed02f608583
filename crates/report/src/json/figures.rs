//! Figures of a contender, and of each of its groups.

use judge::verdict::Quantiles;
use record::{FaultOwner, Outcomes};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(super) struct Figure {
    pub(super) value: Option<f64>,
    pub(super) unit: &'static str,
}

#[derive(Serialize)]
pub(super) struct Times {
    #[serde(flatten)]
    quantiles: Quantiles,
    unit: &'static str,
}

#[derive(Serialize)]
pub(super) struct OutcomesData {
    ok: u64,
    miss: u64,
    stale: u64,
    wrong: u64,
    conflict: u64,
    target_errors: BTreeMap<String, u64>,
    generator_errors: BTreeMap<String, u64>,
    host_errors: BTreeMap<String, u64>,
}

#[derive(Serialize)]
pub(super) struct Round {
    round: u32,
    throughput: f64,
    p50: Option<f64>,
    p99: Option<f64>,
}

impl Times {
    /// Whether no time was recorded.
    pub(super) fn is_unknown(&self) -> bool {
        self.quantiles.max.is_none()
    }
}

/// Round, operations per second, p50 and p99 in seconds.
pub(super) fn round(of: &(u32, f64, Option<f64>, Option<f64>)) -> Round {
    let (round, throughput, p50, p99) = *of;
    Round { round, throughput, p50, p99 }
}

pub(super) fn times(quantiles: Quantiles) -> Times {
    Times { quantiles, unit: "s" }
}

pub(super) fn outcomes(of: &Outcomes, code_names: &BTreeMap<u16, String>) -> OutcomesData {
    OutcomesData {
        ok: of.ok,
        miss: of.miss,
        stale: of.stale,
        wrong: of.wrong,
        conflict: of.conflict,
        target_errors: of.classes(FaultOwner::Target, code_names),
        generator_errors: of.classes(FaultOwner::Generator, code_names),
        host_errors: of.classes(FaultOwner::Host, code_names),
    }
}
