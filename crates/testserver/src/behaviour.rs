//! What the server does, as a plain value.

use super::delay::Delay;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use text::units::nanoseconds;

/// Every n-th, counted from 1: the n-th is the first that is affected.
pub type Nth = Option<NonZeroU64>;

/// What the server does. The default answers at once with a page of 87 bytes.
///
/// Times add up: a reply is sent `service` after the later of its arrival and the end of the
/// previous reply, plus its `delay`, plus `slow.by` if it is one of the slow ones. On one
/// connection replies keep the order of their requests, so a late one holds up those that were
/// pipelined behind it.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// The address to listen on; loopback only. With port 0 the system chooses one.
    pub listen: SocketAddr,
    /// A unix socket to listen on as well.
    pub unix: Option<PathBuf>,
    /// Seed of delays, of the services of workers and of random bodies.
    pub seed: u64,
    /// Work for each reply, done by spinning, one reply at a time.
    pub service: Duration,
    /// Paths whose replies have a service time of their own.
    pub paths: Vec<PathService>,
    /// Growth of `service`, as a share for each second since the first
    /// request: 0.1 makes it 10 % longer after one second, 20 % after two.
    pub service_drift: f64,
    /// Growth of `service` that compounds, as a share for each second since the
    /// first request: 0.5 makes it 1.5 times as long after one second, 2.25 times
    /// after two. The logarithm of the throughput then falls at the same rate at
    /// all times, however long ago the first request was.
    pub service_growth: f64,
    /// Replies are served by workers that take no CPU time, and not by the work of this thread.
    pub workers: Option<Workers>,
    /// Work that is deferred until after the reply.
    pub deferred: Option<Deferred>,
    /// Whether `service` and `deferred` are measured by the CPU clock of the thread: they then take
    /// longer if the thread shares its core, as real work does.
    pub by_cpu_clock: bool,
    /// A delay after arrival that takes no CPU time and delays no other reply.
    pub delay: Delay,
    /// Every n-th reply waits longer.
    pub slow: Option<Slow>,
    /// The server stalls periodically.
    pub freeze: Option<Freeze>,
    /// A pause after every n-th request.
    pub stall: Option<Stall>,
    /// The page.
    pub body: Body,
    /// Status of the replies.
    pub status: u16,
    /// Another status for every n-th reply.
    pub status_nth: Option<(NonZeroU64, u16)>,
    /// How a reply marks the end of its body.
    pub framing: Framing,
    /// Bytes of additional header lines: they cost the client more and the server hardly anything.
    pub header_bytes: usize,
    /// The body is sent in pieces with a pause between them.
    pub slow_body: Option<SlowBody>,
    /// The n-th reply of a connection says `Connection: close` and is its last.
    pub close_every: Nth,
    /// Every n-th request gets a TCP reset instead of a reply.
    pub reset_nth: Nth,
    /// Every n-th reply is cut in the middle of its body, and the connection
    /// closed. (Without a body: in the middle of its head.)
    pub truncate_nth: Nth,
    /// Every n-th request gets bytes that are not HTTP, and the connection is
    /// closed.
    pub garbage_nth: Nth,
    /// Every n-th connection is reset as soon as it is accepted.
    pub refuse_nth: Nth,
    /// Accepts and reads, and never answers.
    pub never_reply: bool,
    /// Polls for requests and never sleeps. Arrivals are then stamped when they come and not when
    /// the kernel has woken the thread; this takes a whole core.
    pub awake: bool,
    /// Records when each request arrived and when its reply was complete.
    pub log: bool,
}

impl Default for Behaviour {
    fn default() -> Self {
        Behaviour {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            unix: None,
            seed: 1,
            service: Duration::ZERO,
            paths: Vec::new(),
            service_drift: 0.0,
            service_growth: 0.0,
            workers: None,
            deferred: None,
            by_cpu_clock: false,
            delay: Delay::None,
            slow: None,
            freeze: None,
            stall: None,
            body: Body::Page(DEFAULT_BODY_BYTES),
            status: 200,
            status_nth: None,
            framing: Framing::Length,
            header_bytes: 0,
            slow_body: None,
            close_every: None,
            reset_nth: None,
            truncate_nth: None,
            garbage_nth: None,
            refuse_nth: None,
            never_reply: false,
            awake: false,
            log: false,
        }
    }
}

/// Length of the default page: `<html><body>`, 61 x, `</body></html>`.
pub const DEFAULT_BODY_BYTES: usize = 87;

/// The service time of the requests for one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathService {
    /// The path, without a query: a request for `/b?x=1` is one for `/b`.
    pub path: String,
    /// Used in place of `Behaviour::service`; it grows as that does.
    pub service: Duration,
}

/// Workers behind one queue. Each takes the request that has waited longest, and serves one at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Workers {
    /// How many.
    pub count: NonZeroU32,
    /// How long a service takes.
    pub service: Delay,
}

