//! Rows from files that are used in operations. They are passed separately from the order, which
//! is recorded, because their content may be private.

use std::sync::Arc;

/// The rows of all feeds of a contender, in the order of its workload's list. Neither `Debug`
/// nor `Serialize`.
#[derive(Clone, Default)]
pub struct Feeds(Arc<[FeedRows]>);

/// The rows of one feed.
#[derive(Clone, Default)]
pub struct FeedRows {
    columns: usize,
    bytes: Vec<u8>,
    /// The end of each cell.
    ends: Vec<u64>,
}

impl Feeds {
    /// Creates the feeds from their rows.
    pub fn new(each: Vec<FeedRows>) -> Feeds {
        Feeds(each.into())
    }

    /// Returns true if they are the feeds that a workload refers to.
    pub(crate) fn fit(&self, asked: &[record::Feed]) -> bool {
        let fits = |rows: &FeedRows, asked: &record::Feed| {
            rows.columns == asked.columns.len() && rows.rows() == asked.rows
        };
        self.0.len() == asked.len() && self.0.iter().zip(asked).all(|(rows, of)| fits(rows, of))
    }

    #[inline]
    pub(super) fn cell(&self, feed: usize, row: u64, column: usize) -> &[u8] {
        self.0[feed].cell(row, column)
    }
}

impl FeedRows {
    /// Creates an empty feed with this many columns.
    pub fn new(columns: usize) -> FeedRows {
        FeedRows { columns, ..FeedRows::default() }
    }

    /// Appends the next cell, row by row.
    pub fn push(&mut self, cell: &[u8]) {
        self.bytes.extend_from_slice(cell);
        self.ends.push(self.bytes.len() as u64);
    }

    /// Returns how many complete rows there are.
    pub fn rows(&self) -> u64 {
        (self.ends.len() / self.columns.max(1)) as u64
    }

    fn cell(&self, row: u64, column: usize) -> &[u8] {
        let at = row as usize * self.columns + column;
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[from as usize..self.ends[at] as usize]
    }
}
