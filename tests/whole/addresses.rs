//! Ways to reach a server: IPv4, IPv6, a unix socket, a name, another target address.

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
fn every_way_to_a_server_is_driven_and_recorded() {
    let directory = TestDirectory::new();
    let socket = directory.file("a.sock");
    let v6 = TestServer::start(
        Behaviour {
            listen: "[::1]:0".parse().expect("an address"),
            unix: Some(socket.clone()),
            ..Behaviour::default()
        },
        None,
    )
    .expect("the test server starts");
    let v4 = TestServer::start(Behaviour::default(), None).expect("the test server starts");
    let (v6_at, v4_at) = (v6.address(), v4.address());

    let (address, mut to_v6) = dialled(&directory, &format!("http://{v6_at}/"), &[]);
    assert_eq!(address, v6_at.to_string());
    let path = socket.to_str().expect("a plain path");
    let (address, to_socket) =
        dialled(&directory, &format!("http+unix://{}/", path.replace('/', "%2F")), &[]);
    assert!(address.contains(path), "{address}");
    to_v6 += to_socket;
    let (address, mut to_v4) =
        dialled(&directory, &format!("http://localhost:{}/", v4_at.port()), &[]);
    assert_eq!(address, v4_at.to_string());
    let elsewhere = format!("example.invalid:80:127.0.0.1:{}", v4_at.port());
    let (address, to_elsewhere) =
        dialled(&directory, "http://example.invalid/", &["--connect-to", &elsewhere]);
    assert_eq!(address, v4_at.to_string());
    to_v4 += to_elsewhere;

    assert_eq!((v6.stop().requests, v4.stop().requests), (to_v6, to_v4));
}
