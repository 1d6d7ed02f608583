//! Addresses of targets as people write them.
//!
//! This is not a crate that follows the WHATWG's rules: those repair malformed addresses, and a
//! tool that measures must report them instead.

pub(crate) mod local;
mod nodes;

use crate::protocol::address::command::Command;
use crate::protocol::{self, Path, Protocol, Query, Scheme, TargetKind};
use crate::system::secrets;
use std::net::{IpAddr, Ipv6Addr};
use text::percent;
use text::shown::shown;

/// The longest path of a unix socket: `sun_path` has 108 bytes including the final zero.
const LONGEST_SOCKET_PATH: usize = 107;

/// An address, split into its parts. It has no `Debug` because the login and the query can be
/// secret.
#[derive(Clone)]
pub(crate) struct Url {
    pub(crate) protocol: &'static Protocol,
    pub(crate) tls: bool,
    pub(crate) login: Option<Login>,
    pub(crate) endpoint: Endpoint,
    /// Host and port of every node after the first one, which is `endpoint`.
    pub(crate) more_nodes: Vec<(String, u16)>,
    /// Starts with `/`; without query.
    pub(super) path: String,
    pub(super) query: Option<String>,
}

/// `user:pass@`, percent-decoded.
#[derive(Clone)]
pub(crate) struct Login {
    pub(crate) user: Vec<u8>,
    pub(crate) password: Vec<u8>,
}

/// A value of the query. It has no `Debug` because it can be secret.
pub(crate) struct QueryValue {
    /// As it is sent.
    pub(crate) written: String,
    /// Percent-decoded, if that is possible.
    pub(crate) decoded: String,
}

/// Where to connect to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Endpoint {
    /// A name or an address (IPv6 without brackets), and a port.
    Host { host: String, port: u16 },
    /// The path of a unix socket.
    Unix(String),
    /// The path of a directory, absolute.
    Directory(String),
    /// What is run.
    Program(Command),
}

