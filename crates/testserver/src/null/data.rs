//! The data of a null store, and what its services share.

use engine::workload::{Operations, Values, preset};
use record::Workload;

/// Number of digits at the end of a key, which are its number.
const KEY_DIGITS: usize = 12;

/// The data of one listening socket: for each key only the version that was written last, because a
/// value follows from both.
pub struct Data {
    values: Values,
    versions: Vec<u64>,
    /// The last generated value.
    value: Vec<u8>,
}

impl Data {
    /// The data after the load of the workload `kv`.
    ///
    /// # Panics
    /// If there is no such workload.
    pub fn of_kv() -> Data {
        Data::new(&preset("kv").expect("a preset"))
    }

    /// The data after the load of this workload.
    ///
    /// # Panics
    /// If it cannot be driven.
    pub fn new(workload: &Workload) -> Data {
        let values = Operations::new(workload, 0).expect("a workload that can be driven").values();
        Data { values, versions: vec![0; workload.keys as usize], value: Vec::new() }
    }

    /// The value that was generated last.
    pub fn value(&self) -> &[u8] {
        &self.value
    }

    /// Generates the value of a key. Returns false if there is no such key.
    pub fn read(&mut self, key: &[u8]) -> bool {
        let Some(number) = number(key) else { return false };
        let Some(version) = self.versions.get(number) else { return false };
        self.value.clear();
        self.values.write(number as u64, *version, &mut self.value);
        true
    }

    /// Keeps the version of a value, which is in its second 8 bytes. Returns false if there is no
    /// such key, or no version.
    pub fn write(&mut self, key: &[u8], value: &[u8]) -> bool {
        let version = value.get(8..16).and_then(|bytes| bytes.try_into().ok());
        let known = number(key).and_then(|number| self.versions.get_mut(number));
        match (known, version) {
            (Some(known), Some(version)) => {
                *known = u64::from_le_bytes(version);
                true
            }
            _ => false,
        }
    }

    /// Appends the length of the generated value, and the value.
    pub fn sized(&self, out: &mut Vec<u8>) {
        let digits = self.value.len().to_string();
        for part in [digits.as_bytes(), b"\r\n", &self.value, b"\r\n"] {
            out.extend_from_slice(part);
        }
    }
}

/// The first line without its line end, and the rest.
pub fn line(input: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = input.iter().position(|byte| *byte == b'\n')?;
    Some((&input[..at.checked_sub(1)?], &input[at + 1..]))
}

/// The position of these bytes.
pub fn find(input: &[u8], wanted: &[u8]) -> Option<usize> {
    input.windows(wanted.len()).position(|window| window == wanted)
}

/// The number of a key.
fn number(key: &[u8]) -> Option<usize> {
    decimal(key.get(key.len().checked_sub(KEY_DIGITS)?..)?)
}

/// The number that these digits write. Returns None if there is none, or too many.
pub fn decimal(digits: &[u8]) -> Option<usize> {
    let known = (1..=KEY_DIGITS).contains(&digits.len());
    let add =
        |sum: usize, byte: &u8| byte.is_ascii_digit().then(|| sum * 10 + usize::from(byte - b'0'));
    known.then(|| digits.iter().try_fold(0, add)).flatten()
}
