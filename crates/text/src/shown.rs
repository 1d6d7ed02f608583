//! Escapes foreign text. Text that a server sent, or that a user's file contains, passes
//! through here before a person sees it: on the terminal, in a page, in a log.
//!
//! The result is harmless text, not HTML: a page escapes its markup in addition.

/// Longest text that [`shown`] returns, in characters.
pub const LONGEST: usize = 200;

/// Longest sentence that [`shown_sentence`] returns, in characters.
const LONGEST_SENTENCE: usize = 4000;

/// Makes foreign text harmless and visible, at most [`LONGEST`] characters.
///
/// Control characters, bidirectional overrides and other invisible characters
/// become `\u{…}`, bytes that are not UTF-8 become `\xNN`, and
/// text that is too long ends in `…`. The result of this function is not changed again, so
/// calling it twice does no harm.
pub fn shown(text: impl AsRef<[u8]>) -> String {
    visible(text.as_ref(), LONGEST)
}

/// Makes one of our sentences harmless that may quote foreign text. It may be longer: a finding
/// is longer than a name, and cutting it would lose the remedy.
pub fn shown_sentence(text: impl AsRef<[u8]>) -> String {
    visible(text.as_ref(), LONGEST_SENTENCE)
}

/// Makes a text harmless that a reader must see completely, however long it is: a part
/// that is cut off could be the harmful one.
pub fn shown_whole(text: impl AsRef<[u8]>) -> String {
    visible(text.as_ref(), usize::MAX)
}

/// Makes a name harmless and shortens it to at most `longest` characters. The middle is left out, because names and
/// addresses often share their beginning and differ at the end.
pub fn short_name(name: &str, longest: usize) -> String {
    let name = shown(name);
    let chars: Vec<char> = name.chars().collect();
    if chars.len() <= longest {
        return name;
    }
    let kept = longest.saturating_sub(1);
    let (front, back) = (kept - kept / 2, kept / 2);
    let ends = [&chars[..front], &['…'], &chars[chars.len() - back..]];
    ends.concat().into_iter().collect()
}

/// Longest name of a case within a line, in characters.
const LONGEST_CASE: usize = 48;

/// The name of a case within a line.
pub fn short_case(name: &str) -> String {
    short_name(name, LONGEST_CASE)
}

/// Makes a message of several lines harmless, whose line breaks are kept.
pub fn shown_lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(shown_sentence).collect();
    lines.join("\n")
}

/// Whether a character must not be shown as it is: it moves the cursor,
/// changes the direction of text, or is invisible.
///
/// Unicode's categories Cc, Cf, Zl and Zp, and what it calls default-ignorable
/// (fillers, joiners, variation selectors).
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
            | '\u{890}'..='\u{891}' | '\u{8e2}' | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1345f}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

fn visible(bytes: &[u8], longest: usize) -> String {
    let mut out = Limited { text: String::new(), chars: 0, fits: 0, longest };
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            let fits = if is_hidden(c) {
                out.push(&c.escape_default().to_string())
            } else {
                out.push(c.encode_utf8(&mut [0; 4]))
            };
            if !fits {
                return out.cut();
            }
        }
        for byte in chunk.invalid() {
            if !out.push(&format!("\\x{byte:02x}")) {
                return out.cut();
            }
        }
    }
    out.text
}

/// Text that grows up to a limit and knows where it can be cut: never inside
/// an escape, which would then say something else.
struct Limited {
    text: String,
    chars: usize,
    /// Length in bytes up to which an ellipsis still fits after the text.
    fits: usize,
    longest: usize,
}

impl Limited {
    /// False when the piece did not fit: nothing was added.
    fn push(&mut self, piece: &str) -> bool {
        self.chars += piece.chars().count();
        if self.chars > self.longest {
            return false;
        }
        self.text.push_str(piece);
        if self.chars < self.longest {
            self.fits = self.text.len();
        }
        true
    }

    fn cut(mut self) -> String {
        self.text.truncate(self.fits);
        self.text.push('…');
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn makes_foreign_text_harmless() {
        let table: &[(&[u8], &str)] = &[
            (b"plain text, 87 bytes", "plain text, 87 bytes"),
            ("Größe → 東京".as_bytes(), "Größe → 東京"),
            (b"\x1b[31mred\x1b[0m", r"\u{1b}[31mred\u{1b}[0m"),
            (b"two\r\nlines\tand\0", r"two\r\nlines\tand\u{0}"),
            ("user\u{202e}gnp.exe".as_bytes(), r"user\u{202e}gnp.exe"),
            ("a\u{200b}b\u{feff}c\u{ad}d".as_bytes(), r"a\u{200b}b\u{feff}c\u{ad}d"),
            ("\u{9b}2J".as_bytes(), r"\u{9b}2J"),
            ("tag\u{e0041}".as_bytes(), r"tag\u{e0041}"),
            (b"\xff\xfe caf\xc3", r"\xff\xfe caf\xc3"),
            (b"<script>&\"'", "<script>&\"'"),
            (b"", ""),
        ];
        for (given, expected) in table {
            assert_eq!(&shown(given), expected);
        }
    }

    #[test]
    fn cuts_what_is_too_long_but_never_inside_an_escape() {
        assert_eq!(shown("x".repeat(200)), "x".repeat(200));
        assert_eq!(shown("x".repeat(201)), format!("{}…", "x".repeat(199)));
        let escape_at_the_end = format!("{}\u{202e}yz", "x".repeat(195));
        assert_eq!(shown(&escape_at_the_end), format!("{}…", "x".repeat(195)));
        let escape_just_fits = format!("{}\u{202e}", "x".repeat(192));
        assert_eq!(shown(&escape_just_fits), format!(r"{}\u{{202e}}", "x".repeat(192)));
        assert_eq!(shown_sentence("x".repeat(201)), "x".repeat(201));
        assert_eq!(shown_lines("one \x1b\ntwo\r\n"), "one \\u{1b}\ntwo\\r\n");
    }

    #[test]
    fn short_names_keep_both_ends() {
        assert_eq!(short_name("old", 5), "old");
        assert_eq!(short_name("http://127.0.0.1:8080/", 9), "http…080/");
        assert_eq!(short_name("a\u{202e}b", 24), r"a\u{202e}b");
    }

    proptest! {
        #[test]
        fn nothing_hidden_comes_out_and_twice_is_once(bytes: Vec<u8>, text: String) {
            for once in [shown(&bytes), shown(&text)] {
                prop_assert!(once.chars().count() <= LONGEST);
                prop_assert!(!once.chars().any(is_hidden));
                prop_assert_eq!(shown(&once), once.clone());
            }
        }
    }
}
