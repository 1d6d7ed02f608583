//! The questions for the judge: part of the plan, fixed before round 1.

use crate::named::named;
use crate::{Consistency, Launches, LengthRule, Objective, PilotChoice, RunSweep};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The questions that a run answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// What is known about each contender before the run, by number.
    pub contenders: Vec<ContenderQuestion>,
    /// The metric on which each comparison's verdict rests.
    pub primary: Metric,
    /// Metrics of the second family, which has its own error budget.
    pub secondary: Vec<Metric>,
    /// Groups that are driven at once in every contender, in their order, and their metrics, which
    /// belong to the second family, too. Empty if there is one workload.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupQuestion>,
    /// Names of the requests that are compared one by one, each by the throughput of slices of its own: a
    /// third family of comparisons. Empty if they are not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<String>,
    /// Whether the contenders are ranked. Then all pairs are compared.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub is_ranked: bool,
    /// Whether the contenders are programs whose runs give the figures of several cases. Each case is then
    /// compared for itself, all cases are one family, and nothing else is compared.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub is_suite: bool,
    /// The control of a suite: `b` is a copy of contender `a`. Their cases are judged like all others, and a case in
    /// which they differ refuses the run. The pair is not one of `pairs`, and `b` is in none of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Pair>,
    /// The names of the load points of a sweep, ascending. Each has as many contenders, which follow each
    /// other. Empty if nothing is swept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub load_points: Vec<String>,
    /// The contenders of each replicate (round, or launch), by number, where it holds only some of them: those of a
    /// ranking, or of one load point. Empty if each holds all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Vec<u32>>,
    /// The objectives of `--slo`. If the primary metric is the capacity, the highest rate that meets them is
    /// sought; otherwise they are checked at the rate that is driven. Empty if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objectives: Vec<Objective>,
    /// Which contenders are compared. Empty for `run`.
    pub pairs: Vec<Pair>,
    /// Error budget of each family: 0.05 by default (1 − confidence).
    pub alpha: f64,
    /// The smallest difference that matters: 0.01 by default.
    pub matters: f64,
    /// Planned rounds of all launches together; with looks, the maximum.
    pub rounds: u32,
    /// Number of launches: of every target, or of those that the launch holds. The launch is then the replicate, and
    /// each has `rounds` ÷ `restarts` consecutive rounds. 0 means one launch, or targets that were running already.
    #[serde(default)]
    pub restarts: u32,
    /// What that number becomes where a launch is dear. None if it is fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dear: Option<DearLaunches>,
    /// The numbers of rounds, or of launches if the launch is the replicate, after which a run checks
    /// whether it is decided. Empty for a run of fixed length.
    #[serde(default)]
    pub interim_looks: Vec<u32>,
    /// How the number of replicates is found, if it is not fixed.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub length: LengthRule,
    /// Whether the contenders are expected to answer differently (`--expect-different`).
    pub expect_different: bool,
    /// Whether the generator shares a core with what it measures, as far as is known.
    pub shares_core: bool,
    /// Groups of two or more contenders, by number, whose targets have a process in common, so
    /// that its CPU time cannot be attributed.
    #[serde(default)]
    pub sharing: Vec<Vec<u32>>,
    /// Cores that the generator's workers are pinned to. Empty if not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub generator_cores: Vec<u32>,
    /// Cores that tiebreak may use, including those of the generator. Empty if not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_cores: Vec<u32>,
    /// Groups of two or more contenders, by number, that use the same target in different ways:
    /// they have the same address and host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_target: Vec<Vec<u32>>,
    /// Number of worker threads of the generator, over which its CPU time is divided.
    pub workers: u32,
}

impl Question {
    /// Returns the names of the codes of this contender's replies.
    pub fn code_names(&self, contender: usize) -> &BTreeMap<u16, String> {
        static NONE: BTreeMap<u16, String> = BTreeMap::new();
        self.contenders.get(contender).map_or(&NONE, |of| &of.code_names)
    }

    /// Whether the highest rate is sought that meets the objectives.
    pub fn seeks_capacity(&self) -> bool {
        self.primary == Metric::Capacity
    }