impl Url {
    /// Reads an address. The messages name the remedy and never quote a login
    /// or a query.
    pub(crate) fn parse(text: &str) -> Result<Url, String> {
        if let Some(command) = program(text) {
            return Command::parse(command).map(local::program);
        }
        if let Some(why) = protocol::why_not_supported(text).filter(|_| !begins_with_a_port(text)) {
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
        let (protocol, scheme) = protocol::of_scheme(&scheme.to_ascii_lowercase())?;
        let (endpoint, more_nodes) = match scheme.to {
            TargetKind::Host => nodes::read(host, scheme, protocol.example)?,
            TargetKind::Socket => (socket_path(host)?, Vec::new()),
            TargetKind::Directory => return local::directory(rest),
            TargetKind::Program => return Err(no_address(text)),
        };
        let (path, query) = path_and_query(tail)?;
        let mut url = Url { protocol, tls: scheme.tls, login, endpoint, more_nodes, path, query };
        url.tls |= url.says(protocol::TLS);
        url.check()?;
        Ok(url)
    }

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
            protocol::Login::Never if self.login.is_some() => Err(format!(
                "tiebreak does not support authentication for {name}: remove the part \
                             before `@`"
            )),
            protocol::Login::User if !user => Err(format!("the user is missing: write {example}")),
            protocol::Login::UserAndPassword if !(user && password) => {
                Err(format!("the user or the password is missing: write {example}"))
            }
            protocol::Login::Never
            | protocol::Login::Optional
            | protocol::Login::User
            | protocol::Login::UserAndPassword => Ok(()),
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
            Path::Nothing | Path::Number | Path::Name { .. } | Path::OfRequest => Ok(()),
        }
    }

    /// Whether a MySQL server without TLS may be asked for the public key that the
    /// password is then encrypted with.
    pub(crate) fn allows_key_retrieval(&self) -> bool {
        self.says(protocol::ALLOW_KEY)
    }

    /// The only segment of the path, percent-decoded. Returns None if there are several, or if it
    /// is empty.
    pub(crate) fn sql_database(&self) -> Option<String> {
        let name = self.path.strip_prefix('/').filter(|name| !name.contains('/'))?;
        let name = String::from_utf8(percent::decoded(name)?).ok()?;
        (!name.is_empty() && !name.contains(char::is_control)).then_some(name)
    }

    /// The database number in a path such as `/3`; 0 if the path is empty.
    pub(crate) fn database(&self) -> Option<u32> {
        match self.path.strip_prefix('/')? {
            "" => Some(0),
            number => number.parse().ok(),
        }
    }

    /// Path and query, as the request line has them.
    pub(crate) fn request_target(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    /// The path alone.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The value of `Host`: it includes the port only if that is not the scheme's default.
    pub(crate) fn host_header(&self) -> String {
        match &self.endpoint {
            Endpoint::Host { host, port } => self.authority(host, *port),
            Endpoint::Unix(_) | Endpoint::Directory(_) | Endpoint::Program(_) => {
                "localhost".to_owned()
            }
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
    pub(crate) fn nodes(&self) -> Vec<(&str, u16)> {
        let Endpoint::Host { host, port } = &self.endpoint else { return Vec::new() };
        let more = self.more_nodes.iter().map(|(host, port)| (host.as_str(), *port));
        std::iter::once((host.as_str(), *port)).chain(more).collect()
    }

    /// Returns this address with only one of its nodes, by number.
    pub(crate) fn of_node(&self, number: usize) -> Url {
        let nodes = self.nodes();
        let (host, port) = nodes[number];
        let endpoint = Endpoint::Host { host: host.to_owned(), port };
        Url { endpoint, more_nodes: Vec::new(), ..self.clone() }
    }

    /// `host:port` with the number of further nodes, the name of the socket's file or of the
    /// directory, or the program with its arguments.
    pub(crate) fn short(&self) -> String {
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
    pub(crate) fn recorded(&self) -> String {
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
    pub(crate) fn query_values(&self) -> Vec<QueryValue> {
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
    pub(crate) fn as_text(&self, of: &str) -> Result<(Option<String>, Option<String>), String> {
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
pub(crate) fn harmless(text: &str) -> String {
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
pub(crate) fn is_program(text: &str) -> bool {
    program(text).is_some()
}

/// Whether this was meant as an address, valid or not.
pub(crate) fn looks_like_one(text: &str) -> bool {
    text.contains("://") || is_program(text) || protocol::why_not_supported(text).is_some()
}

/// `localhost:8080/x` is an address without its scheme although it contains a slash, as paths of
/// files do: the port tells them apart.
pub(crate) fn begins_with_a_port(text: &str) -> bool {
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
pub(crate) fn host_name(text: &str) -> Result<String, String> {
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
pub(crate) fn port_number(text: &str) -> Result<u16, String> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn error(text: &str) -> String {
        Url::parse(text).err().unwrap_or_else(|| panic!("`{text}` was taken"))
    }

    #[test]
    fn good_addresses() {
        // (typed, Host, request line, recorded, short)
        let table = [
            ("http://a.test", "a.test", "/", "http://a.test/", "a.test:80"),
            ("http://A.test:8080", "a.test:8080", "/", "http://a.test:8080/", "a.test:8080"),
            ("https://a.test:443/x", "a.test", "/x", "https://a.test/x", "a.test:443"),
            ("http://a.test?k=v", "a.test", "/?k=v", "http://a.test/?k=…", "a.test:80"),
            ("http://[::1]:81/", "[::1]:81", "/", "http://[::1]:81/", "[::1]:81"),
            (
                "https://[2001:DB8::1]/",
                "[2001:db8::1]",
                "/",
                "https://[2001:db8::1]/",
                "[2001:db8::1]:443",
            ),
            (
                "http://127.0.0.1:9/a%20b#part",
                "127.0.0.1:9",
                "/a%20b",
                "http://127.0.0.1:9/a%20b",
                "127.0.0.1:9",
            ),
            (
                "HTTP://u:p@h/p?token=abc&x=1&flag",
                "h",
                "/p?token=abc&x=1&flag",
                "http://h/p?token=…&x=…&…",
                "h:80",
            ),
            ("http://h/p?", "h", "/p?", "http://h/p?…", "h:80"),
            (
                "http+unix://%2Ftmp%2Fx.sock/p?q=1",
                "localhost",
                "/p?q=1",
                "http+unix://%2Ftmp%2Fx.sock/p?q=…",
                "x.sock",
            ),
            ("http+unix://x.sock", "localhost", "/", "http+unix://x.sock/", "x.sock"),
            ("memcached://h", "h", "/", "memcached://h", "h:11211"),
            ("redis://:secret@h:1", "h:1", "/", "redis://h:1", "h:1"),
            ("redis://h/3", "h", "/3", "redis://h/3", "h:6379"),
            ("redis+unix://r.sock", "localhost", "/", "redis+unix://r.sock", "r.sock"),
            ("postgres://me@h/b", "h", "/b", "postgres://h/b", "h:5432"),
            (
                "postgres://me:p@h:1/b?sslmode=verify-full",
                "h:1",
                "/b?sslmode=verify-full",
                "postgres://h:1/b?sslmode=verify-full",
                "h:1",
            ),
            ("cassandra://me:p@h,i:1/k", "h", "/k", "cassandra://h,i:1/k", "h:9042+1"),
            ("cassandra+thrift://h/k", "h", "/k", "cassandra+thrift://h/k", "h:9160"),
            ("cassandra+thrift://me:p@h:1/K_2", "h:1", "/K_2", "cassandra+thrift://h:1/K_2", "h:1"),
            ("mysql://me:p@h/my%20b", "h", "/my%20b", "mysql://h/my%20b", "h:3306"),
            ("mysql+unix://me@m.sock/b", "localhost", "/b", "mysql+unix://m.sock/b", "m.sock"),
        ];
        for (typed, host, line, recorded, short) in table {
            let url = Url::parse(typed).unwrap_or_else(|message| panic!("{typed}: {message}"));
            assert_eq!(url.host_header(), host, "{typed}");
            assert_eq!(url.request_target(), line, "{typed}");
            assert_eq!(url.recorded(), recorded, "{typed}");
            assert_eq!(url.short(), short, "{typed}");
        }
    }

    #[test]
    fn logins_are_decoded_and_split_at_the_last_at() {
        for (typed, user, password) in [
            ("http://me:secret@h/", "me", "secret"),
            ("http://me@h/", "me", ""),
            ("http://me%40work:p%3Aq@h/", "me@work", "p:q"),
            ("http://me:p@ss:w@h/", "me", "p@ss:w"),
        ] {
            let login = Url::parse(typed).ok().and_then(|url| url.login).expect(typed);
            assert_eq!(login.user, user.as_bytes(), "{typed}");
            assert_eq!(login.password, password.as_bytes(), "{typed}");
        }
        assert!(Url::parse("http://@h/").ok().is_some_and(|url| url.login.is_none()));
    }

    #[test]
    fn bad_addresses_name_the_remedy() {
        let table = [
            (
                "localhost:8080",
                "`localhost:8080` is not an address: did you mean `http://localhost:8080/`?",
            ),
            (
                "localhost:8080/x",
                "`localhost:8080/x` is not an address: did you mean `http://localhost:8080/x`?",
            ),
            ("a.test", "`a.test` is not an address: did you mean `http://a.test/`?"),
            // A host of this name.
            ("docker:80", "`docker:80` is not an address: did you mean `http://docker:80/`?"),
            (
                "docker:library/nginx",
                "`docker:` is not supported: tiebreak does not start images; start the container \
                 yourself, with a published port (docker run -p 127.0.0.1:8080:80 IMAGE), and give \
                 its address, such as http://127.0.0.1:8080/",
            ),
            (
                "rediss://:CANARY@h/0",
                "`rediss:` is not supported: TLS to Redis is not supported yet; drive a port \
                 without TLS as redis://HOST:PORT, or let a proxy on this machine speak TLS to the \
                 server",
            ),
            ("exec:", "exec: the program is missing: write for example exec:php check.php"),
            (
                "cassandra+thrift://h/",
                "the path of a cassandra+thrift address must be the name of a keyspace, such as \
                 cassandra+thrift://127.0.0.1:9160/KEYSPACE",
            ),
            (
                "cassandra+thrift://h/a-b",
                "the path of a cassandra+thrift address must be the name of a keyspace, such as \
                 cassandra+thrift://127.0.0.1:9160/KEYSPACE",
            ),
            (
                "cassandra://h/a.b",
                "the path of a cassandra address must be the name of a keyspace (letters, digits, \
                 `_`), such as cassandra://USER:PASSWORD@HOST/KEYSPACE",
            ),
            ("mysql://h/x", "the user is missing: write mysql://USER:PASSWORD@HOST/DATABASE"),
            (
                "postgres://me@h/",
                "the path of a postgres address must be the name of a database, such as \
                 postgres://USER:PASSWORD@HOST/DATABASE",
            ),
            (
                "mysql://me:CANARY@h/b?ssl=CANARY",
                "the query (`?`) of a mysql address supports sslmode=verify-full and \
                 allow-public-key-retrieval=true. sslmode=verify-full requires TLS: --cacert \
                 names the trusted authorities, --insecure accepts any certificate",
            ),
            (
                "postgres://me@h/b?allow-public-key-retrieval=true",
                "the query (`?`) of a postgres address supports sslmode=verify-full. \
                 sslmode=verify-full requires TLS: --cacert names the trusted authorities, \
                 --insecure accepts any certificate",
            ),
            (
                "https+unix://x.sock/",
                "the scheme `https+unix` is not known; supported schemes: http, https, http+unix, \
                 ws, wss, ws+unix, memcached, memcached+unix, redis, redis+unix, cassandra, \
                 cassandra+thrift, postgres, postgres+unix, mysql, mysql+unix, file, exec; did you \
                 mean `http+unix`?",
            ),
            (
                "memcached://me@h/",
                "tiebreak does not support authentication for memcached: remove \
                                   the part before `@`",
            ),
            (
                "memcached://h/x",
                "memcached addresses do not have a path: write memcached://127.0.0.1:11211",
            ),
            (
                "redis://h/x",
                "the path of a redis address must be a database number or empty, such as \
                 redis://127.0.0.1:6379/0",
            ),
            (
                "htpp://h/",
                "the scheme `htpp` is not known; supported schemes: http, https, http+unix, ws, \
                 wss, ws+unix, memcached, memcached+unix, redis, redis+unix, cassandra, \
                 cassandra+thrift, postgres, postgres+unix, mysql, mysql+unix, file, exec; did you \
                 mean `http`?",
            ),
            (
                "gopher://h/",
                "the scheme `gopher` is not known; supported schemes: http, https, http+unix, ws, \
                 wss, ws+unix, memcached, memcached+unix, redis, redis+unix, cassandra, \
                 cassandra+thrift, postgres, postgres+unix, mysql, mysql+unix, file, exec",
            ),
            ("http:///x", "the host is missing: write http://HOST:PORT/"),
            ("http://:80/", "the host is missing: write http://HOST:PORT/"),
            ("http://h:0/", "the port `0` is not a number from 1 to 65535"),
            ("http://h:+1/", "the port `+1` is not a number from 1 to 65535"),
            ("http://h:65536/", "the port `65536` is not a number from 1 to 65535"),
            ("http://::1/", "an IPv6 address must be in brackets: http://[::1]:8080/"),
            ("http://[::1/", "the `]` of the IPv6 address is missing"),
            ("http://[fe80::1%25eth0]/", "IPv6 addresses with a zone (%eth0) are not supported"),
            ("http://[nonsense]/", "`[nonsense]` is not an IPv6 address"),
            ("http://a b/", "`a b` is not a host name"),
            ("http://käse.test/", "write the host `käse.test` in its ASCII form (xn--…)"),
            (
                "http://h/a b",
                "the path and the query must be percent-encoded: ASCII only, spaces as %20",
            ),
            (
                "http+unix:///run/x.sock",
                "the socket's path must come before the first slash, percent-encoded: \
                 http+unix://%2Frun%2Fapp.sock/path",
            ),
            (
                "http://u:%zz@h/",
                "the login before `@` contains a `%` that is not followed by two \
                                 hex digits",
            ),
        ];
        for (typed, message) in table {
            // A build with Oracle's driver has one more scheme.
            let text = error(typed).replace("mysql+unix, oracle, ", "mysql+unix, ");
            assert_eq!(text, message, "{typed}");
        }
        assert!(error(&format!("http+unix://{}/", "x".repeat(108))).contains("108 bytes"));
    }

    #[test]
    fn oracle_says_how_it_is_built_in_or_what_it_lacks() {
        if !cfg!(feature = "oracle") {
            let message = error("oracle://me:CANARY@h/s");
            assert!(
                message.contains("--features oracle") && !message.contains("CANARY"),
                "{message}"
            );
            return;
        }
        let url =
            Url::parse("oracle://me:p@h/FREEPDB1").unwrap_or_else(|message| panic!("{message}"));
        assert_eq!(
            (url.recorded().as_str(), url.short()),
            ("oracle://h/FREEPDB1", "h:1521".into())
        );
        for wrong in [
            "oracle://h/s",
            "oracle://me@h/s",
            "oracle://me:CANARY@h/",
            "oracle://me:CANARY@h/a)(b",
            "oracle://me:CANARY@h/s?x",
        ] {
            let message = error(wrong);
            assert!(
                message.contains("oracle://USER:PASSWORD@HOST:1521/SERVICE"),
                "{wrong}: {message}"
            );
            assert!(!message.contains("CANARY"), "{message}");
        }
        assert!(error("oracle+unix://x/").contains("oracle+unix"));
    }

    #[test]
    fn messages_never_quote_a_login_or_a_query() {
        for typed in [
            "u:CANARY@h",
            "u:a?CANARY@h",
            "http://u:a#CANARY@h",
            "h?mail=a@CANARY",
            "u:CANARY@h:8080/x.toml",
            "u:CANARY@./file",
            "h?token=CANARY",
            "foo://u:CANARY@h/?CANARY",
            "http://u:CANARY@h:bad/?CANARY",
            "http://u:CANARY@/",
            "http://u:CANARY%@h/",
            "http://h/a b?CANARY",
        ] {
            assert!(!error(typed).contains("CANARY"), "{typed}: {}", error(typed));
            assert!(!harmless(typed).contains("CANARY"), "{typed}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics_and_what_is_recorded_reads_back(text: String, path in "[a-z/]{0,9}", port: u16) {
            let _ = Url::parse(&text);
            if let Ok(url) = Url::parse(&format!("http://host:{port}/{path}")) {
                let back = Url::parse(&url.recorded()).map_err(TestCaseError::fail)?;
                prop_assert_eq!(back.recorded(), url.recorded());
            }
        }
    }
}
