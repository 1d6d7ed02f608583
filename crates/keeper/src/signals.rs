//! Signals by name, as in an experiment file.

use text::near;
use text::shown::shown;
use thiserror::Error;

/// A text that does not name a signal that can stop a server.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{}` is not a signal that stops a server; use one of {}{}", shown(.0), stops().join(", "),
    near::did_you_mean(without_prefix(.0), stops()))]
pub struct UnknownSignal(String);

/// Signals that can ask a server to stop, and those that usually cause an unexpected end.
const NAMES: [(&str, i32); 13] = [
    ("TERM", libc::SIGTERM),
    ("INT", libc::SIGINT),
    ("QUIT", libc::SIGQUIT),
    ("HUP", libc::SIGHUP),
    ("USR1", libc::SIGUSR1),
    ("USR2", libc::SIGUSR2),
    ("WINCH", libc::SIGWINCH),
    ("KILL", libc::SIGKILL),
    ("ABRT", libc::SIGABRT),
    ("BUS", libc::SIGBUS),
    ("SEGV", libc::SIGSEGV),
    ("ILL", libc::SIGILL),
    ("PIPE", libc::SIGPIPE),
];

/// How many of them, from the first, are valid for `stop`.
const STOPS: usize = 8;

/// The name without `SIG`.
pub fn name(signal: i32) -> Option<&'static str> {
    NAMES.iter().find(|(_, number)| *number == signal).map(|(name, _)| *name)
}

/// The signal of this name, with or without `SIG`.
///
/// # Errors
/// If no signal of that name stops a server.
pub fn number(text: &str) -> Result<i32, UnknownSignal> {
    let wanted = without_prefix(text);
    let known = NAMES[..STOPS].iter().find(|(name, _)| *name == wanted);
    known.map(|(_, number)| *number).ok_or_else(|| UnknownSignal(text.to_owned()))
}

fn without_prefix(text: &str) -> &str {
    text.strip_prefix("SIG").unwrap_or(text)
}

fn stops() -> Vec<&'static str> {
    NAMES[..STOPS].iter().map(|(name, _)| *name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_names() {
        assert_eq!(number("TERM"), Ok(libc::SIGTERM));
        assert_eq!(number("SIGQUIT"), Ok(libc::SIGQUIT));
        assert_eq!(name(libc::SIGKILL), Some("KILL"));
        assert_eq!(name(63), None);
        for (text, message) in [
            (
                "TREM",
                "`TREM` is not a signal that stops a server; use one of TERM, INT, QUIT, HUP, \
                 USR1, USR2, WINCH, KILL; did you mean `TERM`?",
            ),
            (
                "SEGV",
                "`SEGV` is not a signal that stops a server; use one of TERM, INT, QUIT, HUP, \
                 USR1, USR2, WINCH, KILL",
            ),
        ] {
            assert_eq!(number(text).unwrap_err().to_string(), message);
        }
    }
}
