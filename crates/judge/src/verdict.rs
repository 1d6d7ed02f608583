//! The result of the judge. Only [`Judge`](crate::Judge) can build a [`Verdict`], and it cannot
//! build one without the audit.

use crate::turn::{DrivenTurn, Part};
use record::Histogram;
use record::{
    Case, Fact, Kind, Loaded, Metric, Nodes, Objective, Outcomes, Programs, seen::Connections,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// Everything that follows from the record of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub(crate) contenders: Vec<ContenderSummary>,
    pub(crate) comparisons: Vec<Comparison>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) complete_rounds: u32,
    pub(crate) rules_checked: u32,
    pub(crate) gate: Option<GateSummary>,
    pub(crate) scope: Scope,
    pub(crate) ranking: Option<Ranking>,
    pub(crate) load_points: Vec<LoadPoint>,
    pub(crate) suite: Option<Suite>,
}

impl Verdict {
    /// The contenders, in the plan's order.
    pub fn contenders(&self) -> &[ContenderSummary] {
        &self.contenders
    }

    /// The comparisons: for each pair the primary metric first.
    pub fn comparisons(&self) -> &[Comparison] {
        &self.comparisons
    }

    /// Findings, the most severe first.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Whether the audit refused all of it, so that no verdict holds: the run or, of a sweep, every load point.
    pub fn void(&self) -> bool {
        match self.load_points.as_slice() {
            [] => is_refused(&self.findings),
            points => points.iter().all(LoadPoint::void),
        }
    }

    /// Whether the audit refused a part of it: the run, or any load point.
    pub fn void_in_part(&self) -> bool {
        is_refused(&self.findings)
    }

    /// The load points of a sweep, ascending. Empty if nothing was swept.
    pub fn load_points(&self) -> &[LoadPoint] {
        &self.load_points
    }

    /// Rounds in which every contender was driven to the end.
    pub fn complete_rounds(&self) -> u32 {
        self.complete_rounds
    }

    /// How many audit rules were checked.
    pub fn rules_checked(&self) -> u32 {
        self.rules_checked
    }

    /// What it cost to start slices together. None if one process drove.
    pub fn gate(&self) -> Option<&GateSummary> {
        self.gate.as_ref()
    }

    /// How the cases of a suite compare. None for all other runs.
    pub fn suite(&self) -> Option<&Suite> {
        self.suite.as_ref()
    }

    /// What the run is about: the programs only if every comparison is.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// The ranks of the contenders. None if they were not asked for.
    pub fn ranking(&self) -> Option<&Ranking> {
        self.ranking.as_ref()
    }
}

/// What belongs to one load point of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadPoint {
    /// The numbers of its contenders.
    pub contenders: Range<usize>,
    /// The positions of their comparisons. Empty if there is one target, whose load points are compared with each
    /// other.
    pub comparisons: Range<usize>,
    /// The findings about them, or about the run.
    pub findings: Vec<Finding>,
}

impl LoadPoint {
    /// Whether the audit refused it.
    pub fn void(&self) -> bool {
        is_refused(&self.findings)
    }
}

fn is_refused(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.weight == Weight::Void)
}

/// How severe a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// Worth knowing.
    Note,
    /// The verdict stands, but read this first.
    Caution,
    /// No verdict.
    Void,
}

/// An objection raised by an audit rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule's name, as `tiebreak explain` takes it.
    pub rule: String,
    /// How severe it is.
    pub weight: Weight,
    /// Name of the contender that it concerns, or None for the run.
    pub contender: Option<String>,
    /// What was seen, with figures.
    pub evidence: String,
    /// What to do about it.
    pub remedy: String,
    /// What was seen, in a few words without figures: findings of several contenders with the same
    /// text are combined.
    pub short: String,
    /// The figure of this contender (of its group, by the group's name), if a short one shows how
    /// severe it is.
    pub figure: Option<String>,
    /// What to do about it, in a few words.
    pub hint: String,
    /// Which verdicts it could change.
    #[serde(skip)]
    pub bearing: Bearing,
}

/// Which verdicts a finding could change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bearing {
    /// The metrics that it is about. None for all.
    pub metrics: Option<Vec<Metric>>,
    /// By how much it could move the ratio of a metric at most, as a logarithm. Not known for others.
    pub shifts: Vec<(Metric, f64)>,
}

