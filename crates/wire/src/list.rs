//! Lists of byte strings, borrowed.

/// Several keys or arguments. The second way of giving them needs no memory of
/// its own for each operation: two vectors are filled again and again.
#[derive(Clone, Copy, Debug)]
pub enum List<'a> {
    /// As slices.
    Slices(&'a [&'a [u8]]),
    /// End to end in one buffer.
    Packed {
        /// All of them.
        bytes: &'a [u8],
        /// Where each ends in `bytes`, ascending. One that ends before the last
        /// did, or outside, is an empty string.
        ends: &'a [u32],
    },
}

impl<'a> List<'a> {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            List::Slices(slices) => slices.len(),
            List::Packed { ends, .. } => ends.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at an index.
    pub fn get(&self, at: usize) -> Option<&'a [u8]> {
        match self {
            List::Slices(slices) => slices.get(at).copied(),
            List::Packed { bytes, ends } => {
                let end = *ends.get(at)? as usize;
                let start = at.checked_sub(1).map_or(0, |before| ends[before] as usize);
                Some(bytes.get(start..end).unwrap_or_default())
            }
        }
    }

    /// All of them, in order.
    pub fn iter(self) -> impl Iterator<Item = &'a [u8]> {
        (0..self.len()).filter_map(move |at| self.get(at))
    }
}