/// Work after the reply, as a garbage collector or a write-back cache does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deferred {
    /// CPU time that every reply adds.
    pub work: Duration,
    /// The accumulated work is done at multiples of this, counted from the first request, by
    /// spinning. Nothing else is done meanwhile.
    pub flush_every: Duration,
}

/// Every n-th reply waits longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slow {
    /// Which replies, counted over the whole server.
    pub nth: NonZeroU64,
    /// How much longer.
    pub by: Duration,
}

/// A period in which nothing is accepted, read or answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freeze {
    /// How long it lasts.
    pub lasts: Duration,
    /// From the start of one to the start of the next.
    pub every: Duration,
    /// Start of the first one after the first request.
    pub first: Duration,
}

/// A period in which nothing is accepted, read or answered, after every n-th request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// Which requests, counted over the whole server.
    pub nth: NonZeroU64,
    /// How long it lasts from when the request was read.
    pub lasts: Duration,
}

/// The page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// An HTML page of this many bytes, always the same. Empty if 0.
    Page(usize),
    /// Fixed bytes.
    Bytes(Arc<[u8]>),
    /// This many letters, different in each reply.
    Random(usize),
}

/// How a reply marks the end of its body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// `Content-Length`.
    #[default]
    Length,
    /// `Transfer-Encoding: chunked`.
    Chunked,
    /// HTTP/1.0: the body ends where the connection does.
    Http10,
}

/// A body that is sent in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowBody {
    /// The number of pieces; the first is sent with the head.
    pub pieces: NonZeroU64,
    /// Pause between two pieces.
    pub gap: Duration,
}

/// What the server does with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// A complete reply.
    Reply,
    /// A reply that is cut.
    Truncate,
    /// Bytes that are not HTTP.
    Garbage,
    /// A TCP reset.
    Reset,
    /// It was not a request: a complete reply that says so.
    Refuse,
}

impl Behaviour {
    /// The action for the `number`-th request of the server, counted from 1. If several faults
    /// coincide, reset precedes garbage, which precedes truncation.
    pub(super) fn action(&self, number: u64) -> Action {
        if hits(self.reset_nth, number) {
            Action::Reset
        } else if hits(self.garbage_nth, number) {
            Action::Garbage
        } else if hits(self.truncate_nth, number) {
            Action::Truncate
        } else {
            Action::Reply
        }
    }

    /// Status of the reply to the `number`-th request.
    pub(super) fn status(&self, number: u64) -> u16 {
        match self.status_nth {
            Some((nth, status)) if hits(Some(nth), number) => status,
            _ => self.status,
        }
    }

    /// How long the `number`-th reply waits after its service, in nanoseconds.
    pub(super) fn waits(&self, number: u64) -> u64 {
        let slow = self.slow.filter(|slow| hits(Some(slow.nth), number));
        self.delay.of(self.seed, number).saturating_add(slow.map_or(0, |slow| nanoseconds(slow.by)))
    }

    /// Checks that the behaviour does not contradict itself.
    ///
    /// # Errors
    /// A sentence that names the setting and the remedy.
    pub fn check(&self) -> Result<(), String> {
        if !self.listen.ip().is_loopback() {
            return Err(format!(
                "{} is not a loopback address, and the test server serves this machine only: use \
                 127.0.0.1 or [::1]",
                self.listen
            ));
        }
        for status in self.status_nth.map(|(_, status)| status).into_iter().chain([self.status]) {
            if !(200..=599).contains(&status) {
                return Err(format!("status {status} is not a final HTTP status: use 200 to 599"));
            }
        }
        if !self.service_drift.is_finite() {
            return Err("the drift of the service time must be a finite number".to_owned());
        }
        if !self.service_growth.is_finite() || self.service_growth <= -1.0 {
            return Err("the growth of the service time must be a number above -100 %".to_owned());
        }
        if self.framing == Framing::Http10 && self.truncate_nth.is_some() {
            return Err("a client cannot detect the truncation of an HTTP/1.0 reply: omit either \
                        HTTP/1.0 or the truncation"
                .to_owned());
        }
        self.check_workers()?;
        self.check_paths()?;
        self.check_periods()
    }

    /// Workers serve by timers: nothing that spins or stops this thread changes when they end.
    fn check_workers(&self) -> Result<(), String> {
        let works = !self.service.is_zero() || !self.paths.is_empty() || self.deferred.is_some();
        let stops = self.freeze.is_some() || self.stall.is_some();
        if self.workers.is_some() && (works || stops || self.by_cpu_clock) {
            return Err("workers serve without the CPU, so they have no other service time, no \
                        deferred work, CPU clock, freezes or stalls: omit either the workers or \
                        these"
                .to_owned());
        }
        Ok(())
    }

