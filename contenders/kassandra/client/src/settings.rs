//! Where to connect, and how.

use crate::error::Error;
use std::fmt;
use std::time::Duration;

/// How the server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// CQL, native protocol version 4.
    Cql,
    /// Thrift: framed transport, binary protocol.
    Thrift,
}

/// One server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// A name or an address.
    pub name: String,
    /// Its port.
    pub port: u16,
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.contains(':') {
            true => write!(f, "[{}]:{}", self.name, self.port),
            false => write!(f, "{}:{}", self.name, self.port),
        }
    }
}

/// Who logs in.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// The user's name.
    pub user: String,
    /// The password, which is shown nowhere.
    pub password: String,
}

/// Everything that a connection depends on.
#[derive(Clone, PartialEq, Eq)]
pub struct Settings {
    /// How the servers are spoken to.
    pub protocol: Protocol,
    /// The servers, which are tried in turn.
    pub hosts: Vec<Host>,
    /// Who logs in, if the server asks.
    pub login: Option<Login>,
    /// How long one host may take to accept a connection.
    pub connect_timeout: Duration,
    /// How long a request may take, from its first byte to the last one of its reply.
    pub timeout: Duration,
    /// The largest reply that is read, in bytes.
    pub max_reply: usize,
    /// Whether connections stay open after the request of the web server.
    pub persistent: bool,
}

/// The most hosts that are taken.
const MOST_HOSTS: usize = 64;

impl Settings {
    /// The usual settings for hosts such as `cql://10.0.0.1,10.0.0.2:9142` or `thrift://db`.
    /// Ports are 9042 and 9160 if they are not named.
    ///
    /// # Errors
    /// Anything else than such a list, which is not repeated: it may hold a password.
    pub fn new(hosts: &str) -> Result<Settings, Error> {
        let (protocol, port, list) = if let Some(list) = hosts.strip_prefix("cql://") {
            (Protocol::Cql, 9042, list)
        } else if let Some(list) = hosts.strip_prefix("thrift://") {
            (Protocol::Thrift, 9160, list)
        } else {
            return Err(Error::invalid(
                "hosts must begin with cql:// or thrift://, as in cql://10.0.0.1:9042,10.0.0.2:9042",
            ));
        };
        if list.contains('@') {
            return Err(Error::invalid(
                "hosts must hold no user and no password: use the options user and password",
            ));
        }
        let hosts: Vec<Host> =
            list.split(',').map(|host| self::host(host, port)).collect::<Result<_, _>>()?;
        if hosts.len() > MOST_HOSTS {
            return Err(Error::invalid(format!("more than {MOST_HOSTS} hosts are not supported")));
        }
        Ok(Settings {
            protocol,
            hosts,
            login: None,
            connect_timeout: Duration::from_secs(1),
            timeout: Duration::from_secs(5),
            max_reply: 16 << 20,
            persistent: true,
        })
    }
}

/// `name`, `name:port`, `[address]` or `[address]:port`.
fn host(text: &str, usual: u16) -> Result<Host, Error> {
    let text = text.trim();
    let wrong = || Error::invalid(format!("`{}` is no host", text.escape_debug()));
    let (name, port) = match text.strip_prefix('[') {
        Some(rest) => match rest.split_once(']').ok_or_else(wrong)? {
            (name, "") => (name, None),
            (name, rest) => (name, Some(rest.strip_prefix(':').ok_or_else(wrong)?)),
        },
        None => match text.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (text, None),
        },
    };
    let port = port.map_or(Ok(usual), |port| port.parse().map_err(|_| wrong()))?;
    let is_odd = |it: char| it.is_control() || it.is_whitespace() || "/?#[]".contains(it);
    if name.is_empty() || name.contains(is_odd) || port == 0 {
        return Err(wrong());
    }
    Ok(Host { name: name.to_owned(), port })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(hosts: &str) -> Result<(Protocol, String), String> {
        let settings = Settings::new(hosts).map_err(|error| error.to_string())?;
        let hosts: Vec<String> = settings.hosts.iter().map(Host::to_string).collect();
        Ok((settings.protocol, hosts.join(" ")))
    }

    #[test]
    fn hosts_are_read_with_their_ports() {
        let cases = [
            ("cql://a", Protocol::Cql, "a:9042"),
            ("cql://a,b:1", Protocol::Cql, "a:9042 b:1"),
            ("thrift://10.0.0.1, 10.0.0.2:65535", Protocol::Thrift, "10.0.0.1:9160 10.0.0.2:65535"),
            ("thrift://[::1],[fe80::1]:7", Protocol::Thrift, "[::1]:9160 [fe80::1]:7"),
        ];
        for (text, protocol, hosts) in cases {
            assert_eq!(shown(text), Ok((protocol, hosts.to_owned())), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused_and_no_password_is_repeated() {
        let wrong = [
            "",
            "a",
            "cql:",
            "cql://",
            "cql://a,",
            "cql://a:",
            "cql://a:0",
            "cql://a:65536",
            "cql://a:x",
            "cql://a/b",
            "cql://[::1",
            "cql://[::1]9",
            "http://a",
            "cql://a b",
            "cql://u:canary@a",
        ];
        for text in wrong {
            let message = shown(text).expect_err(text);
            assert!(
                message.starts_with("invalid: ") && !message.contains("canary"),
                "{text}: {message}"
            );
        }
        assert!(shown(&format!("cql://{}", vec!["a"; 65].join(","))).is_err());
    }
}
