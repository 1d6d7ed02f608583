//! Targets that fail: each counts against its contender, or ends the run.

use crate::case::{Case, Ended, LONG, Running, SHORT};
use crate::counts::whole;
use crate::experiment::{Program, attached};
use crate::processes::{Process, wait_for};
use crate::{Test, test};
use record::Histogram;
use serde_json::Value;
use std::process::Child;

/// One row: how the server of `wrong` fails, and the result.
struct Fault {
    name: &'static str,
    /// Keys of its contender.
    keys: &'static str,
    /// Additional arguments of tiebreak.
    words: &'static str,
    /// How long the run is.
    length: &'static str,
    server: Server,
    disturbance: Disturbance,
    code: i32,
    /// The end in the journal.
    end: &'static str,
    /// On standard error.
    says: &'static [&'static str],
    check: fn(&Ended<'_>),
}

#[derive(Clone, Copy)]
enum Server {
    /// tiebreak's own test server, with these flags.
    Test(&'static str),
    /// The server that misbehaves on demand; it counts in the file `counts`.
    Habits(&'static [&'static str]),
    /// Some program.
    Other(&'static [&'static str]),
}

#[derive(Clone, Copy, PartialEq)]
enum Disturbance {
    Nothing,
    /// The server gets this signal after some rounds.
    Signal(i32),
}

/// [`SHORT`], with rounds of 800 ms.
const LONGER: &str = "--round 800ms --rounds 6 --slice 25ms --warm-up 100ms --pilot 200ms \
                      --connections 4 --out run";

/// For targets that would never be ready.
const QUICKLY: &str = "ready = { timeout = '400ms' }";

/// For targets that must have begun to answer by then, also on a busy machine.
const IN_3_S: &str = "ready = { timeout = '3s' }";

const BASE: Fault = Fault {
    name: "",
    keys: "",
    words: "",
    length: SHORT,
    server: Server::Test(""),
    disturbance: Disturbance::Nothing,
    code: 0,
    end: "complete",
    says: &[],
    check: |_| {},
};

/// It ends the run.
const FAILED: Fault = Fault { code: 4, end: "target_failed", ..BASE };

/// It ends the run before anything was driven.
const NEVER_READY: Fault = Fault { check: nothing_driven, ..FAILED };

