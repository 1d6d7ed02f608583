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

/// How long the pilot takes: in `./test` so short that six runs of a truth take a minute,
/// which is still long enough to choose slices by.
pub(crate) fn pilot() -> &'static [&'static str] {
    sized(&["--pilot", "600ms"], &[])
}
