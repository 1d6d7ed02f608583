//! A real node of Cassandra 5.0 with settings that its recipe does not have, in a directory of its
//! own. It keeps its data when it is killed and started again.

use crate::common::TestDirectory;
use crate::common::not_tested::not_installed;
use crate::common::processes::wait_at_most;
use crate::common::running::Running;
use crate::common::software::fetched;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;
use tiebreak::targets::ports;
use toml::de::{DeTable, DeValue};

/// How its recipe starts it.
const RECIPE: &str = include_str!("../../../protocols/cassandra/recipes/common/5.0.toml");
/// How long a start may take on a busy machine. It takes some eight seconds on one at rest.
const PATIENCE: Duration = Duration::from_secs(180);
/// OPTIONS of the protocol, version 4, which is answered before any login.
const OPTIONS: [u8; 9] = [4, 0, 0, 0, 5, 0, 0, 0, 0];

pub(crate) struct Node {
    // Killed before its directory is removed.
    process: Option<Running>,
    directory: TestDirectory,
    software: PathBuf,
    port: u16,
    storage: u16,
    /// Lines of its configuration that its recipe does not have.
    settings: String,
}

impl Node {
    /// With these lines added to its configuration and to Java's command line. Returns None
    /// where Cassandra is not on this machine.
    pub(crate) fn start(settings: &str, options: &[&str]) -> Option<Node> {
        let Some(software) = fetched("cassandra-5.0.9") else {
            not_installed("Cassandra was not fetched: run `tiebreak setup cassandra`");
            return None;
        };
        let (port, storage) = (ports::free().expect("a port"), ports::free().expect("a port"));
        let mut node = Node {
            process: None,
            directory: TestDirectory::new(),
            software,
            port,
            storage,
            settings: String::new(),
        };
        node.start_again(settings, options);
        Some(node)
    }

    /// On its data, where it has some.
    pub(crate) fn start_again(&mut self, settings: &str, options: &[&str]) {
        settings.clone_into(&mut self.settings);
        let recipe = DeTable::parse(RECIPE).expect("a recipe").into_inner();
        let DeValue::Table(files) = recipe["files"].get_ref() else { panic!("a table of files") };
        for (name, text) in files {
            let text = text.get_ref().as_str().expect("the text of a file");
            let added = if name.get_ref().ends_with(".yaml") { settings } else { "" };
            let file = PathBuf::from(self.filled("{temp}/") + &self.filled(name.get_ref()));
            fs::create_dir_all(file.parent().expect("a directory")).expect("a directory");
            fs::write(file, self.filled(text) + added).expect("a file");
        }
        let log = fs::File::create(self.log()).expect("a file");
        // It ends with this thread, also where the test is killed.
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "java", "-Dcassandra.initial_token=0"]);
        command.args(options).arg(self.filled("@{temp}/{process}/java.options"));
        command.arg("org.apache.cassandra.service.CassandraDaemon").stdin(Stdio::null());
        command.stderr(log.try_clone().expect("a descriptor")).stdout(log);
        let mut process = Running::new(command.spawn().expect("Java is installed"));
        wait_at_most(PATIENCE, "Cassandra's start", || {
            let log = || fs::read_to_string(self.log()).unwrap_or_default();
            assert!(process.runs(), "Cassandra ended: {}", log());
            self.answers()
        });
        self.process = Some(process);
    }

    /// As it was started before.
    pub(crate) fn start_as_before(&mut self) {
        let settings = self.settings.clone();
        self.start_again(&settings, &[]);
    }

    /// Ends it at once.
    pub(crate) fn kill(&mut self) {
        self.process = None;
    }

    pub(crate) fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    pub(crate) fn url(&self, login: &str, keyspace: &str) -> String {
        self.url_at(login, "127.0.0.1", keyspace)
    }

    pub(crate) fn url_at(&self, login: &str, host: &str, keyspace: &str) -> String {
        format!("cassandra://{login}@{host}:{}/{keyspace}", self.port)
    }

    fn answers(&self) -> bool {
        let ask = || {
            let mut stream = TcpStream::connect(self.address())?;
            stream.set_read_timeout(Some(Duration::from_secs(10)))?;
            stream.write_all(&OPTIONS)?;
            stream.read_exact(&mut [0; OPTIONS.len()])
        };
        ask().is_ok()
    }

    fn log(&self) -> PathBuf {
        self.directory.file("log")
    }

    /// A text of the recipe with what it leaves open.
    fn filled(&self, text: &str) -> String {
        let (port, storage) = (self.port.to_string(), self.storage.to_string());
        let directory = self.directory.path().display().to_string();
        let software = self.software.display().to_string();
        let open = [
            ("{host}", "127.0.0.1"),
            ("{port}", &port),
            ("{storage.port}", &storage),
            ("{temp}", &directory),
            ("{process}", "node"),
            ("{software}", &software),
            ("{choice.heap}", "512M"),
            // What was acknowledged is there after a kill.
            ("{choice.commitlog_sync}", ""),
        ];
        open.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
    }
}
