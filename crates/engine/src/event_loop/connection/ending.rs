//! How operations end without a reply: the connection is lost, they time out, or the run ends.

use super::{Common, Connection, EventResult, Phase};
use crate::clock;
use crate::event_loop::dialogue::Dialogue;
use crate::event_loop::in_flight::Operation;
use crate::lane_schedule::redial_pause_ns;
use record::{Failure, Moments, Recorder};
use wire::Codec;

impl<S: Dialogue> Connection<S> {
    /// Ends the connection because the codec cannot continue: the server refused the connection,
    /// with a code, or violated the protocol.
    pub(super) fn broken(&mut self, common: &Common<S>, seen: &mut Recorder) -> EventResult {
        let code = self.codec.refused();
        self.last_failure = if code.is_some() { Failure::Refused } else { Failure::Protocol };
        self.lose(self.last_failure, code, common, seen)
    }

    /// Ends the connection, which was lost: the operations on it failed.
    pub(super) fn fail(
        &mut self,
        failure: Failure,
        common: &Common<S>,
        seen: &mut Recorder,
    ) -> EventResult {
        self.last_failure = failure;
        self.lose(failure, None, common, seen)
    }

    /// Fails the operations that were taken up with the error of the last connect, because the
    /// connection waits before it dials again.
    pub(in crate::event_loop) fn fail_unasked(
        &mut self,
        now: u64,
        common: &Common<S>,
        seen: &mut Recorder,
    ) -> EventResult {
        for operation in self.in_flight.all() {
            seen.failed(self.last_failure, now, false);
            common.dialogue.lost(operation.number, &operation.memo, None, seen);
        }
        let lost = self.in_flight.len();
        self.in_flight.clear();
        EventResult::free(now, lost)
    }

    /// Ends the connection, which was lost: the operations on it failed, or were refused with a code.
    pub(super) fn lose(
        &mut self,
        failure: Failure,
        code: Option<u16>,
        common: &Common<S>,
        seen: &mut Recorder,
    ) -> EventResult {
        let now = clock::now();
        if self.phase != Phase::Open {
            self.wait_to_dial(now);
        }
        let lost = self.in_flight.len();
        for operation in self.in_flight.all() {
            match code {
                Some(code) => seen.refused(code, now, operation.was_asked()),
                None => seen.failed(failure, now, operation.was_asked()),
            }
            common.dialogue.lost(operation.number, &operation.memo, None, seen);
        }
        self.close();
        EventResult::free(now, lost)
    }

    /// Sets when it may dial again, because it was not opened. A refused connect takes almost no time: without
    /// a pause it would be counted a hundred thousand times a second.
    pub(super) fn wait_to_dial(&mut self, now: u64) {
        self.not_before = now + redial_pause_ns(self.failures);
        self.failures += 1;
    }

    /// Gives up the operations that have taken `timeout_ns` or more by `now`: only these if the
    /// connection can continue without their replies, otherwise all on it.
    pub(in crate::event_loop) fn time_out(
        &mut self,
        now: u64,
        timeout_ns: u64,
        common: &mut Common<S>,
        seen: &mut Recorder,
    ) -> EventResult {
        if !self.in_flight.all().any(|operation| operation.is_overdue(now, timeout_ns)) {
            return EventResult::Wait;
        }
        if self.phase != Phase::Open {
            return self.time_out_all(now, &common.dialogue, seen);
        }
        common.out.clear();
        let mut ended = 0;
        for tag in self.in_flight.tags() {
            let operation = self.in_flight.tagged(tag);
            let Some(operation) =
                operation.filter(|operation| operation.is_overdue(now, timeout_ns))
            else {
                continue;
            };
            if !self.codec.give_up(tag, &mut common.out) {
                return EventResult::free(now, ended).and(self.time_out_all(
                    now,
                    &common.dialogue,
                    seen,
                ));
            }
            give_up(Failure::Timeout, operation, now, &common.dialogue, seen);
            self.in_flight.end(tag);
            ended += 1;
        }
        self.in_flight.end_waiting(|operation| {
            let is_overdue = operation.is_overdue(now, timeout_ns);
            if is_overdue {
                give_up(Failure::Timeout, operation, now, &common.dialogue, seen);
                ended += 1;
            }
            is_overdue
        });
        let ended = EventResult::free(now, ended);
        match self.send_out(common) {
            Ok(()) => ended.and(self.proceed(now, common, seen)),
            Err(failure) => ended.and(self.fail(failure, common, seen)),
        }
    }

    /// Ends all operations, the oldest as censored. Later ones lose their connection: they are
    /// timeouts without a latency.
    fn time_out_all(&mut self, now: u64, dialogue: &S, seen: &mut Recorder) -> EventResult {
        let lost = self.in_flight.len();
        let all = self.in_flight.all().enumerate();
        let oldest = all.min_by_key(|(_, operation)| operation.at.sent).map(|(at, _)| at);
        for (at, operation) in self.in_flight.all().enumerate() {
            if oldest == Some(at) {
                give_up(Failure::Timeout, operation, now, dialogue, seen);
            } else {
                seen.failed(Failure::Timeout, now, operation.was_asked());
                dialogue.lost(operation.number, &operation.memo, None, seen);
            }
        }
        self.close();
        EventResult::free(now, lost)
    }

    /// Ends all operations because the run ends and there is no reply yet: each took at least the time until
    /// `now`.
    pub(in crate::event_loop) fn give_up_waiting(
        &mut self,
        now: u64,
        timeout_ns: u64,
        dialogue: &S,
        seen: &mut Recorder,
    ) {
        for operation in self.in_flight.all() {
            let is_overdue = operation.is_overdue(now, timeout_ns);
            let failure = if is_overdue { Failure::Timeout } else { Failure::Waiting };
            give_up(failure, operation, now, dialogue, seen);
        }
    }

    /// Returns when the first of its operations began. None if there is none.
    pub(in crate::event_loop) fn waits_since(&self) -> Option<u64> {
        self.in_flight.all().map(|operation| operation.at.sent).min()
    }

    /// Abandons all operations because the run is stopped: they have no outcome.
    pub(in crate::event_loop) fn abandon(&mut self, seen: &mut Recorder) {
        if self.in_flight.is_empty() {
            return;
        }
        for operation in self.in_flight.all() {
            if operation.was_asked() { seen.unfinished(1) } else { seen.unsent(1) }
        }
        self.close();
    }
}

/// Records an operation that was given up: it has taken at least the time until `now`.
fn give_up<S: Dialogue>(
    failure: Failure,
    operation: &Operation<S::Memo>,
    now: u64,
    dialogue: &S,
    seen: &mut Recorder,
) {
    let at = Moments { done: now, ..operation.at };
    seen.given_up(failure, &at, operation.was_asked());
    dialogue.lost(operation.number, &operation.memo, Some(&at), seen);
}
