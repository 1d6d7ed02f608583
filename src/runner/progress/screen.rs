//! Drawing in place, by hand: the few control sequences that every terminal
//! knows. The cursor is never hidden and rests below the view, at the left: so
//! there is nothing to restore, whatever ends the process.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A terminal's size, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

impl Size {
    /// Where a terminal does not tell its own.
    pub(super) const USUAL: Size = Size { columns: 80, rows: 24 };

    pub(super) fn new(columns: u16, rows: u16) -> Size {
        Size { columns: usize::from(columns), rows: usize::from(rows) }
    }
}

/// One line of a view: text that may hold colours, and the room that it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    text: String,
    width: usize,
    room: usize,
    colour: bool,
}

/// What a piece of text is to look like.
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
    /// An empty line that will take `room` columns at most.
    pub(super) fn new(room: usize, colour: bool) -> Line {
        Line { text: String::new(), width: 0, room, colour }
    }

    /// Columns that it may take.
    pub(super) fn room(&self) -> usize {
        self.room
    }

    /// Adds text, cut where it does not fit.
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

/// The text, cut to so many columns with an ellipsis.
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

/// What stands above the cursor.
#[derive(Debug, Default)]
pub(super) struct Screen {
    /// Widths of the view's lines, as drawn.
    drawn: Vec<usize>,
}

impl Screen {
    /// What to write so that the old view is replaced by lines that stay and a
    /// new view. To be written at once, or it would flicker.
    ///
    /// Terminals wrap old lines anew when they become narrower; so a line may
    /// take several rows by now.
    pub(super) fn frame(&mut self, said: &[String], view: &[Line], size: Size) -> String {
        let columns = size.columns.max(1);
        let rows: usize = self.drawn.iter().map(|width| width.div_ceil(columns).max(1)).sum();
        let mut out = match rows {
            0 => String::new(),
            rows => format!("\r\x1b[{rows}A\x1b[J"),
        };
        for line in said.iter().map(String::as_str).chain(view.iter().map(|line| &*line.text)) {
            out += line;
            out.push('\n');
        }
        self.drawn = view.iter().map(|line| line.width).collect();
        out
    }
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;