/// Targets that are launched.
const LAUNCHED: &[Fault] = &[
    Fault { name: "is_sound", check: sound, ..BASE },
    Fault {
        name: "never_listens",
        keys: QUICKLY,
        server: Server::Other(&["sleep", "1000"]),
        says: &["`wrong`: it was not ready within 400 ms: it refused the connection"],
        ..NEVER_READY
    },
    Fault {
        name: "never_answers",
        keys: IN_3_S,
        server: Server::Test("--never-reply"),
        says: &["`wrong`: it was not ready within 3 s: it did not answer", "wrong.log says:"],
        ..NEVER_READY
    },
    Fault {
        name: "answers_503_for_ever",
        keys: IN_3_S,
        server: Server::Test("--status 503"),
        says: &["`wrong`: it was not ready within 3 s: it answers with status 503"],
        ..NEVER_READY
    },
    Fault {
        name: "resets_every_request",
        keys: IN_3_S,
        server: Server::Test("--reset-nth 1"),
        says: &["`wrong`: it was not ready within 3 s: it reset the connection"],
        ..NEVER_READY
    },
    Fault {
        name: "exits_at_once",
        server: Server::Other(&["sh", "-c", "seq 40; echo last words >&2; exit 7"]),
        says: &[
            "`wrong`: it exited with status 7 before it was ready; ",
            "wrong.log ends with:\n  12\n  13\n",
            "\n  40\n  last words\n",
        ],
        ..NEVER_READY
    },
    Fault {
        name: "exits_at_once_and_in_silence",
        server: Server::Other(&["true"]),
        says: &[
            "it exited with status 0 before it was ready; a target must stay in the foreground",
        ],
        ..NEVER_READY
    },
    Fault {
        name: "dies_in_mid_run",
        server: Server::Habits(&[]),
        disturbance: Disturbance::Signal(libc::SIGKILL),
        says: &["`wrong`: it was ended by SIGKILL", "wrong.log says:\n  listening on"],
        check: died,
        ..FAILED
    },
    Fault {
        name: "ends_itself_in_mid_run",
        length: LONG,
        server: Server::Habits(&["die=3000"]),
        says: &["`wrong`: it exited with status 3", "wrong.log says:\n  listening on"],
        check: |ended| assert!(ended.report()["complete_rounds"].is_u64()),
        ..FAILED
    },
    Fault {
        name: "freezes_for_ever",
        words: "--timeout 500ms",
        server: Server::Habits(&[]),
        disturbance: Disturbance::Signal(libc::SIGSTOP),
        says: &["stopped answering: no operation in round", "no operation in", " timeout)"],
        check: froze,
        ..FAILED
    },
    Fault {
        name: "freezes_for_ever_at_a_rate",
        words: "--timeout 500ms --rate 400/s",
        server: Server::Habits(&[]),
        disturbance: Disturbance::Signal(libc::SIGSTOP),
        says: &["stopped answering: no operation in round", "no operation in", " timeout)"],
        check: froze_at_a_rate,
        ..FAILED
    },
    RESETS,
    GARBAGE,
    CUT,
    REFUSES,
    Fault {
        name: "is_launched_afresh_six_times",
        length: SIX_LAUNCHES,
        server: Server::Habits(&[]),
        check: launched_afresh,
        ..BASE
    },
    Fault {
        name: "is_not_ready_at_its_second_launch",
        keys: QUICKLY,
        length: SIX_LAUNCHES,
        server: Server::Other(&["sh", "-c", SECOND, "sh"]),
        says: &["`wrong`: it was not ready within 400 ms: it refused the connection"],
        check: |ended| {
            let report = ended.report();
            assert_eq!(report["complete_rounds"], 1, "the first launch stands");
            let launches = ended.journal().into_iter().filter(|(kind, _)| kind == "target");
            assert!((2..=3).contains(&launches.count()));
        },
        ..FAILED
    },
];

/// Six launches of one round.
const SIX_LAUNCHES: &str = "--round 50ms --rounds 1 --launches 6 --slice 25ms --warm-up 50ms \
                        --pilot 100ms --connections 4 --out run";

/// Serves once; later it only waits.
const SECOND: &str =
    "mkdir once 2>/dev/null || exec sleep 1005; exec TIEBREAK testserver --listen 127.0.0.1:PORT";

const RESETS: Fault = Fault {
    name: "resets_one_in_fifty",
    server: Server::Test("--reset-nth 50"),
    code: 3,
    check: |ended| failed_as_counted(ended, "reset", "resets"),
    ..BASE
};

const GARBAGE: Fault = Fault {
    name: "sends_garbage_once_in_fifty",
    server: Server::Test("--garbage-nth 50"),
    code: 3,
    check: |ended| failed_as_counted(ended, "protocol", "garbage"),
    ..BASE
};

const CUT: Fault = Fault {
    name: "cuts_one_reply_in_fifty",
    server: Server::Test("--truncate-nth 50"),
    code: 3,
    check: |ended| failed_as_counted(ended, "closed", "truncated"),
    ..BASE
};

const REFUSES: Fault = Fault {
    name: "refuses_every_other_connection",
    keys: "reuse = 'never'",
    server: Server::Test("--refuse-nth 2 --delay 0ms"),
    code: 3,
    check: refused,
    ..BASE
};

