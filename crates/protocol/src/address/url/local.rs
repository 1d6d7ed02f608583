//! Contenders without a network address: files in a directory, whole programs.

use crate::address::command::ProgramCommand;
use crate::address::url::{Endpoint, Url};
use crate::{Protocols, TargetKind};
use text::percent;

impl Protocols {
    /// `exec:` and the command after it.
    pub fn program(&self, command: ProgramCommand) -> Url {
        self.local(TargetKind::Program, Endpoint::Program(command))
    }

    /// Parses the text after `file://`: an absolute path, percent-encoded where necessary.
    pub(super) fn directory(&self, text: &str) -> Result<Url, String> {
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
            _ => Ok(self.local(TargetKind::Directory, Endpoint::Directory(path.to_owned()))),
        }
    }

    fn local(&self, to: TargetKind, endpoint: Endpoint) -> Url {
        Url {
            protocol: self.of_kind(to),
            tls: false,
            login: None,
            endpoint,
            more_nodes: Vec::new(),
            path: "/".to_owned(),
            query: None,
        }
    }
}
