//! Addresses of targets as people write them.
//!
//! A parser of our own, and not a crate that follows the WHATWG's rules: those
//! repair what is malformed, and a tool that measures must ask instead.

pub(crate) mod local;

use crate::exec;
use crate::near;
use crate::shown::shown;
use std::net::{IpAddr, Ipv6Addr};

/// Schemes of later protocols: known, but not here yet.
const LATER: [&str; 3] = ["ws", "wss", "cassandra"];

/// Longest path of a unix socket: `sun_path` has 108 bytes with its zero.
const LONGEST_SOCKET_PATH: usize = 107;

/// Schemes that can be driven.
const SCHEMES: [&str; 13] = [
    "http",
    "https",
    "http+unix",
    "memcached",
    "memcached+unix",
    "redis",
    "redis+unix",
    "postgres",
    "postgres+unix",
    "mysql",
    "mysql+unix",
    "file",
    "exec",
];

/// What is spoken at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Http,
    Memcached,
    Redis,
    Postgres,
    /// MySQL, MariaDB.
    Mysql,
    /// Only where it is built in.
    Oracle,
    /// Files in a directory.
    Files,
    /// A whole program.
    Program,
}

impl Protocol {
    /// What it talks to can hold keys and values.
    pub(crate) fn is_store(self) -> bool {
        !matches!(self, Protocol::Http | Protocol::Program)
    }

    /// It is a database that is spoken to in SQL.
    pub(crate) fn is_sql(self) -> bool {
        matches!(self, Protocol::Postgres | Protocol::Mysql | Protocol::Oracle)
    }
}

/// What the query of a database's address can say.
const TLS: &str = "sslmode=verify-full";
const ALLOW_KEY: &str = "allow-public-key-retrieval=true";

/// An address, in its parts. No `Debug`: login and query can be secret.
#[derive(Clone)]
pub(crate) struct Url {
    pub(crate) protocol: Protocol,
    pub(crate) tls: bool,
    pub(crate) login: Option<Login>,
    pub(crate) place: Place,
    /// Starts with `/`; without query.
    path: String,
    query: Option<String>,
}

/// `user:pass@`, percent-decoded.
#[derive(Clone)]
pub(crate) struct Login {
    pub(crate) user: Vec<u8>,
    pub(crate) password: Vec<u8>,
}

/// A value of the query. No `Debug`: it can be secret.
pub(crate) struct QueryValue {
    /// As it is sent.
    pub(crate) written: String,
    /// Percent-decoded, where it can be.
    pub(crate) decoded: String,
}

/// Where to connect to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// A name or an address (IPv6 without brackets), and a port.
    Host { host: String, port: u16 },
    /// The path of a unix socket.
    Unix(String),
    /// The path of a directory, absolute.
    Directory(String),
    /// What is run.
    Program(exec::Command),
}

