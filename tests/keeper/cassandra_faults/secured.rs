//! Passwords and TLS.

use super::node::Node;
use super::{SHORT, SUPERUSER, contender, execute};
use crate::common::{TestDirectory, errors};
use std::path::{Path, PathBuf};
use std::process::Command;

/// It must not be seen in anything that comes out.
const PASSWORD: &str = "correct-horse-7";
const WRONG: &str = "wrong-horse-8";
const CHEAPEST: &str = "SELECT key FROM system.local";

/// A throw-away authority, in a directory of its own.
pub(super) struct Authority(TestDirectory);

impl Authority {
    pub(super) fn new() -> Authority {
        let authority = Authority(TestDirectory::new());
        let words = "req -newkey rsa:2048 -nodes -x509 -days 2 -subj /CN=throw-away";
        authority.openssl(&format!("{words} -keyout ca.key -out ca.pem"));
        authority
    }

    fn file(&self) -> PathBuf {
        self.0.file("ca.pem")
    }

    /// The key of a server, with a certificate for this name or address.
    fn key_store(&self, name: &str) -> PathBuf {
        std::fs::write(self.0.file("extensions"), format!("subjectAltName={name}\n"))
            .expect("a file");
        for words in [
            "req -newkey rsa:2048 -nodes -subj /CN=server -keyout server.key -out server.request",
            "x509 -req -in server.request -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
             -extfile extensions -out server.pem",
            "pkcs12 -export -in server.pem -inkey server.key -passout pass:changeit \
             -out server.p12",
        ] {
            self.openssl(words);
        }
        self.0.file("server.p12")
    }

    fn openssl(&self, words: &str) {
        let mut command = Command::new("openssl");
        command.args(words.split_whitespace()).current_dir(self.0.path());
        let made = command.output().expect("openssl runs (./test installs it)");
        assert!(made.status.success(), "{words}: {}", String::from_utf8_lossy(&made.stderr));
    }
}

/// Users log in.
pub(super) const PASSWORDS: &str = "
authenticator: PasswordAuthenticator
";

/// A server that speaks TLS where its client does.
pub(super) fn tls(authority: &Authority, name: &str) -> String {
    let store = authority.key_store(name);
    format!(
        "
client_encryption_options:
  enabled: true
  optional: true
  keystore: {}
  keystore_password: changeit
  store_type: PKCS12
",
        store.display()
    )
}

pub(super) fn passwords(node: &Node) {
    execute(node, &format!("CREATE ROLE app WITH PASSWORD = '{PASSWORD}' AND LOGIN = true"));
    let refused = "Provided username app and/or password are incorrect";
    for (login, code, text) in [
        ("app:${SECRET}@", Some(0), ""),
        ("app:${WRONG}@", Some(4), refused),
        ("", Some(4), "it requires a user and a password"),
    ] {
        let directory = TestDirectory::new();
        let address = node.address();
        // The secret is not an argument of tiebreak, which all users can see.
        let file = format!("[contender.c]\nurl = 'cassandra://{login}{address}/system'\n");
        std::fs::write(directory.file("e.toml"), file).expect("a file");
        let words = ["run", "e.toml", "--query", CHEAPEST, "--html", "report.html", "--out", "run"];
        let more = ["--json", "report.json", "--verbose"];
        let mut command = directory.command(&[&words[..], &more, &SHORT].concat());
        let output = command.env("SECRET", PASSWORD).env("WRONG", WRONG).output().expect("it runs");
        let stderr = errors(&output);
        assert_eq!(output.status.code(), code, "{login}: {stderr}");
        assert!(stderr.contains(text), "{login}: {stderr}");
        for secret in [PASSWORD, WRONG] {
            let shown = stderr.clone() + &String::from_utf8_lossy(&output.stdout);
            assert!(!shown.contains(secret), "{login}: {shown}");
            nowhere(directory.path(), secret);
        }
    }
}

/// No file of this directory holds this text.
fn nowhere(directory: &Path, secret: &str) {
    for entry in std::fs::read_dir(directory).expect("a directory").flatten() {
        let path = entry.path();
        if path.is_dir() {
            nowhere(&path, secret)
        } else {
            let text = std::fs::read(&path).expect("a file");
            let found = text.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!found, "{} holds a password", path.display());
        }
    }
}

pub(super) fn certificate_of_a_name(server: (&Node, &TestDirectory), authority: &Authority) {
    let file = authority.file().display().to_string();
    let trusting = ["--cacert", &file];
    driven(server, "localhost", &trusting);
    driven(server, "127.0.0.1", &["--insecure", "--reuse", "never"]);
    refused(server, "127.0.0.1", &trusting, "not valid for name \"127.0.0.1\"");
    refused(server, "localhost", &[], "UnknownIssuer");
}

pub(super) fn certificate_of_an_address(server: (&Node, &TestDirectory), authority: &Authority) {
    let file = authority.file().display().to_string();
    driven(server, "127.0.0.1", &["--cacert", &file]);
}

fn url(node: &Node, host: &str) -> String {
    node.url_at(SUPERUSER, host, "system") + "?sslmode=verify-full"
}

fn driven((node, runs): (&Node, &TestDirectory), host: &str, more: &[&str]) {
    let url = url(node, host);
    let of = contender(runs, &[&[url.as_str(), "--query", CHEAPEST], &SHORT[..], more].concat(), 0);
    assert_eq!(of["outcomes"]["ok"], of["operations"], "{host}: {}", of["outcomes"]);
}

/// Before anything is driven, with a remedy.
fn refused((node, runs): (&Node, &TestDirectory), host: &str, more: &[&str], why: &str) {
    let url = url(node, host);
    let words = ["run", &url, "--query", CHEAPEST];
    let output = runs.tiebreak(&[&words[..], &SHORT, more].concat());
    let stderr = errors(&output);
    assert_eq!(output.status.code(), Some(4), "{stderr}");
    for part in ["the TLS handshake failed", why, "--cacert FILE"] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
}
