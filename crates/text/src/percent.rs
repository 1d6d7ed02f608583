//! Percent-encoding of addresses (RFC 3986, section 2.1).

/// Encodes everything except letters, digits and `-._~` as `%XX`.
pub fn encoded(bytes: &[u8]) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    let encoded = bytes.iter().map(|byte| {
        if plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") }
    });
    encoded.collect()
}

/// Decodes percent-encoding. Returns None if a `%` is not followed by two hex digits.
pub fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let digits = [bytes.next()?, bytes.next()?].map(char::from);
                let digit = |c: char| c.to_digit(16);
                u8::try_from(digit(digits[0])? * 16 + digit(digits[1])?).ok()?
            }
            plain => plain,
        });
    }
    Some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_not_plain_is_encoded() {
        assert_eq!(encoded(b"/run/a b-1._~\xff"), "%2Frun%2Fa%20b-1._~%FF");
    }

    #[test]
    fn two_hex_digits_follow_a_percent_sign() {
        assert_eq!(decoded("a%2fb%2F"), Some(b"a/b/".to_vec()));
        for wrong in ["%", "%2", "%2x", "%%41"] {
            assert_eq!(decoded(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn what_was_encoded_is_decoded(bytes: Vec<u8>) {
            prop_assert_eq!(decoded(&encoded(&bytes)), Some(bytes));
        }
    }
}
