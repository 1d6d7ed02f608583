//! Real nginx and Node's http, the same page of 87 bytes.

use crate::common::processes::wait_at_most;
use crate::common::running::Running;
use crate::common::witness::{exact, figure, witnessed};
use crate::common::{Place, errors, number, sent};
use crate::compared::in_words;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server that was started here and is ended here, by its own id.
pub(crate) struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// Starts it and waits until it answers with the page.
    fn start(mut command: Command, port: u16) -> Server {
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error} (./test installs it)"));
        let server = Server { child, port };
        let gives_up = Instant::now() + Duration::from_secs(20);
        while !answers(port) {
            assert!(Instant::now() < gives_up, "{command:?} does not answer on port {port}");
            std::thread::sleep(Duration::from_millis(20));
        }
        server
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    fn signal(&self, signal: i32) {
        // SAFETY: the child is ours and not reaped yet.
        unsafe { libc::kill(self.child.id() as i32, signal) };
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.signal(libc::SIGTERM);
        // It is our child: it is there until it is waited for.
        let _ = self.child.wait();
    }
}

fn answers(port: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return false };
    let asked = stream.write_all(b"GET /ready.html HTTP/1.0\r\n\r\n").is_ok();
    let mut reply = String::new();
    asked && stream.read_to_string(&mut reply).is_ok() && reply.contains("<html>")
}