impl Bearing {
    /// By how much it could move the ratio of this metric. Returns None if that is not known.
    pub(crate) fn shift_of(&self, metric: Metric) -> Option<f64> {
        self.shifts.iter().find(|(of, _)| *of == metric).map(|(_, by)| *by)
    }
}

impl Finding {
    /// Adds the figure that belongs to the short form, after the group's name if there is one.
    pub(crate) fn with_figure(mut self, figure: String) -> Finding {
        self.figure = Some(match self.figure {
            Some(group) => format!("{group} {figure}"),
            None => figure,
        });
        self
    }

    /// Restricts it to these metrics.
    pub(crate) fn about(mut self, metrics: Vec<Metric>) -> Finding {
        self.bearing.metrics = Some(metrics);
        self
    }

    /// Says that it could move the ratio of this metric by this logarithm at most.
    pub(crate) fn shifting(mut self, metric: Metric, by: f64) -> Finding {
        self.bearing.shifts.push((metric, by.abs()));
        self
    }

    /// Replaces the rule's short form.
    pub(crate) fn with_short(self, short: &str, hint: &str) -> Finding {
        Finding { short: short.to_owned(), ..self.with_hint(hint) }
    }

    /// Replaces the rule's hint.
    pub(crate) fn with_hint(self, hint: &str) -> Finding {
        Finding { hint: hint.to_owned(), ..self }
    }
}

/// The verdict of a comparison in one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// `b` is faster than `a`.
    Faster,
    /// `b` is slower than `a`.
    Slower,
    /// The interval lies inside ± the smallest difference that matters.
    Equivalent,
    /// None of these was shown.
    #[default]
    Undecided,
    /// The audit has a void finding.
    Void,
}

impl Word {
    /// Whether it says that `a` and `b` differ.
    pub fn is_difference(self) -> bool {
        matches!(self, Word::Faster | Word::Slower)
    }
}

/// What a result is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The programs: the launch is the replicate, or every turn starts them anew.
    Programs,
    /// These launches of them. Others may differ.
    #[default]
    Launches,
}

/// One metric of one pair. `ratio`, `low` and `high` are b/a of the metric's
/// value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Name of the contender compared with.
    pub a: String,
    /// Name of the contender that the verdict is about.
    pub b: String,
    /// The metric.
    pub metric: Metric,
    /// The group whose metric it is, or None for all that the contenders do.
    pub group: Option<String>,
    /// The request whose metric it is, measured in slices of its own. None for other comparisons.
    pub request: Option<String>,
    /// The case of a suite whose cost it is. None for other comparisons. It is text of a stranger.
    pub case: Option<String>,
    /// Whether the comparison's verdict rests on it.
    pub primary: bool,
    /// What it is about.
    pub scope: Scope,
    /// Whether the figures of `a` are those of one launch, from which another one may differ. False if both
    /// are the same process, which has one launch.
    pub launch_of_a: bool,
    /// Whether the figures of `b` are those of one launch, from which another one may differ.
    pub launch_of_b: bool,
    /// Hodges-Lehmann estimate. None without replicates.
    pub ratio: Option<f64>,
    /// Lower end of the judged interval. None if n is too small for the level.
    pub low: Option<f64>,
    /// Upper end of the judged interval.
    pub high: Option<f64>,
    /// Level of the interval, e.g. 0.95.
    pub confidence: f64,
    /// The replicates behind it: rounds, or launches if there are restarts. With looks: the rounds
    /// of the look that was judged.
    pub replicates: u32,
    /// With looks: how many were made until this was decided, or in all; 0 before the first.
    pub interim_looks: Option<u32>,
    /// The ratio with each contender's CPU at rest charged to itself (throughput only, if it is
    /// known of both sides).
    pub charged: Option<Charged>,
    /// The part of the ratio that the generator's own cost per operation does not explain, if the
    /// generator may have been the slower part: at least this part is due to the target. The
    /// verdict rests on it. None if nothing was subtracted.
    pub beyond_generator: Option<Beyond>,
    /// How much of the difference is spent in the client, if the client's cost is part of what is
    /// compared.
    pub client_share: Option<ClientShare>,
    /// Exact two-sided p of the signed-rank test.
    pub p: Option<f64>,
    /// The paired t interval at the same level (b/a).
    pub t_interval: Option<(f64, f64)>,
    /// The word.
    pub verdict: Word,
    /// Sentences that say why the word is weaker than the interval, or what weakens it.
    pub because: Vec<String>,
    /// The one of them that says why it is undecided although the interval has a verdict.
    pub withheld: Option<String>,
    /// "At least": the generator held back the faster contender, or its own cost was subtracted.
    pub at_least: bool,
    /// Estimate and upper figure of the rounds that a fresh run of a fixed length would need to
    /// decide (launches if there are restarts).
    pub fresh_rounds: Option<(u64, u64)>,
    /// The true difference, as a share, that so many replicates that vary so much call with a chance of
    /// 80 %: of primary comparisons in a run whose length follows from a difference or a time.
    pub sees: Option<f64>,
    /// b/a of each complete round, in order: (round, ratio).
    pub rounds: Vec<(u32, f64)>,
    /// The figures of both in the middle of these rounds. None if a round has no figure.
    pub middle: Option<Middle>,
}

