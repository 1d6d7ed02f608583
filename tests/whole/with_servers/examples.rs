//! The projects in miniature of `examples/`, each in a repository of its own whose last commit makes it slower: what
//! the guide's commands say of them.

use crate::against::git;
use crate::common::{TestDirectory, errors, number, stdout};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A copy of an example, as a repository of git.
struct Project {
    directory: TestDirectory,
    name: &'static str,
}

/// A change that makes a project slower, and nothing else.
struct Slower {
    file: &'static str,
    from: &'static str,
    to: &'static str,
}

impl Project {
    /// The example with this name, with one commit.
    fn new(name: &'static str) -> Project {
        let project = Project { directory: TestDirectory::new(), name };
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name);
        let copy = Command::new("cp").arg("-r").arg(example).arg(project.path()).output();
        let copy = copy.expect("the program runs");
        assert!(copy.status.success(), "{}", errors(&copy));
        git(&project.path(), &["init", "-q"]);
        // What was built in the example itself.
        git(&project.path(), &["clean", "-fdXq"]);
        project.commit("The first version");
        project
    }

    /// The example with two commits, the second of which makes it slower.
    fn made_slower(name: &'static str, by: &Slower) -> Project {
        let project = Project::new(name);
        project.change(by);
        project.commit("Do more work");
        project
    }

    fn path(&self) -> PathBuf {
        self.directory.file(self.name)
    }

    fn change(&self, by: &Slower) {
        let file = self.path().join(by.file);
        let text = std::fs::read_to_string(&file).expect("a file of the example");
        assert_eq!(text.matches(by.from).count(), 1, "`{}` in {}", by.from, by.file);
        std::fs::write(&file, text.replace(by.from, by.to)).expect("a file of the example");
    }

    fn commit(&self, subject: &str) {
        git(&self.path(), &["add", "-A"]);
        git(&self.path(), &["commit", "-q", "--allow-empty", "-m", subject]);
    }

    /// Runs tiebreak in the project. What the tools fetch and compile for all projects alike is kept between tests.
    fn tiebreak(&self, arguments: &[&str]) -> Output {
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("examples");
        let mut command = self.directory.command(arguments);
        command.current_dir(self.path());
        command.env("GOCACHE", kept.join("go")).env("PIP_CACHE_DIR", kept.join("pip"));
        command.env("GIT_CONFIG_GLOBAL", "/dev/null");
        let output = command.output().expect("the binary runs");
        // Shown if the test fails.
        println!("tiebreak {}\n{}{}", arguments.join(" "), stdout(&output), errors(&output));
        output
    }

    /// Compares the last two commits, and returns the exit code, what was printed, and the report.
    fn compare(&self, arguments: &[&str]) -> (i32, String, Value) {
        let file = self.directory.file("report.json");
        let path = file.to_str().expect("a plain path");
        let words = [&["compare", "--against", "HEAD~1"], arguments, &["--json", path]].concat();
        let output = self.tiebreak(&words);
        let code = output.status.code().expect("an exit code");
        (code, stdout(&output), self.directory.json(&file))
    }

    /// `tiebreak init` writes the file that the example has, and the plan can be made from it.
    fn begins_without_a_file(&self) {
        let file = self.path().join("tiebreak.toml");
        let ours = std::fs::read_to_string(&file).expect("the file of the example");
        std::fs::remove_file(&file).expect("the file of the example");
        assert_eq!(self.tiebreak(&["init"]).status.code(), Some(0));
        assert_eq!(std::fs::read_to_string(&file).expect("a file"), ours);
        let output = self.tiebreak(&["check", "--against", "HEAD~1"]);
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).contains("Do more work"), "the subject of the last commit");
    }
}

/// The comparison of a case, or of the throughput.
fn comparison<'a>(report: &'a Value, case: Option<&str>) -> &'a Value {
    let all = report["comparisons"].as_array().expect("comparisons");
    let is_it = |of: &&Value| match case {
        Some(case) => of["case"] == case,
        None => of["metric"] == "throughput",
    };
    all.iter().find(is_it).unwrap_or_else(|| panic!("{case:?} in {:#}", report["comparisons"]))
}

/// One case of a suite became much slower: it is found, and `--require` fails.
fn finds_a_slower_case(project: &Project, case: &str) {
    project.begins_without_a_file();
    let (code, text, report) = project.compare(&["--require", "every case <= 1.03x"]);
    let found = comparison(&report, Some(case));
    assert_eq!(found["verdict"], "slower", "{found:#}");
    assert!(number(&found["ratio"]) > 1.3, "{found:#}");
    assert!(text.contains("of 3 slower (worst: "), "{text}");
    assert_eq!(code, 1, "{text}");
}

