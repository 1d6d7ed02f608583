//! Splits a text into words as a POSIX shell does, without any other feature of a shell.
//!
//! Everything else that a shell would do (pipes, patterns, variables) is an error here, because
//! ignoring it would go unnoticed.

use std::iter::Peekable;
use std::str::Chars;

/// Characters that a shell would not pass on, anywhere outside of quotes.
const OF_THE_SHELL: &str = "|;&<>$`*?[()\n";

/// Characters that a shell would not pass on inside double quotes.
const IN_DOUBLE_QUOTES: &str = "$`";

/// Characters that a shell would not pass on at the beginning of a word.
const AT_A_BEGINNING: &str = "~#";

/// Why a text is not a list of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SplitError {
    /// Nothing follows a backslash.
    Backslash,
    /// This quote is opened but not closed.
    Unclosed(char),
    /// A shell would interpret this character.
    NeedsShell(char),
    /// `${NAME}`.
    Variable(String),
}

/// Splits a text into words.
///
/// # Errors
/// If a quote is not closed, or the text requires a shell.
pub fn split(text: &str) -> Result<Vec<String>, SplitError> {
    Words::default().read(text.trim_ascii())
}

/// Writes a text as one word of a POSIX shell, in single quotes.
pub fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Writes a text as one word of a POSIX shell, as it is if no character of it means anything to a shell.
pub fn quote_if_needed(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./:=,@%+-".contains(c);
    let plain = !text.is_empty() && text.chars().all(is_plain);
    if plain { text.to_owned() } else { quote(text) }
}

/// The words read so far.
#[derive(Default)]
struct Words {
    done: Vec<String>,
    /// The word in progress; it may be empty: `''`.
    word: Option<String>,
}

impl Words {
    fn read(mut self, text: &str) -> Result<Vec<String>, SplitError> {
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                ' ' | '\t' | '\r' => self.done.extend(self.word.take()),
                '\'' => self.single(&mut chars)?,
                '"' => self.double(&mut chars)?,
                '\\' => match chars.next() {
                    // The line continues.
                    Some('\n') => {}
                    Some(next) => self.push(next),
                    None => return Err(SplitError::Backslash),
                },
                c if OF_THE_SHELL.contains(c) => return Err(refused(c, &mut chars)),
                c if self.word.is_none() && AT_A_BEGINNING.contains(c) => {
                    return Err(refused(c, &mut chars));
                }
                c => self.push(c),
            }
        }
        self.done.extend(self.word.take());
        Ok(self.done)
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn single(&mut self, chars: &mut Peekable<Chars<'_>>) -> Result<(), SplitError> {
        self.word.get_or_insert_default();
        for c in chars.by_ref() {
            match c {
                '\'' => return Ok(()),
                c => self.push(c),
            }
        }
        Err(SplitError::Unclosed('\''))
    }

    fn double(&mut self, chars: &mut Peekable<Chars<'_>>) -> Result<(), SplitError> {
        self.word.get_or_insert_default();
        while let Some(c) = chars.next() {
            match c {
                '"' => return Ok(()),
                c if IN_DOUBLE_QUOTES.contains(c) => return Err(refused(c, chars)),
                '\\' => match chars.next() {
                    Some('\n') => {}
                    Some(next) if "$`\"\\".contains(next) => self.push(next),
                    // Otherwise the backslash stands for itself.
                    next => {
                        self.push('\\');
                        next.into_iter().for_each(|next| self.push(next));
                    }
                },
                c => self.push(c),
            }
        }
        Err(SplitError::Unclosed('"'))
    }
}

/// Returns why this character is not accepted; `rest` is what follows it.
fn refused(c: char, rest: &mut Peekable<Chars<'_>>) -> SplitError {
    if c == '$' && rest.next_if_eq(&'{').is_some() {
        return SplitError::Variable(rest.take_while(|c| *c != '}').collect());
    }
    SplitError::NeedsShell(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_if_a_shell_would_read_it_otherwise() {
        for (text, word) in [
            ("a=http://127.0.0.1:8080/x", "a=http://127.0.0.1:8080/x"),
            ("", "''"),
            ("p99 <= 1.1x", "'p99 <= 1.1x'"),
            ("${TOKEN}", "'${TOKEN}'"),
            ("it's", r"'it'\''s'"),
        ] {
            assert_eq!(quote_if_needed(text), word);
        }
    }

    #[test]
    fn every_quoted_text_is_one_word() {
        for text in ["", "a b", "it's", "''", "\\", "$(x) `y` \"z\" !"] {
            assert_eq!(split(&quote(text)).expect("a word"), [text]);
        }
    }
}
