//! How values are given and merged: the more specific source takes precedence.

use protocol::Own;

/// A value that may be given in several places.
pub trait Merged: Clone {
    /// Returns this value if it is given, or else the other.
    #[must_use]
    fn over(self, other: &Self) -> Self {
        if self.is_given() { self } else { other.clone() }
    }

    /// Whether anything was given.
    fn is_given(&self) -> bool;
}

/// A value that is given as text.
pub trait Given: Merged {
    /// What the text is read as.
    type Value;

    /// Takes a value.
    fn give(&mut self, value: Self::Value);
}

/// The last value replaces earlier ones.
impl<T: Clone> Given for Option<T> {
    type Value = T;

    fn give(&mut self, value: T) {
        *self = Some(value);
    }
}

impl<T: Clone> Merged for Option<T> {
    fn is_given(&self) -> bool {
        self.is_some()
    }
}

/// A switch that is on in one place cannot be turned off in another.
impl Given for bool {
    type Value = bool;

    fn give(&mut self, value: bool) {
        *self = value;
    }
}

impl Merged for bool {
    fn is_given(&self) -> bool {
        *self
    }
}

/// Values of all places are kept, the others first.
impl<T: Clone> Given for Vec<T> {
    type Value = T;

    fn give(&mut self, value: T) {
        self.push(value);
    }
}

impl<T: Clone> Merged for Vec<T> {
    fn over(self, other: &Vec<T>) -> Vec<T> {
        [other.clone(), self].concat()
    }

    fn is_given(&self) -> bool {
        !self.is_empty()
    }
}

impl Merged for Own {
    fn over(self, other: &Own) -> Own {
        Own::over(self, other)
    }

    fn is_given(&self) -> bool {
        !self.is_empty()
    }
}
