//! The resolved plan: nothing is left open except what the pilot chooses. It is here and not
//! beside the code that builds it, because the journal contains it and the report shows it, and
//! neither may depend on the other crates.

use crate::{
    Address, Consistency, Factor, Host, Intensity, InterimLook, Published, Question, RequestPlan,
    Reuse, Revision, RunSweep, Sharding, WarmUp, Workload,
};
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;

/// What will be done. It is fixed before the first target is touched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// `compare`, `run` or `demo`.
    pub command: String,
    /// The contenders; the index of each is its number.
    pub contenders: Vec<Contender>,
    /// Same seed, same operations and same order of slices.
    pub seed: u64,
    /// The requested interleaving. The pilot chooses if it is `Auto`.
    pub interleave: Interleave,
    /// The requested slice length. None if the pilot chooses.
    pub slice_ns: Option<u64>,
    /// How long each contender is driven in a round (`run`: the duration).
    pub round_ns: u64,
    /// Number of rounds.
    pub rounds: u32,
    /// How long each contender is driven before the pilot, at least.
    pub warm_up_ns: u64,
    /// How long at most, if its figure has not levelled before. 0 if the warm-up has a fixed length, as in
    /// journals of earlier versions.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub longest_warm_up_ns: u64,
    /// How long each contender is driven in the pilot.
    #[serde(default = "pilot_ns")]
    pub pilot_ns: u64,
    /// Cores that the generator's workers are pinned to.
    pub generator_cores: Vec<u32>,
    /// How many agents drive, each with a worker on this many cores of its machine. 0 if this
    /// process drives alone.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub agents: u32,
    /// The load points, if the contenders are targets at several of them (`--sweep`).
    /// None for all other plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<RunSweep>,
    /// The requirements (`--require`) as they were written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<String>,
    /// The published experiment that this one repeats. None if the experiment file names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Published>,
    /// The questions for the judge.
    pub question: Question,
    /// The machine.
    pub host: Host,
}

/// Two seconds: the length of every pilot before the plan contained it.
fn pilot_ns() -> u64 {
    2_000_000_000
}

impl Plan {
    /// How long the contenders are warmed up before the pilot, or before the only round.
    pub fn warm_up(&self) -> WarmUp {
        let (least_ns, most_ns) = (self.warm_up_ns, self.longest_warm_up_ns);
        WarmUp { least_ns, most_ns: most_ns.max(least_ns) }
    }

    /// How long the contenders are warmed up in a launch after the first one, whose warm-up took this long: at
    /// least as long, and half as long again for a launch that has not levelled by then. A fixed warm-up is repeated.
    pub fn warm_up_after(&self, found_ns: Option<u64>) -> WarmUp {
        let repeated = |least_ns: u64| WarmUp { least_ns, most_ns: least_ns + least_ns / 2 };
        found_ns.map_or(WarmUp::fixed(self.warm_up_ns), repeated)
    }

    /// About how long all rounds drive all contenders together, with the slices of single requests, in
    /// nanoseconds. How many slices a round has is known after the pilot.
    pub fn driven_in_rounds_ns(&self) -> u64 {
        self.driven_in_round_ns().saturating_mul(self.question.turns())
    }

    /// About how long each contender is driven in a round that holds it, in nanoseconds.
    pub fn driven_in_round_ns(&self) -> u64 {
        let requests = self.question.requests.len() as u64;
        // A turn is one slice, and half as many slices are at least one.
        let of_request_ns = match self.interleave {
            Interleave::Turns => self.round_ns,
            Interleave::Auto | Interleave::Slices => self.round_ns / 2,
        };
        self.round_ns.saturating_add(of_request_ns.saturating_mul(requests))
    }

    /// About how long the run takes at least, without launches and drains, in nanoseconds.
    pub fn least_ns(&self) -> u64 {
        let is_driven_once = self.question.pairs.is_empty() && !self.question.seeks_capacity();
        let pilot_ns = if is_driven_once { 0 } else { self.pilot_ns };
        // The warm-ups of later launches belong to the launches.
        let each_ns = self.warm_up_ns + pilot_ns;
        each_ns
            .saturating_mul(self.contenders.len() as u64)
            .saturating_add(self.driven_in_rounds_ns())
    }

    /// How many workers drive, over all agents.
    pub fn workers(&self) -> u32 {
        let cores = u32::try_from(self.generator_cores.len()).unwrap_or(u32::MAX);
        cores.max(1).saturating_mul(self.agents.max(1))
    }

    /// Returns the same plan with the launches that were chosen after the first one, if the pilot
    /// recorded a choice.
    #[must_use]
    pub fn with_launches(self, chosen: Option<Launches>) -> Plan {
        if chosen.is_none() {
            return self;
        }
        let question = self.question.with_launches(chosen);
        Plan { rounds: question.rounds, question, ..self }
    }

    /// Returns the same plan with what the pilot chose: the launches, the looks and the rounds.
    #[must_use]
    pub fn with_choice(self, choice: &PilotChoice) -> Plan {
        let question = self.question.with_choice(choice);
        Plan { rounds: question.rounds, question, ..self }
    }

    /// Returns the same plan with this number of replicates: launches, or rounds.
    #[must_use]
    pub fn with_replicates(self, replicates: u32) -> Plan {
        let question = self.question.with_replicates(replicates);
        Plan { rounds: question.rounds, question, ..self }
    }

