//! Templates of user-defined operations: fixed text with placeholders that each operation fills.

/// A list of words that was parsed in advance, so that an operation only copies.
#[derive(Clone, Debug)]
pub struct Template {
    words: Vec<Vec<TemplatePiece>>,
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq)]
enum TemplatePiece {
    Text(Box<[u8]>),
    /// A placeholder: its number in the list of names.
    Place(usize),
}

impl Template {
    /// Parses `words`, in which each of `names` in braces is a placeholder.
    pub fn new<'n>(words: &[String], names: impl Iterator<Item = &'n str> + Clone) -> Template {
        let names: Vec<String> = names.map(|name| format!("{{{name}}}")).collect();
        Template { words: words.iter().map(|word| pieces(word, &names)).collect() }
    }

    /// Returns true if it has no placeholder.
    pub fn is_fixed(&self) -> bool {
        let text = |piece: &TemplatePiece| matches!(piece, TemplatePiece::Text(_));
        self.words.iter().flatten().all(text)
    }

    /// Appends the words without separators, and the end of each. `put` writes the value of the
    /// placeholder with the given number.
    #[inline]
    pub fn fill(
        &self,
        to: &mut Vec<u8>,
        mut put: impl FnMut(usize, &mut Vec<u8>),
        mut ended: impl FnMut(u32),
    ) {
        for word in &self.words {
            for piece in word {
                match piece {
                    TemplatePiece::Text(text) => to.extend_from_slice(text),
                    TemplatePiece::Place(number) => put(*number, to),
                }
            }
            ended(to.len() as u32);
        }
    }
}

fn pieces(word: &str, names: &[String]) -> Vec<TemplatePiece> {
    let mut pieces = Vec::new();
    let mut rest = word;
    loop {
        let found = names.iter().enumerate();
        let found = found.filter_map(|(number, name)| Some((rest.find(name)?, number)));
        let Some((at, number)) = found.min() else { break };
        if at > 0 {
            pieces.push(TemplatePiece::Text(rest.as_bytes()[..at].into()));
        }
        pieces.push(TemplatePiece::Place(number));
        rest = &rest[at + names[number].len()..];
    }
    if !rest.is_empty() {
        pieces.push(TemplatePiece::Text(rest.as_bytes().into()));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(words: &[&str]) -> Vec<String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let template = Template::new(&words, ["key", "n", "users.name"].into_iter());
        let with = ["k1", "70", "Ann"];
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        let put = |index: usize, to: &mut Vec<u8>| to.extend_from_slice(with[index].as_bytes());
        template.fill(&mut bytes, put, |end| ends.push(end));
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let word = |(from, to): (u32, u32)| {
            String::from_utf8_lossy(&bytes[from as usize..to as usize]).into_owned()
        };
        starts.zip(ends.iter().copied()).map(word).collect()
    }

    #[test]
    fn places_are_filled_wherever_they_stand() {
        for (words, wanted) in [
            (&["LPUSH", "{key}", "{n}"][..], &["LPUSH", "k1", "70"][..]),
            (&["ZADD", "board:{key}", "{n}", "{key}"], &["ZADD", "board:k1", "70", "k1"]),
            (&["X", "{key}{n}a{key}b", "", "{keys}"], &["X", "k170ak1b", "", "{keys}"]),
            (&["{\"of\":{{users.name}}}"], &["{\"of\":{Ann}}"]),
            (&["PING"], &["PING"]),
        ] {
            assert_eq!(filled(words), wanted);
        }
    }
}
