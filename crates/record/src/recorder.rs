//! Records what happens to operations while a lane is driven.
//!
//! Everything that is called for each operation is here, and allocates and formats nothing. The
//! counts become a [`Seen`] when a trial ends.

use crate::{
    Failure, Histogram, KindSeen, LaneOrder, LaneTask, Outcome, ProgramRun, Seen,
    slice::{EARLY_NS, Slice, WINDOW_NS},
};

/// The times of one operation, in nanoseconds on the engine's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moments {
    /// When it was due.
    pub due: u64,
    /// When a connection was free for it (not before `due`).
    pub could: u64,
    /// The first system call for it: the connect if the connection is fresh, else the request's
    /// send.
    pub sent: u64,
    /// When the request was sent.
    pub asked: u64,
    /// When the first byte of its reply was received.
    pub began: u64,
    /// When its reply was complete, or the operation was abandoned.
    pub done: u64,
}

/// The start of a slice.
#[derive(Clone, Copy, Debug)]
pub struct SliceStart {
    /// Its index among all slices of the run.
    pub index: u64,
    /// Which contender was driven just before.
    pub after: Option<u32>,
    /// When the engine started.
    pub engine_started: u64,
    /// When the slice starts.
    pub starts: u64,
    /// When sending ends.
    pub sends_until: u64,
    /// Operations due before `starts` plus this are left out of the latencies.
    pub burn_in_ns: u64,
}

/// With fewer replies than this, their p99 is not known.
const FEW_REPLIES: u64 = 100;

/// The index of the window that holds this time after the start of a slice, in nanoseconds.
fn window_at(since: u64) -> usize {
    usize::try_from(since / WINDOW_NS).unwrap_or(usize::MAX)
}

/// The end of the wait of a unit that a slice had left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// Its operation ended while the contender was driven.
    Ended,
    /// The end of its operation was noticed while the contender rested.
    EndedAtRest,
    /// It still waits at the end of the trial.
    StillWaits {
        /// The index of the first slice that it waited through.
        since: u64,
        /// How many units the contender has.
        units: u32,
    },
}

/// A complete reply to record.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Replied {
    at: Moments,
    code: u16,
    outcome: Outcome,
    body_len: u64,
}

/// Records one lane's operations, trial after trial.
#[derive(Debug)]
pub struct Recorder {
    seen: Seen,
    slice: Slice,
    starts: u64,
    burnt_in: u64,
    /// Codes with their counts, in a list that is searched from the front: there are hardly ever
    /// more than two, and a map would allocate.
    codes: Vec<(u16, Outcome, u64)>,
    failed: [u64; Failure::ALL.len()],
    /// The last reply, and how many equal ones there were. With many operations in flight on a
    /// connection, the replies in one read were often requested together and have all their times
    /// in common, so they are entered into the histograms together, with their count.
    alike: Option<(Replied, u64)>,
    /// The p99 of the service times of the last trials, in nanoseconds. 0 if there were few.
    usual_p99_ns: u64,
    /// How many service times it is from, if they are of this trial.
    usual_of: u64,
    /// Service times of earlier trials, if they have few.
    before: Histogram,
    /// By index in the mix. Empty if all operations are of one kind.
    kinds: Vec<KindSeen>,
    /// One for each group, if several are driven at once. They record the operations, and this one
    /// only what concerns the machine.
    groups: Vec<Recorder>,
    /// One for each request that has been driven alone since the recorder was made.
    requests: Vec<Recorder>,
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

impl Recorder {
    /// An empty recorder. A slice's start allocates what it needs.
    pub fn new() -> Self {
        Recorder::of(&LaneTask::Ask)
    }

    /// An empty recorder for these operations, which records by kind if there are several kinds.
    pub fn of(doing: &LaneTask) -> Self {
        Recorder {
            seen: Seen::default(),
            slice: Slice::default(),
            starts: 0,
            burnt_in: 0,
            codes: Vec::with_capacity(1024),
            failed: [0; Failure::ALL.len()],
            alike: None,
            usual_p99_ns: 0,
            usual_of: 0,
            before: Histogram::new(),
            kinds: KindSeen::of(doing),
            groups: Vec::new(),
            requests: Vec::new(),
        }
    }

