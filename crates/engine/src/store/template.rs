//! A command of one's own: fixed words with places for what an operation brings.

/// The name of a key of the contender's own.
pub(super) const KEY: &str = "{key}";
/// A value, made as the workload says.
pub(super) const VALUE: &str = "{value}";
/// The operation's number.
pub(super) const NUMBER: &str = "{number}";

/// A command, read ahead: an operation only copies.
#[derive(Clone, Debug)]
pub(super) struct Template {
    words: Vec<Vec<Piece>>,
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(Box<[u8]>),
    Key,
    Value,
    Number,
}

/// What an operation brings.
pub(super) struct Filling<'a> {
    pub(super) key: &'a [u8],
    pub(super) value: &'a [u8],
    pub(super) number: u64,
}

impl Template {
    pub(super) fn new(words: &[String]) -> Template {
        Template { words: words.iter().map(|word| pieces(word)).collect() }
    }

    /// Appends the words end to end, and where each ends.
    pub(super) fn fill(&self, with: &Filling<'_>, to: &mut Vec<u8>, ends: &mut Vec<u32>) {
        for word in &self.words {
            for piece in word {
                match piece {
                    Piece::Text(text) => to.extend_from_slice(text),
                    Piece::Key => to.extend_from_slice(with.key),
                    Piece::Value => to.extend_from_slice(with.value),
                    Piece::Number => wire::push_decimal(to, with.number),
                }
            }
            ends.push(to.len() as u32);
        }
    }
}

fn pieces(word: &str) -> Vec<Piece> {
    let places = [(KEY, Piece::Key), (VALUE, Piece::Value), (NUMBER, Piece::Number)];
    let mut pieces = Vec::new();
    let mut rest = word;
    loop {
        let found = places.iter().filter_map(|(name, piece)| Some((rest.find(name)?, name, piece)));
        let Some((at, name, piece)) = found.min_by_key(|found| found.0) else { break };
        if at > 0 {
            pieces.push(Piece::Text(rest.as_bytes()[..at].into()));
        }
        pieces.push(piece.clone());
        rest = &rest[at + name.len()..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.as_bytes().into()));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(words: &[&str], number: u64) -> Vec<String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        let with = Filling { key: b"k1", value: b"vv", number };
        Template::new(&words).fill(&with, &mut bytes, &mut ends);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let word = |(from, to): (u32, u32)| {
            String::from_utf8_lossy(&bytes[from as usize..to as usize]).into_owned()
        };
        starts.zip(ends.iter().copied()).map(word).collect()
    }

    #[test]
    fn places_are_filled_wherever_they_stand() {
        for (words, wanted) in [
            (&["LPUSH", "{key}", "{value}"][..], &["LPUSH", "k1", "vv"][..]),
            (&["ZADD", "board:{key}", "{number}", "{key}"], &["ZADD", "board:k1", "70", "k1"]),
            (&["X", "{key}{number}a{key}b", "", "{keys}"], &["X", "k170ak1b", "", "{keys}"]),
            (&["PING"], &["PING"]),
        ] {
            assert_eq!(filled(words, 70), wanted);
        }
        assert_eq!(filled(&["{number}"], 0), ["0"]);
        assert_eq!(filled(&["{number}"], u64::MAX), ["18446744073709551615"]);
    }
}
