//! What is sent on a fresh connection before the measurement.

use super::{faults, request};
use crate::{Fault, bytes::push_decimal};
use alloc::{sync::Arc, vec::Vec};

/// The version of RESP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// The default of every server.
    #[default]
    Resp2,
    /// With types and pushes; selected by HELLO (Redis 6 and later).
    Resp3,
}

/// How to log in. It has no `Debug` because it contains a secret.
#[derive(Clone, Copy, Default)]
pub struct Login<'a> {
    /// The requested version of RESP.
    pub protocol: Protocol,
    /// The user. None means the default one.
    pub user: Option<&'a str>,
    /// The password. None means no login.
    pub password: Option<&'a str>,
    /// The database; 0 is the default and needs no SELECT.
    pub database: u32,
}

/// What is sent on every fresh connection, encoded once. It has no `Debug` because it contains the
/// password.
#[derive(Clone)]
pub struct Opening {
    bytes: Arc<[u8]>,
    /// For each, the fault if the reply is an error without a fault of its own.
    steps: [Option<Fault>; 2],
}

impl Opening {
    /// Writes HELLO or AUTH, then SELECT, each if it is needed. They are sent together: an opening
    /// costs one round trip, or none.
    ///
    /// # Errors
    /// If there is a user without a password.
    pub fn new(login: &Login<'_>) -> Result<Opening, Fault> {
        let user = match (login.user, login.password) {
            (Some(_), None) => return Err(faults::USER_WITHOUT_PASSWORD),
            (user, _) => user,
        };
        let mut bytes = Vec::new();
        let mut command = |arguments: &[&str]| {
            request::count(&mut bytes, arguments.len());
            arguments.iter().for_each(|text| request::argument(&mut bytes, text.as_bytes()));
        };
        let first = match (login.protocol, user, login.password) {
            (Protocol::Resp3, _, None) => {
                command(&["HELLO", "3"]);
                Some(faults::HELLO)
            }
            (Protocol::Resp3, user, Some(password)) => {
                command(&["HELLO", "3", "AUTH", user.unwrap_or("default"), password]);
                Some(faults::HELLO)
            }
            (Protocol::Resp2, None, Some(password)) => {
                command(&["AUTH", password]);
                Some(faults::AUTH)
            }
            (Protocol::Resp2, Some(user), Some(password)) => {
                command(&["AUTH", user, password]);
                Some(faults::AUTH)
            }
            (Protocol::Resp2, _, None) => None,
        };
        let second = (login.database != 0).then_some(faults::SELECT);
        if second.is_some() {
            let mut database = Vec::new();
            push_decimal(&mut database, login.database.into());
            request::count(&mut bytes, 2);
            request::argument(&mut bytes, b"SELECT");
            request::argument(&mut bytes, &database);
        }
        Ok(Opening { bytes: bytes.into(), steps: [first, second] })
    }

    /// What is sent.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many replies come.
    pub(super) fn replies(&self) -> usize {
        self.steps.iter().flatten().count()
    }

    /// The fault of an error that has none of its own, while `left` replies are to come.
    pub(super) fn objection(&self, left: usize) -> Fault {
        let at = self.replies().saturating_sub(left);
        self.steps.iter().flatten().nth(at).copied().unwrap_or(faults::ANSWERS_NOTHING)
    }
}
