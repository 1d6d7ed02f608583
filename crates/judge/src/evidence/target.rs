//! What the run recorded about a target.

use crate::verdict::{TargetSummary, WatchSummary};
use record::{Nodes, TargetDone, TargetReady, WatcherReport};

impl TargetSummary {
    /// Records that a target is ready; the facts of its latest launch are kept.
    pub(crate) fn ready(&mut self, ready: &TargetReady) {
        self.launches = self.launches.max(ready.launch);
        let took = (ready.took_ns > 0).then(|| ready.took_ns as f64 / 1e9);
        self.launch_took = self.launch_took.or(took);
        self.cpu_source.clone_from(&ready.cpu_source);
        self.cpu_unavailable.clone_from(&ready.cpu_unavailable);
        self.facts.clone_from(&ready.facts);
        self.add_nodes(ready.nodes.as_ref());
        self.watch = ready
            .watched
            .as_ref()
            .map(|what| WatchSummary { what: what.clone(), ..WatchSummary::default() });
    }

    /// Records the end of a target; the largest peak of all launches is kept.
    pub(crate) fn done(&mut self, done: &TargetDone) {
        self.log_troubles.extend(done.log_troubles.iter().cloned());
        self.lost_nodes.extend(done.lost_nodes.iter().cloned());
        self.behind.clone_from(&done.behind);
        self.add_nodes(done.nodes.as_ref());
        if let (Some(watch), Some(watched)) = (&mut self.watch, &done.watched) {
            watch.done(watched);
        }
        if done.peak_memory_bytes > self.peak_memory_bytes {
            self.peak_memory_bytes = done.peak_memory_bytes;
            self.memory_source = Some(done.memory_source.clone());
        }
    }

    fn add_nodes(&mut self, nodes: Option<&Nodes>) {
        if let Some(nodes) = nodes {
            self.nodes.get_or_insert_default().merge(nodes);
        }
    }
}

impl WatchSummary {
    fn done(&mut self, watched: &WatcherReport) {
        let seconds = |ns: u64| (watched.questions > 0).then_some(ns as f64 / 1e9);
        self.lost.clone_from(&watched.lost);
        self.questions = watched.questions;
        self.median = seconds(watched.median_ns);
        self.longest = seconds(watched.longest_ns);
        self.stolen = watched
            .steal_ns
            .filter(|_| watched.over_ns > 0)
            .map(|steal_ns| steal_ns as f64 / watched.over_ns as f64);
        self.load = watched.load_milli.map(|load| load as f64 / 1000.0);
    }
}
