//! The arguments of one operation.

use std::ops::Range;

/// One operation's arguments, in reused buffers.
#[derive(Debug, Default, PartialEq)]
pub struct Arguments {
    pub(super) bytes: Vec<u8>,
    each: Vec<StoredArgument>,
}

impl Clone for Arguments {
    fn clone(&self) -> Arguments {
        Arguments { bytes: self.bytes.clone(), each: self.each.clone() }
    }

    // A derived implementation would allocate again.
    fn clone_from(&mut self, from: &Arguments) {
        self.bytes.clone_from(&from.bytes);
        self.each.clone_from(&from.each);
    }
}

/// An argument, borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument<'a> {
    /// A number.
    Integer(i64),
    /// Text in UTF-8.
    Text(&'a [u8]),
    /// Any bytes.
    Bytes(&'a [u8]),
}

#[derive(Clone, Debug, PartialEq)]
enum StoredArgument {
    Integer(i64),
    Text(Range<u32>),
    Bytes(Range<u32>),
}

impl Arguments {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.each.clear();
    }

    pub(super) fn integer(&mut self, number: i64) {
        self.each.push(StoredArgument::Integer(number));
    }

    /// Marks what was written after `from` as text.
    pub(super) fn text(&mut self, from: usize) {
        self.each.push(StoredArgument::Text(from as u32..self.bytes.len() as u32));
    }

    /// Marks what was written after `from` as bytes.
    pub(super) fn any(&mut self, from: usize) {
        self.each.push(StoredArgument::Bytes(from as u32..self.bytes.len() as u32));
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.each.len()
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.each.is_empty()
    }

    /// Returns the argument with this number.
    ///
    /// # Panics
    /// Panics if there is none.
    #[inline]
    pub fn get(&self, number: usize) -> Argument<'_> {
        let slice = |of: &Range<u32>| &self.bytes[of.start as usize..of.end as usize];
        match &self.each[number] {
            StoredArgument::Integer(number) => Argument::Integer(*number),
            StoredArgument::Text(of) => Argument::Text(slice(of)),
            StoredArgument::Bytes(of) => Argument::Bytes(slice(of)),
        }
    }
}

impl Argument<'_> {
    /// Appends the argument: a number in decimal, everything else unchanged.
    #[inline]
    pub fn write(self, to: &mut Vec<u8>) {
        match self {
            Argument::Integer(number) => {
                if number < 0 {
                    to.push(b'-');
                }
                wire::push_decimal(to, number.unsigned_abs());
            }
            Argument::Text(bytes) | Argument::Bytes(bytes) => to.extend_from_slice(bytes),
        }
    }
}