    /// Returns the names of the contenders, by number.
    pub fn names(&self) -> Vec<String> {
        self.contenders.iter().map(|contender| contender.name.clone()).collect()
    }

    /// Returns the name of a contender, or an empty name if there is no such number.
    pub fn name_of(&self, number: u32) -> &str {
        self.contenders.get(number as usize).map_or("", |contender| contender.name.as_str())
    }

    /// Returns the number of the contender with this name. Returns None if no contender
    /// has it.
    pub fn number_of(&self, name: &str) -> Option<usize> {
        self.contenders.iter().position(|contender| contender.name == name)
    }

    /// Returns how many contenders each load point has: all of them if nothing is swept.
    pub fn width(&self) -> usize {
        self.contenders.len() / self.load_points.len().max(1)
    }

    /// Returns the numbers of the contenders that have this name, at any load point.
    pub fn numbers_of(&self, name: &str) -> Vec<usize> {
        let width = self.width().max(1);
        let is_named = |number: &usize| {
            let full = self.contenders[*number].name.as_str();
            let load_point = self.load_points.get(number / width);
            let is_at = |at: &String| width > 1 && full == RunSweep::contender(name, at, width);
            full == name || load_point.is_some_and(is_at)
        };
        (0..self.contenders.len()).filter(is_named).collect()
    }

    /// Whether a round, counted from 1, is to hold this contender.
    pub fn holds(&self, round: u32, contender: u32) -> bool {
        self.blocks.is_empty() || self.block(round).contains(&contender)
    }

    /// The contenders of a round, where each holds only some.
    fn block(&self, round: u32) -> &[u32] {
        let replicate = round.saturating_sub(1) / self.rounds_of_a_launch().unwrap_or(1);
        self.blocks.get(replicate as usize).map_or(&[], Vec::as_slice)
    }

    /// How often a contender is driven for a round, over all contenders and rounds.
    pub fn turns(&self) -> u64 {
        self.turns_from(1)
    }

    /// How often a contender is driven for a round, over all contenders and the rounds from this one on.
    pub fn turns_from(&self, first_round: u32) -> u64 {
        if self.blocks.is_empty() {
            let rounds = (u64::from(self.rounds) + 1).saturating_sub(first_round.into());
            return rounds.saturating_mul(self.contenders.len() as u64);
        }
        (first_round..=self.rounds).map(|round| self.block(round).len() as u64).sum()
    }

    /// The planned number of replicates that hold both contenders of a pair.
    pub fn replicates_of(&self, pair: Pair) -> u32 {
        if self.blocks.is_empty() {
            return self.replicates();
        }
        let is_held = |block: &&Vec<u32>| block.contains(&pair.a) && block.contains(&pair.b);
        self.blocks.iter().filter(is_held).map(|_| 1).sum()
    }

    /// The number of comparisons of the larger of the two families that the replicates must suffice for: all pairs, or
    /// all pairs by each request.
    pub fn compared(&self) -> usize {
        self.pairs.len() * self.requests.len().max(1)
    }

    /// Returns the same question with the launches that were chosen after the first one, if the pilot
    /// recorded a choice.
    #[must_use]
    pub fn with_launches(self, chosen: Option<Launches>) -> Question {
        let Some(Launches { launches, rounds }) = chosen else { return self };
        Question {
            rounds: launches.saturating_mul(rounds),
            restarts: if launches > 1 { launches } else { 0 },
            ..self
        }
    }

    /// Returns the same question with what the pilot chose: the launches, the looks and the rounds.
    #[must_use]
    pub fn with_choice(self, choice: &PilotChoice) -> Question {
        let question = self.with_launches(choice.launches);
        if choice.load_points_apart {
            return question.with_load_points_apart(&choice.load_point_orders);
        }
        if let Some(last) = choice.looks.last() {
            let (round_ns, looks) = (choice.round_ns, choice.looks.clone());
            return Question {
                rounds: last.replicates,
                interim_looks: looks.iter().map(|look| look.replicates).collect(),
                length: LengthRule::ShortRounds { round_ns, looks },
                ..question
            };
        }
        match choice.rounds {
            Some(rounds) => Question { rounds, ..question },
            None => question,
        }
    }

