//! The contents of an experiment file and everything that it accesses, as `tiebreak check` prints
//! them: in full, without reading the environment and without opening files that it names. So they
//! can be read before the file is allowed, and if a variable is not set.
//!
//! If the file is the user's own, values that are never recorded are left out here, too: logins,
//! bodies, values of headers and of an address's query. If the file came from elsewhere, they are
//! printed: its sender knows them, and the user must see them.

use super::malformed;
use super::source::{FileText, Source};
use crate::targets::launch;
use protocol::{Error, address};
use std::path::{Path, PathBuf};
use text::percent;
use text::shown::{shown, shown_whole};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Returns what the file accesses outside itself, and then every key with its value. `whole`
/// includes values that are never recorded.
///
/// # Errors
/// When it is not TOML.
pub fn contents(file: &FileText, whole: bool) -> Result<Vec<String>, Error> {
    let source = Source::of_file(file, &|_| None);
    let root = DeTable::parse(source.text).map_err(|error| malformed(&source, &error))?;
    let (lines, used) = (Vec::new(), Vec::new());
    let mut contents = Contents { directory: &source.directory, whole, lines, used };
    contents.table("", root.get_ref());
    let mut lines = contents.used;
    lines.push("contents:".to_owned());
    lines.extend(contents.lines.into_iter().map(|line| format!("  {line}")));
    Ok(lines)
}

struct Contents<'a> {
    directory: &'a Path,
    /// Whether values that are never recorded are included.
    whole: bool,
    lines: Vec<String>,
    used: Vec<String>,
}

impl Contents<'_> {
    fn table(&mut self, path: &str, table: &DeTable<'_>) {
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            self.value(&super::table::join(path, key.get_ref()), value);
        }
    }

    fn value(&mut self, path: &str, value: &Spanned<DeValue<'_>>) {
        let value = value.get_ref();
        self.uses(path, value);
        if !self.whole && is_unrecorded(path) && !value.is_table() {
            self.lines.push(format!("{path} = … (not shown)"));
            return;
        }
        match value {
            DeValue::String(text) if !self.whole && path.ends_with(".url") => {
                self.lines.push(format!("{path} = \"{}\"", address::harmless(text)));
            }
            DeValue::Table(table) if !table.is_empty() => self.table(path, table),
            DeValue::Array(list) if list.iter().any(|one| is_nested(one.get_ref())) => {
                for (at, one) in list.iter().enumerate() {
                    self.value(&format!("{path}[{at}]"), one);
                }
            }
            DeValue::Array(list) => {
                list.iter().for_each(|one| self.uses(path, one.get_ref()));
                let each: Vec<String> = list.iter().map(|one| plain(one.get_ref())).collect();
                self.lines.push(format!("{path} = [{}]", each.join(", ")));
            }
            DeValue::String(text) if text.contains('\n') => {
                self.lines.push(format!("{path} ="));
                let lines = text.lines().map(|line| format!("  | {}", shown_whole(line)));
                self.lines.extend(lines);
            }
            other => self.lines.push(format!("{path} = {}", plain(other))),
        }
    }

    /// Notes what this value accesses.
    fn uses(&mut self, path: &str, value: &DeValue<'_>) {
        let DeValue::String(lines) = value else { return };
        for name in launch::variables(lines) {
            let set = if std::env::var_os(name).is_some() { "set" } else { "not set" };
            self.add(format!("variable {} ({set})", shown(name)));
        }
        if let Some((_, rest)) = lines.split_once("+unix://") {
            let encoded = rest.split(['/', '?']).next().unwrap_or(rest);
            let decoded = percent::decoded(encoded).unwrap_or_else(|| encoded.as_bytes().to_vec());
            self.add(format!("socket   {}", shown_whole(decoded)));
        }
        if let Some(directory) = lines.strip_prefix("file://") {
            self.add(format!(
                "directory   {} (reads and writes files in it)",
                shown_whole(directory)
            ));
        }
        if let Some(file) = file(path, lines) {
            let file = self.directory.join(file);
            self.add(format!("file     {}", found(&file)));
        }
    }

    fn add(&mut self, line: String) {
        if !self.used.contains(&line) {
            self.used.push(line);
        }
    }
}

/// Whether the value of a key is never recorded. This includes `query` of a request; `query` of a
/// contender is a statement, which is recorded.
fn is_unrecorded(path: &str) -> bool {
    let of_request = path.starts_with("workload.requests");
    let mut keys = path.split('.').map(|key| key.split('[').next().unwrap_or(key));
    keys.any(|key| match key {
        "headers" | "data" => true,
        "body" | "query" => of_request,
        _ => false,
    })
}

