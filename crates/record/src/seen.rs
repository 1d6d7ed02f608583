//! The measurements of one contender: counts, histograms, slices. Merging is associative and
//! commutative.

use crate::{Digests, Histogram, KindSeen, Outcomes, Phases, Programs, Reasons, Slice, Waits};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The measurements of one contender in one trial, or in several merged ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Operations that ended: replies and failures of every kind.
    pub operations: u64,
    /// Of those, the ones whose request was sent (a refused connection ends an operation that was
    /// never sent): what the server may have counted.
    pub sent: u64,
    /// Sent, but neither answered nor abandoned when the run was stopped.
    pub unfinished: u64,
    /// Due, but never sent: the run was stopped, or no connection became free.
    pub unsent: u64,
    /// Of those, how many are in the response times with the time from when they were due to the end of their
    /// slice, a lower bound.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub unsent_times: u64,
    /// Ended operations that are left out of the latencies because they were due in the burn-in.
    pub burn_in_excluded: u64,
    /// Ended operations without a latency: neither a reply nor a timeout.
    pub without_latency: u64,
    /// How the operations ended.
    pub outcomes: Outcomes,
    /// Complete replies by the protocol's code.
    pub codes: BTreeMap<u16, u64>,
    /// Complete and expected replies with an empty body.
    pub empty: u64,
    /// Completion minus due time.
    pub response_time: Histogram,
    /// Completion minus actual send (the first system call for the operation, which is the connect
    /// if the connection is fresh).
    pub service_time: Histogram,
    /// Actual send minus due time.
    pub send_lag: Histogram,
    /// The part of the send lag during which a connection was free: the generator's own lag.
    pub own_lag: Histogram,
    /// TCP or unix connect, for every connection opened.
    pub connect_time: Histogram,
    /// TLS handshake, for every connection opened.
    pub tls_time: Histogram,
    /// First byte of the reply minus the request's send.
    pub first_byte_time: Histogram,
    /// Length of the body of each complete reply, in bytes. For an operation of two requests: of
    /// the second reply.
    pub body_bytes: Histogram,
    /// Turns of the event loop, from waking to the next wait (open loop).
    pub loop_time: Histogram,
    /// Digests of the bodies of 1 reply in 100.
    pub digests: Digests,
    /// Connections.
    pub connections: Connections,
    /// Operations by kind, ascending, if the workload has several kinds.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::limits::read_kinds"
    )]
    pub kinds: Vec<KindSeen>,
    /// Rows of the replies that came through a client library.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub rows: u64,
    /// Messages of the server that answered no operation.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub pushes: u64,
    /// Operations on connections on which the peer then sent bytes that belong to no request: each reply may
    /// have been that to another request.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub unasked: u64,
    /// Phases of operations and connections that only client libraries have.
    #[serde(default, skip_serializing_if = "Phases::is_empty")]
    pub phases: Phases,
    /// Connections that slices left waiting.
    #[serde(default, skip_serializing_if = "Waits::is_empty")]
    pub waits: Waits,
    /// The costs of whole programs, if the contender is a program.
    #[serde(default, skip_serializing_if = "Programs::is_empty")]
    pub programs: Programs,
    /// The slices in which these operations were driven, by index.
    pub slices: Vec<Slice>,
    /// Why operations failed, in words.
    #[serde(default, skip_serializing_if = "Reasons::is_empty")]
    pub reasons: Reasons,
    /// The beginning of the body of the first reply, of web servers. It is not recorded, because it may contain
    /// anything.
    #[serde(skip)]
    pub first_body: Vec<u8>,
    /// The measurements of each group, if several were driven at once. The other fields are then
    /// those of all groups together; what concerns the machine is only there.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::limits::read_groups"
    )]
    pub groups: Vec<Seen>,
    /// The measurements of each request in slices of its own. They are not in the other fields.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::limits::read_requests"
    )]
    pub requests: Vec<Seen>,
}

/// Counts of connections.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connections {
    /// How many were requested.
    pub requested: u64,
    /// How many could be opened.
    pub established: u64,
    /// How many were opened in total.
    pub opened: u64,
    /// How many the peer closed while they were idle and were reopened, which is not an error.
    pub reopened_at_rest: u64,
    /// How many the peer closed after a reply, without being asked to. Those that it closed while they were
    /// idle are not among them.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub closed_by_target: u64,
    /// On how many the peer sent bytes before a request.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub spoken_first: u64,
}