    /// Whether tiebreak launches any target.
    pub fn launches(&self) -> bool {
        self.contenders.iter().any(|contender| !contender.launch.is_empty())
    }

    /// Whether each replicate has builds of its own (`--rebuilds`), whose number is then the length.
    pub fn is_rebuilt(&self) -> bool {
        self.contenders.iter().any(|of| of.revision.as_ref().is_some_and(|of| of.rebuilds > 0))
    }

    /// The number of the contender whose target this one drives: all load points of a target
    /// drive that of the first one.
    pub fn target_of(&self, contender: usize) -> usize {
        self.sweep.as_ref().map_or(contender, |sweep| contender % sweep.width())
    }

    /// The number of the contender whose keys and tables this one uses. Load points of a target that only
    /// read values of one size read the same ones, which are loaded once.
    pub fn data_of(&self, contender: usize) -> usize {
        let is_of_value = self.sweep.as_ref().is_some_and(|sweep| sweep.factor == Factor::Value);
        let writes = self.contenders[contender].asks.workload().is_some_and(Workload::writes);
        if writes || is_of_value { contender } else { self.target_of(contender) }
    }

    /// Whether it drives one target at several load points, so that no targets are compared.
    pub fn sweeps_one_target(&self) -> bool {
        self.sweep.as_ref().is_some_and(|sweep| sweep.width() == 1)
    }
}

/// One side of a comparison, without secrets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contender {
    /// Its name.
    pub name: String,
    /// Its URL, without the login and the values of the query.
    pub target: String,
    /// The revision that it was built from (`--against`). None if it is not compared with another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
    /// Its commands without secrets, if tiebreak launches it. Empty if it is running already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub launch: Vec<String>,
    /// The address that is dialled. For a target that tiebreak launches the port is 0 here, and
    /// each trial contains the actual one.
    pub address: Address,
    /// The address of the watcher that reads the CPU time of its target (`tiebreak watch`). None if
    /// it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<SocketAddr>,
    /// What its operations request.
    pub asks: RequestPlan,
    /// How hard it is driven.
    #[serde(flatten)]
    pub intensity: Intensity,
    /// The connection policy.
    pub reuse: Reuse,
    /// Time after which an operation is abandoned.
    pub timeout_ns: u64,
    /// Stop after this many operations (`run -n`).
    pub operations: Option<u64>,
    /// TLS settings in words (`verified`, `not verified`). None without TLS.
    pub tls: Option<String>,
    /// The consistency level of each operation. None if the protocol has no levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consistency: Option<Consistency>,
    /// The replication factor of what a load creates. None if the protocol has no levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replication: Option<u32>,
    /// How the keys are spread over several servers. None if there is one server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sharding: Option<Sharding>,
    /// Several workloads that are driven on it at once. The intensity above is that of all of
    /// them together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
}

/// One of several workloads that are driven on a contender at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Its name, the same for every contender.
    pub name: String,
    /// How hard it is driven.
    #[serde(flatten)]
    pub intensity: Intensity,
}

/// How contenders take turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interleave {
    /// The pilot chooses.
    #[default]
    Auto,
    /// Interleaved slices of tens of milliseconds.
    Slices,
    /// Every contender once in each round, without a break.
    Turns,
}

/// What the pilot chose, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PilotChoice {
    /// Slices or turns, never `Auto`.
    pub interleave: Interleave,
    /// Sending time of one slice (turns: of one turn).
    pub slice_ns: u64,
    /// How long each contender is driven in a round.
    pub round_ns: u64,
    /// Burn-in by contender.
    pub burn_in_ns: Vec<u64>,
    /// Sentences for people that explain the choice.
    pub why: Vec<String>,
    /// What it measured, by contender.
    pub saw: Vec<PilotSeen>,
    /// How long each contender was driven in the warm-up before the pilot, which later launches repeat.
    /// None if its length was fixed, as in journals of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up_ns: Option<u64>,
    /// How often the targets are launched, where that is known only after the first launch. None in
    /// journals of earlier versions, and where nothing is launched several times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launches: Option<Launches>,
    /// The looks of a run of short rounds, declared before round 1. Empty for all others, and in journals of
    /// earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<InterimLook>,
    /// How many rounds fit into the time that was given, where the round is the replicate. None if that
    /// was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// The arguments of a suite's tools that set how long a run takes, such as `-benchtime`. None for all other runs, in
    /// journals of earlier versions, and if the tools have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_length: Option<String>,
    /// Whether the load points of a sweep are driven one after the other, because their data do not fit into a store
    /// together. False in journals of earlier versions.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub load_points_apart: bool,
    /// The order in which each launch drives these load points, by number. Empty if they ascend, as in the only launch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub load_point_orders: Vec<Vec<u32>>,
}

/// The launches of a run, and the rounds of each. A quantile of a launch is that of its rounds' replies
/// together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launches {
    /// Launches of every target. With 1 the round is the replicate.
    pub launches: u32,
    /// Rounds of each.
    pub rounds: u32,
}

/// What the pilot measured of one contender.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PilotSeen {
    /// Operations per second.
    pub throughput: f64,
    /// Median response time.
    pub p50_ns: u64,
    /// 99th percentile of response time.
    pub p99_ns: u64,
    /// Share of its time that the generator's threads were idle, 0 to 1.
    pub generator_idle: f64,
    /// CPU that its target used at rest, as a share of one core. None if that is not known.
    #[serde(default)]
    pub cpu_at_rest: Option<f64>,
}