    /// An empty recorder for the order of a lane, with one for each of its groups.
    pub fn of_lane(lane_order: &LaneOrder) -> Self {
        let groups = lane_order.groups.iter().map(|_| Recorder::of(&lane_order.doing)).collect();
        Recorder { groups, ..Recorder::of(&lane_order.doing) }
    }

    /// The recorders of the groups. Empty if there is one workload.
    pub fn groups_mut(&mut self) -> &mut [Recorder] {
        &mut self.groups
    }

    /// The recorder of a slice: the one of a request, if it is driven alone, or this one.
    pub fn of_slice(&mut self, request: Option<u32>) -> &mut Recorder {
        let Some(request) = request.map(|request| request as usize) else { return self };
        if self.requests.len() <= request {
            self.requests.resize_with(request + 1, Recorder::new);
        }
        &mut self.requests[request]
    }

    /// Allocates what a slice needs, if that has not been done since the last trial. This takes a
    /// millisecond for each contender, so it must not be done in measured time.
    pub fn make_ready(&mut self) {
        self.groups.iter_mut().for_each(Recorder::make_ready);
        if self.groups.is_empty() {
            self.seen.make_ready();
            self.kinds.iter_mut().for_each(KindSeen::make_ready);
            self.update_usual();
        }
    }

    /// Computes the p99 again once there are twice as many service times as last time.
    fn update_usual(&mut self) {
        let many = self.seen.service_time.len() + self.before.len();
        if many >= FEW_REPLIES.max(2 * self.usual_of) {
            self.usual_of = many;
            self.usual_p99_ns = self.p99_ns();
        }
    }

    fn p99_ns(&self) -> u64 {
        let current = &self.seen.service_time;
        if self.before.is_empty() {
            return current.quantile(0.99).unwrap_or(0);
        }
        let mut all = self.before.clone();
        all.merge(current);
        all.quantile(0.99).unwrap_or(0)
    }

    /// The p99 of the service times of the last trials in nanoseconds, up to the last call of
    /// [`Recorder::make_ready`], or up to now if it was not known then. 0 if there were few replies.
    pub fn usual_p99_ns(&self) -> u64 {
        let many = self.seen.service_time.len() + self.before.len();
        if self.usual_p99_ns == 0 && many >= FEW_REPLIES {
            self.p99_ns()
        } else {
            self.usual_p99_ns
        }
    }

    /// Starts a slice.
    pub fn begin_slice(&mut self, start: &SliceStart) {
        let sending_ns = start.sends_until.saturating_sub(start.starts);
        let windows = match sending_ns {
            short if short < 2 * WINDOW_NS => 0,
            long => window_at(long),
        };
        self.enter();
        self.make_ready();
        self.groups.iter_mut().for_each(|group| group.begin_slice(start));
        self.starts = start.starts;
        self.burnt_in = start.starts + start.burn_in_ns;
        self.slice = Slice {
            index: start.index,
            after: start.after,
            starts_ns: start.starts.saturating_sub(start.engine_started),
            sending_ns,
            windows: vec![0; windows],
            ..Slice::default()
        };
    }

    /// The slice that is being driven, for what only the worker knows (time to the last reply,
    /// CPU, waiting).
    pub fn slice_mut(&mut self) -> &mut Slice {
        self.enter();
        &mut self.slice
    }

    /// Ends the slice.
    pub fn end_slice(&mut self) {
        self.enter();
        self.groups.iter_mut().for_each(Recorder::end_slice);
        self.seen.slices.push(std::mem::take(&mut self.slice));
        // What ends before the next slice began in an earlier one.
        self.starts = u64::MAX;
    }

    /// Records that an operation became due.
    #[inline]
    pub fn due(&mut self) {
        self.slice.due += 1;
    }

    /// Records a complete reply.
    #[inline]
    pub fn replied(&mut self, at: &Moments, code: u16, outcome: Outcome, body_len: u64) {
        let reply = Replied { at: *at, code, outcome, body_len };
        match &mut self.alike {
            Some((last, many)) if *last == reply => *many += 1,
            _ => {
                self.enter();
                self.alike = Some((reply, 1));
            }
        }
    }

    /// Enters the replies that are still held back.
    #[inline]
    fn enter(&mut self) {
        let Some((reply, many)) = self.alike.take() else { return };
        let Replied { at, code, outcome, body_len } = reply;
        self.seen.sent += many;
        self.ended_with_times(&at, many);
        self.count_code(code, outcome, many);
        if outcome == Outcome::Ok && body_len == 0 {
            self.seen.empty += many;
        }
        self.seen.body_bytes.record_many(body_len, many);
        if self.latency(&at, many) {
            let first_byte = at.began.saturating_sub(at.asked);
            self.seen.first_byte_time.record_many(first_byte, many);
        }
    }