impl Url {
    /// Reads an address. The messages name the remedy and never quote a login
    /// or a query.
    pub(crate) fn parse(text: &str) -> Result<Url, String> {
        if let Some(command) = text.strip_prefix("exec:") {
            return exec::Command::parse(command).map(local::program);
        }
        let Some((scheme, rest)) = text.split_once("://") else { return Err(no_address(text)) };
        if scheme.eq_ignore_ascii_case("file") {
            return local::directory(rest);
        }
        let rest = rest.split_once('#').map_or(rest, |(before, _)| before);
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, tail) = rest.split_at(end);
        let (login, host) = match authority.rsplit_once('@') {
            Some((login, host)) => (Login::parse(login)?, host),
            None => (None, authority),
        };
        let scheme = scheme.to_ascii_lowercase();
        let (protocol, port) = match scheme.trim_end_matches("+unix") {
            "http" => (Protocol::Http, 80),
            "https" => (Protocol::Http, 443),
            "memcached" => (Protocol::Memcached, 11211),
            "redis" => (Protocol::Redis, 6379),
            "postgres" => (Protocol::Postgres, 5432),
            "mysql" => (Protocol::Mysql, 3306),
            "oracle" if cfg!(feature = "oracle") => (Protocol::Oracle, 1521),
            _ => return Err(no_scheme(&scheme)),
        };
        let place = match scheme.ends_with("+unix") {
            false if protocol == Protocol::Oracle => host_and_port(host, port)?,
            _ if !SCHEMES.contains(&scheme.as_str()) => return Err(no_scheme(&scheme)),
            true => socket_path(host)?,
            false => host_and_port(host, port)?,
        };
        let (path, query) = path_and_query(tail)?;
        let said = |piece: &str| query.iter().any(|query| query.split('&').any(|of| of == piece));
        let tls = scheme == "https" || (protocol.is_sql() && said(TLS));
        let url = Url { protocol, tls, login, place, path, query };
        url.check_store()?;
        Ok(url)
    }

    /// What an address of a store can hold.
    fn check_store(&self) -> Result<(), String> {
        let said = match self.protocol {
            Protocol::Memcached if self.login.is_some() => {
                "memcached has no login here: leave out what stands before `@`"
            }
            Protocol::Memcached if self.path != "/" || self.query.is_some() => {
                "an address of memcached ends with its port: memcached://127.0.0.1:11211"
            }
            Protocol::Redis if self.query.is_some() || self.database().is_none() => {
                "behind the port of redis stands the number of a database, or nothing: \
                 redis://127.0.0.1:6379/0"
            }
            Protocol::Postgres | Protocol::Mysql => return self.check_sql(),
            Protocol::Oracle => return self.check_oracle(),
            _ => return Ok(()),
        };
        Err(said.to_owned())
    }

    /// Databases have names, and users.
    fn check_sql(&self) -> Result<(), String> {
        let scheme = self.scheme();
        if self.login.as_ref().is_none_or(|login| login.user.is_empty()) {
            return Err(format!("the user is missing: {scheme}://USER:PASSWORD@HOST/DATABASE"));
        }
        if self.sql_database().is_none() {
            return Err(format!(
                "behind the port of {scheme} stands the name of a database, and nothing else: \
                 {scheme}://USER:PASSWORD@HOST/DATABASE"
            ));
        }
        let is_known =
            |piece: &str| piece == TLS || (piece == ALLOW_KEY && self.protocol == Protocol::Mysql);
        if self.query.iter().all(|query| query.split('&').all(is_known)) {
            return Ok(());
        }
        Err("behind the `?` can stand sslmode=verify-full, for TLS (--cacert says which \
             authorities are trusted, --insecure that none is asked), and of mysql \
             allow-public-key-retrieval=true"
            .to_owned())
    }

    /// Whether a MySQL server without TLS may be asked for the public key that the
    /// password is then encrypted with.
    pub(crate) fn allows_key_retrieval(&self) -> bool {
        self.query.iter().any(|query| query.split('&').any(|piece| piece == ALLOW_KEY))
    }

    /// Oracle has services in place of databases, and a password for everybody.
    fn check_oracle(&self) -> Result<(), String> {
        const HOW: &str = "oracle://USER:PASSWORD@HOST:1521/SERVICE";
        let whole = |login: &Login| !login.user.is_empty() && !login.password.is_empty();
        if !self.login.as_ref().is_some_and(whole) {
            return Err(format!("user and password are missing: {HOW}"));
        }
        let part = |c: char| c.is_ascii_alphanumeric() || "._-$#".contains(c);
        let service = self.sql_database().filter(|name| name.chars().all(part));
        match self.query.is_none() && service.is_some() {
            true => Ok(()),
            false => Err(format!(
                "behind the port of oracle stands the name of a service (letters, digits, `._-$`), \
                 and nothing else; TLS is not here yet: {HOW}"
            )),
        }
    }

    /// The one piece of the path, percent-decoded; none where there are more, or
    /// it is empty.
    pub(crate) fn sql_database(&self) -> Option<String> {
        let name = self.path.strip_prefix('/').filter(|name| !name.contains('/'))?;
        let name = String::from_utf8(decoded(name)?).ok()?;
        (!name.is_empty() && !name.contains(char::is_control)).then_some(name)
    }

    /// The database that a path such as `/3` names; 0 where there is none.
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

    /// What `Host` says: the port only where it is not the scheme's own.
    pub(crate) fn host_header(&self) -> String {
        match &self.place {
            Place::Host { host, port } if *port == self.default_port() => bracketed(host),
            Place::Host { host, port } => format!("{}:{port}", bracketed(host)),
            Place::Unix(_) | Place::Directory(_) | Place::Program(_) => "localhost".to_owned(),
        }
    }

    /// `host:port`, the name of the socket's file or of the directory, or the
    /// program with its arguments.
    pub(crate) fn short(&self) -> String {
        match &self.place {
            Place::Host { host, port } => format!("{}:{port}", bracketed(host)),
            Place::Unix(path) | Place::Directory(path) => {
                path.rsplit('/').next().unwrap_or(path).to_owned()
            }
            Place::Program(command) => command.shown(),
        }
    }

    /// The address as it may be recorded: without login, and with the values
    /// of the query elided.
    pub(crate) fn recorded(&self) -> String {
        let (unix, authority) = match &self.place {
            Place::Unix(path) => ("+unix", path.replace('/', "%2F")),
            Place::Host { .. } => ("", self.host_header()),
            Place::Directory(path) => return format!("file://{path}"),
            Place::Program(command) => return format!("exec:{}", command.shown()),
        };
        let scheme = self.scheme();
        let query = match &self.query {
            // The one thing that can stand there is no secret.
            Some(query) if self.protocol.is_sql() => format!("?{query}"),
            query => query.as_deref().map(elided).unwrap_or_default(),
        };
        let path =
            if self.protocol == Protocol::Http || self.path != "/" { &self.path } else { "" };
        format!("{scheme}{unix}://{authority}{path}{query}")
    }

    /// Without `+unix`.
    fn scheme(&self) -> &'static str {
        match self.protocol {
            Protocol::Memcached => "memcached",
            Protocol::Redis => "redis",
            Protocol::Postgres => "postgres",
            Protocol::Mysql => "mysql",
            Protocol::Oracle => "oracle",
            Protocol::Files => "file",
            Protocol::Program => "exec",
            Protocol::Http if self.tls => "https",
            Protocol::Http => "http",
        }
    }

    /// The values of the query; a piece without `=` is one.
    pub(crate) fn query_values(&self) -> Vec<QueryValue> {
        // Of a database: a word of three.
        let query = self.query.iter().filter(|_| !self.protocol.is_sql());
        let pieces = query.flat_map(|query| query.split('&'));
        let value = |piece: &str| {
            let written = piece.split_once('=').map_or(piece, |(_, value)| value);
            let bytes = decoded(written).unwrap_or_else(|| written.as_bytes().to_vec());
            let decoded = String::from_utf8_lossy(&bytes).into_owned();
            QueryValue { written: written.to_owned(), decoded }
        };
        pieces.map(value).collect()
    }

    fn default_port(&self) -> u16 {
        match self.protocol {
            Protocol::Memcached => 11211,
            Protocol::Redis => 6379,
            Protocol::Postgres => 5432,
            Protocol::Mysql => 3306,
            Protocol::Oracle => 1521,
            _ if self.tls => 443,
            _ => 80,
        }
    }
}

