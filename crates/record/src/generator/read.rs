//! Parses the text of a generator. Error messages say what was expected.

use super::{Generator, Lengths, Picked};
use std::str::FromStr;
use thiserror::Error;

/// The generators with their arguments, for error messages.
const ALL: &str = "uniform(1, 5_000_000), zipf(1000, 0.99), seq(), key(), bytes(380), text(20), \
                   pattern(\"##-@@\"), pick(\"a\", \"b\"), now(), row(TABLE), feed(FEED, COLUMN)";
/// Longest result of one generator.
const MOST_BYTES: i64 = 16 << 20;
/// The longest list; a longer one should be a feed.
const MOST_PICKED: usize = 1000;

/// A text that is not a generator.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GeneratorError {
    /// There is no generator of this name.
    #[error("`{}` is not a generator; use one of {ALL}", shown(.0))]
    Unknown(String),
    /// The text does not end in a parenthesis.
    #[error("`{}` must end in `)`", shown(.0))]
    Unclosed(String),
    /// Its arguments are wrong.
    #[error("`{}`: {source}", shown(.text))]
    Arguments {
        /// The whole text.
        text: String,
        /// What is wrong.
        source: ArgumentError,
    },
}

/// What is wrong with the arguments of a generator.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ArgumentError {
    /// The generator has other arguments; the text is an example.
    #[error("write {0}")]
    Usage(String),
    /// A range is given from its upper end.
    #[error("the first number must not be above the second ({from} to {to})")]
    Order {
        /// The first number.
        from: i64,
        /// The second number.
        to: i64,
    },
    /// Ranks are drawn as floating-point numbers, which are not exact beyond 2^53.
    #[error("the range must not have more than 2^53 numbers")]
    Range,
    /// The exponent of a Zipf distribution.
    #[error("θ must be above 0 and at most 10, not {0}")]
    Theta(f64),
    /// A result would be too long.
    #[error("the length must be from 0 to {MOST_BYTES} bytes")]
    Length,
    /// A list has this many items.
    #[error("at most {MOST_PICKED} choices are supported, not {0}; use a feed for more")]
    TooManyChoices(usize),
    /// Two arguments follow each other; the text begins with the second.
    #[error("a comma is missing before `{}`", shown(.0))]
    NoComma(String),
    /// Nothing follows the last comma.
    #[error("an argument is missing after the last comma")]
    NoArgument,
    /// The text begins like a number.
    #[error("`{}` is not a number", shown(.0))]
    NotANumber(String),
    /// The text is not an argument.
    #[error("`{}` is neither a number nor a quoted text", shown(.0))]
    NotAnArgument(String),
    /// A quoted text has no end.
    #[error("a quote is not closed")]
    OpenQuote,
}

/// An argument.
#[derive(Clone, Debug, PartialEq)]
enum Argument {
    Integer(i64),
    Real(f64),
    Text(String),
    Word(String),
}

impl FromStr for Generator {
    type Err = GeneratorError;

    fn from_str(text: &str) -> Result<Generator, GeneratorError> {
        let unknown = || GeneratorError::Unknown(text.to_owned());
        let wrong = |source| GeneratorError::Arguments { text: text.to_owned(), source };
        let (name, rest) = text.trim().split_once('(').ok_or_else(unknown)?;
        let inside = rest.strip_suffix(')');
        let inside = inside.ok_or_else(|| GeneratorError::Unclosed(text.to_owned()))?;
        let arguments = arguments(inside).map_err(wrong)?;
        generator(name.trim(), &arguments).map_err(|error| error.map_or_else(unknown, wrong))
    }
}

/// The longest piece of the input that an error message quotes.
fn shown(text: &str) -> String {
    text.chars().filter(|of| !of.is_control()).take(60).collect()
}

/// The error is None if there is no such generator.
fn generator(name: &str, arguments: &[Argument]) -> Result<Generator, Option<ArgumentError>> {
    use Argument::{Integer, Text, Word};
    let how = |how: &str| Err(Some(ArgumentError::Usage(how.to_owned())));
    match (name, arguments) {
        ("uniform", [Integer(from), Integer(to)]) => {
            ordered(*from, *to)?;
            Ok(Generator::Uniform { from: *from, to: *to })
        }
        ("uniform", _) => how("two whole numbers: uniform(1, 5_000_000)"),
        ("zipf", _) => Ok(zipf(arguments)?),
        ("seq", []) => Ok(Generator::Seq(0)),
        ("seq", [Integer(from)]) => Ok(Generator::Seq(*from)),
        ("seq", _) => how("seq() or seq(1)"),
        ("key", []) => Ok(Generator::Key(0)),
        ("key", [Integer(from)]) => Ok(Generator::Key(*from)),
        ("key", _) => how("key() or key(1)"),
        ("bytes", _) => Ok(Generator::Bytes(lengths("bytes", arguments)?)),
        ("text", _) => Ok(Generator::Text(lengths("text", arguments)?)),
        ("pattern", [Text(of)]) if of.len() as i64 <= MOST_BYTES => {
            Ok(Generator::Pattern(of.clone()))
        }
        ("pattern", _) => how("# for a digit and @ for a letter: pattern(\"##-@@\")"),
        ("now", []) => Ok(Generator::Now),
        ("now", _) => how("now()"),
        ("name", []) => Ok(Generator::Name),
        ("name", _) => how("name()"),
        ("value", []) => Ok(Generator::Value),
        ("value", _) => how("value()"),
        ("pick", _) => Ok(pick(arguments)?),
        ("row", [Word(table) | Text(table)]) => Ok(Generator::Row(table.clone())),
        ("row", _) => how("the name of a table: row(tellers)"),
        ("parent", [Word(table) | Text(table)]) => Ok(Generator::Parent(table.clone())),
        ("parent", _) => how("the name of a table: parent(branches)"),
        ("feed", [Word(feed) | Text(feed), Word(column) | Text(column)]) => {
            Ok(Generator::Feed { feed: feed.clone(), column: column.clone() })
        }
        ("feed", _) => how("a feed and its column: feed(users, email)"),
        _ => Err(None),
    }
}

