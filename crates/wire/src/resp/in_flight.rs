//! The state of an operation in flight.

use super::token::{Aggregate, Scalar, Token};
use super::{Op, faults};
use crate::Fault;

/// Which replies can answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RequestKind {
    Get,
    Set,
    /// With this many keys.
    MGet(u64),
    Incr,
    Del,
    #[default]
    Any,
}

/// One operation in flight.
#[derive(Clone, Copy, Debug, Default)]
pub struct InFlight {
    pub(super) kind: RequestKind,
    /// A byte of the reply was seen.
    pub(super) began: bool,
    /// Elements that are not null.
    pub(super) items: u32,
    /// Bytes of strings, numbers and texts.
    pub(super) body_len: u64,
    /// The code of the first error; 0 if there is none.
    pub(super) code: u16,
    /// Nothing was found.
    pub(super) missed: bool,
    /// The reply is an aggregate.
    pub(super) aggregate: bool,
}

impl InFlight {
    pub(super) fn new(op: &Op<'_>) -> InFlight {
        let kind = match op {
            Op::Get(_) => RequestKind::Get,
            Op::Set(_) => RequestKind::Set,
            Op::MGet(keys) => RequestKind::MGet(keys.len() as u64),
            Op::Incr(_) => RequestKind::Incr,
            Op::Del(_) => RequestKind::Del,
            Op::Command(_) => RequestKind::Any,
        };
        InFlight { kind, ..InFlight::default() }
    }

    /// Begins the reply with this token.
    ///
    /// # Errors
    /// If the command never returns a reply of this type.
    pub(super) fn start(&mut self, token: &Token<'_>) -> Result<(), Fault> {
        if !self.kind.allows(token) {
            return Err(faults::UNEXPECTED);
        }
        match (self.kind, token) {
            (RequestKind::MGet(keys), Token::Open(_, count)) if keys != *count => {
                return Err(faults::OTHER_COUNT);
            }
            (RequestKind::Del, Token::Whole(Scalar::Integer, b"0")) | (_, Token::Null) => {
                self.missed = true;
            }
            (_, Token::Open(..)) => self.aggregate = true,
            _ => {}
        }
        Ok(())
    }

    /// Whether the reply's text says no more than its class, so that it is not an item.
    pub(super) fn is_only_a_word(&self) -> bool {
        matches!(self.kind, RequestKind::Set | RequestKind::Del)
    }
}

impl RequestKind {
    /// Whether a reply can begin with this.
    fn allows(self, token: &Token<'_>) -> bool {
        let scalar = match token {
            Token::Whole(scalar, _) | Token::Begin(scalar) => Some(*scalar),
            _ => None,
        };
        if matches!((self, scalar), (RequestKind::Any, _) | (_, Some(Scalar::Error(_)))) {
            return true;
        }
        match self {
            RequestKind::Get => scalar == Some(Scalar::Bulk) || *token == Token::Null,
            RequestKind::Set => scalar == Some(Scalar::Simple) || *token == Token::Null,
            RequestKind::Incr | RequestKind::Del => scalar == Some(Scalar::Integer),
            RequestKind::MGet(_) => matches!(token, Token::Open(Aggregate::Array, _)),
            RequestKind::Any => true,
        }
    }
}
