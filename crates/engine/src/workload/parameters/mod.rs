//! The parameters of user-defined operations, and the columns of their tables.
//!
//! A parameter of operation *n* is a pure function of the seed, *n* and its place; a column is a
//! pure function of its table and row only, so that what a load wrote can be verified by every
//! run. (`now()` is neither, and is documented so.)

use super::arguments::Arguments;
use super::error::{ParameterError, WorkloadError};
use super::feeds::Feeds;
use super::zipf::Zipf;
use super::{Drawn, Operations, Space, Values};
use crate::clock;
use crate::random::Random;
use record::{Custom, FeedOrder, Generator, Lengths, Parameter, Picked};

/// Random streams of an operation from which parameters and rows of feeds are drawn: beyond
/// those of keys.
const PARAMETERS: u64 = 1 << 40;
const FEEDS: u64 = 1 << 41;
/// Letters, digits and two marks: 64 characters, so that six bits select one of them.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The parameters of one operation, or the columns of one table.
#[derive(Clone, Debug)]
pub(super) struct Parameters(Vec<Source>);

/// A prepared generator.
#[derive(Clone, Debug)]
enum Source {
    Uniform { from: i64, to: i64 },
    Zipf { from: i64, zipf: Zipf },
    Seq(i64),
    Bytes(Lengths),
    Text(Lengths),
    Pattern(Box<[u8]>),
    Now,
    Pick(Box<[Picked]>),
    Key(i64),
    Name,
    Value,
    Parent { rows_per_parent: u64 },
    Feed { feed: usize, column: usize, rows: u64, order: FeedOrder },
}

/// The operation or row that parameters are drawn for.
pub(super) struct DrawContext<'a> {
    pub(super) operations: &'a Operations,
    pub(super) values: &'a Values,
    /// None for rows of tables.
    pub(super) feeds: Option<&'a Feeds>,
    pub(super) drawn: &'a Drawn,
    pub(super) bits: u64,
}

impl Parameters {
    /// Creates the parameters of this operation, or the columns of this table. `keys_per_row` is
    /// that of the table, or None for an operation.
    pub(super) fn new(
        (owner, each): (&str, &[Parameter]),
        custom: &Custom,
        keys: u64,
        keys_per_row: Option<u64>,
    ) -> Result<Parameters, WorkloadError> {
        let source = |of: &Parameter| {
            source(&of.from, custom, keys, keys_per_row).map_err(|source| {
                let parameter = format!("{} = {}", of.name, of.from);
                WorkloadError::Parameter { owner: owner.to_owned(), parameter, source }
            })
        };
        each.iter().map(source).collect::<Result<_, _>>().map(Parameters)
    }

    /// Draws all of them. Allocates only if the buffer is too small.
    pub(super) fn draw(&self, of: &DrawContext<'_>, to: &mut Arguments) {
        to.clear();
        for index in 0..self.0.len() {
            self.draw_one(index, of, to);
        }
    }

    /// Draws the one at this place and appends it.
    pub(super) fn draw_one(&self, index: usize, of: &DrawContext<'_>, to: &mut Arguments) {
        let mut random = Random::new(of.bits, PARAMETERS + index as u64);
        self.0[index].draw(of, &mut random, to);
    }
}

fn source(
    of: &Generator,
    custom: &Custom,
    keys: u64,
    keys_per_row: Option<u64>,
) -> Result<Source, ParameterError> {
    let table = |name: &String| {
        let found = custom.tables.iter().find(|table| table.name == *name);
        found.ok_or_else(|| ParameterError::NoTable(name.clone()))
    };
    Ok(match of {
        Generator::Uniform { from, to } => Source::Uniform { from: *from, to: *to },
        Generator::Zipf { from, to, theta } => {
            Source::Zipf { from: *from, zipf: Zipf::new(*theta, (to - from) as u64 + 1) }
        }
        Generator::Seq(from) => Source::Seq(*from),
        Generator::Bytes(lengths) => Source::Bytes(*lengths),
        Generator::Text(lengths) => Source::Text(*lengths),
        Generator::Pattern(of) => Source::Pattern(of.as_bytes().into()),
        Generator::Now if keys_per_row.is_some() => return Err(ParameterError::TimeInColumn),
        Generator::Now => Source::Now,
        Generator::Pick(from) => Source::Pick(from.as_slice().into()),
        Generator::Key(from) => Source::Key(*from),
        Generator::Name => Source::Name,
        Generator::Value => Source::Value,
        Generator::Row(name) => match table(name)?.rows(keys) {
            0 => return Err(ParameterError::NoRows(name.clone())),
            rows => Source::Uniform { from: 1, to: rows as i64 },
        },
        Generator::Parent(name) => match (keys_per_row, table(name)?.keys_per_row) {
            (None, _) => return Err(ParameterError::NoParent),
            (Some(mine), its) if its < mine || its % mine != 0 => {
                return Err(ParameterError::NotParent(name.clone()));
            }
            (Some(mine), its) => Source::Parent { rows_per_parent: its / mine },
        },
        Generator::Feed { .. } if keys_per_row.is_some() => {
            return Err(ParameterError::FeedInColumn);
        }
        Generator::Feed { feed, column } => from_feed(feed, column, custom)?,
    })
}