impl Comparison {
    /// A comparison of all that two contenders do, of which nothing is known yet.
    pub fn undecided(a: &str, b: &str, metric: Metric, confidence: f64) -> Comparison {
        Comparison {
            a: a.to_owned(),
            b: b.to_owned(),
            metric,
            primary: true,
            confidence,
            ..Comparison::default()
        }
    }

    /// The ratio that the verdict rests on: what was measured, or the part of it that lies beyond the generator's own
    /// cost.
    pub fn judged_ratio(&self) -> Option<f64> {
        self.beyond_generator.map(|beyond| beyond.ratio).or(self.ratio)
    }

    /// Both bounds of the interval that the verdict rests on. Returns None if there is no interval.
    pub fn judged_bounds(&self) -> Option<(f64, f64)> {
        let beyond = self.beyond_generator.map(|beyond| (beyond.low, beyond.high));
        beyond.or(self.low.zip(self.high))
    }

    /// The group, request or case that it is about. None for all that the contenders do.
    pub fn part(&self) -> Option<&str> {
        self.group.as_deref().or(self.request.as_deref()).or(self.case.as_deref())
    }
}

/// The medians of the figures that ratios were made of, of each contender for itself. The ratio comes from
/// pairs, so it may seem to contradict figures over all replies together; it is of one kind with these.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Middle {
    /// That of `a`.
    pub a: f64,
    /// That of `b`.
    pub b: f64,
    /// Whether the figures are those of launches, and not of rounds.
    pub of_launches: bool,
}

/// b/a with the CPU time that a contender's target used at rest added to its own time, and
/// subtracted from the time of those that it delayed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Charged {
    /// Hodges-Lehmann estimate.
    pub ratio: f64,
    /// Interval at the comparison's level. None if n is too small.
    pub interval: Option<(f64, f64)>,
    /// The word of this ratio.
    pub verdict: Word,
}

/// b/a without what the generator's own CPU time for each operation explains.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Beyond {
    /// Hodges-Lehmann estimate.
    pub ratio: f64,
    /// Interval at the comparison's level.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// The time per operation of two contenders, in seconds: time driven ÷ operations, times the
/// generator's threads. CPU time of those threads is comparable with that.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClientShare {
    /// How much longer an operation of the slower one takes.
    pub difference: f64,
    /// How much more CPU time it costs the client; below 0 if it costs less.
    pub client: f64,
}

/// The result of a suite.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// The cases that were compared, as they were listed before round 1.
    pub cases: Vec<Case>,
    /// The pairs, in their order.
    pub pairs: Vec<SuitePair>,
    /// Cases that only some contenders have, by contender. A control is not named: it has those of its original.
    pub only_in: Vec<OnlyIn>,
    /// Cases that were left out so that the run fits into the time that was given.
    pub left_out: Vec<String>,
    /// The same program against itself. None if it was not asked for.
    pub control: Option<Control>,
}

