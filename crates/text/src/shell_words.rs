//! Words of a text, as a POSIX shell splits it, and nothing else of a shell.
//!
//! What else a shell would do (pipes, patterns, variables) is an error here and not
//! done: nobody would see that it was.

use std::iter::Peekable;
use std::str::Chars;

/// What a shell would not pass on, anywhere outside of quotes.
const OF_THE_SHELL: &str = "|;&<>$`*?[()\n";

/// What a shell would not pass on inside double quotes.
const IN_DOUBLE_QUOTES: &str = "$`";

/// The same at the beginning of a word.
const AT_A_BEGINNING: &str = "~#";

/// Why a text is no list of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoWords {
    /// A backslash has nothing behind it.
    Backslash,
    /// This quote is opened and not closed.
    Unclosed(char),
    /// A shell would do something with this character.
    OfTheShell(char),
    /// `${NAME}`.
    Variable(String),
}

/// The words of a text.
///
/// # Errors
/// When a quote is not closed, or only a shell could do it.
pub fn split(text: &str) -> Result<Vec<String>, NoWords> {
    Words::default().read(text.trim_ascii())
}

/// Words as they are read.
#[derive(Default)]
struct Words {
    done: Vec<String>,
    /// The word under way; an empty one can be: `''`.
    word: Option<String>,
}

impl Words {
    fn read(mut self, text: &str) -> Result<Vec<String>, NoWords> {
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                ' ' | '\t' | '\r' => self.done.extend(self.word.take()),
                '\'' => self.single(&mut chars)?,
                '"' => self.double(&mut chars)?,
                '\\' => match chars.next() {
                    // A line that goes on.
                    Some('\n') => {}
                    Some(next) => self.push(next),
                    None => return Err(NoWords::Backslash),
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

    fn single(&mut self, chars: &mut Peekable<Chars<'_>>) -> Result<(), NoWords> {
        self.word.get_or_insert_default();
        for c in chars.by_ref() {
            match c {
                '\'' => return Ok(()),
                c => self.push(c),
            }
        }
        Err(NoWords::Unclosed('\''))
    }

    fn double(&mut self, chars: &mut Peekable<Chars<'_>>) -> Result<(), NoWords> {
        self.word.get_or_insert_default();
        while let Some(c) = chars.next() {
            match c {
                '"' => return Ok(()),
                c if IN_DOUBLE_QUOTES.contains(c) => return Err(refused(c, chars)),
                '\\' => match chars.next() {
                    Some('\n') => {}
                    Some(next) if "$`\"\\".contains(next) => self.push(next),
                    // Otherwise it stands for itself.
                    next => {
                        self.push('\\');
                        next.into_iter().for_each(|next| self.push(next));
                    }
                },
                c => self.push(c),
            }
        }
        Err(NoWords::Unclosed('"'))
    }
}

/// Why this character is not taken; `rest` is what follows it.
fn refused(c: char, rest: &mut Peekable<Chars<'_>>) -> NoWords {
    if c == '$' && rest.next_if_eq(&'{').is_some() {
        return NoWords::Variable(rest.take_while(|c| *c != '}').collect());
    }
    NoWords::OfTheShell(c)
}
