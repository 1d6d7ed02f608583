//! Lanes against a real PostgreSQL: what they count is what the server did.

use drivers::PostgresAccess;
use drivers::postgres::Protocol;
use engine::{Numbers, Stop};
use record::{Address, Arrivals, Asked, Doing, LaneAsked, Pool, Reuse, Seen, Upkeep, Workload};
use std::net::{SocketAddr, TcpListener};
use std::ops::ControlFlow;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

const BIN: &str = "/usr/lib/postgresql/15/bin";
const MS: u64 = 1_000_000;
const PATIENCE: Duration = Duration::from_secs(10);

/// A server that runs until it is dropped, in a folder of its own.
struct Server {
    child: Child,
    folder: PathBuf,
    address: SocketAddr,
}

impl Server {
    fn start(name: &str, settings: &[&str]) -> Server {
        let folder = std::env::temp_dir().join(format!("tb-pg-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        give_away(&folder);
        let data = folder.join("data");
        let made = as_somebody("initdb")
            .args(["-A", "trust", "-U", "bench", "--no-sync", "-E", "UTF8", "--locale=C", "-D"])
            .arg(&data)
            .stdout(Stdio::null())
            .status()
            .expect("PostgreSQL 15 is installed");
        assert!(made.success());
        let address = free_port();
        let mut command = as_somebody("postgres");
        command.arg("-D").arg(&data).args(["-p", &address.port().to_string()]);
        let here = format!("unix_socket_directories={}", folder.display());
        let always = ["listen_addresses=127.0.0.1", "fsync=off", "max_connections=40", &here];
        for setting in always.iter().chain(settings) {
            command.args(["-c", setting]);
        }
        let log = std::fs::File::create(folder.join("log")).expect("a file");
        let child = command.stderr(log).spawn().expect("it starts");
        let server = Server { child, folder, address };
        let gives_up = Instant::now() + Duration::from_secs(30);
        while server.access("t").ask(&server.tcp(), &[], PATIENCE).is_err() {
            assert!(Instant::now() < gives_up, "no server within half a minute");
            std::thread::sleep(Duration::from_millis(20));
        }
        server
    }

    fn tcp(&self) -> Address {
        Address::Tcp(self.address)
    }

    fn unix(&self) -> Address {
        let socket = self.folder.join(format!(".s.PGSQL.{}", self.address.port()));
        Address::Unix(socket.to_str().expect("UTF-8").to_owned())
    }

    fn access(&self, table: &str) -> PostgresAccess {
        PostgresAccess {
            user: "bench".to_owned(),
            password: None,
            database: "postgres".to_owned(),
            table: table.to_owned(),
            query: "SELECT 1".to_owned(),
            protocol: Protocol::Prepared,
            tls: None,
            numbers: Numbers::new(1),
        }
    }

    /// The one value that a statement brings.
    fn says(&self, statement: &str) -> String {
        let rows = self.access("t").ask(&self.tcp(), &[statement.to_owned()], PATIENCE);
        rows.expect("an answer")[0][0][0].clone().expect("a value")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // SIGINT: at once, without waiting for clients.
        let pid = self.child.id().to_string();
        let _ = Command::new("kill").args(["-INT", &pid]).status();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// PostgreSQL does not run as root.
fn as_somebody(program: &str) -> Command {
    if !is_root() {
        return Command::new(format!("{BIN}/{program}"));
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]);
    command.arg(format!("{BIN}/{program}"));
    command
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").expect("Linux").uid() == 0
}

fn give_away(folder: &Path) {
    if !is_root() {
        return;
    }
    let users = std::fs::read_to_string("/etc/passwd").expect("users");
    let line = users.lines().find(|line| line.starts_with("postgres:")).expect("its user");
    let mut numbers = line.split(':').skip(2).map(|number| number.parse().expect("a number"));
    chown(folder, numbers.next(), numbers.next()).expect("ours to give");
}

/// Below the ports of clients, each handed out once in this process.
fn free_port() -> SocketAddr {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let from = 21_000 + (std::process::id() % 400) as u16 * 20;
    loop {
        let port = from + NEXT.fetch_add(1, Ordering::Relaxed);
        if let Ok(listener) = TcpListener::bind(("127.0.0.1", port)) {
            return listener.local_addr().expect("bound");
        }
    }
}

fn workload(preset: &str) -> Workload {
    Workload {
        keys: 1500,
        prefix: "p:".to_owned(),
        verify: record::Verify::All,
        ..engine::workload::preset(preset).expect("a preset")
    }
}

fn order(address: Address, doing: Doing) -> Asked {
    Asked {
        seed: 3,
        cores: Vec::new(),
        warm_up_ns: 0,
        rounds: 2,
        first_round: 1,
        round_ns: 100 * MS,
        slice_ns: 50 * MS,
        lanes: vec![LaneAsked {
            address,
            connections: 4,
            depth: 1,
            reuse: Reuse::Always,
            doing,
            arrivals: Arrivals::Closed,
            timeout_ns: 5_000 * MS,
            burn_in_ns: 0,
            operations: None,
            groups: Vec::new(),
        }],
    }
}

fn drive(order: &Asked, access: &PostgresAccess) -> Seen {
    let mut all = Seen::default();
    let stop = Stop::new().expect("a descriptor");
    engine::run(order, vec![access.lanes(order, 0)], Vec::new(), &stop, &mut |trial| {
        all.merge(&trial.seen);
        ControlFlow::Continue(())
    })
    .expect("nothing broke");
    all
}

/// A table with all keys of the workload in it.
fn loaded(server: &Server, table: &str, of: &Workload) -> PostgresAccess {
    let access = server.access(table);
    access.ask(&server.tcp(), &access.schema(true), PATIENCE).expect("a table");
    let mut order = order(server.tcp(), Doing::load(of.clone()));
    order.rounds = 1;
    order.lanes[0].operations = Some(of.to_load());
    order.round_ns = 10_000 * MS;
    order.slice_ns = order.round_ns;
    let seen = drive(&order, &access);
    assert_eq!(seen.outcomes.ok, of.to_load(), "{:?}", seen.outcomes);
    // Once more, over what is there.
    assert_eq!(drive(&order, &access).outcomes.ok, of.to_load());
    assert_eq!(server.says(&format!("SELECT count(*) FROM {table}")), of.to_load().to_string());
    access
}

/// Operations that were answered with this SQLSTATE's name.
fn told(seen: &Seen, name: &str) -> u64 {
    let of = |code: &u16| drivers::sqlstate_name(*code).as_deref() == Some(name);
    seen.outcomes.unexpected.iter().filter(|(code, _)| of(code)).map(|(_, n)| n).sum()
}

#[test]
fn every_protocol_does_every_preset_and_reads_what_was_written() {
    let server = Server::start("presets", &[]);
    for preset in ["kv", "ycsb-d", "ycsb-e", "ycsb-f"] {
        let of = workload(preset);
        for protocol in [Protocol::Simple, Protocol::Extended, Protocol::Prepared] {
            let access = PostgresAccess { protocol, ..loaded(&server, "t", &of) };
            let seen = drive(&order(server.tcp(), Doing::Drive(of.clone())), &access);
            assert!(seen.operations >= 4 * 4, "{preset}, {protocol:?}: {}", seen.operations);
            let outcomes = &seen.outcomes;
            assert_eq!(outcomes.ok, seen.operations, "{preset}, {protocol:?}: {outcomes:?}");
            assert_eq!((seen.connections.opened, seen.unfinished), (4, 0));
            let prepares = seen.phases.prepare.len();
            assert_eq!(prepares > 0, protocol == Protocol::Prepared, "{prepares}");
        }
    }
}

#[test]
fn connections_are_what_the_policy_says_and_none_is_left() {
    let server = Server::start("policies", &[]);
    let of = workload("kv");
    let pool = |upkeep| Reuse::Pool(Pool { max: 2, wait_ns: 5_000 * MS, upkeep });
    for reuse in [
        Reuse::Never,
        Reuse::Times(5),
        pool(Upkeep::Neither),
        pool(Upkeep::Ping),
        pool(Upkeep::Reset),
    ] {
        let access = loaded(&server, "t", &of);
        let mut order = order(server.unix(), Doing::Drive(of.clone()));
        order.lanes[0].reuse = reuse;
        let seen = drive(&order, &access);
        assert_eq!(seen.outcomes.ok, seen.operations, "{reuse:?}: {:?}", seen.outcomes);
        let opened = seen.connections.opened;
        match reuse {
            Reuse::Never => assert_eq!(opened, seen.operations),
            Reuse::Times(times) => assert!(opened > seen.operations / u64::from(times)),
            _ => assert_eq!((opened, seen.phases.acquire.len()), (2, seen.operations)),
        }
        assert_eq!(seen.phases.log_in.len(), opened);
        let reset = matches!(reuse, Reuse::Pool(Pool { upkeep: Upkeep::Reset, .. }));
        let prepares = seen.phases.prepare.len();
        match reset || reuse == Reuse::Never {
            true => assert_eq!(prepares, seen.operations, "{reuse:?}"),
            // A get and a set on each connection.
            false => assert!(prepares <= 2 * opened, "{reuse:?}: {prepares}"),
        }
        // The one that asks is there.
        assert_eq!(
            server.says(
                "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
            ),
            "1"
        );
    }
}

#[test]
fn the_server_says_what_a_commit_waits_for() {
    let server = Server::start("facts", &[]);
    let facts = server.access("t").facts(&server.unix(), PATIENCE).expect("an answer");
    let value = |name: &str| facts.iter().find(|fact| fact.0 == name).map(|fact| &*fact.1);
    assert_eq!((value("fsync"), value("synchronous_commit")), (Some("off"), Some("on")));
    assert!(value("server_version").is_some_and(|version| version.starts_with("15.")));
    assert!(value("started").is_some());
    let wrong = PostgresAccess { user: "nobody".to_owned(), ..server.access("t") };
    let unasked = wrong.facts(&server.tcp(), PATIENCE).expect_err("no such user");
    assert!(unasked.code.is_some() && unasked.why.contains("nobody"), "{unasked:?}");
}

#[test]
fn errors_are_counted_by_their_class() {
    let server =
        Server::start("errors", &["max_connections=6", "superuser_reserved_connections=2"]);
    let kv = || Doing::Drive(workload("kv"));
    let missing = drive(&order(server.tcp(), kv()), &server.access("nowhere"));
    assert_eq!(told(&missing, "no_such_table"), missing.operations, "{:?}", missing.outcomes);

    let nowhere = PostgresAccess { database: "nowhere".to_owned(), ..server.access("t") };
    let refused = drive(&order(server.tcp(), kv()), &nowhere);
    assert_eq!(told(&refused, "no_such_database"), refused.operations, "{:?}", refused.outcomes);
    assert_eq!(refused.connections.got, 0);

    let mut many = order(server.tcp(), Doing::Ask);
    many.lanes[0].connections = 12;
    let full = drive(&many, &server.access("t"));
    assert!(told(&full, "too_many_connections") > 0, "{:?}", full.outcomes);
    assert!(full.outcomes.ok > 0 && full.connections.got <= 2 * 6, "{:?}", full.connections);
}

#[test]
fn what_takes_too_long_is_given_up() {
    // Room for those that were given up: the server goes on with their statements.
    let server = Server::start("timeouts", &["max_connections=200"]);
    let sleepy = PostgresAccess { query: "SELECT pg_sleep(3)".to_owned(), ..server.access("t") };
    let mut short = order(server.tcp(), Doing::Ask);
    short.lanes[0].timeout_ns = 40 * MS;
    let given_up = drive(&short, &sleepy);
    let timeouts = given_up.outcomes.failed[&record::Failure::Timeout];
    assert_eq!((timeouts, given_up.unfinished), (given_up.operations, 0));
    assert!(given_up.response_time.min() >= Some(40 * MS));
}