/// How many cases of one pair have which verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SuitePair {
    /// Name of the contender compared with.
    pub a: String,
    /// Name of the contender that the verdicts are about.
    pub b: String,
    /// Cases in which `b` costs more.
    pub slower: u32,
    /// Cases in which `b` costs less.
    pub faster: u32,
    /// Cases whose interval lies inside ± the smallest difference that matters.
    pub equivalent: u32,
    /// Cases of which none of these was shown, without those that failed.
    pub undecided: u32,
    /// Cases whose verdict the audit refused, without those that failed.
    pub void: u32,
    /// Cases that lack a figure in a round of either side. They have no verdict.
    pub failed: Vec<FailedCase>,
    /// The positions of its comparisons.
    pub comparisons: Range<usize>,
}

/// A case that lacks a figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedCase {
    /// Its name.
    pub case: String,
    /// The contender that lacks it.
    pub contender: String,
    /// The first round in which it does.
    pub round: u32,
    /// Why, in a few words.
    pub why: String,
}

/// Cases that one contender has and another one lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OnlyIn {
    /// The contender's name.
    pub contender: String,
    /// Their names.
    pub cases: Vec<String>,
}

/// The same program against itself: in truth no case differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// Its counts.
    pub pair: SuitePair,
    /// Its comparisons, one for each case. They are in no other list.
    pub comparisons: Vec<Comparison>,
}

impl Suite {
    /// Whether a case failed, of the answer or of the control.
    pub fn has_failed(&self) -> bool {
        let control = self.control.iter().map(|control| &control.pair);
        self.pairs.iter().chain(control).any(|pair| !pair.failed.is_empty())
    }
}

impl SuitePair {
    /// How many cases were compared.
    pub fn cases(&self) -> usize {
        self.comparisons.len()
    }
}

/// The contenders from the best figure to the worst.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranking {
    /// The metric.
    #[serde(serialize_with = "path")]
    pub metric: Metric,
    /// One entry for each contender that is ranked.
    pub ranked: Vec<Ranked>,
    /// Those that are not, because the audit found something about them alone.
    pub not_ranked: Vec<NotRanked>,
}

/// A contender that is not ranked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NotRanked {
    /// Its name.
    pub name: String,
    /// The rule that refuses it.
    pub rule: String,
    /// What was seen, with figures.
    pub why: String,
}

/// Where one contender stands. Its ratio is that of its figure to the first one's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranked {
    /// Its name.
    pub name: String,
    /// Its figure over all judged rounds.
    pub estimate: Option<f64>,
    /// Hodges-Lehmann estimate. None of the first contender, and without replicates.
    pub ratio: Option<f64>,
    /// Lower end of its interval, at the family's level.
    pub low: Option<f64>,
    /// Upper end of its interval.
    pub high: Option<f64>,
    /// The best rank that it can have, from 1.
    pub best: u32,
    /// The worst rank that it can have.
    pub worst: u32,
    /// The number of its group, from 1. Each contender of a group is surely better than all of later groups.
    pub group: u32,
}

/// The metric's path in a report.
fn path<S: serde::Serializer>(metric: &Metric, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(metric.path())
}

/// One requirement (`--require`) checked against one comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The requirement as it was written.
    pub requirement: String,
    /// Name of the contender compared with.
    pub a: String,
    /// Name of the contender that the requirement is about.
    pub b: String,
    /// Whether it is met.
    pub status: RequirementStatus,
    /// A sentence with figures that says why.
    pub why: String,
}

/// Whether a requirement is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RequirementStatus {
    /// It is met.
    Met,
    /// It is not met, or has not been shown to be met.
    NotMet,
    /// There is no verdict to decide it by.
    Undetermined,
}

/// What was measured of one request in slices of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestSummary {
    /// Its name.
    pub name: String,
    /// Operations that ended.
    pub operations: u64,
    /// Operations per second.
    pub throughput: Option<f64>,
}

