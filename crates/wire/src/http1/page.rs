//! The words of an error page.

use alloc::string::String;
use core::str;

/// How much of a page is looked at.
const LOOKED_AT: usize = 4096;
/// Elements whose content nobody reads.
const UNREAD: [&str; 3] = ["head", "script", "style"];

/// Returns the first words of a body: those of an HTML page without its tags, and any other text as it is, in one
/// line. Returns None if there are none, or if the body is not text. They may contain anything that is
/// visible or invisible, but no control characters.
pub fn first_words(body: &[u8]) -> Option<String> {
    let text = beginning(&body[..body.len().min(LOOKED_AT)]);
    let text = if text.trim_start().starts_with('<') { without_tags(text) } else { text.into() };
    if text.chars().any(|c| c.is_control() && !c.is_whitespace()) {
        return None;
    }
    let mut words = String::new();
    for word in text.split_whitespace() {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    }
    (!words.is_empty()).then_some(words)
}

/// The part that is UTF-8.
fn beginning(bytes: &[u8]) -> &str {
    match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    }
}

fn without_tags(page: &str) -> String {
    let (mut words, mut rest) = (String::new(), page);
    while let Some((before, tag)) = rest.split_once('<') {
        words.push_str(before);
        words.push(' ');
        let (tag, after) = tag.split_once('>').unwrap_or((tag, ""));
        rest = after;
        let name = tag.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        if let Some(unread) = UNREAD.iter().find(|unread| unread.eq_ignore_ascii_case(name)) {
            rest = after_end(rest, unread);
        }
    }
    words.push_str(rest);
    words
}

/// What follows the end of this element. Empty if it does not end.
fn after_end<'p>(page: &'p str, element: &str) -> &'p str {
    let ends = page.match_indices("</").find(|(at, _)| {
        page.get(at + 2..at + 2 + element.len())
            .is_some_and(|name| name.eq_ignore_ascii_case(element))
    });
    ends.map_or("", |(at, _)| &page[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_reduced_to_what_a_reader_sees() {
        let table: &[(&[u8], Option<&str>)] = &[
            (b"upstream  timed\r\nout\n", Some("upstream timed out")),
            (br#"{"error": "a < b"}"#, Some(r#"{"error": "a < b"}"#)),
            (
                b"<html>\r\n<head><title>502</title></head>\r\n<body><center><h1>502 Bad \
                  Gateway</h1></center><hr>nginx</body>",
                Some("502 Bad Gateway nginx"),
            ),
            (b"<!DOCTYPE html><HEAD><p>x</HEAD><style>p{}</style>no <b>db", Some("no db")),
            (b"<Error><Code>NoSuchKey</Code></Error>", Some("NoSuchKey")),
            (b"<script>alert(1)", None),
            (b"<<", None),
            (b"", None),
            (b" \r\n", None),
            (b"\x1f\x8b\x08\x00", None),
            (b"a\x1b[2J", None),
            ("é".as_bytes(), Some("é")),
            (b"cut \xc3", Some("cut")),
        ];
        for (body, words) in table {
            assert_eq!(first_words(body).as_deref(), *words, "{:?}", body.escape_ascii());
        }
    }

    #[test]
    fn a_long_page_is_not_read_to_its_end() {
        let mut page = alloc::vec![b' '; LOOKED_AT];
        page.extend_from_slice(b"words");
        assert_eq!(first_words(&page), None);
    }
}
