//! Servers that send single bytes for ever: they get no more time than silent ones, and the
//! first signal ends the wait.

use crate::case::{Case, SHORT};
use crate::experiment::Program;
use crate::processes::wait_for;
use crate::{Test, test};

/// What a store or database that is not ready did.
const INCOMPLETE: &str = "is not ready: it sent no complete reply within the timeout";

/// The beginning of a reply in each protocol, which the server sends slowly and never completes, and how
/// the run that waited for it ends.
const PROTOCOLS: [(&str, &str, &str); 5] = [
    ("http", "HTTP/1.1 200 OK\r\nX-Long: ", "was not ready within 1 s: "),
    ("memcached", "VERSION 1.6.18", INCOMPLETE),
    ("redis", "$1000000\r\n", INCOMPLETE),
    ("postgres", "N", "is not ready: it does not speak this protocol there"),
    ("mysql", "\u{1}\u{2}", INCOMPLETE),
];

pub(crate) fn cases() -> Vec<Test> {
    let ends = PROTOCOLS.iter().map(|(scheme, reply, says)| {
        test(&format!("drips::of_{scheme}_are_not_ready"), || late(scheme, reply, says))
    });
    let stops = PROTOCOLS.iter().map(|(scheme, reply, _)| {
        test(&format!("drips::of_{scheme}_end_at_a_signal"), || stop(scheme, reply))
    });
    ends.chain(stops).collect()
}

fn experiment(case: &Case, scheme: &str, reply: &str, ready: &str) {
    case.write("reply", reply);
    let orders = ["drip=1".to_owned(), format!("reply={}", case.path("reply"))];
    let database = if ["postgres", "mysql"].contains(&scheme) { "/app" } else { "" };
    let login = if database.is_empty() { "" } else { "me@" };
    let keys = format!("url = '{scheme}://{login}127.0.0.1:{{port}}{database}'\n{ready}");
    let one = Program::habits(&orders).contender("right", &keys);
    let other = Program::habits(&orders).contender("wrong", &keys);
    case.write("e.toml", format!("{one}{other}"));
}

fn late(scheme: &str, reply: &str, says: &str) {
    let case = Case::new();
    experiment(&case, scheme, reply, "ready = { timeout = '1s' }");
    let ended = case.run(&format!("compare e.toml {SHORT} --timeout 1s"));
    ended.expect(4, &[says]);
    case.left_nothing(true);
}

fn stop(scheme: &str, reply: &str) {
    let case = Case::new();
    experiment(&case, scheme, reply, "ready = { timeout = '10m' }");
    let running = case.start(&format!("compare e.toml {SHORT} --timeout 10m"));
    wait_for("a connection to a server that drips", || {
        ["right", "wrong"].iter().any(|name| {
            let log = std::fs::read_to_string(case.file(&format!("run/logs/{name}.log")));
            log.is_ok_and(|log| log.contains("dripping"))
        })
    });
    running.signal(libc::SIGINT);
    running.wait().expect(3, &["stopped before the first round: no verdict"]);
    case.left_nothing(true);
}
