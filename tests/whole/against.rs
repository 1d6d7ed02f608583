//! Revisions of a repository that are compared with each other, through the binary.

use crate::common::{TestDirectory, errors, number, stdout};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

/// Runs git with an author, in a directory of the test.
pub(crate) fn git(directory: &Path, words: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=Ada @team", "-c", "user.email=ada@example.org"]);
    command.args(["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"]);
    command.args(words).current_dir(directory).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = command.output().expect("git is installed");
    assert!(output.status.success(), "git {words:?}: {}", errors(&output));
    stdout(&output).trim().to_owned()
}

pub(crate) fn write(directory: &TestDirectory, files: &[(&str, &str)]) {
    for (name, text) in files {
        let file = directory.file(name);
        fs::create_dir_all(file.parent().expect("a directory")).expect("a directory");
        fs::write(file, text).expect("a file");
    }
}

/// A repository with one commit for each list of files.
pub(crate) fn repository(commits: &[&[(&str, &str)]]) -> TestDirectory {
    let directory = TestDirectory::new();
    git(directory.path(), &["init", "--quiet"]);
    write(&directory, &[(".git/info/exclude", "/.cache\n/run*\n/report-of-the-test.json\n")]);
    for (number, files) in commits.iter().enumerate() {
        write(&directory, files);
        git(directory.path(), &["add", "--all"]);
        git(
            directory.path(),
            &["commit", "--quiet", "--allow-empty", "--message", &format!("#{number} by @team")],
        );
    }
    directory
}

/// Every file below a directory, with what changes if it is written.
fn listing(directory: &Path) -> Vec<String> {
    let mut all = Vec::new();
    let mut left = vec![directory.to_owned()];
    while let Some(path) = left.pop() {
        let about = path.symlink_metadata().expect("it exists");
        all.push(format!(
            "{} {} {}.{}",
            path.display(),
            about.len(),
            about.mtime(),
            about.mtime_nsec()
        ));
        if about.is_dir() {
            left.extend(
                fs::read_dir(&path).expect("readable").map(|entry| entry.expect("one").path()),
            );
        } else if about.is_file() {
            all.push(format!("{:?}", fs::read(&path).expect("readable")));
        }
    }
    all.sort();
    all
}

/// A program that does as much in a run as a file says, once it was built.
const PROGRAM: [(&str, &str); 3] = [
    ("program.sh", "sleep 0.02\ncat built\n"),
    (
        "tiebreak.toml",
        "[contender.work]\nbuild = [['sh', '-c', 'cp size built; mkdir {cache}/x']]\nurl = 'exec:sh ./program.sh'\n",
    ),
    (".gitignore", "built\n"),
];

fn program(size: &str) -> Vec<(&'static str, String)> {
    let mut files: Vec<_> =
        PROGRAM.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
    files.push(("size", format!("operations {size}\n")));
    files
}

