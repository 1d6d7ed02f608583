//! Searches in which the runs are a table: the cost of each commit, with noise from a seed. A run leaves a file, as a
//! real one leaves a journal.

use super::history::Commits;
use super::*;
use crate::scratch::Scratch;
use engine::random::Random;
use protocol::Exit;
use report::bisect::{Asked, Bisection, Commit, Ended, Line, SCHEMA, State};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::fs;

/// A history as a table of parents, and what each commit costs.
#[derive(Default)]
struct Table {
    commits: Vec<Commit>,
    costs: HashMap<String, f64>,
    /// Commits that do not build.
    broken: Vec<String>,
    /// Commits that change something at the path.
    touching: Vec<String>,
    is_shallow: bool,
}

impl Table {
    /// A commit with these parents, which costs this share more than its first one.
    fn add(&mut self, id: &str, parents: &[&str], dearer: f64) {
        let before = parents.first().and_then(|id| self.costs.get(*id)).copied().unwrap_or(0.0);
        self.costs.insert(id.to_owned(), before + dearer.ln_1p());
        self.commits.push(Commit {
            id: id.to_owned(),
            short: id.to_owned(),
            subject: format!("the change {id}"),
            authored: "2026-05-02T10:00:00Z".to_owned(),
            parents: parents.iter().map(|id| (*id).to_owned()).collect(),
            ..Commit::default()
        });
    }

    /// `c0` to `cN` in a row.
    fn row(commits: usize, dearer: &[(usize, f64)]) -> Table {
        let mut table = Table::default();
        for number in 0..=commits {
            let share =
                dearer.iter().find(|(at, _)| *at == number).map_or(0.0, |(_, share)| *share);
            let parent = number.checked_sub(1).map(|before| format!("c{before}"));
            let parents: Vec<&str> = parent.iter().map(String::as_str).collect();
            table.add(&format!("c{number}"), &parents, share);
        }
        table
    }

    fn of(&self, id: &str) -> &Commit {
        self.commits.iter().find(|commit| commit.id == id).expect("in the table")
    }

    fn ancestors(&self, id: &str) -> Vec<String> {
        let above = self.of(id).parents.iter().flat_map(|parent| self.ancestors(parent));
        std::iter::once(id.to_owned()).chain(above).collect()
    }
}

impl Commits for Table {
    fn first_parents(
        &self,
        without: &str,
        of: &str,
        paths: &[String],
    ) -> Result<Vec<Commit>, Error> {
        let (known, mut at) = (self.ancestors(without), Some(of.to_owned()));
        let mut line = Vec::new();
        while let Some(id) = at.filter(|id| !known.contains(id)) {
            let commit = self.of(&id).clone();
            at = commit.parents.first().cloned();
            if paths.is_empty() || self.touching.contains(&commit.id) {
                line.push(commit);
            }
        }
        line.reverse();
        Ok(line)
    }

    fn describe(&self, id: &str) -> Result<Commit, Error> {
        Ok(self.of(id).clone())
    }

    fn is_shallow(&self) -> bool {
        self.is_shallow
    }
}

/// Measures by the table. `killed_at` is the run in which the process dies, before or after its last unit.
struct Simulated<'a> {
    table: &'a Table,
    noise: f64,
    killed_at: Option<(usize, bool)>,
    void_at: Option<usize>,
    /// The run that fails, for no commit's fault.
    fails_at: Option<usize>,
    runs: Cell<usize>,
    launches: Cell<usize>,
    sentences: RefCell<Vec<String>>,
    /// Commits that do not start the first time.
    flakes: RefCell<HashSet<String>>,
}

