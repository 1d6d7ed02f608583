//! Canaries in addresses, headers, bodies and the environment: nothing that tiebreak writes,
//! prints or starts contains them, whatever the target prints.

use crate::case::{Case, Ended, LONG, SHORT};
use crate::experiment::{Program, attached};
use crate::targets::OwnServer;
use crate::{Test, test};
use std::fs;
use std::path::Path;

/// Where each of them is planted.
const CANARIES: [(&str, &str); 7] = [
    ("the password in the address", "CANARY-password"),
    ("the query of the address", "CANARY-query"),
    ("a header of the file", "CANARY-header"),
    ("a bearer token", "CANARY-bearer"),
    ("the environment", "CANARY-environment"),
    ("a comment and the body in the file", "CANARY-body"),
    ("the login as the request has it", LOGIN),
];

/// `user:CANARY-password` in base64.
const LOGIN: &str = "dXNlcjpDQU5BUlktcGFzc3dvcmQ=";

const ENVIRONMENT: (&str, &str) = ("CASE_TOKEN", "CANARY-environment");

const KEYS: &str = "
# CANARY-body
headers = { X-Key = 'CANARY-header', X-Bearer = 'Bearer CANARY-bearer', X-Token = '${CASE_TOKEN}' }
data = 'CANARY-body'
";

const LAUNCHED: &str = "
url = 'http://user:CANARY-password@127.0.0.1:{port}/x?key=CANARY-query&n=1'
env = { TOKEN = '${CASE_TOKEN}' }
facts = [['sh', '-c', 'echo version 1.2 $TOKEN']]
prepare = [['sh', '-c', 'echo preparing $TOKEN; cat {temp}/conf']]
files = { conf = 'token ${CASE_TOKEN}' }
";

pub(crate) fn cases() -> Vec<Test> {
    vec![
        test("secrets::of_a_target_that_prints_them_all", || prints(SHORT, "", 0)),
        test("secrets::of_a_target_that_dies_with_them", || prints(LONG, "die=3000", 4)),
        test("secrets::after_sigkill_of_tiebreak", || killed("tiebreak")),
        test("secrets::after_sigkill_of_a_keeper", || killed("keeper")),
        test("secrets::that_were_typed_stay_where_they_were_typed", typed),
        test("secrets::of_attached_targets", of_attached),
        test("secrets::are_not_shown_by_check", check),
    ]
}

/// Two contenders that print their environment and every request.
fn experiment(case: &Case, order: &str) {
    let orders: Vec<String> = ["echo=1", order].iter().map(|order| (*order).to_owned()).collect();
    let keys = format!("{KEYS}{LAUNCHED}");
    let wrong = Program::habits(&orders).contender("wrong", &keys);
    let right = Program::habits(&orders[..1]).contender("right", &keys);
    case.write("e.toml", format!("{right}{wrong}"));
}

fn command(case: &Case) -> std::process::Command {
    let mut command = case.command(env!("CARGO_BIN_EXE_tiebreak"), "tiebreak");
    command.env(ENVIRONMENT.0, ENVIRONMENT.1);
    command
}

fn prints(length: &str, order: &str, code: i32) {
    let case = Case::new();
    experiment(&case, order);
    let ended = case.start_as(command(&case), &format!("compare e.toml {length}")).wait();
    ended.expect(code, &[]);
    case.left_nothing(true);
    let log = case.read("run/logs/wrong.log");
    for printed in ["POST /x?key=***", "\nX-Key: ***", "\nTOKEN=***", "\nAuthorization: Basic ***"]
    {
        assert!(log.contains(printed), "the target did not print `{printed}`");
    }
    shows_none(&ended, &[]);
}

fn killed(whom: &str) {
    let case = Case::new();
    experiment(&case, "");
    let running = case.start_as(command(&case), &format!("compare e.toml {LONG}"));
    running.wait_for_rounds(2);
    match whom {
        "tiebreak" => running.signal(libc::SIGKILL),
        _ => {
            let mut keepers = case.running().into_iter();
            let keeper = keepers.find(|process| process.command() == " tiebreak __keeper ");
            keeper.expect("a keeper").kill(libc::SIGKILL);
        }
    }
    let ended = running.wait();
    case.left_nothing(false);
    shows_none(&ended, &[]);
}

/// What the user typed is in tiebreak's own arguments and nowhere else.
fn typed() {
    let case = Case::new();
    let orders = ["echo=1".to_owned()];
    let right = Program::habits(&orders).contender("right", "");
    let wrong = Program::habits(&orders).contender("wrong", "");
    case.write("e.toml", format!("{right}{wrong}"));
    let mut command = command(&case);
    command.args(["compare", "e.toml", "-H", "X-Key: CANARY-header"]);
    command.args(["--set", "wrong.header=X-Bearer: Bearer CANARY-bearer"]);
    let ended = case.start_as(command, SHORT).wait();
    ended.expect(0, &[]);
    case.left_nothing(true);
    shows_none(&ended, &["CANARY-header", "CANARY-bearer"]);
}

fn of_attached() {
    let case = Case::new();
    let (a, a_port) = OwnServer::start(&case, "a", &Program::testserver(""));
    let (b, b_port) = OwnServer::start(&case, "b", &Program::testserver(""));
    let login = "http://user:CANARY-password@127.0.0.1";
    let of = |name, port| attached(name, port, KEYS).replace("http://127.0.0.1", login);
    let text = of("a", a_port) + &of("b", b_port).replace("/'", "/?key=CANARY-query'");
    case.write("e.toml", text);
    let ended = case.start_as(command(&case), &format!("compare e.toml {SHORT}")).wait();
    a.end();
    b.end();
    ended.expect(0, &[]);
    case.left_nothing(true);
    shows_none(&ended, &[]);
}

fn check() {
    let case = Case::new();
    experiment(&case, "");
    let ended = case.start_as(command(&case), "check e.toml").wait();
    ended.expect(0, &[]);
    assert!(ended.out.contains("TOKEN=${CASE_TOKEN}"), "{}", ended.out);
    assert!(!case.file("run").exists());
    shows_none(&ended, &[]);
}

/// Checks that no file of the run, nothing on the terminal, and no arguments of any process
/// contain a canary; those in `typed` are in tiebreak's own arguments.
fn shows_none(ended: &Ended<'_>, typed: &[&str]) {
    let mut texts = vec![
        ("standard output".to_owned(), ended.out.clone()),
        ("standard error".to_owned(), ended.err.clone()),
    ];
    collect(&ended.case.file("run"), &mut texts);
    let main = ended.case.seen().main.clone();
    for (process, command) in &ended.case.seen().commands {
        let mut command = command.clone();
        if Some(process) == main.as_ref() {
            for canary in typed {
                command = command.replace(canary, "");
            }
        }
        texts.push((format!("arguments of {process:?}"), command));
    }
    for (directory, text) in &texts {
        for (planted, canary) in CANARIES {
            assert!(!text.contains(canary), "{planted} is in {directory}");
        }
    }
}

fn collect(directory: &Path, texts: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, texts);
        } else {
            let bytes = fs::read(&path).expect("a file of the run");
            texts.push((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
}
