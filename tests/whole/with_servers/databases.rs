//! `tiebreak compare` on real MariaDB, PostgreSQL and PgBouncer, launched from their
//! recipes.

use crate::common::{BRIEF, TestDirectory, errors, number, rules};
use crate::servers::PASSWORD;
use crate::servers::mariadb::Mariadb;
use serde_json::Value;

fn of<'a>(report: &'a Value, name: &str) -> &'a Value {
    let all = report["contenders"].as_array().expect("contenders");
    all.iter().find(|of| of["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn every_recipe_is_launched_loaded_and_verified() {
    const NAMES: [&str; 6] = [
        "mariadb-memory",
        "mariadb-innodb",
        "postgres",
        "postgres-unlogged",
        "postgres-tmpfs",
        "pgbouncer",
    ];
    let directory = TestDirectory::new();
    let mut words = vec!["compare"];
    words.extend(NAMES);
    words.extend(["--verify", "all", "--connections", "8"]);
    words.extend(BRIEF);
    words.extend(["--keys", "1k"]);
    let (code, report) = directory.report(&words);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    for name in NAMES {
        let of = of(&report, name);
        assert_eq!(of["outcomes"]["ok"], of["operations"], "{name}: {}", of["outcomes"]);
        assert_eq!(of["sent"]["load"], 1000, "{name}");
        assert_eq!(of["store"]["items"], 1000, "{name}: its own table, and no other rows");
        // Not known where other tests took the core away in each piece of it.
        let own = &of["metrics"]["own_cpu_per_operation"]["value"];
        assert!(own.is_null() || number(own) > 0.0, "{name}: {own}");
        let facts = of["target_cost"]["facts"].as_array().expect("facts");
        let durability = |fact: &Value| {
            let line = fact["line"].as_str().unwrap_or("");
            line.contains("fsync o") || line.contains("innodb_flush_log_at_trx_commit ")
        };
        assert!(facts.iter().any(durability), "{name}: {facts:?}");
    }
    // A MEMORY table waits for no disk, InnoDB and PostgreSQL as they come do.
    let cautioned = rules(&report, "caution");
    let differing = cautioned.iter().filter(|rule| **rule == "differing_durability").count();
    assert_eq!(differing, 3, "innodb, postgres and pgbouncer: {cautioned:?}");
}

#[test]
fn a_pool_and_fresh_connections_show_their_phases() {
    let directory = TestDirectory::new();
    let text = "[defaults]\nconnections = 12\nquery = 'SELECT 1'\n\
                [contender.fresh]\nrecipe = 'mariadb-memory'\nreuse = 'never'\n\
                [contender.pooled]\nrecipe = 'mariadb-memory'\n\
                pool = { max = 4, wait = '10s', upkeep = 'reset' }\n\
                [contender.postgres]\nrecipe = 'postgres-tmpfs'\nreuse = 'never'\n";
    std::fs::write(directory.file("e.toml"), text).expect("a file");
    let (code, report) = directory.report(&[&["compare", "e.toml"][..], &BRIEF].concat());
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let (fresh, pooled) = (of(&report, "fresh"), of(&report, "pooled"));
    let time = |of: &Value, phase: &str| of["metrics"][phase]["p50"].as_f64();
    assert!(time(pooled, "acquire_time").is_some_and(|acquire| acquire > 0.0));
    assert_eq!(time(fresh, "acquire_time"), None);
    assert!(time(fresh, "log_in_time").is_some_and(|log_in| log_in > 0.0));
    for of in [fresh, pooled, of(&report, "postgres")] {
        assert!(time(of, "connect_time") > Some(0.0), "{of}");
        assert!(time(of, "connect_time") < time(of, "log_in_time"), "{of}");
    }
    assert!(time(fresh, "prepare_time").is_some_and(|prepare| prepare > 0.0));
    assert_eq!(pooled["connections"]["requested"], 4);
    let planned = &report["plan"]["contenders"][1];
    assert_eq!(planned["reuse"]["pool"]["maintenance"], "reset");
    assert_eq!(planned["database"], "`SELECT 1`, prepared once for each connection");
}

#[test]
fn statements_that_bring_other_rows_are_no_comparison() {
    let directory = TestDirectory::new();
    let text = "[contender.one]\nrecipe = 'postgres-tmpfs'\nquery = 'SELECT 1'\n\
                [contender.two]\nrecipe = 'postgres-tmpfs'\n\
                query = 'SELECT * FROM generate_series(1, 2)'\n\
                [contender.none]\nrecipe = 'postgres-tmpfs'\n\
                query = 'SELECT 1 WHERE false'\n";
    std::fs::write(directory.file("e.toml"), text).expect("a file");
    let more = ["--connections", "4"];
    let (code, report) = directory.report(&[&["compare", "e.toml"][..], &BRIEF, &more].concat());
    assert_eq!(code, 3, "{:#}", report["findings"]);
    let voids = rules(&report, "void");
    assert!(voids.contains(&"differing_replies"), "{voids:?}");
    let none = of(&report, "none");
    assert_eq!(none["outcomes"]["ok"], 0, "no row where rows are wanted: {}", none["outcomes"]);
}

#[test]
fn what_a_database_refuses_ends_the_run_with_its_reason_and_without_the_password() {
    let refused = |address: &str, more: &str, wanted: &str| {
        let directory = TestDirectory::new();
        let text = format!("[contender.b]\n{address}\n{more}");
        std::fs::write(directory.file("e.toml"), text).expect("a file");
        let words = ["run", "e.toml", "--allow-launch", "--out", "run", "--duration", "100ms"];
        let output = directory.tiebreak(&words);
        let stderr = errors(&output);
        assert_eq!(output.status.code(), Some(4), "{stderr}");
        for part in wanted.split('…') {
            assert!(stderr.contains(part), "{stderr}");
        }
        assert!(!stderr.contains("CANARY"), "{stderr}");
        let journal =
            std::fs::read_to_string(directory.file("run/journal.jsonl")).expect("a journal");
        assert!(!journal.contains("CANARY"), "{journal}");
    };
    let launch = |database: &str, login: &str| {
        let mariadb = include_str!("../../../protocols/mysql/recipes/mariadb-memory.toml");
        let (head, files) = mariadb.split_once("[files]").expect("its files");
        let url = "mysql://tiebreak@127.0.0.1:{port}/tiebreak";
        assert!(head.contains(url));
        let head = head.replace(url, &format!("mysql://{login}@127.0.0.1:{{port}}/{database}"));
        (head, format!("[contender.b.files]{files}"))
    };
    for (database, login, wanted) in [
        ("tiebreak", "tiebreak:CANARY", "it rejects the user or the password"),
        ("nowhere", "tiebreak", "it does not allow this user to execute the statement"),
    ] {
        let (head, files) = launch(database, login);
        let head = head.replace("table = \"memory\"\n", "");
        refused(&format!("query = 'SELECT 1'\n{head}"), &files, wanted);
    }
    // Statements need no server of their own.
    let server = Mariadb::start("refused", &[]);
    let url = format!("url = 'mysql://bench:{PASSWORD}@{}/bench'", server.address);
    for (query, wanted) in [
        (
            "SELECT 1 FROM nowhere",
            "refers to a table that does not exist: Table 'bench.nowhere' doesn't exist, at \
             line 1, column 15: SELECT 1 FROM nowhere",
        ),
        (
            "SELECT gone FROM information_schema.tables",
            // Where, MariaDB calls 'field list' or 'SELECT', by its version.
            "refers to a column that does not exist: Unknown column 'gone' in…, at line 1, column \
             8: SELECT gone FROM information_schema.tables",
        ),
        ("SELEKT 1", "cannot parse the statement"),
    ] {
        refused(&url, &format!("query = '{query}'\n"), wanted);
    }
}

#[test]
fn postgres_says_what_is_missing_and_where_in_the_statement() {
    let result = |query: &str| {
        let directory = TestDirectory::new();
        let text = format!("[contender.b]\nrecipe = 'postgres-tmpfs'\nquery = {query:?}\n");
        std::fs::write(directory.file("e.toml"), text).expect("a file");
        let output = directory.tiebreak(&["run", "e.toml", "--duration", "100ms"]);
        assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
        errors(&output)
    };
    let table = result("SELECT 1\nFROM nowhere");
    let wanted = "refers to a table that does not exist: relation \"nowhere\" does not exist, at \
                  line 2, column 6: FROM nowhere";
    assert!(table.contains(wanted), "{table}");
    let column = result("SELECT gone FROM pg_class");
    let wanted = "refers to a column that does not exist: column \"gone\" does not exist, at line \
                  1, column 8: SELECT gone FROM pg_class";
    assert!(column.contains(wanted), "{column}");
}

/// The first operation works: it is the second that is named.
#[test]
fn a_statement_of_an_experiment_file_that_cannot_work_is_reported_before_the_run() {
    for (recipe, wanted) in [
        (
            "postgres-tmpfs",
            "relation \"nowhere\" does not exist, at line 2, column 6: FROM nowhere",
        ),
        (
            "mariadb-memory",
            "Table 'tiebreak.nowhere' doesn't exist, at line 2, column 6: FROM nowhere",
        ),
    ] {
        let directory = TestDirectory::new();
        let text = format!(
            "contenders = ['{recipe}']\n\
             [workload]\nkeys = 10\n\
             setup = ['DROP TABLE IF EXISTS {{item}}', \
             'CREATE TABLE {{item}} (id INTEGER PRIMARY KEY)']\n\
             [[workload.tables]]\nname = 'item'\ncolumns = {{ id = 'key(1)' }}\n\
             [[workload.statements]]\nname = 'there'\n\
             sql = 'SELECT id FROM {{item}} WHERE id = {{id}}'\n\
             parameters = {{ id = 'key(1)' }}\n\
             [[workload.statements]]\nname = 'gone'\n\
             sql = \"SELECT id\\nFROM nowhere WHERE id = {{id}}\"\n\
             parameters = {{ id = 'key(1)' }}\n"
        );
        std::fs::write(directory.file("e.toml"), text).expect("a file");
        let words = ["run", "e.toml", "--duration", "200ms", "--warm-up", "0s"];
        let output = directory.tiebreak(&words);
        let stderr = errors(&output);
        assert_eq!(output.status.code(), Some(4), "{stderr}");
        assert!(
            stderr
                .contains("operation `gone`: the statement refers to a table that does not exist"),
            "{stderr}"
        );
        assert!(stderr.contains(wanted), "{stderr}");
    }
}

#[test]
fn named_workloads_of_statements_are_loaded_driven_and_verified_on_both_databases() {
    for (workload, keys, rows) in [("point-select", "1k", 1000), ("tpcb-like", "200k", 200_022)] {
        let directory = TestDirectory::new();
        let mut words = vec!["compare", "mariadb-innodb", "postgres-tmpfs", "--workload", workload];
        words.extend(BRIEF);
        words.extend(["--keys", keys, "--connections", "2"]);
        let (code, report) = directory.report(&words);
        assert_eq!(code, 0, "{workload}: {:#}", report["findings"]);
        for of in report["contenders"].as_array().expect("two") {
            assert_eq!(of["outcomes"]["ok"], of["operations"], "{workload}: {}", of["outcomes"]);
            assert_eq!(of["sent"]["load"], rows, "{workload}");
            assert_eq!(of["kinds"][0]["operation"], workload, "{}", of["kinds"]);
        }
    }
}

#[test]
fn each_statement_that_selects_is_also_driven_alone() {
    let directory = TestDirectory::new();
    let text = "contenders = ['postgres-tmpfs', 'mariadb-memory']\n[workload]\nkeys = 10\n\
                [[workload.statements]]\nname = 'one'\nsql = 'SELECT {n} + 0'\n\
                parameters = { n = 'uniform(1, 9)' }\n\
                [[workload.statements]]\nname = 'two'\nsql = 'SELECT 2'\n";
    std::fs::write(directory.file("e.toml"), text).expect("a file");
    let (_, report) = directory.report(&[&["compare", "e.toml"][..], &BRIEF].concat());
    assert_eq!(report["plan"]["question"]["requests"], serde_json::json!(["one", "two"]));
    for of in report["contenders"].as_array().expect("two") {
        assert_eq!(of["outcomes"]["ok"], of["operations"], "{}", of["outcomes"]);
        let alone = of["requests"].as_array().expect("a list");
        assert!(alone.iter().all(|of| of["operations"].as_u64() > Some(0)), "{alone:?}");
    }
    let comparisons = report["comparisons"].as_array().expect("a list").iter();
    let alone: Vec<_> = comparisons.filter(|of| of["request"].is_string()).collect();
    assert!(alone.len() == 2 && alone.iter().all(|of| of["replicates"] == 8), "{alone:#?}");
}