    /// Records an operation that was abandoned, for this reason, as censored with the time that it had taken
    /// by then.
    pub fn given_up(&mut self, failure: Failure, at: &Moments, was_sent: bool) {
        self.seen.sent += u64::from(was_sent);
        self.ended_with_times(at, 1);
        self.failed[failure as usize] += 1;
        self.latency(at, 1);
    }

    /// Records an operation that ended without a reply. `was_sent`: the server may have received
    /// its request.
    pub fn failed(&mut self, failure: Failure, now: u64, was_sent: bool) {
        self.seen.sent += u64::from(was_sent);
        self.seen.without_latency += 1;
        self.ended(now, 1);
        self.failed[failure as usize] += 1;
    }

    /// Records an operation that ended because the server refused its connection with this code of
    /// the protocol.
    pub fn refused(&mut self, code: u16, now: u64, was_sent: bool) {
        self.seen.sent += u64::from(was_sent);
        self.seen.without_latency += 1;
        self.ended(now, 1);
        self.count_code(code, Outcome::Unexpected, 1);
    }

    /// Records a complete reply by the kind of its operation. `share` is the operation's share of
    /// the mix; `read` is when its first half was answered, if it has halves.
    #[inline]
    pub fn replied_of_kind(
        &mut self,
        share: u32,
        at: &Moments,
        outcome: Outcome,
        read: Option<u64>,
    ) {
        let after_burn_in = self.counts(at.due);
        let Some(kind) = self.kinds.get_mut(share as usize) else { return };
        kind.ended(Some(outcome));
        if after_burn_in {
            kind.took(at, read);
        }
    }

    /// Records an operation that ended without a reply by its kind. `at` is given after a timeout,
    /// when there is a lower bound of its time.
    pub fn lost_of_kind(&mut self, share: u32, at: Option<&Moments>, read: Option<u64>) {
        let at = at.filter(|at| self.counts(at.due));
        let Some(kind) = self.kinds.get_mut(share as usize) else { return };
        kind.ended(None);
        if let Some(at) = at {
            kind.took(at, read);
        }
    }

    /// Records a run of a whole program. Its operations have no latencies of their own, so none
    /// are recorded: unknown is not 0. They are also not in the slice's windows of 100 ms, because
    /// all of them end at once.
    pub fn program(&mut self, run: &ProgramRun) {
        let n = run.operations;
        self.seen.operations += n;
        self.seen.sent += n;
        self.seen.without_latency += n;
        self.slice.operations += n;
        self.slice.due += n;
        match run.failure {
            Some(failure) => self.failed[failure as usize] += n,
            // Its exit status.
            None => self.count_code(0, Outcome::Ok, n),
        }
        if run.failure.is_none() {
            self.seen.body_bytes.record(run.output_bytes);
        }
        self.seen.programs.record(run);
    }

    /// Records a run of a whole program that was cut off because the run was stopped.
    pub fn program_cut(&mut self, operations: u64) {
        self.slice.due += operations;
        self.seen.unfinished += operations;
    }

    /// Records an operation that was sent, but not answered before the run was stopped.
    pub fn unfinished(&mut self, operations: u64) {
        self.seen.unfinished += operations;
    }

    /// Records operations that were due but never sent because the run was stopped.
    pub fn unsent(&mut self, operations: u64) {
        self.seen.unsent += operations;
    }

    /// Records an operation that was due but not sent by `now`, because no connection was free. Its response
    /// time would have been at least the time since it was due.
    pub fn unsent_since(&mut self, due: u64, now: u64) {
        self.seen.unsent += 1;
        if due < self.burnt_in {
            return;
        }
        let waited = now.saturating_sub(due);
        self.slice.max_response_ns = self.slice.max_response_ns.max(waited);
        self.seen.response_time.record(waited);
        self.seen.unsent_times += 1;
    }

    /// Records that the slice left a unit waiting.
    pub fn left_waiting(&mut self) {
        self.seen.waits.left += 1;
    }

