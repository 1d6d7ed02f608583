//! Reads the dependencies out of a `Cargo.toml`.
//!
//! A small reader of its own and not a TOML crate: the house needs three
//! tables of a file format that Cargo has checked already.

/// One dependency, of whatever kind: a test of `judge` that needs `engine`
/// would be a breach as well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dependency {
    /// The name that the source uses.
    pub(crate) name: String,
    /// `package = "…"`.
    pub(crate) package: Option<String>,
    /// `path = "…"`.
    pub(crate) path: Option<String>,
    /// `workspace = true`: what it is stands in the root's table.
    pub(crate) workspace: bool,
}

impl Dependency {
    /// The name of the package.
    pub(crate) fn package(&self) -> &str {
        self.package.as_deref().unwrap_or(&self.name)
    }
}

/// Dependencies, development and build dependencies, of all platforms.
pub(crate) fn dependencies(text: &str) -> Vec<Dependency> {
    read(text, |table| table.first().is_none_or(|first| first != "workspace"))
}

/// The table `workspace.dependencies`.
pub(crate) fn shared_dependencies(text: &str) -> Vec<Dependency> {
    read(text, |table| table.first().is_some_and(|first| first == "workspace"))
}

fn read(text: &str, wanted: impl Fn(&[String]) -> bool) -> Vec<Dependency> {
    let mut found: Vec<Dependency> = Vec::new();
    let mut table: Vec<String> = Vec::new();
    for line in lines(text) {
        if let Some(header) = line.strip_prefix('[') {
            table = keys(header.trim_end_matches(']').trim_matches(['[', ']']));
            if let (Some(name), true) = (name_in(&table), wanted(&table)) {
                entry(&mut found, name);
            }
            continue;
        }
        let Some((key, value)) = split(&line, '=') else { continue };
        let path: Vec<String> = table.iter().cloned().chain(keys(key)).collect();
        let Some(name) = name_in(&path).filter(|_| wanted(&path)) else { continue };
        let dependency = entry(&mut found, name);
        let known = path.iter().rposition(|key| key == name).unwrap_or(path.len() - 1);
        match &path[known + 1..] {
            [field] => dependency.set(field, value),
            _ => {
                let inline = value.trim().trim_start_matches('{').trim_end_matches('}');
                for (field, value) in
                    split_all(inline, ',').iter().filter_map(|field| split(field, '='))
                {
                    dependency.set(field.trim(), value);
                }
            }
        }
    }
    found
}

impl Dependency {
    fn set(&mut self, field: &str, value: &str) {
        let value = value.trim();
        let text = || Some(value.trim_matches(['"', '\'']).to_owned());
        match field {
            "package" => self.package = text(),
            "path" => self.path = text(),
            "workspace" => self.workspace = value == "true",
            _ => {}
        }
    }
}

fn entry<'a>(found: &'a mut Vec<Dependency>, name: &str) -> &'a mut Dependency {
    let at = found.iter().position(|dependency| dependency.name == name).unwrap_or_else(|| {
        found.push(Dependency { name: name.to_owned(), ..Dependency::default() });
        found.len() - 1
    });
    &mut found[at]
}

/// The dependency that a key is about: the one behind `…dependencies`.
fn name_in(path: &[String]) -> Option<&str> {
    let table = path.iter().position(|key| {
        matches!(key.as_str(), "dependencies" | "dev-dependencies" | "build-dependencies")
    })?;
    path.get(table + 1).map(String::as_str)
}

/// Logical lines: without comments, arrays pulled together.
fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut open = 0i32;
    for line in text.lines() {
        let line = split(line, '#').map_or(line, |(before, _)| before).trim();
        match lines.last_mut().filter(|_| open > 0) {
            Some(last) => last.push_str(line),
            None => lines.push(line.to_owned()),
        }
        let is_header = open == 0 && line.starts_with('[');
        let count = |sign| split_all(line, sign).len() as i32;
        open += if is_header { 0 } else { count('[') - count(']') };
    }
    lines
}

/// `a."b.c".d`
fn keys(text: &str) -> Vec<String> {
    let parts = split_all(text, '.').into_iter();
    parts.map(|key| key.trim().trim_matches(['"', '\'']).to_owned()).collect()
}

/// Splits at a sign that stands in no string and in no brackets of its own.
fn split_all(text: &str, sign: char) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some((before, behind)) = split(rest, sign) {
        parts.push(before);
        rest = behind;
    }
    parts.push(rest);
    parts
}

fn split(text: &str, sign: char) -> Option<(&str, &str)> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, _) if c == sign => return Some((&text[..at], &text[at + c.len_utf8()..])),
            (None, '"' | '\'') => quote = Some(c),
            (None, _) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = r#"
[package]
name = "x"          # dependencies = { none }
path = "not a dependency"

[dependencies]
record = { path = "../record", package = "tiebreak-record" }
serde = { version = "1", features = [
    "derive",  # a comment, with [ brackets
] }
libc = "0.2"
base64.version = "0.22"
wire.path = "../wire"

[dev-dependencies.engine]
path = '../engine'

[target.'cfg(target_os = "linux")'.build-dependencies]
judge.workspace = true

[workspace.dependencies]
judge = { path = "crates/judge" }
"#;

    #[test]
    fn dependencies_of_every_spelling() {
        let found = dependencies(EXAMPLE);
        let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["record", "serde", "libc", "base64", "wire", "engine", "judge"]);
        assert_eq!(found[0].package(), "tiebreak-record");
        let path = |at: usize| found[at].path.as_deref();
        assert_eq!(
            (path(0), path(4), path(5)),
            (Some("../record"), Some("../wire"), Some("../engine"))
        );
        assert!(found[6].workspace);
        assert_eq!(shared_dependencies(EXAMPLE).len(), 1);
    }
}
