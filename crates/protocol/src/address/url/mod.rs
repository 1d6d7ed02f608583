//! Addresses of targets as people write them.
//!
//! This is not a crate that follows the WHATWG's rules: those repair malformed addresses, and a
//! tool that measures must report them instead.

mod local;
mod nodes;

use crate::address::command::ProgramCommand;
use crate::secrets;
use crate::{ALLOW_KEY, Path, Protocol, Protocols, Query, Scheme, TLS, TargetKind};
use std::net::{IpAddr, Ipv6Addr};
use text::percent;
use text::shown::shown;

/// The longest path of a unix socket: `sun_path` has 108 bytes including the final zero.
const LONGEST_SOCKET_PATH: usize = 107;

/// An address, split into its parts. It has no `Debug` because the login and the query can be
/// secret.
#[derive(Clone)]
pub struct Url {
    /// Its row of the table.
    pub protocol: &'static Protocol,
    /// Whether TLS is used.
    pub tls: bool,
    /// What is before the `@`.
    pub login: Option<Login>,
    /// Where to connect to first.
    pub endpoint: Endpoint,
    /// Host and port of every node after the first one, which is `endpoint`.
    pub more_nodes: Vec<(String, u16)>,
    /// Starts with `/`; without query.
    pub(super) path: String,
    pub(super) query: Option<String>,
}

/// `user:pass@`, percent-decoded.
#[derive(Clone)]
pub struct Login {
    /// Before the first `:`.
    pub user: Vec<u8>,
    /// Empty if there is none.
    pub password: Vec<u8>,
}

/// A value of the query. It has no `Debug` because it can be secret.
pub struct QueryValue {
    /// As it is sent.
    pub written: String,
    /// Percent-decoded, if that is possible.
    pub decoded: String,
}

/// Where to connect to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// A name or an address (IPv6 without brackets), and a port.
    Host {
        /// In lower case.
        host: String,
        /// From 1 on.
        port: u16,
    },
    /// The path of a unix socket.
    Unix(String),
    /// The path of a directory, absolute.
    Directory(String),
    /// What is run.
    Program(ProgramCommand),
}

impl Protocols {
    /// Reads an address.
    ///
    /// # Errors
    /// The messages name the remedy and never quote a login or a query.
    pub fn url(&self, text: &str) -> Result<Url, String> {
        if let Some(command) = program(text) {
            return ProgramCommand::parse(command).map(|command| self.program(command));
        }
        if let Some(why) = self.why_not_supported(text).filter(|_| !begins_with_a_port(text)) {
            return Err(why);
        }
        let Some((scheme, rest)) = text.split_once("://") else { return Err(no_address(text)) };
        let rest = rest.split_once('#').map_or(rest, |(before, _)| before);
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, tail) = rest.split_at(end);
        let (login, host) = match authority.rsplit_once('@') {
            Some((login, host)) => (Login::parse(login)?, host),
            None => (None, authority),
        };
        let (protocol, scheme) = self.of_scheme(&scheme.to_ascii_lowercase())?;
        let (endpoint, more_nodes) = match scheme.to {
            TargetKind::Host => nodes::read(host, scheme, protocol.example)?,
            TargetKind::Socket => (socket_path(host)?, Vec::new()),
            TargetKind::Directory => return self.directory(rest),
            TargetKind::Program => return Err(no_address(text)),
        };
        let (path, query) = path_and_query(tail)?;
        let mut url = Url { protocol, tls: scheme.tls, login, endpoint, more_nodes, path, query };
        url.tls |= url.says(TLS);
        url.check()?;
        Ok(url)
    }

    /// Whether this was meant as an address, valid or not.
    pub fn looks_like_an_address(&self, text: &str) -> bool {
        text.contains("://") || is_program(text) || self.why_not_supported(text).is_some()
    }
}

impl Url {
    /// Whether the query contains this word.
    fn says(&self, word: &str) -> bool {
        match self.protocol.query {
            Query::OfRequest => false,
            Query::Words(_) => self.words().any(|text| text == word),
        }
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.query.iter().flat_map(|query| query.split('&'))
    }