impl Connections {
    /// How many the peer closed although they could have been used again.
    pub fn lost_after_replies(&self) -> u64 {
        self.closed_by_target + self.reopened_at_rest
    }
}

impl Seen {
    /// Adds other measurements, of the same trial (another worker) or of another one.
    pub fn merge(&mut self, other: &Seen) {
        self.operations += other.operations;
        self.sent += other.sent;
        self.unfinished += other.unfinished;
        self.unsent += other.unsent;
        self.unsent_times += other.unsent_times;
        self.waits.merge(&other.waits);
        self.burn_in_excluded += other.burn_in_excluded;
        self.without_latency += other.without_latency;
        self.outcomes.merge(&other.outcomes);
        for (code, n) in &other.codes {
            *self.codes.entry(*code).or_default() += n;
        }
        self.empty += other.empty;
        for (mine, theirs) in self.histograms_mut().into_iter().zip(other.histograms()) {
            mine.merge(theirs);
        }
        self.digests.merge(&other.digests);
        self.connections.requested += other.connections.requested;
        self.connections.established += other.connections.established;
        self.connections.opened += other.connections.opened;
        self.connections.reopened_at_rest += other.connections.reopened_at_rest;
        self.connections.closed_by_target += other.connections.closed_by_target;
        self.connections.spoken_first += other.connections.spoken_first;
        self.rows += other.rows;
        self.pushes += other.pushes;
        self.unasked += other.unasked;
        self.reasons.merge(&other.reasons);
        if self.first_body.is_empty() {
            self.first_body.clone_from(&other.first_body);
        }
        self.phases.merge(&other.phases);
        self.programs.merge(&other.programs);
        self.merge_kinds(&other.kinds);
        self.merge_slices(&other.slices);
        merge_each(&mut self.groups, &other.groups);
        merge_each(&mut self.requests, &other.requests);
    }

    fn merge_kinds(&mut self, others: &[KindSeen]) {
        for other in others {
            match self.kinds.binary_search_by_key(&other.kind, |mine| mine.kind) {
                Ok(at) => self.kinds[at].merge(other),
                Err(at) => self.kinds.insert(at, other.clone()),
            }
        }
    }

    fn merge_slices(&mut self, others: &[Slice]) {
        for slice in others {
            match self.slices.binary_search_by_key(&slice.index, |mine| mine.index) {
                Ok(at) => self.slices[at].merge(slice),
                Err(at) => self.slices.insert(at, slice.clone()),
            }
        }
    }

    /// Allocates what recording needs, so that no operation allocates.
    pub(crate) fn make_ready(&mut self) {
        self.histograms_mut().into_iter().for_each(Histogram::make_ready);
    }

    fn histograms(&self) -> [&Histogram; 9] {
        [
            &self.response_time,
            &self.service_time,
            &self.send_lag,
            &self.own_lag,
            &self.connect_time,
            &self.tls_time,
            &self.first_byte_time,
            &self.body_bytes,
            &self.loop_time,
        ]
    }

    fn histograms_mut(&mut self) -> [&mut Histogram; 9] {
        [
            &mut self.response_time,
            &mut self.service_time,
            &mut self.send_lag,
            &mut self.own_lag,
            &mut self.connect_time,
            &mut self.tls_time,
            &mut self.first_byte_time,
            &mut self.body_bytes,
            &mut self.loop_time,
        ]
    }

    /// Operations ÷ time to the last reply, summed over the slices: the only estimator of
    /// throughput (design.md measured errors of up to 33 % with others). Returns None if nothing
    /// was driven.
    pub fn throughput(&self) -> Option<f64> {
        let took: u64 = self.slices.iter().map(|slice| slice.took_ns).sum();
        let operations: u64 = self.slices.iter().map(|slice| slice.operations).sum();
        (took > 0).then(|| operations as f64 * 1e9 / took as f64)
    }
}

/// Merges group by group, or request by request.
fn merge_each(all: &mut Vec<Seen>, others: &[Seen]) {
    if all.len() < others.len() {
        all.resize_with(others.len(), Seen::default);
    }
    all.iter_mut().zip(others).for_each(|(mine, theirs)| mine.merge(theirs));
}
