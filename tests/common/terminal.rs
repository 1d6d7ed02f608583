//! A terminal for tests: its content and the position of the cursor. It knows the control
//! sequences that the live view uses, rewraps old lines when its width changes, as terminals do,
//! and panics at any other sequence.

/// A terminal with what was written to it. Lines that scrolled away are kept.
pub(crate) struct Terminal {
    columns: usize,
    rows: usize,
    /// Lines as ended by newlines; each takes at least one row.
    lines: Vec<Vec<char>>,
    line: usize,
    at: usize,
    pub(crate) cursor_visible: bool,
}

impl Terminal {
    pub(crate) fn new(columns: usize, rows: usize) -> Terminal {
        let lines = vec![Vec::new()];
        Terminal { columns, rows, lines, line: 0, at: 0, cursor_visible: true }
    }

    #[allow(dead_code, reason = "each user of this file uses a part of it")]
    pub(crate) fn resize(&mut self, columns: usize) {
        self.columns = columns;
    }

    /// Returns all lines from the first on, without empty ones at the end.
    pub(crate) fn text(&self) -> String {
        let lines = self.lines.iter().map(|line| line.iter().collect::<String>());
        let lines: Vec<String> = lines.map(|line| line.trim_end().to_owned()).collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// Returns line and column of the cursor, counted from 0.
    pub(crate) fn cursor(&self) -> (usize, usize) {
        (self.line, self.at)
    }

    /// Takes what was written, up to an incomplete sequence, and returns the rest.
    pub(crate) fn feed<'t>(&mut self, text: &'t str) -> &'t str {
        let mut left = text;
        while let Some(c) = left.chars().next() {
            if c == '\x1b' {
                let Some(end) = left.find(|c: char| c.is_ascii_alphabetic()) else { return left };
                self.control(&left[1..=end]);
                left = &left[end + 1..];
                continue;
            }
            left = &left[c.len_utf8()..];
            match c {
                '\r' => self.at = self.at / self.columns * self.columns,
                '\n' => self.next_line(),
                c => self.put(c),
            }
        }
        left
    }

    fn control(&mut self, sequence: &str) {
        let (number, command) = sequence.split_at(sequence.len() - 1);
        match (number.trim_start_matches('['), command) {
            (_, "m") => {}
            (rows, "A") => self.up(rows.parse().expect("a number of rows")),
            ("", "J") => {
                self.lines.truncate(self.line + 1);
                self.lines[self.line].truncate(self.at);
            }
            ("?25", "l") => self.cursor_visible = false,
            ("?25", "h") => self.cursor_visible = true,
            _ => panic!("ESC {sequence:?} is not known"),
        }
    }

    fn next_line(&mut self) {
        (self.line, self.at) = (self.line + 1, 0);
        if self.line == self.lines.len() {
            self.lines.push(Vec::new());
        }
    }

    fn put(&mut self, c: char) {
        let line = &mut self.lines[self.line];
        if line.len() <= self.at {
            line.resize(self.at + 1, ' ');
        }
        line[self.at] = c;
        self.at += 1;
    }

    /// Returns how many rows a line takes.
    fn rows_of(&self, line: usize) -> usize {
        self.lines[line].len().div_ceil(self.columns).max(1)
    }

    /// Moves up, but not beyond the top of the screen.
    fn up(&mut self, rows: usize) {
        let above: usize = (0..self.line).map(|line| self.rows_of(line)).sum();
        let here = above + self.at / self.columns;
        let all: usize = (0..self.lines.len()).map(|line| self.rows_of(line)).sum();
        let mut row = here.saturating_sub(rows).max(all.saturating_sub(self.rows));
        let column = self.at % self.columns;
        self.line = 0;
        while row >= self.rows_of(self.line) {
            row -= self.rows_of(self.line);
            self.line += 1;
        }
        self.at = row * self.columns + column;
    }
}
