//! The syntax of addresses, and the protocol that each scheme selects.

use super::{ALL, Protocol};
use text::near;
use text::shown::shown;

/// Schemes that only another build supports, and the command that makes it.
#[cfg(not(feature = "oracle"))]
const NOT_BUILT_IN: [(&str, &str); 1] = [("oracle", "cargo build --release --features oracle")];
#[cfg(feature = "oracle")]
const NOT_BUILT_IN: [(&str, &str); 0] = [];

/// Schemes that users expect, and what to do instead. A name that is only similar leads to something else.
const NOT_SUPPORTED: [(&str, &str); 2] = [
    (
        "rediss",
        "TLS to Redis is not supported yet; drive a port without TLS as redis://HOST:PORT, or let a \
         proxy on this machine speak TLS to the server",
    ),
    (
        "docker",
        "tiebreak does not start images; start the container yourself, with a published port \
         (docker run -p 127.0.0.1:8080:80 IMAGE), and give its address, such as \
         http://127.0.0.1:8080/",
    ),
];

/// Why no address begins like this although users expect it, or None if nothing is known of its scheme.
pub(crate) fn why_not_supported(address: &str) -> Option<String> {
    let (scheme, _) = address.split_once(':')?;
    let (name, how) = NOT_SUPPORTED.iter().find(|(name, _)| scheme.eq_ignore_ascii_case(name))?;
    Some(format!("`{name}:` is not supported: {how}"))
}

/// How an address begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scheme {
    /// Without `://`.
    pub(crate) name: &'static str,
    /// What kind of target it leads to.
    pub(crate) to: TargetKind,
    /// The default port.
    pub(crate) port: u16,
    /// Whether TLS is used from the first byte on.
    pub(crate) tls: bool,
    /// Whether an address can name several nodes of one target: `HOST:PORT,HOST:PORT`.
    pub(crate) several_nodes: bool,
}

/// The kind of target that an address leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TargetKind {
    /// A host and a port.
    Host,
    /// A unix socket.
    Socket,
    /// A directory.
    Directory,
    /// A program.
    Program,
}

/// Which login an address may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Login {
    /// No login.
    Never,
    /// A login may be given.
    Optional,
    /// A user is required, a password is optional.
    User,
    /// A user and a password are required.
    #[cfg_attr(not(feature = "oracle"), allow(dead_code, reason = "only Oracle requires both"))]
    UserAndPassword,
}

/// What may follow the port.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Path {
    /// The path of a request.
    OfRequest,
    /// Nothing.
    Nothing,
    /// The number of a database; may be left out.
    Number,
    /// The name of a database, or of its equivalent in the protocol.
    Name {
        /// The term of the protocol, such as `database`.
        what: &'static str,
        /// Whether a text is a valid name.
        fits: fn(&str) -> bool,
    },
}

/// What may follow the `?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Query {
    /// Any query, which is sent with the request. Its values can be secret.
    OfRequest,
    /// Only these words, none of which is secret.
    Words(&'static [&'static str]),
}

impl Scheme {
    /// Returns a scheme that leads to a host.
    pub(crate) const fn host(name: &'static str, port: u16) -> Scheme {
        Scheme { name, to: TargetKind::Host, port, tls: false, several_nodes: false }
    }

    /// Returns a scheme that leads to one or several nodes of a target.
    pub(crate) const fn nodes(name: &'static str, port: u16) -> Scheme {
        Scheme { several_nodes: true, ..Scheme::host(name, port) }
    }

    /// Returns a scheme that leads to a host, with TLS.
    pub(super) const fn tls(name: &'static str, port: u16) -> Scheme {
        Scheme { tls: true, ..Scheme::host(name, port) }
    }

    /// Returns a scheme that leads to a unix socket.
    pub(super) const fn socket(name: &'static str) -> Scheme {
        Scheme { to: TargetKind::Socket, ..Scheme::host(name, 0) }
    }

    /// Returns a scheme that leads to a directory or a program instead of a server.
    pub(super) const fn local(name: &'static str, to: TargetKind) -> Scheme {
        Scheme { to, ..Scheme::host(name, 0) }
    }
}

/// Returns the protocol and the scheme of addresses that begin with this word, in lower case.
///
/// # Errors
/// When there is no such scheme; the message lists those that exist.
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

/// Returns the protocol of a recorded address, or None if this build does not support it: a journal
/// may come from another build.
pub(crate) fn of_recorded(address: &str) -> Option<&'static Protocol> {
    let (word, _) = address.split_once(':')?;
    of_scheme(word).ok().map(|(row, _)| row)
}

/// Returns the protocol of this name.
///
/// # Panics
/// When there is none.
pub(crate) fn named(name: &str) -> &'static Protocol {
    ALL.iter().find(|row| row.name == name).expect("a protocol of this build")
}

/// Returns how addresses of these protocols begin: `redis://, postgres://`.
pub(crate) fn written_as(which: impl Fn(&Protocol) -> bool) -> String {
    let begins = |row: &&&Protocol| match row.schemes[0].to {
        TargetKind::Host | TargetKind::Socket => format!("{}://", row.name),
        TargetKind::Directory => format!("{}:///", row.name),
        TargetKind::Program => format!("{}:", row.name),
    };
    let rows = ALL.iter().filter(|row| which(row));
    rows.map(|row| begins(&row)).collect::<Vec<_>>().join(", ")
}
