//! The turns of runs that seek capacities.

/// What one turn counted: a contender, driven at one rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// The rate that was asked for, in operations per second.
    pub rate: f64,
    /// Operations that were due in the turn after the uncounted beginning.
    pub counted: u64,
    /// How many of them missed each objective, in the order of the objectives: those that were late, lost or not
    /// answered or, for an objective on errors, those that failed.
    pub missed: Vec<u64>,
    /// What was the slowest part in this turn.
    pub part: Part,
}

impl Turn {
    /// The fraction of operations that missed an objective, by its position. A turn without operations missed all.
    pub(crate) fn share_missed(&self, objective: usize) -> f64 {
        if self.counted == 0 { 1.0 } else { self.missed[objective] as f64 / self.counted as f64 }
    }
}

/// What can limit a capacity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// The target.
    #[default]
    Target,
    /// The number of connections: operations waited for a free one.
    Connections,
    /// The generator. A capacity that it limits is "at least", and has no ratio.
    Generator,
}

/// One turn, for the report.
#[derive(Clone, Debug, PartialEq)]
pub struct DrivenTurn {
    /// Its round; 0 in the search.
    pub round: u32,
    /// What it counted.
    pub turn: Turn,
    /// The percentile of the first objective on response times, in nanoseconds. None if so many operations have no
    /// response time that it is not known.
    pub percentile_ns: Option<u64>,
}
