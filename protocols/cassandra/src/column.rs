//! Columns as the server sends them, in binary.

use scylla::cluster::metadata::{ColumnType, NativeType};

/// The length of a value in its text form. For bytes it is their number; types other than numbers,
/// booleans, text and bytes count with the length that was sent.
pub(crate) fn text_length(of: &ColumnType<'_>, raw: &[u8]) -> usize {
    match number(of, raw) {
        Some(number) => number.to_string().len(),
        None => raw.len(),
    }
}

/// Appends the text form of a column: integers and text.
pub(crate) fn as_text(of: &ColumnType<'_>, raw: &[u8], to: &mut Vec<u8>) {
    match number(of, raw) {
        Some(number) => to.extend_from_slice(number.to_string().as_bytes()),
        None => to.extend_from_slice(raw),
    }
}

/// The value of an integer of any width. Returns None if it is not an integer.
fn number(of: &ColumnType<'_>, raw: &[u8]) -> Option<i64> {
    let ColumnType::Native(of) = of else { return None };
    match of {
        NativeType::TinyInt => raw.try_into().ok().map(|raw| i8::from_be_bytes(raw).into()),
        NativeType::SmallInt => raw.try_into().ok().map(|raw| i16::from_be_bytes(raw).into()),
        NativeType::Int => raw.try_into().ok().map(|raw| i32::from_be_bytes(raw).into()),
        NativeType::BigInt | NativeType::Counter => raw.try_into().ok().map(i64::from_be_bytes),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_as_long_as_their_text() {
        let table: [(NativeType, &[u8], &str); 5] = [
            (NativeType::TinyInt, &(-7i8).to_be_bytes(), "-7"),
            (NativeType::Int, &12i32.to_be_bytes(), "12"),
            (NativeType::BigInt, &i64::MIN.to_be_bytes(), "-9223372036854775808"),
            (NativeType::Text, b"it's", "it's"),
            (NativeType::Int, b"xy", "xy"),
        ];
        for (of, raw, text) in table {
            let of = ColumnType::Native(of);
            let mut written = Vec::new();
            as_text(&of, raw, &mut written);
            assert_eq!((text_length(&of, raw), written), (text.len(), text.as_bytes().to_vec()));
        }
    }
}