impl Login {
    fn parse(text: &str) -> Result<Option<Login>, String> {
        let (user, password) = text.split_once(':').unwrap_or((text, ""));
        let wrong = || "the login before `@` holds a `%` that no two hex digits follow".to_owned();
        let login = Login {
            user: decoded(user).ok_or_else(wrong)?,
            password: decoded(password).ok_or_else(wrong)?,
        };
        Ok((!text.is_empty()).then_some(login))
    }
}

/// A text that was to be an address, without what could be secret in it: what
/// stands before the last `@`, and behind the first `?` or `#`. Where the two
/// overlap nobody can tell host from secret, and nothing is shown.
pub(crate) fn harmless(text: &str) -> String {
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), text),
    };
    let told = match (rest.rfind('@'), rest.find(['?', '#'])) {
        (Some(at), Some(query)) if query < at => "…",
        (Some(at), query) => &format!("…{}", &rest[at..query.unwrap_or(rest.len())]),
        (None, query) => &rest[..query.unwrap_or(rest.len())],
    };
    shown(format!("{scheme}{told}"))
}

fn no_address(text: &str) -> String {
    let told = harmless(text);
    let slash = if told.contains('/') { "" } else { "/" };
    format!("`{told}` is not an address: did you mean `http://{told}{slash}`?")
}