fn is_nested(value: &DeValue<'_>) -> bool {
    match value {
        DeValue::Table(_) | DeValue::Array(_) => true,
        DeValue::String(text) => text.contains('\n'),
        _ => false,
    }
}

/// Returns the file that a key with this value reads: a body, a feed, a directory to serve.
fn file<'a>(path: &str, value: &'a str) -> Option<&'a str> {
    let key = path.rsplit('.').next().unwrap_or(path);
    match key {
        "data" => value.strip_prefix('@'),
        "site" => Some(value),
        _ if path.starts_with("workload.feeds.") && key != "order" => Some(value),
        _ => None,
    }
}

fn found(file: &PathBuf) -> String {
    let name = shown_whole(file.display().to_string());
    match std::fs::metadata(file) {
        Ok(found) if found.is_file() => format!("{name} ({} bytes)", found.len()),
        Ok(found) if found.is_dir() => format!("{name} (a directory)"),
        Ok(_) => format!("{name} (not a plain file)"),
        Err(_) => format!("{name} (not found)"),
    }
}

/// Formats a value that contains no others, on one line.
fn plain(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("\"{}\"", shown_whole(text.as_bytes())),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(date) => date.to_string(),
        DeValue::Array(_) => "[]".to_owned(),
        DeValue::Table(_) => "{}".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn everything_is_reported_and_nothing_is_opened() {
        let scratch = Scratch::new();
        let here = scratch.path().canonicalize().expect("there").display().to_string();
        std::fs::write(scratch.path().join("users.csv"), "a\n1\n").expect("a file");
        let long = "x".repeat(5000);
        let text = format!(
            "rounds = 6\n\
             [contender.a]\n\
             url = 'http+unix://%2Frun%2Fdocker.sock/v1?t=${{TIEBREAK_NOT_SET}}'\n\
             data = '@/etc/shadow'\n\
             headers = {{ X = ['${{PATH}}', 'y'], Z = '$${{NO_VARIABLE}}' }}\n\
             [contender.b]\n\
             launch = ['sh', '-c', \"rm \\u001b[2J{long}\"]\n\
             url = 'http://127.0.0.1/'\n\
             [workload]\n\
             feeds = {{ users = 'users.csv', others = {{ file = 'none.csv', order = 'uniform' }} }}\n\
             setup = ['DROP TABLE x']\n\
             [[workload.statements]]\n\
             sql = '''DELETE\nFROM x'''\n"
        );
        let file = scratch.path().join("e.toml");
        let read = FileText { path: file, text };
        let lines = contents(&read, true).unwrap_or_else(|error| panic!("{}", error.text));
        let wanted = [
            "socket   /run/docker.sock".to_owned(),
            "variable TIEBREAK_NOT_SET (not set)".to_owned(),
            "file     /etc/shadow (".to_owned(),
            "variable PATH (set)".to_owned(),
            format!("file     {here}/users.csv (4 bytes)"),
            format!("file     {here}/none.csv (not found)"),
            "  rounds = 6".to_owned(),
            "  contender.a.headers.X = [\"${PATH}\", \"y\"]".to_owned(),
            "  contender.a.headers.Z = \"$${NO_VARIABLE}\"".to_owned(),
            format!("  contender.b.launch = [\"sh\", \"-c\", \"rm \\u{{1b}}[2J{long}\"]"),
            "  workload.setup = [\"DROP TABLE x\"]".to_owned(),
            "  workload.statements[0].sql =".to_owned(),
            "    | DELETE".to_owned(),
            "    | FROM x".to_owned(),
        ];
        for wanted in wanted {
            let is_named = lines.iter().any(|line| line.starts_with(&wanted));
            assert!(is_named, "no `{wanted}` in\n{}", lines.join("\n"));
        }
        assert!(!lines.iter().any(|line| line.contains("variable NO_VARIABLE")));
        let custom = contents(&read, false).unwrap_or_else(|error| panic!("{}", error.text));
        for wanted in [
            "variable TIEBREAK_NOT_SET (not set)",
            "  contender.a.url = \"http+unix://%2Frun%2Fdocker.sock/v1\"",
            "  contender.a.data = … (not shown)",
            "  contender.a.headers.X = … (not shown)",
            "    | FROM x",
        ] {
            assert!(custom.iter().any(|line| line == wanted), "no `{wanted}` in\n{custom:#?}");
        }
    }
}