/// The whole became much slower: `flags` make the comparison short.
fn finds_a_slower_whole(project: &Project, flags: &[&str]) {
    project.begins_without_a_file();
    let required = ["--require", "new/old throughput >= 0.97"];
    let (code, text, report) = project.compare(&[&required, flags].concat());
    let found = comparison(&report, None);
    assert_eq!(found["verdict"], "slower", "{found:#}");
    assert!(number(&found["ratio"]) < 0.8, "{found:#}");
    assert_eq!(code, 1, "{text}");
}

#[test]
fn a_rust_library_with_criterion() {
    let by = Slower {
        file: "src/lib.rs",
        from: "line.len()).max()",
        to: "line.chars().collect::<String>().len()).max()",
    };
    finds_a_slower_case(&Project::made_slower("rust-criterion", &by), "longest");
}

const SLOWER_VOWELS: Slower = Slower {
    file: "slug.go",
    from: "vowels := 0",
    to: "vowels := strings.Count(strings.Repeat(title, 30), \"#\")",
};

/// The benchmark of that function, with its package.
const SLOWER_CASE: &str = "BenchmarkVowels (slug)";

#[test]
fn a_go_package() {
    finds_a_slower_case(&Project::made_slower("go", &SLOWER_VOWELS), SLOWER_CASE);
}

#[test]
fn a_python_module_with_pytest_benchmark() {
    let by = Slower {
        file: "wordcount.py",
        from: "max(text.splitlines(), key=len, default=\"\")",
        to: "max([line for _ in range(3) for line in text.splitlines()], key=len, default=\"\")",
    };
    finds_a_slower_case(
        &Project::made_slower("python", &by),
        "test_wordcount.py::test_longest_line",
    );
}

/// What `tiebreak init` names as the next command gives a verdict without another flag, also of a script that does not
/// print how much work it did.
#[test]
fn a_script_that_pip_installs() {
    let project = Project { directory: TestDirectory::new(), name: "total" };
    let build =
        "[build-system]\nrequires = ['setuptools']\nbuild-backend = 'setuptools.build_meta'\n";
    let about =
        "[project]\nname = 'total'\nversion = '1'\n[project.scripts]\ntotal = 'total:main'\n";
    let text = "def main():\n    print(sum(n * n for n in range(200_000)))\n";
    std::fs::create_dir(project.path()).expect("a directory");
    for (name, text) in [("pyproject.toml", &*format!("{build}{about}")), ("total.py", text)] {
        std::fs::write(project.path().join(name), text).expect("a file");
    }
    git(&project.path(), &["init", "-q"]);
    project.commit("The first version");
    let (file, from, to) =
        ("total.py", "    print", "    for _ in range(10): sum(range(200_000))\n    print");
    project.change(&Slower { file, from, to });
    project.commit("Do more work");
    let told = stdout(&project.tiebreak(&["init"]));
    let (_, next) = told.split_once("\nnext: tiebreak ").expect("a command");
    let file = project.directory.file("report.json");
    let words: Vec<&str> = next.split_whitespace().collect();
    let short = ["--round", "300ms", "--json", file.to_str().expect("a plain path")];
    assert_eq!(project.tiebreak(&[&words[..], &short].concat()).status.code(), Some(0));
    let report = project.directory.json(&file);
    assert_eq!(comparison(&report, None)["verdict"], "slower");
}

#[test]
fn a_service_in_node() {
    let by = Slower {
        file: "server.js",
        from: "JSON.stringify(found)",
        to: "JSON.stringify(JSON.parse(JSON.stringify(JSON.parse(JSON.stringify(found)))))",
    };
    finds_a_slower_whole(
        &Project::made_slower("node-service", &by),
        &["--launches", "6", "--rounds", "1"],
    );
}

#[test]
fn a_program_in_c() {
    let by = Slower {
        file: "count.c",
        from: "make_text(text, SIZE);\n",
        to: "for (int i = 0; i < 4; i++)\n        make_text(text, SIZE);\n",
    };
    finds_a_slower_whole(&Project::made_slower("c-program", &by), &["--round", "500ms"]);
}

#[test]
fn the_commit_that_made_a_case_slower() {
    let project = Project::new("go");
    project.commit("Before");
    project.change(&SLOWER_VOWELS);
    project.commit("Count more");
    project.commit("After");
    project.commit("Long after");
    let words = ["bisect", "HEAD~4", "HEAD", "--case", SLOWER_CASE, "--quiet"];
    let output = project.tiebreak(&words);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert!(text.contains("(Count more, ") && text.contains("against its parent"), "{text}");
}
