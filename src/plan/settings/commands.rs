//! `--command`: user-defined commands for Redis.

use crate::plan::settings::declared::{Given, Merged};
use text::near;
use text::shell_words::{self, SplitError};
use text::shown::shown;

/// A command and how often it is given.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomCommand {
    /// Its words, which may contain placeholders.
    pub words: Vec<String>,
    /// Above 0.
    pub weight: f64,
}

/// The commands of a workload. The commands of one source replace those of another; they are not
/// added up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CustomCommands(pub Vec<CustomCommand>);

impl Merged for CustomCommands {
    fn is_given(&self) -> bool {
        !self.0.is_empty()
    }
}

impl Given for CustomCommands {
    type Value = CustomCommand;

    fn give(&mut self, value: CustomCommand) {
        self.0.push(value);
    }
}

/// The values that an operation can put into a command.
const PLACEHOLDERS: [&str; 3] = ["key", "value", "number"];

/// The most commands that one workload may have: a table of latencies has a line for each.
pub const MOST: usize = 32;

/// Commands that wait for another client: their response time is not the server's.
const WAIT: [&str; 16] = [
    "BLPOP",
    "BRPOP",
    "BRPOPLPUSH",
    "BLMOVE",
    "BLMPOP",
    "BZPOPMIN",
    "BZPOPMAX",
    "BZMPOP",
    "WAIT",
    "WAITAOF",
    "SUBSCRIBE",
    "PSUBSCRIBE",
    "SSUBSCRIBE",
    "UNSUBSCRIBE",
    "PUNSUBSCRIBE",
    "SUNSUBSCRIBE",
];

/// Commands that change the state of the connection or close it.
const CHANGE: [&str; 17] = [
    "QUIT",
    "RESET",
    "HELLO",
    "AUTH",
    "SELECT",
    "MULTI",
    "EXEC",
    "DISCARD",
    "WATCH",
    "UNWATCH",
    "CLIENT",
    "MONITOR",
    "SYNC",
    "PSYNC",
    "READONLY",
    "READWRITE",
    "ASKING",
];

/// Reads the words of a command.
///
/// # Errors
/// When there are no words, they cannot be split, or the command would wait or change the
/// connection. The message says why.
pub fn words(text: &str) -> Result<Vec<String>, String> {
    let words = fixed_name(text)?;
    words.iter().try_for_each(|word| check_placeholders(word))?;
    Ok(words)
}

/// Reads the words of a command, whatever their placeholders are.
///
/// # Errors
/// See [`words`].
pub fn fixed_name(text: &str) -> Result<Vec<String>, String> {
    let words = shell_words::split(text).map_err(|why| no_words(&why))?;
    let Some(name) = words.first().filter(|name| !name.is_empty()) else {
        return Err("the command is missing: write one such as 'LPUSH {key} {value}'".to_owned());
    };
    if name.contains(['{', '}']) {
        return Err(format!(
            "`{}` is not a command: the name of a command cannot contain a placeholder",
            shown(name)
        ));
    }
    check_name(name, &words[1..])?;
    Ok(words)
}

/// `--command`: all are given equally often.
///
/// # Errors
/// See [`words`].
pub fn custom(text: &str) -> Result<CustomCommand, String> {
    Ok(CustomCommand { words: words(text)?, weight: 1.0 })
}

fn check_name(name: &str, arguments: &[String]) -> Result<(), String> {
    let is = |names: &[&str]| names.iter().any(|of| name.eq_ignore_ascii_case(of));
    let blocks = |word: &String| word.eq_ignore_ascii_case("BLOCK");
    let reads_streams = is(&["XREAD", "XREADGROUP"]) && arguments.iter().any(blocks);
    let why = if is(&WAIT) || reads_streams {
        "would wait for another client, so its time would not be the server's"
    } else if is(&CHANGE) {
        "would change the connection for later operations"
    } else {
        return Ok(());
    };
    Err(format!("`{}` {why}", shown(name)))
}

/// A brace begins a placeholder if a word is in it, and is a plain character otherwise. An unknown
/// placeholder is an error.
fn check_placeholders(word: &str) -> Result<(), String> {
    for part in word.split('{').skip(1) {
        let Some((name, _)) = part.split_once('}') else { continue };
        let is_word = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        if is_word && !PLACEHOLDERS.contains(&name) {
            let meant = near::did_you_mean(name, PLACEHOLDERS);
            return Err(format!(
                "`{{{name}}}` is not a placeholder; use {{key}}, {{value}} or {{number}}{meant}"
            ));
        }
    }
    Ok(())
}

fn no_words(why: &SplitError) -> String {
    match why {
        SplitError::Backslash => "ends in a backslash: write it twice".to_owned(),
        SplitError::Unclosed(quote) => format!("a quote ({quote}) is opened and not closed"),
        SplitError::NeedsShell(c) => {
            format!(
                "`{}` is shell syntax, but no shell is used: put it in quotes",
                shown(c.to_string())
            )
        }
        SplitError::Variable(name) => format!(
            "`${{{}}}` is not filled in: commands are recorded, so they must not hold secrets",
            shown(name)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_commands() {
        for (text, wanted) in [
            ("LPUSH {key} {value}", &["LPUSH", "{key}", "{value}"][..]),
            ("ZADD board {number} '{key} x'", &["ZADD", "board", "{number}", "{key} x"]),
            ("EVAL 'return {1,2}' 0", &["EVAL", "return {1,2}", "0"]),
            ("XREAD COUNT 1 STREAMS s 0", &["XREAD", "COUNT", "1", "STREAMS", "s", "0"]),
            ("set a{key}b ''", &["set", "a{key}b", ""]),
            ("EVAL \"return {}\" 0", &["EVAL", "return {}", "0"]),
        ] {
            assert_eq!(words(text).expect(text), wanted);
        }
        assert_eq!(custom("PING").map(|custom| custom.weight), Ok(1.0));
    }

    #[test]
    fn what_would_wait_or_change_the_connection_is_refused() {
        for name in WAIT.iter().chain(&CHANGE) {
            for name in [(*name).to_owned(), name.to_lowercase()] {
                let message = words(&format!("{name} a b")).expect_err(&name);
                assert!(message.starts_with(&format!("`{name}` would ")), "{message}");
            }
        }
        assert!(words("XREAD block 0 STREAMS s $").is_err(), "a dollar is for a shell");
        let message = words("xreadgroup GROUP g c BLOCK 0 STREAMS s '>'").expect_err("blocks");
        assert!(message.contains("would wait for another client"), "{message}");
    }

    #[test]
    fn other_mistakes_name_the_remedy() {
        for (text, message) in [
            ("", "the command is missing: write one such as 'LPUSH {key} {value}'"),
            ("''", "the command is missing: write one such as 'LPUSH {key} {value}'"),
            (
                "{key} a",
                "`{key}` is not a command: the name of a command cannot contain a placeholder",
            ),
            (
                "GET {kye}",
                "`{kye}` is not a placeholder; use {key}, {value} or {number}; did you mean `key`?",
            ),
            ("GET 'a", "a quote (') is opened and not closed"),
            ("GET a\\", "ends in a backslash: write it twice"),
            ("GET a; b", "`;` is shell syntax, but no shell is used: put it in quotes"),
            (
                "AUTHOR ${TOKEN}",
                "`${TOKEN}` is not filled in: commands are recorded, so they must not hold secrets",
            ),
        ] {
            assert_eq!(words(text), Err(message.to_owned()), "{text}");
        }
    }
}
