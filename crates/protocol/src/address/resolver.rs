//! Targets that are already running: their addresses, and whether these may be dialled at all.

use crate::Error;
use record::DialPolicy;
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

/// How long one of several addresses may take to accept a connection.
const PROBE: Duration = Duration::from_secs(1);

/// Gives a name's addresses in order of preference.
pub type LookUp<'a> = &'a dyn Fn(&str, u16) -> io::Result<Vec<SocketAddr>>;

/// Turns names into the one address that is dialled, each name once: what the
/// plan records is what every lane dials, whatever DNS says later.
pub struct Resolver<'a> {
    policy: DialPolicy,
    look_up: LookUp<'a>,
    accepts: &'a dyn Fn(SocketAddr) -> bool,
    known: BTreeMap<(String, u16), SocketAddr>,
}

impl<'a> Resolver<'a> {
    /// `accepts` says whether an address takes a connection.
    pub fn new(
        allow_public: bool,
        look_up: LookUp<'a>,
        accepts: &'a dyn Fn(SocketAddr) -> bool,
    ) -> Self {
        Resolver { policy: DialPolicy::new(allow_public), look_up, accepts, known: BTreeMap::new() }
    }

    /// The address to dial for this host and port.
    ///
    /// A name with several addresses (`localhost` is `::1` and `127.0.0.1`)
    /// gets the first that accepts a connection; that one connection is opened
    /// and closed without a request.
    ///
    /// # Errors
    /// If the name has no address, or a public one without `--allow-public`.
    pub fn dial(&mut self, host: &str, port: u16) -> Result<SocketAddr, Error> {
        let key = (host.to_owned(), port);
        if let Some(address) = self.known.get(&key) {
            return Ok(*address);
        }
        let addresses = self.addresses(host, port)?;
        self.check(host, &addresses)?;
        let address = match addresses.as_slice() {
            [only] => *only,
            several => several.iter().copied().find(|a| (self.accepts)(*a)).unwrap_or(several[0]),
        };
        self.known.insert(key, address);
        Ok(address)
    }

    fn addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, Error> {
        let mut addresses = match host.parse::<IpAddr>() {
            Ok(address) => vec![SocketAddr::new(address, port)],
            Err(_) => (self.look_up)(host, port).map_err(|error| {
                Error::target(format!("the name `{host}` cannot be resolved: {error}"))
            })?,
        };
        let mut seen = Vec::new();
        addresses.retain(|address| {
            !seen.contains(address) && {
                seen.push(*address);
                true
            }
        });
        if addresses.is_empty() {
            Err(Error::target(format!("the name `{host}` has no address")))
        } else {
            Ok(addresses)
        }
    }

    /// Every address is checked, not only the one that would be dialled: whether a name that
    /// sometimes resolves to a public address is accepted must not depend on the order.
    fn check(&self, host: &str, addresses: &[SocketAddr]) -> Result<(), Error> {
        let refused = addresses.iter().map(SocketAddr::ip).find(|ip| !self.policy.allows(*ip));
        let Some(ip) = refused else { return Ok(()) };
        let what = match host.parse::<IpAddr>() {
            Ok(_) => format!("{ip} is a public address"),
            Err(_) => format!("`{host}` resolves to {ip}, a public address"),
        };
        Err(Error::usage(format!(
            "{what}: put load only on servers that you are allowed to load, and confirm it with \
             --allow-public"
        )))
    }
}

/// The host of a target, or loopback in place of the address that stands for all of this machine. Servers print
/// that as the address that they listen on, and people copy it.
pub fn of_this_machine(host: &str) -> &str {
    match host.parse() {
        Ok(IpAddr::V4(Ipv4Addr::UNSPECIFIED)) => "127.0.0.1",
        // A server that listens there is reached over IPv4, too.
        Ok(IpAddr::V6(Ipv6Addr::UNSPECIFIED)) => "localhost",
        _ => host,
    }
}

/// The addresses that the system's resolver gives.
pub fn look_up(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    Ok((host, port).to_socket_addrs()?.collect())
}

/// Whether something accepts connections there, within a second.
pub fn accepts(address: SocketAddr) -> bool {
    TcpStream::connect_timeout(&address, PROBE).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Exit;
    use std::cell::Cell;

    #[test]
    fn all_addresses_of_this_machine_are_loopback() {
        for (host, dialled) in
            [("0.0.0.0", "127.0.0.1"), ("::", "localhost"), ("0.0.0.0.x", "0.0.0.0.x")]
        {
            assert_eq!(of_this_machine(host), dialled);
        }
    }

    fn addresses(texts: &[&str]) -> Vec<SocketAddr> {
        texts.iter().map(|text| SocketAddr::new(text.parse().unwrap(), 80)).collect()
    }

    #[test]
    fn a_name_is_resolved_once_and_the_first_that_accepts_is_dialled() {
        let lookups = Cell::new(0);
        let look_up = |_: &str, _| {
            lookups.set(lookups.get() + 1);
            Ok(addresses(&["::1", "127.0.0.1", "127.0.0.1"]))
        };
        let v4_alone = |address: SocketAddr| address.is_ipv4();
        let mut resolver = Resolver::new(false, &look_up, &v4_alone);
        for _ in 0..2 {
            assert_eq!(resolver.dial("localhost", 80), Ok("127.0.0.1:80".parse().unwrap()));
        }
        assert_eq!(lookups.get(), 1);
        let nothing = |_: SocketAddr| false;
        let mut resolver = Resolver::new(false, &look_up, &nothing);
        assert_eq!(resolver.dial("localhost", 80), Ok("[::1]:80".parse().unwrap()));
    }

    #[test]
    fn an_address_is_not_looked_up_and_not_probed() {
        let look_up = |_: &str, _: u16| panic!("looked up");
        let accepts = |_: SocketAddr| panic!("probed");
        let mut resolver = Resolver::new(false, &look_up, &accepts);
        assert_eq!(resolver.dial("127.0.0.1", 9), Ok("127.0.0.1:9".parse().unwrap()));
        assert_eq!(resolver.dial("::1", 9), Ok("[::1]:9".parse().unwrap()));
    }

    #[test]
    fn one_public_address_among_several_is_refused_without_permission() {
        let look_up = |_: &str, _| Ok(addresses(&["10.0.0.1", "203.0.113.7"]));
        let accepts = |_: SocketAddr| true;
        let error = Resolver::new(false, &look_up, &accepts).dial("api", 80).unwrap_err();
        assert_eq!(error.exit, Exit::Usage);
        assert_eq!(
            error.text,
            "`api` resolves to 203.0.113.7, a public address: put load only on servers that you are \
             allowed to load, and confirm it with --allow-public"
        );
        assert!(Resolver::new(true, &look_up, &accepts).dial("api", 80).is_ok());
    }

    #[test]
    fn a_name_without_an_address_is_a_target_that_is_not_there() {
        let accepts = |_: SocketAddr| true;
        let none = |_: &str, _: u16| Ok(Vec::new());
        let error = Resolver::new(false, &none, &accepts).dial("nohost", 80).unwrap_err();
        assert_eq!(error, Error::target("the name `nohost` has no address"));
        let fails = |_: &str, _: u16| Err(io::Error::other("no such host"));
        let error = Resolver::new(false, &fails, &accepts).dial("nohost", 80).unwrap_err();
        assert_eq!(error, Error::target("the name `nohost` cannot be resolved: no such host"));
    }
}
