//! `tiebreak agents --kubernetes`: its manifest, and what the command in it does when a directory has
//! files where Kubernetes would mount them.

use crate::common::TestDirectory;
use crate::common::not_tested::{Lack, lacks};
use crate::common::running::Running;
use crate::group::{Group, QUICK, TOKEN, agree, errors, judged, serve};
use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// The user and the group of the manifest.
const POD_USER: &str = "65532";

fn agents(directory: &TestDirectory, words: &str) -> Output {
    let words: Vec<&str> = ["agents"].into_iter().chain(words.split_whitespace()).collect();
    directory.tiebreak(&words)
}

fn manifest(directory: &TestDirectory, words: &str) -> String {
    let output = agents(directory, words);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The values of a key, wherever it is, without quotes.
fn values<'a>(yaml: &'a str, key: &str) -> Vec<&'a str> {
    let of = |line: &'a str| line.trim_start().strip_prefix(key)?.strip_prefix(": ");
    yaml.lines().filter_map(of).map(|value| value.trim_matches('"')).collect()
}

/// The lines of a list, without those that are comments.
fn list<'a>(yaml: &'a str, key: &str) -> Vec<&'a str> {
    let begin = format!("{key}:");
    let mut lines = yaml.lines().skip_while(|line| line.trim_start() != begin);
    let first = lines.next().expect("the list");
    let indented = first.len() - first.trim_start().len();
    let inside = lines.take_while(|line| line.len() - line.trim_start().len() > indented);
    inside.map(str::trim_start).filter(|line| !line.starts_with('#')).collect()
}

#[test]
fn the_manifest_is_one_job_of_all_processes_and_a_service() {
    let directory = TestDirectory::new();
    let yaml = manifest(&directory, "--kubernetes 8");
    assert_eq!(values(&yaml, "kind"), ["Service", "Job"]);
    for (key, value) in [
        ("completionMode", "Indexed"),
        ("completions", "9"),
        ("parallelism", "9"),
        ("backoffLimit", "0"),
        ("restartPolicy", "Never"),
        ("clusterIP", "None"),
        ("publishNotReadyAddresses", "true"),
        ("subdomain", "tiebreak"),
        ("defaultMode", "0440"),
        ("runAsNonRoot", "true"),
        ("fsGroup", POD_USER),
        ("readOnlyRootFilesystem", "true"),
        ("allowPrivilegeEscalation", "false"),
        ("image", concat!("tiebreak:", env!("CARGO_PKG_VERSION"))),
        ("- topologyKey", "kubernetes.io/hostname"),
    ] {
        assert_eq!(values(&yaml, key), [value], "{key}: {yaml}");
    }
    assert_eq!(values(&yaml, "cpu"), ["2", "2"], "{yaml}");
    assert_eq!(list(&yaml, "drop"), ["- ALL"]);
    assert!(values(&yaml, "mountPath").contains(&"/tmp"), "{yaml}");
    assert!(!yaml.contains("stringData") && !yaml.contains("kind: Secret"), "{yaml}");
    let other = manifest(&directory, "--kubernetes 256 --name x1 --image r.test/t:1 --cores 4");
    assert_eq!(values(&other, "completions"), ["257"]);
    assert_eq!(values(&other, "image"), ["r.test/t:1"]);
    assert!(values(&other, "value").contains(&"x1-0.x1:9311"), "{other}");
}

#[test]
fn what_is_wrong_is_named() {
    let directory = TestDirectory::new();
    for (words, flag) in [
        ("", "--kubernetes"),
        ("--kubernetes 0", "--kubernetes"),
        ("--kubernetes 257", "--kubernetes"),
        ("--kubernetes many", "--kubernetes"),
        ("--kubernetes 8 --name Nightly", "--name"),
        ("--kubernetes 8 --name 8", "--name"),
        ("--kubernetes 8 --image :1", "--image"),
        ("--kubernetes 8 --cores 0.5", "--cores"),
    ] {
        let output = agents(&directory, words);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(output.stdout.is_empty(), "{words}");
        assert!(errors(&output).contains(flag), "{words}: {}", errors(&output));
    }
}

/// Kubernetes mounts a file as a link into a directory that is a link itself.
fn mounted(volume: &Path, file: &str, text: &str) {
    std::fs::create_dir_all(volume.join("..version")).expect("a directory");
    std::fs::write(volume.join("..version").join(file), text).expect("a file");
    symlink("..version", volume.join("..data")).expect("a link");
    symlink(Path::new("..data").join(file), volume.join(file)).expect("a link");
}