    fn check_paths(&self) -> Result<(), String> {
        for (at, PathService { path, .. }) in self.paths.iter().enumerate() {
            if !path.starts_with('/') || path.contains('?') {
                return Err(format!("the path `{path}` must begin with / and have no query"));
            }
            if self.paths[..at].iter().any(|earlier| earlier.path == *path) {
                return Err(format!("the path `{path}` has two service times: give it one"));
            }
        }
        Ok(())
    }

    fn check_periods(&self) -> Result<(), String> {
        if let Some(freeze) = self.freeze
            && freeze.lasts >= freeze.every
        {
            return Err(format!(
                "a freeze of {:?} every {:?} never ends: make it shorter than its period",
                freeze.lasts, freeze.every
            ));
        }
        if self.deferred.is_some_and(|deferred| deferred.flush_every.is_zero()) {
            return Err("deferred work needs a flush period above zero".to_owned());
        }
        Ok(())
    }
}

/// Whether the `number`-th (from 1) is one of every n-th.
pub(super) fn hits(nth: Nth, number: u64) -> bool {
    nth.is_some_and(|nth| number.is_multiple_of(nth.get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_by_number() {
        let behaviour = Behaviour {
            reset_nth: NonZeroU64::new(6),
            garbage_nth: NonZeroU64::new(3),
            truncate_nth: NonZeroU64::new(2),
            ..Behaviour::default()
        };
        let actions: Vec<Action> = (1..=7).map(|number| behaviour.action(number)).collect();
        use Action::{Garbage, Reply, Reset, Truncate};
        assert_eq!(actions, [Reply, Truncate, Garbage, Truncate, Reply, Reset, Reply]);
    }

    #[test]
    fn statuses_and_waits_by_number() {
        let third = NonZeroU64::new(3).expect("not zero");
        let behaviour = Behaviour {
            status: 201,
            status_nth: Some((third, 503)),
            delay: Delay::Fixed(Duration::from_nanos(5)),
            slow: Some(Slow { nth: third, by: Duration::from_nanos(70) }),
            ..Behaviour::default()
        };
        let seen = (1..=4).map(|number| (behaviour.status(number), behaviour.waits(number)));
        assert_eq!(seen.collect::<Vec<_>>(), [(201, 5), (201, 5), (503, 75), (201, 5)]);
    }

    /// Changes one setting of a valid behaviour.
    type Change = fn(&mut Behaviour);

    #[test]
    fn what_cannot_be_done_is_refused_and_named() {
        let freeze = |lasts, every| {
            let seconds = Duration::from_secs;
            Some(Freeze { lasts: seconds(lasts), every: seconds(every), first: seconds(0) })
        };
        assert!(Behaviour { freeze: freeze(1, 2), ..Behaviour::default() }.check().is_ok());
        assert!(Behaviour { freeze: freeze(2, 2), ..Behaviour::default() }.check().is_err());
        let cases: [(Change, &str); 11] = [
            (|b| b.listen = "192.168.0.1:80".parse().unwrap(), "loopback"),
            (|b| b.listen = "0.0.0.0:80".parse().unwrap(), "loopback"),
            (|b| b.listen = "[::]:80".parse().unwrap(), "loopback"),
            (|b| b.status = 101, "status 101"),
            (|b| b.status_nth = NonZeroU64::new(2).map(|nth| (nth, 600)), "status 600"),
            (|b| b.service_drift = f64::NAN, "drift"),
            (|b| b.service_growth = f64::INFINITY, "growth"),
            (|b| b.service_growth = -1.0, "growth"),
            (
                |b| {
                    b.workers = Some(Workers { count: NonZeroU32::MIN, service: Delay::None });
                    b.service = Duration::from_millis(1);
                },
                "workers",
            ),
            (
                |b| {
                    b.workers = Some(Workers { count: NonZeroU32::MIN, service: Delay::None });
                    b.freeze = Some(Freeze {
                        lasts: Duration::from_secs(1),
                        every: Duration::from_secs(2),
                        first: Duration::ZERO,
                    });
                },
                "workers",
            ),
            (
                |b| {
                    b.framing = Framing::Http10;
                    b.truncate_nth = NonZeroU64::new(2);
                },
                "HTTP/1.0",
            ),
        ];
        for (paths, named) in
            [(vec!["b"], "begin"), (vec!["/b?x"], "query"), (vec!["/b"; 2], "two")]
        {
            let with =
                |path: &&str| PathService { path: path.to_string(), service: Duration::ZERO };
            let paths = paths.iter().map(with).collect();
            let error = Behaviour { paths, ..Behaviour::default() }.check().expect_err(named);
            assert!(error.contains(named), "{error}");
        }
        for (change, named) in cases {
            let mut behaviour = Behaviour::default();
            assert_eq!(behaviour.check(), Ok(()));
            change(&mut behaviour);
            let error = behaviour.check().expect_err(named);
            assert!(error.contains(named), "{error}");
        }
    }
}
