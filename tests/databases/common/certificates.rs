//! Certificates of a throw-away authority.

use super::{directory, give_away};
use record::{Failure, Seen};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The name that the servers' certificates are for.
pub(crate) const NAME: &str = "db.test";

/// Asserts that all operations failed in TLS, which counts against the target, and that no session
/// was opened.
pub(crate) fn refused(seen: &Seen, what: &str) {
    let failed: Vec<_> = seen.outcomes.failed.iter().collect();
    assert_eq!(failed, [(&Failure::Tls, &seen.operations)], "{what}: {:?}", seen.outcomes);
    assert!(seen.operations > 0 && seen.sent == 0, "{what}");
    assert_eq!((seen.connections.established, seen.connections.opened), (0, 0), "{what}");
}

/// An authority, the key of a server, and certificates for that key, all in one directory.
pub(crate) struct Authority {
    directory: PathBuf,
}

impl Authority {
    /// For a server that runs as this user.
    pub(crate) fn new(name: &str, user: &str) -> Authority {
        let authority = Authority { directory: directory(name, user) };
        let files = [
            ("extensions", format!("subjectAltName=DNS:{NAME}\n")),
            ("issued", String::new()),
            ("serial", "01\n".to_owned()),
            ("config", config(&authority.directory)),
        ];
        for (name, text) in files {
            std::fs::write(authority.file(name), text).expect("a file");
        }
        let words = "-x509 -days 2 -subj /CN=throw-away -keyout ca.key -out ca.pem";
        authority.request(words);
        authority.request(&format!("-subj /CN={NAME} -keyout server.key -out server.request"));
        let key = authority.file("server.key");
        std::fs::set_permissions(&key, Permissions::from_mode(0o600)).expect("ours");
        give_away(&key, user);
        authority.issue("20260101000000Z", "20991231000000Z");
        authority
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// What the server shows from its next start, or as soon as it reads it again.
    pub(crate) fn issue_expired(&self) {
        self.issue("20200101000000Z", "20200201000000Z");
    }

    fn issue(&self, from: &str, until: &str) {
        self.openssl(&format!(
            "ca -batch -notext -config config -in server.request -out server.pem \
             -extfile extensions -startdate {from} -enddate {until}"
        ));
    }

    fn request(&self, more: &str) {
        self.openssl(&format!("req -newkey rsa:2048 -nodes {more}"));
    }

    fn openssl(&self, words: &str) {
        let mut command = Command::new("openssl");
        command.args(words.split_whitespace()).current_dir(&self.directory);
        let made = command.output().expect("openssl runs (./test installs it)");
        assert!(made.status.success(), "{words}: {}", String::from_utf8_lossy(&made.stderr));
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn config(directory: &Path) -> String {
    let directory = directory.display();
    format!(
        "[ca]\ndefault_ca = own\n[own]\ndatabase = {directory}/issued\nserial = {directory}/serial\n\
         new_certs_dir = {directory}\ncertificate = {directory}/ca.pem\nprivate_key = {directory}/ca.key\n\
         default_md = sha256\npolicy = any\nunique_subject = no\n[any]\ncommonName = supplied\n"
    )
}