fn from_feed(feed: &str, column: &str, custom: &Custom) -> Result<Source, ParameterError> {
    let number = custom.feeds.iter().position(|of| of.name == feed);
    let number = number.ok_or_else(|| ParameterError::NoFeed(feed.to_owned()))?;
    let of = &custom.feeds[number];
    let at = of.columns.iter().position(|name| name == column);
    let column = at.ok_or_else(|| ParameterError::NoColumn {
        feed: feed.to_owned(),
        column: column.to_owned(),
        columns: of.columns.clone(),
    })?;
    match of.rows {
        0 => Err(ParameterError::EmptyFeed(feed.to_owned())),
        rows => Ok(Source::Feed { feed: number, column, rows, order: of.order }),
    }
}

impl Source {
    #[inline]
    fn draw(&self, of: &DrawContext<'_>, random: &mut Random, to: &mut Arguments) {
        let from = to.bytes.len();
        let Drawn { n, key, .. } = *of.drawn;
        match self {
            Source::Uniform { from, to: most } => to.integer(within(random, *from, *most)),
            Source::Zipf { from, zipf } => to.integer(from + zipf.rank(random) as i64),
            Source::Seq(first) => to.integer(first.wrapping_add(n as i64)),
            Source::Key(first) => to.integer(first.wrapping_add(key as i64)),
            Source::Parent { rows_per_parent } => to.integer((key / rows_per_parent) as i64 + 1),
            Source::Now => to.integer((clock::since_1970() / 1_000_000) as i64),
            Source::Pick(each) => match &each[random.below(each.len())] {
                Picked::Integer(number) => to.integer(*number),
                Picked::Text(text) => {
                    to.bytes.extend_from_slice(text.as_bytes());
                    to.text(from);
                }
            },
            Source::Bytes(lengths) => {
                bytes(random, *lengths, &mut to.bytes);
                to.any(from);
            }
            Source::Text(lengths) => {
                letters(random, *lengths, &mut to.bytes);
                to.text(from);
            }
            Source::Pattern(of) => {
                pattern(random, of, &mut to.bytes);
                to.text(from);
            }
            Source::Name => {
                of.operations.write_key(Space::Commands, key, &mut to.bytes);
                to.text(from);
            }
            // It has version n + 1, like other values; it is never read back.
            Source::Value => {
                of.values.write(key, n + 1, &mut to.bytes);
                to.any(from);
            }
            Source::Feed { feed, column, rows, order } => {
                let row = match order {
                    FeedOrder::Sequential => n % rows,
                    // Depends on the feed only, so that all its columns are of one row.
                    FeedOrder::Uniform => {
                        let mut random = Random::new(of.bits, FEEDS + *feed as u64);
                        within(&mut random, 0, *rows as i64 - 1) as u64
                    }
                };
                let feeds = of.feeds.expect("refused in columns");
                to.bytes.extend_from_slice(feeds.cell(*feed, row, *column));
                to.text(from);
            }
        }
    }
}

/// Returns a uniform number in the range including both ends, without bias: a number that would
/// make some results likelier is drawn again (Lemire 2019).
fn within(random: &mut Random, from: i64, to: i64) -> i64 {
    let count = (to.wrapping_sub(from) as u64).wrapping_add(1);
    if count == 0 {
        return random.next() as i64;
    }
    let mut product = u128::from(random.next()) * u128::from(count);
    if (product as u64) < count {
        let least = count.wrapping_neg() % count;
        while (product as u64) < least {
            product = u128::from(random.next()) * u128::from(count);
        }
    }
    from.wrapping_add((product >> 64) as i64)
}

fn length(random: &mut Random, of: Lengths) -> usize {
    if of.from == of.to {
        of.to as usize
    } else {
        within(random, of.from.into(), of.to.into()) as usize
    }
}

fn bytes(random: &mut Random, lengths: Lengths, to: &mut Vec<u8>) {
    let start = to.len();
    to.resize(start + length(random, lengths), 0);
    for word in to[start..].chunks_mut(8) {
        word.copy_from_slice(&random.next().to_le_bytes()[..word.len()]);
    }
}

fn letters(random: &mut Random, lengths: Lengths, to: &mut Vec<u8>) {
    let start = to.len();
    to.resize(start + length(random, lengths), 0);
    // Ten letters of six bits each from 64 bits.
    for ten in to[start..].chunks_mut(10) {
        let mut bits = random.next();
        for letter in ten {
            *letter = LETTERS[(bits & 63) as usize];
            bits >>= 6;
        }
    }
}

fn pattern(random: &mut Random, of: &[u8], to: &mut Vec<u8>) {
    to.extend(of.iter().map(|mark| match mark {
        b'#' => b'0' + random.below(10) as u8,
        b'@' => b'a' + random.below(26) as u8,
        other => *other,
    }));
}

#[cfg(test)]
mod tests;
