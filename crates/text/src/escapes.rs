//! The escape sequences of terminals.

/// Removes the sequences of ECMA-48: `ESC [ … letter`, `ESC ] … BEL`, `ESC letter`.
pub fn without(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('[') => drop(chars.find(|c| ('\u{40}'..='\u{7e}').contains(c))),
            Some(']') => drop(chars.find(|c| *c == '\u{7}' || *c == '\u{9c}')),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn colours_titles_and_cut_sequences_are_removed() {
        for (text, expected) in [
            ("plain", "plain"),
            ("\u{1b}[1;32mgreen\u{1b}[0m 1", "green 1"),
            ("\u{1b}]0;title\u{7}text", "text"),
            ("\u{1b}Mup", "up"),
            ("cut\u{1b}[1;3", "cut"),
            ("\u{1b}", ""),
        ] {
            assert_eq!(without(text), expected);
        }
    }
}
