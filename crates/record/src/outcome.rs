//! How operations ended, by class and by whose fault it was.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Whose fault a failure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Whose {
    /// The target's: it counts against the contender.
    Theirs,
    /// The generator's: one of these in a recorded trial voids the run.
    Ours,
    /// The machine's or the network's.
    Host,
}

/// Why an operation got no complete reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Failure {
    /// The connection was refused.
    Refused,
    /// The peer reset the connection.
    Reset,
    /// The peer closed before the reply was complete.
    Closed,
    /// The reply broke the protocol or its limits; a program did not say how
    /// many operations it did.
    Protocol,
    /// No complete reply within the timeout.
    Timeout,
    /// The TLS handshake or a TLS record failed.
    Tls,
    /// No local port was left (`EADDRNOTAVAIL`).
    NoPort,
    /// No descriptor was left (`EMFILE`, `ENFILE`).
    NoDescriptor,
    /// No buffer memory was left (`ENOBUFS`, `ENOMEM`).
    NoMemory,
    /// The network or the host cannot be reached.
    Unreachable,
    /// The store has no room for it (`ENOSPC`, `EDQUOT`, `EFBIG`).
    Full,
    /// The store does not let us (`EACCES`, `EPERM`, `EROFS`).
    Denied,
    /// The store could not read or write (`EIO`, or its folder is gone).
    Io,
    /// The program exited with a status other than 0, or could not be started.
    Exit,
    /// The program was ended by a signal.
    Signal,
    /// No connection of the pool came free within its wait.
    Starved,
    /// The reply took more bytes than the contender allows.
    TooLarge,
}

impl Failure {
    /// All of them, in the order of their numbers.
    pub const ALL: [Failure; 17] = [
        Failure::Refused,
        Failure::Reset,
        Failure::Closed,
        Failure::Protocol,
        Failure::Timeout,
        Failure::Tls,
        Failure::NoPort,
        Failure::NoDescriptor,
        Failure::NoMemory,
        Failure::Unreachable,
        Failure::Full,
        Failure::Denied,
        Failure::Io,
        Failure::Exit,
        Failure::Signal,
        Failure::Starved,
        Failure::TooLarge,
    ];

    /// Whose fault it is.
    pub fn whose(self) -> Whose {
        match self {
            Failure::NoPort | Failure::NoDescriptor | Failure::NoMemory => Whose::Ours,
            Failure::Unreachable => Whose::Host,
            _ => Whose::Theirs,
        }
    }

    /// The name in journal and report.
    pub fn name(self) -> &'static str {
        match self {
            Failure::Refused => "refused",
            Failure::Reset => "reset",
            Failure::Closed => "closed",
            Failure::Protocol => "protocol",
            Failure::Timeout => "timeout",
            Failure::Tls => "tls",
            Failure::NoPort => "no_port",
            Failure::NoDescriptor => "no_descriptor",
            Failure::NoMemory => "no_memory",
            Failure::Unreachable => "unreachable",
            Failure::Full => "full",
            Failure::Denied => "denied",
            Failure::Io => "io",
            Failure::Exit => "exit",
            Failure::Signal => "signal",
            Failure::Starved => "starved",
            Failure::TooLarge => "too_large",
        }
    }
}

/// What a complete reply says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// What was expected.
    Ok,
    /// Another code than was expected: theirs.
    Unexpected,
    /// The store holds nothing under the key.
    Miss,
    /// A value that was overwritten before it was asked for.
    Stale,
    /// A value that was never written under this key, or other bytes than were.
    Wrong,
    /// A write on condition that nobody else wrote meanwhile, and somebody did:
    /// an answer, and no failure.
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
    /// Complete replies that hold nothing under the key.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub miss: u64,
    /// Complete replies with a value that was overwritten before.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stale: u64,
    /// Complete replies with a value that was never written there.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub wrong: u64,
    /// Complete replies to a write that somebody else's came before.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub conflict: u64,
    /// Operations without a complete reply, by class.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failed: BTreeMap<Failure, u64>,
}

impl Outcomes {
    /// Operations whose failure is `whose`; an unexpected code is theirs.
    pub fn count(&self, whose: Whose) -> u64 {
        let failed: u64 = self
            .failed
            .iter()
            .filter(|(failure, _)| failure.whose() == whose)
            .map(|(_, n)| n)
            .sum();
        match whose {
            Whose::Theirs => failed + self.unexpected.values().sum::<u64>(),
            _ => failed,
        }
    }

    /// All operations that ended, whichever way.
    pub fn total(&self) -> u64 {
        let told = self.ok + self.miss + self.stale + self.wrong + self.conflict;
        told + self.unexpected.values().sum::<u64>() + self.failed.values().sum::<u64>()
    }

    /// Operations that did not do what they should, whoever's fault it was: neither
    /// done, nor told that another write came first.
    pub fn errors(&self) -> u64 {
        self.total() - self.ok - self.conflict
    }

    /// Counts by class name for the report: `status_404`, `refused`, …; codes that
    /// have a name of their own go by that, in small letters.
    pub fn classes(
        &self,
        whose: Whose,
        code_names: &BTreeMap<u16, String>,
    ) -> BTreeMap<String, u64> {
        let mut classes: BTreeMap<String, u64> = self
            .failed
            .iter()
            .filter(|(failure, _)| failure.whose() == whose)
            .map(|(failure, n)| (failure.name().to_owned(), *n))
            .collect();
        if whose == Whose::Theirs {
            for (code, n) in &self.unexpected {
                let name = code_names.get(code).cloned();
                // Several codes may go by one name.
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

pub(crate) fn is_zero(n: &u64) -> bool {
    *n == 0
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
        let classes = outcomes.classes(Whose::Theirs, &names);
        let wanted = [("statement_timeout".to_owned(), 5), ("status_1213".to_owned(), 4)];
        assert_eq!(classes, wanted.into());
    }
}