/// A port below the range of client ports that nobody listens on.
fn free_port() -> u16 {
    use std::sync::atomic::{AtomicU16, Ordering};
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let start = 20_000 + (std::process::id() % 1000) as u16 * 10;
    loop {
        let port = start + NEXT.fetch_add(1, Ordering::Relaxed);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

fn page() -> String {
    format!("<html><body>{}</body></html>", "x".repeat(61))
}

/// nginx with one worker; its access log counts everything but `/ready.html`.
fn nginx(place: &Place) -> Server {
    nginx_with(place, "")
}

/// The same with more of a configuration for its `server`.
pub(crate) fn nginx_with(place: &Place, more: &str) -> Server {
    let port = free_port();
    let root = place.path().display();
    let configuration = format!(
        "daemon off; pid {root}/pid; worker_processes 1; error_log {root}/error.log;\n\
         events {{ worker_connections 1024; }}\n\
         http {{ access_log {root}/access.log; keepalive_requests 1000;\n\
         client_body_temp_path {root}/a; proxy_temp_path {root}/b; fastcgi_temp_path {root}/c;\n\
         uwsgi_temp_path {root}/d; scgi_temp_path {root}/e; types {{ text/html html; }}\n\
         server {{ listen 127.0.0.1:{port} backlog=1024; root {root};\n\
         location = /ready.html {{ access_log off; }} {more} }} }}\n"
    );
    std::fs::write(place.file("nginx.conf"), configuration).expect("writes");
    for name in ["index.html", "ready.html"] {
        std::fs::write(place.file(name), page()).expect("writes");
    }
    open_to_all(place.path());
    let mut command = Command::new("nginx");
    command.arg("-c").arg(place.file("nginx.conf")).args(["-e", "stderr"]).stderr(Stdio::null());
    Server::start(command, port)
}

/// nginx's worker is another user.
fn open_to_all(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("chmod");
}

fn node(place: &Place) -> Server {
    let port = free_port();
    let script = format!(
        "const page = Buffer.from({:?});\n\
         require('http').createServer((request, reply) => {{\n\
           reply.writeHead(200, {{ 'Content-Type': 'text/html', 'Content-Length': page.length }});\n\
           reply.end(page);\n\
         }}).listen({{ host: '127.0.0.1', port: {port}, backlog: 1024 }});\n",
        page()
    );
    std::fs::write(place.file("app.js"), script).expect("writes");
    let mut command = Command::new("node");
    command.arg(place.file("app.js"));
    Server::start(command, port)
}

/// Arguments of a comparison of two servers, in the folder `run`.
fn comparison(a: (&str, &Server), b: (&str, &Server), rounds: &str) -> Vec<String> {
    let contender = |(name, server): (&str, &Server)| format!("{name}={}", server.url());
    let mut all = vec!["compare".to_owned(), contender(a), contender(b)];
    let rest = ["--round", "200ms", "--warm-up", "100ms", "--quiet", "--out", "run", "--rounds"];
    all.extend(rest.into_iter().chain([rounds]).map(str::to_owned));
    all
}

fn log_lines(place: &Place) -> u64 {
    let log = std::fs::read_to_string(place.file("access.log")).expect("the log");
    log.lines().count() as u64
}

#[test]
fn nginx_is_compared_with_node_and_its_log_has_every_request() {
    let (served, place) = (Place::new(), Place::new());
    let (nginx, node) = (nginx(&served), node(&served));
    let (code, report) = place.report(&[
        "compare",
        &format!("nginx={}", nginx.url()),
        &format!("node={}", node.url()),
        "--rounds",
        "6",
        "--round",
        "500ms",
        "--warm-up",
        "300ms",
    ]);
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

/// A connection costs nginx and the client several times what a request on one that is
/// open does: a ratio near 0.4, ln −0.9. A round scatters by 0.1 in a bad hour, so that
/// even one of six on the wrong side of 1 is a matter of nine standard deviations: a
/// right tool fails this less than once in 10 000 runs.
#[test]
fn fresh_connections_are_compared_with_persistent_ones() {
    witnessed("fresh_connections_are_compared_with_persistent_ones", || {
        for connections in ["16", "64"] {
            fresh_against_persistent(connections);
        }
    });
}

fn fresh_against_persistent(connections: &str) {
    let (served, place) = (Place::new(), Place::new());
    let nginx = nginx(&served);
    let (keep, fresh) = (format!("keep={}", nginx.url()), format!("fresh={}", nginx.url()));
    let words = ["compare", &keep, &fresh, "--set", "fresh.reuse=never"];
    let short = ["--rounds", "6", "--round", "300ms", "--warm-up", "200ms"];
    let (code, report) =
        place.report(&[&words[..], &short, &["--connections", connections]].concat());
    assert_eq!(code, 0, "{}", report["findings"]);
    let comparison = &report["comparisons"][0];
    figure(format!("{connections} connections: {}", in_words(comparison)), "slower");
    assert_eq!(comparison["verdict"], "slower", "{connections} connections: {comparison}");
    let share = &comparison["client_share"];
    assert!(number(&share["client"]) > 0.0, "the client opens connections too: {share}");
    drop(nginx);
    let contenders = report["contenders"].as_array().expect("contenders");
    exact(|| assert_eq!(log_lines(&served), contenders.iter().map(sent).sum::<u64>()));
}

#[test]
fn a_contender_that_is_not_there_is_named_with_exit_code_4() {
    let (served, place) = (Place::new(), Place::new());
    let nginx = nginx(&served);
    let gone = format!("gone=http://127.0.0.1:{}/", free_port());
    let output = place.tiebreak(&["compare", &nginx.url(), &gone, "--quiet"]);
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
    let said = errors(&output);
    assert!(said.contains("gone") && said.contains("refused"), "{said}");
}

#[test]
fn a_server_that_dies_in_mid_run_ends_it_with_exit_code_4_and_a_report() {
    let (served, place) = (Place::new(), Place::new());
    let (nginx, node) = (nginx(&served), node(&served));
    let mut command = place.command(&comparison(("nginx", &nginx), ("node", &node), "60"));
    let child = command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("starts");
    let child = Running::new(child);
    wait_for_rounds(&place, 3);
    node.signal(libc::SIGKILL);
    let output = child.output();
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
    assert!(errors(&output).contains("node"), "{}", errors(&output));
    assert!(place.file("run/report.json").exists() && place.file("run/report.html").exists());
}

/// Waits until the journal holds `rounds` rounds of two contenders.
fn wait_for_rounds(place: &Place, rounds: usize) {
    let journal = place.file("run/journal.jsonl");
    wait_at_most(Duration::from_secs(60), "the rounds in the journal", || {
        let text = std::fs::read_to_string(&journal).unwrap_or_default();
        text.matches("\"phase\":\"round\"").count() >= 2 * rounds
    });
}

/// Starts a long comparison of one nginx with itself, and sends a signal after
/// three rounds.
fn interrupted(signal: i32) -> (Option<i32>, Place) {
    let (served, place) = (Place::new(), Place::new());
    let nginx = nginx(&served);
    let mut command = place.command(&comparison(("a", &nginx), ("b", &nginx), "200"));
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    let mut child = Running::new(child);
    wait_for_rounds(&place, 3);
    child.signal(signal);
    (child.status().code(), place)
}

#[test]
fn one_signal_judges_what_is_there() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let (code, place) = interrupted(signal);
        assert_eq!(code, Some(0), "signal {signal}");
        let report = place.json("run/report.json");
        assert!(report["complete_rounds"].as_u64() >= Some(3));
        let findings = report["findings"].to_string();
        assert!(findings.contains("\"interrupted\""), "{findings}");
    }
}

#[test]
fn after_sigkill_the_journal_still_reads_and_says_interrupted() {
    let (code, place) = interrupted(libc::SIGKILL);
    assert_eq!(code, None);
    let again = place.tiebreak(&["report", "run", "--json"]);
    assert_eq!(again.status.code(), Some(0), "{}", errors(&again));
    let report: serde_json::Value = serde_json::from_slice(&again.stdout).expect("JSON");
    assert!(report["findings"].to_string().contains("\"interrupted\""));
    let twice = place.tiebreak(&["report", "run", "--json"]);
    assert_eq!(again.stdout, twice.stdout, "a report is a pure function of its journal");
}

#[test]
fn the_report_of_a_finished_run_is_made_again_to_the_byte() {
    let (served, place) = (Place::new(), Place::new());
    let nginx = nginx(&served);
    let output = place.tiebreak(&comparison(("a", &nginx), ("b", &nginx), "6"));
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    for (flag, file) in [("--json", "run/report.json"), ("--html", "run/report.html")] {
        let again = place.tiebreak(&["report", "run", flag]);
        let first = std::fs::read(place.file(file)).expect("written by the run");
        assert!(again.stdout == first, "{file} differs from `tiebreak report run {flag}`");
    }
}

#[test]
fn https_is_verified_and_measured_apart() {
    let (served, place) = (Place::new(), Place::new());
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj"])
        .args(["/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"])
        .arg(served.file("key.pem"))
        .arg("-out")
        .arg(served.file("cert.pem"))
        .output()
        .expect("openssl runs (./test installs it)");
    assert!(made.status.success(), "{}", errors(&made));
    let port = free_port();
    let (key, certificate) = (served.file("key.pem"), served.file("cert.pem"));
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
        place.tiebreak(&arguments)
    };
    let distrusted = run(&[]);
    assert_eq!(distrusted.status.code(), Some(4), "{}", errors(&distrusted));
    assert!(errors(&distrusted).contains("--cacert"), "{}", errors(&distrusted));
    for trust in [["--cacert", certificate.to_str().expect("plain")].as_slice(), &["--insecure"]] {
        let output = run(trust);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        let report = place.json("out.json");
        let metrics = &report["contenders"][0]["metrics"];
        assert!(metrics["tls_time"]["p50"].is_number(), "{metrics}");
    }
}
