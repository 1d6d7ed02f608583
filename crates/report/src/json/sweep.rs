//! The report of a sweep as data: `tiebreak.sweep/1`, described by schema/sweep.v1.json. The full
//! report of each load point is in its own directory; this report contains only what concerns the
//! sweep.

use super::{EndData, HeadlineData, RequirementData, pretty};
use crate::sweep::{PointView, SweepView};
use crate::words;
use judge::bend::{Bend, Sign};
use judge::verdict::{Comparison, ContenderSummary, Finding, Scope};
use serde::Serialize;

/// Name and version of the schema.
const SCHEMA: &str = "tiebreak.sweep/1";

/// The whole report, pretty, with a newline at its end.
pub(crate) fn report(view: &SweepView) -> String {
    let report = Report {
        schema: SCHEMA,
        version: &view.sweep.version,
        started: &view.sweep.started,
        factor: view.sweep.factor.name(),
        points: view.points.iter().map(PointData::of).collect(),
        bends: view.bends().map(|(name, bend)| BendData::of(name, bend)).collect(),
    };
    let value = serde_json::to_value(report).expect("a report is always JSON");
    pretty::write(&value)
}

#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    version: &'a str,
    started: &'a str,
    factor: &'static str,
    points: Vec<PointData<'a>>,
    bends: Vec<BendData<'a>>,
}

#[derive(Serialize)]
struct PointData<'a> {
    value: f64,
    #[serde(rename = "folder")]
    directory: &'a str,
    turn: u32,
    driven: bool,
    end: Option<EndData<'a>>,
    void: bool,
    headline: Option<HeadlineData<'a>>,
    complete_rounds: u32,
    contenders: Vec<FigureData<'a>>,
    comparisons: Vec<RatioData<'a>>,
    requirements: Vec<RequirementData<'a>>,
    findings: Vec<FindingData<'a>>,
}

#[derive(Serialize)]
struct FigureData<'a> {
    name: &'a str,
    throughput: Option<f64>,
    p50: Option<f64>,
    p99: Option<f64>,
    p999: Option<f64>,
    operations: u64,
    errors: u64,
    misses: u64,
}

#[derive(Serialize)]
struct RatioData<'a> {
    a: &'a str,
    b: &'a str,
    metric: &'static str,
    primary: bool,
    scope: Scope,
    ratio: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    verdict: &'static str,
    at_least: bool,
}

#[derive(Serialize)]
struct FindingData<'a> {
    rule: &'a str,
    weight: &'static str,
    contender: Option<&'a str>,
}

#[derive(Serialize)]
struct BendData<'a> {
    contender: &'a str,
    outcome: &'static str,
    /// The load point of the outcome.
    value: Option<f64>,
    sign: Option<&'static str>,
    next: Option<f64>,
    growth: Option<f64>,
    driven: Option<f64>,
    or_before: bool,
    generator_limited: bool,
}

impl<'a> PointData<'a> {
    fn of(point: &PointView<'a>) -> PointData<'a> {
        let view = point.view.as_ref();
        let end = view.and_then(|view| view.end);
        PointData {
            value: point.at.value,
            directory: &point.at.directory,
            turn: point.at.turn,
            driven: view.is_some(),
            end: end.map(|end| EndData { reason: end.reason, detail: &end.detail }),
            void: point.void(),
            headline: view.map(HeadlineData::of),
            complete_rounds: view.map_or(0, |view| view.complete_rounds),
            contenders: view.map_or(&[][..], |it| it.contenders).iter().map(figures).collect(),
            comparisons: view.map_or(&[][..], |it| it.comparisons).iter().map(ratio).collect(),
            requirements: view
                .map_or(&[][..], |it| it.checked)
                .iter()
                .map(RequirementData::of)
                .collect(),
            findings: view.map_or(&[][..], |it| it.findings).iter().map(finding).collect(),
        }
    }
}

fn figures(of: &ContenderSummary) -> FigureData<'_> {
    FigureData {
        name: &of.name,
        throughput: of.throughput,
        p50: of.response_time.p50,
        p99: of.response_time.p99,
        p999: of.response_time.p999,
        operations: of.operations,
        errors: words::errors(of),
        misses: of.outcomes.miss,
    }
}

fn ratio(of: &Comparison) -> RatioData<'_> {
    RatioData {
        a: &of.a,
        b: &of.b,
        metric: of.metric.path(),
        primary: of.primary,
        scope: of.scope,
        ratio: of.ratio,
        low: of.low,
        high: of.high,
        verdict: words::word(of.verdict, of.metric),
        at_least: of.at_least,
    }
}

fn finding(of: &Finding) -> FindingData<'_> {
    FindingData {
        rule: &of.rule,
        weight: words::weight(of.weight),
        contender: of.contender.as_deref(),
    }
}

impl<'a> BendData<'a> {
    fn of(contender: &'a str, bend: &Bend) -> BendData<'a> {
        let none = BendData {
            contender,
            outcome: "undetermined",
            value: None,
            sign: None,
            next: None,
            growth: None,
            driven: None,
            or_before: false,
            generator_limited: false,
        };
        match *bend {
            Bend::Undetermined => none,
            Bend::NotSought => BendData { outcome: "not_sought", ..none },
            Bend::NotUpTo(value) => BendData { outcome: "not_up_to", value: Some(value), ..none },
            Bend::At { value, sign, generator_limited, or_before } => {
                let at = BendData {
                    outcome: "at",
                    value: Some(value),
                    or_before,
                    generator_limited,
                    ..none
                };
                at.signed(sign)
            }
        }
    }

    fn signed(self, sign: Sign) -> Self {
        match sign {
            Sign::Gain { next, by, .. } => {
                BendData { sign: Some("gain"), next: Some(next), growth: Some(by), ..self }
            }
            Sign::Behind { driven } => {
                BendData { sign: Some("behind"), driven: Some(driven), ..self }
            }
            Sign::Tail { times, .. } => {
                BendData { sign: Some("tail"), growth: Some(times), ..self }
            }
        }
    }
}
