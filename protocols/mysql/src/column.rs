//! How long a column is, however it was sent.

use mysql_async::Value;

/// The length of a value in the server's text form, whether or not the statement is prepared.
/// Floating-point numbers are formatted here, so the server may round differently. Times are
/// without fractions of a second.
pub(crate) fn text_length(value: &Value) -> usize {
    match value {
        Value::NULL => 0,
        Value::Bytes(bytes) => bytes.len(),
        Value::Date(..) => value.as_sql(true).trim_matches('\'').len(),
        Value::Time(negative, days, hours, ..) => {
            let hours = format!("{:02}", u64::from(*days) * 24 + u64::from(*hours));
            usize::from(*negative) + hours.len() + ":00:00".len()
        }
        number => number.as_sql(true).len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_as_long_as_their_text() {
        let table = [
            (Value::NULL, ""),
            (Value::Bytes(b"it's".to_vec()), "it's"),
            (Value::Int(-12), "-12"),
            (Value::UInt(u64::MAX), "18446744073709551615"),
            (Value::Double(1.5), "1.5"),
            (Value::Date(2026, 1, 2, 0, 0, 0, 0), "2026-01-02"),
            (Value::Date(2026, 1, 2, 3, 4, 5, 0), "2026-01-02 03:04:05"),
            (Value::Time(true, 0, 3, 4, 5, 0), "-03:04:05"),
            (Value::Time(false, 5, 3, 4, 5, 0), "123:04:05"),
        ];
        for (value, text) in table {
            assert_eq!(text_length(&value), text.len(), "{text}");
        }
    }
}
