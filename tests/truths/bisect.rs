//! Known truths about the search over commits: histories in which some commits make a program or a service dearer.

use crate::common::{TestDirectory, errors, stdout};
use crate::driver::{figure, truths};
use crate::revisions::git;
use serde_json::Value;
use std::fs;

truths! {
    All: a_commit_that_costs_a_fifth_is_named,
    Calibration: one_planted_commit_of_64_is_named,
    Calibration: nothing_planted_in_64_commits_is_no_regression,
    Calibration: two_planted_commits_of_64_are_spread,
    Calibration: three_commits_of_64_that_do_not_build_are_skipped,
}

/// What is built and measured: how it reads the work of its commit, and how much that is by default.
struct Subject {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    experiment: &'static str,
    /// The file with the work of a commit, and its text with the number in place of N.
    work: (&'static str, &'static str),
    usual: u32,
}

const PROGRAM: Subject = Subject {
    name: "a program in C",
    files: &[("program.c", include_str!("services/program.c"))],
    experiment: "[contender.it]\nbuild = [['cc', '-O1', '-o', 'program', 'program.c']]\nurl = 'exec:./program'\n",
    work: ("work.h", "#define WORK N\n"),
    usual: 400,
};
const SERVICE: Subject = Subject {
    name: "a service in C",
    files: &[("service.c", include_str!("services/service.c"))],
    experiment: "[contender.it]\nbuild = [['cc', '-O1', '-o', 'service', 'service.c']]\n\
                 launch = ['./service', '{port}']\nurl = 'http://127.0.0.1:{port}/'\n",
    // Nearly all of what a request costs: about 200 µs.
    work: ("work.h", "#define WORK N\n"),
    usual: 200,
};

/// A history: what is measured, how many commits come after GOOD, and what is planted.
struct History<'a> {
    subject: &'a Subject,
    commits: u32,
    /// Commits that add this share to the work.
    planted: &'a [(u32, f64)],
    broken: &'a [u32],
}

/// How a search ended.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    /// The numbers of the commits that it may be.
    Named(Vec<u32>),
    /// `spread`, `no_regression`, `undecided` or `between`.
    Other(String),
}

impl History<'_> {
    fn work(&self, commit: u32) -> u32 {
        let added = self.planted.iter().filter(|(at, _)| *at <= commit);
        let share = added.fold(1.0, |product, (_, share)| product * (1.0 + share));
        (f64::from(self.subject.usual) * share).round() as u32
    }

    /// Makes the repository.
    fn repository(&self) -> TestDirectory {
        let directory = TestDirectory::new();
        let write = |name: &str, text: &str| {
            fs::write(directory.file(name), text).expect("a file");
        };
        git(&directory, &["init", "--quiet", "."]);
        write(".git/info/exclude", "/.cache\n/run*\n");
        self.subject.files.iter().for_each(|(name, text)| write(name, text));
        write("tiebreak.toml", self.subject.experiment);
        for commit in 0..=self.commits {
            let (file, text) = self.subject.work;
            let work = text.replace('N', &self.work(commit).to_string());
            if self.broken.contains(&commit) {
                fs::remove_file(directory.file(file)).expect("it was there");
                write(self.subject.files[0].0, "this does not build\n");
            } else {
                write(file, &work);
                write(self.subject.files[0].0, self.subject.files[0].1);
            }
            write("number", &commit.to_string());
            git(&directory, &["add", "--all"]);
            git(&directory, &["commit", "--quiet", "--message", &commit.to_string()]);
        }
        directory
    }

    fn search(&self, seed: u64) -> Answer {
        let directory = self.repository();
        let good = format!("HEAD~{}", self.commits);
        let seed = seed.to_string();
        let words = ["bisect", &good, "HEAD", "--quiet", "--out", "run", "--seed", &seed];
        let output = directory.tiebreak(&words);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        let record: Value = directory.json("run/bisect.json");
        let line = &record["lines"][0];
        let probes = line["probes"].as_array().expect("probes");
        let launches: u64 = (probes.iter().filter(|probe| probe["state"] == "measured"))
            .map(|probe| {
                let places = probe["places"].as_array().expect("places").len() as u64;
                places * probe["units"].as_u64().expect("a number")
            })
            .sum();
        let said = stdout(&output).lines().next().unwrap_or_default().to_owned();
        println!("{}: {launches} launches, {} runs: {said}", self.subject.name, probes.len());
        let (kind, of) =
            line["answer"].as_object().and_then(|of| of.iter().next()).expect("an answer");
        if kind != "named" {
            return Answer::Other(kind.clone());
        }
        let place = |key: &str| of[key].as_u64().expect("a place") as u32;
        Answer::Named((place("first")..=place("last")).collect())
    }
}