/// One contender's figures over all judged rounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContenderSummary {
    /// Its name.
    pub name: String,
    /// Operations that ended in the judged rounds.
    pub operations: u64,
    /// Operations sent, by part of the run: the sum equals the count in the server's log if each is
    /// one request.
    pub sent: Sent,
    /// Its capacity. None if none was sought.
    pub capacity: Option<CapacitySummary>,
    /// Its warm-ups that were ended by a test.
    pub warm_ups: WarmUps,
    /// Due, but never sent.
    pub unsent: u64,
    /// Of those, how many are in the response times with a lower bound.
    pub unsent_times: u64,
    /// Ended operations that the latencies leave out because they were due in a burn-in.
    pub burn_in_excluded: u64,
    /// Ended operations without a latency.
    pub without_latency: u64,
    /// Replies that were read while another contender was driven: their times are upper bounds.
    pub read_at_rest: u64,
    /// Operations per second.
    pub throughput: Option<f64>,
    /// Completion minus due time.
    pub response_time: Quantiles,
    /// Completion minus actual send.
    pub service_time: Quantiles,
    /// Actual send minus due time.
    pub send_lag: Quantiles,
    /// Connect, for every connection opened.
    pub connect_time: Quantiles,
    /// TLS handshake, for every connection opened.
    pub tls_time: Quantiles,
    /// Request's send to first byte of the reply.
    pub first_byte_time: Quantiles,
    /// Phases that only client libraries have.
    pub phases: PhaseTimes,
    /// Seconds of generator CPU for each operation.
    pub generator_cpu_per_operation: Option<f64>,
    /// Seconds of generator CPU for each operation against the null server: the lane's own cost. None if it was not driven against it,
    /// or every measurement was disturbed.
    pub own_cpu_per_operation: Option<f64>,
    /// How many seconds before this run it was measured, if an earlier run measured it.
    pub own_cost_age_s: Option<u64>,
    /// Whether it was driven against the null server in this run.
    pub driven_alone: bool,
    /// Share of its time that the generator's threads were idle, 0 to 1.
    pub generator_idle: Option<f64>,
    /// The cost of its target.
    pub target: TargetSummary,
    /// What its store reported about itself. None if it has no store.
    pub store: Option<StoreSummary>,
    /// Operations by kind, ascending. Empty if all are of one kind.
    pub kinds: Vec<KindSummary>,
    /// All these figures of each group, by name, if several were driven at once. The figures of the machine
    /// and the target are those of all groups together, and not repeated here.
    pub groups: Vec<ContenderSummary>,
    /// The requests that were also driven alone.
    pub requests: Vec<RequestSummary>,
    /// How operations ended.
    pub outcomes: Outcomes,
    /// Replies by code.
    pub codes: BTreeMap<u16, u64>,
    /// Response times.
    pub histogram: Histogram,
    /// (share of samples at or below, 0 to 1; response time in seconds),
    /// ascending: the points of a percentile plot.
    pub latency_curve: Vec<(f64, f64)>,
    /// Connections.
    pub connections: Connections,
    /// (start in seconds since the engine started, operations per second) of
    /// slices (or of 100 ms windows in turns), thinned to at most 1000.
    pub slices: Vec<(f64, f64)>,
    /// Per complete round: (round, operations per second, p50 s, p99 s).
    pub rounds: Vec<(u32, f64, Option<f64>, Option<f64>)>,
    /// What each agent did in the rounds. Empty if one process drove.
    pub agents: Vec<AgentSummary>,
}

impl ContenderSummary {
    /// Returns its figure in this metric.
    pub fn figure(&self, metric: Metric) -> Option<f64> {
        match metric {
            Metric::Throughput => self.throughput,
            Metric::ResponseP50 => self.response_time.p50,
            Metric::ResponseP99 => self.response_time.p99,
            Metric::ResponseP999 => self.response_time.p999,
            Metric::TargetCpu => self.target.cpu_per_operation,
            Metric::PeakMemory => self.target.middle_peak_memory,
            Metric::Capacity => self.capacity.as_ref()?.rate(),
            Metric::Cost => None,
        }
    }
}

/// The highest rate at which a contender meets the objectives.
#[derive(Clone, Debug, PartialEq)]
pub struct CapacitySummary {
    /// What was found.
    pub outcome: CapacityOutcome,
    /// The objective that limited it. None if none did.
    pub objective: Option<Objective>,
    /// All turns, in the order in which they were driven.
    pub turns: Vec<DrivenTurn>,
}

