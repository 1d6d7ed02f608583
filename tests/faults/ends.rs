//! Signals to tiebreak, to a keeper, or to a part of a target: whatever ends, nothing is left.

use crate::case::{Case, Ended, LONG, Running};
use crate::counts::whole;
use crate::experiment::Program;
use crate::processes::{Process, wait_for};
use crate::{Test, test};

/// One row: which process gets a signal, when, and the result.
struct End {
    name: &'static str,
    when: When,
    whom: fn(&Running<'_>),
    /// None: a signal ended tiebreak.
    code: Option<i32>,
    end: &'static str,
    says: &'static [&'static str],
    check: fn(&Ended<'_>),
}

/// When the signal is sent.
#[derive(PartialEq)]
enum When {
    /// During the rounds.
    Driving,
    /// While a target that never listens is waited for.
    Launching,
    /// While something is prepared.
    Preparing,
}

/// SIGKILL ends tiebreak itself.
const KILLED: End = End {
    name: "",
    when: When::Driving,
    whom: |running| running.signal(libc::SIGKILL),
    code: None,
    end: "none",
    says: &[],
    check: |_| {},
};

/// What has been measured is judged.
const JUDGED: End = End { code: Some(0), end: "stopped", check: judged, ..KILLED };

/// There is nothing to judge yet.
const TOO_EARLY: End = End {
    code: Some(3),
    end: "stopped",
    says: &["stopped before the first round: no verdict"],
    ..KILLED
};

/// A keeper ends, and its target with it.
const KEEPER: End = End {
    code: Some(4),
    end: "target_failed",
    says: &["it was ended because its keeper was killed"],
    check: |ended| ended.adds_up(),
    ..KILLED
};

const ENDS: &[End] = &[
    End {
        name: "sigint_judges_what_is_there",
        whom: |running| running.signal(libc::SIGINT),
        ..JUDGED
    },
    End {
        name: "sigterm_judges_what_is_there",
        whom: |running| running.signal(libc::SIGTERM),
        ..JUDGED
    },
    End {
        name: "sigint_at_the_launch_gives_no_verdict",
        when: When::Launching,
        whom: |running| running.signal(libc::SIGINT),
        ..TOO_EARLY
    },
    End {
        name: "sigterm_while_preparing_gives_no_verdict",
        when: When::Preparing,
        whom: |running| running.signal(libc::SIGTERM),
        ..TOO_EARLY
    },
    End { name: "sigkill_of_tiebreak", check: readable, ..KILLED },
    End { name: "sigkill_of_tiebreak_at_the_launch", when: When::Launching, ..KILLED },
    End { name: "sigkill_of_tiebreak_while_preparing", when: When::Preparing, ..KILLED },
    End {
        name: "two_signals",
        whom: |running| {
            // tiebreak is stopped until both are pending.
            running.signal(libc::SIGSTOP);
            running.signal(libc::SIGINT);
            running.signal(libc::SIGTERM);
            running.signal(libc::SIGCONT);
        },
        code: Some(130),
        check: readable,
        ..KILLED
    },
    End {
        // As GNU timeout does it: to its child, then to the child's group.
        name: "a_signal_and_its_echo",
        whom: |running| {
            running.signal(libc::SIGTERM);
            std::thread::sleep(std::time::Duration::from_millis(2));
            running.signal(libc::SIGTERM);
        },
        ..JUDGED
    },
    End {
        name: "sigkill_of_a_keeper",
        whom: |running| keepers(running)[0].kill(libc::SIGKILL),
        ..KEEPER
    },
    End {
        name: "sigkill_of_every_keeper",
        whom: |running| keepers(running).iter().for_each(|keeper| keeper.kill(libc::SIGKILL)),
        ..KEEPER
    },
    End {
        name: "sigterm_of_a_keeper",
        whom: |running| keepers(running)[0].kill(libc::SIGTERM),
        says: &["`: it exited with status 0; run/logs/"],
        ..KEEPER
    },
];

pub(crate) fn cases() -> Vec<Test> {
    let ends = ENDS.iter().map(|end| test(&format!("ends::{}", end.name), || by(end)));
    ends.chain([test("ends::sigkill_of_a_worker_of_a_target", worker)]).collect()
}

fn keepers(running: &Running<'_>) -> Vec<Process> {
    let all = running.case.running();
    let keepers: Vec<Process> =
        all.into_iter().filter(|process| process.command() == " tiebreak __keeper ").collect();
    assert_eq!(keepers.len(), 2, "one for each target");
    keepers
}

fn by(end: &End) {
    let case = Case::new();
    let right = Program::testserver("").in_company().contender("right", "");
    let server = |when: &When| match when {
        When::Driving => (Program::testserver(""), String::new()),
        When::Launching => {
            (Program::other(&["sh", "-c", "echo up; exec sleep 1002"]), String::new())
        }
        When::Preparing => {
            let prepare = "prepare = [['sh', '-c', 'echo up; sleep 1003 & exec sleep 1004']]";
            (Program::testserver(""), prepare.to_owned())
        }
    };
    let (program, keys) = server(&end.when);
    let wrong = program.in_company().contender("wrong", &keys);
    case.write("e.toml", format!("{right}{wrong}"));
    let running = case.start(&format!("compare e.toml {LONG}"));
    match end.when {
        When::Driving => running.wait_for_rounds(6),
        When::Launching => wait_for_log(&case, "run/logs/wrong.log"),
        When::Preparing => wait_for_log(&case, "run/logs/wrong.prepare.log"),
    }
    (end.whom)(&running);
    let ended = running.wait();
    assert_eq!(ended.code, end.code, "{}", ended.err);
    // If tiebreak did not end in good order, its keepers clean up after it.
    case.left_nothing(!matches!(end.code, None | Some(130)));
    for words in end.says {
        assert!(ended.err.contains(words), "`{words}` is missing:\n{}", ended.err);
    }
    assert_eq!(ended.end(), end.end);
    (end.check)(&ended);
}

fn wait_for_log(case: &Case, log: &str) {
    wait_for("a line in its log", || {
        std::fs::read(case.file(log)).is_ok_and(|text| text.starts_with(b"up\n"))
    });
}

/// Checks that there is a sound verdict on the complete rounds.
fn judged(ended: &Ended<'_>) {
    ended.adds_up();
    let report = ended.report();
    assert!(whole(&report["complete_rounds"]) >= 3);
    assert!(ended.findings("caution").contains(&"interrupted".to_owned()), "{report:#}");
    for (at, name) in [(0, "right"), (1, "wrong")] {
        ended.server_agrees(at, name);
        assert_eq!(ended.counts(at).failures(), 0);
    }
    assert!(ended.case.file("run/report.html").exists());
    let again = again(ended, "report run --json");
    again.expect(0, &[]);
    assert_eq!(again.out, ended.case.read("run/report.json"), "the journal has it all");
}

/// Runs tiebreak again in the directory of the run.
fn again<'a>(ended: &Ended<'a>, words: &str) -> Ended<'a> {
    let command = ended.case.command(env!("CARGO_BIN_EXE_tiebreak"), "tiebreak");
    ended.case.start_as(command, words).wait()
}

