//! What the judge says. Only [`Judge`](crate::Judge) can build a [`Verdict`],
//! and it cannot build one without the audit.

use record::Histogram;
use record::{Fact, Kind, Loaded, Metric, Outcomes, Programs, seen::Connections};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything that follows from the record of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub(crate) contenders: Vec<ContenderSummary>,
    pub(crate) comparisons: Vec<Comparison>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) complete_rounds: u32,
    pub(crate) rules_checked: u32,
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

    /// Findings, the heaviest first.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The audit refused: no verdict holds.
    pub fn void(&self) -> bool {
        self.findings.iter().any(|finding| finding.weight == Weight::Void)
    }

    /// Rounds in which every contender was driven to the end.
    pub fn complete_rounds(&self) -> u32 {
        self.complete_rounds
    }

    /// How many audit rules were checked.
    pub fn rules_checked(&self) -> u32 {
        self.rules_checked
    }
}

/// How heavy a finding is.
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
    /// How heavy it is.
    pub weight: Weight,
    /// Name of the contender that it concerns. None means the run.
    pub contender: Option<String>,
    /// What was seen, with figures.
    pub evidence: String,
    /// What to do about it.
    pub remedy: String,
    /// What was seen, in a few words without figures: findings of several contenders
    /// that say the same are told as one.
    pub short: String,
    /// The figure of this contender (of its group, by the group's name), where a
    /// short one tells how bad it is.
    pub figure: Option<String>,
    /// What to do about it, in a few words.
    pub hint: String,
}

impl Finding {
    /// With the figure that belongs to the short form; a group's name stays before it.
    pub(crate) fn with_figure(mut self, figure: String) -> Finding {
        self.figure = Some(match self.figure {
            Some(group) => format!("{group} {figure}"),
            None => figure,
        });
        self
    }

    /// With another short form than the rule's usual one.
    pub(crate) fn with_short(self, short: &str, hint: &str) -> Finding {
        Finding { short: short.to_owned(), ..self.with_hint(hint) }
    }

    /// With another short remedy than the rule's usual one.
    pub(crate) fn with_hint(self, hint: &str) -> Finding {
        Finding { hint: hint.to_owned(), ..self }
    }
}

/// The word of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// `b` is faster than `a`.
    Faster,
    /// `b` is slower than `a`.
    Slower,
    /// The interval lies inside ± the smallest difference that matters.
    Equivalent,
    /// None of these can be said.
    Undecided,
    /// The audit refused.
    Void,
}

/// One metric of one pair. `ratio`, `low` and `high` are b/a of the metric's
/// value.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Name of the contender compared with.
    pub a: String,
    /// Name of the contender that the verdict speaks of.
    pub b: String,
    /// The metric.
    pub metric: Metric,
    /// The group whose metric it is. None means that of all that the contenders do.
    pub group: Option<String>,
    /// Whether the comparison's verdict rests on it.
    pub primary: bool,
    /// Hodges-Lehmann estimate; none without replicates.
    pub ratio: Option<f64>,
    /// Lower end of the interval judged; none where n is too small for the level.
    pub low: Option<f64>,
    /// Upper end of the interval judged.
    pub high: Option<f64>,
    /// Level of the interval, e.g. 0.95.
    pub confidence: f64,
    /// Replicates that it rests on: rounds, or launches where there are restarts.
    /// With looks: the rounds of the look that was judged.
    pub replicates: u32,
    /// With looks: how many there were until this was decided, or at all; 0
    /// before the first.
    pub looks: Option<u32>,
    /// The ratio with each contender's CPU at rest charged to itself (throughput,
    /// where it is known of both sides).
    pub charged: Option<Charged>,
    /// The part of the ratio that the generator's own cost of an operation does not
    /// explain, where the generator may have been the slower part: what is the
    /// target's doing at least. The verdict rests on it. None: nothing was taken off.
    pub beyond_generator: Option<Beyond>,
    /// How much of the difference is the client's, where the client's cost is part of
    /// what is compared.
    pub client_share: Option<ClientShare>,
    /// Exact two-sided p of the signed-rank test.
    pub p: Option<f64>,
    /// The paired t interval at the same level (b/a).
    pub t_interval: Option<(f64, f64)>,
    /// The word.
    pub verdict: Word,
    /// Why the word is weaker than the interval, or what weakens it; sentences.
    pub because: Vec<String>,
    /// "At least": the generator held back the contender that is ahead, or its own
    /// cost was taken off.
    pub at_least: bool,
    /// Rounds that a fresh run of a fixed length would need to decide (launches
    /// where there are restarts): about, and perhaps up to.
    pub fresh_rounds: Option<(u64, u64)>,
    /// b/a of each complete round, in order: (round, ratio).
    pub rounds: Vec<(u32, f64)>,
}

/// b/a with the CPU that a contender's target used while it rested added to its
/// own time, and taken off the time of those whom it held up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Charged {
    /// Hodges-Lehmann estimate.
    pub ratio: f64,
    /// Interval at the comparison's level; none where n is too small.
    pub interval: Option<(f64, f64)>,
    /// Its own word.
    pub verdict: Word,
}

/// b/a without what the generator's own CPU time for each operation explains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beyond {
    /// Hodges-Lehmann estimate.
    pub ratio: f64,
    /// Interval at the comparison's level.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// Two contenders' time for an operation, in seconds: time driven ÷ operations, times
