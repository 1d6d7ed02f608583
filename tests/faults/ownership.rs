//! Directories and files of a run: their owners, their maximum size, and other files in their
//! place.

use crate::case::{Case, LONG, SHORT};
use crate::experiment::Program;
use crate::{Test, test};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;

pub(crate) fn cases() -> Vec<Test> {
    vec![
        test("ownership::of_a_run_are_their_owners_alone", owners_alone),
        test("ownership::links_in_out_are_refused_before_anything_is_launched", planted),
        test("ownership::a_removed_current_directory_is_said", removed),
        test("ownership::a_limit_of_file_sizes_is_an_error_and_not_a_death", file_size),
        test("ownership::logs_keep_their_beginning_and_their_end", long_log),
        test("ownership::a_log_that_cannot_be_cleaned_is_a_finding", uncleaned),
    ]
}

fn two(case: &Case, keys: &str) {
    let right = Program::testserver("").contender("right", "");
    let wrong = Program::testserver("").contender("wrong", keys);
    case.write("e.toml", format!("{right}{wrong}"));
}

fn each(directory: &Path, look: &mut dyn FnMut(&Path)) {
    look(directory);
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            each(&entry.path(), look);
        } else {
            look(&entry.path());
        }
    }
}

fn owners_alone() {
    let case = Case::new();
    two(&case, "");
    case.run(&format!("compare e.toml {SHORT}")).expect(0, &[]);
    let mut names = Vec::new();
    each(&case.file("run"), &mut |path| {
        let mode = path.metadata().expect("there").permissions().mode() & 0o777;
        let wanted = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, wanted, "{}: {mode:o}", path.display());
        names.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
    });
    for name in ["run", "journal.jsonl", "report.json", "report.html", "logs", "wrong.log"] {
        assert!(names.contains(&name.to_owned()), "{name} in {names:?}");
    }
    case.left_nothing(true);
}

fn planted() {
    let case = Case::new();
    two(&case, "");
    case.write("precious", "kept");
    for name in ["journal.jsonl", "report.json", "report.html", "logs"] {
        fs::create_dir_all(case.file("run")).expect("a directory");
        symlink(case.file("precious"), case.file("run").join(name)).expect("a link");
        let ended = case.run(&format!("compare e.toml {SHORT}"));
        ended.expect(2, &[": give each run a directory of its own"]);
        assert_eq!(case.read("precious"), "kept", "{name}");
        fs::remove_file(case.file("run").join(name)).expect("a link");
    }
    assert_eq!(case.seen().processes.len(), 4, "nothing was launched");
    case.left_nothing(true);
}

fn removed() {
    let case = Case::new();
    fs::create_dir(case.file("gone")).expect("a directory");
    for words in ["compare http://127.0.0.1:1/ http://127.0.0.1:2/", "run nginx", "check e.toml"] {
        fs::create_dir_all(case.file("gone")).expect("a directory");
        let mut command = case.command("sh", "tiebreak");
        let script = "cd gone && rmdir ../gone && exec \"$@\"";
        command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_tiebreak")]);
        let ended = case.start_as(command, words).wait();
        ended.expect(5, &["error: the current directory was removed or moved; change to"]);
        assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
    }
}

/// A write beyond the limit fails; what was written before is judged.
fn file_size() {
    let case = Case::new();
    two(&case, "");
    let mut command = case.command(env!("CARGO_BIN_EXE_tiebreak"), "tiebreak");
    let limit = libc::rlimit { rlim_cur: 200_000, rlim_max: 200_000 };
    // SAFETY: between fork and exec, one system call on a valid limit.
    unsafe {
        command.pre_exec(move || match libc::setrlimit(libc::RLIMIT_FSIZE, &limit) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
    let ended = case.start_as(command, &format!("compare e.toml {LONG}")).wait();
    let says =
        ["error: run: the journal cannot be written: File too large", "`tiebreak report` shows"];
    ended.expect(5, &says);
    case.left_nothing(true);
    assert_eq!(case.file("run/journal.jsonl").metadata().expect("a journal").len(), 200_000);
    let again = case.run("report run");
    again.expect(0, &[]);
    assert!(
        again.out.contains("the journal does not say how the run ended")
            && again.out.contains("wrong"),
        "{}",
        again.out
    );
}

/// 73 MB: the log on the disk is bounded, and says what it lacks.
fn long_log() {
    let case = Case::new();
    let server = Program::testserver("").argv("{port}").join(" ");
    let spam = format!("echo first line; yes | head -c 72600000; echo last line; exec {server}");
    let right = Program::testserver("").contender("right", "");
    let wrong = format!("[contender.wrong]\nshell = true\nlaunch = '''{spam}'''\n");
    case.write("e.toml", format!("{right}{wrong}"));
    case.run(&format!("compare e.toml {SHORT}")).expect(0, &[]);
    case.left_nothing(true);
    let log = case.read("run/logs/wrong.log");
    let found = case.file("run/logs/wrong.log").metadata().expect("a log");
    assert!(found.len() <= 64 << 20 && found.blocks() * 512 <= 65 << 20, "{}", found.len());
    assert!(log.starts_with("first line\ny\n") && log.contains("\nlast line\nlistening on "));
    let start = log.find("\n[tiebreak left out 5").expect("what was left out");
    assert!(log[start..].contains(" bytes here: only the beginning and the end of a log"));
}

/// The target replaces its log by another file.
fn uncleaned() {
    let case = Case::new();
    let server = Program::testserver("").argv("{port}").join(" ");
    let script = "rm run/logs/wrong.log; ln -s /dev/null run/logs/wrong.log";
    let right = Program::testserver("").contender("right", "");
    let wrong = format!(
        "[contender.wrong]\nshell = true\nlaunch = '''{script}; exec {server}'''\n\
         headers = {{ X-Key = 'a-secret-key' }}\n"
    );
    case.write("e.toml", format!("{right}{wrong}"));
    let ended = case.run(&format!("compare e.toml {SHORT}"));
    ended.expect(0, &["wrong.log cannot be cleaned, and may contain secrets: "]);
    assert!(ended.findings("caution").contains(&"log_troubles".to_owned()), "{}", ended.out);
    let audit = case.run("audit run");
    assert!(audit.out.contains("caution: log_troubles\n"), "{}", audit.out);
    case.left_nothing(true);
}
