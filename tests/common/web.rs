//! Real web servers, nginx and Node's http, with the same page of 87 bytes.

use super::common::{TestDirectory, errors};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server that is started here and ended by its id.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) port: u16,
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

    pub(crate) fn signal(&self, signal: i32) {
        // SAFETY: the child is ours and was not reaped yet.
        unsafe { libc::kill(self.child.id() as i32, signal) };
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.signal(libc::SIGTERM);
        // It is our child, so it exists until it is reaped.
        let _ = self.child.wait();
    }
}

fn answers(port: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return false };
    let asked = stream.write_all(b"GET /ready.html HTTP/1.0\r\n\r\n").is_ok();
    let mut reply = String::new();
    asked && stream.read_to_string(&mut reply).is_ok() && reply.contains("<html>")
}

/// Returns a port below the range of client ports that nothing listens on.
pub(crate) fn free_port() -> u16 {
    tiebreak::targets::ports::free().expect("a port")
}

fn page() -> String {
    format!("<html><body>{}</body></html>", "x".repeat(61))
}

/// Starts nginx with one worker; its access log counts everything except `/ready.html`.
pub(crate) fn nginx(directory: &TestDirectory) -> Server {
    nginx_with(directory, "")
}

/// Starts nginx with additional configuration for its `server`.
pub(crate) fn nginx_with(directory: &TestDirectory, more: &str) -> Server {
    let port = free_port();
    let root = directory.path().display();
    let configuration = format!(
        "daemon off; pid {root}/pid; worker_processes 1; error_log {root}/error.log;\n\
         events {{ worker_connections 1024; }}\n\
         http {{ access_log {root}/access.log; keepalive_requests 1000;\n\
         client_body_temp_path {root}/a; proxy_temp_path {root}/b; fastcgi_temp_path {root}/c;\n\
         uwsgi_temp_path {root}/d; scgi_temp_path {root}/e; types {{ text/html html; }}\n\
         server {{ listen 127.0.0.1:{port} backlog=1024; root {root};\n\
         location = /ready.html {{ access_log off; }} {more} }} }}\n"
    );
    std::fs::write(directory.file("nginx.conf"), configuration).expect("writes");
    for name in ["index.html", "ready.html"] {
        std::fs::write(directory.file(name), page()).expect("writes");
    }
    open_to_all(directory.path());
    let mut command = Command::new("nginx");
    command
        .arg("-c")
        .arg(directory.file("nginx.conf"))
        .args(["-e", "stderr"])
        .stderr(Stdio::null());
    Server::start(command, port)
}

/// Creates a self-signed certificate of localhost and 127.0.0.1. Returns its key and the
/// certificate.
pub(crate) fn certificate(directory: &TestDirectory) -> (PathBuf, PathBuf) {
    let (key, certificate) = (directory.file("key.pem"), directory.file("cert.pem"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj"])
        .args(["/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"])
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .output()
        .expect("openssl runs (./test installs it)");
    assert!(made.status.success(), "{}", errors(&made));
    (key, certificate)
}

/// Opens a path to all users, because nginx's worker is another user.
fn open_to_all(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("chmod");
}

pub(crate) fn node(directory: &TestDirectory) -> Server {
    let port = free_port();
    let script = format!(
        "const page = Buffer.from({:?});\n\
         require('http').createServer((request, reply) => {{\n\
           reply.writeHead(200, {{ 'Content-Type': 'text/html', 'Content-Length': page.length }});\n\
           reply.end(page);\n\
         }}).listen({{ host: '127.0.0.1', port: {port}, backlog: 1024 }});\n",
        page()
    );
    std::fs::write(directory.file("app.js"), script).expect("writes");
    let mut command = Command::new("node");
    command.arg(directory.file("app.js"));
    Server::start(command, port)
}

/// Returns the requests that nginx served, without those that checked its readiness.
pub(crate) fn log_lines(directory: &TestDirectory) -> u64 {
    let log = std::fs::read_to_string(directory.file("access.log")).expect("the log");
    log.lines().count() as u64
}
