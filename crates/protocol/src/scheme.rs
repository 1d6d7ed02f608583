//! The syntax of addresses.

/// How an address begins.
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    /// Without `://`.
    pub name: &'static str,
    /// What kind of target it leads to.
    pub to: TargetKind,
    /// The default port.
    pub port: u16,
    /// Whether TLS is used from the first byte on.
    pub tls: bool,
    /// Whether an address can name several nodes of one target: `HOST:PORT,HOST:PORT`.
    pub several_nodes: bool,
}

/// The kind of target that an address leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
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
pub enum Login {
    /// No login.
    Never,
    /// A login may be given.
    Optional,
    /// A user is required, a password is optional.
    User,
    /// A user and a password are required.
    UserAndPassword,
}

/// What may follow the port.
#[derive(Clone, Copy, Debug)]
pub enum Path {
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
pub enum Query {
    /// Any query, which is sent with the request. Its values can be secret.
    OfRequest,
    /// Only these words, none of which is secret.
    Words(&'static [&'static str]),
}

impl Scheme {
    /// Returns a scheme that leads to a host.
    pub const fn host(name: &'static str, port: u16) -> Scheme {
        Scheme { name, to: TargetKind::Host, port, tls: false, several_nodes: false }
    }

    /// Returns a scheme that leads to one or several nodes of a target.
    pub const fn nodes(name: &'static str, port: u16) -> Scheme {
        Scheme { several_nodes: true, ..Scheme::host(name, port) }
    }

    /// Returns a scheme that leads to a host, with TLS.
    pub const fn tls(name: &'static str, port: u16) -> Scheme {
        Scheme { tls: true, ..Scheme::host(name, port) }
    }

    /// Returns a scheme that leads to a unix socket.
    pub const fn socket(name: &'static str) -> Scheme {
        Scheme { to: TargetKind::Socket, ..Scheme::host(name, 0) }
    }

    /// Returns a scheme that leads to a directory or a program instead of a server.
    pub const fn local(name: &'static str, to: TargetKind) -> Scheme {
        Scheme { to, ..Scheme::host(name, 0) }
    }
}

/// Whether a text is a name of 1 to 48 letters, digits and `_`.
pub fn is_identifier(name: &str) -> bool {
    let part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (1..=48).contains(&name.len()) && name.bytes().all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_have_letters_digits_and_underscores() {
        for name in ["app", "A_1", &"k".repeat(48)] {
            assert!(is_identifier(name), "{name}");
        }
        for name in ["", "a.b", "a-b", "ä", &"k".repeat(49)] {
            assert!(!is_identifier(name), "{name}");
        }
    }
}
