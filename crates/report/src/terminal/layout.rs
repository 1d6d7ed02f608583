//! Lines, wrapping and colours.

use crate::Style;
use text::units::JOINT;
use unicode_width::UnicodeWidthStr;

/// Sentences are not wider than this, however wide the terminal is: they would be hard to read.
const WIDEST: usize = 100;
/// Minimum columns between text and the word at the right edge.
const GAP: usize = 2;
/// The column in which the text of an entry begins, after its label.
pub(super) const ENTRY: usize = 11;
/// The smallest width that is used.
const NARROWEST: usize = 30;

/// The style of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paint {
    Plain,
    Strong,
    Good,
    Bad,
    Warning,
    Alarm,
}

/// A page that grows line by line.
pub(super) struct Page {
    style: Style,
    out: String,
}

impl Page {
    pub(super) fn new(style: Style) -> Self {
        Page { style, out: String::new() }
    }

    /// Columns that a line may take.
    pub(super) fn width(&self) -> usize {
        self.style.width.clamp(NARROWEST, WIDEST)
    }

    /// The page as text. Lines are laid out by now, so the joints between figures and units can
    /// become plain spaces, which can be searched for.
    pub(super) fn finish(self) -> String {
        self.out.replace(JOINT, " ")
    }

    pub(super) fn blank(&mut self) {
        self.out.push('\n');
    }

    /// Wrapped text with all lines indented alike.
    pub(super) fn wrapped(&mut self, indent: usize, text: &str, paint: Paint) {
        for line in wrap(text, self.width().saturating_sub(indent)) {
            let line = self.painted(&line, paint);
            self.line(indent, &line);
        }
    }

    /// Wrapped sentences, each on lines of its own.
    pub(super) fn sentences<S: AsRef<str>>(
        &mut self,
        indent: usize,
        sentences: impl IntoIterator<Item = S>,
        paint: Paint,
    ) {
        sentences.into_iter().for_each(|text| self.wrapped(indent, text.as_ref(), paint));
    }

    /// Whether text and a word at the right edge share one line.
    pub(super) fn fits(&self, indent: usize, text: &str, word: &str) -> bool {
        indent + text.width() + GAP + word.len() <= self.width()
    }

    /// Text with a word at the right edge of its last line.
    pub(super) fn judged(&mut self, indent: usize, text: &str, word: &str, paint: Paint) {
        let room = self.width().saturating_sub(indent);
        let mut lines = wrap(text, room);
        let last = lines.last().map_or("", String::as_str);
        if !self.fits(indent, last, word) {
            lines.push(String::new());
        }
        let last = lines.pop().unwrap_or_default();
        for line in lines {
            self.line(indent, &line);
        }
        let space = " ".repeat(room.saturating_sub(last.width() + word.len()));
        let word = self.painted(word, paint);
        self.line(indent, &format!("{last}{space}{word}"));
    }

    /// A painted label, then text.
    pub(super) fn labelled(&mut self, indent: usize, label: &str, paint: Paint, text: &str) {
        let room = self.width().saturating_sub(indent);
        let label = format!("{label}:");
        for (at, line) in wrap(&format!("{label} {text}"), room).iter().enumerate() {
            let line = match at {
                0 => line.replacen(&label, &self.painted(&label, paint), 1),
                _ => line.clone(),
            };
            self.line(indent, &line);
        }
    }

    /// A painted label in a column of its own, and text beside it.
    pub(super) fn entry(&mut self, label: &str, paint: Paint, text: &str) {
        let room = self.width().saturating_sub(ENTRY);
        for (at, line) in wrap(text, room).iter().enumerate() {
            let label = if at == 0 { label } else { "" };
            let space = " ".repeat(ENTRY.saturating_sub(2 + label.width()).max(1));
            let label = self.painted(label, paint);
            self.line(2, &format!("{label}{space}{line}"));
        }
    }

    /// Number of lines.
    pub(super) fn height(&self) -> usize {
        self.out.lines().count()
    }

    /// Appends all lines of another page.
    pub(super) fn append(&mut self, other: Page) {
        self.out.push_str(&other.out);
    }

    pub(super) fn line(&mut self, indent: usize, text: &str) {
        self.out.extend(std::iter::repeat_n(' ', indent));
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    pub(super) fn painted(&self, text: &str, paint: Paint) -> String {
        let code = match paint {
            Paint::Plain => return text.to_owned(),
            _ if !self.style.colour || text.is_empty() => return text.to_owned(),
            Paint::Strong => "1",
            Paint::Good => "1;32",
            Paint::Bad => "1;31",
            Paint::Warning => "33",
            Paint::Alarm => "1;31",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// Lines of at most `width` columns, broken at spaces if possible. Returns at least one line.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ').flat_map(|word| pieces(word, width)) {
        let line = lines.last_mut().expect("never empty");
        if line.is_empty() {
            line.push_str(&word);
        } else if line.width() + 1 + word.width() <= width {
            line.push(' ');
            line.push_str(&word);
        } else {
            lines.push(word);
        }
    }
    lines
}

/// Cuts a word into pieces of at most `width` columns.
fn pieces(word: &str, width: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for c in word.chars() {
        let c = c.encode_utf8(&mut [0; 4]).to_owned();
        let piece = pieces.last_mut().expect("never empty");
        if piece.width() + c.width() <= width { piece.push_str(&c) } else { pieces.push(c) }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_at_spaces_and_cuts_what_has_none() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij kl", 4), ["abcd", "efgh", "ij", "kl"]);
        assert_eq!(wrap("東京都 x", 4), ["東京", "都 x"]);
        assert_eq!(wrap("", 4), [""]);
    }

    #[test]
    fn the_word_is_at_the_right_edge() {
        let lines = |text: &str| {
            let mut page = Page::new(Style { colour: false, width: 30 });
            page.judged(2, text, "FASTER", Paint::Good);
            page.finish()
        };
        assert_eq!(lines("short"), "  short                 FASTER\n");
        let full = "a line that takes it all up";
        assert_eq!(lines(full), format!("  {full}\n                        FASTER\n"));
    }

    #[test]
    fn colours_only_when_asked() {
        let page = |colour| Page::new(Style { colour, width: 80 });
        assert_eq!(page(false).painted("x", Paint::Bad), "x");
        assert_eq!(page(true).painted("x", Paint::Bad), "\x1b[1;31mx\x1b[0m");
    }
}
