//! A real MariaDB.

use super::{PASSWORD, PATIENCE, as_user, directory, drive, load, log, signal, wait_for, with};
use ::mysql::MysqlAccess;
use drivers::Database;
use protocol::testing::free_port;
use record::{Address, DriveOrder, Seen, SqlProtocol, Workload};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

pub(crate) const USER: &str = "mysql";
/// A server that runs until it is dropped, in a directory of its own.
pub(crate) struct Mariadb {
    child: Child,
    pub(crate) directory: PathBuf,
    pub(crate) address: SocketAddr,
    pub(crate) settings: Vec<String>,
}

impl Mariadb {
    pub(crate) fn start(name: &str, settings: &[&str]) -> Mariadb {
        let directory = directory(&format!("my-{name}"), USER);
        let log = std::fs::File::create(directory.join("installed")).expect("a file");
        let made = as_user(USER, "mariadb-install-db")
            .args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"])
            .arg("--innodb-log-file-size=8M")
            .arg(format!("--datadir={}", directory.join("data").display()))
            // In a directory that it shares it would remove another one's tables.
            .arg(format!("--tmpdir={}", directory.display()))
            .stdout(log)
            .status()
            .expect("MariaDB is installed (./test installs it)");
        assert!(made.success());
        std::fs::write(directory.join("init.sql"), users()).expect("a file");
        let address = free_port();
        let settings: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
        let child = run(&directory, address, &settings);
        let server = Mariadb { child, directory, address, settings };
        server.wait();
        server
    }

    fn wait(&self) {
        let answers = || self.access("t").ask(&self.tcp(), &[], PATIENCE).is_ok();
        wait_for(answers, || log(&self.directory));
    }

    /// Kills the server and starts it again at the same place.
    pub(crate) fn restart(&mut self) {
        signal("-KILL", self.child.id());
        self.child.wait().expect("our child");
        self.child = run(&self.directory, self.address, &self.settings);
        self.wait();
    }

    pub(crate) fn tcp(&self) -> Address {
        Address::Tcp(self.address)
    }

    pub(crate) fn unix(&self) -> Address {
        Address::Unix(self.directory.join("socket").to_str().expect("UTF-8").to_owned())
    }

    pub(crate) fn access(&self, table: &str) -> MysqlAccess {
        access(table)
    }

    /// Access as root over the unix socket, for whom a connection is always reserved.
    pub(crate) fn root(&self) -> MysqlAccess {
        with(self.access("t"), |of| {
            of.common.user = "root".to_owned();
            of.common.password = None;
        })
    }

    /// The last value of the first row that a statement returns.
    pub(crate) fn says(&self, statement: &str) -> String {
        let rows = self.root().ask(&self.unix(), &[statement.to_owned()], PATIENCE);
        let rows = rows.expect("an answer");
        rows[0][0].last().and_then(Clone::clone).expect("a value")
    }

    /// Executes statements whose answers do not matter.
    pub(crate) fn does(&self, statements: &[&str]) {
        let statements: Vec<String> = statements.iter().map(|&text| text.to_owned()).collect();
        self.root().ask(&self.unix(), &statements, PATIENCE).expect("an answer");
    }

    /// One of the server's own counters.
    pub(crate) fn counter(&self, name: &str) -> u64 {
        self.says(&format!("SHOW GLOBAL STATUS LIKE '{name}'")).parse().expect("a number")
    }

    /// A table with all keys of the workload in it.
    pub(crate) fn loaded(&self, table: &str, engine: &str, of: &Workload) -> MysqlAccess {
        let access = self.access(table);
        let schema = access.table_schema(Some(engine), 32, of.value.most()).expect("it fits");
        access.ask(&self.tcp(), &schema, PATIENCE).expect("a table");
        load(self.tcp(), of, |order| access.lanes(order, 0));
        let rows = self.says(&format!("SELECT count(*) FROM {table}"));
        assert_eq!(rows, of.to_load().to_string());
        access
    }
}

/// Access with `SELECT 1` as a prepared statement.
pub(crate) fn access(table: &str) -> MysqlAccess {
    with(MysqlAccess::without_log_in(SqlProtocol::Prepared), |of| {
        of.common.user = "bench".to_owned();
        of.common.password = Some(PASSWORD.to_owned());
        of.common.database = "bench".to_owned();
        of.common.table = table.to_owned();
    })
}

pub(crate) fn driven(order: &DriveOrder, access: &MysqlAccess) -> Seen {
    drive(order, access.lanes(order, 0))
}

/// Operations that were answered with this error.
pub(crate) fn count_of_code(seen: &Seen, code: u16) -> u64 {
    seen.outcomes.unexpected.get(&code).copied().unwrap_or(0)
}

/// Read by the server at every start.
fn users() -> String {
    let of = |from: &str| {
        format!(
            "CREATE USER IF NOT EXISTS 'bench'@'{from}' IDENTIFIED BY '{PASSWORD}';\n\
             GRANT ALL ON bench.* TO 'bench'@'{from}';\n"
        )
    };
    format!("CREATE DATABASE IF NOT EXISTS bench;\n{}{}", of("127.0.0.1"), of("localhost"))
}

fn run(directory: &Path, address: SocketAddr, settings: &[String]) -> Child {
    let mut command: Command = as_user(USER, "mariadbd");
    let at = |option: &str, name: &str| format!("--{option}={}", directory.join(name).display());
    command.args(["--no-defaults", "--bind-address=127.0.0.1", "--skip-name-resolve"]);
    command.args([at("datadir", "data"), at("socket", "socket"), at("pid-file", "pid")]);
    command.args([at("init-file", "init.sql"), format!("--port={}", address.port())]);
    command.arg(format!("--tmpdir={}", directory.display()));
    command.args(["--innodb-buffer-pool-size=32M", "--innodb-log-file-size=8M"]);
    command.args(["--max-heap-table-size=64M", "--skip-log-bin"]).args(settings);
    let log = std::fs::File::create(directory.join("log")).expect("a file");
    command.stdout(Stdio::null()).stderr(log).spawn().expect("it starts")
}

impl Drop for Mariadb {
    fn drop(&mut self) {
        // What it would still write is deleted below.
        signal("-KILL", self.child.id());
        self.child.wait().expect("our child");
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}
