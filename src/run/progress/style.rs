//! How progress is shown, depending on standard error.

use std::ffi::OsStr;
use std::io::{IsTerminal, stderr};
use std::time::Duration;

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgressStyle {
    /// Not at all.
    Silent,
    /// A line at the start of a phase and every ten seconds.
    Lines,
    /// A view that is redrawn in place.
    Live {
        /// With colours.
        colour: bool,
    },
}

impl ProgressStyle {
    /// Chooses the style that suits standard error.
    pub(crate) fn fitting(quiet: bool) -> ProgressStyle {
        let variable = |name| std::env::var_os(name).unwrap_or_default();
        ProgressStyle::of(quiet, stderr().is_terminal(), &variable("TERM"), &variable("NO_COLOR"))
    }

    /// A terminal without TERM may support text only: it is treated as `dumb`.
    fn of(quiet: bool, terminal: bool, term: &OsStr, no_color: &OsStr) -> ProgressStyle {
        let capable = terminal && !term.is_empty() && term != "dumb";
        match (quiet, capable) {
            (true, _) => ProgressStyle::Silent,
            (false, false) => ProgressStyle::Lines,
            (false, true) => ProgressStyle::Live { colour: no_color.is_empty() },
        }
    }

    /// How often progress is shown again when nothing happens.
    pub(super) fn period(self) -> Duration {
        match self {
            ProgressStyle::Live { .. } => Duration::from_millis(500),
            _ => Duration::from_secs(10),
        }
    }

    /// The minimum pause after an update, whatever happens: a machine under measurement must not be
    /// woken more than four times a second for a display.
    pub(super) fn rest(self) -> Duration {
        match self {
            ProgressStyle::Live { .. } => Duration::from_millis(250),
            _ => Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_suits_standard_error() {
        let live = |colour| ProgressStyle::Live { colour };
        let table = [
            (false, true, "xterm-256color", "", live(true)),
            (false, true, "xterm-256color", "1", live(false)),
            (false, true, "dumb", "", ProgressStyle::Lines),
            (false, true, "", "", ProgressStyle::Lines),
            (false, false, "xterm-256color", "", ProgressStyle::Lines),
            (true, true, "xterm-256color", "", ProgressStyle::Silent),
            (true, false, "", "", ProgressStyle::Silent),
        ];
        for (quiet, terminal, term, no_color, style) in table {
            let found = ProgressStyle::of(quiet, terminal, OsStr::new(term), OsStr::new(no_color));
            assert_eq!(found, style, "{quiet} {terminal} {term:?} {no_color:?}");
        }
    }
}