/// Targets that run already.
const ATTACHED: &[Fault] = &[
    Fault { name: "is_sound", check: sound, ..BASE },
    Fault {
        name: "never_answers",
        words: "--timeout 300ms",
        server: Server::Test("--never-reply"),
        says: &["`wrong` (http://127.0.0.1:", "is not ready: it sent no complete reply within"],
        check: |ended| {
            assert_eq!(ended.counts(1).failed("timeout"), 1, "one request, and it was enough");
        },
        ..FAILED
    },
    Fault {
        name: "dies_in_mid_run",
        server: Server::Habits(&[]),
        disturbance: Disturbance::Signal(libc::SIGKILL),
        says: &[
            "`wrong` (http://127.0.0.1:",
            "stopped answering: no operation in round",
            " refused",
        ],
        check: died,
        ..FAILED
    },
    Fault {
        name: "freezes_for_ever",
        words: "--timeout 500ms",
        server: Server::Habits(&[]),
        disturbance: Disturbance::Signal(libc::SIGSTOP),
        says: &["stopped answering: no operation in round", "no operation in", " timeout)"],
        check: froze,
        ..FAILED
    },
    RESETS,
    GARBAGE,
    CUT,
    Fault {
        name: "refuses_every_other_connection_that_persists",
        // Two of four connections are refused in each round. On a busy machine this is seen in a
        // slice and fails an operation, so a round has more than a thousand of them.
        length: LONGER,
        server: Server::Test("--refuse-nth 2 --delay 0ms"),
        // Connections that were refused at rest are not a fault.
        check: |ended| {
            let (counts, server) = (ended.counts(1), ended.server("wrong"));
            assert!(whole(&server["refused"]) > 2, "{server}");
            assert_eq!(counts.replies, whole(&server["replies"]), "{counts:?}\n{server}");
            assert!(counts.failures() <= whole(&server["refused"]), "{counts:?}\n{server}");
        },
        ..BASE
    },
];

pub(crate) fn cases() -> Vec<Test> {
    let launched = LAUNCHED
        .iter()
        .map(|fault| test(&format!("targets::launched::{}", fault.name), || launched(fault)));
    let attached = ATTACHED
        .iter()
        .map(|fault| test(&format!("targets::attached::{}", fault.name), || attached_case(fault)));
    launched.chain(attached).collect()
}

impl Server {
    fn program(self, case: &Case) -> Program {
        match self {
            Server::Test(flags) => Program::testserver(flags),
            Server::Habits(orders) => {
                let own = [format!("count={}", case.path("counts")), "contender=wrong".to_owned()];
                let orders = orders.iter().map(|order| (*order).to_owned());
                Program::habits(&orders.chain(own).collect::<Vec<_>>())
            }
            Server::Other(argv) => {
                let us = env!("CARGO_BIN_EXE_tiebreak");
                let argv: Vec<String> =
                    argv.iter().map(|part| part.replace("TIEBREAK", us)).collect();
                Program::other(&argv.iter().map(String::as_str).collect::<Vec<_>>())
            }
        }
    }
}

fn launched(fault: &Fault) {
    let case = Case::new();
    let right = Program::testserver("").contender("right", "");
    let wrong = fault.server.program(&case).in_company().contender("wrong", fault.keys);
    case.write("e.toml", format!("expect_different = true\n{right}{wrong}"));
    let ended = drive(&case, fault);
    case.left_nothing(true);
    verify(fault, &ended);
}

/// A server that this test starts and ends.
pub(crate) struct OwnServer(Child);

impl OwnServer {
    pub(crate) fn start(case: &Case, name: &str, program: &Program) -> (OwnServer, u16) {
        let argv = program.argv("0");
        let child = case.command(&argv[0], name).args(&argv[1..]).spawn().expect("it starts");
        let own = OwnServer(child);
        let mut port = None;
        wait_for("a server that listens", || {
            let text = case.read(&format!("{name}.out"));
            let line = text.lines().find_map(|line| line.strip_prefix("listening on 127.0.0.1:"));
            port = line.and_then(|port| port.parse().ok());
            port.is_some()
        });
        (own, port.expect("just seen"))
    }

    pub(crate) fn end(mut self) {
        let process = Process::find(self.0.id() as i32).expect("our child");
        if process.runs() {
            // A server that was stopped by a signal must not continue.
            process.kill(if process.stands_still() { libc::SIGKILL } else { libc::SIGTERM });
        }
        self.0.wait().expect("our child");
    }
}

fn attached_case(fault: &Fault) {
    let case = Case::new();
    let (right, port) = OwnServer::start(&case, "right", &Program::testserver(""));
    let (wrong, wrong_port) = OwnServer::start(&case, "wrong", &fault.server.program(&case));
    let text = attached("right", port, "") + &attached("wrong", wrong_port, fault.keys);
    case.write("e.toml", format!("expect_different = true\n{text}"));
    let ended = drive(&case, fault);
    right.end();
    wrong.end();
    case.left_nothing(true);
    verify(fault, &ended);
}

