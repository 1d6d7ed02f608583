//! `tiebreak setup`, with programs that stand in for mvn: what fails, what is kept, and
//! what is left. That the real one fetches, `./test` sees before all tests.

use crate::common::Place;
use crate::common::software::share_software;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Output;
use std::time::{Duration, Instant};

/// A place where `mvn` is this script, and `java` is there.
fn with_mvn(script: &str) -> Place {
    let place = Place::new();
    let programs = place.file("programs");
    fs::create_dir(&programs).expect("a folder");
    for (name, script) in [("mvn", script), ("java", "exit 0")] {
        let program = programs.join(name);
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("a script");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("executable");
    }
    place
}

fn path_of(place: &Place) -> String {
    format!("{}:/usr/bin:/bin", place.file("programs").display())
}

fn setup(place: &Place) -> Output {
    let mut command = place.command(&["setup", "cassandra"]);
    command.env("PATH", path_of(place)).output().expect("the binary runs")
}

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn software(place: &Place) -> PathBuf {
    place.file(".cache/tiebreak/software")
}

/// What is in the folder of software beside the lock.
fn kept(place: &Place) -> Vec<String> {
    let entries = fs::read_dir(software(place)).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name != "lock").collect()
}

#[test]
fn what_is_missing_is_named_with_its_package() {
    let place = Place::new();
    let output = place.command(&["setup", "cassandra"]).env("PATH", "/nowhere").output();
    let output = output.expect("the binary runs");
    let told = complaint(&output);
    assert_eq!(output.status.code(), Some(5), "{told}");
    assert!(told.contains("openjdk-17-jre-headless maven"), "{told}");
    assert!(kept(&place).is_empty());
}

#[test]
fn what_mvn_says_is_told_and_nothing_is_kept() {
    let place = with_mvn("echo '[INFO] x'; echo '[ERROR] no such artifact'; exit 1");
    let output = setup(&place);
    let told = complaint(&output);
    assert_eq!(output.status.code(), Some(5), "{told}");
    let wanted = "Cassandra 5.0.9 could not be fetched: `mvn` exited with status 1; it says: no \
                  such artifact";
    assert!(told.contains(wanted), "{told}");
    assert_eq!(kept(&place), Vec::<String>::new());
}

#[test]
fn a_file_of_another_content_is_refused_and_nothing_is_kept() {
    let deliver = "for word; do case $word in -DoutputDirectory=*) to=${word#*=};; esac; done
                   mkdir -p $to; echo planted >$to/cassandra-all-5.0.9.jar";
    let place = with_mvn(deliver);
    let output = setup(&place);
    let told = complaint(&output);
    assert_eq!(output.status.code(), Some(5), "{told}");
    assert!(told.contains("is not what it should be: `HdrHistogram-2.1.12.jar` was not"), "{told}");
    assert_eq!(kept(&place), Vec::<String>::new());
}

/// Whoever is killed leaves a part, which is not taken for the whole, and is removed by the
/// next one.
#[test]
fn what_was_half_fetched_is_not_taken_for_the_whole() {
    let place = with_mvn("exec sleep 600");
    let mut command = place.command(&["setup", "cassandra"]);
    let mut child = command.env("PATH", path_of(&place)).spawn().expect("the binary runs");
    let until = Instant::now() + Duration::from_secs(60);
    while kept(&place).is_empty() {
        assert!(Instant::now() < until, "nothing is fetched");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(kept(&place), ["cassandra-5.0.9.partial"]);
    child.kill().expect("it runs");
    child.wait().expect("it ended");
    let listed = place.command(&["recipes"]).env("PATH", path_of(&place)).output();
    let listed = String::from_utf8(listed.expect("it runs").stdout).expect("text");
    assert!(listed.contains("run `tiebreak setup cassandra`"), "{listed}");
    fs::write(place.file("programs/mvn"), "#!/bin/sh\nexit 7\n").expect("a script");
    assert!(complaint(&setup(&place)).contains("`mvn` exited with status 7"));
    assert_eq!(kept(&place), Vec::<String>::new(), "the rest is removed");
}

#[test]
fn what_is_there_is_not_fetched_again() {
    let place = with_mvn("exit 9");
    if !share_software(&place.file(".cache")) {
        return;
    }
    let output = setup(&place);
    assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
    let told = String::from_utf8(output.stdout).expect("text");
    for version in ["5.0.9", "1.2.8"] {
        assert!(told.contains(&format!("Cassandra {version} was already in ")), "{told}");
    }
    let listed = place.tiebreak(&["recipes"]);
    let listed = String::from_utf8(listed.stdout).expect("text");
    assert!(!listed.contains("setup cassandra"), "{listed}");
}

/// An experiment whose contender needs a program that nobody has.
fn needy(place: &Place, package: &str) -> Output {
    let file = format!(
        "contenders = ['a', 'nginx']\n[contender.a]\nlaunch = ['no-such-program']\n{package}"
    );
    fs::write(place.file("experiment.toml"), file).expect("a file");
    let folder = format!("{}/", place.file("").display());
    place.command(&["setup", &folder]).output().expect("the binary runs")
}

#[test]
fn what_an_experiment_lacks_is_named() {
    let place = Place::new();
    let output = needy(&place, "");
    assert_eq!(output.status.code(), Some(4), "{}", complaint(&output));
    let told = "the program `no-such-program` is not installed (not found in PATH): install it";
    assert!(complaint(&output).contains(told), "{}", complaint(&output));
    let output = needy(&place, "packages = { no-such-program = '-o=x' }\n");
    assert_eq!(output.status.code(), Some(2), "{}", complaint(&output));
    assert!(complaint(&output).contains("`-o=x` is not the name of a package"));
}

#[test]
fn an_experiment_that_has_all_it_needs_is_set_up() {
    let place = Place::new();
    fs::write(place.file("experiment.toml"), "contenders = ['nginx', 'node']\n").expect("a file");
    let output = place.command(&["setup", "./experiment.toml"]).output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
    assert_eq!(output.stdout, b"all that the experiment needs is there\n");
}
