//! Which values share a bucket, with 3 significant digits. The layout is the same as
//! HdrHistogram's from 1 up, without its array of counts.

/// The highest value of each bucket with samples, and the number of samples; ascending.
pub(super) type Buckets = Vec<(u64, u64)>;

/// Number of buckets of one value each at the low end: the smallest power of two that
/// distinguishes values to 3 digits.
const SINGLE: u64 = 2048;
/// Number of buckets of each power of two above them.
const PER_POWER: usize = 1024;

/// The width of the bucket that holds this value.
fn width(value: u64) -> u64 {
    let power = (value | (SINGLE - 1)).ilog2() - (SINGLE - 1).ilog2();
    1 << power
}

/// The lowest value of the bucket that holds this value.
pub(super) fn lowest(value: u64) -> u64 {
    value & !(width(value) - 1)
}

/// The highest value of the bucket that holds this value.
pub(super) fn highest(value: u64) -> u64 {
    value | (width(value) - 1)
}

/// How many buckets there are up to this value.
pub(super) const fn count_up_to(value: u64) -> usize {
    let powers = (value | (SINGLE - 1)).ilog2() - (SINGLE - 1).ilog2();
    (powers as usize + 2) * PER_POWER
}

/// The highest value of a bucket, by its index from 0.
pub(super) fn highest_at(bucket: usize) -> u64 {
    if bucket < 2 * PER_POWER {
        return bucket as u64;
    }
    let power = bucket / PER_POWER - 1;
    let within = (bucket % PER_POWER + PER_POWER) as u64;
    ((within + 1) << power) - 1
}

/// Merges two lists. Returns None if a count is too large for a `u64`.
pub(super) fn merged(mine: &[(u64, u64)], theirs: &[(u64, u64)]) -> Option<Buckets> {
    let mut merged = Buckets::with_capacity(mine.len() + theirs.len());
    let (mut mine, mut theirs) = (mine.iter().peekable(), theirs.iter().peekable());
    loop {
        let next = match (mine.peek(), theirs.peek()) {
            (Some(one), Some(other)) if one.0 == other.0 => {
                let both = (one.0, one.1.checked_add(other.1)?);
                mine.next();
                theirs.next();
                both
            }
            (Some(one), Some(other)) if one.0 < other.0 => *mine.next()?,
            (_, Some(_)) => *theirs.next()?,
            (Some(_), None) => *mine.next()?,
            (None, None) => return Some(merged),
        };
        merged.push(next);
    }
}
