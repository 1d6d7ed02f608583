//! A real PostgreSQL.

use super::{PATIENCE, as_user, directory, drive, load, log, named, signal, wait_for, with};
use ::postgres::PostgresAccess;
use drivers::Database;
use protocol::testing::free_port;
use record::{Address, DriveOrder, Seen, SqlProtocol, Workload};
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Stdio};

/// The directories of Debian's versions of PostgreSQL.
const VERSIONS: &str = "/usr/lib/postgresql";
pub(crate) const USER: &str = "postgres";

/// A server that runs until it is dropped, in a directory of its own.
pub(crate) struct Postgres {
    child: Child,
    pub(crate) directory: PathBuf,
    pub(crate) address: SocketAddr,
    pub(crate) settings: Vec<String>,
}

impl Postgres {
    pub(crate) fn start(name: &str, settings: &[&str]) -> Postgres {
        let directory = directory(&format!("pg-{name}"), USER);
        let made = as_user(USER, &program("initdb"))
            .args(["-A", "trust", "-U", "bench", "--no-sync", "-E", "UTF8", "--locale=C", "-D"])
            .arg(directory.join("data"))
            .stdout(Stdio::null())
            .status()
            .expect("initdb starts");
        assert!(made.success());
        // Connections that end come from many addresses of loopback.
        let mut access = std::fs::OpenOptions::new()
            .append(true)
            .open(directory.join("data/pg_hba.conf"))
            .expect("initdb made it");
        access.write_all(b"host all all 127.0.0.0/8 trust\n").expect("writes");
        let address = free_port();
        let settings: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
        let child = run(&directory, address, &settings);
        let server = Postgres { child, directory, address, settings };
        server.wait();
        server
    }

    fn wait(&self) {
        let answers = || self.access("t").ask(&self.tcp(), &[], PATIENCE).is_ok();
        wait_for(answers, || log(&self.directory));
    }

    /// Ends the server with its clients' sessions, and starts it again at the same place.
    pub(crate) fn restart(&mut self) {
        self.end();
        self.child = run(&self.directory, self.address, &self.settings);
        self.wait();
    }

    fn end(&mut self) {
        // SIGINT: at once, without waiting for clients.
        signal("-INT", self.child.id());
        self.child.wait().expect("our child");
    }

    pub(crate) fn tcp(&self) -> Address {
        Address::Tcp(self.address)
    }

    pub(crate) fn unix(&self) -> Address {
        let socket = self.directory.join(format!(".s.PGSQL.{}", self.address.port()));
        Address::Unix(socket.to_str().expect("UTF-8").to_owned())
    }

    pub(crate) fn access(&self, table: &str) -> PostgresAccess {
        access(table)
    }

    /// The one value that a statement returns.
    pub(crate) fn says(&self, statement: &str) -> String {
        let rows = self.access("t").ask(&self.tcp(), &[statement.to_owned()], PATIENCE);
        rows.expect("an answer")[0][0][0].clone().expect("a value")
    }

    /// Executes statements whose answers do not matter.
    pub(crate) fn does(&self, statements: &[&str]) {
        let statements: Vec<String> = statements.iter().map(|&text| text.to_owned()).collect();
        self.access("t").ask(&self.tcp(), &statements, PATIENCE).expect("an answer");
    }

    /// A table with all keys of the workload in it.
    pub(crate) fn loaded(&self, table: &str, of: &Workload) -> PostgresAccess {
        let access = self.access(table);
        access.ask(&self.tcp(), &access.table_schema(true), PATIENCE).expect("a table");
        load(self.tcp(), of, |order| access.lanes(order, 0));
        let rows = self.says(&format!("SELECT count(*) FROM {table}"));
        assert_eq!(rows, of.to_load().to_string());
        access
    }
}

/// Access with `SELECT 1` as a prepared statement.
pub(crate) fn access(table: &str) -> PostgresAccess {
    with(PostgresAccess::without_log_in(SqlProtocol::Prepared), |of| {
        of.common.user = "bench".to_owned();
        of.common.password = None;
        of.common.database = "postgres".to_owned();
        of.common.table = table.to_owned();
    })
}

pub(crate) fn driven(order: &DriveOrder, access: &PostgresAccess) -> Seen {
    drive(order, access.lanes(order, 0))
}

/// Operations that were answered with this SQLSTATE's name.
pub(crate) fn count_of_error(seen: &Seen, name: &str) -> u64 {
    let of = |code: &u16| named(::postgres::code_names(), *code) == name;
    seen.outcomes.unexpected.iter().filter(|(code, _)| of(code)).map(|(_, n)| n).sum()
}

/// The path of a program of the newest PostgreSQL that has it: a newer client brings no server.
fn program(name: &str) -> String {
    let versions = std::fs::read_dir(VERSIONS).into_iter().flatten().flatten();
    let numbers = versions.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let path = |version: u32| format!("{VERSIONS}/{version}/bin/{name}");
    let newest = numbers.filter(|version| PathBuf::from(path(*version)).exists()).max();
    path(newest.expect("apt-get install postgresql"))
}

fn run(directory: &std::path::Path, address: SocketAddr, settings: &[String]) -> Child {
    let mut command = as_user(USER, &program("postgres"));
    command.arg("-D").arg(directory.join("data")).args(["-p", &address.port().to_string()]);
    let here = format!("unix_socket_directories={}", directory.display());
    let always = ["listen_addresses=127.0.0.1", "fsync=off", "max_connections=40", &here];
    for setting in always.into_iter().chain(settings.iter().map(String::as_str)) {
        command.args(["-c", setting]);
    }
    let log = std::fs::File::create(directory.join("log")).expect("a file");
    command.stderr(log).spawn().expect("it starts")
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.end();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}