pub(crate) fn programs(sizes: &[&str]) -> TestDirectory {
    let commits: Vec<Vec<_>> = sizes.iter().map(|size| program(size)).collect();
    let commits: Vec<Vec<(&str, &str)>> = commits
        .iter()
        .map(|files| files.iter().map(|(name, text)| (*name, text.as_str())).collect())
        .collect();
    repository(&commits.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

pub(crate) const SHORT_PROGRAM: [&str; 5] = ["--rounds", "8", "--round", "50ms", "--pilot=100ms"];

pub(crate) fn with<'a>(words: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [words, more].concat()
}

#[test]
fn two_revisions_of_a_program_are_two_programs() {
    let directory = programs(&["10", "40"]);
    write(&directory, &[("untracked", "x")]);
    let before = listing(&directory.file(".git"));
    let words = with(&["compare", "--against", "HEAD~1", "--out", "run"], &SHORT_PROGRAM);
    let markdown = ["--markdown", "run.md"];
    let (code, report) = directory.report(&with(&words, &markdown));
    assert_eq!(code, 0, "{report:#}");
    let comparison = &report["comparisons"][0];
    assert_eq!((&comparison["a"], &comparison["b"]), (&"old".into(), &"new".into()));
    // Four times the work in the same time.
    assert!((2.0..8.0).contains(&number(&comparison["ratio"])), "{comparison:#}");
    assert_eq!(comparison["verdict"], "faster");
    assert_eq!(listing(&directory.file(".git")), before, "the repository was written to");
    let [old, new] = [0, 1].map(|at| &report["plan"]["contenders"][at]["revision"]);
    assert_eq!(old["id"], git(directory.path(), &["rev-parse", "HEAD~1"]).as_str());
    assert_eq!(old["subject"], "#0 by @team");
    assert_eq!(old["work_tree"], Value::Null);
    assert_eq!(number(&new["work_tree"]["untracked_files"]), 1.0);
    assert_eq!(number(&new["work_tree"]["changed_files"]), 0.0);
    let markdown = directory.text("run.md");
    assert!(markdown.contains("<code>#<!-- -->0 by @<!-- -->team</code>"), "{markdown}");
    assert!(!markdown.contains("@team"), "{markdown}");
}

#[test]
fn what_is_wrong_is_said_with_its_exit_code() {
    let directory = programs(&["10", "10"]);
    let refused = |words: &[&str], code: i32, parts: &[&str]| {
        let output = directory.tiebreak(&with(&["compare"], words));
        let text = errors(&output);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {text}");
        parts.iter().for_each(|part| assert!(text.contains(part), "{words:?}: {part}: {text}"));
    };
    refused(&["--against", "v9"], 2, &["the revision `v9` was not found", "git fetch --tags"]);
    refused(&["--against", "v9..."], 2, &["the revision `v9` was not found"]);
    refused(&["--against=-x"], 2, &["the revision `-x` was not found"]);
    refused(&["nginx", "--against", "HEAD"], 2, &["`nginx` is not built from a repository"]);
    refused(&["http://127.0.0.1:1/", "--against", "HEAD"], 2, &["is not built from a repository"]);
    refused(&["--against", "HEAD", "--contender", "wrok"], 2, &["did you mean `work`?"]);
    refused(&["--against", "HEAD", "--their-experiment"], 2, &["add --allow-file"]);
    refused(&["--contender", "work"], 2, &["--against"]);
    let top = directory.path().canonicalize().expect("a path").display().to_string();
    let outside = TestDirectory::new();
    let link = outside.file("link");
    std::os::unix::fs::symlink(&top, &link).expect("a link");
    let link = link.display();
    for (text, part) in [
        ("url = 'http://127.0.0.1:1/'", "is already running"),
        ("recipe = 'nginx'", "is a recipe, which no revision changes"),
        (&*format!("url = 'exec:sh {top}/program.sh'"), "your working tree"),
        ("user = 'nobody'\nlaunch = ['true']", "cannot read a snapshot"),
        (&*format!("url = 'exec:true'\ncwd = '{link}'"), "of your working tree"),
        (&*format!("launch = ['true']\ncwd = '{link}'"), "of your working tree"),
    ] {
        fs::write(directory.file("other.toml"), format!("[contender.a]\n{text}\n"))
            .expect("a file");
        refused(&["other.toml", "--against", "HEAD"], 2, &[part]);
    }
    let file = "[contender.a]\nurl = 'exec:true http://127.0.0.1:{port}/'\nlaunch = ['true']\nready = { log = 'x' }\n";
    fs::write(directory.file("other.toml"), file).expect("a file");
    let rebuilt = ["other.toml", "--against", "HEAD", "--rebuilds", "8"];
    refused(&rebuilt, 2, &["a program with servers"]);
    let two = "[contender.a]\nlaunch = ['true']\n[contender.b]\nlaunch = ['true']\n";
    fs::write(directory.file("other.toml"), two).expect("a file");
    refused(&["other.toml", "--against", "HEAD"], 2, &["--contender (a, b)"]);
    let output = outside.tiebreak(&["compare", "--against", "HEAD"]);
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    assert!(errors(&output).contains("git repository"), "{}", errors(&output));
    let shallow = outside.file("shallow");
    let from = format!("file://{top}");
    git(outside.path(), &["clone", "--quiet", "--depth", "1", &from, "shallow"]);
    let mut command = outside.command(&["compare", "--against", "HEAD~1"]);
    let output = command.current_dir(shallow).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    for part in ["this clone is shallow", "git fetch --unshallow", "fetch-depth: 0"] {
        assert!(errors(&output).contains(part), "{}", errors(&output));
    }
    let mut command = directory.command(&["compare", "--against", "HEAD"]);
    let output = command.env("PATH", "/nowhere").output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    assert!(errors(&output).contains("apt-get install git"), "{}", errors(&output));
}

#[test]
fn a_side_that_does_not_build_is_named_with_what_its_snapshot_lacks() {
    let file =
        "[contender.work]\nbuild = [['sh', '-c', 'cat secret.conf']]\nurl = 'exec:sh -c :'\n";
    let directory = repository(&[&[("tiebreak.toml", file), (".gitignore", "*.conf\n/more\n")]]);
    write(&directory, &[("secret.conf", "x"), ("more/a", "x")]);
    let output = directory.tiebreak(&["compare", "--against", "HEAD"]);
    let text = errors(&output);
    assert_eq!(output.status.code(), Some(4), "{text}");
    let id = git(directory.path(), &["rev-parse", "--short", "HEAD"]);
    for part in [
        &format!("`old ({id})`: `sh -c 'cat secret.conf'` exited with status 1"),
        "cat: secret.conf: No such file",
        // What the error speaks of comes first: here the directory of the test's cache, too.
        "files that git ignores are in no snapshot (.cache/, secret.conf, more/)",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let snapshots = fs::read_dir(directory.file(".cache/tiebreak/revisions")).expect("it exists");
    for snapshot in snapshots.flatten() {
        assert!(!snapshot.path().join("tree").exists(), "a failed snapshot stays");
        assert!(snapshot.path().join("build.log").exists(), "its log is quoted");
    }
}

/// The number of cases is not known before a build, and it is at least one.
#[test]
fn too_few_rebuilds_of_a_suite_are_refused_before_anything_is_built() {
    let file = "[contender.work]\nbuild = [['sh', '-c', 'echo x >> $PLACE']]\n\
        url = 'exec:echo BenchmarkA 9 7 ns/op'\nfigures = 'go'\nenv = { PLACE = '${PLACE_OF_THE_TEST}' }\n";
    let directory = repository(&[&[("tiebreak.toml", file)]]);
    let outside = TestDirectory::new();
    let place = outside.file("builds");
    let mut command =
        directory.command(&["compare", "--against", "HEAD", "--rebuilds", "5", "--quiet"]);
    let output = command.env("PLACE_OF_THE_TEST", &place).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    let why = "5 builds cannot support 1 comparison at 5 %; at least 6 are needed: use --rebuilds";
    assert!(errors(&output).contains(why), "{}", errors(&output));
    assert!(!place.exists(), "nothing is built");
}

#[test]
fn one_program_for_both_sides_is_refused() {
    let directory = TestDirectory::new();
    let program = directory.file("of-both").display().to_string();
    let file = format!(
        "[contender.work]\nbuild = [['sh', '-c', 'cp program.sh {program}']]\nurl = 'exec:sh {program}'\n"
    );
    let directory = repository(&[&[("tiebreak.toml", &file), ("program.sh", "echo operations 1")]]);
    refused_each_time(&directory, None);
}

/// Refuses a build that wrote the program of both sides, and keeps nothing that would be used the next time.
fn refused_each_time(directory: &TestDirectory, path: Option<&str>) {
    for _ in 0..2 {
        let mut command = directory.command(&["compare", "--against", "HEAD"]);
        command.envs(path.map(|path| ("PATH", path)));
        let output = command.output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
        assert!(errors(&output).contains("which every side would run"), "{}", errors(&output));
    }
    let snapshots = fs::read_dir(directory.file(".cache/tiebreak/revisions")).expect("it exists");
    assert_eq!(snapshots.count(), 0, "nothing is kept");
}

/// A program that is installed is found by its name, as `cargo install` and `go install` leave it.
#[test]
fn an_installed_program_for_both_sides_is_refused() {
    let outside = TestDirectory::new();
    let tool = outside.file("tool-of-both");
    // As installers do: the copy is as old as its source.
    let script = "#!/bin/sh\nsleep 0.01\necho operations 1\n";
    let install = format!("chmod +x tool; cp -p tool {}", tool.display());
    fs::write(&tool, script).expect("a file");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).expect("a file");
    let path = format!("{}:{}", outside.path().display(), std::env::var("PATH").expect("set"));
    let us = env!("CARGO_BIN_EXE_tiebreak");
    for url in ["exec:tool-of-both 1", "exec:sh -c 'tool-of-both; true'"] {
        let file =
            format!("[contender.work]\nbuild = [['sh', '-c', '{install}']]\nurl = \"{url}\"\n");
        let directory = repository(&[&[("tiebreak.toml", &file), ("tool", script)]]);
        refused_each_time(&directory, Some(&path));
    }
    let file = format!(
        "[contender.work]\nshell = true\nbuild = ['{install}']\n\
         launch = 'tool-of-both; exec {us} testserver --listen 127.0.0.1:{{port}}'\n"
    );
    let directory = repository(&[&[("tiebreak.toml", &file), ("tool", script)]]);
    refused_each_time(&directory, Some(&path));
}

/// Nothing of the user's shell or settings leads a build or a run out of its snapshot.
#[test]
fn neither_variables_nor_settings_lead_out_of_a_snapshot() {
    let test = "test -z \"$VIRTUAL_ENV$GIT_DIR\" && ! command -v marker-of-venv && \
                test \"$RUSTFLAGS\" = \"-C debuginfo=0\" && test \"$CARGO_TARGET_DIR\" = \"$PWD/target\"";
    let build = format!("{test} && test \"$GIT_AUTHOR_NAME\" = Ada");
    let run = format!("set -e\n{test}\nsleep 0.01\necho operations 1\n");
    let file = "[contender.work]\nbuild = [['sh', 'build.sh']]\nurl = 'exec:sh work.sh'\n";
    let directory =
        repository(&[&[("tiebreak.toml", file), ("build.sh", &build), ("work.sh", &run)]]);
    let target = format!("[build]\ntarget-dir = '{}'\n", directory.file("all").display());
    write(&directory, &[(".cargo/config.toml", &target), ("venv/bin/marker-of-venv", "")]);
    let marker = directory.file("venv/bin/marker-of-venv");
    fs::set_permissions(marker, fs::Permissions::from_mode(0o755)).expect("a file");
    let venv = directory.file("venv");
    let words = with(&["compare", "--against", "HEAD", "--json", "run.json"], &SHORT_PROGRAM);
    let mut command = directory.command(&words);
    let path = format!("{}/bin:{}", venv.display(), std::env::var("PATH").expect("set"));
    command.env("PATH", path).env("VIRTUAL_ENV", venv).env("RUSTFLAGS", "-C debuginfo=0");
    command.env("GIT_DIR", directory.file(".git")).env("GIT_AUTHOR_NAME", "Ada");
    command.env("CARGO_TARGET_DIR", directory.file("all"));
    let output = command.output().expect("it runs");
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", errors(&output));
    let report = directory.json("run.json");
    assert!(number(&report["comparisons"][0]["ratio"]) > 0.0, "{report:#}");
}

#[test]
fn check_prints_the_builds_and_runs_nothing() {
    let directory = programs(&["10", "40"]);
    let output = directory.tiebreak(&["check", "--against", "HEAD~1"]);
    let text = stdout(&output);
    assert!(output.status.success(), "{}", errors(&output));
    let id = git(directory.path(), &["rev-parse", "--short", "HEAD~1"]);
    for part in ["builds, each in a snapshot", &format!("old ({id})"), "cp size built", "takes "] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!directory.file(".cache/tiebreak/revisions").exists(), "nothing is built");
}