/// A run that ends by its fault may have any number of rounds.
fn drive<'a>(case: &'a Case, fault: &Fault) -> Ended<'a> {
    let length = if fault.disturbance == Disturbance::Nothing { fault.length } else { LONG };
    let running = case.start(&format!("compare e.toml {length} {}", fault.words));
    if let Disturbance::Signal(signal) = fault.disturbance {
        running.wait_for_rounds(6);
        server_of(&running).kill(signal);
    }
    running.wait()
}

fn server_of(running: &Running<'_>) -> Process {
    running.case.process(&[" __server ", " contender=wrong "])
}

fn verify(fault: &Fault, ended: &Ended<'_>) {
    ended.expect(fault.code, fault.says);
    assert_eq!(ended.end(), fault.end);
    if ended.counts(1).trials > 0 {
        ended.adds_up();
        assert!(ended.case.file("run/report.html").exists());
    }
    // Whatever the other did, this one is complete.
    if ended.counts(0).trials > 0 {
        assert_eq!(ended.counts(0).failures(), 0);
        ended.server_agrees(0, "right");
    }
    (fault.check)(ended);
}

/// Every launch's requests are in its counts, and each had a port of its own.
fn launched_afresh(ended: &Ended<'_>) {
    let (counts, (read, answered)) = (ended.counts(1), habits_counted(ended));
    assert_eq!((counts.sent, counts.failures()), (read, 0), "{counts:?}");
    assert_eq!(read, answered);
    let mut ports = ended.case.ports("wrong");
    ports.dedup();
    assert_eq!(ports.len(), 6, "{ports:?}");
    assert_eq!(ended.report()["complete_rounds"], 6);
}

fn sound(ended: &Ended<'_>) {
    let counts = ended.counts(1);
    ended.server_agrees(1, "wrong");
    assert_eq!((counts.failures(), counts.unfinished), (0, 0), "{counts:?}");
    assert_eq!(ended.report()["complete_rounds"], 6);
    report_agrees(ended);
}

/// All five numbers of the report make what the server counted.
fn report_agrees(ended: &Ended<'_>) {
    let report = ended.report();
    for (at, name) in ["right", "wrong"].iter().enumerate() {
        let sent = crate::common::sent(&report["contenders"][at]);
        assert_eq!(sent, whole(&ended.server(name)["requests"]), "{name}");
    }
}

/// Checks that nothing was measured: there is a journal that says why, and no report.
fn nothing_driven(ended: &Ended<'_>) {
    let kinds: Vec<String> = ended.journal().into_iter().map(|(kind, _)| kind).collect();
    assert!(!kinds.iter().any(|kind| kind == "trial"), "{kinds:?}");
    assert!(!ended.case.file("run/report.json").exists() && ended.out.is_empty(), "{}", ended.out);
}

/// Checks that as many operations failed, and in this class alone, as the server spoilt.
fn failed_as_counted(ended: &Ended<'_>, class: &str, counted: &str) {
    ended.server_agrees(1, "wrong");
    let (counts, server) = (ended.counts(1), ended.server("wrong"));
    assert!(whole(&server[counted]) > 6, "{server}");
    assert_eq!(counts.failed(class), whole(&server[counted]), "{counts:?}\n{server}");
    assert_eq!(counts.failures(), counts.failed(class), "{counts:?}");
    assert_eq!(counts.replies + counts.asked_at_launch, whole(&server["replies"]), "{counts:?}");
    assert!(ended.findings("void").contains(&"non_success".to_owned()));
}