    /// Returns the same question with as many rounds for each load point, which hold no other one. Each launch drives
    /// all load points, in the order that is given for it. Without one they ascend.
    fn with_load_points_apart(self, orders: &[Vec<u32>]) -> Question {
        let each: Vec<u32> = (0..).take(self.contenders.len()).collect();
        let points: Vec<&[u32]> = each.chunks(self.width().max(1)).collect();
        let ascending: Vec<u32> = (0..).take(points.len()).collect();
        // A block is that of a replicate: of a load point in a launch, or of a round.
        let replicates = if self.restarts > 0 { 1 } else { self.rounds as usize };
        let launches = 0..self.restarts.max(1) as usize;
        let blocks = launches
            .flat_map(|launch| orders.get(launch).unwrap_or(&ascending))
            .filter_map(|point| points.get(*point as usize))
            .flat_map(|point| std::iter::repeat_n(point.to_vec(), replicates))
            .collect();
        let of_all = self.load_points.iter().map(|_| self.rounds).sum();
        Question { rounds: of_all, blocks, ..self }
    }

    /// Whether the load points of a sweep share no rounds.
    pub fn has_load_points_apart(&self) -> bool {
        !self.load_points.is_empty() && !self.blocks.is_empty()
    }

    /// Returns the same question with this number of replicates: launches, or rounds.
    #[must_use]
    pub fn with_replicates(self, replicates: u32) -> Question {
        match self.rounds_of_a_launch() {
            Some(rounds) => self.with_launches(Some(Launches { launches: replicates, rounds })),
            None => Question { rounds: replicates, ..self },
        }
    }

    /// The planned number of replicates: launches, or rounds.
    pub fn replicates(&self) -> u32 {
        if self.restarts > 0 { self.restarts } else { self.rounds }
    }

    /// Rounds of each launch that hold a contender, at least 1: all of them, or those of its load point if load points
    /// share no rounds. Returns None if the round is the replicate.
    pub fn rounds_of_a_launch(&self) -> Option<u32> {
        let all = self.rounds.checked_div(self.restarts)?;
        Some((all / self.parts_of_a_launch()).max(1))
    }

    /// In how many parts a launch is driven: one for each load point if they share no rounds, else one.
    pub fn parts_of_a_launch(&self) -> u32 {
        let parts = if self.has_load_points_apart() { self.load_points.len() } else { 1 };
        u32::try_from(parts).unwrap_or(u32::MAX)
    }

    /// The launch of this round; both count from 1. Returns None if the round is the replicate.
    pub fn launch_of(&self, round: u32) -> Option<u32> {
        let all = self.rounds_of_a_launch()?.saturating_mul(self.parts_of_a_launch());
        Some(round.saturating_sub(1) / all + 1)
    }

    /// Whether a look comes just after this many complete rounds.
    pub fn is_at_a_look(&self, rounds: u32) -> bool {
        let each = self.rounds_of_a_launch().unwrap_or(1);
        rounds.is_multiple_of(each) && self.interim_looks.contains(&(rounds / each))
    }
}

/// The launches of a run whose number follows from what the first ones cost, where they are not cheap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DearLaunches {
    /// Launches of every target where a launch is dear; those that each pair shares, where they hold only some.
    pub launches: u32,
    /// Rounds, of each pair, where it is too dear for several: then there is one launch.
    pub rounds_of_one: u32,
    /// Length of these rounds.
    pub round_of_one_ns: u64,
}