fn ordered(from: i64, to: i64) -> Result<(), ArgumentError> {
    if from <= to { Ok(()) } else { Err(ArgumentError::Order { from, to }) }
}

fn zipf(arguments: &[Argument]) -> Result<Generator, ArgumentError> {
    use Argument::{Integer, Real};
    let how = || ArgumentError::Usage("zipf(1000, 0.99) or zipf(1, 1000, 0.99)".to_owned());
    let (from, to, theta) = match arguments {
        [Integer(to), theta] => (1, *to, theta),
        [Integer(from), Integer(to), theta] => (*from, *to, theta),
        _ => return Err(how()),
    };
    let theta = match theta {
        Real(theta) => *theta,
        Integer(theta) => *theta as f64,
        _ => return Err(how()),
    };
    ordered(from, to)?;
    if to.checked_sub(from).is_none_or(|span| span >= 1 << 53) {
        return Err(ArgumentError::Range);
    }
    if theta > 0.0 && theta <= 10.0 {
        Ok(Generator::Zipf { from, to, theta })
    } else {
        Err(ArgumentError::Theta(theta))
    }
}

fn lengths(name: &str, arguments: &[Argument]) -> Result<Lengths, ArgumentError> {
    let (from, to) = match arguments {
        [Argument::Integer(length)] => (*length, *length),
        [Argument::Integer(from), Argument::Integer(to)] => (*from, *to),
        _ => return Err(ArgumentError::Usage(format!("{name}(380) or {name}(10, 400)"))),
    };
    ordered(from, to)?;
    match (u32::try_from(from), u32::try_from(to)) {
        (Ok(from), Ok(to)) if i64::from(to) <= MOST_BYTES => Ok(Lengths { from, to }),
        _ => Err(ArgumentError::Length),
    }
}

fn pick(arguments: &[Argument]) -> Result<Generator, ArgumentError> {
    let each = arguments.iter().map(|one| match one {
        Argument::Integer(number) => Some(Picked::Integer(*number)),
        Argument::Text(text) => Some(Picked::Text(text.clone())),
        Argument::Real(_) | Argument::Word(_) => None,
    });
    match each.collect::<Option<Vec<_>>>() {
        Some(from) if (1..=MOST_PICKED).contains(&from.len()) => Ok(Generator::Pick(from)),
        Some(from) if !from.is_empty() => Err(ArgumentError::TooManyChoices(from.len())),
        _ => {
            let how = "texts in quotes, or whole numbers: pick(\"a\", \"b\")";
            Err(ArgumentError::Usage(how.to_owned()))
        }
    }
}

/// The arguments between the parentheses.
fn arguments(text: &str) -> Result<Vec<Argument>, ArgumentError> {
    let mut rest = text.trim();
    let mut all = Vec::new();
    while !rest.is_empty() {
        let (argument, behind) = argument(rest)?;
        all.push(argument);
        rest = behind.trim_start();
        match rest.strip_prefix(',') {
            None if rest.is_empty() => {}
            None => return Err(ArgumentError::NoComma(rest.to_owned())),
            Some(next) if next.trim().is_empty() => return Err(ArgumentError::NoArgument),
            Some(next) => rest = next.trim_start(),
        }
    }
    Ok(all)
}

/// The first argument, and the rest of the text.
fn argument(text: &str) -> Result<(Argument, &str), ArgumentError> {
    if let Some(quote) = text.chars().next().filter(|first| matches!(first, '"' | '\'')) {
        return quoted(&text[1..], quote);
    }
    let end = text.find(',').unwrap_or(text.len());
    let (word, rest) = (text[..end].trim(), &text[end..]);
    let number = word.replace('_', "");
    let starts_as_number =
        number.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first));
    if let Ok(number) = number.parse::<i64>() {
        return Ok((Argument::Integer(number), rest));
    }
    match number.parse::<f64>() {
        Ok(number) if starts_as_number => Ok((Argument::Real(number), rest)),
        _ if starts_as_number => Err(ArgumentError::NotANumber(word.to_owned())),
        _ if is_word(word) => Ok((Argument::Word(word.to_owned()), rest)),
        _ => Err(ArgumentError::NotAnArgument(word.to_owned())),
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|of| of.is_ascii_alphanumeric() || "_-".contains(of))
}

/// A text up to its closing quote; a doubled quote is part of the text.
fn quoted(text: &str, quote: char) -> Result<(Argument, &str), ArgumentError> {
    let mut inside = String::new();
    let mut rest = text;
    loop {
        let at = rest.find(quote).ok_or(ArgumentError::OpenQuote)?;
        inside.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match rest.strip_prefix(quote) {
            Some(behind) => {
                inside.push(quote);
                rest = behind;
            }
            None => return Ok((Argument::Text(inside), rest)),
        }
    }
}
