//! The plan as resolved: nothing optional is left open but what the pilot
//! chooses. It lives here and not beside the code that builds it because the
//! journal holds it and the report shows it, and neither may import the rest.

use crate::{Address, Arrivals, GroupAsked, Host, Question, Reuse, Skew, Workload};
use serde::{Deserialize, Serialize};

/// What will be done, fixed before the first target is touched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// `compare`, `run` or `demo`.
    pub command: String,
    /// The contenders; their place is their number.
    pub contenders: Vec<Contender>,
    /// Same seed, same operations and same order of slices.
    pub seed: u64,
    /// What was asked for; the pilot decides where it is `Auto`.
    pub interleave: Interleave,
    /// Slice length asked for; none: the pilot chooses.
    pub slice_ns: Option<u64>,
    /// How long each contender is driven in a round (`run`: the duration).
    pub round_ns: u64,
    /// Rounds.
    pub rounds: u32,
    /// How long each contender is driven before the pilot.
    pub warm_up_ns: u64,
    /// How long each contender is driven in the pilot.
    #[serde(default = "pilot_ns")]
    pub pilot_ns: u64,
    /// Cores that the generator's workers are pinned to.
    pub generator_cores: Vec<u32>,
    /// What a verdict must show (`--require`), as it was written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<String>,
    /// What the judge is asked.
    pub question: Question,
    /// The machine.
    pub host: Host,
}

/// Two seconds, which every pilot took before the plan said how long.
fn pilot_ns() -> u64 {
    2_000_000_000
}

impl Plan {
    /// Whether tiebreak launches any of the targets.
    pub fn launches(&self) -> bool {
        self.contenders.iter().any(|contender| !contender.launch.is_empty())
    }
}

/// One side of a comparison, without its secrets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contender {
    /// Its name.
    pub name: String,
    /// Its URL, without login and with the values of the query elided.
    pub target: String,
    /// Its commands in words, secrets elided, where tiebreak launches it; empty:
    /// it runs already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub launch: Vec<String>,
    /// The one address that is dialled; of a target to be launched the port is 0
    /// here, and each trial says which it was.
    pub address: Address,
    /// Connections.
    pub connections: u32,
    /// The connection policy.
    pub reuse: Reuse,
    /// When operations are due.
    pub arrivals: Arrivals,
    /// Given up after this long.
    pub timeout_ns: u64,
    /// Stop after this many operations (`run -n`).
    pub operations: Option<u64>,
    /// What is sent; none where operations follow from a workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestAsked>,
    /// The operations on its data; none where there is one request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<Workload>,
    /// How unevenly its workload asks for its keys; none without a workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skew: Option<Skew>,
    /// How a database is spoken to; none where it is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sql: Option<SqlAsked>,
    /// How many operations may be in flight on one connection.
    #[serde(default = "crate::asked::one")]
    pub depth: u32,
    /// Codes that count as success; empty: 200 to 299.
    pub expect: Vec<u16>,
    /// TLS settings in words (`verified`, `not verified`); none without TLS.
    pub tls: Option<String>,
    /// Several workloads that are done to it at once. Connections and arrivals
    /// above are of all of them together, and the depth is the largest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
}

/// One of several workloads that are done to a contender at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Its name, the same for every contender.
    pub name: String,
    /// What is asked of it.
    #[serde(flatten)]
    pub asked: GroupAsked,
}

impl Contender {
    /// It keeps data that a workload works on: of HTTP a workload only says which
    /// requests there are.
    pub fn is_store(&self) -> bool {
        self.workload.is_some() && self.request.is_none()
    }
}

/// The request, without its secrets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestAsked {
    /// The method.
    pub method: String,
    /// Names of the headers that were given.
    pub header_names: Vec<String>,
    /// Bytes of body.
    pub body_bytes: u64,
}

/// How a database is spoken to, without its secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SqlAsked {
    /// How statements are sent.
    pub protocol: SqlProtocol,
    /// The one statement; none where operations follow from a workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Which kind of table the workload's rows are in (`memory`, `unlogged`, …); none:
    /// the database's own choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// Bytes of the reply to an operation, at most. None: 4 MiB, or what the values of
    /// its workload take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_bytes: Option<u64>,
}

/// How statements are sent to a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SqlProtocol {
    /// PostgreSQL: as text, parsed and planned each time, in one message.
    Simple,
    /// PostgreSQL: values bound, parsed and planned each time, in one round trip.
    Extended,
    /// MySQL: as text, parsed and planned each time.
    Text,
    /// Prepared once for each connection, values bound.
    Prepared,
}

impl SqlProtocol {
    /// Its name, as it is written in settings.
    pub fn name(self) -> &'static str {
        match self {
            SqlProtocol::Simple => "simple",
            SqlProtocol::Extended => "extended",
            SqlProtocol::Text => "text",
            SqlProtocol::Prepared => "prepared",
        }
    }
}

/// How contenders take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interleave {
    /// The pilot decides.
    Auto,
    /// Slices of tens of milliseconds, braided.
    Slices,
    /// Every contender once a round, without a break.
    Turns,
}

/// What the pilot chose, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PilotChoice {
    /// Slices or turns: never `Auto`.
    pub interleave: Interleave,
    /// Sending time of one slice (turns: of one turn).
    pub slice_ns: u64,
    /// How long each contender is driven in a round.
    pub round_ns: u64,
    /// Burn-in by contender.
    pub burn_in_ns: Vec<u64>,
    /// Sentences that say why, for people.
    pub why: Vec<String>,
    /// What it saw, by contender.
    pub saw: Vec<PilotSeen>,
}

/// What the pilot saw of one contender.
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
    /// CPU that its target used while it rested, as a share of one core; none
    /// where that is not known.
    #[serde(default)]
    pub cpu_at_rest: Option<f64>,
}
