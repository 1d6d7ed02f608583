//! Pseudo-random numbers as a function of the seed and the request's number: a reply's delay does
//! not depend on its connection.

/// SplitMix64 (Steele, Lea, Flood 2014): one step of its finaliser.
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// 64 bits for the `index`-th number of this seed.
pub(super) fn bits(seed: u64, index: u64) -> u64 {
    mix(mix(seed).wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

/// Uniform in the open interval (0, 1): its logarithm is finite.
pub(super) fn unit(seed: u64, index: u64) -> f64 {
    ((bits(seed, index) >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}
