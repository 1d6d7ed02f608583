//! User-defined operations in an experiment file: what is read, and what is refused with
//! its place.

use crate::plan::WorkloadSettings;
use crate::plan::experiment::{Experiment, FileText};
use crate::scratch::Scratch;
use protocol::Error;
use record::{Generator, OperationText, Parameter, Rows};
use std::path::Path;

/// A workload with everything that statements can have.
pub(super) const STATEMENTS: &str = r#"
keys = "10k"
setup = ["CREATE TABLE {accounts} (id INTEGER)"]
[[tables]]
name = "accounts"
columns = { id = "key(1)", c = "text(20)" }
[[tables]]
name = "branches"
keys_per_row = 100
columns = { id = "key(1)" }
[[statements]]
name = "read"
weight = 9
sql = "SELECT c FROM {accounts} WHERE id = {id} OR id = {id}"
parameters = { id = "key(1)" }
rows = 1
returns = "accounts.c"
[[statements]]
sql = ["UPDATE {branches} SET c = {value} WHERE id = {id}", "DELETE FROM {table}"]
parameters = { id = "row(branches)" }
at_least = [1, 0]
[[statements]]
name = "push"
command = "LPUSH {key} '{tag} {number}'"
parameters = { tag = "pick('a', 'b')" }
"#;

/// A workload with everything that requests can have, except feeds.
pub(super) const REQUESTS: &str = r#"
[[requests]]
name = "look"
weight = 0.5
path = "/users/{id}"
query = { q = "{term}" }
headers = { X-Of = "{id}" }
parameters = { id = "zipf(1000, 0.99)", term = "text(1, 9)" }
[[requests]]
method = "PUT"
path = "/"
query = "a=1"
body = '{"id":{number}}'
"#;

fn read_at(directory: &Path, text: &str) -> Result<WorkloadSettings, Error> {
    let text = format!("[contender.a]\nurl = 'http://h/'\n[workload]\n{}", nested(text));
    let file = FileText { path: directory.join("e.toml"), text };
    let token = |name: &str| (name == "TOKEN").then(|| "CANARY".into());
    let parsed = Experiment::parse(&file, None, &token);
    parsed.map(|experiment| experiment.run.workload)
}

/// Renames the tables of a workload to what they are called in a file that contains it.
fn nested(text: &str) -> String {
    text.replace("[[", "[[workload.").replace("\n[f", "\n[workload.f")
}

fn parameter(name: &str, from: &str) -> Parameter {
    Parameter { name: name.to_owned(), from: from.parse::<Generator>().expect("a generator") }
}

#[test]
fn statements_are_read_with_what_they_expect() {
    let scratch = Scratch::new();
    let directory = scratch.path();
    let custom = read_at(directory, STATEMENTS).map_err(|error| error.text).expect("good").custom;
    assert_eq!(custom.weights, [9.0, 1.0, 1.0]);
    let [read, second, push] = &custom.definition.operations[..] else { panic!("three") };
    let names = [&read.name, &second.name, &push.name];
    assert_eq!(names, ["read", "statement 2", "push"]);
    let OperationText::Sql(statements) = &read.says else { panic!("{read:?}") };
    assert_eq!(statements[0].rows, Rows::Exactly(1));
    assert_eq!(statements[0].returns.as_deref(), Some("accounts.c"));
    let OperationText::Sql(statements) = &second.says else { panic!("{second:?}") };
    let rows: Vec<Rows> = statements.iter().map(|statement| statement.rows).collect();
    assert_eq!(rows, [Rows::AtLeast(1), Rows::AtLeast(0)]);
    assert_eq!(
        second.parameters,
        [parameter("id", "row(branches)"), parameter("value", "value()")]
    );
    let implied = [
        parameter("tag", "pick('a', 'b')"),
        parameter("key", "name()"),
        parameter("number", "seq()"),
    ];
    assert_eq!(push.parameters, implied);
    let definition = &custom.definition;
    assert_eq!((definition.tables[1].rows(10_000), definition.setup.len()), (100, 1));
}

#[test]
fn requests_keep_their_secrets_to_themselves() {
    let scratch = Scratch::new();
    let directory = scratch.path();
    let text = format!("{REQUESTS}headers = {{ Token = \"${{TOKEN}} {{key}}\" }}\n");
    let custom = read_at(directory, &text).map_err(|error| error.text).expect("good").custom;
    assert_eq!(custom.requests[1].headers[0].1, b"CANARY {key}");
    let OperationText::Request { method, target, header_names, body_bytes } =
        &custom.definition.operations[1].says
    else {
        panic!("a request")
    };
    assert_eq!((method.as_str(), target.as_str(), *body_bytes), ("PUT", "/?a=1", 15));
    assert_eq!(header_names, &["Token"]);
    assert_eq!(custom.requests[0].target.as_deref(), Some("/users/{id}?q={term}"));
    assert!(!format!("{custom:?}").contains("CANARY"));
}

