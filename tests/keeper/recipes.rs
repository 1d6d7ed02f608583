//! Every recipe: those whose server is installed are launched, and the others
//! name Debian's package.

use crate::Test;
use crate::cassandra;
use crate::common::TestDirectory;
use crate::common::not_tested::not_installed;
use crate::launches::{LaunchTest, get, homes, started};
use crate::process::{Process, tree};
use protocol::Exit;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use tiebreak::plan::recipes;
use tiebreak::targets::launch::Failed;

pub(crate) const TESTS: &[Test] = &[
    ("recipes::nginx", || recipe("nginx")),
    ("recipes::lighttpd", || recipe("lighttpd")),
    ("recipes::caddy", || recipe("caddy")),
    ("recipes::apache", || recipe("apache")),
    ("recipes::node", || recipe("node")),
    ("recipes::go", || recipe("go")),
    ("recipes::uvicorn", || recipe("uvicorn")),
    ("recipes::memcached", || store("memcached")),
    ("recipes::redis", || store("redis")),
    ("recipes::mariadb_innodb", || database("mariadb-innodb")),
    ("recipes::mariadb_memory", || database("mariadb-memory")),
    ("recipes::postgres", || database("postgres")),
    ("recipes::postgres_unlogged", || database("postgres-unlogged")),
    ("recipes::postgres_tmpfs", || database("postgres-tmpfs")),
    ("recipes::pgbouncer", || database("pgbouncer")),
    ("recipes::cassandra", cassandra::one_node),
    ("recipes::cassandra_cluster", cassandra::cluster),
    ("recipes::cassandra_1_2", cassandra::one_node_of_1_2),
    ("recipes::cassandra_1_2_cluster", cassandra::cluster_of_1_2),
    ("recipes::none_is_forgotten", || assert_eq!(TESTS.len(), recipes::all().count() + 1)),
];

/// The page of 87 bytes, and then a directory of two files.
fn recipe(name: &str) {
    let there = launched(name, |url| {
        let (status, body) = get(url);
        assert!(status.contains(" 200"), "{status}");
        assert_eq!((body.len(), &body[..15]), (87, "<html><body>xxx"));
    });
    if there {
        directory(name);
    }
}

/// A store answers in its protocol as soon as it is ready.
fn store(name: &str) {
    launched(name, |url| {
        let address = url.rsplit('/').next().expect("an address");
        let mut stream = TcpStream::connect(address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket");
        stream.write_all(b"get none\r\n").expect("it reads");
        let mut reply = [0; 5];
        stream.read_exact(&mut reply).expect("it answers");
        assert!([b"END\r\n", b"$-1\r\n"].contains(&&reply), "{reply:?}");
    });
}

/// A database answers a statement as soon as it is ready. PgBouncer does not track on which of its
/// connections a statement was prepared.
fn database(name: &str) {
    let protocol: &[&str] =
        if name == "pgbouncer" { &["--set", "d.protocol=extended"] } else { &[] };
    launched(name, |url| {
        let url = format!("d={url}");
        let words = ["run", &url, "--query", "SELECT 1", "--operations", "1"];
        let words = [&words[..], protocol].concat();
        let (code, report) = TestDirectory::new().report(&words);
        assert_eq!(code, 0, "{:#}", report["findings"]);
        let outcomes = &report["contenders"][0]["outcomes"];
        assert_eq!(
            (&outcomes["ok"], &report["contenders"][0]["operations"]),
            (&1.into(), &1.into())
        );
    });
}

/// Launches a recipe, looks at it and ends it; or checks that the package is
/// named, where it is not installed: false.
fn launched(name: &str, look: impl Fn(&str)) -> bool {
    let launch_test = LaunchTest::new(&format!("[contender.page-{name}]\nrecipe = '{name}'\n"));
    let mut launcher = match launch_test.launcher() {
        Ok(launcher) => launcher,
        Err(Failed::Error(error)) => {
            let package = launch_test.launch().packages.values().next().expect("a package");
            let remedy = format!("is not installed (not found in PATH): apt-get install {package}");
            assert!(error.text.ends_with(&remedy), "{}", error.text);
            assert_eq!(error.exit, Exit::TargetFailed);
            not_installed(&format!("the recipe {name}: {package} is not installed"));
            return false;
        }
        Err(Failed::Stopped) => panic!("nobody asked for the end"),
    };
    let facts = launcher.prepare().unwrap_or_else(|failed| panic!("{failed:?}"));
    assert!(facts.iter().all(|fact| fact.line.is_some()), "{facts:?}");
    let running = started(&mut launcher);
    look(running.url());
    let all = tree(running.keeper());
    assert_eq!(running.stop().expect("it stops").killed, 0, "in good order");
    assert!(!all.iter().any(Process::runs), "{all:?}");
    drop(launcher);
    assert!(homes(&format!("page-{name}")).is_empty());
    true
}

fn directory(name: &str) {
    let site = crate::holder::TestDirectory::new();
    std::fs::create_dir(site.0.join("below")).expect("a directory");
    for (file, text) in [("index.html", "front"), ("below/index.html", "inner"), ("a.txt", "text")]
    {
        std::fs::write(site.0.join(file), text).expect("writes");
    }
    let directory = site.0.display();
    let launch_test = LaunchTest::new(&format!(
        "[contender.f-{name}]\nrecipe = '{name}'\nsite = '{directory}'\n"
    ));
    let mut launcher = launch_test.launcher().unwrap_or_else(|failed| panic!("{failed:?}"));
    launcher.prepare().unwrap_or_else(|failed| panic!("{failed:?}"));
    let running = started(&mut launcher);
    for (path, text) in [("", "front"), ("below/", "inner"), ("a.txt", "text")] {
        assert_eq!(get(&format!("{}{path}", running.url())).1, text, "{path}");
    }
    assert!(get(&format!("{}none", running.url())).0.contains(" 404"));
}
