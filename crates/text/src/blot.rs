//! Finds secrets in a text and masks them.

/// Shortest value that is masked, in bytes. Masking every `1` would leave
/// nothing readable of a log, a report or a journal.
pub const SHORTEST: usize = 4;

/// The replacement of each byte of a secret.
const BLOT: u8 = b'*';

/// Masks the secrets in a text: each of their bytes becomes a `*`.
pub fn blot(bytes: &mut [u8], secrets: &[String]) {
    blot_before(bytes.len(), bytes, secrets);
}

/// Masks the secrets that begin before byte `end`. Returns whether there were any.
///
/// All are found before any is masked, because they may overlap, or be part of one
/// another, and nothing of the longer one must remain.
pub fn blot_before(end: usize, bytes: &mut [u8], secrets: &[String]) -> bool {
    let found = found(end, bytes, secrets);
    for (at, length) in &found {
        bytes[*at..at + length].fill(BLOT);
    }
    !found.is_empty()
}

/// Returns position and length of each secret that begins before byte `end`.
pub fn found(end: usize, bytes: &[u8], secrets: &[String]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for secret in is_maskable(secrets) {
        let mut from = 0;
        while let Some(at) = find(&bytes[from..], secret).filter(|at| from + at < end) {
            found.push((from + at, secret.len()));
            from += at + 1;
        }
    }
    found
}

/// The secrets that are long enough to be masked, as bytes.
pub fn is_maskable(all: &[String]) -> impl Iterator<Item = &[u8]> {
    all.iter().map(|secret| secret.as_bytes()).filter(|s| s.len() >= SHORTEST)
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    // The first byte tells most windows apart, and to compare it takes no call.
    bytes.windows(part.len()).position(|window| window[0] == part[0] && window == part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn secrets(all: &[&str]) -> Vec<String> {
        all.iter().map(|secret| (*secret).to_owned()).collect()
    }

    #[test]
    fn overlapping_secrets_are_masked_completely() {
        for (text, all, left) in [
            ("-abcdef-", &["abcd", "abcdef"][..], "-******-"),
            ("-abcdef-", &["abcdef", "cdef"], "-******-"),
            ("-abcdefg-", &["abcde", "cdefg"], "-*******-"),
            ("-aaaaaa-", &["aaaa"], "-******-"),
        ] {
            let mut bytes = text.as_bytes().to_vec();
            blot(&mut bytes, &secrets(all));
            assert_eq!(String::from_utf8_lossy(&bytes), left, "{text} {all:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_of_a_secret_remains(text in "[abc]{0,60}", secret in "[abc]{4,6}") {
            let mut bytes = text.clone().into_bytes();
            blot(&mut bytes, std::slice::from_ref(&secret));
            prop_assert!(find(&bytes, secret.as_bytes()).is_none());
            prop_assert_eq!(bytes.len(), text.len());
        }
    }
}
