//! How the statements of databases differ.

/// How a database writes statements. What a method has as its default is what most of them do.
pub trait Dialect: Send + Sync {
    /// A quoted name.
    fn name(&self, name: &str) -> String;

    /// The name of a column of the contender's table, quoted if it is a reserved word.
    fn column(&self, name: &str) -> String {
        name.to_owned()
    }

    /// Appends the placeholder with this number, counted from 1.
    fn placeholder(&self, number: usize, to: &mut String);

    /// What an insert begins and ends with that leaves an existing row as it is.
    fn insert_missing(&self) -> (&'static str, &'static str);

    /// What an insert ends with that replaces an existing row.
    fn replacing(&self) -> &'static str;

    /// How a scan is written, whose columns have these names.
    fn scan(&self, key: &str) -> Scan {
        Scan { from: format!("{key} >= "), most: format!(" ORDER BY {key} LIMIT "), end: "" }
    }

    /// How a row is written, if that is no insert.
    fn merge(&self, _table: &str, _replaces: bool) -> Option<Merge> {
        None
    }

    /// Whether a backslash in a text escapes what follows, and so is doubled like a quote.
    fn escapes_by_backslash(&self) -> bool {
        false
    }

    /// Appends a quoted text.
    fn text(&self, text: &str, to: &mut String) {
        to.push('\'');
        for of in text.chars() {
            match of {
                '\'' => to.push_str("''"),
                '\\' if self.escapes_by_backslash() => to.push_str("\\\\"),
                _ => to.push(of),
            }
        }
        to.push('\'');
    }

    /// A quoted text.
    fn quoted(&self, text: &str) -> String {
        let mut quoted = String::with_capacity(text.len() + 2);
        self.text(text, &mut quoted);
        quoted
    }

    /// What bytes begin and end with, which are written as two hexadecimal digits each.
    fn around_bytes(&self) -> (&'static str, &'static str);

    /// Appends bytes, for statements without bound values.
    fn bytes(&self, bytes: &[u8], to: &mut String) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let (before, behind) = self.around_bytes();
        to.push_str(before);
        for byte in bytes {
            to.push(char::from(DIGITS[usize::from(byte >> 4)]));
            to.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
        to.push_str(behind);
    }

    /// What a negative number begins and ends with: after another minus, two of them would begin a
    /// comment.
    fn around_negative(&self) -> (&'static str, &'static str) {
        ("(", ")")
    }
}

/// The parts of a scan around its first key and its number of rows.
pub struct Scan {
    /// The condition, up to the first key.
    pub from: String,
    /// What follows, up to the number of rows.
    pub most: String,
    /// The end.
    pub end: &'static str,
}

/// The parts of a statement that writes a row, around its key and its value.
pub struct Merge {
    /// Up to the key.
    pub key: String,
    /// Between them.
    pub value: &'static str,
    /// The end.
    pub end: String,
}
