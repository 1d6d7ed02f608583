//! State of the columns of a wide row while they are received, the newest first.

/// Columns that are received one after the other: each is its name, which is its time, and then
/// its value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Columns {
    /// The received part of the name of the current column, and its length.
    name: [u8; 8],
    length: u8,
    /// The time of the previous column. None before the first.
    before: Option<u64>,
    /// Columns that are complete.
    pub(super) complete: u32,
    /// A loaded column is missing between two received ones.
    pub(super) lacks_one: bool,
}

impl Columns {
    /// Takes from a piece what belongs to the name, and returns the rest, which belongs to the
    /// value.
    pub(super) fn name<'a>(&mut self, piece: &'a [u8]) -> &'a [u8] {
        let at = usize::from(self.length);
        let (name, value) = piece.split_at(piece.len().min(self.name.len() - at));
        self.name[at..at + name.len()].copy_from_slice(name);
        self.length += name.len() as u8;
        value
    }

    /// Notes that the column is complete. Returns its time, or None if it is not older than the
    /// previous column or if its name is not a time. `loaded` is how many times were loaded, from 0
    /// on.
    pub(super) fn end(&mut self, loaded: u64) -> Option<u64> {
        let is_whole = usize::from(self.length) == self.name.len();
        self.length = 0;
        self.complete += 1;
        let time = is_whole.then(|| u64::from_be_bytes(self.name))?;
        let newest = match self.before {
            Some(before) => before.checked_sub(1)?,
            None => u64::MAX,
        };
        self.before = Some(time);
        // A loaded column is never removed, and times of inserts have gaps.
        self.lacks_one |= time < newest.min(loaded - 1);
        (time <= newest).then_some(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the results for columns with these times, of which 0 to 99 were loaded.
    fn read(times: &[u64]) -> (Vec<Option<u64>>, bool) {
        let mut columns = Columns::default();
        let ended = times.iter().map(|time| {
            assert_eq!(columns.name(&time.to_be_bytes()), b"");
            columns.end(100)
        });
        let ended = ended.collect();
        assert_eq!(columns.complete as usize, times.len());
        (ended, columns.lacks_one)
    }

    #[test]
    fn the_newest_come_first() {
        assert_eq!(read(&[500, 99, 98]), (vec![Some(500), Some(99), Some(98)], false));
        assert_eq!(read(&[99, 98, 98]), (vec![Some(99), Some(98), None], false));
        assert_eq!(read(&[98, 99]).0, [Some(98), None]);
        assert_eq!(read(&[99, 500]).0, [Some(99), None]);
    }

    #[test]
    fn a_loaded_column_between_two_others_is_missing() {
        for (times, lacks_one) in [
            (&[300, 200, 99][..], false),
            (&[300, 98], true),
            (&[98, 97], true),
            (&[99, 98, 96], true),
            (&[2, 1, 0], true),
        ] {
            assert_eq!(read(times).1, lacks_one, "{times:?}");
        }
    }

    #[test]
    fn names_and_values_are_distinguished_however_they_are_cut() {
        let column = [&77u64.to_be_bytes()[..], b"the value"].concat();
        for cut in 0..=column.len() {
            let (mut columns, mut value) = (Columns::default(), Vec::new());
            for piece in [&column[..cut], &column[cut..]] {
                value.extend_from_slice(columns.name(piece));
            }
            assert_eq!((columns.end(10), &value[..]), (Some(77), &b"the value"[..]), "{cut}");
        }
        let mut columns = Columns::default();
        columns.name(b"short");
        assert_eq!(columns.end(10), None);
    }
}