impl<'a> Simulated<'a> {
    fn of(table: &'a Table) -> Simulated<'a> {
        Simulated {
            table,
            noise: 0.01,
            killed_at: None,
            void_at: None,
            fails_at: None,
            runs: Cell::new(0),
            launches: Cell::new(0),
            sentences: RefCell::default(),
            flakes: RefCell::default(),
        }
    }

    /// Roughly normal, from a seed and a number.
    fn noise(&self, seed: u64, number: u64) -> f64 {
        let mut random = Random::new(seed, number);
        self.noise / 2f64.sqrt() * ((0..12).map(|_| random.unit()).sum::<f64>() - 6.0)
    }
}

impl Measuring for Simulated<'_> {
    fn measure(&mut self, what: &ProbeToMeasure<'_>, directory: &Path) -> Result<Reading, Error> {
        self.runs.set(self.runs.get() + 1);
        let commits: Vec<&Commit> =
            what.contenders().into_iter().map(|(_, commit)| commit).collect();
        let fails = |commit: &Commit| {
            let id = &commit.id;
            let flakes = self.flakes.borrow_mut().remove(id);
            self.table.broken.contains(id) || flakes
        };
        if let Some(at) = commits.iter().position(|commit| fails(commit)) {
            return Ok(Reading::Unusable(at, "`make` failed".to_owned()));
        }
        fs::create_dir(directory).expect("a new run");
        self.launches.set(self.launches.get() + what.units * commits.len());
        let cost = |at: usize, unit: usize| {
            let number = (unit * 8 + at) as u64;
            self.table.costs[&commits[at].id] + self.noise(what.seed, number)
        };
        let of = |at: usize| {
            (0..what.units).map(|unit| cost(at, unit) - cost(0, unit)).collect::<Vec<f64>>()
        };
        let whole: Vec<Vec<f64>> = (1..commits.len()).map(of).collect();
        let is_killed = |after| self.killed_at == Some((self.runs.get(), after));
        if is_killed(false) {
            panic!("killed before the last unit");
        }
        if self.fails_at == Some(self.runs.get()) {
            fs::write(directory.join("failed"), "no space left").expect("scratch");
        }
        if self.void_at == Some(self.runs.get()) {
            fs::write(directory.join("void"), "differing replies").expect("scratch");
        }
        fs::write(directory.join("units"), serde_json::to_string(&whole).expect("figures"))
            .expect("scratch");
        if is_killed(true) {
            panic!("killed after the last unit");
        }
        self.read(what, directory)
    }

    fn read(&self, _: &ProbeToMeasure<'_>, directory: &Path) -> Result<Reading, Error> {
        if let Ok(why) = fs::read_to_string(directory.join("failed")) {
            return Ok(Reading::Failed(Error::failed(why)));
        }
        if let Ok(why) = fs::read_to_string(directory.join("void")) {
            return Ok(Reading::Void(why));
        }
        match fs::read_to_string(directory.join("units")) {
            Ok(text) => Ok(Reading::Whole(serde_json::from_str(&text).expect("figures"))),
            Err(_) => Ok(Reading::Unfinished),
        }
    }

    fn say(&self, sentence: &str) {
        self.sentences.borrow_mut().push(sentence.to_owned());
    }
}

fn asked() -> Asked {
    Asked {
        build: "0.1.0".to_owned(),
        machine: "this".to_owned(),
        file: "tiebreak.toml".to_owned(),
        file_hash: "0".to_owned(),
        contender: "app".to_owned(),
        good: "good".to_owned(),
        bad: "bad".to_owned(),
        ids: ["1", "2"].map(str::to_owned),
        metric: "throughput".to_owned(),
        matters: 0.03,
        plan: "0".to_owned(),
        ..Asked::default()
    }
}

/// Searches in this directory, or goes on there.
fn search_in(
    directory: &Path,
    asked: &Asked,
    ends: [&str; 2],
    simulated: &mut Simulated<'_>,
) -> Result<Bisection, Error> {
    let keeping = Keeping::take(directory)?;
    let table = simulated.table;
    let record = match keeping.earlier(asked)? {
        Some(record) => record,
        None => Bisection {
            schema: SCHEMA.to_owned(),
            asked: asked.clone(),
            started: "2026-05-03T00:00:00Z".to_owned(),
            lines: vec![Searching::first_line(table, ends, &asked.paths, 7)?],
            answer: None,
            next: None,
        },
    };
    skipped(&record.asked, &record.lines[0].commits)?;
    let command = "`tiebreak bisect`".to_owned();
    let next = &|_: &Bisection| Some("what it finds: `tiebreak bisect`".to_owned());
    Searching { keeping: &keeping, commits: table, measuring: simulated, record, command, next }
        .finish()
}

fn search(asked: &Asked, ends: [&str; 2], table: &Table) -> Bisection {
    let scratch = Scratch::new();
    search_in(scratch.path(), asked, ends, &mut Simulated::of(table)).expect("an answer")
}

fn named(line: &Line) -> Vec<&str> {
    match &line.answer {
        Some(Ended::Named(of)) => {
            line.commits[of.first..=of.last].iter().map(|commit| commit.id.as_str()).collect()
        }
        other => panic!("{other:?}"),
    }
}

