//! How long a column is, however it was sent.

use tokio_postgres::types::Type;

/// The length of a value in the server's text form, which is the same in each protocol. For bytes
/// it is their number and not that of their digits. Types other than numbers, booleans, text and
/// bytes count with the length that was sent: in binary, except with the simple protocol.
pub(crate) fn text_length(of: &Type, raw: &[u8]) -> usize {
    let number = |signed: Option<i64>| signed.map(|number| number.to_string().len());
    let digits = match *of {
        Type::BOOL => Some(1),
        Type::INT2 => number(raw.try_into().ok().map(|raw| i16::from_be_bytes(raw).into())),
        Type::INT4 => number(raw.try_into().ok().map(|raw| i32::from_be_bytes(raw).into())),
        Type::OID => number(raw.try_into().ok().map(|raw| u32::from_be_bytes(raw).into())),
        Type::INT8 => number(raw.try_into().ok().map(i64::from_be_bytes)),
        Type::FLOAT4 => raw.try_into().ok().map(|raw| f32::from_be_bytes(raw).to_string().len()),
        Type::FLOAT8 => raw.try_into().ok().map(|raw| f64::from_be_bytes(raw).to_string().len()),
        _ => None,
    };
    digits.unwrap_or(raw.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_as_long_as_their_text() {
        let table: [(Type, &[u8], &str); 8] = [
            (Type::BOOL, &[1], "t"),
            (Type::INT2, &(-7i16).to_be_bytes(), "-7"),
            (Type::INT4, &12i32.to_be_bytes(), "12"),
            (Type::OID, &u32::MAX.to_be_bytes(), "4294967295"),
            (Type::INT8, &i64::MIN.to_be_bytes(), "-9223372036854775808"),
            (Type::FLOAT4, &0.5f32.to_be_bytes(), "0.5"),
            (Type::FLOAT8, &1.25f64.to_be_bytes(), "1.25"),
            (Type::TEXT, b"it's", "it's"),
        ];
        for (of, raw, text) in table {
            assert_eq!(text_length(&of, raw), text.len(), "{text}");
        }
        assert_eq!(text_length(&Type::INT4, b"x"), 1, "not what it says it is");
    }
}
