//! The state of an operation in flight.

use super::token::{Aggregate, Scalar, Token};
use super::{Op, faults};
use crate::Fault;

/// Which replies can answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    Get,
    Set,
    /// With so many keys.
    MGet(u64),
    Incr,
    Del,
    #[default]
    Any,
}

/// One operation in flight.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InFlight {
    pub(super) kind: Kind,
    /// A byte of the reply was seen.
    pub(super) began: bool,
    /// Elements that are not null.
    pub(super) items: u32,
    /// Bytes of strings, numbers and texts.
    pub(super) body_len: u64,
    /// The first error's, 0: none.
    pub(super) code: u16,
    /// Nothing was found.
    pub(super) missed: bool,
    /// The reply is an aggregate.
    pub(super) aggregate: bool,
}

impl InFlight {
    pub(super) fn new(op: &Op<'_>) -> InFlight {
        let kind = match op {
            Op::Get(_) => Kind::Get,
            Op::Set(_) => Kind::Set,
            Op::MGet(keys) => Kind::MGet(keys.len() as u64),
            Op::Incr(_) => Kind::Incr,
            Op::Del(_) => Kind::Del,
            Op::Command(_) => Kind::Any,
        };
        InFlight { kind, ..InFlight::default() }
    }

    /// The reply begins with this token.
    ///
    /// # Errors
    /// If the command never returns a reply of this type.
    pub(super) fn start(&mut self, token: &Token<'_>) -> Result<(), Fault> {
        if !self.kind.allows(token) {
            return Err(faults::UNEXPECTED);
        }
        match (self.kind, token) {
            (Kind::MGet(keys), Token::Open(_, Some(count))) if keys != *count => {
                return Err(faults::OTHER_COUNT);
            }
            (Kind::Del, Token::Whole(Scalar::Integer, b"0")) | (_, Token::Null) => {
                self.missed = true;
            }
            (_, Token::Open(..)) => self.aggregate = true,
            _ => {}
        }
        Ok(())
    }

    /// The reply's text says no more than its class, so it is not an item.
    pub(super) fn is_only_a_word(&self) -> bool {
        matches!(self.kind, Kind::Set | Kind::Del)
    }
}

impl Kind {
    /// Whether a reply can begin with this.
    fn allows(self, token: &Token<'_>) -> bool {
        let scalar = match token {
            Token::Whole(scalar, _) | Token::Begin(scalar) => Some(*scalar),
            _ => None,
        };
        if matches!((self, scalar), (Kind::Any, _) | (_, Some(Scalar::Error(_)))) {
            return true;
        }
        match self {
            Kind::Get => scalar == Some(Scalar::Bulk) || *token == Token::Null,
            Kind::Set => scalar == Some(Scalar::Simple) || *token == Token::Null,
            Kind::Incr | Kind::Del => scalar == Some(Scalar::Integer),
            Kind::MGet(_) => matches!(token, Token::Open(Aggregate::Array, Some(_))),
            Kind::Any => true,
        }
    }
}
