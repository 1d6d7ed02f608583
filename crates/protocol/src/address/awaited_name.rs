//! Names that may not exist yet: Kubernetes gives a pod its name when it starts the pod.

use super::resolver::LookUp;
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use text::shown::shown;
use text::units::show_ns;

/// The pause between two queries.
const PAUSE: Duration = Duration::from_millis(250);
/// Longer waits are reported while they last.
const UNREPORTED: Duration = Duration::from_secs(2);

/// Looks a name up until it has an address.
pub struct AwaitedName<'a> {
    /// Makes one query.
    pub look_up: LookUp<'a>,
    /// How long it may take in all.
    pub timeout: Duration,
    /// Called once, with a sentence, if the wait takes long.
    pub report: &'a dyn Fn(&str),
}

impl AwaitedName<'_> {
    /// The addresses of the name.
    ///
    /// # Errors
    /// If it has none after the timeout: the reason is that of the last query.
    pub fn look_up(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        let began = Instant::now();
        let mut reported = false;
        loop {
            let why = match (self.look_up)(host, port) {
                Ok(addresses) if addresses.is_empty() => io::Error::other("it has no address"),
                Ok(addresses) => return Ok(addresses),
                Err(error) => error,
            };
            let left = self.timeout.saturating_sub(began.elapsed());
            if left.is_zero() {
                let timeout = show_ns(self.timeout.as_nanos() as u64);
                return Err(io::Error::other(format!("{why} (retried for {timeout})")));
            }
            if began.elapsed() >= UNREPORTED && !reported {
                reported = true;
                (self.report)(&format!("waiting until the name `{}` can be resolved", shown(host)));
            }
            std::thread::sleep(PAUSE.min(left));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_name_that_appears_late_is_found() {
        let queries = Cell::new(0);
        let third_time = |host: &str, port: u16| {
            assert_eq!((host, port), ("tiebreak-0.tiebreak", 9311));
            queries.set(queries.get() + 1);
            match queries.get() {
                1 => Err(io::Error::other("no such host")),
                2 => Ok(Vec::new()),
                _ => Ok(vec![SocketAddr::from(([10, 0, 0, 5], port))]),
            }
        };
        let timeout = Duration::from_secs(60);
        let name = AwaitedName { look_up: &third_time, timeout, report: &|_| () };
        let found = name.look_up("tiebreak-0.tiebreak", 9311).expect("found");
        assert_eq!(found, [SocketAddr::from(([10, 0, 0, 5], 9311))]);
        assert_eq!(queries.get(), 3);
    }

    #[test]
    fn a_name_that_never_appears_is_given_up() {
        let never = |_: &str, _: u16| Err(io::Error::other("no such host"));
        let timeout = Duration::from_millis(10);
        let name = AwaitedName { look_up: &never, timeout, report: &|_| () };
        let why = name.look_up("nohost", 1).expect_err("it does not exist").to_string();
        assert_eq!(why, "no such host (retried for 10 ms)");
    }

    #[test]
    fn a_long_wait_is_reported_once() {
        let reports = Cell::new(0);
        let report = |line: &str| {
            assert_eq!(line, "waiting until the name `late` can be resolved");
            reports.set(reports.get() + 1);
        };
        // It appears two queries after the report.
        let after = Cell::new(0);
        let late = |_: &str, port: u16| {
            after.set(after.get() + reports.get());
            if after.get() < 2 { Ok(Vec::new()) } else { Ok(vec![([10, 0, 0, 5], port).into()]) }
        };
        let timeout = Duration::from_secs(60);
        let name = AwaitedName { look_up: &late, timeout, report: &report };
        assert!(name.look_up("late", 1).is_ok());
        assert_eq!(reports.get(), 1);
    }
}