/// Sample projects, each with a part of the file that is written for it.
const PROJECTS: [(&[(&str, &str)], &str); 18] = [
    (
        &[
            (
                "Cargo.toml",
                "[package]\nname = 'fields'\n[dev-dependencies]\ncriterion = '0.5'\n[[bench]]\nname = 'split'\nharness = false\n",
            ),
            ("benches/split.rs", "fn main() {}"),
        ],
        "url = \"exec:cargo bench --quiet --offline --bench split -- --noplot {case}\"",
    ),
    (
        &[
            ("Cargo.toml", "[package]\nname = 'api'\n[dependencies]\naxum = '0.8'\n"),
            ("src/main.rs", "fn main() { std::env::var(\"PORT\").unwrap(); }"),
        ],
        "launch = [\"./target/release/api\"]",
    ),
    (
        &[
            ("Cargo.toml", "[package]\nname = 'slug'\n[dev-dependencies]\ndivan = '0.1'\n"),
            ("src/main.rs", "fn main() {}"),
            ("benches/long.rs", "fn main() {}"),
        ],
        "what its benchmarks measure (long): they are not of criterion",
    ),
    (&[("Cargo.toml", "[workspace]\nmembers = ['a']\n")], "which program of the workspace"),
    (
        &[
            ("go.mod", "module example.org/slug\n"),
            ("slug_test.go", "func BenchmarkSlug(b *testing.B) {}"),
        ],
        "build = [[\"go\", \"test\", \"-c\", \"-o\", \"./bench.test\", \".\"]]",
    ),
    (
        &[
            ("go.mod", "module example.org/slug\n"),
            ("a/a_test.go", "func BenchmarkA(b *testing.B) {}"),
        ],
        "cwd = \"a\"",
    ),
    (
        &[
            ("go.mod", "module api\n"),
            ("main.go", "package main\nfunc main() { http.ListenAndServe(\":8080\", nil) }"),
        ],
        "Its files name 8080",
    ),
    (
        &[
            (
                "package.json",
                "{\"name\": \"@a/shop\", \"scripts\": {\"start\": \"node server.js\"}, \"dependencies\": {\"x\": \"1\"}}",
            ),
            ("package-lock.json", "{}"),
            ("server.js", "listen(process.env.PORT)"),
        ],
        "launch = [\"node\", \"server.js\"]",
    ),
    (
        &[
            ("pyproject.toml", "[project]\nname = 'a'\n"),
            ("requirements-dev.txt", "pytest-benchmark\n"),
        ],
        "figures = { kind = \"pytest-benchmark\", file = \"{figures}\" }",
    ),
    (
        &[("requirements.txt", "fastapi\n"), ("app/main.py", "app = FastAPI()\n")],
        "\"app.main:app\"",
    ),
    (
        &[(
            "pyproject.toml",
            "[project]\nname = 'slug'\n[project.scripts]\na = 'slug:a'\nslug = 'slug:b'\n",
        )],
        "url = \"exec:{cache}/venv/bin/slug\"",
    ),
    (
        &[("pyproject.toml", "[project]\nname = 'slug'\n[project.scripts]\nslug = 'slug:b'\n")],
        "[\"{cache}/venv/bin/pip\", \"install\", \"--quiet\", \".\"]]\n",
    ),
    (
        &[(
            "pyproject.toml",
            "[tool.poetry]\nname = 'slug'\n[tool.poetry.scripts]\nmake-slug = 'slug:b'\n",
        )],
        "[contender.slug]\n# {cache} is a directory that each revision has for itself: its virtual environment is there.\n",
    ),
    (
        &[("pyproject.toml", "[tool.ruff]\n"), ("run.py", "if __name__ == '__main__': pass\n")],
        "build = [[\"python3\", \"-m\", \"venv\", \"{cache}/venv\"]]\n",
    ),
    (
        &[
            ("requirements.txt", ""),
            ("web.py", "HTTPServer((\"\", int(os.environ[\"PORT\"])), H).serve_forever()\n"),
        ],
        "launch = [\"{cache}/venv/bin/python\", \"web.py\"]",
    ),
    (
        &[("work.py", "if __name__ == '__main__': print(1)\n"), ("more/other.py", "")],
        "url = \"exec:{cache}/venv/bin/python work.py\"",
    ),
    (
        &[("Makefile", "CC = cc\nall: count\ncount: count.c\n\tcc -o count count.c\n")],
        "build = [[\"make\", \"count\"]]",
    ),
    (
        &[("Dockerfile", "FROM x\nEXPOSE 3000\nCMD [\"./serve\", \"--all\"]\n")],
        "launch = [\"./serve\", \"--all\"]",
    ),
];

