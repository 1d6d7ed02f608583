//! The record of a search over commits (`tiebreak bisect`), and its report for people and for programs.
//!
//! The record is the file `bisect.json` (schema/bisect.v1.json). It grows while the search lasts; the figures of a
//! finished probe follow from the journal of its run.

mod next;
pub(crate) mod words;

pub use next::{Next, next};
pub use words::{answer, in_percent};

use judge::bisect::{Answer, Difference, Parts};
use serde::{Deserialize, Serialize};

/// Name of the JSON schema: `schema/bisect.v1.json`.
pub const SCHEMA: &str = "tiebreak.bisect/1";

/// A search over commits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bisection {
    /// Name of the JSON schema.
    pub schema: String,
    /// What was asked, which cannot change while the search lasts.
    pub asked: Asked,
    /// When it began, UTC, RFC 3339.
    pub started: String,
    /// The lines of history that were searched: the first parents of BAD, then those of merges that were opened.
    pub lines: Vec<Line>,
    /// The answer in words. None while the search lasts.
    pub answer: Option<String>,
    /// What another search finds that says more than the answer, and its command. None if there is none.
    #[serde(default)]
    pub next: Option<String>,
}

impl Bisection {
    /// The line whose answer is that of the whole search: the innermost one that named a commit, else that of BAD.
    fn answering_line(&self) -> Option<&Line> {
        let named = |line: &&Line| matches!(line.answer, Some(Ended::Named(_)));
        self.lines.iter().rev().find(named).or(self.lines.first())
    }
}

/// What a search was asked, and what its figures depend on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Version of tiebreak, with a number that tells builds apart.
    pub build: String,
    /// The processor, its cores and the kernel.
    pub machine: String,
    /// The experiment file, below the top of the repository.
    pub file: String,
    /// A number of its content.
    pub file_hash: String,
    /// The contender of the file.
    pub contender: String,
    /// GOOD as it was typed.
    pub good: String,
    /// BAD as it was typed.
    pub bad: String,
    /// The ids that GOOD and BAD had when the search began.
    pub ids: [String; 2],
    /// The figure that is compared: its path below `metrics` in the report of a run.
    pub metric: String,
    /// The case of a suite.
    pub case: Option<String>,
    /// The smallest difference that matters, as a share.
    pub matters: f64,
    /// Whether the search is for what made it cheaper.
    pub improvement: bool,
    /// A number of the plan by which GOOD and BAD are compared.
    pub plan: String,
    /// Only commits that touch these paths may have made the difference. Empty means all.
    pub paths: Vec<String>,
    /// The ids of commits that are not to be measured.
    pub skipped: Vec<String>,
}

/// A line of history: commits one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The id of the merge whose side branch it is. None for the line of BAD.
    pub merge: Option<String>,
    /// From the one that stands for GOOD to the one that stands for BAD. The position in this list is the place of a
    /// commit.
    pub commits: Vec<Commit>,
    /// The seed of the search.
    pub seed: u64,
    /// What was measured, in order.
    pub probes: Vec<Probe>,
    /// How the search on this line ended. None while it lasts.
    pub answer: Option<Ended>,
}

impl Line {
    /// How many commits are between the ones at these places, and before the first of them, that were not searched.
    fn left_out(&self, first: usize, last: usize) -> usize {
        self.commits[first..=last].iter().map(|commit| commit.left_out).sum()
    }
}

/// A commit. Its texts are those of strangers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Its whole id.
    pub id: String,
    /// Its id as git shortens it.
    pub short: String,
    /// The first line of its message.
    pub subject: String,
    /// Its author.
    pub author: String,
    /// When it was written, RFC 3339, with the author's offset.
    pub authored: String,
    /// The ids of its parents.
    pub parents: Vec<String>,
    /// How many commits between the one before it in its line and itself are not searched, because they touch none of
    /// the paths that were asked for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Something that the search asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// The directory of its run, below that of the search.
    pub run: String,
    /// What it was for.
    pub purpose: Purpose,
    /// The places of the commits that were measured.
    pub places: Vec<usize>,
    /// How many units.
    pub units: usize,
    /// What became of it.
    pub state: State,
    /// Why it was not measured.
    pub why: Option<String>,
    /// The place of the commit whose build or start failed. The first failure of a commit is tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<usize>,
    /// What is known after it, from all units that it adds to.
    pub found: Vec<Found>,
    /// The places of the first and the last commit between which the difference probably is, after it.
    pub bracket: Option<[usize; 2]>,
    /// How long it took, with builds and launches, in seconds.
    pub took: f64,
}

