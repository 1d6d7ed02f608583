//! What was recorded of one contender over the run.

use super::{
    Agents, Costs, Timeline, Trial, launch::Launch, store::Stored, timeline, waiting::Waiting,
};
use crate::{
    cost::Cost, stats::carry_over::CarryOver, stats::quantile::slices_reached, verdict::Sent,
    verdict::TargetSummary, verdict::WarmUps,
};
use record::{
    FaultOwner, Histogram, LaneOrder, Metric, Outcomes, OwnCost, Phase, Reasons, Seen, Slice,
    TrialRecord, own_cost::cheapest, seen::Connections,
};
use std::collections::BTreeMap;

/// One contender's record, added up.
///
/// There are three scopes, and each figure states its own: *all phases* (what the server's log can
/// count, connections), *recorded rounds* (how operations ended; no round is left out) and *judged
/// rounds* (the basis of figures and verdicts).
#[derive(Clone, Debug, Default)]
pub(crate) struct DriveSummary {
    // All phases.
    pub(crate) target: TargetSummary,
    /// The peak memory of each launch that has ended, in bytes: None if it cannot be read.
    pub(crate) peaks: BTreeMap<u32, Option<u64>>,
    /// What its store reported, if it has one.
    pub(crate) stored: Stored,
    pub(crate) sent: Sent,
    pub(crate) warm_ups: WarmUps,
    /// The longest warm-up, also one of a fixed length.
    pub(crate) longest_warm_up_ns: u64,
    pub(crate) connect_time: Histogram,
    pub(crate) tls_time: Histogram,
    pub(crate) log_in_time: Histogram,
    pub(crate) upgrade_time: Histogram,
    pub(crate) prepare_time: Histogram,
    /// `requested` and `established` are those of the recorded round that established fewest.
    pub(crate) connections: Connections,

    // Against the null server.
    /// Whether it was driven there.
    pub(crate) driven_alone: bool,
    /// CPU nanoseconds of the generator per operation: for each trial the cheapest undisturbed
    /// slice.
    pub(crate) own_costs: Vec<f64>,
    /// The cost that an earlier run measured.
    pub(crate) kept_cost: Option<OwnCost>,

    // Recorded rounds.
    /// The settings: one entry, or several if rounds differ.
    pub(crate) lane_orders: Vec<LaneOrder>,
    pub(crate) outcomes: Outcomes,
    pub(crate) codes: BTreeMap<u16, u64>,
    pub(crate) empty: u64,
    /// Why operations failed, in words.
    pub(crate) reasons: Reasons,
    /// Operations on connections on which bytes came that belong to no request.
    pub(crate) unasked: u64,
    /// What each agent did, if several machines drove.
    pub(crate) agents: Agents,

    // Judged rounds.
    /// Everything merged; its slices are not kept.
    pub(crate) judged: Seen,
    pub(crate) trials: Vec<Trial>,
    /// The launches, where their replies are judged together.
    pub(crate) launches: Vec<Launch>,
    pub(crate) timeline: Timeline,
    /// The cost of its target in the rounds in which all slices were read.
    pub(crate) cost: Cost,
    /// Operations in these rounds.
    pub(crate) cost_operations: u64,
    /// The first round in which its target's CPU time was not visible in some slice.
    pub(crate) unread_from: Option<u32>,
    /// Time stolen from the machine of its target while it was driven, as a watcher read it.
    pub(crate) watched_steal_ns: u64,
    pub(crate) carry_over: CarryOver,
    /// Who waited at the end of each launch.
    pub(crate) waiting: Vec<Waiting>,
    /// Operations that ended in the slices.
    pub(crate) slice_operations: u64,
    /// Start to last reply, summed over slices.
    pub(crate) took_ns: u64,
    pub(crate) sending_ns: u64,
    /// Operations that the judged turns requested, if their rates differ by design. 0 otherwise.
    pub(crate) requested: f64,
    pub(crate) generator_cpu_ns: u64,
    pub(crate) waited_ns: u64,
    pub(crate) steal_ns: u64,
    /// First start to last reply of each round, summed; pauses are included.
    pub(crate) span_ns: u64,
    pub(crate) slices: u64,
    pub(crate) most_slices: usize,
    /// Sending time of the shortest slice.
    pub(crate) shortest_slice_ns: Option<u64>,
    /// Slices whose drain took longer than their sending.
    pub(crate) long_drains: u64,
    /// Slices that contain a response time above their trial's p99.
    pub(crate) tail_slices: u64,
    /// Slices that these response times would reach if they were scattered evenly.
    pub(crate) tail_slices_scattered: f64,