/// The probes without what depends on the clock.
fn probes(of: &Bisection) -> Vec<String> {
    let all = of.lines.iter().flat_map(|line| &line.probes);
    let kept = all.filter(|probe| probe.state != State::Abandoned);
    kept.map(|probe| format!("{:?} {:?} {:?}", probe.places, probe.units, probe.purpose)).collect()
}

#[test]
fn the_planted_commit_is_named_with_its_page() {
    let scratch = Scratch::new();
    let table = Table::row(64, &[(41, 0.06)]);
    let mut simulated = Simulated::of(&table);
    let found =
        search_in(scratch.path(), &asked(), ["c0", "c64"], &mut simulated).expect("an answer");
    assert_eq!(named(&found.lines[0]), ["c41"]);
    let answer = found.answer.as_deref().expect("it has ended");
    assert!(answer.starts_with("c41 (the change c41, 2026-05-02) with 95 %: 1.0"), "{answer}");
    assert!(answer.ends_with("against its parent"), "{answer}");
    let page = fs::read_to_string(scratch.path().join("bisect.html")).expect("a page");
    assert!(page.contains("the change c41") && page.contains("probes/001"), "{page}");
    let sentences = simulated.sentences.into_inner();
    let progress = |text: &str| sentences.iter().any(|sentence| sentence.contains(text));
    assert!(progress("probe 2: c32 (commit 32 of 64) against c"), "{sentences:?}");
    assert!(progress(" left; ") && progress("fresh comparison 1 of c41"), "{sentences:?}");
    let launches = simulated.launches.get();
    assert!((50..160).contains(&launches), "{launches}");
}

#[test]
fn an_improvement_is_found_with_turned_signs() {
    let table = Table::row(16, &[(5, -0.08)]);
    let faster = Asked { improvement: true, ..asked() };
    let found = search(&faster, ["c0", "c16"], &table);
    assert_eq!(named(&found.lines[0]), ["c5"]);
    assert!(found.answer.as_deref().is_some_and(|text| text.contains(": 0.9")), "{found:?}");
    let none = search(&asked(), ["c0", "c16"], &table).answer.expect("it has ended");
    assert!(none.starts_with("no regression of 3 % or more between c0 and c16: 0.9"), "{none}");
}

#[test]
fn a_killed_search_goes_on_as_if_it_had_not_been_killed() {
    let table = Table::row(8, &[(3, 0.06)]);
    let whole = search(&asked(), ["c0", "c8"], &table);
    for run in 1..=probes(&whole).len() {
        for after in [false, true] {
            let scratch = Scratch::new();
            let mut simulated =
                Simulated { killed_at: Some((run, after)), ..Simulated::of(&table) };
            let killed = std::panic::AssertUnwindSafe(|| {
                search_in(scratch.path(), &asked(), ["c0", "c8"], &mut simulated)
            });
            assert!(std::panic::catch_unwind(killed).is_err(), "run {run} is reached");
            let kept = |record: &Bisection| {
                let all = record.lines[0].probes.iter();
                all.filter(|probe| probe.state == State::Abandoned).count()
            };
            let mut simulated = Simulated::of(&table);
            let went_on = search_in(scratch.path(), &asked(), ["c0", "c8"], &mut simulated)
                .expect("it goes on");
            assert_eq!(named(&went_on.lines[0]), ["c3"]);
            assert_eq!(kept(&went_on), usize::from(!after), "a finished run is kept");
            if after {
                // The seeds of the runs are the same, so everything is.
                assert_eq!(went_on.answer, whole.answer);
                assert_eq!(probes(&went_on), probes(&whole));
                assert_eq!(simulated.runs.get() + run, probes(&whole).len());
            }
        }
    }
}

#[test]
fn a_search_that_has_ended_says_its_answer_again_and_measures_nothing() {
    let scratch = Scratch::new();
    let table = Table::row(8, &[(3, 0.1)]);
    let mut simulated = Simulated::of(&table);
    let first = search_in(scratch.path(), &asked(), ["c0", "c8"], &mut simulated).expect("found");
    let mut again = Simulated::of(&table);
    let second = search_in(scratch.path(), &asked(), ["c0", "c8"], &mut again).expect("kept");
    assert_eq!((again.runs.get(), &second), (0, &first));
}

