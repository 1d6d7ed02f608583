//! How addresses are written, and which protocol they lead to.

use super::{ALL, Protocol};
use text::near;
use text::shown::shown;

/// Schemes that another build has, and how to make it.
#[cfg(not(feature = "oracle"))]
const NOT_BUILT_IN: [(&str, &str); 1] =
    [("oracle", "cargo build --release --features oracle (Rust 1.89 or newer, and a C compiler)")];
#[cfg(feature = "oracle")]
const NOT_BUILT_IN: [(&str, &str); 0] = [];

/// How an address begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scheme {
    /// Without `://`.
    pub(crate) name: &'static str,
    /// Where it leads to.
    pub(crate) to: To,
    /// The port where none is given.
    pub(crate) port: u16,
    /// TLS from the first byte on.
    pub(crate) tls: bool,
    /// An address can name several nodes of one target: `HOST:PORT,HOST:PORT`.
    pub(crate) several_nodes: bool,
}

/// Where an address leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum To {
    /// A host and a port.
    Host,
    /// A unix socket.
    Socket,
    /// A directory.
    Directory,
    /// A program.
    Program,
}

/// Which login an address can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Login {
    /// None.
    Never,
    /// One, or none.
    Optional,
    /// A user, with a password or without.
    User,
    /// A user and a password.
    #[cfg_attr(not(feature = "oracle"), allow(dead_code, reason = "only Oracle wants both"))]
    UserAndPassword,
}

/// What comes after the port.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Path {
    /// The path of a request.
    OfRequest,
    /// Nothing.
    Nothing,
    /// The number of a database, or nothing.
    Number,
    /// The name of a database, or of what the protocol has in its place: what that is
    /// called, and which characters such a name has beside those that all have.
    Name {
        /// `database`, or what it is called there.
        what: &'static str,
        /// Whether this can be its name.
        fits: fn(&str) -> bool,
    },
}

/// What comes after the `?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Query {
    /// Whatever is to be sent. Its values can be secret.
    OfRequest,
    /// These words; none of them is secret.
    Words(&'static [&'static str]),
}

impl Scheme {
    /// One that leads to a host.
    pub(crate) const fn host(name: &'static str, port: u16) -> Scheme {
        Scheme { name, to: To::Host, port, tls: false, several_nodes: false }
    }

    /// One that leads to the nodes of a target, one or several.
    pub(crate) const fn nodes(name: &'static str, port: u16) -> Scheme {
        Scheme { several_nodes: true, ..Scheme::host(name, port) }
    }

    /// The same, with TLS.
    pub(super) const fn tls(name: &'static str, port: u16) -> Scheme {
        Scheme { tls: true, ..Scheme::host(name, port) }
    }

    /// One that leads to a unix socket.
    pub(super) const fn socket(name: &'static str) -> Scheme {
        Scheme { to: To::Socket, ..Scheme::host(name, 0) }
    }

    /// One that leads to no server, but to a directory or a program.
    pub(super) const fn local(name: &'static str, to: To) -> Scheme {
        Scheme { to, ..Scheme::host(name, 0) }
    }
}

/// The protocol and the scheme of an address that begins with this word, in small letters.
///
/// # Errors
/// When there is no such scheme: which there are.
pub(crate) fn of_scheme(word: &str) -> Result<(&'static Protocol, &'static Scheme), String> {
    let all = || ALL.iter().flat_map(|row| row.schemes.iter().map(move |scheme| (*row, scheme)));
    if let Some(found) = all().find(|(_, scheme)| scheme.name == word) {
        return Ok(found);
    }
    if let Some((_, how)) = NOT_BUILT_IN.iter().find(|(name, _)| *name == word) {
        return Err(format!("{word}:// is not built in: {how}"));
    }
    let names: Vec<&str> = all().map(|(_, scheme)| scheme.name).collect();
    let known = names.join(", ");
    let meant = near::did_you_mean(word, names);
    Err(format!("the scheme `{}` is not known; supported schemes: {known}{meant}", shown(word)))
}

/// The protocol of an address as it is recorded. Returns None if this build does not speak
/// it: a journal can be another build's.
pub(crate) fn of_recorded(address: &str) -> Option<&'static Protocol> {
    let (word, _) = address.split_once(':')?;
    of_scheme(word).ok().map(|(row, _)| row)
}

/// The protocol of this name.
///
/// # Panics
/// When there is none.
pub(crate) fn named(name: &str) -> &'static Protocol {
    ALL.iter().find(|row| row.name == name).expect("a protocol of this build")
}

/// How addresses of these protocols begin: `redis://, postgres://`.
pub(crate) fn written_as(which: impl Fn(&Protocol) -> bool) -> String {
    let begins = |row: &&&Protocol| match row.schemes[0].to {
        To::Host | To::Socket => format!("{}://", row.name),
        To::Directory => format!("{}:///", row.name),
        To::Program => format!("{}:", row.name),
    };
    let rows = ALL.iter().filter(|row| which(row));
    rows.map(|row| begins(&row)).collect::<Vec<_>>().join(", ")
}
