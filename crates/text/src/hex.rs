//! Bytes as hexadecimal digits.

/// Writes two lower-case digits for each byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_two_digits() {
        assert_eq!(hex(&[0, 0x0a, 0xff]), "000aff");
        assert_eq!(hex(&[]), "");
    }
}