    /// Records how long a unit has waited that a slice had left.
    pub fn waited(&mut self, waited_ns: u64, end: Waited) {
        let waits = &mut self.seen.waits;
        waits.longest_ns = waits.longest_ns.max(waited_ns);
        match end {
            Waited::Ended => {}
            Waited::EndedAtRest => waits.read_at_rest += 1,
            Waited::StillWaits { since, units } => {
                waits.units = units;
                *waits.at_end.entry(since).or_default() += 1;
            }
        }
    }

    /// Records an opened connection, with times in nanoseconds.
    pub fn opened(&mut self, connect_ns: u64, tls_ns: Option<u64>) {
        self.seen.connections.opened += 1;
        self.seen.connect_time.record(connect_ns);
        if let Some(tls_ns) = tls_ns {
            self.seen.tls_time.record(tls_ns);
        }
    }

    /// Records a connection opened by a library that does not report connect, TLS and login
    /// separately: the time of all three counts as login.
    pub fn opened_in_one(&mut self, took_ns: u64) {
        self.seen.connections.opened += 1;
        self.logged_in(took_ns);
    }

    /// Records the login on a connection that was just opened.
    pub fn logged_in(&mut self, took_ns: u64) {
        self.seen.phases.log_in.record(took_ns);
    }

    /// Records the upgrade of the connection that was just opened.
    pub fn upgraded(&mut self, took_ns: u64) {
        self.seen.phases.upgrade.record(took_ns);
    }

    /// Records the preparation of a statement.
    pub fn prepared(&mut self, took_ns: u64) {
        self.seen.phases.prepare.record(took_ns);
    }

    /// Records how long an operation waited for a connection of the pool, even if it got none.
    pub fn acquired(&mut self, due: u64, took_ns: u64) {
        if self.counts(due) {
            self.seen.phases.acquire.record(took_ns);
        }
    }

    /// Records the time from a reply's beginning to its end, and its rows.
    pub fn fetched(&mut self, at: &Moments, rows: u32) {
        self.seen.rows += u64::from(rows);
        if self.counts(at.due) {
            self.seen.phases.fetch.record(at.done.saturating_sub(at.began));
        }
    }

    /// Records how long a part of the server's work took, as a reply reports it.
    pub fn server_took(&mut self, due: u64, part: &[u8], took_ns: u64) {
        if self.counts(due) {
            self.seen.phases.server.record(part, took_ns);
        }
    }

    /// Records that a connection that the peer closed while idle was reopened.
    pub fn reopened_at_rest(&mut self) {
        self.seen.connections.reopened_at_rest += 1;
    }

    /// Records that the peer closed a connection after a reply, without being asked to.
    pub fn closed_by_target(&mut self) {
        self.seen.connections.closed_by_target += 1;
    }

    /// Records how many connections were requested, and how many were opened. With several groups,
    /// each group records its own.
    pub fn connections(&mut self, requested: u64, established: u64) {
        if self.groups.is_empty() {
            self.seen.connections.requested = requested;
            self.seen.connections.established = established;
        }
    }

    /// Records a complete message of the server that answers no operation.
    pub fn pushed(&mut self) {
        self.seen.pushes += 1;
    }

    /// Records how replies violated the protocol, so that operations failed.
    #[cold]
    pub fn fault(&mut self, text: &str) {
        self.seen.reasons.fault(text);
    }

    /// Records what the peer said with an error.
    #[cold]
    pub fn said(&mut self, words: &[u8]) {
        self.seen.reasons.said(words);
    }

    /// Records that the peer sent bytes that belong to no request, on a connection with so many operations so
    /// far.
    pub fn unasked(&mut self, operations: u32) {
        self.seen.unasked += u64::from(operations);
        self.seen.connections.spoken_first += u64::from(operations == 0);
    }

    /// Records one turn of the event loop.
    #[inline]
    pub fn looped(&mut self, took_ns: u64) {
        self.seen.loop_time.record(took_ns);
    }

    /// Records the digest of one body.
    pub fn digest(&mut self, digest: u64) {
        self.seen.digests.record(digest);
    }

    /// Keeps the beginning of the first reply's body.
    #[cold]
    pub fn first_body(&mut self, beginning: Vec<u8>) {
        self.seen.first_body = beginning;
    }

    /// The response times of the trial so far, those of all groups together.
    pub fn response_times(&mut self) -> Histogram {
        self.enter();
        let mut all = self.seen.response_time.clone();
        self.groups.iter_mut().for_each(|group| all.merge(&group.response_times()));
        all
    }

