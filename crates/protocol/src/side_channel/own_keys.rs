//! Makes sure that a load overwrites only keys that tiebreak wrote.
//!
//! A store that holds the note of a load under the contender's prefix was written to by tiebreak.
//! Where there is no note (it may have been evicted), the values show it: a value begins with the
//! number of its key and that of the write, or is the CRC-32 of the key's number.

use super::Fingerprint;
use engine::workload::{COUNTED_FROM, Operations, Space, Values};
use record::Workload;

/// The number of keys that are checked: the first ones make up half, the others are spread over the
/// rest.
const LOOKED_AT: u64 = 128;

/// What a store keeps under a key.
pub enum Kept {
    /// Nothing.
    Nothing,
    /// A string, or its beginning.
    Text(Vec<u8>),
    /// A list, or another thing that no load writes.
    Other,
}

/// Checks that the existing keys of this workload were written by tiebreak. `read` returns the
/// value of a key. A store that does not answer passes: its load fails too, and is counted.
/// `elsewhere` completes the remedy: use …
///
/// # Errors
/// Names the first key that was not, and the remedy.
pub fn check(
    workload: &Workload,
    elsewhere: &str,
    mut read: impl FnMut(&str) -> Result<Kept, String>,
) -> Result<(), String> {
    let note = Fingerprint::place(&workload.prefix);
    match read(&note) {
        Ok(Kept::Nothing) => {}
        Err(_) => return Ok(()),
        Ok(Kept::Text(text)) if Fingerprint::is_one(&text) => return Ok(()),
        Ok(Kept::Text(_) | Kept::Other) => return Err(refusal(&note, elsewhere)),
    }
    let operations = Operations::new(workload, 0).map_err(|error| error.to_string())?;
    let values = operations.values();
    for space in [Space::Values, Space::Counters] {
        for key in looked_at(workload.keys) {
            let mut name = Vec::new();
            operations.write_key(space, key, &mut name);
            let name = String::from_utf8_lossy(&name).into_owned();
            match read(&name) {
                Ok(Kept::Nothing) => {}
                Err(_) => return Ok(()),
                Ok(Kept::Text(value)) if is_ours(&values, space, key, &value) => {}
                Ok(Kept::Text(_) | Kept::Other) => return Err(refusal(&name, elsewhere)),
            }
        }
    }
    Ok(())
}

fn looked_at(keys: u64) -> impl Iterator<Item = u64> {
    let first = keys.min(LOOKED_AT / 2);
    // They include the last key.
    let spread = if keys > first { LOOKED_AT / 2 } else { 0 };
    let others = (0..spread).map(move |at| first + at * (keys - 1 - first) / (spread - 1));
    (0..first).chain(others)
}

/// Whether a value belongs to this key: it begins with the key's number, little endian, or is the
/// beginning of that number. A value without a version must be the one that the load writes.
/// Counters have as many digits as they were loaded with.
fn is_ours(values: &Values, space: Space, key: u64, value: &[u8]) -> bool {
    if space == Space::Counters {
        let digits = value.trim_ascii_end();
        let length = COUNTED_FROM.to_string().len();
        return digits.len() == length && digits.iter().all(u8::is_ascii_digit);
    }
    if !values.have_versions() {
        let mut only = Vec::new();
        values.write(key, 0, &mut only);
        return value == only;
    }
    let number = key.to_le_bytes();
    let length = value.len().min(number.len());
    value[..length] == number[..length]
}

fn refusal(key: &str, elsewhere: &str) -> String {
    format!(
        "the key `{key}` was not written by tiebreak and would be overwritten by the load: rename \
         or remove it, or use {elsewhere}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::workload::preset;
    use record::{KeysAs, ValuesAs};
    use std::collections::BTreeMap;

    fn kv() -> Workload {
        let kv = preset("kv").expect("a preset");
        Workload { prefix: "tiebreak00:".to_owned(), keys: 1000, ..kv }
    }

    fn checked(kept: &[(&str, &[u8])]) -> Result<(), String> {
        let kept: BTreeMap<&str, &[u8]> = kept.iter().copied().collect();
        check(&kv(), "another store", |key| {
            Ok(kept.get(key).map_or(Kept::Nothing, |value| Kept::Text(value.to_vec())))
        })
    }

    #[test]
    fn values_of_the_workload_are_known_without_a_note() {
        assert_eq!(checked(&[]), Ok(()));
        let mut value = Vec::new();
        Operations::new(&kv(), 0).expect("good").values().write(7, 3, &mut value);
        assert_eq!(checked(&[("tiebreak00:000000000007", &value)]), Ok(()));
        let of_another = checked(&[("tiebreak00:000000000008", &value)]);
        assert!(of_another.expect_err("not of key 8").contains("`tiebreak00:000000000008`"));
    }

    #[test]
    fn a_value_without_a_version_is_ours_where_it_is_the_one_of_its_key() {
        let workload = Workload { keys_as: KeysAs::Md5, values_as: ValuesAs::Crc32, ..kv() };
        let with = |value: &'static [u8]| {
            check(&workload, "another store", |key| match key {
                "tiebreak00:cfcd208495d565ef66e7dff9f98764da" => Ok(Kept::Text(value.to_vec())),
                _ => Ok(Kept::Nothing),
            })
        };
        assert_eq!(with(b"4108050209"), Ok(()));
        let error = with(b"mine").expect_err("of somebody else");
        assert!(error.contains("`tiebreak00:cfcd208495d565ef66e7dff9f98764da`"), "{error}");
    }

    #[test]
    fn what_somebody_else_wrote_is_named() {
        for key in ["tiebreak00:000000000000", "tiebreak00:000000000063", "tiebreak00:loaded"] {
            let error = checked(&[(key, b"a value of mine")]).expect_err(key);
            assert!(error.starts_with(&format!("the key `{key}` was not written")), "{error}");
        }
        // A key that the load does not write cannot be lost.
        assert_eq!(checked(&[("tiebreak00:mine", b"x")]), Ok(()));
    }

    #[test]
    fn a_note_says_that_the_keys_are_tiebreaks() {
        let notes: [&[u8]; 2] = [
            b"tiebreak-load/1 00000000000000ff run:abc unknown dirty",
            b"tiebreak-load/2 00000000000000ff run:abc unknown dirty",
        ];
        for note in notes {
            let kept = [("tiebreak00:loaded", note), ("tiebreak00:000000000000", b"other")];
            assert_eq!(checked(&kept), Ok(()));
        }
    }

    #[test]
    fn a_list_is_somebody_elses_and_silence_is_nothing() {
        let list = check(&kv(), "another store", |key| match key {
            "tiebreak00:000000000000" => Ok(Kept::Other),
            _ => Ok(Kept::Nothing),
        });
        assert!(list.is_err());
        assert_eq!(
            check(&kv(), "another store", |_| Err("it closed the connection".to_owned())),
            Ok(())
        );
    }

    #[test]
    fn keys_all_over_the_range_are_looked_at() {
        for keys in [1, 63, 64, 100, 128, 1_000_000_000] {
            let all: Vec<u64> = looked_at(keys).collect();
            assert!(all.iter().all(|key| *key < keys), "{keys}");
            assert_eq!(all[0], 0);
            assert!(all.len() as u64 <= LOOKED_AT);
            assert!(all.windows(2).all(|pair| pair[0] <= pair[1]), "{keys}: {all:?}");
        }
        assert_eq!(looked_at(1_000_000).last(), Some(999_999));
    }
}
