//! How operations ended, by class and by cause.

use crate::named::named;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The cause of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultOwner {
    /// The target: the failure counts against the contender.
    Target,
    /// The generator: one such failure in a recorded trial voids the run.
    Generator,
    /// The machine or the network.
    Host,
}

named! {
    /// Why an operation got no complete reply.
    #[derive(PartialOrd, Ord)]
    #[repr(u8)]
    pub enum Failure {
        /// The connection was refused.
        Refused = "refused",
        /// The peer reset the connection.
        Reset = "reset",
        /// The peer closed the connection before the reply was complete.
        Closed = "closed",
        /// The reply violated the protocol or its limits, or a program did not report how many
        /// operations it did.
        Protocol = "protocol",
        /// No complete reply within the timeout.
        Timeout = "timeout",
        /// The TLS handshake or a TLS record failed.
        Tls = "tls",
        /// No local port was free (`EADDRNOTAVAIL`).
        NoPort = "no_port",
        /// No file descriptor was free (`EMFILE`, `ENFILE`).
        NoDescriptor = "no_descriptor",
        /// No buffer memory was free (`ENOBUFS`, `ENOMEM`).
        NoMemory = "no_memory",
        /// The network or the host cannot be reached.
        Unreachable = "unreachable",
        /// The store is full (`ENOSPC`, `EDQUOT`, `EFBIG`).
        Full = "full",
        /// The store denied access (`EACCES`, `EPERM`, `EROFS`).
        Denied = "denied",
        /// The store could not read or write (`EIO`, or its directory was removed).
        Io = "io",
        /// The program exited with a status other than 0, or could not be started.
        Exit = "exit",
        /// The program was killed by a signal.
        Signal = "signal",
        /// No connection of the pool became free within its wait.
        Starved = "starved",
        /// The reply had more bytes than the contender allows.
        TooLarge = "too_large",
        /// There was no reply yet when the launch or the run ended, and the timeout had not passed.
        Waiting = "waiting",
    }
}

impl Failure {
    /// Its cause.
    pub fn fault_owner(self) -> FaultOwner {
        match self {
            Failure::NoPort | Failure::NoDescriptor | Failure::NoMemory => FaultOwner::Generator,
            Failure::Unreachable => FaultOwner::Host,
            _ => FaultOwner::Target,
        }
    }
}

/// The outcome of a complete reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The reply was as expected.
    Ok,
    /// The reply had an unexpected code, which counts against the target.
    Unexpected,
    /// The store has nothing under the key.
    Miss,
    /// A value that had been overwritten before the request.
    Stale,
    /// A value that was never written under this key, or that differs from what was written.
    Wrong,
    /// A conditional write that was rejected because another write came first. This is a valid
    /// answer and not a failure.
    Conflict,
}

/// Counts of how operations ended. Merging adds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcomes {
    /// Complete replies with an expected code.
    pub ok: u64,
    /// Complete replies with a code that was not expected, by code.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unexpected: BTreeMap<u16, u64>,
    /// Complete replies that report a miss.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub miss: u64,
    /// Complete replies with a stale value.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub stale: u64,
    /// Complete replies with a value that was never written under the key.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub wrong: u64,
    /// Complete replies to conditional writes that were rejected because another write came first.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub conflict: u64,
    /// Operations without a complete reply, by class.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failed: BTreeMap<Failure, u64>,
}

impl Outcomes {
    /// Number of failures with this cause. Unexpected codes count as the target's.
    pub fn count(&self, cause: FaultOwner) -> u64 {
        let failed: u64 = self
            .failed
            .iter()
            .filter(|(failure, _)| failure.fault_owner() == cause)
            .map(|(_, n)| n)
            .sum();
        match cause {
            FaultOwner::Target => failed + self.unexpected.values().sum::<u64>(),
            _ => failed,
        }
    }

    /// All operations that ended, with any outcome.
    pub fn total(&self) -> u64 {
        let replies = self.ok + self.miss + self.stale + self.wrong + self.conflict;
        replies + self.unexpected.values().sum::<u64>() + self.failed.values().sum::<u64>()
    }

    /// Operations that did not succeed, for whatever cause. Misses, and conditional writes that were
    /// rejected because another write came first, are answers.
    pub fn errors(&self) -> u64 {
        self.total() - self.ok - self.conflict - self.miss
    }

    /// Counts by class name for the report: `status_404`, `refused`, …. Codes that have a name use
    /// it, in lower case.
    pub fn classes(
        &self,
        cause: FaultOwner,
        code_names: &BTreeMap<u16, String>,
    ) -> BTreeMap<String, u64> {
        let mut classes: BTreeMap<String, u64> = self
            .failed
            .iter()
            .filter(|(failure, _)| failure.fault_owner() == cause)
            .map(|(failure, n)| (failure.name().to_owned(), *n))
            .collect();
        if cause == FaultOwner::Target {
            for (code, n) in &self.unexpected {
                let name = code_names.get(code).cloned();
                // Several codes may have the same name.
                *classes.entry(name.unwrap_or_else(|| format!("status_{code}"))).or_default() += n;
            }
        }
        classes
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Outcomes) {
        self.ok += other.ok;
        self.miss += other.miss;
        self.stale += other.stale;
        self.wrong += other.wrong;
        self.conflict += other.conflict;
        for (code, n) in &other.unexpected {
            *self.unexpected.entry(*code).or_default() += n;
        }
        for (failure, n) in &other.failed {
            *self.failed.entry(*failure).or_default() += n;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_one_name_are_added_up() {
        let unexpected = [(1317, 2), (1969, 3), (1213, 4)].into();
        let outcomes = Outcomes { unexpected, ..Outcomes::default() };
        let name = |code| (code, "statement_timeout".to_owned());
        let names = [name(1317), name(1969)].into();
        let classes = outcomes.classes(FaultOwner::Target, &names);
        let wanted = [("statement_timeout".to_owned(), 5), ("status_1213".to_owned(), 4)];
        assert_eq!(classes, wanted.into());
    }
}
