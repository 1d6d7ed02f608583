//! Experiment files from other places, and what `check` shows of them.

use crate::common::{TestDirectory, errors, serve, stdout, unhurried, url};
use std::fs;
use std::process::Output;
use testserver::TestServer;

/// Two directories: one to be in, and one for files from elsewhere.
fn places() -> (TestDirectory, TestDirectory) {
    (TestDirectory::new(), TestDirectory::new())
}

fn compare(directory: &TestDirectory, file: &str, flags: &[&str]) -> Output {
    let small = ["--rounds", "6", "--round", "50ms", "--warm-up", "0s", "--pilot", "100ms"];
    let words = [&["compare", file, "--quiet", "--out", "run"][..], flags, &small].concat();
    let mut command = directory.command(&words);
    command.env("TIEBREAK_CASE_TOKEN", "CANARY-token");
    command.output().expect("the binary runs")
}

/// What a file could do that launches nothing: each is a pair of contenders.
fn attacks(server: &TestServer) -> Vec<(&'static str, String)> {
    let url = url(server);
    let both = |keys: &str| format!("[contender.a]\n{keys}[contender.b]\n{keys}");
    vec![
        ("a plain address", both(&format!("url = '{url}'\n"))),
        (
            "a variable in a header",
            both(&format!("url = '{url}'\nheaders = {{ X = '${{TIEBREAK_CASE_TOKEN}}' }}\n")),
        ),
        ("a file as body", both(&format!("url = '{url}'\ndata = '@secret.txt'\n"))),
        ("a socket", both("url = 'http+unix://%2Frun%2Ftiebreak-none.sock/'\n")),
        ("a statement", both("url = 'postgres://me@127.0.0.1:1/x'\nquery = 'DROP TABLE x'\n")),
        ("a directory", both("url = 'file:///tmp/tiebreak-none'\n")),
        ("a program", both("url = 'exec:true'\n")),
    ]
}

#[test]
fn a_file_from_elsewhere_does_nothing_without_permission() {
    let (here, elsewhere) = places();
    let server = serve(unhurried());
    fs::write(elsewhere.file("secret.txt"), "CANARY-file").expect("a file");
    for (what, text) in attacks(&server) {
        fs::write(elsewhere.file("e.toml"), text).expect("a file");
        let file = elsewhere.file("e.toml").display().to_string();
        let refused = compare(&here, &file, &[]);
        assert_eq!(refused.status.code(), Some(2), "{what}: {}", errors(&refused));
        let stderr = errors(&refused);
        assert!(stderr.contains("then add --allow-file"), "{what}: {stderr}");
        assert!(!here.file("run").exists(), "{what}");
        let checked = here.tiebreak(&["check", &file]);
        let stdout = stdout(&checked);
        assert!(stdout.contains("lies outside the current directory"), "{what}: {stdout}");
    }
    assert_eq!(server.stop().requests, 0, "nothing was sent");
}

#[test]
fn permission_is_given_by_either_name_and_not_needed_at_home() {
    let (here, elsewhere) = places();
    let server = serve(unhurried());
    let text = &attacks(&server)[1].1;
    fs::write(elsewhere.file("e.toml"), text).expect("a file");
    fs::write(here.file("e.toml"), text).expect("a file");
    let file = elsewhere.file("e.toml").display().to_string();
    for (file, flags) in
        [(&file[..], &["--allow-file"][..]), (&file, &["--allow-launch"]), ("e.toml", &[])]
    {
        let output = compare(&here, file, flags);
        assert_eq!(output.status.code(), Some(0), "{flags:?}: {}", errors(&output));
        fs::remove_dir_all(here.file("run")).expect("it was there");
    }
    assert!(server.stop().requests > 0);
}

#[test]
fn check_shows_all_that_a_file_says_also_where_a_variable_is_not_set() {
    let (here, elsewhere) = places();
    fs::write(elsewhere.file("users.csv"), "name\nAnn\n").expect("a file");
    let long = "x".repeat(5000);
    let text = format!(
        "[contender.a]\nurl = 'http+unix://%2Frun%2Fapp.sock/${{TIEBREAK_NOT_SET}}/x'\n\
         headers = {{ Authorization = 'Bearer ${{TIEBREAK_NOT_SET}}' }}\n\
         [contender.b]\nlaunch = ['sh', '-c', 'true {long} evil']\n\
         [workload]\nfeeds = {{ users = 'users.csv' }}\n\
         [[workload.requests]]\npath = '/u/{{users.name}}'\nbody = 'k=${{HOME}}'\n"
    );
    fs::write(elsewhere.file("e.toml"), text).expect("a file");
    let file = elsewhere.file("e.toml").display().to_string();
    let output = here.tiebreak(&["check", &file]);
    let stdout = stdout(&output);
    for line in [
        "  variable TIEBREAK_NOT_SET (not set)".to_owned(),
        "  variable HOME (set)".to_owned(),
        "  socket   /run/app.sock".to_owned(),
        format!("  file     {} (9 bytes)", elsewhere.file("users.csv").display()),
        "    contender.a.headers.Authorization = \"Bearer ${TIEBREAK_NOT_SET}\"".to_owned(),
        format!("    contender.b.launch = [\"sh\", \"-c\", \"true {long} evil\"]"),
        "    workload.requests[0].path = \"/u/{users.name}\"".to_owned(),
        "    workload.requests[0].body = \"k=${HOME}\"".to_owned(),
    ] {
        assert!(stdout.lines().any(|stdout| stdout == line), "no `{line}` in:\n{stdout}");
    }
    assert_eq!(output.status.code(), Some(2), "the plan needs the variable");
    assert!(errors(&output).contains("`TIEBREAK_NOT_SET` is not set"), "{}", errors(&output));
}

#[test]
fn a_pipe_in_place_of_a_file_is_refused_and_nothing_hangs() {
    let directory = TestDirectory::new();
    let made = std::process::Command::new("mkfifo").arg(directory.file("pipe")).status();
    assert!(made.is_ok_and(|status| status.success()));
    let url = "http://127.0.0.1:1/";
    for (key, value) in [("data", "'@pipe'"), ("data", "'@/dev/zero'")] {
        let one = |name: &str| format!("[contender.{name}]\nurl = '{url}'\n{key} = {value}\n");
        fs::write(directory.file("e.toml"), one("a") + &one("b")).expect("a file");
        let refused = directory.tiebreak(&["compare", "e.toml"]);
        assert_eq!(refused.status.code(), Some(2), "{}", errors(&refused));
        assert!(errors(&refused).contains("is not a plain file"), "{}", errors(&refused));
    }
    for (arguments, code, why) in [
        (&["run", "https://127.0.0.1:1/", "--cacert", "pipe"][..], 2, "it is not a plain file"),
        (
            &[
                "run",
                "mysql://me:secret@127.0.0.1:1/x?sslmode=verify-full",
                "--query",
                "SELECT 1",
                "--cacert",
                "pipe",
            ],
            2,
            "it is not a plain file",
        ),
        (&["run", url, "-d", "@/dev/zero"], 2, "is too large: at most 64 MiB are allowed"),
        (&["report", "pipe"], 5, "is not a plain file"),
    ] {
        let refused = directory.tiebreak(arguments);
        assert!(errors(&refused).contains(why), "{arguments:?}: {}", errors(&refused));
        assert_eq!(refused.status.code(), Some(code), "{arguments:?}");
    }
}
