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
    out.replace("://", &format!(":{NOTHING}//")).replace("www.", &format!("www{NOTHING}."))
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
