//! Links and pipes that somebody else has put where tiebreak reads and writes: it follows no link to another file,
//! and waits for nobody.

use crate::case::{Case, SHORT};
use crate::common::not_tested::{Lack, lacks};
use crate::experiment::Program;
use crate::{Test, test};
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, lchown, symlink};
use std::process::Command;

/// The user `nobody`.
const NOBODY: Option<u32> = Some(65534);

pub(crate) fn cases() -> Vec<Test> {
    vec![
        test("planted::in_place_of_an_output", output),
        test("planted::in_place_of_the_directory_of_runs", runs),
        test("planted::in_place_of_the_cache", cache),
        test("planted::in_place_of_a_token_or_a_rendezvous", tokens),
    ]
}

fn two(case: &Case) {
    let server = Program::testserver("");
    case.write("e.toml", server.contender("right", "") + &server.contender("wrong", ""));
}

fn pipe(case: &Case, name: &str) {
    let made = Command::new("mkfifo").arg(case.file(name)).status().expect("coreutils");
    assert!(made.success());
}

fn output() {
    let case = Case::new();
    two(&case);
    case.write("precious", "kept");
    symlink(case.file("precious"), case.file("link")).expect("a link");
    pipe(&case, "pipe");
    for flag in ["--json", "--html", "--markdown", "--junit"] {
        for (file, why) in [("link", "a symbolic link"), ("pipe", "not a plain file")] {
            let ended = case.run(&format!("compare e.toml {SHORT} {flag} {file}"));
            ended.expect(2, &[&format!("error: {flag} {file}: it is {why}")]);
        }
    }
    assert!(!case.file("run").exists(), "nothing was launched");
    // What is put there while the run lasts.
    let (precious, report) = (case.path("precious"), case.path("tmp/o.json"));
    let swap = &format!("prepare = [['ln', '-sf', '{precious}', '{report}']]\n");
    let server = Program::testserver("");
    case.write("e.toml", server.contender("right", "") + &server.contender("wrong", swap));
    let ended = case.run(&format!("compare e.toml {SHORT} --json tmp/o.json"));
    ended.expect(5, &["error: the report tmp/o.json cannot be written: it is a symbolic link"]);
    assert_eq!(case.read("precious"), "kept");
    fs::remove_file(case.file("tmp/o.json")).expect("the link");
    case.left_nothing(true);
}

fn runs() {
    if lacks(Lack::Root) {
        return;
    }
    let case = Case::new();
    two(&case);
    let length = SHORT.replace(" --out run", "");
    fs::create_dir(case.file("theirs")).expect("a directory");
    symlink(case.file("theirs"), case.file("tiebreak-runs")).expect("a link");
    chown(case.file("theirs"), NOBODY, NOBODY).expect("root");
    case.run(&format!("compare e.toml {length}")).expect(2, &["with --out"]);
    // Their link to a directory of ours.
    chown(case.file("theirs"), Some(0), Some(0)).expect("root");
    lchown(case.file("tiebreak-runs"), NOBODY, NOBODY).expect("root");
    case.run(&format!("compare e.toml {length}")).expect(2, &["with --out"]);
    assert_eq!(fs::read_dir(case.file("theirs")).expect("there").count(), 0);
}

fn cache() {
    if lacks(Lack::Root) {
        return;
    }
    let case = Case::new();
    let build = "build = [['touch', '{cache}/built']]\n";
    case.write("e.toml", Program::testserver("").contender("right", build));
    let is_empty = |name: &str| fs::read_dir(case.file(name)).expect("there").count() == 0;
    for directory in ["cache/tiebreak", "elsewhere"] {
        fs::create_dir_all(case.file(directory)).expect("a directory");
    }
    // Others could put links into a directory that belongs to them, or that all can write in.
    for (owner, mode) in [(NOBODY, 0o755), (Some(0), 0o777)] {
        chown(case.file("cache/tiebreak"), owner, owner).expect("root");
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(case.file("cache/tiebreak"), mode).expect("root");
        case.run("setup e.toml").expect(5, &["cannot be written: permission denied"]);
        assert!(is_empty("cache/tiebreak"), "nothing is created there");
    }
    // Their link leads to a directory of this user.
    fs::remove_dir(case.file("cache/tiebreak")).expect("it is empty");
    symlink(case.file("elsewhere"), case.file("cache/tiebreak")).expect("a link");
    lchown(case.file("cache/tiebreak"), NOBODY, NOBODY).expect("root");
    case.run("setup e.toml").expect(5, &["cannot be written: "]);
    assert!(is_empty("elsewhere"), "the link is not followed");
    // The user's own link is.
    lchown(case.file("cache/tiebreak"), Some(0), Some(0)).expect("root");
    case.run("setup e.toml").expect(0, &[]);
    assert!(case.file("elsewhere/built").is_dir());
}

fn tokens() {
    let case = Case::new();
    pipe(&case, "pipe");
    pipe(&case, "tiebreak-7.0.0.rendezvous");
    let ended = case.run("watch --listen 127.0.0.1:0 --pid 1 --token-file pipe");
    ended.expect(2, &["error: the token file pipe is not a plain file"]);
    let two = "compare http://127.0.0.1:1/ http://127.0.0.1:2/ --gather 60s --agents";
    let of = |variables: &[(&str, &str)], how: &str| {
        let mut command = case.command(env!("CARGO_BIN_EXE_tiebreak"), "tiebreak");
        command.envs(variables.iter().copied());
        case.start_as(command, &format!("{two} {how}")).wait()
    };
    let environment = [
        ("TIEBREAK_RANK", "1"),
        ("TIEBREAK_SIZE", "2"),
        ("TIEBREAK_COORDINATOR", "127.0.0.1:1"),
        ("TIEBREAK_TOKEN_FILE", "pipe"),
    ];
    of(&environment, "env").expect(2, &["the token file pipe is not a plain file"]);
    let slurm = [
        ("SLURM_PROCID", "1"),
        ("SLURM_NTASKS", "2"),
        ("SLURM_JOB_ID", "7"),
        ("SLURM_STEP_ID", "0"),
        ("SLURM_LAUNCH_NODE_IPADDR", "127.0.0.1"),
    ];
    of(&slurm, "slurm").expect(5, &["rendezvous: it is not a plain file"]);
}
