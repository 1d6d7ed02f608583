//! Draws in place with the few control sequences that every terminal supports. The cursor is never
//! hidden and stays below the view, at the left, so there is nothing to restore however the process
//! ends.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A terminal's size, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

impl Size {
    /// For a terminal that does not report its own.
    pub(super) const USUAL: Size = Size { columns: 80, rows: 24 };

    pub(super) fn new(columns: u16, rows: u16) -> Size {
        Size { columns: usize::from(columns), rows: usize::from(rows) }
    }
}

/// One line of a view: text that may contain colours, and the columns that it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    text: String,
    width: usize,
    room: usize,
    colour: bool,
}

/// The style of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paint {
    Plain,
    Strong,
    Faint,
    Done,
    Warning,
}

impl Paint {
    fn code(self) -> Option<&'static str> {
        match self {
            Paint::Plain => None,
            Paint::Strong => Some("1"),
            Paint::Faint => Some("2"),
            Paint::Done => Some("36"),
            Paint::Warning => Some("33"),
        }
    }
}

impl Line {
    /// An empty line of at most `room` columns.
    pub(super) fn new(room: usize, colour: bool) -> Line {
        Line { text: String::new(), width: 0, room, colour }
    }

    /// The maximum number of columns.
    pub(super) fn room(&self) -> usize {
        self.room
    }

    /// Adds text, shortened if it does not fit.
    pub(super) fn add(mut self, text: &str, paint: Paint) -> Line {
        let text = fitted(text, self.room - self.width);
        self.width += text.width();
        match paint.code().filter(|_| self.colour && !text.is_empty()) {
            Some(code) => self.text += &format!("\x1b[{code}m{text}\x1b[0m"),
            None => self.text += &text,
        }
        self
    }

    /// Adds empty columns up to this one.
    pub(super) fn to(self, column: usize) -> Line {
        let gap = " ".repeat(column.saturating_sub(self.width));
        self.add(&gap, Paint::Plain)
    }

    #[cfg(test)]
    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

/// The text, shortened to this many columns with an ellipsis.
pub(super) fn fitted(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut left = room.saturating_sub(1);
    for c in text.chars() {
        let width = c.width().unwrap_or(0);
        if width > left {
            break;
        }
        left -= width;
        out.push(c);
    }
    if room > 0 {
        out.push('…');
    }
    out
}

/// The lines above the cursor.
#[derive(Debug, Default)]
pub(super) struct Screen {
    /// Widths of the view's lines, as drawn.
    drawn: Vec<usize>,
}

impl Screen {
    /// The text that replaces the old view by lines that stay and a new view. It must be written in
    /// one piece, or it would flicker.
    ///
    /// Terminals rewrap old lines when they become narrower, so a line may take several rows by
    /// now.
    pub(super) fn frame(&mut self, sentences: &[String], view: &[Line], size: Size) -> String {
        let columns = size.columns.max(1);
        let rows: usize = self.drawn.iter().map(|width| width.div_ceil(columns).max(1)).sum();
        let mut out = match rows {
            0 => String::new(),
            rows => format!("\r\x1b[{rows}A\x1b[J"),
        };
        for line in sentences.iter().map(String::as_str).chain(view.iter().map(|line| &*line.text))
        {
            out += line;
            out.push('\n');
        }
        self.drawn = view.iter().map(|line| line.width).collect();
        out
    }
}

#[cfg(test)]
mod tests;
