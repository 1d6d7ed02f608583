//! A real Cassandra 5.0 with the settings of its recipe, which can be started again with the
//! same data.

use crate::cassandra::started;
use crate::common::TestDirectory;
use crate::common::running::Running;
use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use tiebreak::targets::ports;
use toml::de::{DeTable, DeValue};

const RECIPE: &str = include_str!("../../protocols/cassandra/recipes/common/5.0.toml");

/// So that a write on a busy machine is not given up after two seconds.
const PATIENT: &str = "read_request_timeout: 15s\nwrite_request_timeout: 15s\n";

/// One node, in a directory of its own. It is killed when it is dropped.
pub(crate) struct Newer {
    // Killed before its directory is removed.
    _process: Running,
    directory: TestDirectory,
    address: SocketAddr,
    storage: u16,
}

impl Newer {
    /// A node that listens for CQL. `authenticator`: the class that checks passwords.
    pub(crate) fn start(home: &str, authenticator: &str) -> Newer {
        let directory = TestDirectory::new();
        let (cql, storage) = (ports::free().expect("a port"), ports::free().expect("a port"));
        let process = launch(&directory, home, (cql, storage), authenticator);
        let address = SocketAddr::from(([127, 0, 0, 1], cql));
        Newer { _process: process, directory, address, storage }
    }

    /// Kills it, and starts it again with the same data, at the same address.
    pub(crate) fn restart(self, home: &str, authenticator: &str) -> Newer {
        let Newer { _process, directory, address, storage } = self;
        drop(_process);
        let process = launch(&directory, home, (address.port(), storage), authenticator);
        Newer { _process: process, directory, address, storage }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

fn launch(
    directory: &TestDirectory,
    home: &str,
    ports: (u16, u16),
    authenticator: &str,
) -> Running {
    let options = write_settings(directory, home, ports, authenticator);
    let mut command = Command::new("java");
    command.arg("-Dcassandra.initial_token=0").arg(format!("@{}", options.display()));
    command.arg("org.apache.cassandra.service.CassandraDaemon");
    started(command, directory, ports.0)
}

/// Writes the files of the recipe. Returns the one with Java's options.
fn write_settings(
    directory: &TestDirectory,
    home: &str,
    (cql, storage): (u16, u16),
    authenticator: &str,
) -> PathBuf {
    let recipe = DeTable::parse(RECIPE).expect("TOML");
    let recipe = recipe.get_ref();
    let commitlog = &recipe["choices"].get_ref()["commitlog_sync"].get_ref()["periodic"];
    let path = directory.path().display().to_string();
    let filled = |content: &str| {
        content
            .replace("{choice.commitlog_sync}", &text(commitlog.get_ref()))
            .replace("{choice.heap}", "512M")
            .replace("{temp}", &path)
            .replace("{process}", "node")
            .replace("{software}", home)
            .replace("{host}", "127.0.0.1")
            .replace("{port}", &cql.to_string())
            .replace("{storage.port}", &storage.to_string())
    };
    fs::create_dir_all(directory.file("node")).expect("a directory");
    let files = recipe["files"].get_ref().as_table().expect("files");
    for (name, content) in files {
        let mut content = filled(&text(content.get_ref()));
        if name.get_ref().ends_with("cassandra.yaml") {
            content.push_str(&format!("authenticator: {authenticator}\n"));
            content.push_str(PATIENT);
        }
        fs::write(directory.file(&filled(name.get_ref())), content).expect("a file");
    }
    directory.file("node/java.options")
}

fn text(value: &DeValue<'_>) -> String {
    value.as_str().expect("a text").to_owned()
}
