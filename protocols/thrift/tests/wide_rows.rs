//! Wide rows of the small server of Cassandra's Thrift interface: super columns, each of which
//! holds its columns in the order of their names.

use super::server::{Input, push_column};
use std::collections::{BTreeMap, HashMap};

/// Head of the field with the name of a super column, in a path to columns.
const SUPER_COLUMN: &[u8] = b"\x0b\0\x04";

/// All rows, by their keys and super columns.
#[derive(Default)]
pub(crate) struct WideRows(HashMap<(Vec<u8>, Vec<u8>), Columns>);

/// The columns of a row, by their names.
type Columns = BTreeMap<Vec<u8>, Vec<u8>>;

impl WideRows {
    /// Returns the super column that a call names after its column family, if it names one.
    pub(crate) fn named<'a>(call: &mut Input<'a>) -> Option<&'a [u8]> {
        call.begins_with(SUPER_COLUMN).then(|| call.text(SUPER_COLUMN))
    }

    pub(crate) fn insert(&mut self, row: (&[u8], &[u8]), name: &[u8], value: &[u8]) {
        let columns = self.0.entry((row.0.to_vec(), row.1.to_vec())).or_default();
        columns.insert(name.to_vec(), value.to_vec());
    }

    /// Answers `get`.
    pub(crate) fn get(&self, row: (&[u8], &[u8]), name: &[u8], out: &mut Vec<u8>) {
        match self.columns(row).and_then(|columns| columns.get(name)) {
            Some(value) => {
                out.extend_from_slice(b"\x0c\0\0");
                push_column(name, value, 1, out);
            }
            None => out.extend_from_slice(b"\x0c\0\x02\0"),
        }
    }

    /// Answers `get_slice` from the last name on.
    pub(crate) fn last(&self, row: (&[u8], &[u8]), call: &mut Input<'_>, out: &mut Vec<u8>) {
        call.skip(b"\0\x0c\0\x03\x0c\0\x02\x0b\0\x01\0\0\0\0\x0b\0\x02\0\0\0\0\x02\0\x03\x01");
        call.skip(b"\x08\0\x04");
        let most = u32::from_be_bytes(call.take(4).try_into().expect("four bytes"));
        let columns = self.columns(row).into_iter().flatten().rev().take(most as usize);
        out.extend_from_slice(b"\x0f\0\0\x0c");
        out.extend_from_slice(&(columns.clone().count() as u32).to_be_bytes());
        for (name, value) in columns {
            push_column(name, value, 1, out);
        }
    }

    fn columns(&self, row: (&[u8], &[u8])) -> Option<&BTreeMap<Vec<u8>, Vec<u8>>> {
        self.0.get(&(row.0.to_vec(), row.1.to_vec()))
    }
}
