//! How contenders are driven: connections, and when operations are due.

use crate::plan::settings::Settings;
use crate::protocols::PROTOCOLS;
use protocol::{Family, Protocol};
use record::{Arrivals, Consistency, Reuse};
use std::time::Duration;
use text::near;
use text::quantities;
use text::shown::shown;

/// The longest timeout of an operation: a slice must end.
pub(in crate::plan) const LONGEST_TIMEOUT: Duration = Duration::from_secs(600);

/// How the arrivals of an open loop are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Equal gaps.
    Constant,
    /// Exponential gaps.
    Poisson,
}

impl Settings {
    /// When operations are due.
    ///
    /// # Errors
    /// When arrivals are given without a rate.
    pub fn arrivals(&self) -> Result<Arrivals, String> {
        match (self.rate, self.arrivals) {
            (None, None) => Ok(Arrivals::Closed),
            (Some(rate), None | Some(Spread::Constant)) => Ok(Arrivals::Constant(rate)),
            (Some(rate), Some(Spread::Poisson)) => Ok(Arrivals::Poisson(rate)),
            (None, Some(_)) => {
                Err("--arrivals says how a rate is spread: give --rate too, such as --rate 1000/s"
                    .to_owned())
            }
        }
    }
}

/// `--reuse`.
///
/// # Errors
/// When it is none of the policies.
pub(super) fn reuse(text: &str) -> Result<Reuse, String> {
    match text {
        "always" => Ok(Reuse::Always),
        "never" => Ok(Reuse::Never),
        number => {
            match quantities::count(number).ok().and_then(|count| u32::try_from(count).ok()) {
                Some(1) => Err("for one operation per connection write `never`".to_owned()),
                Some(times @ 2..) => Ok(Reuse::Times(times)),
                _ => Err(format!(
                    "`{}` is not a connection policy: write always, never, or after how many \
                 operations to connect anew",
                    shown(number)
                )),
            }
        }
    }
}

/// `--connections`.
///
/// # Errors
/// When it is not a count from 1 to a million.
pub fn connections(text: &str) -> Result<u32, String> {
    match quantities::count(text)? {
        count @ 1..=1_000_000 => Ok(count as u32),
        _ => Err(format!("`{text}` is not a number of connections from 1 to 1M")),
    }
}

/// `--depth`.
///
/// # Errors
/// When it is not a count from 1 to 1024.
pub fn depth(text: &str) -> Result<u32, String> {
    match quantities::count(text)? {
        count @ 1..=1024 => Ok(count as u32),
        _ => Err(format!("`{text}` is not a number of operations in flight from 1 to 1024")),
    }
}

pub(super) fn dialects(row: &Protocol) -> Vec<&'static str> {
    match &row.family {
        Family::Store(store) => store.dialects.to_vec(),
        _ => Vec::new(),
    }
}

/// Reads the dialect of a store.
///
/// # Errors
/// When there is no such dialect.
pub(super) fn dialect(text: &str) -> Result<&'static str, String> {
    PROTOCOLS.word(text, dialects, "a dialect")
}

impl Settings {
    /// Returns the copies of each row, if a load creates the keyspace.
    pub(in crate::plan) fn replication(&self) -> u32 {
        self.replication.unwrap_or(1)
    }
}

/// Copies of each row.
///
/// # Errors
/// When it is not a number from 1 to 100.
pub(super) fn replication(text: &str) -> Result<u32, String> {
    let number = quantities::count(text).ok().and_then(|number| u32::try_from(number).ok());
    number
        .filter(|number| (1..=100).contains(number))
        .ok_or_else(|| format!("`{}` is not a number of copies from 1 to 100", shown(text)))
}

/// Reads a consistency level. The plan checks whether the protocol supports it.
///
/// # Errors
/// When there is no such level.
pub(super) fn consistency(text: &str) -> Result<Consistency, String> {
    let levels = Consistency::ALL.map(|level| (level.name(), level));
    near::choice(text, "a consistency level", &levels)
}

/// `--arrivals`.
pub(super) fn spread(text: &str) -> Result<Spread, String> {
    let ways = [("constant", Spread::Constant), ("poisson", Spread::Poisson)];
    near::choice(text, "a way to spread arrivals", &ways)
}

/// `--timeout`. More than ten minutes are refused later unless it is that of a suite, whose runs may take a day.
///
/// # Errors
/// When it is not a duration above 0.
pub(super) fn timeout(text: &str) -> Result<Duration, String> {
    match quantities::duration(text)? {
        Duration::ZERO => Err("a timeout must be above 0".to_owned()),
        timeout => Ok(timeout),
    }
}

/// `--set pool.wait`.
///
/// # Errors
/// When it is not a duration above 0 and up to ten minutes.
pub(super) fn pool_wait(text: &str) -> Result<Duration, String> {
    match timeout(text)? {
        long if long > LONGEST_TIMEOUT => {
            Err(format!("`{text}` is too long for a timeout: it must be at most 10m"))
        }
        wait => Ok(wait),
    }
}
