//! `tiebreak setup`, with programs that stand in for mvn: what fails, what is kept, and
//! what is left. That the real one fetches, `./test` sees before all tests.

use crate::common::software::share_software;
use crate::common::{TestDirectory, errors, number};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Output;
use std::time::{Duration, Instant};

/// A place where `mvn` is this script, and `java` is there.
fn with_mvn(script: &str) -> TestDirectory {
    let directory = TestDirectory::new();
    let programs = directory.file("programs");
    fs::create_dir(&programs).expect("a directory");
    for (name, script) in [("mvn", script), ("java", "exit 0")] {
        let program = programs.join(name);
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("a script");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("executable");
    }
    directory
}

fn path_of(directory: &TestDirectory) -> String {
    format!("{}:/usr/bin:/bin", directory.file("programs").display())
}

fn setup(directory: &TestDirectory) -> Output {
    let mut command = directory.command(&["setup", "cassandra"]);
    command.env("PATH", path_of(directory)).output().expect("the binary runs")
}

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn software(directory: &TestDirectory) -> PathBuf {
    directory.file(".cache/tiebreak/software")
}

/// What is in the directory of software beside the lock.
fn kept(directory: &TestDirectory) -> Vec<String> {
    let entries = fs::read_dir(software(directory)).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name != "lock").collect()
}

#[test]
fn what_is_missing_is_named_with_its_package() {
    let directory = TestDirectory::new();
    let output = directory.command(&["setup", "cassandra"]).env("PATH", "/nowhere").output();
    let output = output.expect("the binary runs");
    let stderr = complaint(&output);
    assert_eq!(output.status.code(), Some(5), "{stderr}");
    assert!(stderr.contains("default-jre-headless maven"), "{stderr}");
    assert!(kept(&directory).is_empty());
}

#[test]
fn what_mvn_says_is_reported_and_nothing_is_kept() {
    let directory = with_mvn("echo '[INFO] x'; echo '[ERROR] no such artifact'; exit 1");
    let output = setup(&directory);
    let stderr = complaint(&output);
    assert_eq!(output.status.code(), Some(5), "{stderr}");
    let wanted = "Cassandra 5.0.9 could not be fetched: `mvn` exited with status 1; its error is: \
                  no such artifact";
    assert!(stderr.contains(wanted), "{stderr}");
    assert_eq!(kept(&directory), Vec::<String>::new());
}

#[test]
fn a_file_of_another_content_is_refused_and_nothing_is_kept() {
    let deliver = "for word; do case $word in -DoutputDirectory=*) to=${word#*=};; esac; done
                   mkdir -p $to; echo planted >$to/cassandra-all-5.0.9.jar";
    let directory = with_mvn(deliver);
    let output = setup(&directory);
    let stderr = complaint(&output);
    assert_eq!(output.status.code(), Some(5), "{stderr}");
    assert!(
        stderr.contains("could not be verified: `HdrHistogram-2.1.12.jar` was not"),
        "{stderr}"
    );
    assert_eq!(kept(&directory), Vec::<String>::new());
}