/// The command of one process as the manifest describes it, with other places, after this program.
fn process(group: &Group, yaml: &str, index: usize, mut command: Command) -> Command {
    let here = |text: &str| {
        let place = |volume: &str| group.directory.file(volume).display().to_string();
        let placed = text.replace("tiebreak-0.tiebreak:9311", &group.coordinator.to_string());
        let placed = placed.replace("/experiment/", &(place("experiment") + "/"));
        placed.replace("/token/", &(place("token-volume") + "/"))
    };
    let words: Vec<String> = list(yaml, "args")
        .iter()
        .map(|line| here(line.strip_prefix("- ").expect("an item")))
        .collect();
    command.args(words);
    let env = list(yaml, "env");
    assert_eq!(env.len() % 2, 0, "{env:?}");
    for pair in env.chunks(2) {
        let name = pair[0].strip_prefix("- name: ").expect("a name");
        let value = pair[1].strip_prefix("value: ").expect("a value").trim_matches('"');
        command.env(name, here(value));
    }
    command.env("JOB_COMPLETION_INDEX", index.to_string());
    // Its own wait is in the manifest.
    command.args(QUICK.replace("--gather 60s", "").split_whitespace());
    if index == 0 {
        command.args(["--json", "report.json"]);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// tiebreak as the user of the manifest, on a root that cannot be written to, except for the directory of the
/// group. Its binary is mounted there: others may not enter the directory that it is in.
fn in_a_pod(directory: &TestDirectory) -> Command {
    const SCRIPT: &str = "mount --bind \"$1\" \"$1\"; mount --bind \"$2\" \"$1/tiebreak\"
        mount -o remount,bind,ro /
        cd \"$1\"
        user=$3; shift 3
        exec setpriv --reuid=$user --regid=$user --clear-groups --no-new-privs --bounding-set=-all \\
            ./tiebreak \"$@\"";
    std::fs::write(directory.file("tiebreak"), "").expect("writes");
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-euc", SCRIPT, "sh"]).arg(directory.path());
    command.args([env!("CARGO_BIN_EXE_tiebreak"), POD_USER]).stdin(Stdio::null());
    command.env("TMPDIR", directory.path()).env("HOME", "/").env_remove("XDG_CACHE_HOME");
    command
}

#[test]
fn the_command_and_the_environment_of_the_manifest_drive_a_comparison() {
    drive(|directory| directory.command(&[""; 0]));
}

#[test]
fn an_ordinary_user_on_a_root_that_cannot_be_written_to_drives_the_manifest() {
    if lacks(Lack::Root) || lacks(Lack::Namespaces) {
        return;
    }
    drive(|directory| {
        let user = POD_USER.parse().ok();
        chown(directory.path(), user, user).expect("root");
        let token = directory.file("token-volume/..version/token");
        chown(&token, Some(0), user).expect("root");
        std::fs::set_permissions(token, Permissions::from_mode(0o440)).expect("root");
        in_a_pod(directory)
    });
}

fn drive(program: impl Fn(&TestDirectory) -> Command) {
    let group = Group::of(2);
    let yaml = manifest(&group.directory, "--kubernetes 2");
    let reply = Duration::from_millis(1);
    let (a, b) = (serve(reply), serve(reply));
    let contender = |name, address| format!("[contender.{name}]\nurl = \"http://{address}/\"\n");
    let experiment = contender("a", a.address()) + &contender("b", b.address());
    mounted(&group.directory.file("experiment"), "experiment.toml", &experiment);
    mounted(&group.directory.file("token-volume"), "token", TOKEN);
    let start = |index| {
        let program = program(&group.directory);
        Running::new(process(&group, &yaml, index, program).spawn().expect("it starts"))
    };
    let processes: Vec<Running> = (0..3).map(start).collect();
    for (index, process) in processes.into_iter().enumerate() {
        let output = process.output();
        if index == 0 {
            judged(&output, &group.directory);
        } else {
            assert_eq!(output.status.code(), Some(0), "{index}: {}", errors(&output));
        }
    }
    agree(&group.report(), [a, b], 2);
}

#[test]
fn a_name_that_never_exists_is_named_when_the_wait_is_over() {
    let group = Group::of(1);
    let words = "a=http://127.0.0.1:1/ b=http://127.0.0.1:2/ --gather 1s";
    let mut command = group.command(1, words);
    // A label has at most 63 characters: no server is asked for this one.
    let name = format!("{}.test", "x".repeat(64));
    command.env("TIEBREAK_COORDINATOR", format!("{name}:9311"));
    let output = command.output().expect("it runs");
    assert_eq!(output.status.code(), Some(5), "{}", errors(&output));
    let why = errors(&output);
    assert!(why.contains(&format!("TIEBREAK_COORDINATOR: the name `{name}`")), "{why}");
    assert!(why.contains("tried for 1 s"), "{why}");
}
