//! How many runs a truth takes: few in `./test`, many in `./test truths`, which is
//! run before a release.

/// `short`, or `full` where the environment says TIEBREAK_TRUTHS=full.
pub(crate) fn sized<T>(short: T, full: T) -> T {
    match std::env::var("TIEBREAK_TRUTHS").as_deref() {
        Err(_) | Ok("short") => short,
        Ok("full") => full,
        Ok(other) => panic!("TIEBREAK_TRUTHS is `short` or `full`, and not `{other}`"),
    }
}
