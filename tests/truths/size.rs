//! How many runs a truth takes, and which truths run when.

/// When a truth runs. Later levels include the earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// For every change: `./test`.
    Gate,
    /// Also for a change of what measures and judges: `./test changed`.
    Changed,
    /// In `./test truths`.
    All,
    /// Only in `./test calibration`, which has many runs of each truth.
    Calibration,
}

impl Level {
    /// Returns None if there is no level of this name.
    pub(crate) fn named(name: &str) -> Option<Level> {
        match name {
            "gate" => Some(Level::Gate),
            "changed" => Some(Level::Changed),
            "all" => Some(Level::All),
            "calibration" => Some(Level::Calibration),
            _ => None,
        }
    }
}

/// `short`, or `full` where the environment says TIEBREAK_TRUTHS=full.
pub(crate) fn sized<T>(short: T, full: T) -> T {
    match std::env::var("TIEBREAK_TRUTHS").as_deref() {
        Err(_) | Ok("short") => short,
        Ok("full") => full,
        Ok(other) => panic!("TIEBREAK_TRUTHS is `short` or `full`, and not `{other}`"),
    }
}

/// How long the pilot takes: except in a calibration so short that six runs of a truth take a minute,
/// which is still long enough to choose slices by.
pub(crate) fn pilot() -> &'static [&'static str] {
    sized(&["--pilot", "600ms"], &[])
}
