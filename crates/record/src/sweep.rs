//! A sweep: one setting at several load points, all of which are driven in one run.

use crate::named::named;
use serde::{Deserialize, Serialize};

/// The load points of a run. Each target is driven at each of them, in every round: as a contender of its own. Those of
/// the first load point come first, in the order of the targets, then those of the next one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSweep {
    /// The factor that is swept.
    pub factor: Factor,
    /// The settings, ascending: connections, operations in flight on a connection, bytes
    /// of a value, or operations per second.
    pub values: Vec<f64>,
    /// The names of the targets. Empty in journals of earlier versions, which have one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
}

impl RunSweep {
    /// How many targets there are at each load point.
    pub fn width(&self) -> usize {
        self.targets.len().max(1)
    }

    /// The name of a target at a load point: `new@connections-8`, or the load point alone if there is one target.
    pub fn contender(target: &str, load_point: &str, width: usize) -> String {
        if width == 1 { load_point.to_owned() } else { format!("{target}@{load_point}") }
    }

    /// The name of each load point: `connections-8`.
    pub fn names(&self) -> Vec<String> {
        self.values.iter().map(|value| format!("{}-{value}", self.factor.name())).collect()
    }
}

named! {
    /// The one setting that differs between load points.
    #[derive(Hash)]
    pub enum Factor {
        /// Connections to each contender.
        Connections = "connections",
        /// Operations per second.
        Rate = "rate",
        /// Bytes of a value.
        Value = "value",
        /// Operations in flight on each connection.
        Depth = "depth",
    }
}
