//! A server of the toy protocol, with a thread for each connection. It answers in no particular
//! order, in small pieces of all replies in turn, with pushes between them, and counts.

use super::codec::{FRAME_HEAD, GO_AWAY, LAST_PIECE, LAST_PUSH, PIECE, PUSH, REQUEST, WINDOW};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What a server does besides answering.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Behaviours {
    /// How many streams may be open: each value holds for [`Habits::TERM`] replies, and then
    /// they start over.
    pub(crate) windows: &'static [u8],
    /// One push after this many frames, and while the connection rests; 0 means never.
    pub(crate) push_every: u64,
    pub(crate) slow: Option<Slow>,
    /// Operations with this remainder modulo [`SLOW`] are answered after this time.
    pub(crate) late: Option<(u64, Duration)>,
    /// After this many replies it announces that it answers nothing more on this connection.
    pub(crate) goes_away_after: Option<u64>,
}

/// Operations that are answered only after a number of others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slow {
    /// Their number has this remainder modulo [`SLOW`].
    pub(crate) remainder: u64,
    pub(crate) others: u64,
    /// They are answered in any case when this many requests have arrived, since no others will.
    pub(crate) requests: u64,
}

/// One number in this many is slow or late.
pub(crate) const SLOW: u64 = 16;
/// A connection on which nothing arrived for this long rests.
const RESTING: Duration = Duration::from_millis(5);

impl Behaviours {
    /// How many replies a window holds for.
    const TERM: u64 = 100;

    pub(crate) const PLAIN: Behaviours = Behaviours {
        windows: &[250],
        push_every: 0,
        slow: None,
        late: None,
        goes_away_after: None,
    };
}

/// What a server counted on all its connections.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) connections: AtomicU64,
    pub(crate) requests: AtomicU64,
    /// Complete pushes.
    pub(crate) pushes: AtomicU64,
    /// The maximum number of streams that were open at once on a connection.
    pub(crate) most_open: AtomicU64,
    /// Requests beyond the window, or on a connection that goes away.
    pub(crate) forbidden: AtomicU64,
    /// Requests on a stream that was open already.
    pub(crate) doubled: AtomicU64,
}

