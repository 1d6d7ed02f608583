//! Programs that do not do their work: they are counted by class, with a sentence that says what
//! was wrong.

use crate::Test;
use crate::common::TestDirectory;
use crate::drive::{once, once_by, order, program, script, started};
use record::{Failure, FaultOwner};
use tiebreak::targets::exec::{Exec, Program};

pub(crate) const TESTS: &[Test] = &[
    ("failures::are_counted_by_class_and_named", by_class),
    ("failures::count_as_the_operations_that_were_not_done", counted),
    ("failures::end_the_turn", ends_the_turn),
    ("failures::standard_error_is_harmless_bounded_and_without_secrets", complaints),
    ("failures::a_program_that_is_not_there_is_named", not_there),
    ("failures::a_program_that_vanishes_is_the_targets_fault", vanished),
];

fn by_class() {
    let missing = "does not say how many operations it did";
    for (text, failure, why) in [
        ("echo operations 5; exit 3", Failure::Exit, "exited with status 3"),
        ("kill -SEGV $$", Failure::Signal, "was ended by SIGSEGV"),
        ("kill -KILL $$", Failure::Signal, "was ended by SIGKILL"),
        ("true", Failure::Protocol, missing),
        ("echo operations 5; echo bye", Failure::Protocol, missing),
        ("echo operations 0", Failure::Protocol, "announces 0 operations"),
        ("echo operations 5k", Failure::Protocol, "announces `operations 5k`"),
    ] {
        let exec = started(&script(text));
        let seen = once(&exec);
        assert_eq!(seen.outcomes.failed.get(&failure), Some(&1), "{text}");
        assert_eq!((seen.outcomes.count(FaultOwner::Target), seen.outcomes.ok), (1, 0), "{text}");
        assert_eq!((seen.programs.failed, seen.programs.outputs.total()), (1, 0), "{text}");
        let message = exec.failure_message().unwrap_or_default();
        assert!(message.starts_with(&format!("`sh -c {text}` {why}")), "{message}");
    }
}

fn counted() {
    let exec = started(&Program { operations: Some(100), ..script("exit 1") });
    assert_eq!(once(&exec).outcomes.failed.get(&Failure::Exit), Some(&100));
    // The second run fails after the first announced how many it should do.
    let directory = TestDirectory::new();
    let text = "[ ! -e mark ] && touch mark && echo operations 7";
    let exec = started(&Program { cwd: directory.path().to_owned(), ..script(text) });
    assert_eq!(once(&exec).outcomes.ok, 7);
    let seen = once(&exec);
    assert_eq!((seen.operations, seen.outcomes.failed.get(&Failure::Exit)), (7, Some(&7)));
    let conflict = started(&Program { operations: Some(5), ..script("echo operations 6") });
    assert_eq!(once(&conflict).outcomes.failed.get(&Failure::Protocol), Some(&5));
}

fn ends_the_turn() {
    let exec = started(&script("exit 1"));
    let seen = once_by(&exec, &order(1, 1, 60_000_000_000));
    assert_eq!((seen.programs.runs, seen.operations), (1, 1));
}

fn complaints() {
    let text = "i=0; while [ $i -lt 9999 ]; do i=$((i+1)); echo line $i; done >&2; \
                printf \"\\033[31mred CANARY \\377\\n\" >&2; exit 1";
    let exec = started(&Program { secrets: vec!["CANARY".into()], ..script(text) });
    once(&exec);
    let message = exec.failure_message().expect("it failed");
    let lines: Vec<&str> = message.lines().skip(1).collect();
    assert_eq!(lines.len(), 30, "{message}");
    assert_eq!((lines[28], lines[29]), ("  line 9999", r"  \u{1b}[31mred ****** \xff"));
    // The user wrote it in the arguments; in the program's output it is masked.
    let quiet = started(&script("exit 1"));
    once(&quiet);
    assert_eq!(quiet.failure_message().as_deref(), Some("`sh -c exit 1` exited with status 1"));
}

fn not_there() {
    let why = |text: &str| Exec::start(&program(text)).err().expect("it is not there");
    assert_eq!(
        why("no-such-program check.php"),
        "the program `no-such-program` is not installed (not found in PATH)"
    );
    assert_eq!(why("/no/such/program"), "`/no/such/program` does not exist");
    assert_eq!(why("/etc/passwd"), "`/etc/passwd` is not executable");
}

fn vanished() {
    use std::os::unix::fs::PermissionsExt;
    let directory = TestDirectory::new();
    let file = directory.file("check");
    std::fs::write(&file, "#!/bin/sh\necho operations 4\n").expect("writes");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).expect("chmod");
    let exec = started(&Program { cwd: directory.path().to_owned(), ..program("./check") });
    assert_eq!(once(&exec).outcomes.ok, 4);
    std::fs::remove_file(&file).expect("removes");
    let seen = once(&exec);
    assert_eq!(seen.outcomes.failed.get(&Failure::Exit), Some(&4));
    assert_eq!(exec.failure_message().as_deref(), Some("`./check` does not exist"));
}
