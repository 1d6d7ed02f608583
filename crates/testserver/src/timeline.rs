//! When the server's thread finishes each piece of work: a single-server queue on a virtual
//! timeline.
//!
//! The next piece of work starts at the *scheduled* end of the one before,
//! not when the server noticed that end. Receiving, sending and being late by
//! a little are absorbed that way, and a saturated server's throughput is
//! 1 / service exactly. Nothing here looks at a clock or a socket.

use super::behaviour::{Behaviour, Deferred};
use std::collections::VecDeque;
use text::units::nanoseconds;

/// How long the thread's work takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServiceTime {
    service_ns: u64,
    /// Share by which service grows in a second.
    drift: f64,
    /// Share by which it grows in a second, compounding.
    growth: f64,
    deferred: Option<Deferred>,
}

impl ServiceTime {
    pub(super) fn of(behaviour: &Behaviour) -> Self {
        ServiceTime {
            service_ns: nanoseconds(behaviour.service),
            drift: behaviour.service_drift,
            growth: behaviour.service_growth,
            deferred: behaviour.deferred,
        }
    }

    /// Service of a reply that starts `after_first` ns after the first request
    /// arrived; `own_ns` replaces the usual time. A falling drift ends at zero.
    fn service(&self, own_ns: Option<u64>, after_first: u64) -> u64 {
        let service_ns = own_ns.unwrap_or(self.service_ns);
        if self.drift == 0.0 && self.growth == 0.0 {
            return service_ns;
        }
        let seconds = after_first as f64 / 1e9;
        let drifted = (1.0 + self.drift * seconds).max(0.0);
        (service_ns as f64 * drifted * (1.0 + self.growth).powf(seconds)) as u64
    }
}

/// What the thread has to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It works.
    Busy,
    /// It is idle, and deferred work begins at this time.
    RestUntil(u64),
    /// It is idle until a request arrives.
    Rest,
}

/// The queue. Times are nanoseconds of one clock.
#[derive(Debug)]
pub(super) struct Timeline<Job> {
    work: ServiceTime,
    first_arrival: Option<u64>,
    waiting: VecDeque<Arrival<Job>>,
    current: Option<Current<Job>>,
    /// Scheduled end of the last piece of work.
    free_at: u64,
    deferred_ns: u64,
    flush_at: Option<u64>,
}

#[derive(Debug)]
struct Arrival<Job> {
    at: u64,
    /// The service time of its path, if that has one.
    own_service_ns: Option<u64>,
    job: Job,
}

#[derive(Debug)]
struct Current<Job> {
    ends: u64,
    /// None for deferred work.
    job: Option<Job>,
}

impl<Job> Timeline<Job> {
    pub(super) fn new(work: ServiceTime) -> Self {
        Timeline {
            work,
            first_arrival: None,
            waiting: VecDeque::new(),
            current: None,
            free_at: 0,
            deferred_ns: 0,
            flush_at: None,
        }
    }

    /// When the first request arrived.
    pub(super) fn first_arrival(&self) -> Option<u64> {
        self.first_arrival
    }

    /// Records that a request arrived. `at` never decreases.
    pub(super) fn arrive(&mut self, at: u64, own_service_ns: Option<u64>, job: Job) {
        self.first_arrival.get_or_insert(at);
        self.waiting.push_back(Arrival { at, own_service_ns, job });
    }

    /// The next reply whose work has ended by `now`, and its scheduled end.
    pub(super) fn take_ended(&mut self, now: u64) -> Option<(u64, Job)> {
        loop {
            if self.current.is_none() {
                self.current = self.start(now);
            }
            let Current { ends, job } = self.current.take_if(|current| current.ends <= now)?;
            self.free_at = ends;
            if let Some(job) = job {
                self.defer(ends);
                return Some((ends, job));
            }
        }
    }

    /// What the thread does until something new arrives.
    pub(super) fn next(&self) -> Next {
        match self.flush_at {
            _ if self.current.is_some() || !self.waiting.is_empty() => Next::Busy,
            Some(tick) => Next::RestUntil(tick),
            None => Next::Rest,
        }
    }

    /// Records that the thread stalled: its current work ends that much later.
    pub(super) fn stand_still(&mut self, from: u64, until: u64) {
        match &mut self.current {
            Some(current) if current.ends > from => {
                current.ends = current.ends.saturating_add(until - from);
            }
            Some(_) => {}
            None => self.free_at = self.free_at.max(until),
        }
    }