    /// Operations that ended in the slice that is being driven, those of all groups together.
    pub fn ended_in_slice(&mut self) -> u64 {
        let groups = self.groups.iter_mut().map(Recorder::ended_in_slice);
        groups.sum::<u64>() + self.slice_mut().operations
    }

    /// Ends the trial: returns the measurements and starts again. The connection counts are kept,
    /// except that those of connections that were opened or closed start from 0.
    pub fn take(&mut self) -> Seen {
        let mut seen = self.take_own();
        if !self.groups.is_empty() {
            let groups: Vec<Seen> = self.groups.iter_mut().map(Recorder::take).collect();
            // A slice of all groups has the late replies of all of them already.
            let own = seen.slices.clone();
            groups.iter().for_each(|group| seen.merge(group));
            seen.slices.iter_mut().zip(&own).for_each(|(slice, own)| slice.set_times_of(own));
            seen.groups = groups;
        }
        seen.requests = self.requests.iter_mut().map(Recorder::take).collect();
        seen
    }

    /// Keeps the service times of trials for the p99 until they are enough.
    fn keep_service_times(&mut self) {
        self.usual_of = 0;
        let current = &self.seen.service_time;
        if current.len() + self.before.len() >= 2 * FEW_REPLIES {
            self.before = Histogram::new();
        }
        if current.len() < FEW_REPLIES {
            self.before.merge(current);
        }
    }

    fn take_own(&mut self) -> Seen {
        self.enter();
        self.keep_service_times();
        let connections = self.seen.connections.clone();
        let mut seen = std::mem::take(&mut self.seen);
        self.seen.connections.requested = connections.requested;
        self.seen.connections.established = connections.established;
        for (code, outcome, n) in self.codes.drain(..) {
            *seen.codes.entry(code).or_default() += n;
            let outcomes = &mut seen.outcomes;
            *match outcome {
                Outcome::Ok => &mut outcomes.ok,
                Outcome::Miss => &mut outcomes.miss,
                Outcome::Stale => &mut outcomes.stale,
                Outcome::Wrong => &mut outcomes.wrong,
                Outcome::Conflict => &mut outcomes.conflict,
                Outcome::Unexpected => outcomes.unexpected.entry(code).or_default(),
            } += n;
        }
        for (failure, n) in Failure::ALL.into_iter().zip(&mut self.failed) {
            if *n > 0 {
                seen.outcomes.failed.insert(failure, std::mem::take(n));
            }
        }
        let kinds = self.kinds.iter_mut().filter(|kind| kind.operations > 0);
        seen.kinds = kinds.map(KindSeen::take).collect();
        seen.kinds.sort_by_key(|seen| seen.kind);
        seen
    }

    /// Counts operations with their times. Those that began in an earlier slice are not among the operations
    /// of this one.
    #[inline]
    fn ended_with_times(&mut self, at: &Moments, many: u64) {
        if at.due < self.starts {
            self.seen.operations += many;
        } else {
            self.ended(at.done, many);
        }
    }

    #[inline]
    fn ended(&mut self, now: u64, many: u64) {
        self.seen.operations += many;
        self.slice.operations += many;
        let since = now.saturating_sub(self.starts);
        let many = u32::try_from(many).unwrap_or(u32::MAX);
        if let Some(count) = self.slice.windows.get_mut(window_at(since)) {
            *count += many;
        }
        if since < 2 * EARLY_NS && self.slice.sending_ns >= 4 * EARLY_NS {
            self.slice.early[usize::from(since >= EARLY_NS)] += many;
        }
    }

    #[inline]
    fn count_code(&mut self, code: u16, outcome: Outcome, n: u64) {
        let known = self.codes.iter_mut();
        match known.into_iter().find(|entry| entry.0 == code && entry.1 == outcome) {
            Some(entry) => entry.2 += n,
            None => self.codes.push((code, outcome, n)),
        }
    }

    /// Whether an operation that was due then counts in the latencies: it was not due in the burn-in. One of
    /// an earlier slice, whose connection was left waiting, counts in any case.
    #[inline]
    fn counts(&self, due: u64) -> bool {
        due >= self.burnt_in || due < self.starts
    }

