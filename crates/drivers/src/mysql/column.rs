//! How long a column is, however it was sent.

use mysql_async::Value;

/// Bytes of a value as the server writes it as text: the same of a statement that is
/// prepared and of one that is not. Of floating point numbers, as they are written
/// here: the server may round in another digit. Of times, without parts of a second.
pub(super) fn text_length(value: &Value) -> usize {
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
