//! Errors that end a command, and the exit code of each.

use std::process::ExitCode;

/// The exit codes. 130 (stopped twice) is given by the signal handler itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The answer can be trusted, even if it is "undecided".
    Sound = 0,
    /// The answer can be trusted but does not meet a requirement.
    NotMet = 1,
    /// The command line is invalid, or cannot be executed.
    Usage = 2,
    /// No verdict, because the audit refused it or no round is complete.
    Void = 3,
    /// A target was not found, was never ready, or died.
    TargetFailed = 4,
    /// tiebreak itself failed.
    Failed = 5,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// The exit code after a second SIGINT or SIGTERM.
pub const STOPPED_TWICE: i32 = 130;

/// Why a command failed: a sentence for people, with the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// How the process exits.
    pub exit: Exit,
    /// What is wrong and what to do.
    pub text: String,
}

impl Error {
    /// The user requested something that cannot be done.
    pub fn usage(text: impl Into<String>) -> Error {
        Error { exit: Exit::Usage, text: text.into() }
    }

    /// A target failed.
    pub fn target(text: impl Into<String>) -> Error {
        Error { exit: Exit::TargetFailed, text: text.into() }
    }

    /// tiebreak or the machine failed.
    pub fn failed(text: impl Into<String>) -> Error {
        Error { exit: Exit::Failed, text: text.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_the_published_ones() {
        use Exit::*;
        let codes = [Sound, NotMet, Usage, Void, TargetFailed, Failed];
        assert_eq!(codes.map(|exit| exit as u8), [0, 1, 2, 3, 4, 5]);
    }
}