/// Checks that a journal without an end is judged as far as it goes.
fn readable(ended: &Ended<'_>) {
    let again = again(ended, "report run");
    again.expect(0, &[]);
    assert!(again.out.contains("the journal does not say how the run ended"), "{}", again.out);
}

/// nginx restarts a worker that was killed: its connections fail, and the run continues.
fn worker() {
    let case = Case::new();
    let right = Program::testserver("").contender("right", "");
    let text = "[contender.wrong]\nrecipe = 'nginx'\n";
    case.write("e.toml", format!("expect_different = true\n{right}{text}"));
    let words = LONG.replace("--rounds 1200", "--rounds 12");
    let running = case.start(&format!("compare e.toml {words}"));
    running.wait_for_rounds(4);
    let all = case.running();
    let worker = all.iter().find(|process| process.command().starts_with(" nginx: worker"));
    worker.expect("nginx (./test installs it)").kill(libc::SIGKILL);
    let ended = running.wait();
    case.left_nothing(true);
    let counts = ended.counts(1);
    // Four connections, of which each can lose one request, or none at rest.
    let known: u64 = ["reset", "closed", "refused"].map(|class| counts.failed(class)).iter().sum();
    assert_eq!(counts.failures(), known, "{counts:?}");
    assert!(counts.failures() <= 8, "{counts:?}");
    let report = ended.report();
    assert_eq!(report["complete_rounds"], 12);
    let contender = &report["contenders"][1];
    let lost: u64 = contender["outcomes"]["target_errors"]
        .as_object()
        .expect("classes")
        .values()
        .map(whole)
        .sum();
    let void = lost * 1000 > whole(&contender["operations"]);
    ended.expect(if void { 3 } else { 0 }, &[]);
    ended.server_agrees(0, "right");
}
