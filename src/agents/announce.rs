//! How agents learn where the coordinator listens, if nobody told them before.

use super::ssh::Hosts;
use crate::system::remote::Token;
use protocol::{Error, private};
use std::fs;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use text::shown::shown;

/// How agents are told where the coordinator listens.
#[derive(Clone)]
pub(crate) enum Announce {
    /// A file in a directory that all machines share.
    File(PathBuf),
    /// The connections to their hosts.
    Hosts(Arc<Hosts>),
}

impl Announce {
    /// Tells all agents. The value is kept for as long as agents are awaited.
    ///
    /// # Errors
    /// If the file cannot be written, or a host cannot be reached any more.
    pub(super) fn publish(
        &self,
        at: SocketAddr,
        token: &Token,
    ) -> Result<Option<Announced>, Error> {
        match self {
            Announce::File(file) => {
                let announced = Announced::write(file, at, token).map_err(|error| {
                    let file = shown(file.display().to_string());
                    Error::failed(format!("{file} cannot be written: {error}"))
                })?;
                Ok(Some(announced))
            }
            Announce::Hosts(hosts) => hosts.start(at, token).map(|()| None),
        }
    }

    /// Why an agent will not connect, if that is known.
    pub(super) fn lost(&self) -> Option<String> {
        match self {
            Announce::File(_) => None,
            Announce::Hosts(hosts) => hosts.lost(),
        }
    }

    pub(super) fn host(&self, rank: u32) -> Option<&str> {
        match self {
            Announce::File(_) => None,
            Announce::Hosts(hosts) => hosts.name(rank),
        }
    }
}

/// The file of a coordinator that listens. It is removed with this value.
pub(super) struct Announced(PathBuf);

impl Announced {
    /// Writes the address and the token into a file that only its owner may read.
    pub(super) fn write(file: &Path, at: SocketAddr, token: &Token) -> io::Result<Announced> {
        let mut to = private::create_file(file)?;
        let announced = Announced(file.to_owned());
        // One write, so that nobody reads a part of it.
        to.write_all(format!("{at} {}\n", token.reveal()).as_bytes())?;
        Ok(announced)
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        // A file that cannot be removed holds the token of a run that has begun, which is useless.
        let _ = fs::remove_file(&self.0);
    }
}