/// What a probe was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Whether GOOD and BAD differ.
    Whole,
    /// On which side of a commit the difference is.
    Side,
    /// Whether a commit differs from its parent.
    Naming,
}

/// What became of a probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It is under way, or was when the search ended.
    Begun,
    /// It was measured.
    Measured,
    /// The commit at this place does not build or start.
    Unusable(usize),
    /// The audit refused it.
    Void,
    /// It was interrupted or failed, and another one took its place.
    Abandoned,
}

/// The cost of one commit relative to that of another one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// The place of the commit that is compared with.
    pub against: usize,
    /// The place of the commit that it is about.
    pub of: usize,
    /// The ratio.
    pub ratio: Ratio,
    /// The units behind it.
    pub units: usize,
}

/// A ratio of costs: above 1 is dearer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// Hodges-Lehmann estimate.
    pub ratio: f64,
    /// Lower end of its interval. None if there are too few units.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

impl Ratio {
    /// The ratio of a difference. In a search for improvements, the signs of differences are turned.
    pub fn of(difference: Difference, improvement: bool) -> Ratio {
        let Difference { estimate, low, high } =
            if improvement { difference.turned() } else { difference };
        Ratio { ratio: estimate.exp(), low: Some(low.exp()), high: Some(high.exp()) }
    }

    pub(crate) fn bounds(&self) -> Option<(f64, f64)> {
        Some((self.low?, self.high?))
    }
}

/// How the search on a line ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// The difference is smaller than what matters.
    NoRegression {
        /// The last commit against the first one.
        whole: Ratio,
    },
    /// The last look could not tell.
    Undecided {
        /// The last commit against the first one.
        whole: Ratio,
    },
    /// One of these commits made it.
    Named(Shown),
    /// Several commits made it.
    Spread(Shown),
    /// Probably one of these; nothing confirmed that.
    Between {
        /// The place of the first commit.
        first: usize,
        /// The place of the last commit.
        last: usize,
        /// The share of the weight that they hold, 0 to 1.
        weight: f64,
        /// The last commit against the first one.
        whole: Ratio,
    },
}

/// What a fresh comparison showed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The place of the first commit that it may be.
    pub first: usize,
    /// The place of the last commit that it may be: the one that was measured.
    pub last: usize,
    /// The commit against its parent.
    pub commit: Ratio,
    /// The parent against the first commit of the line. None if these are the same.
    pub before: Option<Ratio>,
    /// The last commit of the line against the commit. None if these are the same.
    pub after: Option<Ratio>,
}

impl Ended {
    /// The end of a search on a line.
    pub fn of(answer: &Answer, improvement: bool) -> Ended {
        let ratio = |difference: Difference| Ratio::of(difference, improvement);
        let shown = |commits: &std::ops::Range<usize>, parts: &Parts| Shown {
            first: commits.start,
            last: commits.end - 1,
            commit: ratio(parts.commit),
            before: parts.before.map(ratio),
            after: parts.after.map(ratio),
        };
        match answer {
            Answer::NoRegression(whole) => Ended::NoRegression { whole: ratio(*whole) },
            Answer::Undecided(whole) => Ended::Undecided { whole: ratio(*whole) },
            Answer::Named { commits, parts } => Ended::Named(shown(commits, parts)),
            Answer::Spread { commits, parts } => Ended::Spread(shown(commits, parts)),
            Answer::Between { commits, weight, whole } => Ended::Between {
                first: commits.start,
                last: commits.end - 1,
                weight: *weight,
                whole: ratio(*whole),
            },
        }
    }
}

/// The record as JSON, with a newline at its end.
pub fn json(of: &Bisection) -> String {
    // It has no maps with unusual keys and does no I/O, so nothing can fail.
    serde_json::to_string_pretty(of).expect("a record is always JSON") + "\n"
}

#[cfg(test)]
pub(crate) mod tests;