#[test]
fn a_first_file_is_valid_for_every_kind_of_project() {
    for (files, part) in PROJECTS {
        let directory = repository(&[files]);
        let output = directory.tiebreak(&["init"]);
        assert!(output.status.success(), "{files:?}: {}", errors(&output));
        assert!(
            stdout(&output).ends_with("next: tiebreak compare --against HEAD\n"),
            "{}",
            stdout(&output)
        );
        let text = directory.text("tiebreak.toml");
        assert!(text.contains(part), "{part}: {text}");
        let output = directory.tiebreak(&["check", "--against", "HEAD"]);
        assert!(output.status.success(), "{text}\n{}", errors(&output));
        let again = directory.tiebreak(&["init"]);
        assert_eq!(again.status.code(), Some(2));
        assert!(errors(&again).contains("exists already and is not changed"), "{}", errors(&again));
        assert_eq!(directory.text("tiebreak.toml"), text);
    }
    let empty = TestDirectory::new();
    let output = empty.tiebreak(&["init"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("Cargo.toml, go.mod"), "{}", errors(&output));
    assert!(!empty.file("tiebreak.toml").exists());
}

/// The first commands of a newcomer give a verdict. The difference is far larger than what a busy machine adds to the
/// start of a program.
#[test]
fn a_first_file_and_a_comparison_need_nothing_else() {
    let makefile = "count: count.sh\n\tcp count.sh count\n\tchmod +x count\n";
    // Of a program that does not print how much work it did, whole runs are compared.
    for (last, counts_runs) in [("echo operations 10\n", false), ("echo done\n", true)] {
        let script = format!("#!/bin/sh\nsleep 0.02\n{last}");
        let directory = repository(&[
            &[("Makefile", makefile), ("count.sh", &script)],
            &[("count.sh", &script.replace("0.02", "0.2"))],
        ]);
        let output = directory.tiebreak(&["init"]);
        assert!(output.status.success());
        let next = "wrote tiebreak.toml from Makefile: a Makefile\nnext: tiebreak compare --against HEAD~1\n";
        assert_eq!(stdout(&output), next);
        assert_eq!(directory.text("tiebreak.toml").contains("\noperations = 1\n"), counts_runs);
        let words = with(&["compare", "--against", "HEAD~1", "--out", "run"], &SHORT_PROGRAM);
        let (code, report) = directory.report(&words);
        assert_eq!(code, 0, "{report:#}");
        assert_eq!(report["comparisons"][0]["verdict"], "slower");
        let told = stdout(&directory.tiebreak(&["clean"])).replace('\u{a0}', " ");
        assert!(told.starts_with("removed 1 build ("), "{told}");
    }
}
