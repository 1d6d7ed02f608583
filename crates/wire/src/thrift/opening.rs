//! What is sent on a fresh connection before the measurement.

use super::exceptions::Exceptions;
use super::faults;
use super::in_flight::InFlight;
use super::message::{self, field, map, string, string_field, types};
use crate::{Fault, Out};
use alloc::sync::Arc;

/// How to log in. It has no `Debug` because it contains a secret.
#[derive(Clone, Copy, Default)]
pub struct Login<'a> {
    /// User and password. None means no login.
    pub user: Option<(&'a str, &'a str)>,
    /// The keyspace. None means that none is selected.
    pub keyspace: Option<&'a str>,
}

/// What is sent on every fresh connection, encoded once. It has no `Debug` because it contains the
/// password.
#[derive(Clone)]
pub struct Opening {
    bytes: Arc<[u8]>,
    /// The calls, in their order.
    steps: [Option<OpeningStep>; 2],
}

#[derive(Clone, Copy)]
struct OpeningStep {
    name: &'static str,
    exceptions: Exceptions,
    /// The fault if it is refused without a fault of its own.
    fault: Fault,
}

const LOGIN: OpeningStep =
    OpeningStep { name: "login", exceptions: Exceptions::Login, fault: faults::LOGIN };
const SET_KEYSPACE: OpeningStep =
    OpeningStep { name: "set_keyspace", exceptions: Exceptions::Invalid, fault: faults::KEYSPACE };

impl Opening {
    /// Writes `login` and `set_keyspace`, each if it is needed. They are sent together: an opening
    /// costs one round trip, or none.
    ///
    /// # Errors
    /// If a text is too long for a frame.
    pub fn new(login: &Login<'_>) -> Result<Opening, Fault> {
        let mut out = Out::default();
        if let Some((user, password)) = login.user {
            message::call(&mut out, LOGIN.name, 0, |out| {
                let to = &mut out.bytes;
                field(to, types::STRUCT, 1);
                field(to, types::MAP, 1);
                map(to, types::STRING, types::STRING, 2);
                for text in ["username", user, "password", password] {
                    string(to, text.as_bytes());
                }
                message::stop(to);
            })?;
        }
        if let Some(keyspace) = login.keyspace {
            message::call(&mut out, SET_KEYSPACE.name, 0, |out| {
                string_field(&mut out.bytes, 1, keyspace.as_bytes());
            })?;
        }
        let steps = [login.user.map(|_| LOGIN), login.keyspace.map(|_| SET_KEYSPACE)];
        Ok(Opening { bytes: out.bytes.into(), steps })
    }

    /// What is sent.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many replies come.
    pub(super) fn replies(&self) -> usize {
        self.steps.iter().flatten().count()
    }

    /// The call whose reply comes next, while `left` replies are to come.
    pub(super) fn expect(&self, left: usize, operation: &mut InFlight) {
        if let Some(step) = self.step(left) {
            operation.opening(step.name, step.exceptions);
        }
    }

    /// What an error of this code to that call means.
    pub(super) fn objection(&self, left: usize, code: u16) -> Fault {
        let otherwise = self.step(left).map_or(faults::ANSWERS_NOTHING, |step| step.fault);
        faults::refusal(code, otherwise)
    }

    fn step(&self, left: usize) -> Option<OpeningStep> {
        let at = self.replies().checked_sub(left)?;
        self.steps.iter().flatten().nth(at).copied()
    }
}
