//! How values are given and merged: what is said nearer to a contender wins.

/// A value that may be given, in more than one place.
pub trait Merged {
    /// This where it is given, else the other.
    #[must_use]
    fn over(self, other: &Self) -> Self;

    /// Whether anything was given.
    fn is_given(&self) -> bool;
}

/// One that is given by a text.
pub trait Given: Merged {
    /// What the text is read as.
    type Value;

    /// Takes a value.
    fn give(&mut self, value: Self::Value);
}

/// The last value stands.
impl<T: Clone> Given for Option<T> {
    type Value = T;

    fn give(&mut self, value: T) {
        *self = Some(value);
    }
}

impl<T: Clone> Merged for Option<T> {
    fn over(self, other: &Option<T>) -> Option<T> {
        self.or_else(|| other.clone())
    }

    fn is_given(&self) -> bool {
        self.is_some()
    }
}

/// A switch can only be turned on: what one place asks for no other takes back.
impl Given for bool {
    type Value = bool;

    fn give(&mut self, value: bool) {
        *self = value;
    }
}

impl Merged for bool {
    fn over(self, other: &bool) -> bool {
        self || *other
    }

    fn is_given(&self) -> bool {
        *self
    }
}

/// Values add up, the others first.
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