/// the generator's threads. That is what CPU time of those threads compares with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClientShare {
    /// By how much an operation of the slower one takes longer.
    pub difference: f64,
    /// By how much it costs the client more CPU time; below 0 where it costs less.
    pub client: f64,
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
    pub standing: Standing,
    /// Why, with figures: a sentence.
    pub why: String,
}

/// Whether a requirement is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// It is.
    Met,
    /// It is not, or that it is has not been shown.
    NotMet,
    /// There is no verdict to tell it by.
    CannotBeSaid,
}

/// One contender's figures over all judged rounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContenderSummary {
    /// Its name.
    pub name: String,
    /// Operations that ended in the judged rounds.
    pub operations: u64,
    /// Operations sent, by part of the run: what the server's log adds up to where
    /// each is one request.
    pub sent: Sent,
    /// Due, but never sent.
    pub unsent: u64,
    /// Ended operations that the latencies leave out, being due in a burn-in.
    pub left_out: u64,
    /// Ended operations without a latency.
    pub without_latency: u64,
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
    /// The same against the null server: what the lane costs by itself. None
    /// where it was not driven against it, or never undisturbed.
    pub own_cpu_per_operation: Option<f64>,
    /// How many seconds before this run that was measured, where an earlier one did.
    pub own_cost_age_s: Option<u64>,
    /// It was driven against the null server in this run.
    pub driven_alone: bool,
    /// Share of its time that the generator's threads were idle, 0 to 1.
    pub generator_idle: Option<f64>,
    /// What its target cost.
    pub target: TargetSummary,
    /// What its store said of itself; none where it is none.
    pub store: Option<StoreSummary>,
    /// Operations by kind, ascending; empty where all are of one.
    pub kinds: Vec<KindSummary>,
    /// The same of each group, by its name, where several were driven at once. What
    /// the machine and the target did is of all together, and not in there.
    pub groups: Vec<ContenderSummary>,
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
}

/// How long the phases took that only client libraries, or some protocols, have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhaseTimes {
    /// Waiting for a connection of the pool.
    pub acquire: Quantiles,
    /// The log-in, for every connection opened.
    pub log_in: Quantiles,
    /// The upgrade to WebSocket, for every connection opened.
    pub upgrade: Quantiles,
    /// Preparing a statement, for every one prepared.
    pub prepare: Quantiles,
    /// From the beginning of a reply to its end.
    pub fetch: Quantiles,
    /// Parts of its work that the server tells of in its replies, by name.
    pub server: Vec<(String, Quantiles)>,
}

impl PhaseTimes {
    /// All of them but the server's, and what they are called.
    pub fn named(&self) -> [(&'static str, &Quantiles); 5] {
        [
            ("acquire", &self.acquire),
            ("log-in", &self.log_in),
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
    /// Of a read and a write in one operation: due time to the reply of the read,
    /// and how many there were.
    pub read: Option<(u64, Quantiles)>,
    /// Of the same: the reply of the read to that of the write.
    pub update: Option<(u64, Quantiles)>,
}

/// What a contender's target cost. All none where it is out of sight.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TargetSummary {
    /// Where its CPU time was read.
    pub cpu_source: Option<String>,
    /// Why its CPU time is out of sight.
    pub out_of_sight: Option<String>,
    /// Seconds of CPU for each operation, at rest included (where the process is
    /// shared with another contender: while driven).
    pub cpu_per_operation: Option<f64>,
    /// CPU while it rested, as a share of one core; none where the process is
    /// shared and some contender of it was driven all the time.
    pub cpu_at_rest: Option<f64>,
    /// CPU while it was driven, as a share of the cores that it may use; none
    /// where they are not known.
    pub busy: Option<f64>,
    /// Names of contenders that share its process.
    pub shares_process_with: Vec<String>,
    /// The most memory that it had, in bytes, over all launches.
    pub peak_memory_bytes: Option<u64>,
    /// Where that is from (`cgroup`, `processes`).
    pub memory_source: Option<String>,
    /// How often it was launched; 0: it ran already.
    pub launches: u32,
    /// What its runs were, where it is a program.
    pub programs: Programs,
    /// What it says of itself.
    pub facts: Vec<Fact>,
    /// Logs of it that could not be cleaned of secrets, and why.
    pub log_troubles: Vec<String>,
    /// Nodes of it that ended while it was driven, and how.
    pub lost_nodes: Vec<String>,
}

/// What a store said of itself. What it did not say is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoreSummary {
    /// How it came to its keys, the last time.
    pub loaded: Option<Loaded>,
    /// Items that it held after the last round, those of others included.
    pub items: Option<u64>,
    /// Bytes that they took, by its own account.
    pub bytes: Option<u64>,
    /// Items that it threw away.
    pub evicted: Evicted,
    /// Why it said nothing, where it did not answer.
    pub silent: Option<String>,
    /// Names of contenders that have the same server: then all of this is of
    /// all of them together.
    pub shared_with: Vec<String>,
}

/// Items that a store threw away for want of memory, by part of the run, over
/// all launches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evicted {
    /// While it was loaded.
    pub load: Option<u64>,
    /// Between that and the first round.
    pub before: Option<u64>,
    /// In the rounds.
    pub rounds: Option<u64>,
}

/// Operations sent, by part of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// Asking whether the target is ready.
    pub ready: u64,
    /// First values of a store's keys.
    #[serde(default)]
    pub load: u64,
    /// In the warm-up.
    pub warm_up: u64,
    /// In the pilot.
    pub pilot: u64,
    /// In the rounds.
    pub operations: u64,
    /// Sent in whichever part, but neither answered nor given up.
    pub unfinished: u64,
}

/// Quantiles in seconds; none without samples.
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
}