/// A setup that is killed leaves a part, which is not taken for the whole, and is removed by the
/// next one.
#[test]
fn what_was_half_fetched_is_not_taken_for_the_whole() {
    let directory = with_mvn("exec sleep 600");
    let mut command = directory.command(&["setup", "cassandra"]);
    let mut child = command.env("PATH", path_of(&directory)).spawn().expect("the binary runs");
    let until = Instant::now() + Duration::from_secs(60);
    while kept(&directory).is_empty() {
        assert!(Instant::now() < until, "nothing is fetched");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(kept(&directory), ["cassandra-5.0.9.partial"]);
    child.kill().expect("it runs");
    child.wait().expect("it ended");
    let listed = directory.command(&["recipes"]).env("PATH", path_of(&directory)).output();
    let listed = String::from_utf8(listed.expect("it runs").stdout).expect("text");
    assert!(listed.contains("run `tiebreak setup cassandra`"), "{listed}");
    fs::write(directory.file("programs/mvn"), "#!/bin/sh\nexit 7\n").expect("a script");
    assert!(complaint(&setup(&directory)).contains("`mvn` exited with status 7"));
    assert_eq!(kept(&directory), Vec::<String>::new(), "the rest is removed");
}

#[test]
fn what_is_there_is_not_fetched_again() {
    let directory = with_mvn("exit 9");
    if !share_software(&directory.file(".cache")) {
        return;
    }
    let output = setup(&directory);
    assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
    let stdout = String::from_utf8(output.stdout).expect("text");
    for version in ["5.0.9", "1.2.8"] {
        assert!(stdout.contains(&format!("Cassandra {version} was already in ")), "{stdout}");
    }
    let listed = directory.tiebreak(&["recipes"]);
    let listed = String::from_utf8(listed.stdout).expect("text");
    assert!(!listed.contains("setup cassandra"), "{listed}");
}

/// An experiment whose contender needs a program that does not exist.
fn needy(directory: &TestDirectory, package: &str) -> Output {
    let file = format!(
        "contenders = ['a', 'nginx']\n[contender.a]\nlaunch = ['no-such-program']\n{package}"
    );
    fs::write(directory.file("experiment.toml"), file).expect("a file");
    let path = format!("{}/", directory.file("").display());
    directory.command(&["setup", &path]).output().expect("the binary runs")
}

#[test]
fn what_an_experiment_lacks_is_named() {
    let directory = TestDirectory::new();
    let output = needy(&directory, "");
    assert_eq!(output.status.code(), Some(4), "{}", complaint(&output));
    let message = "the program `no-such-program` is not installed (not found in PATH): install it";
    assert!(complaint(&output).contains(message), "{}", complaint(&output));
    let output = needy(&directory, "packages = { no-such-program = '-o=x' }\n");
    assert_eq!(output.status.code(), Some(2), "{}", complaint(&output));
    assert!(complaint(&output).contains("`-o=x` is not a valid name of a package"));
}

#[test]
fn an_experiment_that_has_all_it_needs_is_set_up() {
    let directory = TestDirectory::new();
    fs::write(directory.file("experiment.toml"), "contenders = ['nginx', 'node']\n")
        .expect("a file");
    let output =
        directory.command(&["setup", "./experiment.toml"]).output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
    assert_eq!(output.stdout, b"everything that the experiment needs is installed\n");
}

/// Two contenders that build the same: a page that they serve. `more` is added to the command.
fn builds(directory: &TestDirectory, more: &str) -> String {
    let script = format!("echo once >>$0/count; mkdir -p $0/site; cp page.html $0/site/; {more}");
    let file = format!(
        "[defaults]\nbuild = [['sh', '-c', '{script}', '{{cache}}']]\n\
         url = 'http://127.0.0.1:{{port}}/page.html'\nconnections = 1\n\
         launch = ['php', '-S', '127.0.0.1:{{port}}', '-t', '{{cache}}/site']\n\
         [contender.a]\nenv = {{ SECRET = '${{TIEBREAK_TEST_SECRET}}' }}\n[contender.b]\n"
    );
    let path = directory.file("experiment");
    fs::create_dir_all(&path).expect("a directory");
    fs::write(path.join("experiment.toml"), file).expect("a file");
    fs::write(path.join("page.html"), "the page").expect("a file");
    path.display().to_string()
}

fn with_secret(directory: &TestDirectory, arguments: &[&str]) -> Output {
    let mut command = directory.command(arguments);
    command.env("TIEBREAK_TEST_SECRET", "CANARY-of-a-build").output().expect("the binary runs")
}

/// The directory that the experiment builds into.
fn built(directory: &TestDirectory) -> PathBuf {
    let path = directory.file("experiment").canonicalize().expect("a directory");
    tiebreak::system::cache::built(&directory.file(".cache/tiebreak"), &path)
}

#[test]
fn what_is_to_be_built_is_built_into_the_cache_and_runs_use_it() {
    let directory = TestDirectory::new();
    let path = builds(&directory, "echo $TIEBREAK_TEST_SECRET");
    let count = || fs::read_to_string(built(&directory).join("count")).unwrap_or_default();
    for times in 1..=2 {
        let output = with_secret(&directory, &["setup", &path]);
        assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
        assert_eq!(count(), "once\n".repeat(times), "both contenders build the same");
        let message = format!("building in {}: sh -c ", built(&directory).display());
        assert!(complaint(&output).contains(&message), "{}", complaint(&output));
    }
    let arguments = ["compare", &path, "--out", "run", "--quiet", "--rounds", "6"];
    let short = ["--round", "50ms", "--slice", "10ms", "--pilot", "100ms", "--warm-up", "100ms"];
    let output = with_secret(&directory, &[&arguments[..], &short].concat());
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert_eq!(count(), "once\n".repeat(3), "a run builds once, whatever setup did");
    let report = directory.json("run/report.json");
    for contender in report["contenders"].as_array().expect("contenders") {
        assert!(number(&contender["outcomes"]["ok"]) > 20.0, "{contender:#}");
    }
    let log = fs::read_to_string(built(&directory).join("build.log")).expect("a log");
    assert!(log.contains("****") && !log.contains("CANARY"), "{log}");
}

#[test]
fn what_cannot_be_built_is_reported_with_its_log() {
    let directory = TestDirectory::new();
    let path = builds(&directory, "echo no such header $TIEBREAK_TEST_SECRET; exit 7");
    for command in [&["setup", &path][..], &["compare", &path, "--quiet"]] {
        let output = with_secret(&directory, command);
        let stderr = complaint(&output);
        assert_eq!(output.status.code(), Some(4), "{stderr}");
        assert!(stderr.contains("` exited with status 7; "), "{stderr}");
        assert!(stderr.contains("no such header ****") && !stderr.contains("CANARY"), "{stderr}");
    }
}

#[test]
fn a_file_from_elsewhere_builds_nothing_without_permission() {
    let (directory, elsewhere) = (TestDirectory::new(), TestDirectory::new());
    let path = builds(&elsewhere, "true");
    let output = with_secret(&directory, &["setup", &path]);
    assert_eq!(output.status.code(), Some(2), "{}", complaint(&output));
    assert!(complaint(&output).contains("lies outside the current directory"));
    assert!(!directory.file(".cache").exists(), "nothing was done");
    let output = with_secret(&directory, &["setup", &path, "--allow-file"]);
    assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
}

/// A TOML file that names no contenders is left out.
#[test]
fn a_directory_is_set_up_with_all_its_experiments() {
    let directory = TestDirectory::new();
    fs::write(directory.file("experiment.toml"), "contenders = ['nginx', 'node']\n")
        .expect("a file");
    fs::write(directory.file("Cargo.toml"), "[package]\nname = 'x'\n").expect("a file");
    let path = format!("{}/", directory.file("").display());
    let output = directory.tiebreak(&["setup", &path]);
    assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
    let other = "[contender.a]\nlaunch = ['no-such-program']\n";
    fs::write(directory.file("other.toml"), other).expect("a file");
    let output = directory.tiebreak(&["setup", &path]);
    assert_eq!(output.status.code(), Some(4), "{}", complaint(&output));
    assert!(complaint(&output).contains("`no-such-program` is not installed"));
    fs::write(directory.file("other.toml"), "[contender.a]\nlanch = ['true']\n").expect("a file");
    let output = directory.tiebreak(&["setup", &path]);
    assert!(complaint(&output).contains("other.toml:2: contender.a.lanch: "));
}

/// `apt-get` is a program that notes its arguments.
#[test]
fn what_fetches_software_is_installed_before_it_is_fetched() {
    let directory = with_mvn("exit 9");
    let programs = directory.file("programs");
    fs::remove_file(programs.join("mvn")).expect("it is there");
    let apt = programs.join("apt-get");
    let script = format!("#!/bin/sh\necho \"$*\" >>{}\n", directory.file("asked").display());
    fs::write(&apt, script).expect("a script");
    fs::set_permissions(&apt, fs::Permissions::from_mode(0o755)).expect("executable");
    let file = "contenders = ['cassandra-1.2', 'nginx']\n";
    fs::write(directory.file("experiment.toml"), file).expect("a file");
    let mut command = directory.command(&["setup", "./experiment.toml"]);
    // Without /usr/bin: there `mvn` and the real `apt-get` may be.
    let output = command.env("PATH", &programs).output().expect("the binary runs");
    let stderr = complaint(&output);
    // SAFETY: cannot fail.
    if unsafe { libc::geteuid() } == 0 {
        assert_eq!(output.status.code(), Some(5), "{stderr}");
        assert!(directory.text("asked").contains("install -y --no-install-recommends maven tar"));
        assert!(stderr.contains("not found in PATH: mvn, tar"), "{stderr}");
    } else {
        assert_eq!(output.status.code(), Some(4), "{stderr}");
        assert!(stderr.contains("run as root: apt-get install"), "{stderr}");
        assert!(stderr.contains(" maven tar"), "{stderr}");
    }
}