impl Counts {
    fn add(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// Starts a server that ends with the test program.
pub(crate) fn serve(behaviours: Behaviours) -> (SocketAddr, Arc<Counts>) {
    let counts = Arc::new(Counts::default());
    let counted = counts.clone();
    let address = protocol::testing::serve(move |stream| {
        Counts::add(&counted.connections);
        // An error ends the connection.
        let _ = Connection::new(behaviours, counted.clone()).run(stream);
    });
    (address, counts)
}

/// An operation that is not answered.
#[derive(Clone, Copy)]
struct Unanswered {
    id: u16,
    number: u64,
    /// Bytes of its reply that were sent.
    sent: usize,
    /// How many replies were complete when it arrived, and when that was.
    answered: u64,
    received_at: Instant,
}

struct Connection {
    behaviours: Behaviours,
    counts: Arc<Counts>,
    /// Requests that were read; the last one may be incomplete.
    input: Vec<u8>,
    unanswered: Vec<Unanswered>,
    out: Vec<u8>,
    term: usize,
    answered: u64,
    term_ends: u64,
    frames: u64,
    pushes: u64,
    goes_away: bool,
    random: u64,
}

impl Connection {
    fn new(behaviours: Behaviours, counts: Arc<Counts>) -> Connection {
        Connection {
            behaviours,
            counts,
            input: Vec::with_capacity(64 * 1024),
            unanswered: Vec::with_capacity(256),
            out: Vec::with_capacity(64 * 1024),
            term: 0,
            answered: 0,
            term_ends: Behaviours::TERM,
            frames: 0,
            pushes: 0,
            goes_away: false,
            random: 1,
        }
    }

    fn run(&mut self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(RESTING))?;
        let window = self.window();
        self.frame(WINDOW, 0, &[window]);
        let mut buffer = [0; 16 * 1024];
        loop {
            self.send(&mut stream)?;
            let rests = match stream.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(bytes) => {
                    self.input.extend_from_slice(&buffer[..bytes]);
                    false
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => true,
                Err(error) => return Err(error),
            };
            self.understand();
            if rests && self.behaviours.push_every > 0 {
                self.push();
            }
            self.answer(rests);
        }
    }

    fn window(&self) -> u8 {
        self.behaviours.windows[self.term % self.behaviours.windows.len()]
    }

    /// Parses the requests that are complete.
    fn understand(&mut self) {
        let whole = self.input.len() / REQUEST * REQUEST;
        for at in (0..whole).step_by(REQUEST) {
            let [high, low, number @ ..] = &self.input[at..at + REQUEST] else { continue };
            let id = u16::from_be_bytes([*high, *low]);
            let number = u64::from_be_bytes(number.try_into().expect("8 bytes"));
            Counts::add(&self.counts.requests);
            if self.unanswered.iter().any(|request| request.id == id) {
                Counts::add(&self.counts.doubled);
            }
            let (answered, received_at) = (self.answered, Instant::now());
            self.unanswered.push(Unanswered { id, number, sent: 0, answered, received_at });
            if self.unanswered.len() > usize::from(self.window()) || self.goes_away {
                Counts::add(&self.counts.forbidden);
            }
            self.counts.most_open.fetch_max(self.unanswered.len() as u64, Ordering::Relaxed);
        }
        self.input.drain(..whole);
    }

    /// Sends pieces of the replies that may be sent now, until half of them are complete, or all
    /// of them if the connection `rests`.
    fn answer(&mut self, rests: bool) {
        let until = if rests { 0 } else { self.unanswered.len() / 2 };
        loop {
            // All requests have arrived, and others are triggered only by what is sent now: from
            // here on, none is on its way that does not know it.
            if self.unanswered.len() == usize::from(self.window()) {
                self.change_terms();
            }
            let many = self.unanswered.iter().filter(|request| self.is_ready(request)).count();
            if many == 0 || self.unanswered.len() <= until {
                return;
            }
            let which = self.draw(many as u64) as usize;
            let mut ready =
                (0..self.unanswered.len()).filter(|at| self.is_ready(&self.unanswered[*at]));
            let at = ready.nth(which).expect("counted");
            self.say_piece(at);
        }
    }

    fn is_ready(&self, request: &Unanswered) -> bool {
        let remainder = request.number % SLOW;
        let requests = self.counts.requests.load(Ordering::Relaxed);
        let waits = |slow: &Slow| {
            let others_come = requests < slow.requests;
            others_come && self.answered < request.answered + slow.others
        };
        let is_slow = self.behaviours.slow.filter(|slow| slow.remainder == remainder);
        let is_late = self.behaviours.late.filter(|(of, _)| *of == remainder);
        !is_slow.as_ref().is_some_and(waits)
            && is_late.is_none_or(|(_, time)| request.received_at.elapsed() >= time)
    }

    /// Sends a new window or the end if it is time.
    fn change_terms(&mut self) {
        if self.behaviours.goes_away_after.is_some_and(|after| self.answered >= after) {
            if !self.goes_away {
                self.goes_away = true;
                self.frame(GO_AWAY, 0, &[]);
            }
        } else if self.answered >= self.term_ends {
            self.term += 1;
            self.term_ends = self.answered + Behaviours::TERM;
            let window = self.window();
            self.frame(WINDOW, 0, &[window]);
        }
    }

    /// Sends one to three bytes of a reply.
    fn say_piece(&mut self, at: usize) {
        let bytes = 1 + self.draw(3) as usize;
        let Unanswered { id, number, sent, .. } = self.unanswered[at];
        let until = (sent + bytes).min(8);
        let body = number.to_be_bytes();
        if until == 8 {
            self.frame(LAST_PIECE, id, &body[sent..]);
            self.unanswered.swap_remove(at);
            self.answered += 1;
        } else {
            self.frame(PIECE, id, &body[sent..until]);
            self.unanswered[at].sent = until;
        }
        self.frames += 1;
        if self.behaviours.push_every > 0 && self.frames.is_multiple_of(self.behaviours.push_every)
        {
            self.push();
        }
    }

    /// Sends `push 7` in two pieces.
    fn push(&mut self) {
        self.frame(PUSH, 0, b"push ");
        let mut digits = [0; 20];
        let mut left = &mut digits[..];
        write!(left, "{}", self.pushes).expect("room");
        let unused = left.len();
        self.frame(LAST_PUSH, 0, &digits[..20 - unused]);
        self.pushes += 1;
        Counts::add(&self.counts.pushes);
    }

    fn frame(&mut self, what: u8, id: u16, bytes: &[u8]) {
        let [high, low] = id.to_be_bytes();
        let head: [u8; FRAME_HEAD] = [what, high, low, bytes.len() as u8];
        self.out.extend_from_slice(&head);
        self.out.extend_from_slice(bytes);
    }

    /// Sends the pending bytes, cut anywhere.
    fn send(&mut self, stream: &mut TcpStream) -> std::io::Result<()> {
        let mut from = 0;
        while from < self.out.len() {
            let until = (from + 1 + self.draw(60) as usize).min(self.out.len());
            stream.write_all(&self.out[from..until])?;
            from = until;
        }
        self.out.clear();
        Ok(())
    }

    /// Returns a number below `below` from a simple generator, the same in every run.
    fn draw(&mut self, below: u64) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.random >> 33) % below
    }
}
