//! Data that a load would replace and that tiebreak did not create is left alone and named:
//! tables of PostgreSQL and MariaDB, keys of memcached and Redis.

use crate::common::stores::Store;
use crate::common::{TestDirectory, errors};
use crate::servers::PASSWORD;
use crate::servers::mariadb::Mariadb;
use crate::servers::postgres::Postgres;

/// `tiebreak load` of a few keys: its exit code and what it printed.
fn load(url: &str, more: &[&str]) -> (Option<i32>, String) {
    let directory = TestDirectory::new();
    let words = [&["load", url, "--keys", "200", "--connections", "2"], more].concat();
    let output = directory.tiebreak(&words);
    (output.status.code(), errors(&output))
}

fn refused(url: &str, more: &[&str], name: &str) {
    let (code, message) = load(url, more);
    assert_eq!(code, Some(4), "{message}");
    assert!(message.contains(&format!("the table `{name}`")), "{message}");
    assert!(message.contains("was not made by tiebreak"), "{message}");
    assert!(message.contains("use another database"), "the remedy: {message}");
}

fn loaded(url: &str, more: &[&str]) {
    let (code, message) = load(url, more);
    assert_eq!(code, Some(0), "{message}");
}

/// A database server as its own client queries it.
struct Dialect<'a> {
    url: String,
    does: &'a dyn Fn(&str),
    says: &'a dyn Fn(&str) -> String,
}

/// The same cases on each of them. `key_and_value`: columns as a contender's table has.
fn tables_of_the_user_are_left_alone(dialect: &Dialect<'_>, key_and_value: &str) {
    let Dialect { url, does, says } = dialect;
    for columns in ["(mine INT)", key_and_value] {
        does(&format!("CREATE TABLE tiebreak00 {columns}"));
        refused(url, &[], "tiebreak00");
        refused(url, &["--reload"], "tiebreak00");
        assert_eq!(says("SELECT COUNT(*) FROM tiebreak00"), "0", "it is there");
        does("DROP TABLE tiebreak00");
    }
    // A table of a workload's own.
    does("CREATE TABLE tiebreak00_sbtest (mine INT)");
    does("INSERT INTO tiebreak00_sbtest VALUES (7)");
    refused(url, &["--workload", "point-select"], "tiebreak00_sbtest");
    assert_eq!(says("SELECT mine FROM tiebreak00_sbtest"), "7");
    does("DROP TABLE tiebreak00_sbtest");
    does("CREATE TABLE tiebreak_notes (mine INT)");
    refused(url, &[], "tiebreak_notes");
    does("DROP TABLE tiebreak_notes");
    // tiebreak replaces what it created, with or without a note of it.
    for more in [&[][..], &["--reload"], &["--workload", "point-select"], &["--reload"]] {
        loaded(url, more);
    }
    does("DROP TABLE tiebreak_notes");
    loaded(url, &["--workload", "point-select", "--reload"]);
    loaded(url, &[]);
    loaded(url, &["--value", "64B"]);
}

#[test]
fn tables_of_the_user_in_postgres_are_left_alone() {
    let server = Postgres::start("foreign", &["max_connections=100"]);
    let dialect = Dialect {
        url: format!("postgres://bench@{}/postgres", server.address),
        does: &|text| server.does(&[text]),
        says: &|text| server.says(text),
    };
    tables_of_the_user_are_left_alone(&dialect, "(key text PRIMARY KEY, value bytea NOT NULL)");
    // A table that an earlier version made has no comment, and a note.
    server.does(&["COMMENT ON TABLE tiebreak00 IS NULL"]);
    loaded(&dialect.url, &["--reload"]);
}

#[test]
fn tables_of_the_user_in_mariadb_are_left_alone() {
    let server = Mariadb::start("foreign", &[]);
    let dialect = Dialect {
        url: format!("mysql://bench:{PASSWORD}@{}/bench", server.address),
        does: &|text| server.does(&["USE bench", text]),
        says: &|text| server.says(&text.replace("FROM ", "FROM bench.")),
    };
    let columns = "(`key` VARBINARY(24) PRIMARY KEY, `value` VARBINARY(32) NOT NULL)";
    tables_of_the_user_are_left_alone(&dialect, columns);
    server.does(&["USE bench", "ALTER TABLE tiebreak00 COMMENT = ''"]);
    loaded(&dialect.url, &["--reload"]);
}

/// How a store is made to keep a value, what it answers, and how the value is removed.
struct Words {
    set: fn(&str, &str) -> String,
    get: fn(&str) -> String,
    delete: fn(&str) -> String,
}

const MEMCACHED: Words = Words {
    set: |key, value| format!("set {key} 0 0 {}\r\n{value}\r\n", value.len()),
    get: |key| format!("get {key}\r\n"),
    delete: |key| format!("delete {key}\r\n"),
};

const REDIS: Words = Words {
    set: |key, value| format!("SET {key} {value}\r\n"),
    get: |key| format!("GET {key}\r\n"),
    delete: |key| format!("DEL {key}\r\n"),
};

fn keys_of_the_user_are_left_alone(server: &Store, words: &Words) {
    let url = server.url();
    let refused = |key: &str| {
        for more in [&[][..], &["--reload"]] {
            let (code, message) = load(&url, more);
            assert_eq!(code, Some(4), "{message}");
            let named = message.contains(&format!("the key `{key}` was not written by tiebreak"));
            assert!(named && message.contains("rename or remove"), "{message}");
        }
    };
    for key in ["tiebreak00:000000000000", "tiebreak00:000000000199", "tiebreak00:loaded"] {
        server.says(&(words.set)(key, "mine"));
        refused(key);
        let kept = server.says(&(words.get)(key));
        assert!(kept.contains("mine"), "{kept}");
        server.says(&(words.delete)(key));
    }
    // Keys that no load writes do not matter.
    server.says(&(words.set)("tiebreak00:mine", "mine"));
    loaded(&url, &[]);
    // An item may be evicted, the note too: values say themselves whose they are.
    server.says(&(words.delete)("tiebreak00:loaded"));
    loaded(&url, &["--value", "100B"]);
    server.says(&(words.delete)("tiebreak00:loaded"));
    loaded(&url, &["--mix", "incr=1"]);
    server.says(&(words.delete)("tiebreak00:loaded"));
    loaded(&url, &["--mix", "incr=1"]);
    let kept = server.says(&(words.get)("tiebreak00:mine"));
    assert!(kept.contains("mine"), "{kept}");
}

#[test]
fn keys_of_the_user_in_memcached_are_left_alone() {
    keys_of_the_user_are_left_alone(&Store::memcached(&[]), &MEMCACHED);
}

#[test]
fn keys_of_the_user_in_redis_are_left_alone() {
    let server = Store::redis(&[]);
    server.says("RPUSH tiebreak00:000000000003 a b\r\n");
    let (code, message) = load(&server.url(), &[]);
    assert_eq!(code, Some(4), "{message}");
    assert!(message.contains("the key `tiebreak00:000000000003`"), "{message}");
    // The remedy: another database has none of these.
    loaded(&format!("{}/1", server.url()), &[]);
    server.says("DEL tiebreak00:000000000003\r\n");
    keys_of_the_user_are_left_alone(&server, &REDIS);
}
