//! What each agent did of a contender's load.

use record::TrialRecord;
use std::collections::BTreeMap;

/// All agents, by rank, over the recorded rounds that were not cut short.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Agents {
    pub(crate) each: BTreeMap<u32, AgentDriven>,
    /// Slices, and how long operations were sent in them.
    pub(crate) slices: u64,
    pub(crate) sending_ns: u64,
}

/// One agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AgentDriven {
    pub(crate) operations: u64,
    pub(crate) connections: u64,
    /// Start to last reply, summed over its slices.
    pub(crate) took_ns: u64,
    /// Start after that of the first agent, summed over its slices, and the most of it.
    pub(crate) behind_ns: u64,
    pub(crate) most_behind_ns: u64,
    /// The largest bound of its clock model.
    pub(crate) bound_ns: u64,
}

impl Agents {
    /// Adds a trial of a round.
    pub(crate) fn add(&mut self, record: &TrialRecord) {
        if record.agents.is_empty() {
            return;
        }
        self.slices += record.seen.slices.len() as u64;
        self.sending_ns += record.seen.slices.iter().map(|slice| slice.sending_ns).sum::<u64>();
        for seen in &record.agents {
            let agent = self.each.entry(seen.rank).or_default();
            agent.operations += seen.operations;
            agent.connections = seen.connections;
            agent.took_ns += seen.took_ns;
            agent.behind_ns += seen.behind_ns;
            agent.most_behind_ns = agent.most_behind_ns.max(seen.most_behind_ns);
            agent.bound_ns = agent.bound_ns.max(seen.bound_ns);
        }
    }

    /// How far apart the agents start a slice, in nanoseconds: the mean over the slices of the
    /// agent that starts last. None without agents.
    pub(crate) fn spread_ns(&self) -> Option<f64> {
        let most = self.each.values().map(|agent| agent.behind_ns).max()?;
        (self.slices > 0).then(|| most as f64 / self.slices as f64)
    }

    /// How wrong the starts may be.
    pub(crate) fn bound_ns(&self) -> u64 {
        self.each.values().map(|agent| agent.bound_ns).max().unwrap_or(0)
    }

    /// The mean sending time of a slice.
    pub(crate) fn slice_ns(&self) -> f64 {
        self.sending_ns as f64 / self.slices.max(1) as f64
    }
}

impl AgentDriven {
    /// Operations per second.
    pub(crate) fn throughput(&self) -> Option<f64> {
        (self.took_ns > 0).then(|| self.operations as f64 * 1e9 / self.took_ns as f64)
    }
}
