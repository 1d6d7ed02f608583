//! Secrets in a text: where they are, and what is left without them.

/// Shortest value that can be secret, in bytes. Blotting out every `1` would leave
/// nothing of a log, a report or a journal.
pub const SHORTEST: usize = 4;

/// What stands where a secret stood, for each of its bytes.
const BLOT: u8 = b'*';

/// Blots the secrets out of a text, each byte by a `*`.
pub fn blot(bytes: &mut [u8], secrets: &[String]) {
    blot_before(bytes.len(), bytes, secrets);
}

/// The same for those that begin before byte `end`; whether there were any.
///
/// All are found before one is blotted out: they may overlap, or be part of one
/// another, and nothing of the longer one must stay.
pub fn blot_before(end: usize, bytes: &mut [u8], secrets: &[String]) -> bool {
    let found = found(end, bytes, secrets);
    for (at, length) in &found {
        bytes[*at..at + length].fill(BLOT);
    }
    !found.is_empty()
}

/// Place and length of each secret that begins before byte `end`.
pub fn found(end: usize, bytes: &[u8], secrets: &[String]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for secret in worth_it(secrets) {
        let mut from = 0;
        while let Some(at) = find(&bytes[from..], secret).filter(|at| from + at < end) {
            found.push((from + at, secret.len()));
            from += at + 1;
        }
    }
    found
}

/// Those that are long enough to be blotted out, as bytes.
pub fn worth_it(all: &[String]) -> impl Iterator<Item = &[u8]> {
    all.iter().map(|secret| secret.as_bytes()).filter(|s| s.len() >= SHORTEST)
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn secrets(all: &[&str]) -> Vec<String> {
        all.iter().map(|secret| (*secret).to_owned()).collect()
    }

    #[test]
    fn secrets_that_overlap_leave_nothing_of_each_other() {
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
        fn nothing_of_a_secret_stays(text in "[abc]{0,60}", secret in "[abc]{4,6}") {
            let mut bytes = text.clone().into_bytes();
            blot(&mut bytes, std::slice::from_ref(&secret));
            prop_assert!(find(&bytes, secret.as_bytes()).is_none());
            prop_assert_eq!(bytes.len(), text.len());
        }
    }
}
