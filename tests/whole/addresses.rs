//! Ways to reach a server: IPv4, IPv6, a unix socket, a name, another target address.

use crate::common::not_tested::{Lack, lacks};
use crate::common::{TestDirectory, sent};
use testserver::{Behaviour, TestServer};

/// A short run to `url`, and the address that its plan recorded.
fn dialled(directory: &TestDirectory, url: &str, extra: &[&str]) -> (String, u64) {
    let short = ["-c", "2", "--warm-up", "0s", "--duration", "200ms"];
    let mut arguments = vec!["run", url];
    arguments.extend(short);
    arguments.extend(extra);
    let (code, report) = directory.report(&arguments);
    assert_eq!(code, 0, "{url}: {}", report["findings"]);
    let address = report["plan"]["contenders"][0]["address"].as_str().expect("an address");
    (address.to_owned(), sent(&report["contenders"][0]))
}

#[test]
fn ipv4_a_name_and_another_target_address_are_driven_and_recorded() {
    let directory = TestDirectory::new();
    let server = TestServer::start(Behaviour::default(), None).expect("the test server starts");
    let at = server.address();
    let (address, mut all) = dialled(&directory, &format!("http://localhost:{}/", at.port()), &[]);
    assert_eq!(address, at.to_string());
    let elsewhere = format!("example.invalid:80:127.0.0.1:{}", at.port());
    let (address, to_elsewhere) =
        dialled(&directory, "http://example.invalid/", &["--connect-to", &elsewhere]);
    assert_eq!(address, at.to_string());
    all += to_elsewhere;
    assert_eq!(server.stop().requests, all);
}

#[test]
fn a_unix_socket_is_driven_and_recorded() {
    let directory = TestDirectory::new();
    let socket = directory.file("a.sock");
    let behaviour = Behaviour { unix: Some(socket.clone()), ..Behaviour::default() };
    let server = TestServer::start(behaviour, None).expect("the test server starts");
    let path = socket.to_str().expect("a plain path");
    let url = format!("http+unix://{}/", path.replace('/', "%2F"));
    let (address, sent) = dialled(&directory, &url, &[]);
    assert!(address.contains(path), "{address}");
    assert_eq!(server.stop().requests, sent);
}

#[test]
fn ipv6_is_driven_and_recorded() {
    if lacks(Lack::Ipv6) {
        return;
    }
    let directory = TestDirectory::new();
    let listen = "[::1]:0".parse().expect("an address");
    let behaviour = Behaviour { listen, ..Behaviour::default() };
    let server = TestServer::start(behaviour, None).expect("the test server starts");
    let at = server.address();
    let (address, sent) = dialled(&directory, &format!("http://{at}/"), &[]);
    assert_eq!(address, at.to_string());
    assert_eq!(server.stop().requests, sent);
}
