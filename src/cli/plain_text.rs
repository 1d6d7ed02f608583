//! Plain text for the terminal.

/// Breaks a text into lines of at most `width` columns. The first line begins with `lead`,
/// the others are indented by its width. Words are never broken.
pub(super) fn wrapped(lead: &str, text: &str, width: usize) -> String {
    let indent = lead.chars().count();
    let mut out = lead.to_owned();
    let mut column = indent;
    for (at, word) in text.split_whitespace().enumerate() {
        let length = word.chars().count();
        if at > 0 && column + 1 + length > width {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        } else if at > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("  why: ", "short", 40), "  why: short\n");
        assert_eq!(wrapped("why: ", "one two three", 12), "why: one two\n     three\n");
        assert_eq!(wrapped("> ", "unbreakable", 5), "> unbreakable\n");
    }
}