    /// Checks that it has only the parts that an address of this protocol can have.
    fn check(&self) -> Result<(), String> {
        self.check_login()?;
        self.check_path()?;
        let Query::Words(known) = self.protocol.query else { return Ok(()) };
        let Protocol { name, example, .. } = self.protocol;
        if self.words().all(|word| known.contains(&word)) {
            Ok(())
        } else if known.is_empty() {
            Err(format!("{name} addresses do not support a query (`?`): write {example}"))
        } else {
            Err(format!(
                "the query (`?`) of a {name} address supports {}. sslmode=verify-full requires \
                 TLS: --cacert names the trusted authorities, --insecure accepts any certificate",
                known.join(" and ")
            ))
        }
    }

    fn check_login(&self) -> Result<(), String> {
        let Protocol { name, example, .. } = self.protocol;
        let user = self.login.as_ref().is_some_and(|login| !login.user.is_empty());
        let password = self.login.as_ref().is_some_and(|login| !login.password.is_empty());
        match self.protocol.login {
            crate::Login::Never if self.login.is_some() => Err(format!(
                "tiebreak does not support authentication for {name}: remove the part \
                             before `@`"
            )),
            crate::Login::User if !user => Err(format!("the user is missing: write {example}")),
            crate::Login::UserAndPassword if !(user && password) => {
                Err(format!("the user or the password is missing: write {example}"))
            }
            _ => Ok(()),
        }
    }

    fn check_path(&self) -> Result<(), String> {
        let Protocol { name, example, .. } = self.protocol;
        match self.protocol.path {
            Path::Nothing if self.path != "/" => {
                Err(format!("{name} addresses do not have a path: write {example}"))
            }
            Path::Number if self.database().is_none() => Err(format!(
                "the path of a {name} address must be a database number or empty, such as {example}"
            )),
            Path::Name { what, fits } if !self.sql_database().is_some_and(|name| fits(&name)) => {
                Err(format!(
                    "the path of a {name} address must be the name of a {what}, such as {example}"
                ))
            }
            _ => Ok(()),
        }
    }

    /// Whether a MySQL server without TLS may be asked for the public key that the
    /// password is then encrypted with.
    pub fn allows_key_retrieval(&self) -> bool {
        self.says(ALLOW_KEY)
    }

    /// The only segment of the path, percent-decoded. Returns None if there are several, or if it
    /// is empty.
    pub fn sql_database(&self) -> Option<String> {
        let name = self.path.strip_prefix('/').filter(|name| !name.contains('/'))?;
        let name = String::from_utf8(percent::decoded(name)?).ok()?;
        (!name.is_empty() && !name.contains(char::is_control)).then_some(name)
    }

    /// The database number in a path such as `/3`; 0 if the path is empty.
    pub fn database(&self) -> Option<u32> {
        match self.path.strip_prefix('/')? {
            "" => Some(0),
            number => number.parse().ok(),
        }
    }

    /// Path and query, as the request line has them.
    pub fn request_target(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    /// The path alone.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The value of `Host`: it includes the port only if that is not the scheme's default.
    pub fn host_header(&self) -> String {
        match &self.endpoint {
            Endpoint::Host { host, port } => self.authority(host, *port),
            _ => "localhost".to_owned(),
        }
    }

    /// A host, with its port if that is not the scheme's default.
    fn authority(&self, host: &str, port: u16) -> String {
        if port == self.default_port() {
            bracketed(host)
        } else {
            format!("{}:{port}", bracketed(host))
        }
    }

    /// Host and port of every node, including the first one. Empty if the address has no host.
    pub fn nodes(&self) -> Vec<(&str, u16)> {
        let Endpoint::Host { host, port } = &self.endpoint else { return Vec::new() };
        let more = self.more_nodes.iter().map(|(host, port)| (host.as_str(), *port));
        std::iter::once((host.as_str(), *port)).chain(more).collect()
    }

    /// Returns this address with only one of its nodes, by number.
    pub fn of_node(&self, number: usize) -> Url {
        let nodes = self.nodes();
        let (host, port) = nodes[number];
        let endpoint = Endpoint::Host { host: host.to_owned(), port };
        Url { endpoint, more_nodes: Vec::new(), ..self.clone() }
    }

    /// `host:port` with the number of further nodes, the name of the socket's file or of the
    /// directory, or the program with its arguments.
    pub fn short(&self) -> String {
        match &self.endpoint {
            Endpoint::Host { host, port } => {
                let more = match self.more_nodes.len() {
                    0 => String::new(),
                    count => format!("+{count}"),
                };
                format!("{}:{port}{more}", bracketed(host))
            }
            Endpoint::Unix(path) | Endpoint::Directory(path) => {
                path.rsplit('/').next().unwrap_or(path).to_owned()
            }
            Endpoint::Program(command) => command.shown(),
        }
    }

    /// The address as it may be recorded: without the login, and with the values of the query
    /// elided.
    pub fn recorded(&self) -> String {
        let (unix, authority) = match &self.endpoint {
            Endpoint::Unix(path) => ("+unix", path.replace('/', "%2F")),
            Endpoint::Host { .. } => {
                let nodes = self.nodes().into_iter();
                let nodes: Vec<_> = nodes.map(|(host, port)| self.authority(host, port)).collect();
                ("", nodes.join(","))
            }
            Endpoint::Directory(path) => return format!("file://{path}"),
            Endpoint::Program(command) => return format!("exec:{}", command.shown()),
        };
        let scheme = self.scheme();
        let query = match (&self.query, self.protocol.query) {
            (Some(query), Query::OfRequest) => elided(query),
            (Some(query), Query::Words(_)) => format!("?{query}"),
            (None, _) => String::new(),
        };
        let is_request = matches!(self.protocol.path, Path::OfRequest);
        let path = if is_request || self.path != "/" { &self.path } else { "" };
        format!("{scheme}{unix}://{authority}{path}{query}")
    }

    /// The scheme without `+unix`. TLS that the query enables does not have its own scheme.
    fn scheme(&self) -> &'static str {
        self.of_host().name
    }