/// What the judge needs to know about one contender before the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContenderQuestion {
    /// Its name.
    pub name: String,
    /// The name of its protocol for people (`HTTP`, `Redis`). Empty if not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub protocol: String,
    /// The program that people use to ask servers of this protocol, for advice. Empty if not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub client: String,
    /// The setting of these servers that limits their memory, for advice. Empty if not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub memory_setting: String,
    /// Names of the codes by which its replies are counted; a code has a meaning only within its protocol.
    /// Those of HTTP are statuses, and have no names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub code_names: BTreeMap<u16, String>,
    /// Whether the CPU time of its target can be read.
    pub cpu_in_sight: bool,
    /// Cores that its target may use. Empty if not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target_cores: Vec<u32>,
    /// The machine of its target and of those cores: 0 is the generator's, and each other one has a
    /// number of its own.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub machine: u32,
    /// Whether a client library drives it.
    #[serde(default)]
    pub by_library: bool,
    /// Whether its operations follow from a workload, so that replies are verified instead of
    /// compared.
    #[serde(default)]
    pub from_workload: bool,
    /// Whether its workload removes keys, so that misses are expected.
    #[serde(default)]
    pub misses_asked: bool,
    /// The consistency level of each operation. None if the protocol has no levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consistency: Option<Consistency>,
    /// Whether the generator does the target's work itself (files).
    #[serde(default)]
    pub done_by_generator: bool,
    /// Whether its reply has no body by definition (HEAD).
    pub bodiless: bool,
    /// Whether its replies may be without a body: because its method is not GET, or because that is meant.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_be_empty: bool,
    /// Highest rate of fresh connections that local ports allow, in connects per second. None if
    /// connections persist.
    pub port_limit: Option<f64>,
}

impl ContenderQuestion {
    /// Returns a contender about which only the name is known.
    pub fn named(name: &str) -> ContenderQuestion {
        ContenderQuestion { name: name.to_owned(), ..ContenderQuestion::default() }
    }
}

/// The question about one group of all contenders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupQuestion {
    /// Its name.
    pub name: String,
    /// The metrics that are compared.
    pub metrics: Vec<Metric>,
}

/// Contender `b` against contender `a`, by number: ratios are b/a.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The contender that is compared with.
    pub a: u32,
    /// The contender that the verdict is about.
    pub b: u32,
}

named! {
    /// A figure of one trial. Its text is the path below `metrics` in the report.
    #[derive(Default, PartialOrd, Ord, Hash)]
    pub enum Metric {
        /// Operations per second.
        #[default]
        Throughput = "throughput",
        /// Median response time.
        ResponseP50 = "response_time.p50",
        /// 99th percentile of response time.
        ResponseP99 = "response_time.p99",
        /// 99.9th percentile of response time.
        ResponseP999 = "response_time.p999",
        /// Seconds of the target's CPU for each operation, including CPU at rest.
        TargetCpu = "target_cpu_per_operation",
        /// Peak memory of the target in bytes: of a launch, or of a program in a round.
        PeakMemory = "target_peak_memory",
        /// The highest rate that meets the objectives of `--slo`, in operations per second.
        Capacity = "capacity",
        /// What a case of a suite costs: its figure, or the inverse of one of which more is better.
        Cost = "cost",
    }
}

/// Which direction is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Throughput and capacity.
    HigherIsBetter,
    /// Times and costs.
    LowerIsBetter,
}

impl Metric {
    /// All metrics that contenders can be ranked by.
    pub const RANKED: [Metric; 6] = [
        Metric::Throughput,
        Metric::ResponseP50,
        Metric::ResponseP99,
        Metric::ResponseP999,
        Metric::TargetCpu,
        Metric::PeakMemory,
    ];

    /// The path below `metrics` in the report.
    pub fn path(self) -> &'static str {
        self.name()
    }

    /// Which direction is better.
    pub fn direction(self) -> Direction {
        match self {
            Metric::Throughput | Metric::Capacity => Direction::HigherIsBetter,
            _ => Direction::LowerIsBetter,
        }
    }

    /// Whether it is what the target uses up, not how fast it answers. The generator does not change it, and less
    /// of it is called lower, not faster.
    pub fn is_use(self) -> bool {
        matches!(self, Metric::TargetCpu | Metric::PeakMemory)
    }

    /// Its quantile. Returns None unless it is a metric of response time.
    pub fn quantile(self) -> Option<f64> {
        match self {
            Metric::ResponseP50 => Some(0.5),
            Metric::ResponseP99 => Some(0.99),
            Metric::ResponseP999 => Some(0.999),
            _ => None,
        }
    }
}