#[test]
fn feeds_are_read_and_their_columns_are_places() {
    let scratch = Scratch::new();
    let directory = scratch.path();
    std::fs::write(directory.join("u.csv"), "name,note\nAnn,\"a\nb\"\n").expect("a file");
    let with = |rest: &str| read_at(directory, &format!("feeds = {{ u = 'u.csv' }}\n{rest}"));
    let custom =
        with("[[requests]]\npath = '/{u.name}'").map_err(|error| error.text).expect("good");
    let feed = &custom.custom.definition.feeds[0];
    assert_eq!((feed.rows, feed.file.as_str(), feed.hash.len()), (1, "u.csv", 16));
    for (rest, message) in [
        (
            "[[requests]]\npath = '/'\nheaders = { X = '{u.note}' }",
            ":7: workload.requests[0].headers.X: feed(\"u\", \"note\") may contain line ends or \
             arbitrary bytes",
        ),
        (
            "[[requests]]\npath = '/{u.mail}'",
            ":6: workload.requests[0].path: the feed `u` has no column `mail`: name, note",
        ),
        ("", ":4: workload.feeds: requires custom operations: add [[workload.statements]]"),
    ] {
        let error = with(rest).expect_err(message).text;
        assert!(error.contains(message), "{error}");
    }
    std::fs::write(directory.join("u.csv"), "name,note\nAnn\n").expect("a file");
    let error = with("").expect_err("a short line").text;
    assert!(
        error.ends_with(
            ":4: workload.feeds.u: u.csv:2: has 1 cells, but the first line names 2 columns"
        ),
        "{error}"
    );
}

#[test]
fn what_is_wrong_is_reported_with_its_place() {
    let scratch = Scratch::new();
    let directory = scratch.path();
    let sql = "[[statements]]\nsql = ";
    for (text, message) in [
        ("statements = []", ":4: workload.statements: the list is empty: leave it out"),
        ("statements = [{}]", ":4: workload.statements[0]: requires either `sql`"),
        ("statements = [{ command = 'PING', sqll = 1 }]", ".sqll: this key is not known"),
        (
            "[[statements]]\ncommand = 'PING'\n[[requests]]\npath = '/'",
            "workload.requests[0]: a workload has statements or requests, not both",
        ),
        (
            "[[statements]]\ncommand = 'GET {idd}'\nparameters = { id = 'key()' }",
            ":5: workload.statements[0].command: `{idd}` is not a parameter: id, key, value, \
             number; did you mean `id`?",
        ),
        (
            "[[statements]]\ncommand = 'PING'\nparameters = { id = 'key()' }",
            ":4: workload.statements[0]: the parameter `id` is not used: write {id}",
        ),
        (
            "[[statements]]\ncommand = 'GET {id}'\nparameters = { id = 'unifrom(1, 2)' }",
            ":6: workload.statements[0].parameters.id: `unifrom(1, 2)` is not a generator; use one of",
        ),
        (
            "[[statements]]\ncommand = 'GET {key}'\nparameters = { key = 'key()' }",
            "parameters.key: the name of a parameter must consist of letters, digits and _, and \
             must not be key",
        ),
        ("[[statements]]\ncommand = 'SELECT 3'", "`SELECT` would change the connection"),
        ("[[statements]]\ncommand = 'PING'\nrows = 1", ".rows: requires SQL statements"),
        (&format!("{sql}'BEGIN'"), "`BEGIN` is sent by tiebreak itself: the statements of a list"),
        (
            &format!("{sql}\"SELECT '{{key}}'\""),
            "a placeholder must not be in quotes: write {name}",
        ),
        (&format!("{sql}'SELECT ${{TOKEN}}'"), "is not filled in: this text is recorded"),
        (&format!("{sql}['SELECT 1', 'SELECT 2']\nrows = [1]"), "has 1 numbers for 2"),
        (&format!("{sql}'SELECT 1'\nrows = 1\nat_least = 1"), "`rows` is the exact number of rows"),
        (&format!("{sql}'SELECT 1'\nreturns = 'a.b'"), "must be TABLE.COLUMN of one of"),
        (&format!("{sql}'SELECT 1'\nweight = 0"), "`0` is not a weight"),
        ("[[requests]]\nquery = 'a=1'", "requires `path`"),
        ("[[requests]]\npath = 'x'", ":4: workload.requests[0]: "),
        ("[[requests]]\npath = '/'\nmethod = 'G T'", ":4: workload.requests[0]: "),
        (
            "[[requests]]\npath = '/'\nheaders = { X = '{value}' }",
            ".headers.X: value() may contain line ends or arbitrary bytes",
        ),
        ("feeds = { u = 'none.csv' }", ":4: workload.feeds.u: the feed none.csv: cannot be read"),
        ("[[tables]]\nname = 'a b'", "must be a unique name of letters, digits and _"),
        ("setup = ['x {key}']", "setup runs once, so it can contain no placeholders except tables"),
    ] {
        let error = read_at(directory, text).err().unwrap_or_else(|| panic!("taken:\n{text}")).text;
        assert!(error.contains(message), "{text}\n{error}");
        assert!(!error.contains("CANARY"), "{error}");
    }
}