/// What was found of a capacity. Rates are operations per second.
#[derive(Clone, Debug, PartialEq)]
pub enum CapacityOutcome {
    /// The objectives are just met at a rate.
    At {
        /// The rate.
        rate: f64,
        /// Its interval, which is approximate. None if it is not known.
        interval: Option<(f64, f64)>,
        /// The part that limited it: the target or its connections.
        part: Part,
        /// Whether the percentile rises so slowly with the rate that a precise figure takes longer turns.
        is_slope_small: bool,
    },
    /// The generator limited it. The objectives are met at this rate; None if at none that was driven.
    AtLeast(Option<f64>),
    /// The objectives are missed at the lowest rate that was driven.
    Below(f64),
    /// An objective on errors is met at one rate and missed at a higher one.
    Between {
        /// The highest rate at which it is met. None if it is met at no rate that was driven.
        met: Option<f64>,
        /// The lowest rate at which it is missed.
        missed: f64,
    },
    /// The percentile hardly depends on the rate, so there is no capacity.
    HardlyDepends,
    /// The rates of the rounds moved away from what the search had found, to this one.
    LeftRange(f64),
    /// The run ended before it was known.
    NotReached,
}

impl CapacitySummary {
    /// The capacity, if it is one rate.
    pub fn rate(&self) -> Option<f64> {
        match self.outcome {
            CapacityOutcome::At { rate, .. } => Some(rate),
            _ => None,
        }
    }
}

/// The pauses between the slices of a round, in which several machines wait for each other. Times
/// are in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GateSummary {
    /// How many there were.
    pub pauses: u64,
    /// From the last reply of a slice to the first start of the next one, on average.
    pub pause: f64,
    /// The longest of them.
    pub longest: f64,
    /// The pauses as a share of the rounds, 0 to 1.
    pub share: f64,
}

/// What one agent did. Times are in seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgentSummary {
    /// Its rank, from 1.
    pub rank: u32,
    /// Operations that ended in its slices.
    pub operations: u64,
    /// Its connections.
    pub connections: u64,
    /// Its operations per second.
    pub throughput: Option<f64>,
    /// How much later than the first agent it started a slice, on average.
    #[serde(rename = "starts_later_by")]
    pub behind: f64,
    /// The most of that.
    #[serde(rename = "starts_later_by_at_most")]
    pub most_behind: f64,
    /// How wrong its clock model may be.
    pub clock_bound: f64,
}

/// Durations of phases that only client libraries, or some protocols, have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhaseTimes {
    /// Waiting for a connection of the pool.
    pub acquire: Quantiles,
    /// The login, for every connection opened.
    pub log_in: Quantiles,
    /// The upgrade to WebSocket, for every connection opened.
    pub upgrade: Quantiles,
    /// Preparing a statement, for every one prepared.
    pub prepare: Quantiles,
    /// From the beginning of a reply to its end.
    pub fetch: Quantiles,
    /// Parts of its work that the server reports in its replies, by name.
    pub server: Vec<(String, Quantiles)>,
}

impl PhaseTimes {
    /// The name and times of each phase except the server's.
    pub fn named(&self) -> [(&'static str, &Quantiles); 5] {
        [
            ("acquire", &self.acquire),
            ("login", &self.log_in),
            ("upgrade", &self.upgrade),
            ("prepare", &self.prepare),
            ("fetch", &self.fetch),
        ]
    }
}

/// The operations of one kind over all judged rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct KindSummary {
    /// The kind, as the mix has it.
    pub kind: Kind,
    /// Operations that ended.
    pub operations: u64,
    /// Of those: done as expected.
    pub ok: u64,
    /// The store held nothing under the key.
    pub miss: u64,
    /// Stale values, and values that were never written there.
    pub wrong: u64,
    /// Completion minus due time.
    pub response_time: Quantiles,
    /// For a read and a write in one operation: from the due time to the reply of the read, and how
    /// many there were.
    pub read: Option<(u64, Quantiles)>,
    /// For the same: from the reply of the read to that of the write.
    pub update: Option<(u64, Quantiles)>,
}