    /// The scheme of this protocol for a host; the one with TLS from the first byte on if this
    /// address uses TLS and the protocol has such a scheme.
    fn of_host(&self) -> &'static Scheme {
        let mut schemes = self.protocol.schemes.iter();
        schemes.find(|scheme| self.tls && scheme.tls).unwrap_or(&self.protocol.schemes[0])
    }

    /// The values of the query; a piece without `=` is one.
    pub fn query_values(&self) -> Vec<QueryValue> {
        let query = self.query.iter().filter(|_| self.protocol.query == Query::OfRequest);
        let pieces = query.flat_map(|query| query.split('&'));
        let value = |piece: &str| {
            let written = piece.split_once('=').map_or(piece, |(_, value)| value);
            let bytes = percent::decoded(written).unwrap_or_else(|| written.as_bytes().to_vec());
            let decoded = String::from_utf8_lossy(&bytes).into_owned();
            QueryValue { written: written.to_owned(), decoded }
        };
        pieces.map(value).collect()
    }

    fn default_port(&self) -> u16 {
        self.of_host().port
    }
}

impl Login {
    fn parse(text: &str) -> Result<Option<Login>, String> {
        let (user, password) = text.split_once(':').unwrap_or((text, ""));
        let wrong = || {
            "the login before `@` contains a `%` that is not followed by two hex digits".to_owned()
        };
        let login = Login {
            user: percent::decoded(user).ok_or_else(wrong)?,
            password: percent::decoded(password).ok_or_else(wrong)?,
        };
        secrets::declare_login(&login.password);
        Ok((!text.is_empty()).then_some(login))
    }

    /// The user and the password as text, each None if it is empty. `of` names the protocol for the
    /// message. An error if they are not UTF-8.
    pub fn as_text(&self, of: &str) -> Result<(Option<String>, Option<String>), String> {
        let text = |bytes: &Vec<u8>| {
            let wrong = |_| format!("the user and the password of {of} must be UTF-8");
            let text = String::from_utf8(bytes.clone()).map_err(wrong)?;
            Ok::<_, String>(Some(text).filter(|text| !text.is_empty()))
        };
        Ok((text(&self.user)?, text(&self.password)?))
    }
}

/// A text that was meant as an address, without the parts that could be secret: everything before
/// the last `@` and after the first `?` or `#`. If the two overlap, the host cannot be told from
/// the secret and nothing is shown.
pub fn harmless(text: &str) -> String {
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), text),
    };
    let shown_part = match (rest.rfind('@'), rest.find(['?', '#'])) {
        (Some(at), Some(query)) if query < at => "…",
        (Some(at), query) => &format!("…{}", &rest[at..query.unwrap_or(rest.len())]),
        (None, query) => &rest[..query.unwrap_or(rest.len())],
    };
    shown(format!("{scheme}{shown_part}"))
}