    #[inline]
    fn latency(&mut self, at: &Moments, many: u64) -> bool {
        if !self.counts(at.due) {
            self.seen.burn_in_excluded += many;
            return false;
        }
        let response = at.done.saturating_sub(at.due);
        self.slice.max_response_ns = self.slice.max_response_ns.max(response);
        self.seen.response_time.record_many(response, many);
        self.seen.service_time.record_many(at.done.saturating_sub(at.sent), many);
        self.seen.send_lag.record_many(at.sent.saturating_sub(at.due), many);
        self.seen.own_lag.record_many(at.sent.saturating_sub(at.could), many);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(sending_ns: u64) -> SliceStart {
        SliceStart {
            index: 0,
            after: None,
            engine_started: 0,
            starts: 1_000,
            sends_until: 1_000 + sending_ns,
            burn_in_ns: 10,
        }
    }

    fn driven(replies: impl Iterator<Item = (u64, u64)>) -> Seen {
        let mut recorder = Recorder::new();
        recorder.begin_slice(&start(3 * WINDOW_NS));
        for (due, body) in replies {
            let done = due + WINDOW_NS;
            let at = Moments { due, could: due, sent: due + 3, asked: due + 4, began: done, done };
            recorder.replied(&at, 200, Outcome::Ok, body);
        }
        assert_eq!(recorder.slice_mut().operations, 12, "the count is always up to date");
        recorder.end_slice();
        recorder.take()
    }

    #[test]
    fn replies_that_are_alike_are_entered_together_and_each_counts() {
        // Some of the first are due in the burn-in; some are empty.
        let kinds = [(1_005, 0), (2_000, 7), (2_000, 0)];
        let together = driven(kinds.into_iter().flat_map(|kind| std::iter::repeat_n(kind, 4)));
        let apart = driven(std::iter::repeat_n(kinds, 4).flatten());
        assert_eq!(together, apart);
        assert_eq!((together.operations, together.burn_in_excluded, together.empty), (12, 4, 8));
        assert_eq!(together.response_time.len(), 8);
        assert_eq!(together.body_bytes.len(), 12);
        assert_eq!(together.slices[0].windows, [0, 12, 0]);
    }

    #[test]
    fn the_usual_p99_is_from_as_many_trials_as_are_needed() {
        let mut recorder = Recorder::new();
        for trial in 1..=5 {
            recorder.make_ready();
            for number in 0..30 {
                let done = 1_000 + trial * 1_000 + number % 2;
                recorder.replied(
                    &Moments { sent: 1_000, done, ..Moments::default() },
                    200,
                    Outcome::Ok,
                    1,
                );
            }
            recorder.enter();
            // The slowest of the first 120.
            let wanted = if trial < 4 { 0 } else { 4_000 };
            assert!(recorder.usual_p99_ns().abs_diff(wanted) < 10, "{trial}");
            recorder.take();
        }
    }

    #[test]
    fn the_first_two_pieces_of_a_slice_are_counted_apart() {
        let driven = |sending_ns| {
            let mut recorder = Recorder::new();
            recorder.begin_slice(&start(sending_ns));
            for done in [1_500, 1_000 + EARLY_NS, 1_001 + EARLY_NS, 1_000 + 2 * EARLY_NS] {
                let at = Moments {
                    due: 1_000,
                    could: 1_000,
                    sent: 1_000,
                    asked: 1_000,
                    began: done,
                    done,
                };
                recorder.replied(&at, 200, Outcome::Ok, 1);
            }
            recorder.end_slice();
            recorder.take().slices[0].early
        };
        assert_eq!(driven(4 * EARLY_NS), [1, 2]);
        assert_eq!(driven(4 * EARLY_NS - 1), [0, 0]);
    }

    #[test]
    fn a_late_reply_of_a_group_counts_once_among_those_of_all_groups() {
        let groups = vec![Recorder::new(), Recorder::new()];
        let mut recorder = Recorder { groups, ..Recorder::new() };
        recorder.begin_slice(&start(50));
        recorder.groups_mut()[0].slice_mut().set_took(60, vec![900], 1);
        recorder.groups_mut()[1].slice_mut().set_took(70, vec![300], 1);
        recorder.slice_mut().set_took(70, vec![900, 300], 1);
        recorder.end_slice();
        let seen = recorder.take();
        assert_eq!(seen.slices[0].took_ns, 300, "one of the two does not stop the clock");
        assert_eq!(seen.groups[0].slices[0].took_ns, 60);
    }
}