#[test]
fn what_has_changed_is_named_and_refused() {
    let scratch = Scratch::new();
    let table = Table::row(8, &[(3, 0.1)]);
    search_in(scratch.path(), &asked(), ["c0", "c8"], &mut Simulated::of(&table)).expect("found");
    let ids = ["1", "3"].map(str::to_owned);
    let changes: [(&str, Asked); 7] = [
        ("BAD (`bad`) was 2 and is 3", Asked { ids, plan: "1".to_owned(), ..asked() }),
        ("tiebreak.toml has changed", Asked { file_hash: "1".to_owned(), ..asked() }),
        ("the machine was this and is other", Asked { machine: "other".to_owned(), ..asked() }),
        ("tiebreak was 0.1.0 and is 0.1.1", Asked { build: "0.1.1".to_owned(), ..asked() }),
        ("the range was good to bad", Asked { bad: "x".to_owned(), ..asked() }),
        ("`matters` was 0.03 and is 0.01", Asked { matters: 0.01, ..asked() }),
        ("`plan` was", Asked { plan: "1".to_owned(), ..asked() }),
    ];
    for (why, now) in changes {
        let refused = search_in(scratch.path(), &now, ["c0", "c8"], &mut Simulated::of(&table));
        let error = refused.expect_err(why);
        assert!(error.exit == Exit::Usage && error.text.contains(why), "{}", error.text);
        assert!(error.text.contains("use another --out"), "{}", error.text);
    }
}

#[test]
fn a_run_that_was_exchanged_is_noticed() {
    let scratch = Scratch::new();
    let table = Table::row(64, &[(3, 0.1)]);
    search_in(scratch.path(), &asked(), ["c0", "c64"], &mut Simulated::of(&table)).expect("found");
    let equal = serde_json::to_string(&[[0.0, 0.001, 0.002, 0.003, 0.0, 0.001, 0.0, 0.002]]);
    fs::write(scratch.path().join("probes/001/units"), equal.expect("figures")).expect("scratch");
    let error = search_in(scratch.path(), &asked(), ["c0", "c64"], &mut Simulated::of(&table))
        .expect_err("it is another search");
    assert!(error.text.contains("does not follow from the runs before it"), "{}", error.text);
}

#[test]
fn a_void_run_ends_the_search_and_is_measured_again() {
    let scratch = Scratch::new();
    let table = Table::row(8, &[(3, 0.1)]);
    let mut simulated = Simulated { void_at: Some(2), ..Simulated::of(&table) };
    let error =
        search_in(scratch.path(), &asked(), ["c0", "c8"], &mut simulated).expect_err("a void run");
    assert_eq!(error.exit, Exit::Void);
    assert!(error.text.contains("probes/002 is void: differing replies"), "{}", error.text);
    let found = search_in(scratch.path(), &asked(), ["c0", "c8"], &mut Simulated::of(&table))
        .expect("measured again");
    assert_eq!(named(&found.lines[0]), ["c3"]);
    assert_eq!(found.lines[0].probes[1].state, State::Void);
}

#[test]
fn commits_that_do_not_build_are_skipped() {
    let mut table = Table::row(16, &[(9, 0.08)]);
    table.broken = ["c8", "c7", "c12"].map(str::to_owned).to_vec();
    let found = search(&asked(), ["c0", "c16"], &table);
    assert_eq!(named(&found.lines[0]), ["c7", "c8", "c9"]);
    let answer = found.answer.as_deref().expect("it has ended");
    assert!(
        answer.starts_with("one of c7, c8 or c9 with 95 % (c7 and c8 do not build"),
        "{answer}"
    );
    let state = |of: State| found.lines[0].probes.iter().filter(|probe| probe.state == of).count();
    assert_eq!((state(State::Unusable(8)), state(State::Unusable(7))), (1, 1));
    assert!(state(State::Abandoned) >= 2, "each failed twice: {:?}", found.lines[0].probes);
    let skip = Asked { skipped: vec!["c8".to_owned()], ..asked() };
    table.broken.clear();
    assert_eq!(named(&search(&skip, ["c0", "c16"], &table).lines[0]), ["c8", "c9"]);
}

