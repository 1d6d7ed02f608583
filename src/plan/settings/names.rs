//! Names of contenders.

use crate::protocols::PROTOCOLS;
use protocol::address::Url;
use protocol::secrets;
use text::near;
use text::shown::shown;

/// Longest name, in characters, so that it fits the columns of reports.
const LONGEST: usize = 40;

/// Splits `NAME=URL`. An `=` after `://` or `exec:` belongs to the address.
pub(in crate::plan) fn split(argument: &str) -> (Option<&str>, &str) {
    match argument.split_once('=') {
        Some((name, url)) if !PROTOCOLS.looks_like_an_address(name) => (Some(name), url),
        _ => (None, argument),
    }
}

/// Checks the name of a table of an experiment file. Names are also file names, so they must not
/// contain slashes or begin with a dot.
pub(crate) fn check_key(name: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    match name.chars().count() {
        1..=LONGEST if name.chars().all(fits) && !name.starts_with(['.', '-']) => Ok(()),
        1..=LONGEST => Err("a name must consist of letters, digits and - _ ., and begin with a \
                                 letter, a digit or _"
            .to_owned()),
        _ => Err(format!("a name must have 1 to {LONGEST} characters")),
    }
}

/// Checks a name from the command line.
fn check(name: &str) -> Result<(), String> {
    let fits = |c: char| c.is_alphanumeric() || "-_.:/+#~".contains(c);
    match name.chars().count() {
        0 => Err("the name before `=` is missing".to_owned()),
        1..=LONGEST if name.chars().all(fits) => Ok(()),
        1..=LONGEST => Err(format!(
            "the name `{}` may contain only letters, digits and - _ . : / + # ~",
            shown(name)
        )),
        _ => Err(format!("a name must have at most {LONGEST} characters")),
    }
}

/// Returns a name for every contender: the one given, or else host and port. If several have the
/// same host and port but different paths, it is the path. A number is added if that is not unique.
pub(in crate::plan) fn all(typed: &[(Option<&str>, Url)]) -> Result<Vec<String>, String> {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in typed {
        let Some(name) = name else { continue };
        check(name)?;
        if names.iter().any(|other| other == name) {
            return Err(format!("two contenders are called `{name}`: give each its own name"));
        }
        names.push((*name).to_owned());
    }
    let mut all = Vec::new();
    for (name, url) in typed {
        let name = match name {
            Some(name) => (*name).to_owned(),
            None => {
                let name = free(&wanted(url, typed), &names);
                names.push(name.clone());
                name
            }
        };
        all.push(name);
    }
    Ok(all)
}

fn wanted(url: &Url, typed: &[(Option<&str>, Url)]) -> String {
    let same_place =
        || typed.iter().filter(|(name, other)| name.is_none() && other.short() == url.short());
    let same_path = same_place().filter(|(_, other)| other.path() == url.path()).count();
    let name = match (same_place().count(), same_path) {
        (2.., 1) => secrets::hidden(url.path()),
        _ => url.short(),
    };
    match name.chars().count() {
        length if length > LONGEST => {
            let end: String = name.chars().skip(length - LONGEST + 1).collect();
            format!("…{end}")
        }
        _ => name,
    }
}

fn free(wanted: &str, taken: &[String]) -> String {
    let numbered = (2..).map(|number| format!("{wanted}#{number}"));
    std::iter::once(wanted.to_owned())
        .chain(numbered)
        .find(|name| !taken.contains(name))
        .expect("numbers do not end")
}

