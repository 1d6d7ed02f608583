//! What the server saw: counts and times.

use serde::Serialize;
use std::io::{self, Write};

/// Requests whose times are kept; 320 MB of them, of which only what is
/// written is ever touched.
pub(super) const LOG_LIMIT: usize = 20_000_000;

/// What the server saw. `requests` = `replies` + `truncated` + `garbage` +
/// `resets` + `unanswered`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Connections accepted, including refused ones.
    pub connections: u64,
    /// Connections reset as soon as they were accepted, on purpose.
    pub refused: u64,
    /// Complete requests that were read.
    pub requests: u64,
    /// Replies whose last byte was given to the kernel.
    pub replies: u64,
    /// Replies cut on purpose.
    pub truncated: u64,
    /// Requests answered with bytes that are not HTTP, on purpose.
    pub garbage: u64,
    /// Requests answered with a TCP reset, on purpose.
    pub resets: u64,
    /// Requests without a complete reply, because the client left, the server
    /// was stopped, or it was configured never to reply.
    pub unanswered: u64,
    /// Input that was not a valid request (answered with 4xx or 501, and not counted above).
    pub bad_requests: u64,
    /// How many times a connection could not be accepted for lack of descriptors; it is tried again
    /// when another one ends.
    pub accept_failures: u64,
    /// The log was full: times of later requests are missing.
    pub log_full: bool,
    /// When each request was complete, in order: nanoseconds of
    /// CLOCK_MONOTONIC. Empty unless [`Behaviour::log`](super::Behaviour::log).
    #[serde(skip)]
    pub arrivals_ns: Vec<u64>,
    /// For each of `arrivals_ns`, when the last byte of its reply was given to the kernel; 0 if
    /// that never happened.
    #[serde(skip)]
    pub completions_ns: Vec<u64>,
}

impl Report {
    /// An empty report with room for the times of `limit` requests.
    pub(super) fn with_room(limit: usize) -> Self {
        Report {
            arrivals_ns: Vec::with_capacity(limit),
            completions_ns: Vec::with_capacity(limit),
            ..Report::default()
        }
    }

    /// Counts a request and returns its number, from 1.
    pub(super) fn arrived(&mut self, at_ns: u64, logs: bool) -> u64 {
        self.requests += 1;
        if logs {
            if self.arrivals_ns.len() < self.arrivals_ns.capacity() {
                self.arrivals_ns.push(at_ns);
                self.completions_ns.push(0);
            } else {
                self.log_full = true;
            }
        }
        self.requests
    }

    /// Counts a complete reply to request `number`.
    pub(super) fn replied(&mut self, number: u64, at_ns: u64) {
        self.replies += 1;
        let place = usize::try_from(number - 1).ok();
        if let Some(completion) = place.and_then(|at| self.completions_ns.get_mut(at)) {
            *completion = at_ns;
        }
    }

    /// Counts unanswered requests when the server ends.
    pub(super) fn ended(mut self) -> Self {
        let answered = self.replies + self.truncated + self.garbage + self.resets;
        self.unanswered = self.requests - answered;
        self
    }

    /// Completion minus arrival of every complete reply, ascending, in
    /// nanoseconds. Empty without a log.
    pub fn reply_times_ns(&self) -> Vec<u64> {
        let pairs = self.arrivals_ns.iter().zip(&self.completions_ns);
        let complete = pairs.filter(|(_, completed)| **completed > 0);
        let mut times: Vec<u64> =
            complete.map(|(arrived, completed)| completed - arrived).collect();
        times.sort_unstable();
        times
    }

    /// One line of JSON: the counts and, with a log, `reply_time_ns`.
    ///
    /// # Errors
    /// When `to` cannot be written.
    pub fn write_counts(&self, to: &mut impl Write) -> io::Result<()> {
        let mut counts = serde_json::to_value(self)?;
        let times = self.reply_times_ns();
        if let Some(max) = times.last() {
            let at =
                |share: f64| times[((share * times.len() as f64) as usize).min(times.len() - 1)];
            counts["reply_time_ns"] =
                serde_json::json!({ "p50": at(0.5), "p99": at(0.99), "max": max });
        }
        writeln!(to, "{counts}")
    }

    /// The log: `# ` and the counts as JSON, then one arrival per line, in nanoseconds of
    /// CLOCK_MONOTONIC.
    ///
    /// # Errors
    /// When `to` cannot be written.
    pub fn write_log(&self, to: &mut impl Write) -> io::Result<()> {
        to.write_all(b"# ")?;
        self.write_counts(to)?;
        for arrival in &self.arrivals_ns {
            writeln!(to, "{arrival}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen() -> Report {
        let mut report = Report::with_room(3);
        report.connections = 1;
        for at in [100, 110, 120, 130] {
            report.arrived(at, true);
        }
        report.replied(3, 220);
        report.replied(1, 150);
        report.replied(4, 900);
        report.ended()
    }

    #[test]
    fn a_full_log_stops_and_says_so_and_counting_goes_on() {
        let report = seen();
        assert!(report.log_full);
        assert_eq!((report.requests, report.replies, report.unanswered), (4, 3, 1));
        assert_eq!(report.arrivals_ns, [100, 110, 120]);
        assert_eq!(report.completions_ns, [150, 0, 220]);
        assert_eq!(report.reply_times_ns(), [50, 100]);
    }

    #[test]
    fn written_log() {
        let mut text = Vec::new();
        seen().write_log(&mut text).expect("memory");
        let expected = "# {\"connections\":1,\"refused\":0,\"requests\":4,\"replies\":3,\
            \"truncated\":0,\"garbage\":0,\"resets\":0,\"unanswered\":1,\"bad_requests\":0,\
            \"accept_failures\":0,\"log_full\":true,\
            \"reply_time_ns\":{\"p50\":100,\"p99\":100,\"max\":100}}\n100\n110\n120\n";
        assert_eq!(String::from_utf8(text).expect("text"), expected);
    }
}