/// Every other fresh connection was reset: those operations failed, and the
/// server read requests on the others alone.
fn refused(ended: &Ended<'_>) {
    let (counts, server) = (ended.counts(1), ended.server("wrong"));
    let of = |key: &str| whole(&server[key]);
    assert!(of("refused") > 6, "{server}");
    // The launch's own question is the first connection, which is taken.
    assert_eq!(counts.failures(), of("refused"), "{counts:?}\n{server}");
    // As the reset comes before or behind the request.
    let known = counts.failed("reset") + counts.failed("closed");
    assert_eq!(known, counts.failures(), "{counts:?}");
    assert_eq!(counts.replies + counts.asked_at_launch, of("replies"), "{counts:?}\n{server}");
    assert!(ended.findings("void").contains(&"non_success".to_owned()));
}

/// Returns how many requests the server read and answered.
fn habits_counted(ended: &Ended<'_>) -> (u64, u64) {
    let counts = ended.case.read("counts");
    let of = |what: char| counts.chars().filter(|c| *c == what).count() as u64;
    (of('r'), of('a'))
}

/// Four connections: four requests at most were under way when it died, or
/// stood still.
const UNDER_WAY: u64 = 4;

/// One that dies can lose the four that were dialled at once in their place,
/// too, as long as its listener is there.
const LOST: u64 = 2 * UNDER_WAY;

fn died(ended: &Ended<'_>) {
    let (counts, (read, answered)) = (ended.counts(1), habits_counted(ended));
    let replies = counts.replies + counts.asked_at_launch;
    assert!((answered..=answered + UNDER_WAY).contains(&replies), "{answered} {counts:?}");
    assert!((read..=read + LOST).contains(&counts.sent), "{read} {counts:?}");
    let known = ["refused", "reset", "closed"].map(|class| counts.failed(class));
    assert_eq!(counts.failures(), known.iter().sum::<u64>(), "{counts:?}");
    assert!(counts.failed("refused") > 0, "{counts:?}");
    assert!(known[1] + known[2] <= LOST, "{counts:?}");
    assert!(whole(&ended.report()["complete_rounds"]) >= 3);
}

/// Every request after the freeze timed out.
fn froze(ended: &Ended<'_>) {
    let (counts, (read, answered)) = (ended.counts(1), habits_counted(ended));
    let replies = counts.replies + counts.asked_at_launch;
    assert!((answered..=answered + UNDER_WAY).contains(&replies), "{answered} {counts:?}");
    assert_eq!(counts.failures(), counts.failed("timeout"), "{counts:?}");
    assert!(counts.failed("timeout") >= UNDER_WAY, "{counts:?}");
    let waited = counts.failed("timeout") + counts.unfinished;
    assert_eq!(counts.sent, replies + waited, "every request is accounted for: {counts:?}");
    assert!(read <= counts.sent, "{read} {counts:?}");
    timeouts_are_kept(ended);
}

/// A timeout has a latency, "at least so long", unless it was due in the
/// burn-in; no other failure has one.
fn timeouts_are_kept(ended: &Ended<'_>) {
    for (kind, trial) in ended.journal() {
        if kind != "trial" || trial["contender"] != 1 {
            continue;
        }
        let seen = &trial["seen"];
        let of = |key: &str| whole(&seen[key]);
        let samples = histogram(seen, "response_time").len();
        // Operations that were never sent have a lower bound of theirs.
        let unsent = seen["unsent_times"].as_u64().unwrap_or(0);
        let with_times = samples + of("burn_in_excluded") + of("without_latency");
        assert_eq!(of("operations") + unsent, with_times, "{seen}");
        assert_eq!(of("without_latency"), 0, "nothing but timeouts failed: {seen}");
    }
}

fn histogram(seen: &Value, of: &str) -> Histogram {
    Histogram::decode(seen[of].as_str().expect("a histogram")).expect("decodes")
}

/// At a rate, most of what times out was due behind the burn-in. What was due
/// and found no connection within the timeout was never sent, and is counted.
fn froze_at_a_rate(ended: &Ended<'_>) {
    froze(ended);
    let late = ended.journal().into_iter().filter(|(kind, trial)| {
        kind == "trial" && trial["contender"] == 1 && {
            histogram(&trial["seen"], "response_time").max().is_some_and(|ns| ns >= 500_000_000)
        }
    });
    assert!(late.count() > 0, "a timeout is recorded as at least 500 ms");
    assert!(ended.counts(1).unsent > 0, "{:?}", ended.counts(1));
}
