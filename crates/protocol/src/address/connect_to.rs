//! `--connect-to HOST:PORT:HOST:PORT`, as in curl: another address is dialled, while `Host` and TLS
//! keep the original name.

use crate::address::url::{host_name, port_number};
use std::net::Ipv6Addr;
use text::shown::shown;

/// One rule. An empty part on the left matches everything; an empty part on the right changes
/// nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectTo {
    from_host: Option<String>,
    from_port: Option<u16>,
    to_host: Option<String>,
    to_port: Option<u16>,
}

impl ConnectTo {
    /// Reads a rule.
    pub fn parse(text: &str) -> Result<ConnectTo, String> {
        let wrong = || {
            format!(
                "--connect-to {}: must be HOST:PORT:HOST:PORT, with IPv6 addresses in brackets; \
                 parts may be empty",
                shown(text)
            )
        };
        let named = |message: String| format!("--connect-to {}: {message}", shown(text));
        let (from_host, rest) = host(text).ok_or_else(wrong)?;
        let (from_port, rest) = rest.split_once(':').ok_or_else(wrong)?;
        let (to_host, to_port) = host(rest).ok_or_else(wrong)?;
        let port = |text: &str| match text {
            "" => Ok(None),
            digits => port_number(digits).map(Some),
        };
        Ok(ConnectTo {
            from_host: from_host.map(checked).transpose().map_err(named)?,
            from_port: port(from_port).map_err(named)?,
            to_host: to_host.map(checked).transpose().map_err(named)?,
            to_port: port(to_port).map_err(named)?,
        })
    }

    /// The target of the first rule that matches.
    pub fn apply(rules: &[ConnectTo], host: &str, port: u16) -> (String, u16) {
        let fits = |rule: &&ConnectTo| {
            rule.from_host.as_deref().is_none_or(|from| from == host)
                && rule.from_port.is_none_or(|from| from == port)
        };
        match rules.iter().find(fits) {
            Some(rule) => (
                rule.to_host.clone().unwrap_or_else(|| host.to_owned()),
                rule.to_port.unwrap_or(port),
            ),
            None => (host.to_owned(), port),
        }
    }
}

/// The host at the start and the text after its colon.
fn host(text: &str) -> Option<(Option<&str>, &str)> {
    let (host, rest) = match text.strip_prefix('[') {
        Some(inner) => inner.split_once("]:")?,
        None => text.split_once(':')?,
    };
    Some(((!host.is_empty()).then_some(host), rest))
}

fn checked(host: &str) -> Result<String, String> {
    match host.parse::<Ipv6Addr>() {
        Ok(address) => Ok(address.to_string()),
        Err(_) => host_name(host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_that_fits_leads() {
        let table: &[(&[&str], (&str, u16))] = &[
            (&[], ("a.test", 80)),
            (&["a.test:80:127.0.0.1:8080"], ("127.0.0.1", 8080)),
            (&["A.test:80:127.0.0.1:8080"], ("127.0.0.1", 8080)),
            (&["a.test:81:127.0.0.1:8080"], ("a.test", 80)),
            (&["::127.0.0.1:"], ("127.0.0.1", 80)),
            (&["a.test:::8080"], ("a.test", 8080)),
            (&["b.test:::1", "a.test::[::1]:2", ":::3"], ("::1", 2)),
        ];
        for (rules, (host, port)) in table {
            let rules: Vec<_> =
                rules.iter().map(|rule| ConnectTo::parse(rule).expect(rule)).collect();
            assert_eq!(ConnectTo::apply(&rules, "a.test", 80), ((*host).to_owned(), *port));
        }
    }

    #[test]
    fn bad_rules_name_the_form() {
        for text in ["", "a:80", "a:80:b", "[::1]:80", "[::1:80:b:80"] {
            let message = ConnectTo::parse(text).unwrap_err();
            assert!(message.contains("must be HOST:PORT:HOST:PORT"), "{text}: {message}");
        }
        assert_eq!(
            ConnectTo::parse("a:x:b:80").unwrap_err(),
            "--connect-to a:x:b:80: the port `x` is not a number from 1 to 65535"
        );
        assert_eq!(
            ConnectTo::parse("a:1:b c:80").unwrap_err(),
            "--connect-to a:1:b c:80: `b c` is not a host name"
        );
    }
}