    /// The work that begins next, if any can have begun by `now`. A flush
    /// whose tick has passed goes before the replies that wait.
    fn start(&mut self, now: u64) -> Option<Current<Job>> {
        let reply_at = self.waiting.front().map(|next| self.free_at.max(next.at));
        let flush_at = self.flush_at.map(|tick| self.free_at.max(tick)).filter(|at| *at <= now);
        match (flush_at, reply_at) {
            (Some(flush), reply) if reply.is_none_or(|reply| flush <= reply) => {
                self.flush_at = None;
                Some(Current { ends: flush + std::mem::take(&mut self.deferred_ns), job: None })
            }
            (_, Some(start)) => {
                let Arrival { own_service_ns, job, .. } = self.waiting.pop_front()?;
                let after_first = start - self.first_arrival.unwrap_or(start);
                // A service that grows is longer than any time after a while.
                let ends = start.saturating_add(self.work.service(own_service_ns, after_first));
                Some(Current { ends, job: Some(job) })
            }
            (_, None) => None,
        }
    }

    /// Defers the work of a reply that ended at `ended` to the next tick.
    fn defer(&mut self, ended: u64) {
        let (Some(deferred), Some(origin)) = (self.work.deferred, self.first_arrival) else {
            return;
        };
        self.deferred_ns += nanoseconds(deferred.work);
        let period = nanoseconds(deferred.flush_every);
        let ticks_before = (ended - origin) / period;
        self.flush_at.get_or_insert(origin + (ticks_before + 1) * period);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::Duration;

    fn work(service_ns: u64) -> ServiceTime {
        ServiceTime { service_ns, drift: 0.0, growth: 0.0, deferred: None }
    }

    fn with_deferred(service_ns: u64, work_ns: u64, every_ns: u64) -> ServiceTime {
        let (work, flush_every) = (Duration::from_nanos(work_ns), Duration::from_nanos(every_ns));
        let deferred = Some(Deferred { work, flush_every });
        ServiceTime { service_ns, drift: 0.0, growth: 0.0, deferred }
    }

    /// Scheduled ends of `arrivals`, if the server looks every `step` ns.
    fn ends(work: ServiceTime, arrivals: &[u64], step: u64) -> Vec<u64> {
        let mut timeline = Timeline::new(work);
        let mut arrivals = arrivals.iter().copied().enumerate().peekable();
        let (mut ends, mut now) = (Vec::new(), 0);
        loop {
            while let Some((number, at)) = arrivals.next_if(|(_, at)| *at <= now) {
                timeline.arrive(at, None, number);
            }
            while let Some((end, number)) = timeline.take_ended(now) {
                assert_eq!(number, ends.len(), "replies in order of arrival");
                assert!(end <= now, "not before its time");
                ends.push(end);
            }
            if arrivals.peek().is_none() && timeline.next() == Next::Rest {
                return ends;
            }
            now += step;
        }
    }

    #[test]
    fn growth_compounds() {
        let after = |growth, seconds: u64| {
            ServiceTime { growth, ..work(100_000) }.service(None, seconds * 1_000_000_000)
        };
        assert_eq!([0, 1, 2, 4].map(|s| after(0.5, s)), [100_000, 150_000, 225_000, 506_250]);
        assert_eq!([0, 2].map(|s| after(-0.5, s)), [100_000, 25_000]);
        let both = ServiceTime { drift: 1.0, growth: 0.5, ..work(100_000) };
        assert_eq!(both.service(None, 1_000_000_000), 300_000);
        assert_eq!(both.service(Some(10), 1_000_000_000), 30);
    }

    #[test]
    fn a_service_longer_than_any_time_never_ends() {
        let mut timeline = Timeline::new(ServiceTime { growth: 1e9, ..work(100) });
        timeline.arrive(1000, None, 1);
        assert_eq!(timeline.take_ended(1100), Some((1100, 1)));
        let later = 60_000_000_000;
        timeline.arrive(later, None, 2);
        timeline.stand_still(later, later + 5);
        assert_eq!(timeline.take_ended(2 * later), None);
        timeline.stand_still(2 * later, 3 * later);
        assert_eq!((timeline.take_ended(u64::MAX - 1), timeline.next()), (None, Next::Busy));
    }

    #[test]
    fn schedules() {
        let with_drift = |drift| ServiceTime { drift, ..work(100) };
        let cases: [(&str, ServiceTime, &[u64], &[u64]); 9] = [
            ("nobody came", work(100), &[], &[]),
            ("one by one", work(100), &[1000, 2000], &[1100, 2100]),
            ("a queue", work(100), &[1000, 1000, 1010], &[1100, 1200, 1300]),
            ("a queue that empties", work(100), &[1000, 1050, 1500], &[1100, 1200, 1600]),
            ("no work", work(0), &[1000, 1000, 1500], &[1000, 1000, 1500]),
            // 100 % a ns: the service is 100 at the first, 300 two ns later.
            ("growing", with_drift(1e9), &[5, 1000], &[105, 1000 + 100 + 99_500]),
            ("shrinking", with_drift(-0.5e9), &[5, 6, 1000], &[105, 105, 1000]),
            // Ticks at 1000 + k × 500; the work of two replies is done at 1500.
            ("flushed", with_deferred(100, 30, 500), &[1000, 1000, 1510], &[1100, 1200, 1660]),
            // At 1500 the third is in service until 1550: then the work of three.
            (
                "flush in a queue",
                with_deferred(150, 10, 500),
                &[1000, 1100, 1400, 1401],
                &[1150, 1300, 1550, 1730],
            ),
        ];
        for (name, work, arrivals, expected) in cases {
            assert_eq!(ends(work, arrivals, 1), expected, "{name}");
        }
    }

    #[test]
    fn deferred_work_is_done_once_and_then_the_thread_rests() {
        let mut timeline = Timeline::new(with_deferred(10, 30, 100));
        assert_eq!(timeline.next(), Next::Rest);
        timeline.arrive(1000, None, ());
        assert_eq!(timeline.next(), Next::Busy, "before anybody looked at it");
        assert_eq!(timeline.take_ended(1005), None);
        assert_eq!(timeline.next(), Next::Busy);
        assert_eq!(timeline.take_ended(1012), Some((1010, ())));
        assert_eq!(timeline.take_ended(1012), None);
        assert_eq!(timeline.next(), Next::RestUntil(1100));
        assert_eq!(timeline.take_ended(1101), None);
        assert_eq!(timeline.next(), Next::Busy);
        assert_eq!(timeline.take_ended(1130), None);
        assert_eq!(timeline.next(), Next::Rest);
    }

    #[test]
    fn standing_still_moves_what_is_left() {
        let mut timeline = Timeline::new(work(100));
        timeline.arrive(1000, None, 1);
        timeline.arrive(1001, None, 2);
        assert_eq!(timeline.take_ended(1040), None);
        timeline.stand_still(1040, 2000);
        assert_eq!(timeline.take_ended(2059), None);
        assert_eq!(timeline.take_ended(2500), Some((2060, 1)));
        assert_eq!(timeline.take_ended(2500), Some((2160, 2)));
        timeline.stand_still(3000, 4000);
        timeline.arrive(3500, None, 3);
        assert_eq!(timeline.take_ended(5000), Some((4100, 3)));
    }

    proptest! {
        /// The definition, whatever the arrivals and however seldom the server
        /// looks: end(k) = max(arrival(k), end(k − 1)) + service.
        #[test]
        fn ends_follow_the_definition(
            gaps in prop::collection::vec(0u64..400, 0..60),
            service in 0u64..300,
            step in 1u64..900,
        ) {
            let arrivals: Vec<u64> = gaps.iter().scan(1000, |at, gap| {
                *at += gap;
                Some(*at)
            }).collect();
            let expected: Vec<u64> = arrivals.iter().scan(0, |end, at| {
                *end = (*end).max(*at) + service;
                Some(*end)
            }).collect();
            prop_assert_eq!(ends(work(service), &arrivals, step), expected);
        }

        /// Deferred work is neither lost nor doubled: under a full queue the
        /// last end is the sum of all work but what the last flush left over.
        #[test]
        fn deferred_work_adds_up(
            count in 1usize..80, service in 1u64..50, each in 1u64..30, every in 1u64..700,
        ) {
            let ends = ends(with_deferred(service, each, every), &vec![1000; count], 1);
            let last = ends[count - 1] - 1000;
            let count = count as u64;
            let without = count * service;
            prop_assert!(last >= without && last < without + count * each);
            let owed_at_last = without + count * each - last;
            prop_assert_eq!(owed_at_last % each, 0);
            // Replies since the last tick that was passed, at most those that
            // fit between two ticks, and the one under way at the tick.
            prop_assert!(owed_at_last / each <= every.div_ceil(service) + 1);
        }
    }
}
