//! Real nginx and Node: the counts, and TLS.

use crate::common::processes::wait_at_most;
use crate::common::{BRIEF, TestDirectory, errors, sent};
use crate::web::{Server, certificate, free_port, log_lines, nginx, node};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

#[test]
fn nginx_is_compared_with_node_and_its_log_has_every_request() {
    let (served, directory) = (TestDirectory::new(), TestDirectory::new());
    let (nginx, node) = (nginx(&served), node(&served));
    let (code, report) = directory.report(
        &[
            &["compare", &format!("nginx={}", nginx.url()), &format!("node={}", node.url())][..],
            &BRIEF,
        ]
        .concat(),
    );
    assert_eq!(code, 0, "{}", report["findings"]);
    assert_eq!(report["void"], false);
    for contender in report["contenders"].as_array().expect("contenders") {
        let outcomes = &contender["outcomes"];
        assert_eq!(outcomes["ok"], contender["operations"], "{outcomes}");
        assert_eq!(contender["codes"]["200"], contender["operations"]);
    }
    drop(nginx);
    assert_eq!(log_lines(&served), sent(&report["contenders"][0]));
}

#[test]
fn https_is_verified_and_measured_apart() {
    let (served, directory) = (TestDirectory::new(), TestDirectory::new());
    let (key, certificate) = certificate(&served);
    let port = free_port();
    let script = format!(
        "const fs = require('fs');\n\
         const tls = {{ key: fs.readFileSync({key:?}), cert: fs.readFileSync({certificate:?}) }};\n\
         require('https').createServer(tls, (request, reply) => {{\n\
           reply.writeHead(200, {{ 'Content-Length': 5 }}); reply.end('hello');\n\
         }}).listen({port}, '127.0.0.1');\n"
    );
    std::fs::write(served.file("tls.js"), script).expect("writes");
    let child = Command::new("node").arg(served.file("tls.js")).spawn().expect("node");
    let server = Server { child, port };
    wait_at_most(Duration::from_secs(20), "node to listen", || {
        TcpStream::connect(("127.0.0.1", port)).is_ok()
    });
    let url = format!("https://127.0.0.1:{}/", server.port);
    let short = ["--warm-up", "0s", "--duration", "1s", "--connections", "4"];
    let run = |extra: &[&str]| {
        let mut arguments = vec!["run", url.as_str()];
        arguments.extend(short);
        arguments.extend(extra);
        arguments.extend(["--quiet", "--json", "out.json"]);
        directory.tiebreak(&arguments)
    };
    let distrusted = run(&[]);
    assert_eq!(distrusted.status.code(), Some(4), "{}", errors(&distrusted));
    assert!(errors(&distrusted).contains("--cacert"), "{}", errors(&distrusted));
    for trust in [["--cacert", certificate.to_str().expect("plain")].as_slice(), &["--insecure"]] {
        let output = run(trust);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        let report = directory.json("out.json");
        let metrics = &report["contenders"][0]["metrics"];
        assert!(metrics["tls_time"]["p50"].is_number(), "{metrics}");
    }
}