/// `localhost:8080/x` is an address that lacks its scheme, though it has a slash
/// as files do: a port tells them apart.
pub(crate) fn begins_with_a_port(text: &str) -> bool {
    let start = text.split('/').next().unwrap_or(text);
    start.rsplit_once(':').is_some_and(|(host, port)| {
        !host.is_empty() && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn no_scheme(scheme: &str) -> String {
    if scheme == "oracle" {
        return "oracle:// is not built in: cargo build --release --features oracle (Rust 1.89 or \
                newer, and a C compiler)"
            .to_owned();
    }
    if LATER.contains(&scheme) {
        return format!("the scheme `{scheme}` comes later; here are {}", SCHEMES.join(", "));
    }
    let meant = near::did_you_mean(scheme, SCHEMES);
    format!("the scheme `{}` is not known: {}{meant}", shown(scheme), SCHEMES.join(", "))
}

fn host_and_port(text: &str, default: u16) -> Result<Place, String> {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (host, port) =
                rest.split_once(']').ok_or("the `]` of the IPv6 address is missing")?;
            (ipv6(host)?, port.strip_prefix(':').unwrap_or(port))
        }
        None => {
            let (host, port) = text.split_once(':').unwrap_or((text, ""));
            if port.contains(':') {
                return Err("an IPv6 address stands in brackets: http://[::1]:8080/".to_owned());
            }
            (host_name(host)?, port)
        }
    };
    let port = match port {
        "" => default,
        digits => port_number(digits)?,
    };
    Ok(Place::Host { host, port })
}

fn ipv6(text: &str) -> Result<String, String> {
    match text.parse::<Ipv6Addr>() {
        Ok(address) => Ok(address.to_string()),
        Err(_) if text.contains('%') => {
            Err("an IPv6 address with a zone (%eth0) cannot be dialled here".to_owned())
        }
        Err(_) => Err(format!("`[{}]` is not an IPv6 address", shown(text))),
    }
}

/// A name or an IPv4 address.
pub(crate) fn host_name(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err("the host is missing: http://HOST:PORT/".to_owned());
    }
    if !text.is_ascii() {
        return Err(format!("write the host `{}` in its ASCII form (xn--…)", shown(text)));
    }
    let part = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    match text.bytes().all(part) && text.len() <= 253 {
        true => Ok(text.to_ascii_lowercase()),
        false => Err(format!("`{}` is not a host name", shown(text))),
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

fn socket_path(text: &str) -> Result<Place, String> {
    const HOW: &str = "http+unix://%2Frun%2Fapp.sock/path";
    let path = decoded(text)
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .ok_or_else(|| format!("the socket's path is malformed: {HOW}"))?;
    match path.len() {
        0 => {
            Err(format!("the socket's path stands before the first slash, percent-encoded: {HOW}"))
        }
        length if length > LONGEST_SOCKET_PATH => Err(format!(
            "the socket's path has {length} bytes; Linux takes {LONGEST_SOCKET_PATH}: use a \
             shorter one, or one relative to the current directory"
        )),
        _ if path.contains(char::is_control) => {
            Err("the socket's path holds a control character".to_owned())
        }
        _ => Ok(Place::Unix(path)),
    }
}

fn path_and_query(tail: &str) -> Result<(String, Option<String>), String> {
    if !tail.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(
            "path and query must be percent-encoded: no spaces (%20), nothing beyond ASCII"
                .to_owned(),
        );
    }
    let (path, query) = match tail.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (tail, None),
    };
    let path = if path.is_empty() { "/" } else { path };
    Ok((path.to_owned(), query))
}

/// `?token=…&n=…`: the keys alone. A piece without `=` may itself be a secret.
fn elided(query: &str) -> String {
    let pieces = query.split('&').map(|piece| match piece.split_once('=') {
        Some((key, _)) => format!("{key}=…"),
        None => "…".to_owned(),
    });
    format!("?{}", pieces.collect::<Vec<_>>().join("&"))
}

