//! A real Cassandra 1.2.8, the last version with Thrift alone, with settings that its recipe
//! does not have. It runs on the installed Java, from where `tiebreak setup cassandra` put it.

use crate::common::TestDirectory;
use crate::common::processes::wait_at_most;
use crate::common::running::Running;
use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;
use tiebreak::targets::ports;

const VERSION: &str = "1.2.8";

/// How long a start may take on a busy machine. It takes about four seconds on an idle one.
const PATIENCE: Duration = Duration::from_secs(240);

/// Packages that versions of this age access and that Java has closed since 16.
const OPENED: [&str; 16] = [
    "java.lang",
    "java.lang.ref",
    "java.lang.reflect",
    "java.io",
    "java.net",
    "java.nio",
    "java.util",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "java.util.concurrent.locks",
    "sun.nio.ch",
    "jdk.internal.loader",
    "jdk.internal.math",
    "jdk.internal.misc",
    "jdk.internal.module",
    "jdk.internal.ref",
];

/// One node in a separate directory. It is killed when it is dropped.
pub(crate) struct Cassandra {
    // Killed before its directory is removed.
    _process: Running,
    directory: TestDirectory,
    address: SocketAddr,
    storage: u16,
}

impl Cassandra {
    /// Starts a node that listens for Thrift alone. `authenticator` is the class that checks
    /// passwords.
    pub(crate) fn start(authenticator: &str) -> Cassandra {
        let directory = TestDirectory::new();
        let (thrift, storage) = (ports::free().expect("a port"), ports::free().expect("a port"));
        let process = launch(&directory, (thrift, storage), authenticator);
        let address = SocketAddr::from(([127, 0, 0, 1], thrift));
        Cassandra { _process: process, directory, address, storage }
    }

    /// Kills it, and starts it again with the same data, at the same address.
    #[allow(dead_code, reason = "not every test file needs it")]
    pub(crate) fn restart(self, authenticator: &str) -> Cassandra {
        let Cassandra { _process, directory, address, storage } = self;
        drop(_process);
        let process = launch(&directory, (address.port(), storage), authenticator);
        Cassandra { _process: process, directory, address, storage }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Starts a node in this directory, and waits until it listens.
fn launch(directory: &TestDirectory, ports: (u16, u16), authenticator: &str) -> Running {
    let home = &*HOME;
    let usual = fs::read_to_string(home.join("conf/cassandra.yaml")).expect("the archive's");
    let settings = settings(&usual, directory.path(), ports, authenticator);
    fs::write(directory.file("cassandra.yaml"), settings).expect("a file");
    fs::write(directory.file("log4j.properties"), LOGGING).expect("a file");
    started(command(home, directory.path()), directory, ports.0)
}

/// Starts a node whose log goes to this directory, and waits until it listens at the port.
pub(crate) fn started(mut command: Command, directory: &TestDirectory, port: u16) -> Running {
    let log = fs::File::create(directory.file("log")).expect("a file");
    command.stdin(Stdio::null()).stderr(log.try_clone().expect("a descriptor")).stdout(log);
    let mut process = Running::new(command.spawn().expect("Java is installed"));
    wait_at_most(PATIENCE, "Cassandra's start", || {
        assert!(process.runs(), "Cassandra ended: {}", directory.text("log"));
        TcpStream::connect(("127.0.0.1", port)).is_ok()
    });
    process
}

const LOGGING: &str = "log4j.rootLogger=WARN,out\n\
                       log4j.appender.out=org.apache.log4j.ConsoleAppender\n\
                       log4j.appender.out.layout=org.apache.log4j.SimpleLayout\n";

/// The archive's settings, for one node on loopback that keeps everything in this directory.
fn settings(
    usual: &str,
    directory: &Path,
    (thrift, storage): (u16, u16),
    authenticator: &str,
) -> String {
    let directory = directory.display().to_string();
    let set: [(&str, String); 8] = [
        ("cluster_name", format!("tiebreak-test-{thrift}")),
        ("rpc_port", thrift.to_string()),
        ("storage_port", storage.to_string()),
        ("listen_address", "127.0.0.1".to_owned()),
        ("rpc_address", "127.0.0.1".to_owned()),
        ("start_native_transport", "false".to_owned()),
        ("authenticator", authenticator.to_owned()),
        ("initial_token", String::new()),
    ];
    let line = |line: &str| {
        let key = line.split(':').next().unwrap_or_default();
        match set.iter().find(|(name, _)| *name == key) {
            Some((_, value)) => format!("{key}: {value}\n"),
            None => line.replace("/var/lib/cassandra", &directory) + "\n",
        }
    };
    // Memory-mapped files cannot be closed on this Java.
    let more = "disk_access_mode: standard\nauto_bootstrap: false\nnum_tokens: 4\n";
    usual.lines().map(line).collect::<String>() + more
}

fn command(home: &Path, directory: &Path) -> Command {
    let mut command = Command::new("java");
    command.args(["-Xms128M", "-Xmx256M", "-Xss512k", "-XX:+UseSerialGC", "-XX:-UsePerfData"]);
    for package in OPENED {
        for how in ["--add-opens", "--add-exports"] {
            command.args([how, &format!("java.base/{package}=ALL-UNNAMED")]);
        }
    }
    for package in ["java.rmi/sun.rmi.registry", "java.rmi/sun.rmi.server"] {
        command.args(["--add-exports", &format!("{package}=ALL-UNNAMED")]);
    }
    let directory = directory.display();
    command.args([
        "-Djava.security.manager=allow".to_owned(),
        "-Djava.net.preferIPv4Stack=true".to_owned(),
        "-Dlog4j.defaultInitOverride=true".to_owned(),
        format!("-Dlog4j.configuration=file://{directory}/log4j.properties"),
        format!("-Dcassandra.config=file://{directory}/cassandra.yaml"),
        "-Dcassandra-foreground=yes".to_owned(),
        "-Dcassandra.ring_delay_ms=1000".to_owned(),
        "-Dcassandra.superuser_setup_delay_ms=0".to_owned(),
        "-cp".to_owned(),
        format!("{}/lib/*", home.display()),
        "org.apache.cassandra.service.CassandraDaemon".to_owned(),
    ]);
    command
}

/// Where `tiebreak setup` has put it: fetched now if it was not fetched before.
static HOME: LazyLock<PathBuf> = LazyLock::new(|| {
    let setup = Command::new(env!("CARGO_BIN_EXE_tiebreak")).args(["setup", "cassandra"]).output();
    let setup = setup.expect("tiebreak starts");
    let output = String::from_utf8(setup.stdout).expect("text");
    assert!(setup.status.success(), "{output}{}", String::from_utf8_lossy(&setup.stderr));
    let line = output.lines().find(|line| line.contains(VERSION)).expect("its line");
    PathBuf::from(line.split_once(" in ").expect("a directory").1)
});
