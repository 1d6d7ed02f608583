//! The text after `exec:` as arguments of a program.
//!
//! It is split into words as a shell does. All other shell syntax is refused: a shell would be part
//! of the measurement without being visible.

use text::shell_words::{self, SplitError};
use text::shown::shown;

/// A program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProgramCommand(Vec<String>);

impl ProgramCommand {
    /// Reads the text after `exec:`.
    ///
    /// # Errors
    /// A sentence with the remedy, if the text is empty, a quote is not closed, or only a
    /// shell could run it.
    pub fn parse(text: &str) -> Result<ProgramCommand, String> {
        if text.contains('\0') {
            return Err("exec: an argument of a program cannot contain a NUL byte".to_owned());
        }
        let words = shell_words::split(text).map_err(refused)?;
        let Some(first) = words.first() else {
            return Err(
                "exec: the program is missing: write for example exec:php check.php".to_owned()
            );
        };
        match first.split_once('=') {
            Some((name, _)) if is_variable(name) => Err(format!(
                "exec: `{}` would set a variable in a shell: write exec:env {} …",
                shown(first),
                shown(first)
            )),
            _ => Ok(ProgramCommand(words)),
        }
    }

    /// Returns this command with other words, each made by `word` from its index.
    pub fn with_words(&self, word: impl Fn(usize) -> String) -> ProgramCommand {
        ProgramCommand((0..self.0.len()).map(word).collect())
    }

    /// The program and its arguments.
    pub fn words(&self) -> &[String] {
        &self.0
    }

    /// The command for people: escaped, and shortened if it is long.
    pub fn shown(&self) -> String {
        shown(self.0.join(" "))
    }
}

fn is_variable(name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.chars().all(word) && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Why the text is not a command.
fn refused(why: SplitError) -> String {
    match why {
        SplitError::Backslash => "exec: the command ends in a backslash: write it twice".to_owned(),
        SplitError::Unclosed(quote) => format!("exec: a quote ({quote}) is not closed"),
        SplitError::Variable(name) => format!(
            "exec: `${{{}}}` would put a value into the program's arguments, which every user of \
             this machine can read while it runs: have the program read it from its environment \
             or from a file",
            shown(name)
        ),
        SplitError::NeedsShell(c) => format!(
            "exec: `{}` is shell syntax, but exec: runs no shell: quote it, or write exec:sh -c \
             '…' to measure the shell as well",
            shown(c.to_string())
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_a_shells() {
        for (text, words) in [
            ("php check_a.php", &["php", "check_a.php"][..]),
            ("  a\t b\r\n", &["a", "b"]),
            ("a 'b c' d", &["a", "b c", "d"]),
            ("a b'c 'd\"e f\"g", &["a", "bc de fg"]),
            ("a '' \"\"", &["a", "", ""]),
            (r"a b\ c \'d \\", &["a", "b c", "'d", r"\"]),
            (r#"a "b\"c\\d\e\$f""#, &["a", r#"b"c\d\e$f"#]),
            (r"a 'b\c'", &["a", r"b\c"]),
            ("a b\\\nc \"d\\\ne\"", &["a", "bc", "de"]),
            ("sh -c 'a | b; c > $D && `e` ${F}*'", &["sh", "-c", "a | b; c > $D && `e` ${F}*"]),
            ("a \"b|c;d*\" \\| \\$", &["a", "b|c;d*", "|", "$"]),
            ("a x~y x#y -n=1 {b}", &["a", "x~y", "x#y", "-n=1", "{b}"]),
            ("größe ü", &["größe", "ü"]),
            ("env A=b c", &["env", "A=b", "c"]),
        ] {
            let command =
                ProgramCommand::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(command.words(), words, "{text}");
        }
    }

    #[test]
    fn what_only_a_shell_can_do_is_refused_with_the_remedy() {
        for (text, c) in [
            ("a | b", "|"),
            ("a; b", ";"),
            ("a &", "&"),
            ("a <b", "<"),
            ("a >b", ">"),
            ("a $B", "$"),
            ("a \"$B\"", "$"),
            ("a `b`", "`"),
            ("a \"`b`\"", "`"),
            ("a *.php", "*"),
            ("a b?", "?"),
            ("a [b]", "["),
            ("(a)", "("),
            ("a\nb", r"\n"),
            ("a ~/b", "~"),
            ("a # b", "#"),
        ] {
            let message = format!(
                "exec: `{c}` is shell syntax, but exec: runs no shell: quote it, or write exec:sh \
                 -c '…' to measure the shell as well"
            );
            assert_eq!(ProgramCommand::parse(text), Err(message), "{text}");
        }
    }

    #[test]
    fn other_mistakes_are_named() {
        for (text, message) in [
            ("", "exec: the program is missing: write for example exec:php check.php"),
            (" \t", "exec: the program is missing: write for example exec:php check.php"),
            ("a 'b", "exec: a quote (') is not closed"),
            ("a \"b'", "exec: a quote (\") is not closed"),
            ("a \\", "exec: the command ends in a backslash: write it twice"),
            ("a\0b", "exec: an argument of a program cannot contain a NUL byte"),
            ("A_1=b c", "exec: `A_1=b` would set a variable in a shell: write exec:env A_1=b …"),
        ] {
            assert_eq!(ProgramCommand::parse(text), Err(message.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_secret_cannot_get_into_the_arguments() {
        for text in ["php a.php ${TOKEN}", "php a.php \"x ${TOKEN}\"", "${TOKEN}"] {
            let message = ProgramCommand::parse(text).expect_err("refused");
            assert_eq!(
                message,
                "exec: `${TOKEN}` would put a value into the program's arguments, which every \
                 user of this machine can read while it runs: have the program read it from its \
                 environment or from a file"
            );
        }
    }
}