/// Percent-decoded; none where no two hex digits follow a `%`.
pub(crate) fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let digits = [bytes.next()?, bytes.next()?].map(char::from);
                let digit = |c: char| c.to_digit(16);
                (digit(digits[0])? * 16 + digit(digits[1])?) as u8
            }
            plain => plain,
        });
    }
    Some(decoded)
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
            ("exec:", "exec: names no program: write exec:php check.php"),
            (
                "cassandra://h/",
                "the scheme `cassandra` comes later; here are http, https, http+unix, memcached, \
                 memcached+unix, redis, redis+unix, postgres, postgres+unix, mysql, mysql+unix, \
                 file, exec",
            ),
            ("mysql://h/x", "the user is missing: mysql://USER:PASSWORD@HOST/DATABASE"),
            (
                "postgres://me@h/",
                "behind the port of postgres stands the name of a database, and nothing else: \
                 postgres://USER:PASSWORD@HOST/DATABASE",
            ),
            (
                "mysql://me:CANARY@h/b?ssl=CANARY",
                "behind the `?` can stand sslmode=verify-full, for TLS (--cacert says which \
                 authorities are trusted, --insecure that none is asked), and of mysql \
                 allow-public-key-retrieval=true",
            ),
            (
                "postgres://me@h/b?allow-public-key-retrieval=true",
                "behind the `?` can stand sslmode=verify-full, for TLS (--cacert says which \
                 authorities are trusted, --insecure that none is asked), and of mysql \
                 allow-public-key-retrieval=true",
            ),
            (
                "https+unix://x.sock/",
                "the scheme `https+unix` is not known: http, https, http+unix, memcached, \
                 memcached+unix, redis, redis+unix, postgres, postgres+unix, mysql, mysql+unix, \
                 file, exec; did you mean `http+unix`?",
            ),
            ("memcached://me@h/", "memcached has no login here: leave out what stands before `@`"),
            (
                "memcached://h/x",
                "an address of memcached ends with its port: memcached://127.0.0.1:11211",
            ),
            (
                "redis://h/x",
                "behind the port of redis stands the number of a database, or nothing: \
                 redis://127.0.0.1:6379/0",
            ),
            (
                "htpp://h/",
                "the scheme `htpp` is not known: http, https, http+unix, memcached, memcached+unix, \
                 redis, redis+unix, postgres, postgres+unix, mysql, mysql+unix, file, exec; did you \
                 mean `http`?",
            ),
            (
                "gopher://h/",
                "the scheme `gopher` is not known: http, https, http+unix, memcached, \
                 memcached+unix, redis, redis+unix, postgres, postgres+unix, mysql, mysql+unix, \
                 file, exec",
            ),
            ("http:///x", "the host is missing: http://HOST:PORT/"),
            ("http://:80/", "the host is missing: http://HOST:PORT/"),
            ("http://h:0/", "the port `0` is not a number from 1 to 65535"),
            ("http://h:+1/", "the port `+1` is not a number from 1 to 65535"),
            ("http://h:65536/", "the port `65536` is not a number from 1 to 65535"),
            ("http://::1/", "an IPv6 address stands in brackets: http://[::1]:8080/"),
            ("http://[::1/", "the `]` of the IPv6 address is missing"),
            (
                "http://[fe80::1%25eth0]/",
                "an IPv6 address with a zone (%eth0) cannot be dialled here",
            ),
            ("http://[nonsense]/", "`[nonsense]` is not an IPv6 address"),
            ("http://a b/", "`a b` is not a host name"),
            ("http://käse.test/", "write the host `käse.test` in its ASCII form (xn--…)"),
            (
                "http://h/a b",
                "path and query must be percent-encoded: no spaces (%20), nothing beyond ASCII",
            ),
            (
                "http+unix:///run/x.sock",
                "the socket's path stands before the first slash, percent-encoded: http+unix://%2Frun%2Fapp.sock/path",
            ),
            ("http://u:%zz@h/", "the login before `@` holds a `%` that no two hex digits follow"),
        ];
        for (typed, message) in table {
            assert_eq!(error(typed), message, "{typed}");
        }
        assert!(error(&format!("http+unix://{}/", "x".repeat(108))).contains("108 bytes"));
    }

    #[test]
    fn oracle_says_how_it_is_built_in_or_what_it_lacks() {
        if !cfg!(feature = "oracle") {
            let told = error("oracle://me:CANARY@h/s");
            assert!(told.contains("--features oracle") && !told.contains("CANARY"), "{told}");
            return;
        }
        let url = Url::parse("oracle://me:p@h/FREEPDB1").unwrap_or_else(|told| panic!("{told}"));
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
            let told = error(wrong);
            assert!(told.contains("oracle://USER:PASSWORD@HOST:1521/SERVICE"), "{wrong}: {told}");
            assert!(!told.contains("CANARY"), "{told}");
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