/// The cost of a contender's target. All None if its CPU time is not visible; if a watcher lost
/// sight of it, CPU time is that of the rounds before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TargetSummary {
    /// How its CPU time was read.
    pub cpu_source: Option<String>,
    /// Why its CPU time is not visible.
    pub cpu_unavailable: Option<String>,
    /// Seconds of CPU per operation, including the time at rest (if the process is shared with
    /// another contender: only while driven).
    pub cpu_per_operation: Option<f64>,
    /// CPU at rest, as a share of one core. None if the process is shared and one of its contenders
    /// was driven all the time.
    pub cpu_at_rest: Option<f64>,
    /// CPU while it was driven, as a share of its allowed cores. None if they are not known.
    pub busy: Option<f64>,
    /// Names of contenders that share its process.
    pub shares_process_with: Vec<String>,
    /// Its peak memory over all launches, in bytes.
    pub peak_memory_bytes: Option<u64>,
    /// The median of the peaks of its launches, or of its program in the rounds, in bytes. None if no launch has
    /// ended.
    pub middle_peak_memory: Option<f64>,
    /// The source of these figures (`cgroup`, `processes`).
    pub memory_source: Option<String>,
    /// How many times it was launched; 0 if it was already running.
    pub launches: u32,
    /// How many seconds its first launch took until it was ready. None if it was already running, or if the
    /// journal does not say.
    pub launch_took: Option<f64>,
    /// Its runs, if it is a program.
    pub programs: Programs,
    /// What it reports about itself.
    pub facts: Vec<Fact>,
    /// How a watcher read it. None if it had none.
    pub watch: Option<WatchSummary>,
    /// Its logs from which secrets could not be removed, and why.
    pub log_troubles: Vec<String>,
    /// Its nodes that ended while it was driven, and how.
    pub lost_nodes: Vec<String>,
    /// Its nodes: those driven, and announced addresses that were not dialled. None if its servers
    /// announce none.
    pub nodes: Option<Nodes>,
    /// Servers to which it was connected, and which its CPU time and memory do not include.
    pub behind: Vec<String>,
}

/// How a watcher read a target, over all of its launches.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WatchSummary {
    /// What it watched.
    pub what: String,
    /// The first round from which on it could not be read in every slice. None if it could be read
    /// in all judged rounds.
    pub lost_from: Option<u32>,
    /// Why it could not be read any more. None if it could until the end, or if the run was killed.
    pub lost: Option<String>,
    /// How many times it was read.
    pub questions: u64,
    /// Seconds from a question to its answer, in the median. None if that is not known.
    pub median: Option<f64>,
    /// The longest.
    pub longest: Option<f64>,
    /// Time stolen from the cores of its machine, in cores. None if it is not known.
    pub stolen: Option<f64>,
    /// The load of its machine in the minute before the end. None if it is not known.
    pub load: Option<f64>,
}

/// What a store reported about itself. None for what it did not report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoreSummary {
    /// How its keys were loaded, the last time.
    pub loaded: Option<Loaded>,
    /// Items that it held after the last round, including those of others.
    pub items: Option<u64>,
    /// Bytes that they took, by its own count.
    pub bytes: Option<u64>,
    /// Items that it evicted.
    pub evicted: Evicted,
    /// Why it reported nothing, if it did not answer.
    pub unreachable: Option<String>,
    /// Names of contenders on the same server: then these figures are those of all of them
    /// together.
    pub shared_with: Vec<String>,
}

/// Items that a store evicted for lack of memory, by part of the run, over all launches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Evicted {
    /// During the load.
    pub load: Option<u64>,
    /// Between the load and the first round.
    #[serde(rename = "before_rounds")]
    pub before: Option<u64>,
    /// In the rounds.
    pub rounds: Option<u64>,
}

/// Operations sent, by part of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// To check whether the target is ready.
    pub ready: u64,
    /// To load the first values of a store's keys.
    #[serde(default)]
    pub load: u64,
    /// In the warm-up.
    pub warm_up: u64,
    /// In the pilot.
    pub pilot: u64,
    /// In the rounds.
    pub operations: u64,
    /// Sent in any part, but neither answered nor given up.
    pub unfinished: u64,
}

/// Warm-ups that were to last until the contender had levelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarmUps {
    /// How many: one for each launch.
    pub number: u32,
    /// How long the first took, in nanoseconds.
    pub first_ns: u64,
    /// How long the longest took.
    pub longest_ns: u64,
    /// How many ended at the longest time allowed, before it had levelled.
    pub cold: u32,
}

/// Quantiles in seconds. None without samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quantiles {
    /// Median.
    pub p50: Option<f64>,
    /// 90th percentile.
    pub p90: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// 99.9th percentile.
    pub p999: Option<f64>,
    /// The largest.
    pub max: Option<f64>,
    /// Quantiles above this one, from 0 to 1, are lower bounds, because operations were due and never sent.
    /// None if there were no such operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least_from: Option<f64>,
}