#[test]
fn ends_that_do_not_build_or_are_skipped_are_errors() {
    let scratch = Scratch::new();
    for (broken, exit, text) in [
        ("c0", Exit::TargetFailed, "GOOD (c0): `make` failed"),
        ("c4", Exit::TargetFailed, "BAD (c4): `make` failed"),
    ] {
        let mut table = Table::row(4, &[(2, 0.1)]);
        table.broken = vec![broken.to_owned()];
        let directory = scratch.path().join(broken);
        fs::create_dir(&directory).expect("scratch");
        let error =
            search_in(&directory, &asked(), ["c0", "c4"], &mut Simulated::of(&table)).unwrap_err();
        assert!(error.exit == exit && error.text.starts_with(text), "{}", error.text);
        assert!(error.text.ends_with("measures that again: `tiebreak bisect`"), "{}", error.text);
        // It may have been the network: a later start tries it again, and none of its failures is kept against it.
        table.broken.clear();
        let found = search_in(&directory, &asked(), ["c0", "c4"], &mut Simulated::of(&table))
            .expect("it builds now");
        assert_eq!(named(&found.lines[0]), ["c2"]);
        assert_eq!(found.lines[0].probes[0].state, State::Abandoned);
    }
    let table = Table::row(4, &[]);
    let skip = Asked { skipped: vec!["c4".to_owned()], ..asked() };
    let directory = scratch.path();
    let error = search_in(directory, &skip, ["c0", "c4"], &mut Simulated::of(&table)).unwrap_err();
    assert!(error.text.starts_with("--skip c4: the first and the last commit"), "{}", error.text);
}

/// `c0 … c3`, the merge `m` of the side branch `s1, s2, s3` that begins at `c1`, and `c5, c6`.
fn merged(dearer: &[(&str, f64)]) -> Table {
    let share = |id: &str| dearer.iter().find(|(at, _)| *at == id).map_or(0.0, |(_, share)| *share);
    let mut table = Table::row(3, &[]);
    for (id, parent) in [("s1", "c1"), ("s2", "s1"), ("s3", "s2")] {
        table.add(id, &[parent], share(id));
    }
    let of_side = table.costs["s3"].exp() - 1.0;
    table.add("m", &["c3", "s3"], (1.0 + of_side) * (1.0 + share("m")) - 1.0);
    table.add("c5", &["m"], share("c5"));
    table.add("c6", &["c5"], share("c6"));
    table
}

#[test]
fn a_merge_that_is_found_is_opened() {
    let found = search(&asked(), ["c0", "c6"], &merged(&[("s2", 0.08)]));
    assert_eq!(named(&found.lines[0]), ["m"]);
    assert_eq!(found.lines[0].commits.len(), 7, "only first parents: {:?}", found.lines[0]);
    let side: Vec<&str> = found.lines[1].commits.iter().map(|of| of.id.as_str()).collect();
    assert_eq!(side, ["c1", "s1", "s2", "s3"]);
    assert_eq!(named(&found.lines[1]), ["s2"]);
    let answer = found.answer.expect("it has ended");
    assert!(answer.starts_with("s2 (the change s2, 2026-05-02) with 95 %"), "{answer}");
    assert!(answer.ends_with("it came with the merge m (the change m, 2026-05-02)"), "{answer}");
}

#[test]
fn a_merge_whose_side_branch_is_not_dearer_is_named_itself() {
    let found = search(&asked(), ["c0", "c6"], &merged(&[("m", 0.08)]));
    assert_eq!(named(&found.lines[0]), ["m"]);
    let answer = found.answer.expect("it has ended");
    assert!(answer.starts_with("m (the change m, 2026-05-02) with 95 %: 1.0"), "{answer}");
    assert!(answer.contains("; inside the merge m: no regression of 3 % or more"), "{answer}");
}

#[test]
fn a_side_branch_that_does_not_build_leaves_the_merge_named() {
    let mut table = merged(&[("s2", 0.08)]);
    table.broken = vec!["s3".to_owned()];
    let answer = search(&asked(), ["c0", "c6"], &table).answer.expect("it has ended");
    assert!(answer.starts_with("m (the change m, 2026-05-02) with 95 %"), "{answer}");
}

#[test]
fn where_good_is_no_first_parent_the_search_begins_where_both_part() {
    let table = merged(&[("c5", 0.08)]);
    let line = |good, bad, paths: &[String]| Searching::first_line(&table, [good, bad], paths, 7);
    let ids = |line: Result<Line, Error>| -> Vec<String> {
        line.expect("a line").commits.into_iter().map(|commit| commit.id).collect()
    };
    assert_eq!(ids(line("c0", "c6", &[])), ["c0", "c1", "c2", "c3", "m", "c5", "c6"]);
    assert_eq!(ids(line("s2", "c6", &[])), ["c1", "c2", "c3", "m", "c5", "c6"]);
    assert_eq!(ids(line("s1", "c3", &[])), ["c1", "c2", "c3"]);
    let error = line("c6", "c3", &[]).expect_err("the wrong order");
    assert!(error.text.starts_with("BAD is GOOD or one of its ancestors"), "{}", error.text);
}

