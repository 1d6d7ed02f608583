//! The state of a call in flight.

use super::exceptions::Exceptions;
use super::route::Success;
use super::{Op, codes, faults, request};
use crate::{Class, Fault, List};
use alloc::vec::Vec;

/// One call in flight. Slots are reused, and keep their memory.
#[derive(Debug, Default)]
pub struct InFlight {
    /// The name of the call.
    pub(super) name: &'static str,
    /// Distinguishes it from other calls of the same name.
    pub(super) number: u32,
    pub(super) success: Success,
    exceptions: Exceptions,
    /// Whether each value comes after its column's name.
    pub(super) names: bool,
    /// A byte of the reply was seen.
    pub(super) began: bool,
    /// The success was seen.
    has_success: bool,
    /// The exception that was seen, or 0.
    exception: u8,
    /// The column or key that the next value belongs to.
    pub(super) item: u32,
    /// Columns, or keys with columns.
    pub(super) items: u32,
    /// Columns of the key that was read last. None before the first key.
    of_key: Option<u32>,
    /// How many times that key was requested; the server answers it once.
    times_requested: u32,
    pub(super) body_len: u64,
    /// Hashes of the keys that were not answered yet, by their places.
    keys: Vec<Option<u64>>,
    /// The hash of the key that is being read, so far.
    hash: u64,
}

impl InFlight {
    /// Takes the slot for a call of an opening.
    pub(super) fn opening(&mut self, name: &'static str, exceptions: Exceptions) {
        self.renew(name, 0, Success::Void, exceptions);
    }

    /// Takes the slot for the call of an operation.
    pub(super) fn ask(&mut self, op: &Op<'_>, number: u32) {
        let (success, exceptions) = match op {
            Op::Get { .. } => (Success::Column, Exceptions::Get),
            Op::Slice { .. } => (Success::Columns, Exceptions::Usual),
            Op::MultiSlice { .. } => (Success::ColumnsOfKeys, Exceptions::Usual),
            Op::Insert { .. } | Op::Delete { .. } => (Success::Void, Exceptions::Usual),
            Op::DescribeVersion => (Success::Text, Exceptions::Nothing),
            Op::Admin(admin) => admin.answer(),
        };
        self.renew(request::name(op), number, success, exceptions);
        self.names = matches!(op, Op::Slice { names: true, .. });
        if let Op::MultiSlice { keys, .. } = op {
            self.expect(keys);
        }
    }

    fn renew(&mut self, name: &'static str, number: u32, success: Success, exceptions: Exceptions) {
        let mut keys = core::mem::take(&mut self.keys);
        keys.clear();
        *self = InFlight {
            name,
            number,
            success,
            exceptions,
            keys,
            hash: START,
            ..InFlight::default()
        };
    }

    fn expect(&mut self, keys: &List<'_>) {
        self.keys.extend(keys.iter().map(|key| Some(hash(START, key))));
    }

    /// Records that the success begins.
    ///
    /// # Errors
    /// If the call has none, or an exception was seen.
    pub(super) fn succeeds(&mut self) -> Result<(), Fault> {
        if self.success == Success::Void || self.exception != 0 || self.has_success {
            return Err(faults::UNEXPECTED);
        }
        self.has_success = true;
        Ok(())
    }

    /// Handles a piece of a value. A text that is the success has no separate beginning.
    ///
    /// # Errors
    /// See [`InFlight::succeeds`].
    pub(super) fn has_value(&mut self) -> Result<(), Fault> {
        if self.success != Success::Text || self.has_success { Ok(()) } else { self.succeeds() }
    }

    /// Records that an exception begins.
    ///
    /// # Errors
    /// When the call does not have it, or something else was seen.
    pub(super) fn fails(&mut self, exception: u8) -> Result<(), Fault> {
        if self.has_success || self.exception != 0 || self.exceptions.class_of(exception).is_none()
        {
            return Err(faults::UNEXPECTED);
        }
        self.exception = exception;
        Ok(())
    }

    /// Records that a column begins.
    ///
    /// # Errors
    /// If it belongs to no key and must belong to one.
    pub(super) fn column(&mut self) -> Result<(), Fault> {
        if self.success != Success::ColumnsOfKeys {
            self.item = self.items;
            self.items = self.items.saturating_add(1);
            return Ok(());
        }
        let Some(columns) = &mut self.of_key else { return Err(faults::OTHER_KEY) };
        if *columns == 0 {
            self.items += self.times_requested;
        }
        *columns = columns.saturating_add(1);
        Ok(())
    }

    /// Handles a piece of a key; `last` means that the key ends with it.
    ///
    /// # Errors
    /// If it was not requested, or came before.
    pub(super) fn key(&mut self, piece: &[u8], last: bool) -> Result<(), Fault> {
        self.hash = hash(self.hash, piece);
        if !last {
            return Ok(());
        }
        let wanted = core::mem::replace(&mut self.hash, START);
        let index = self.keys.iter().position(|key| *key == Some(wanted));
        let index = index.ok_or(faults::OTHER_KEY)?;
        self.times_requested = 0;
        for key in self.keys.iter_mut().filter(|key| **key == Some(wanted)) {
            *key = None;
            self.times_requested += 1;
        }
        (self.item, self.of_key) = (index as u32, Some(0));
        Ok(())
    }

    /// Whether the text of the exception is passed on.
    pub(super) fn has_reason(&self) -> bool {
        self.success == Success::Refused
            || matches!(self.exceptions.class_of(self.exception), Some(Class::Error(_)))
    }

    /// The result of the complete reply.
    ///
    /// # Errors
    /// If it contained neither a success nor an exception although one is required.
    pub(super) fn class(&self) -> Result<Class, Fault> {
        if self.exception != 0 {
            return self.exceptions.class_of(self.exception).ok_or(faults::UNEXPECTED);
        }
        match (self.success, self.has_success) {
            (Success::Refused, _) => Ok(Class::Error(codes::APPLICATION)),
            (Success::Void, _) | (Success::Text | Success::Struct, true) => Ok(Class::Ok),
            (Success::Columns | Success::ColumnsOfKeys, true) if self.items == 0 => Ok(Class::Miss),
            (Success::Column, true) if self.items == 0 => Err(faults::UNEXPECTED),
            (_, true) => Ok(Class::Ok),
            (_, false) => Err(faults::UNEXPECTED),
        }
    }
}

/// Where the hash of a key begins. FNV-1a, 64 bits: a key is compared as it comes in pieces.
const START: u64 = 0xcbf2_9ce4_8422_2325;

fn hash(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}
