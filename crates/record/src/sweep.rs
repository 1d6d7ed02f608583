//! A sweep: the same comparison, or one contender, at several load points.

use serde::{Deserialize, Serialize};

/// Name and major version of [`Sweep`] on disk.
pub const SCHEMA: &str = "tiebreak.sweep-points/1";

/// The file in a sweep's directory, besides the directories of its load points. It is written
/// before the first of them is driven and never changed; the journals of the points show how far
/// the sweep got.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// [`SCHEMA`].
    pub schema: String,
    /// Version of tiebreak.
    pub version: String,
    /// Start of the sweep, UTC, RFC 3339.
    pub started: String,
    /// The factor that is swept.
    pub factor: Factor,
    /// The load points, by ascending value.
    pub points: Vec<LoadPoint>,
}

/// One setting of the factor: a comparison of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadPoint {
    /// The setting: connections, operations in flight on a connection, bytes of a
    /// value, or operations per second.
    pub value: f64,
    /// Its directory, inside the sweep's.
    #[serde(rename = "folder")]
    pub directory: String,
    /// Its position in the order in which the points are driven, from 1.
    pub turn: u32,
}

/// The load points of `run --sweep`: one target that is driven at each of them in every round.
/// Load point `n` is contender `n` of the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSweep {
    /// The factor that is swept.
    pub factor: Factor,
    /// The settings, ascending: connections, operations in flight on a connection, bytes
    /// of a value, or operations per second.
    pub values: Vec<f64>,
}

/// The one setting that differs between load points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Factor {
    /// Connections to each contender.
    Connections,
    /// Operations per second.
    Rate,
    /// Bytes of a value.
    Value,
    /// Operations in flight on each connection.
    Depth,
}

impl Factor {
    /// All factors.
    pub const ALL: [Factor; 4] = [Factor::Connections, Factor::Rate, Factor::Value, Factor::Depth];

    /// Its name in settings and at the beginning of directory names.
    pub fn name(self) -> &'static str {
        match self {
            Factor::Connections => "connections",
            Factor::Rate => "rate",
            Factor::Value => "value",
            Factor::Depth => "depth",
        }
    }

    /// The directory of a load point: `connections-8`.
    pub fn directory(self, value: f64) -> String {
        format!("{}-{value}", self.name())
    }
}