/// Splits `NAME.key=value` by the known names, since names may contain dots. Returns the
/// contender's number, key and value.
pub(in crate::plan) fn split_set<'a>(
    argument: &'a str,
    names: &[String],
) -> Result<(usize, &'a str, &'a str), String> {
    let of = |name: &String| {
        let (key, value) =
            argument.strip_prefix(name.as_str())?.strip_prefix('.')?.split_once('=')?;
        Some((key, value))
    };
    let found = names.iter().enumerate().filter_map(|(at, name)| Some((at, name.len(), of(name)?)));
    if let Some((at, _, (key, value))) = found.max_by_key(|(_, length, _)| *length) {
        return Ok((at, key, value));
    }
    let Some((name, _)) = argument.split_once('=').and_then(|(left, _)| left.rsplit_once('.'))
    else {
        return Err("write it as NAME.key=value, such as fresh.reuse=never".to_owned());
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Err(near::unknown(format!("no contender is called `{}`", shown(name)), name, &names))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(typed: &[&str]) -> Result<Vec<String>, String> {
        let parts: Vec<_> = typed
            .iter()
            .map(|argument| {
                let (name, url) = split(argument);
                (name, PROTOCOLS.url(url).expect("a good address"))
            })
            .collect();
        all(&parts)
    }

    #[test]
    fn contenders_are_named() {
        let table: &[(&[&str], &[&str])] = &[
            (&["old=http://h:1/", "new=http://h:2/"], &["old", "new"]),
            (&["http://h:1/", "http://h:2/"], &["h:1", "h:2"]),
            (&["http://h/", "https://h/"], &["h:80", "h:443"]),
            (&["http://h/a", "http://h/b"], &["/a", "/b"]),
            (&["http://h/a?x=1", "http://h/a?x=2"], &["h:80", "h:80#2"]),
            (&["http://h/", "http://h/", "http://h/"], &["h:80", "h:80#2", "h:80#3"]),
            (&["http://h/a", "http://h/a", "http://h/b"], &["h:80", "h:80#2", "/b"]),
            (&["h:80=http://x/", "http://h/"], &["h:80", "h:80#2"]),
            (&["http://h/", "h:80=http://x/"], &["h:80#2", "h:80"]),
            (&["http://[::1]:1/", "http+unix://%2Ftmp%2Fx.sock/"], &["[::1]:1", "x.sock"]),
            (&["http://h/?a=b", "x=http://h/?a=b"], &["h:80", "x"]),
        ];
        for (typed, names) in table {
            assert_eq!(named(typed).expect("good names"), *names, "{typed:?}");
        }
        let long = named(&[&format!("http://h/{}", "x".repeat(60)), "http://h/y"]).expect("good");
        assert_eq!(long[0].chars().count(), LONGEST);
        assert!(long[0].starts_with('…'));
    }

    #[test]
    fn bad_names() {
        for (typed, message) in [
            (
                ["a=http://h/", "a=http://h/"],
                "two contenders are called `a`: give each its own name",
            ),
            (["=http://h/", "a=http://h/"], "the name before `=` is missing"),
            (
                ["a b=http://h/", "a=http://h/"],
                "the name `a b` may contain only letters, digits and - _ . : / + # ~",
            ),
        ] {
            assert_eq!(named(&typed).unwrap_err(), message);
        }
        let long = format!("{}=http://h/", "x".repeat(41));
        assert_eq!(named(&[&long]).unwrap_err(), "a name must have at most 40 characters");
    }

    #[test]
    fn a_set_finds_its_contender() {
        let names = ["a", "a.b", "127.0.0.1:80", "/x.html"].map(str::to_owned);
        for (argument, split) in [
            ("a.reuse=never", (0, "reuse", "never")),
            ("a.b.reuse=never", (1, "reuse", "never")),
            ("127.0.0.1:80.rate=5k", (2, "rate", "5k")),
            ("/x.html.header=A: b=c", (3, "header", "A: b=c")),
        ] {
            assert_eq!(split_set(argument, &names), Ok(split), "{argument}");
        }
        let names = ["keep", "fresh"].map(str::to_owned);
        for (argument, message) in [
            (
                "frsh.reuse=never",
                "no contender is called `frsh`: keep, fresh; did you mean `fresh`?",
            ),
            ("reuse=never", "write it as NAME.key=value, such as fresh.reuse=never"),
            ("fresh.reuse", "write it as NAME.key=value, such as fresh.reuse=never"),
        ] {
            assert_eq!(split_set(argument, &names), Err(message.to_owned()));
        }
    }
}