fn no_address(text: &str) -> String {
    let message = harmless(text);
    let slash = if message.contains('/') { "" } else { "/" };
    format!("`{message}` is not an address: did you mean `http://{message}{slash}`?")
}

/// What comes after `exec:`, if this is the address of a program.
fn program(text: &str) -> Option<&str> {
    text.strip_prefix("exec:")
}

/// Whether this is the address of a program.
pub fn is_program(text: &str) -> bool {
    program(text).is_some()
}

/// `localhost:8080/x` is an address without its scheme although it contains a slash, as paths of
/// files do: the port tells them apart.
pub fn begins_with_a_port(text: &str) -> bool {
    let start = text.split('/').next().unwrap_or(text);
    start.rsplit_once(':').is_some_and(|(host, port)| {
        !host.is_empty() && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Parses the host and the port of an address or of one of its nodes.
fn host_and_port(text: &str, default: u16) -> Result<(String, u16), String> {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (host, port) =
                rest.split_once(']').ok_or("the `]` of the IPv6 address is missing")?;
            (ipv6(host)?, port.strip_prefix(':').unwrap_or(port))
        }
        None => {
            let (host, port) = text.split_once(':').unwrap_or((text, ""));
            if port.contains(':') {
                return Err("an IPv6 address must be in brackets: http://[::1]:8080/".to_owned());
            }
            (host_name(host)?, port)
        }
    };
    let port = match port {
        "" => default,
        digits => port_number(digits)?,
    };
    Ok((host, port))
}

fn ipv6(text: &str) -> Result<String, String> {
    match text.parse::<Ipv6Addr>() {
        Ok(address) => Ok(address.to_string()),
        Err(_) if text.contains('%') => {
            Err("IPv6 addresses with a zone (%eth0) are not supported".to_owned())
        }
        Err(_) => Err(format!("`[{}]` is not an IPv6 address", shown(text))),
    }
}

/// A name or an IPv4 address.
pub(super) fn host_name(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err("the host is missing: write http://HOST:PORT/".to_owned());
    }
    if !text.is_ascii() {
        return Err(format!("write the host `{}` in its ASCII form (xn--…)", shown(text)));
    }
    let part = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    if text.bytes().all(part) && text.len() <= 253 {
        Ok(text.to_ascii_lowercase())
    } else {
        Err(format!("`{}` is not a host name", shown(text)))
    }
}

/// A port that can be dialled.
pub(super) fn port_number(text: &str) -> Result<u16, String> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(port) if digits && port > 0 => Ok(port),
        _ => Err(format!("the port `{}` is not a number from 1 to 65535", shown(text))),
    }
}

fn socket_path(text: &str) -> Result<Endpoint, String> {
    const HOW: &str = "http+unix://%2Frun%2Fapp.sock/path";
    let path = percent::decoded(text)
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .ok_or_else(|| format!("the socket's path is malformed: {HOW}"))?;
    match path.len() {
        0 => Err(format!(
            "the socket's path must come before the first slash, percent-encoded: \
                         {HOW}"
        )),
        length if length > LONGEST_SOCKET_PATH => Err(format!(
            "the socket's path has {length} bytes, but Linux allows {LONGEST_SOCKET_PATH}: use a \
             shorter path, or one relative to the current directory"
        )),
        _ if path.contains(char::is_control) => {
            Err("the socket's path contains a control character".to_owned())
        }
        _ => Ok(Endpoint::Unix(path)),
    }
}

fn path_and_query(tail: &str) -> Result<(String, Option<String>), String> {
    if !tail.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(
            "the path and the query must be percent-encoded: ASCII only, spaces as %20".to_owned()
        );
    }
    let (path, query) = match tail.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (tail, None),
    };
    let path = if path.is_empty() { "/" } else { path };
    Ok((path.to_owned(), query))
}

/// The keys only: `?token=…&n=…`. A piece without `=` may itself be a secret.
fn elided(query: &str) -> String {
    let pieces = query.split('&').map(|piece| match piece.split_once('=') {
        Some((key, _)) => format!("{key}=…"),
        None => "…".to_owned(),
    });
    format!("?{}", pieces.collect::<Vec<_>>().join("&"))
}

fn bracketed(host: &str) -> String {
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V6(_)) => format!("[{host}]"),
        _ => host.to_owned(),
    }
}