/// The history has a step of 20 %, far above the noise of a run. A right tool errs only if three comparisons in a row,
/// each of at least eight pairs of runs, miss that.
fn a_commit_that_costs_a_fifth_is_named() {
    let history = History { subject: &PROGRAM, commits: 8, planted: &[(6, 0.2)], broken: &[4] };
    let answer = history.search(1);
    figure(format!("{answer:?}"), "the sixth of eight commits");
    assert_eq!(answer, Answer::Named(vec![6]));
}

/// Six searches of a kind of history, half of them with each subject. Returns the answers.
fn six(history: impl Fn(u64) -> (Vec<(u32, f64)>, Vec<u32>)) -> Vec<(Vec<u32>, Answer)> {
    let search = |number: u64| {
        let (planted, broken) = history(number);
        let subject = if number.is_multiple_of(2) { &PROGRAM } else { &SERVICE };
        let of = History { subject, commits: 64, planted: &planted, broken: &broken };
        (planted.iter().map(|(at, _)| *at).collect(), of.search(number))
    };
    (1..=6).map(search).collect()
}

/// Checks how many of six searches gave the right answer, and that at most one named a wrong commit. The simulation has
/// no wrong commit in 6,000 searches, so two of six would be a fault.
fn check(answers: &[(Vec<u32>, Answer)], is_right: impl Fn(&[u32], &Answer) -> bool, least: usize) {
    let right = answers.iter().filter(|(planted, answer)| is_right(planted, answer)).count();
    let named = answers.iter().filter(|(_, answer)| matches!(answer, Answer::Named(_)));
    let wrong = named.filter(|(planted, answer)| !named_it(planted, answer)).count();
    figure(format!("{right} of 6 right: {answers:?}"), format!("at least {least}"));
    figure(format!("{wrong} wrong commits named"), "1");
    assert!(right >= least && wrong <= 1, "{answers:?}");
}

fn named_it(planted: &[u32], answer: &Answer) -> bool {
    matches!(answer, Answer::Named(of) if of.iter().any(|at| planted.contains(at)))
}

/// Right in 95 % at least (simulated: 98 to 99 %): fewer than three of six with a probability of 9 in 100 000.
fn one_planted_commit_of_64_is_named() {
    let answers = six(|number| (vec![(7 + 9 * number as u32, 0.05)], Vec::new()));
    check(&answers, named_it, 3);
}

/// Right in 98 % at least: fewer than three of six with a probability of 3 in 1 000 000.
fn nothing_planted_in_64_commits_is_no_regression() {
    let answers = six(|_| (Vec::new(), Vec::new()));
    check(&answers, |_, answer| *answer == Answer::Other("no_regression".to_owned()), 3);
}

/// Right in 92 % at least: fewer than two of six with a probability of 2 in 100 000.
fn two_planted_commits_of_64_are_spread() {
    let answers = six(|number| {
        let first = 3 + 4 * number as u32;
        (vec![(first, 0.05), (first + 30, 0.05)], Vec::new())
    });
    check(&answers, |_, answer| *answer == Answer::Other("spread".to_owned()), 2);
}

/// The three broken commits are in the middle, which is probed first, and next to the planted one.
fn three_commits_of_64_that_do_not_build_are_skipped() {
    let answers = six(|number| {
        let at = 7 + 9 * number as u32;
        (vec![(at, 0.05)], vec![32, at - 1, (at + 20) % 60 + 1])
    });
    check(&answers, named_it, 3);
}
