//! Keys and values that are hashes of a key's number, as scripts make them: `md5("7")` in
//! hexadecimal digits, and `crc32("7")` in decimal ones.

use md5::{Digest, Md5};

/// Bytes of a name.
pub(super) const MD5_DIGITS: usize = 32;

/// Digits of the largest 64-bit number.
const MOST_DIGITS: usize = 20;

/// A number in decimal digits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decimal {
    digits: [u8; MOST_DIGITS],
    /// The start of the digits.
    from: usize,
}

impl Decimal {
    pub(super) fn of(mut number: u64) -> Decimal {
        let (mut digits, mut from) = ([b'0'; MOST_DIGITS], MOST_DIGITS - 1);
        loop {
            digits[from] += (number % 10) as u8;
            number /= 10;
            if number == 0 {
                return Decimal { digits, from };
            }
            from -= 1;
        }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.digits[self.from..]
    }
}

/// Appends the MD5 of this letter followed by the number, in hexadecimal digits.
pub(super) fn write_md5(letter: &str, number: u64, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut md5 = Md5::new();
    md5.update(letter.as_bytes());
    md5.update(Decimal::of(number).as_bytes());
    for byte in md5.finalize() {
        out.push(DIGITS[usize::from(byte >> 4)]);
        out.push(DIGITS[usize::from(byte & 15)]);
    }
}

/// Returns the CRC-32 of a number as decimal text.
pub(super) fn crc32(number: u64) -> Decimal {
    Decimal::of(u64::from(crc32fast::hash(Decimal::of(number).as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn md5(letter: &str, number: u64) -> String {
        let mut out = b"before".to_vec();
        write_md5(letter, number, &mut out);
        String::from_utf8(out.split_off(6)).expect("digits")
    }

    #[test]
    fn numbers_have_their_digits() {
        for number in [0, 1, 9, 10, 99_999, 4_294_967_295, u64::MAX] {
            assert_eq!(Decimal::of(number).as_bytes(), number.to_string().as_bytes());
        }
    }

    /// `md5sum` computed these.
    #[test]
    fn names_are_those_of_md5() {
        assert_eq!(md5("", 0), "cfcd208495d565ef66e7dff9f98764da");
        assert_eq!(md5("", 1), "c4ca4238a0b923820dcc509a6f75849b");
        assert_eq!(md5("", 99_999), "d3eb9a9233e52948740d7eb8c3062d14");
        assert_eq!(md5("n", 7), "c364e7cd25ef8288236d31f1ed69a94a");
    }

    /// PHP's `crc32` computed these.
    #[test]
    fn values_are_those_of_crc32() {
        for (number, wanted) in
            [(0, "4108050209"), (1, "2212294583"), (16_660, "63917"), (99_999, "2634760556")]
        {
            let crc32 = crc32(number);
            assert_eq!(String::from_utf8_lossy(crc32.as_bytes()), wanted);
        }
    }
}
