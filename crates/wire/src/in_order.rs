//! What the codecs have in common whose replies come in the order of the requests.

use crate::pipeline::Pipeline;
use crate::{Codec, ConnectionState, Events, Fault, Out, Progress, Tag, bytes, faults};

/// The state of one connection.
pub struct InOrder<T> {
    pub(crate) in_flight: Pipeline<T>,
    /// Replies to the opening that are to come.
    pub(crate) to_open: usize,
    /// No operation may be written any more.
    pub(crate) closing: bool,
    /// See [`Codec::refused`].
    pub(crate) refused: Option<u16>,
    broken: Option<Fault>,
}

impl<T: Default> InOrder<T> {
    /// The state of a fresh connection with up to `depth` operations in flight (at least one).
    pub(crate) fn new(depth: u32, to_open: usize) -> InOrder<T> {
        let in_flight = Pipeline::new(depth);
        InOrder { in_flight, to_open, closing: false, refused: None, broken: None }
    }

    /// Resets all state, including a fault, for a new connection.
    pub(crate) fn reset(&mut self, to_open: usize) {
        self.in_flight.clear();
        (self.to_open, self.closing, self.refused, self.broken) = (to_open, false, None, None);
    }

    fn state(&self) -> ConnectionState {
        match self.to_open {
            _ if self.closing => ConnectionState::Closing,
            0 => ConnectionState::Ready,
            _ => ConnectionState::Opening,
        }
    }

    /// Checks that an operation may be written.
    fn check_ready(&self) -> Result<(), Fault> {
        match (self.broken, self.state()) {
            (Some(fault), _) => Err(fault),
            (None, ConnectionState::Closing) => Err(faults::NOT_REUSABLE),
            (None, ConnectionState::Opening) => Err(faults::NOT_OPEN),
            (None, ConnectionState::Ready) if self.in_flight.is_full() => Err(faults::IN_FLIGHT),
            (None, ConnectionState::Ready) => Ok(()),
        }
    }

    /// Marks the connection as unusable. Returns the fault.
    fn breaks(&mut self, fault: Fault) -> Fault {
        (self.broken, self.closing) = (Some(fault), true);
        fault
    }
}

/// A codec whose replies come in the order of the requests.
pub trait InOrderCodec {
    /// See [`Codec::Op`].
    type Op<'a>;
    /// What is kept of an operation in flight.
    type InFlight: Default;

    /// The state of the connection.
    fn in_order(&self) -> &InOrder<Self::InFlight>;

    /// The state of the connection.
    fn in_order_mut(&mut self) -> &mut InOrder<Self::InFlight>;

    /// See [`Codec::reset`].
    fn reset(&mut self);

    /// What is sent on a fresh connection.
    fn opening(&self) -> &[u8] {
        b""
    }

    /// Appends an operation to `out`. The connection is ready for one more.
    ///
    /// # Errors
    /// If it cannot be encoded; then nothing was appended.
    fn append(&mut self, op: &Self::Op<'_>, out: &mut Out) -> Result<Tag, Fault>;

    /// Reads one part of the input. Returns how many bytes were consumed, or None if more are needed.
    ///
    /// # Errors
    /// If the bytes violate the protocol or its limits.
    fn step(&mut self, input: &[u8], seen: &mut impl Events) -> Result<Option<usize>, Fault>;

    /// Checks that the peer may close now.
    ///
    /// # Errors
    /// If a reply was truncated, or an operation was unanswered.
    fn check_end(&mut self) -> Result<(), Fault>;

    /// See [`Codec::is_of_ended_reply`].
    fn is_of_ended_reply(_fault: Fault) -> bool {
        false
    }
}

impl<C: InOrderCodec> Codec for C {
    type Op<'a> = C::Op<'a>;

    fn reset(&mut self) {
        InOrderCodec::reset(self);
    }

    fn open(&mut self, out: &mut Out) -> ConnectionState {
        out.bytes.extend_from_slice(self.opening());
        self.in_order().state()
    }

    fn write(&mut self, op: &Self::Op<'_>, out: &mut Out) -> Result<Tag, Fault> {
        self.in_order().check_ready()?;
        self.append(op, out)
    }

    fn read(
        &mut self,
        input: &[u8],
        _out: &mut Out,
        seen: &mut impl Events,
    ) -> Result<Progress, Fault> {
        let taken = bytes::in_steps(input, |left| match self.in_order().broken {
            Some(fault) => Err(fault),
            None => self.step(left, seen),
        });
        let consumed = taken.map_err(|fault| self.in_order_mut().breaks(fault))?;
        Ok(Progress { consumed, state: self.in_order().state() })
    }

    fn end(&mut self, _seen: &mut impl Events) -> Result<(), Fault> {
        let ended = match *self.in_order() {
            InOrder { broken: Some(fault), .. } => Err(fault),
            InOrder { to_open: 1.., .. } => Err(faults::CLOSED_IN_OPENING),
            InOrder { .. } => self.check_end(),
        };
        self.in_order_mut().closing = true;
        ended.map_err(|fault| self.in_order_mut().breaks(fault))
    }

    fn window(&self) -> u32 {
        self.in_order().in_flight.depth()
    }

    fn tags(&self) -> u32 {
        self.in_order().in_flight.depth()
    }

    fn refused(&self) -> Option<u16> {
        self.in_order().refused
    }

    fn is_of_ended_reply(fault: Fault) -> bool {
        C::is_of_ended_reply(fault)
    }
}
