//! One Cassandra of each protocol, started side by side.

use crate::cassandra::Cassandra;
use crate::common::processes::wait_at_most;
use crate::newer::Newer;
use crate::php::Php;
use std::process::Command;
use std::thread;
use std::time::Duration;

const ALLOWS_ALL: &str = "AllowAllAuthenticator";
const ASKS_FOR_PASSWORDS: &str = "PasswordAuthenticator";

/// The user that every Cassandra begins with, as a query for the scripts.
pub(crate) const LOGIN: &str = "user=cassandra&password=cassandra";

pub(crate) struct Servers {
    cql: Newer,
    thrift: Cassandra,
    home: String,
}

impl Servers {
    /// Servers that ask for no password.
    pub(crate) fn start() -> Servers {
        let home = home_of("5.0");
        let (cql, thrift) = thread::scope(|scope| {
            let cql = scope.spawn(|| Newer::start(&home, ALLOWS_ALL));
            let thrift = scope.spawn(|| Cassandra::start(ALLOWS_ALL));
            (cql.join().expect("5.0 starts"), thrift.join().expect("1.2.8 starts"))
        });
        Servers { cql, thrift, home }
    }

    /// Kills both, and starts them again at the same addresses with the same data. They ask for
    /// passwords.
    pub(crate) fn restart(self, php: &Php) -> Servers {
        let Servers { cql, thrift, home } = self;
        let (cql, thrift) = thread::scope(|scope| {
            let cql = scope.spawn(|| cql.restart(&home, ASKS_FOR_PASSWORDS));
            let thrift = scope.spawn(|| thrift.restart(ASKS_FOR_PASSWORDS));
            (cql.join().expect("5.0 starts"), thrift.join().expect("1.2.8 starts"))
        });
        let servers = Servers { cql, thrift, home };
        // The first user is made some time after the port is open.
        wait_at_most(Duration::from_secs(120), "the first user", || {
            php.connects(&format!("{}&{LOGIN}", servers.query()))
        });
        servers
    }

    /// The addresses for CQL and for Thrift, and the directory of 1.2.8.
    pub(crate) fn places(&self) -> [String; 3] {
        let (cql, thrift) = (self.cql.address(), self.thrift.address());
        [cql.to_string(), thrift.to_string(), home_of("1.2.8")]
    }

    /// Their addresses as the scripts want them.
    pub(crate) fn query(&self) -> String {
        format!("cql={}&thrift={}", self.cql.address(), self.thrift.address())
    }
}

/// Where `tiebreak setup` has put this version: fetched now if it was not before.
fn home_of(version: &str) -> String {
    let setup = Command::new(env!("CARGO_BIN_EXE_tiebreak")).args(["setup", "cassandra"]).output();
    let setup = setup.expect("tiebreak starts");
    let stdout = String::from_utf8(setup.stdout).expect("text");
    assert!(setup.status.success(), "{stdout}{}", String::from_utf8_lossy(&setup.stderr));
    let line = stdout.lines().find(|line| line.contains(version)).expect("its line");
    line.split_once(" in ").expect("a directory").1.to_owned()
}
