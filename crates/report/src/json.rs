//! The report as data: `tiebreak.report/1`, described by schema/report.v1.json.
//!
//! Times are in seconds, rates in 1/s, shares from 0 to 1. A missing figure is null. Fields are
//! only ever added; their order never changes.

mod contender;
mod figures;
mod groups;
mod growth;
mod kinds;
mod plan;
mod pretty;
mod published;
mod store;
pub(super) mod sweep;

use super::{View, words};
use contender::ContenderData;
use growth::GrowthData;
use judge::belief::HeadlineStatus;
use judge::verdict::{
    Beyond, Charged, Checked, ClientShare, Comparison, Finding, GateSummary, Middle,
    RequirementStatus, Scope,
};
use plan::PlanData;
use published::PublishedData;
use record::{EndReason, Host, Metric};
use serde::Serialize;
use text::units::JOINT;

/// Name and version of the report's schema.
pub(super) const SCHEMA: &str = "tiebreak.report/1";

/// The whole report, pretty, with a newline at its end.
pub(super) fn report(view: &View) -> String {
    let report = Report {
        schema: SCHEMA,
        version: &view.header.version,
        started: &view.header.started,
        end: view.end.map(|end| EndData { reason: end.reason, detail: &end.detail }),
        journal_note: view.journal_note,
        void: view.void,
        scope: view.scope,
        headline: HeadlineData::of(view),
        complete_rounds: view.complete_rounds,
        rules_checked: view.rules_checked,
        gate: view.gate,
        plan: PlanData::of(view),
        contenders: view.contenders.iter().map(|of| ContenderData::of(view, of)).collect(),
        comparisons: view.comparisons.iter().map(ComparisonData::of).collect(),
        sweep: view.growth.map(GrowthData::of),
        published: PublishedData::of(view),
        requirements: view.checked.iter().map(RequirementData::of).collect(),
        findings: view.findings,
        host: &view.plan().host,
    };
    // It has no maps with unusual keys and does no I/O. Only a histogram that cannot be encoded
    // because memory is exhausted could fail here.
    let value = serde_json::to_value(report).expect("a report is always JSON");
    pretty::write(&value)
}

#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    version: &'a str,
    started: &'a str,
    end: Option<EndData<'a>>,
    journal_note: Option<&'a str>,
    void: bool,
    scope: Scope,
    headline: HeadlineData<'a>,
    complete_rounds: u32,
    rules_checked: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    gate: Option<&'a GateSummary>,
    plan: PlanData<'a>,
    contenders: Vec<ContenderData<'a>>,
    comparisons: Vec<ComparisonData<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sweep: Option<GrowthData<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<PublishedData<'a>>,
    requirements: Vec<RequirementData<'a>>,
    findings: &'a [Finding],
    host: &'a Host,
}

/// Whether the headline can be believed.
#[derive(Serialize)]
struct HeadlineData<'a> {
    status: HeadlineStatus,
    rule: Option<&'a str>,
    contender: Option<&'a str>,
    says: String,
}

#[derive(Serialize)]
struct EndData<'a> {
    reason: EndReason,
    detail: &'a str,
}

#[derive(Serialize)]
struct ComparisonData<'a> {
    a: &'a str,
    b: &'a str,
    metric: &'static str,
    group: Option<&'a str>,
    request: Option<&'a str>,
    primary: bool,
    scope: Scope,
    ratio: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    confidence: f64,
    replicates: u32,
    interim_looks: Option<u32>,
    charged: Option<ChargedData>,
    beyond_generator: Option<Beyond>,
    client_share: Option<ClientShare>,
    verdict: &'static str,
    p: Option<f64>,
    t_low: Option<f64>,
    t_high: Option<f64>,
    at_least: bool,
    because: &'a [String],
    fresh_rounds: Option<FreshRounds>,
    rounds: Vec<RoundRatio>,
    middle: Option<MiddleData>,
}

/// The middle of the figures of both.
#[derive(Serialize)]
struct MiddleData {
    a: f64,
    b: f64,
    of: &'static str,
}

#[derive(Serialize)]
struct ChargedData {
    ratio: f64,
    low: Option<f64>,
    high: Option<f64>,
    verdict: &'static str,
}

#[derive(Serialize)]
struct RequirementData<'a> {
    requirement: &'a str,
    a: Option<&'a str>,
    b: Option<&'a str>,
    status: RequirementStatus,
    why: &'a str,
}

#[derive(Serialize)]
struct FreshRounds {
    about: u64,
    up_to: u64,
}

#[derive(Serialize)]
struct RoundRatio {
    round: u32,
    ratio: f64,
}

impl<'a> HeadlineData<'a> {
    fn of(view: &View<'a>) -> Self {
        let belief = view.belief();
        HeadlineData {
            status: belief.status,
            rule: belief.finding.map(|finding| finding.rule.as_str()),
            contender: belief.finding.and_then(|finding| finding.contender.as_deref()),
            says: words::belief::headline(view).replace(JOINT, " "),
        }
    }
}

impl<'a> ComparisonData<'a> {
    fn of(of: &'a Comparison) -> Self {
        ComparisonData {
            a: &of.a,
            b: &of.b,
            metric: of.metric.path(),
            group: of.group.as_deref(),
            request: of.request.as_deref(),
            primary: of.primary,
            scope: of.scope,
            ratio: of.ratio,
            low: of.low,
            high: of.high,
            confidence: of.confidence,
            replicates: of.replicates,
            interim_looks: of.interim_looks,
            charged: of.charged.map(|charged| ChargedData::of(charged, of.metric)),
            beyond_generator: of.beyond_generator,
            client_share: of.client_share,
            verdict: words::word(of.verdict, of.metric),
            p: of.p,
            t_low: of.t_interval.map(|interval| interval.0),
            t_high: of.t_interval.map(|interval| interval.1),
            at_least: of.at_least,
            because: &of.because,
            fresh_rounds: of.fresh_rounds.map(|(about, up_to)| FreshRounds { about, up_to }),
            rounds: of.rounds.iter().map(|&(round, ratio)| RoundRatio { round, ratio }).collect(),
            middle: of.middle.map(|Middle { a, b, of_launches }| MiddleData {
                a,
                b,
                of: if of_launches { "launches" } else { "rounds" },
            }),
        }
    }
}

impl ChargedData {
    fn of(of: Charged, metric: Metric) -> Self {
        ChargedData {
            ratio: of.ratio,
            low: of.interval.map(|interval| interval.0),
            high: of.interval.map(|interval| interval.1),
            verdict: words::word(of.verdict, metric),
        }
    }
}

impl<'a> RequirementData<'a> {
    fn of(of: &'a Checked) -> Self {
        RequirementData {
            requirement: &of.requirement,
            a: Some(of.a.as_str()).filter(|name| !name.is_empty()),
            b: Some(of.b.as_str()).filter(|name| !name.is_empty()),
            status: of.status,
            why: &of.why,
        }
    }
}

/// Nanoseconds as seconds.
fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}
