//! Contenders without a network address: files in a directory, whole programs.

use crate::protocol;
use crate::protocol::address::command::Command;
use crate::protocol::address::url::{Endpoint, Url};
use text::percent;

/// `exec:` and the command after it.
pub(crate) fn program(command: Command) -> Url {
    of("exec", Endpoint::Program(command))
}

/// Parses the text after `file://`: an absolute path, percent-encoded where necessary.
pub(super) fn directory(text: &str) -> Result<Url, String> {
    const HOW: &str = "write the directory with three slashes: file:///dev/shm/cache";
    let path = text.strip_prefix("localhost").unwrap_or(text);
    if !path.starts_with('/') {
        return Err(format!("file:// addresses do not have a host; {HOW}"));
    }
    if path.contains(['?', '#']) {
        return Err(
            "file:// addresses do not support a query: pass settings with --set, such as --set \
             files.fsync=true, and write a `?` in a path as %3F"
                .to_owned(),
        );
    }
    let path = percent::decoded(path).and_then(|bytes| String::from_utf8(bytes).ok());
    let path = path.ok_or_else(|| format!("the path is malformed; {HOW}"))?;
    let path = path.trim_end_matches('/');
    match path {
        "" => Err(format!("the root directory cannot be used as a cache; {HOW}")),
        _ if path.contains(char::is_control) => {
            Err("the directory's path contains a control character".to_owned())
        }
        _ if path.split('/').any(|part| part == "..") => {
            Err("the directory's path must not contain `..`".to_owned())
        }
        _ => Ok(of("file", Endpoint::Directory(path.to_owned()))),
    }
}

fn of(protocol: &str, endpoint: Endpoint) -> Url {
    let protocol = protocol::named(protocol);
    let path = "/".to_owned();
    Url { protocol, tls: false, login: None, endpoint, more_nodes: Vec::new(), path, query: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories() {
        for (text, recorded, short) in [
            ("file:///dev/shm/cache", "file:///dev/shm/cache", "cache"),
            ("FILE://localhost/tmp/a%20b/", "file:///tmp/a b", "a b"),
        ] {
            let url = Url::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((url.recorded().as_str(), url.short().as_str()), (recorded, short));
        }
        for (text, message) in [
            (
                "file://cache",
                "file:// addresses do not have a host; write the directory with \
                              three slashes",
            ),
            ("file:///", "the root directory cannot be used as a cache"),
            ("file:///a/../b", "the directory's path must not contain `..`"),
            ("file:///a?fsync=true", "file:// addresses do not support a query"),
            ("file:///a%0ab", "the directory's path contains a control character"),
            ("file:///a%ffb", "the path is malformed"),
        ] {
            let output = Url::parse(text).err().expect(text);
            assert!(output.starts_with(message), "{text}: {output}");
        }
    }

    #[test]
    fn programs() {
        let url = Url::parse("exec:php 'check a.php'").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(url.recorded(), "exec:php check a.php");
        assert_eq!(url.short(), "php check a.php");
        let message = Url::parse("exec:a | b").err().expect("a pipe");
        assert!(message.contains("is shell syntax"), "{message}");
    }
}