#[test]
fn only_commits_that_touch_the_paths_are_searched_and_bad() {
    let mut table = Table::row(8, &[(5, 0.08)]);
    table.touching = ["c2", "c5", "c6"].map(str::to_owned).to_vec();
    let with = Asked { paths: vec!["src".to_owned()], ..asked() };
    let found = search(&with, ["c0", "c8"], &table);
    let ids: Vec<&str> = found.lines[0].commits.iter().map(|of| of.id.as_str()).collect();
    assert_eq!(ids, ["c0", "c2", "c5", "c6", "c8"]);
    let answer = found.answer.expect("it has ended");
    assert!(answer.ends_with(" against c2"), "{answer}");
    let lead = "c5 (the change c5, 2026-05-02) or one of the 2 commits before it that touch none of the paths";
    assert!(answer.starts_with(lead), "{answer}");
    table.touching.clear();
    let error = Searching::first_line(&table, ["c0", "c8"], &with.paths, 7).expect_err("no commit");
    assert_eq!(error.exit, Exit::Usage);
    assert!(error.text.starts_with("no commit between GOOD and BAD changes"), "{}", error.text);
}

#[test]
fn a_commit_that_fails_once_is_tried_again() {
    let table = Table::row(16, &[(9, 0.08)]);
    let mut simulated = Simulated::of(&table);
    simulated.flakes = RefCell::new(["c8", "c9", "c12"].map(str::to_owned).into());
    let scratch = Scratch::new();
    let found =
        search_in(scratch.path(), &asked(), ["c0", "c16"], &mut simulated).expect("an answer");
    assert_eq!(named(&found.lines[0]), ["c9"]);
    let failed: Vec<usize> = found.lines[0].probes.iter().filter_map(|of| of.failed).collect();
    assert!(failed.contains(&8), "{failed:?}");
    let again = search_in(scratch.path(), &asked(), ["c0", "c16"], &mut Simulated::of(&table));
    assert_eq!(again.expect("it follows from its runs"), found);
}

/// A full disk and the like: the search ends, and a later start measures again what failed.
#[test]
fn a_run_that_failed_is_measured_again() {
    let table = Table::row(8, &[(3, 0.1)]);
    for killed in [false, true] {
        let scratch = Scratch::new();
        let killed_at = killed.then_some((2, true));
        let mut simulated = Simulated { fails_at: Some(2), killed_at, ..Simulated::of(&table) };
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            search_in(scratch.path(), &asked(), ["c0", "c8"], &mut simulated)
        }));
        assert_eq!(outcome.is_err(), killed);
        if let Ok(outcome) = outcome {
            let error = outcome.expect_err("a full disk");
            assert!(error.text.starts_with("no space left; this goes on"), "{}", error.text);
        }
        let found = search_in(scratch.path(), &asked(), ["c0", "c8"], &mut Simulated::of(&table));
        let found = found.expect("measured again");
        assert_eq!(named(&found.lines[0]), ["c3"]);
        assert_eq!(found.lines[0].probes[1].state, State::Abandoned);
    }
}

#[test]
fn histories_that_do_not_meet_say_why() {
    let mut table = Table::row(2, &[]);
    table.add("x", &[], 0.0);
    table.add("y", &["x"], 0.0);
    let error = Searching::first_line(&table, ["c2", "y"], &[], 7).expect_err("unrelated");
    assert_eq!(error.text, "GOOD and BAD have no common ancestor");
    table.is_shallow = true;
    let error = Searching::first_line(&table, ["c2", "y"], &[], 7).expect_err("shallow");
    assert_eq!(error.exit, Exit::Usage);
    assert!(error.text.contains("`fetch-depth: 0`"), "{}", error.text);
}

#[test]
fn two_processes_do_not_search_in_one_directory() {
    let scratch = Scratch::new();
    let _one = Keeping::take(scratch.path()).expect("free");
    let other = Keeping::take(scratch.path()).err().expect("taken");
    assert!(other.text.ends_with("another process searches in this directory"), "{}", other.text);
}
