//! Applies all rules to all runs, and draws conclusions.

use crate::board::{self, BoardError, BoardList};
use crate::compare::{self, Comparison};
use crate::groups::{RunGroup, groups};
use crate::objection::{self, Objection, SkippedRule, SourceLine};
use crate::rules::{Check, RULES};
use crate::run::PublishedRun;
use crate::scan::{Scan, ScanNotes};
use judge::verdict::Weight;
use std::cmp::Reverse;
use text::shown::shown;

/// What was found in the files.
#[derive(Debug)]
pub struct Audit {
    /// Names of the files, escaped.
    pub files: Vec<String>,
    /// Other peculiarities of each file.
    pub scan_notes: Vec<ScanNotes>,
    /// All runs, file by file.
    pub runs: Vec<PublishedRun>,
    /// The contenders.
    pub groups: Vec<RunGroup>,
    /// The comparisons that the runs allow.
    pub comparisons: Vec<Comparison>,
    /// All objections, the most severe first.
    pub objections: Vec<Objection>,
    /// Rules that could not be applied.
    pub unanswered: Vec<SkippedRule>,
    /// The indices of the files that are leaderboards.
    pub board_files: Vec<usize>,
    /// The lists of all leaderboards.
    pub lists: Vec<BoardList>,
    /// What is wrong with a leaderboard. There are no lists then.
    pub board_error: Option<BoardError>,
}

impl Audit {
    /// Audits the scanned files: (name, scan).
    pub fn of(scans: impl IntoIterator<Item = (String, Scan)>) -> Audit {
        let (mut files, mut scan_notes, mut runs) = (Vec::new(), Vec::new(), Vec::new());
        let (mut boards, mut board_error) = (Vec::new(), None);
        for (name, mut scan) in scans {
            let file = files.len();
            let kept = scan.take_board();
            let (found, odd) = scan.finish();
            files.push(shown(name));
            match board::read(&kept, file) {
                Some(Ok(rows)) => {
                    boards.push((file, rows));
                    scan_notes.push(ScanNotes::default());
                    continue;
                }
                // Output of a tool that begins like a document.
                Some(Err(error)) if found.is_empty() => board_error = board_error.or(Some(error)),
                _ => {}
            }
            scan_notes.push(odd);
            runs.extend(found);
        }
        let board_files = boards.iter().map(|(file, _)| *file).collect();
        let lists = board::list::lists(boards, &files).unwrap_or_else(|error| {
            board_error.get_or_insert(error);
            Vec::new()
        });
        let groups = groups(&runs, &files);
        let mut audit = Audit {
            files,
            scan_notes,
            runs,
            groups,
            comparisons: Vec::new(),
            objections: Vec::new(),
            unanswered: Vec::new(),
            board_files,
            lists,
            board_error,
        };
        audit.check();
        audit.comparisons = compare::comparisons(&audit.runs, &audit.groups, &audit.objections);
        audit
    }

    fn check(&mut self) {
        let (runs, groups) = (&self.runs, &self.groups);
        let source_line = |run: usize, line| source_line(&self.files, &runs[run], line);
        let (mut objections, mut unanswered) = (Vec::new(), Vec::new());
        for rule in RULES {
            match rule.check {
                Check::Run(check) => {
                    for (at, run) in runs.iter().enumerate() {
                        match check(run) {
                            Ok(all) => objections.extend(all.into_iter().map(|found| Objection {
                                rule: rule.name,
                                weight: found.weight,
                                alone: true,
                                runs: vec![at],
                                evidence: found.evidence,
                                source_lines: unique(
                                    found.lines.iter().map(|line| source_line(at, *line)),
                                ),
                            })),
                            Err(missing) => {
                                unanswered.push(SkippedRule { rule: rule.name, run: at, missing });
                            }
                        }
                    }
                }
                Check::All(check) => {
                    let found = check(runs, groups).into_iter().map(|found| Objection {
                        rule: rule.name,
                        weight: found.weight,
                        alone: false,
                        source_lines: unique(
                            found.lines.iter().map(|(run, line)| source_line(*run, *line)),
                        ),
                        runs: found.runs,
                        evidence: found.evidence,
                    });
                    objections.extend(found);
                }
            }
        }
        objections.sort_by_key(|objection: &Objection| Reverse(objection.weight));
        (self.objections, self.unanswered) = (objections, unanswered);
    }

    /// The most severe objection to a run by itself.
    pub fn weight(&self, run: usize) -> Option<Weight> {
        objection::weight(&self.objections, run)
    }

    /// Whether there is a void objection: a run or a comparison that allows no conclusion.
    pub fn void(&self) -> bool {
        self.objections.iter().any(|objection| objection.weight == Weight::Void)
    }
}

/// Removes duplicates, because one line may contain several figures.
fn unique(source_lines: impl Iterator<Item = SourceLine>) -> Vec<SourceLine> {
    let mut all = Vec::new();
    for source_line in source_lines {
        if !all.contains(&source_line) {
            all.push(source_line);
        }
    }
    all
}

fn source_line(files: &[String], run: &PublishedRun, line: u64) -> SourceLine {
    let file = files.get(run.file).cloned().unwrap_or_default();
    SourceLine { file, line, quote: run.quote(line).to_owned() }
}
