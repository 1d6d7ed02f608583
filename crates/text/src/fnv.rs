//! FNV-1a, 64 bits: names plans and detects incomplete and damaged lines of a journal. It protects
//! against accidents, not against forgery, and needs no dependency.

/// The hash of `bytes` (offset basis and prime as published by Fowler, Noll
/// and Vo).
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::fnv1a;

    #[test]
    fn published_vectors() {
        for (text, hash) in
            [("", 0xcbf29ce484222325), ("a", 0xaf63dc4c8601ec8c), ("foobar", 0x85944171f73967e8)]
        {
            assert_eq!(fnv1a(text.as_bytes()), hash, "{text}");
        }
    }
}
