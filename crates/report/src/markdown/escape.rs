//! Escapes text for GitHub's Markdown.
//!
//! Besides markup, GitHub links addresses, issue numbers and people's names anywhere in text. An
//! empty comment between two characters prevents that and is not visible.

use text::shown::shown_sentence;

const NOTHING: &str = "<!-- -->";

/// A sentence that may quote foreign text.
pub(super) fn text(sentence: &str) -> String {
    let sentence = shown_sentence(sentence);
    let mut out = String::with_capacity(sentence.len());
    for c in sentence.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // A backslash would not keep it from ending a cell.
            '|' => out.push_str("&#124;"),
            '@' | '#' => out.extend([c.to_string().as_str(), NOTHING]),
            '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '$' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    let out =
        out.replace("://", &format!(":{NOTHING}//")).replace("www.", &format!("www{NOTHING}."));
    without_references(&out)
}

/// Breaks what GitHub takes for an issue (`GH-12`), a commit (7 to 40 hexadecimal digits with a letter among them) or
/// an emoji (`:tada:`).
fn without_references(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let word = piece.trim_end_matches(|c: char| !c.is_alphanumeric());
        if word.eq_ignore_ascii_case("gh") {
            out.extend([word, NOTHING, &piece[word.len()..]]);
        } else if is_commit(word) {
            out.extend([&piece[..1], NOTHING, &piece[1..]]);
        } else {
            out.push_str(piece);
        }
    }
    let is_emoji = |of: &str| {
        !of.is_empty() && of.chars().all(|c| c.is_ascii_alphanumeric() || "+-_\\".contains(c))
    };
    let last = out.matches(':').count();
    let pieces = out.split(':').enumerate().map(|(at, piece)| {
        let is_between = at > 0 && at < last;
        if is_between && is_emoji(piece) { format!("{NOTHING}{piece}") } else { piece.to_owned() }
    });
    pieces.collect::<Vec<String>>().join(":")
}

fn is_commit(word: &str) -> bool {
    (7..=40).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && word.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// A name as code, in which GitHub links nothing.
pub(super) fn code(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_.:/+#~<>=()×% ".contains(c);
    if !name.trim().is_empty() && name.chars().all(plain) {
        format!("`{name}`")
    } else {
        format!("<code>{}</code>", text(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_not_markup() {
        let table = [
            ("plain, 1.31x (5 %)!", "plain, 1.31x (5 %)!"),
            ("a|b", "a&#124;b"),
            ("<script>&", "&lt;script&gt;&amp;"),
            ("*x* _y_ `z` ~w~ $v$", r"\*x\* \_y\_ \`z\` \~w\~ \$v\$"),
            ("[x](http://y)", r"\[x\](http:<!-- -->//y)"),
            ("@team fixes #1", "@<!-- -->team fixes #<!-- -->1"),
            ("see www.x.org", "see www<!-- -->.x.org"),
            ("fixes GH-12, gh-3", "fixes GH<!-- -->-12, gh<!-- -->-3"),
            ("at 3ff2ee9, in 1056588 ns", "at 3<!-- -->ff2ee9, in 1056588 ns"),
            ("x_deadbeef1", r"x\_d<!-- -->eadbeef1"),
            (":tada: or :no_entry:", r":<!-- -->tada: or :<!-- -->no\_entry:"),
            ("case: 127.0.0.1:8080", "case: 127.0.0.1:8080"),
            ("gh: ümlaut: 東京:", "gh<!-- -->: ümlaut: 東京:"),
            (r"\*", r"\\\*"),
            ("two\nlines", r"two\\nlines"),
        ];
        for (given, expected) in table {
            assert_eq!(text(given), expected);
        }
    }

    #[test]
    fn names_are_code() {
        let table = [
            ("new", "`new`"),
            ("127.0.0.1:80#2", "`127.0.0.1:80#2`"),
            ("new/old p99 <= 1.05x", "`new/old p99 <= 1.05x`"),
            ("a`b", r"<code>a\`b</code>"),
            ("a|@b", "<code>a&#124;@<!-- -->b</code>"),
            ("", "<code></code>"),
        ];
        for (given, expected) in table {
            assert_eq!(code(given), expected);
        }
    }
}