    // All of the above.
    /// These figures of each group, if several were driven at once. The figures of the machine and the
    /// target are those of all groups together, and not repeated here.
    pub(crate) groups: Vec<DriveSummary>,
    /// These figures of each request in slices of its own, whose operations are not in the figures above.
    pub(crate) requests: Vec<DriveSummary>,
}

impl DriveSummary {
    /// The peak memory of this launch in bytes, if it can be part of a ratio.
    pub(crate) fn peak_memory(&self, launch: u32) -> Option<f64> {
        let bytes = self.peaks.get(&launch).copied().flatten()?;
        (bytes > 0).then_some(bytes as f64)
    }

    /// The launch of this number, if some of its rounds are judged and launches are judged as a whole.
    pub(crate) fn launch(&self, number: u32) -> Option<&Launch> {
        let at = self.launches.binary_search_by_key(&number, |launch| launch.number).ok()?;
        self.launches.get(at)
    }

    /// The launches that hold both contenders, in order.
    pub(crate) fn shared_launches<'a>(
        &'a self,
        other: &'a DriveSummary,
    ) -> impl Iterator<Item = (&'a Launch, &'a Launch)> {
        self.launches.iter().filter_map(|launch| Some((launch, other.launch(launch.number)?)))
    }

    /// Counts what every record contains, whichever its phase.
    pub(crate) fn count(&mut self, record: &TrialRecord) {
        if record.phase == Phase::Null {
            self.driven_alone = true;
            if !record.cut_short {
                self.own_costs.extend(cheapest(&record.seen));
            }
            return;
        }
        self.count_seen(record.phase, &record.lane_order, &record.seen);
        self.count_warm_up(record);
        if record.phase == Phase::Round && !record.cut_short {
            self.agents.add(record);
        }
        make(&mut self.groups, record.seen.groups.len());
        let lane_orders =
            record.lane_order.groups.iter().map(|group| record.lane_order.of_group(group));
        for ((group, lane_orders), seen) in
            self.groups.iter_mut().zip(lane_orders).zip(&record.seen.groups)
        {
            group.count_seen(record.phase, &lane_orders, seen);
        }
        make(&mut self.requests, record.seen.requests.len());
        for (at, seen) in record.seen.requests.iter().enumerate() {
            self.count_sent(record.phase, seen);
            self.requests[at].count_seen(record.phase, &record.lane_order, seen);
        }
    }

    fn count_warm_up(&mut self, record: &TrialRecord) {
        let (warm_ups, ns) = (&mut self.warm_ups, record.driven_ns());
        if record.phase == Phase::WarmUp {
            self.longest_warm_up_ns = self.longest_warm_up_ns.max(ns);
        }
        let Some(levelled) = record.levelled.filter(|_| !record.cut_short) else { return };
        if warm_ups.number == 0 {
            warm_ups.first_ns = ns;
        }
        warm_ups.number += 1;
        warm_ups.longest_ns = warm_ups.longest_ns.max(ns);
        warm_ups.cold += u32::from(!levelled);
    }

    fn count_seen(&mut self, phase: Phase, lane_order: &LaneOrder, seen: &Seen) {
        self.count_sent(phase, seen);
        if phase == Phase::Round {
            self.count_recorded(lane_order, seen);
        }
    }

    /// Counts a turn at a rate beyond the capacity. That it failed, or was late, is no objection to the run; wrong
    /// replies and faults of the generator are.
    pub(crate) fn count_probe(&mut self, record: &TrialRecord) {
        let seen = &record.seen;
        self.count_sent(record.phase, seen);
        let mut outcomes = seen.outcomes.clone();
        outcomes.unexpected.clear();
        outcomes.failed.retain(|failure, _| failure.fault_owner() == FaultOwner::Generator);
        self.outcomes.merge(&outcomes);
        self.empty += seen.empty;
        self.unasked += seen.unasked;
    }

    /// Adds the operations that a turn at this rate requests.
    pub(crate) fn add_requested(&mut self, rate: f64, seen: &Seen) {
        let sending_ns: u64 = seen.slices.iter().map(|slice| slice.sending_ns).sum();
        self.requested += rate * sending_ns as f64 / 1e9;
    }

    fn count_sent(&mut self, phase: Phase, seen: &Seen) {
        let sent = match phase {
            Phase::Ready => &mut self.sent.ready,
            Phase::Load => &mut self.sent.load,
            Phase::WarmUp => &mut self.sent.warm_up,
            Phase::Pilot => &mut self.sent.pilot,
            Phase::Round => &mut self.sent.operations,
            Phase::Null => return,
        };
        *sent += seen.sent;
        self.sent.unfinished += seen.unfinished;
        self.connect_time.merge(&seen.connect_time);
        self.tls_time.merge(&seen.tls_time);
        self.log_in_time.merge(&seen.phases.log_in);
        self.upgrade_time.merge(&seen.phases.upgrade);
        self.prepare_time.merge(&seen.phases.prepare);
        self.connections.opened += seen.connections.opened;
        self.connections.reopened_at_rest += seen.connections.reopened_at_rest;
        self.connections.closed_by_target += seen.connections.closed_by_target;
        self.connections.spoken_first += seen.connections.spoken_first;
    }

    /// The generator's CPU time per operation against the null server, in seconds: the lowest that
    /// was measured in this run, or else in an earlier one. None if every measurement was
    /// disturbed.
    pub(crate) fn own_cost(&self) -> Option<f64> {
        let measured = self.own_costs.iter().copied().min_by(f64::total_cmp);
        let kept = self.kept_cost.as_ref().map(|kept| kept.cpu_per_operation_ns);
        measured.or(kept).map(|ns| ns / 1e9)
    }

    /// How long before this run it was measured, in seconds. None if it was measured in this run.
    pub(crate) fn own_cost_age_s(&self) -> Option<u64> {
        self.kept_cost.as_ref().filter(|_| self.own_costs.is_empty()).map(|kept| kept.age_s)
    }

    fn count_recorded(&mut self, lane_order: &LaneOrder, seen: &Seen) {
        if !self.lane_orders.contains(lane_order) {
            self.lane_orders.push(lane_order.clone());
        }
        self.outcomes.merge(&seen.outcomes);
        for (code, n) in &seen.codes {
            *self.codes.entry(*code).or_default() += n;
        }
        self.empty += seen.empty;
        self.unasked += seen.unasked;
        self.reasons.merge(&seen.reasons);
    }

    /// Counts the connections of a recorded round.
    pub(crate) fn count_connections(&mut self, seen: &Seen) {
        let (requested, established) = (seen.connections.requested, seen.connections.established);
        let missing = self.connections.requested
            - self.connections.established.min(self.connections.requested);
        if self.connections.requested == 0 || requested - established.min(requested) > missing {
            self.connections.requested = requested;
            self.connections.established = established;
        }
        make(&mut self.groups, seen.groups.len());
        for (group, seen) in self.groups.iter_mut().zip(&seen.groups) {
            group.count_connections(seen);
        }
    }

    /// Adds a round of this contender to the judged ones. `launch` is its launch if launches are judged
    /// as a whole.
    pub(crate) fn judge(
        &mut self,
        contender: u32,
        round: u32,
        launch: Option<u32>,
        mut seen: Seen,
        costs: Option<Costs>,
    ) {
        make(&mut self.groups, seen.groups.len());
        for (group, seen) in self.groups.iter_mut().zip(seen.groups.drain(..)) {
            group.judge(contender, round, launch, seen, costs);
        }
        make(&mut self.requests, seen.requests.len());
        for (request, seen) in self.requests.iter_mut().zip(seen.requests.drain(..)) {
            request.judge(contender, round, launch, seen, None);
        }
        match &costs {
            Some(costs) => {
                self.cost.merge(&costs.cost);
                self.cost_operations += seen.operations;
            }
            None => self.unread_from = self.unread_from.or(Some(round)),
        }
        self.watched_steal_ns += watched_steal_ns(contender, &seen.slices);
        let trial = Trial::new(round, &seen, costs);
        self.add_tail(&trial, &seen);
        self.trials.push(trial);
        if let Some(number) = launch {
            Launch::add(&mut self.launches, number, &seen);
        }
        Waiting::add(&mut self.waiting, launch, &seen);
        self.add_carry_over(contender, &seen.slices);
        self.add_slices(&seen.slices);
        seen.slices.clear();
        self.judged.merge(&seen);
    }

    /// Operations ÷ time to the last reply, over all judged rounds.
    pub(crate) fn throughput(&self) -> Option<f64> {
        (self.took_ns > 0).then(|| self.slice_operations as f64 * 1e9 / self.took_ns as f64)
    }

    /// The quantile above which response times are lower bounds. None if no operation was due and never sent.
    pub(crate) fn at_least_from(&self) -> Option<f64> {
        let (unsent, all) = (self.judged.unsent_times, self.judged.response_time.len());
        (unsent > 0).then(|| 1.0 - unsent as f64 / all.max(1) as f64)
    }

    fn add_slices(&mut self, slices: &[Slice]) {
        for slice in slices {
            self.slice_operations += slice.operations;
            self.took_ns += slice.took_ns;
            self.sending_ns += slice.sending_ns;
            self.generator_cpu_ns += slice.generator_cpu_ns;
            self.waited_ns += slice.waited_ns;
            self.steal_ns += slice.steal_ns;
            let drained = slice.took_ns.saturating_sub(slice.sending_ns);
            self.long_drains += u64::from(drained > slice.sending_ns);
            let shortest = self.shortest_slice_ns.unwrap_or(u64::MAX);
            self.shortest_slice_ns = Some(shortest.min(slice.sending_ns));
            timeline::points(slice).for_each(|(start, rate)| self.timeline.add(start, rate));
        }
        self.slices += slices.len() as u64;
        self.most_slices = self.most_slices.max(slices.len());
        let first = slices.iter().map(|slice| slice.starts_ns).min();
        let last = slices.iter().map(|slice| slice.starts_ns + slice.took_ns).max();
        self.span_ns += last.unwrap_or(0) - first.unwrap_or(0);
    }

    fn add_tail(&mut self, trial: &Trial, seen: &Seen) {
        let Some(p99) = trial.value(Metric::ResponseP99) else {
            return;
        };
        let p99_ns = (p99 * 1e9) as u64;
        let reached = seen.slices.iter().filter(|slice| slice.max_response_ns > p99_ns).count();
        let share = 1.0 - seen.response_time.share_at_or_below(p99_ns);
        let beyond = (share * seen.response_time.len() as f64).round() as u64;
        self.tail_slices += reached as u64;
        self.tail_slices_scattered += slices_reached(seen.slices.len() as u64, beyond);
    }

    /// Compares slices after itself with slices after another contender, in this round.
    fn add_carry_over(&mut self, contender: u32, slices: &[Slice]) {
        let known = slices.iter().filter(|slice| slice.took_ns > 0);
        let pairs =
            known.filter_map(|slice| Some((slice.after? == contender, timeline::rate(slice))));
        self.carry_over.add_round(&pairs.collect::<Vec<_>>());
    }
}

fn make(parts: &mut Vec<DriveSummary>, many: usize) {
    if parts.len() < many {
        parts.resize_with(many, DriveSummary::default);
    }
}

fn watched_steal_ns(contender: u32, slices: &[Slice]) -> u64 {
    let watched = slices.iter().filter_map(|slice| *slice.watched.get(contender as usize)?);
    watched.filter_map(|watched| watched.steal_ns).sum()
}
