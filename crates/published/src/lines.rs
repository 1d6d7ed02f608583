//! Recovers a line as it was printed from what a terminal, an editor or an article made of it.

/// Elements that end a line in an article.
const BREAKS: &[&str] = &[
    "br",
    "p",
    "div",
    "li",
    "tr",
    "pre",
    "ul",
    "ol",
    "table",
    "blockquote",
    "section",
    "article",
    "dd",
    "dt",
    "hr",
];

/// Headings, which name the run below them.
const HEADINGS: &[&str] = &["h1", "h2", "h3", "h4", "h5", "h6"];

/// Elements that are removed. Other text in angle brackets is kept: pgbench prints `<builtin: TPC-B
/// (sort of)>`.
const DROPPED: &[&str] = &[
    "a", "abbr", "b", "body", "code", "em", "font", "head", "html", "i", "img", "kbd", "main",
    "meta", "s", "samp", "small", "span", "strong", "sub", "sup", "tbody", "thead", "title", "tt",
    "u", "var", "dl", "link",
];

/// Elements that a reader sees as separated by space.
const CELLS: &[&str] = &["td", "th"];

/// The lines that a reader sees in one line of a file: without terminal escapes and markup, and
/// split at carriage returns and at HTML elements that begin a new line.
pub(crate) fn seen(line: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(line);
    let text =
        if text.contains('\u{1b}') { text::escapes::without(&text) } else { text.into_owned() };
    let text = if text.contains('<') { without_markup(&text) } else { text };
    let text = if text.contains('&') { text::entities::decoded(&text) } else { text };
    let parts = text.split(['\n', '\r']).map(tidied);
    parts.filter(|part| !part.trim().is_empty()).collect()
}

/// At most this many bytes from the beginning of a text, and no part of a character.
pub(crate) fn beginning(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let ends = (0..=bytes).rev().find(|at| text.is_char_boundary(*at));
    &text[..ends.unwrap_or(0)]
}

/// Removes the quotation marks of mail, and replaces special spaces by plain ones. Non-breaking
/// spaces between digits are removed, because they group the digits of a figure.
fn tidied(line: &str) -> String {
    let mut line = line;
    while let Some(rest) = line.trim_start().strip_prefix("> ") {
        line = rest;
    }
    let hard = |c: char| matches!(c, '\u{a0}' | '\u{202f}' | '\u{2009}' | '\u{2007}');
    if !line.contains(hard) {
        return line.trim_end().to_owned();
    }
    let chars: Vec<char> = line.chars().collect();
    let digit =
        |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_digit);
    let kept = chars.iter().enumerate().filter_map(|(at, c)| {
        if !hard(*c) {
            Some(*c)
        } else if digit(at.checked_sub(1)) && digit(Some(at + 1)) {
            None
        } else {
            Some(' ')
        }
    });
    kept.collect::<String>().trim_end().to_owned()
}

fn without_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        // A tag contains no `<`; looking further would read the rest of the line for each one.
        let end =
            tag[1..].find(['<', '>']).map(|end| end + 1).filter(|end| &tag[*end..=*end] == ">");
        match end.and_then(|end| Some((end, replacement(&tag[1..end])?))) {
            Some((end, instead)) => {
                out.push_str(instead);
                rest = &tag[end + 1..];
            }
            None => {
                out.push('<');
                rest = &tag[1..];
            }
        }
    }
    out + rest
}

/// Returns what replaces a tag, or None if the tag is unknown.
fn replacement(inside: &str) -> Option<&'static str> {
    if inside.starts_with("!--") || inside.starts_with("!doctype") || inside.starts_with("!DOCTYPE")
    {
        return Some("");
    }
    let name = inside.trim_start_matches('/');
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    let name = name[..end].to_ascii_lowercase();
    let is_in = |names: &[&str]| names.contains(&name.as_str());
    if is_in(HEADINGS) {
        Some(if inside.starts_with('/') { "\n" } else { "\n# " })
    } else if is_in(BREAKS) {
        Some("\n")
    } else if is_in(CELLS) {
        Some(" ")
    } else {
        is_in(DROPPED).then_some("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_is_what_a_reader_sees() {
        let table: &[(&str, &[&str])] = &[
            ("Complete requests:      1000\r\n", &["Complete requests:      1000"]),
            ("\u{1b}[32mRequests/sec:\u{1b}[0m 12", &["Requests/sec: 12"]),
            ("\u{1b}]0;title\u{7}text", &["text"]),
            ("<p>Failed requests: 3<br/>Time: 4</p>", &["Failed requests: 3", "Time: 4"]),
            (
                "transaction type: <builtin: TPC-B (sort of)>",
                &["transaction type: <builtin: TPC-B (sort of)>"],
            ),
            ("50.000% <= 0.239 milliseconds", &["50.000% <= 0.239 milliseconds"]),
            ("50.000% &lt;= 0.239 &micro;s&#33;", &["50.000% <= 0.239 µs!"]),
            ("<td>Rate</td><td>5&nbsp;207,31</td>", &[" Rate  5207,31"]),
            ("<h2 class=\"x\">nginx</h2>", &["# nginx"]),
            ("> > quoted", &["quoted"]),
            ("a & b &unknown; &#xffffffff;", &["a & b &unknown; &#xffffffff;"]),
            ("SET: rps=1\r   \rGET: rps=2", &["SET: rps=1", "GET: rps=2"]),
            ("", &[]),
        ];
        for (line, expected) in table {
            assert_eq!(seen(line.as_bytes()), *expected, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_lines(bytes: Vec<u8>, text in "[<>&;/a-z#0-9 \u{1b}\\[\r\n]{0,80}") {
            for line in seen(&bytes).into_iter().chain(seen(text.as_bytes())) {
                prop_assert!(!line.contains(['\n', '\r']) && !line.trim().is_empty());
            }
        }
    }
}
