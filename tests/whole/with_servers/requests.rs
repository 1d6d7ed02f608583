//! Requests over HTTP as nginx received them: method, body and connections of three contenders
//! that are all compared with one another.

use crate::common::processes::wait_at_most;
use crate::common::{TestDirectory, number, sent};
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tiebreak::targets::ports;

/// nginx without children, until it is dropped.
struct Nginx {
    child: Child,
    port: u16,
}

impl Nginx {
    /// Answers each path with as many bytes; its log has a line for each request.
    fn start(directory: &TestDirectory) -> Nginx {
        let port = ports::free().expect("a port");
        let root = directory.path().display();
        let configuration = format!(
            "daemon off; master_process off; pid {root}/pid; error_log {root}/error.log;\n\
             events {{ worker_connections 1024; }}\n\
             http {{ keepalive_requests 1000000;\n\
             log_format seen '$uri $request_method $content_length $connection';\n\
             access_log {root}/access.log seen;\n\
             client_body_temp_path {root}/a; proxy_temp_path {root}/b;\n\
             fastcgi_temp_path {root}/c; uwsgi_temp_path {root}/d; scgi_temp_path {root}/e;\n\
             server {{ listen 127.0.0.1:{port} backlog=1024; location / {{ return 200 hello; }} }} }}\n"
        );
        std::fs::write(directory.file("nginx.conf"), configuration).expect("writes");
        let mut command = Command::new("nginx");
        command.arg("-c").arg(directory.file("nginx.conf")).args(["-e", "stderr"]);
        command.stdin(Stdio::null()).stderr(Stdio::null());
        let nginx = Nginx { child: command.spawn().expect("./test installs it"), port };
        let listens = || TcpStream::connect(("127.0.0.1", port)).is_ok();
        wait_at_most(Duration::from_secs(30), "nginx listens", listens);
        nginx
    }

    fn contender(&self, name: &str) -> String {
        format!("{name}=http://127.0.0.1:{}/{name}", self.port)
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        self.child.kill().expect("our child");
        self.child.wait().expect("our child");
    }
}

/// What the log says of one path.
#[derive(Default)]
struct Logged {
    requests: u64,
    /// Requests by method and length of the body.
    by_body: BTreeMap<(String, String), u64>,
    /// Requests of each connection.
    connections: BTreeMap<String, u64>,
}

fn logged(directory: &TestDirectory, path: &str) -> Logged {
    let text = std::fs::read_to_string(directory.file("access.log")).expect("a log");
    let mut all = Logged::default();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [uri, method, body, connection] = words[..] else { panic!("{line}") };
        if uri != path {
            continue;
        }
        all.requests += 1;
        *all.by_body.entry((method.to_owned(), body.to_owned())).or_default() += 1;
        *all.connections.entry(connection.to_owned()).or_default() += 1;
    }
    all
}

pub(super) fn contender<'a>(report: &'a Value, name: &str) -> &'a Value {
    let all = report["contenders"].as_array().expect("contenders");
    all.iter().find(|of| of["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

/// Bytes of the body.
const BODY: usize = 3000;

#[test]
fn method_body_and_connections_are_those_that_were_asked_for() {
    let directory = TestDirectory::new();
    let nginx = Nginx::start(&directory);
    std::fs::write(directory.file("body"), vec![b'x'; BODY]).expect("a file");
    let [always, thrice, fresh] = ["always", "thrice", "fresh"].map(|name| nginx.contender(name));
    let words = ["compare", &always, &thrice, &fresh, "--all-pairs", "-X", "PUT", "-d", "@body"];
    let set = ["--set", "thrice.reuse=3", "--set", "fresh.reuse=never", "--connections", "4"];
    let short = [
        "--rounds",
        "8",
        "--round",
        "100ms",
        "--slice",
        "25ms",
        "--pilot",
        "200ms",
        "--warm-up",
        "0s",
    ];
    let (code, report) = directory.report(&[&words[..], &set, &short].concat());
    assert_eq!(code, 0, "{:#}", report["findings"]);

    let primary = report["comparisons"].as_array().expect("comparisons").iter();
    let pairs: Vec<(&str, &str)> = primary
        .filter(|of| of["metric"] == "throughput")
        .map(|of| (of["a"].as_str().unwrap_or(""), of["b"].as_str().unwrap_or("")))
        .collect();
    assert_eq!(pairs, [("always", "thrice"), ("always", "fresh"), ("thrice", "fresh")]);

    for name in ["always", "thrice", "fresh"] {
        let (message, seen) = (contender(&report, name), logged(&directory, &format!("/{name}")));
        assert_eq!(seen.requests, sent(message), "{name}: {}", message["sent"]);
        let all = [(("PUT".to_owned(), BODY.to_string()), seen.requests)];
        assert_eq!(seen.by_body.into_iter().collect::<Vec<_>>(), all, "{name}");
        // A connection that was opened last may have got no request any more.
        let opened = number(&message["connections"]["opened"]) as u64;
        let used = seen.connections.len() as u64;
        assert!(used <= opened && opened <= used + 8, "{name}: {used} used, {opened} opened");
        let most = seen.connections.values().max().copied();
        match name {
            // One that asks whether it is ready, 4 of the pilot, and 4 in each round.
            "always" => assert_eq!(used, 1 + 4 + 8 * 4, "for {} requests", seen.requests),
            // Some end before their third request: with a trial, and the last of all.
            "thrice" => {
                assert_eq!(most, Some(3));
                assert!(seen.requests * 2 > used * 5, "{used} for {} requests", seen.requests);
            }
            _ => assert_eq!((most, used), (Some(1), seen.requests)),
        }
    }
}

#[test]
fn a_body_from_a_file_is_posted_and_a_method_alone_has_none() {
    let directory = TestDirectory::new();
    let nginx = Nginx::start(&directory);
    std::fs::write(directory.file("body"), "four").expect("a file");
    for (name, request, method, length) in
        [("post", &["-d", "@body"][..], "POST", "4"), ("delete", &["-X", "DELETE"], "DELETE", "-")]
    {
        let contender_word = nginx.contender(name);
        let words = ["run", &contender_word, "--duration", "100ms", "--warm-up", "0s", "-c", "2"];
        let (code, report) = directory.report(&[&words[..], request].concat());
        assert_eq!(code, 0, "{:#}", report["findings"]);
        let seen = logged(&directory, &format!("/{name}"));
        let all = [((method.to_owned(), length.to_owned()), sent(contender(&report, name)))];
        assert_eq!(seen.by_body.into_iter().collect::<Vec<_>>(), all, "{name}");
    }
}
