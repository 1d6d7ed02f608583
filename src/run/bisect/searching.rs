//! The search: from the record to the next probe, and from its run to the record.

use super::history::{self, Commits};
use super::recording::PAGE;
use super::{Keeping, Measuring, Reading};
use judge::bisect::{self, Answer, Difference, Search, Settings, Step};
use protocol::{Error, Exit};
use report::bisect::{
    Bisection, Commit, Ended, Found, Line, Probe, Purpose, Ratio, State, in_percent,
};
use std::collections::BTreeMap;
use std::time::Instant;
use text::shown::shown;
use text::units::{show_counted, show_ns};

/// A search over commits with its record.
pub(crate) struct Searching<'a> {
    pub(crate) keeping: &'a Keeping,
    /// The repository.
    pub(crate) commits: &'a dyn Commits,
    pub(crate) measuring: &'a mut dyn Measuring,
    /// The record, which grows.
    pub(crate) record: Bisection,
    /// The command that goes on with this search.
    pub(crate) command: String,
    /// What another search finds that says more than an answer, and its command.
    pub(crate) next: &'a dyn Fn(&Bisection) -> Option<String>,
}

/// A probe with the line whose commits it measures.
pub(crate) struct ProbeToMeasure<'a> {
    pub(crate) line: &'a Line,
    /// The places of the commits, ascending.
    pub(crate) places: &'a [usize],
    /// How many units.
    pub(crate) units: usize,
    /// What it is for.
    pub(crate) purpose: bisect::Purpose,
    pub(crate) seed: u64,
}

/// The units of pairs of commits that belong together: by part of the search, and the places of both.
type Pooled = BTreeMap<(Part, usize, usize), Vec<f64>>;

/// A part of a search whose units are shown together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Whole,
    Side,
    /// A fresh comparison, by its number.
    Naming(usize),
}

struct OnLine {
    at: usize,
    search: Search,
    pooled: Pooled,
}

impl Searching<'_> {
    /// The record of a search that begins: its line of history.
    ///
    /// # Errors
    /// If GOOD and BAD have no history that can be searched.
    pub(crate) fn first_line(
        commits: &dyn Commits,
        [good, bad]: [&str; 2],
        paths: &[String],
        seed: u64,
    ) -> Result<Line, Error> {
        let commits = history::of_bad(commits, good, bad, paths)?;
        Ok(Line { merge: None, commits, seed, probes: Vec::new(), answer: None })
    }

    /// Searches to the end, from wherever the record is, and writes the answer.
    ///
    /// # Errors
    /// If the audit refuses a probe, GOOD or BAD does not build or start, the search was stopped, or the record does
    /// not follow from its runs.
    pub(crate) fn finish(mut self) -> Result<Bisection, Error> {
        let mut spent = 0;
        let mut at = 0;
        while at < self.record.lines.len() {
            let search = self.search_line(at, spent)?;
            spent = search.as_ref().map_or(spent, Search::spent);
            let can_name = search.is_some_and(|search| search.can_name());
            if at + 1 == self.record.lines.len() && can_name {
                self.open_merge(at)?;
            }
            at += 1;
        }
        self.record.answer = report::bisect::answer(&self.record);
        self.record.next = (self.next)(&self.record);
        self.keeping.save(&self.record)?;
        self.keeping.put(PAGE, &report::bisect_html(&self.record))?;
        Ok(self.record)
    }

    /// Adds the side branch of the merge that the line at this position has named, if it is one.
    fn open_merge(&mut self, at: usize) -> Result<(), Error> {
        let line = &self.record.lines[at];
        let Some(Ended::Named(parts)) = &line.answer else { return Ok(()) };
        let merge = line.commits[parts.last].clone();
        if parts.first != parts.last || merge.parents.len() < 2 {
            return Ok(());
        }
        let paths = &self.record.asked.paths;
        let Some(commits) = history::of_merge(self.commits, &merge, paths)? else { return Ok(()) };
        if history::skipped_end(&self.record.asked, &commits).is_some() {
            return Ok(());
        }
        self.measuring.say(&format!(
            "{} is a merge: its side branch is next ({})",
            shown(&merge.short),
            show_counted(commits.len() as u64 - 1, "commit")
        ));
        let seed = self.record.lines[at].seed.wrapping_add(1);
        let merge = Some(merge.id);
        self.record.lines.push(Line { merge, commits, seed, probes: Vec::new(), answer: None });
        self.keeping.save(&self.record)
    }

    /// Searches a line to its end. Returns None if it is a side branch whose ends cannot be measured.
    fn search_line(&mut self, at: usize, spent: usize) -> Result<Option<Search>, Error> {
        let line = &self.record.lines[at];
        let commits = line.commits.len() - 1;
        let (matters, seed) = (self.record.asked.matters, line.seed);
        let search = Search::new(Settings { commits, matters, seed, spent });
        let mut on = OnLine { at, search, pooled: Pooled::new() };
        for place in 1..commits {
            if self.record.asked.skipped.contains(&line.commits[place].id) {
                on.search.unusable(place);
            }
        }
        for number in 0..line.probes.len() {
            if !self.replay(&mut on, number)? {
                return Ok(None);
            }
        }
        loop {
            match on.search.step() {
                Step::Done(answer) => {
                    self.end_line(at, &answer)?;
                    return Ok(Some(on.search));
                }
                Step::Measure(probe) => {
                    if !self.go_on(&mut on, &probe)? {
                        return Ok(None);
                    }
                }
            }
        }
    }

    fn end_line(&mut self, at: usize, answer: &Answer) -> Result<(), Error> {
        let ended = Ended::of(answer, self.record.asked.improvement);
        self.record.lines[at].answer = Some(ended);
        self.keeping.save(&self.record)
    }

    /// Takes a probe of the record into the search. Returns false if the line cannot be searched.
    fn replay(&mut self, on: &mut OnLine, number: usize) -> Result<bool, Error> {
        let recorded = self.record.lines[on.at].probes[number].clone();
        let asked = match on.search.step() {
            Step::Measure(probe) if is_same(&probe, &recorded) => probe,
            _ => return Err(self.does_not_follow(&recorded)),
        };
        match recorded.state {
            State::Void | State::Abandoned => return Ok(true),
            State::Unusable(place) if asked.places.contains(&place) => {
                return self.skip(on, place, recorded.why.as_deref().unwrap_or_default());
            }
            State::Unusable(_) => return Err(self.does_not_follow(&recorded)),
            State::Measured | State::Begun => {}
        }
        let what = to_measure(&self.record.lines[on.at], &asked, 0);
        let reading = self.measuring.read(&what, &self.keeping.run(&recorded.run))?;
        match (reading, &recorded.state) {
            (reading @ Reading::Whole(_), _) | (reading @ Reading::Void(_), State::Begun) => {
                self.settle(on, number, &asked, reading, recorded.took)
            }
            // Whatever ended it may be gone, so it is measured again.
            (_, State::Begun) => {
                self.abandon(on, number, None, None)?;
                Ok(true)
            }
            _ => Err(self.does_not_follow(&recorded)),
        }
    }

    /// Measures the next probe. Returns false if the line cannot be searched.
    fn go_on(&mut self, on: &mut OnLine, asked: &bisect::Probe) -> Result<bool, Error> {
        let number = self.record.lines.iter().map(|line| line.probes.len()).sum::<usize>() + 1;
        let run = self.keeping.next_run(number)?;
        let begun = Probe {
            run: run.clone(),
            purpose: purpose(asked.purpose),
            places: asked.places.clone(),
            units: asked.units,
            state: State::Begun,
            why: None,
            failed: None,
            found: Vec::new(),
            bracket: None,
            took: 0.0,
        };
        let line = &mut self.record.lines[on.at];
        line.probes.push(begun);
        let at = line.probes.len() - 1;
        self.keeping.save(&self.record)?;
        let line = &self.record.lines[on.at];
        self.measuring.say(&format!("probe {number}: {}", in_words(line, asked)));
        let began = Instant::now();
        let what = to_measure(line, asked, number);
        let reading = self.measuring.measure(&what, &self.keeping.run(&run))?;
        if self.settle(on, at, asked, reading, began.elapsed().as_secs_f64())? {
            self.say_how_far(on);
            return Ok(true);
        }
        Ok(false)
    }

    /// Records what became of a probe, and tells the search. Returns false if the line cannot be searched.
    fn settle(
        &mut self,
        on: &mut OnLine,
        at: usize,
        asked: &bisect::Probe,
        reading: Reading,
        took: f64,
    ) -> Result<bool, Error> {
        let probe = &mut self.record.lines[on.at].probes[at];
        probe.took = took;
        match reading {
            Reading::Whole(differences) => {
                probe.state = State::Measured;
                probe.found = on.add(asked, &differences);
                on.search.observe(&self.turned(&differences));
                let bracket = on.search.whole().map(|_| on.search.bracket().0);
                let bracket = bracket.map(|commits| [commits.start, commits.end - 1]);
                self.record.lines[on.at].probes[at].bracket = bracket;
                self.keeping.save(&self.record)?;
                Ok(true)
            }
            Reading::Unusable(position, why) => self.failed(on, at, asked.places[position], why),
            Reading::Failed(error) => {
                self.abandon(on, at, None, Some(error.text.clone()))?;
                Err(Error { text: format!("{}; {}", error.text, self.goes_on()), ..error })
            }
            Reading::Void(why) => {
                let run = probe.run.clone();
                (probe.state, probe.why) = (State::Void, Some(why.clone()));
                self.keeping.save(&self.record)?;
                let text = format!("{run} is void: {why}; {}", self.goes_on());
                Err(Error { exit: Exit::Void, text })
            }
            Reading::Unfinished => {
                let text = format!("the search was stopped; {}", self.goes_on());
                Err(Error { exit: Exit::Void, text })
            }
        }
    }

    /// How the search goes on after this process.
    fn goes_on(&self) -> String {
        format!("this goes on and measures that again: {}", self.command)
    }

    /// Records that a probe ended without units, and that a commit failed in it if that is so.
    fn abandon(
        &mut self,
        on: &OnLine,
        at: usize,
        failed: Option<usize>,
        why: Option<String>,
    ) -> Result<(), Error> {
        let probe = &mut self.record.lines[on.at].probes[at];
        (probe.state, probe.failed, probe.why) = (State::Abandoned, failed, why);
        self.keeping.save(&self.record)
    }

    /// A commit did not build or start. That may be a busy port or a network that is down, so a commit is left out only
    /// after the second time, and GOOD and BAD, without which there is no answer, never are. Returns false if the line
    /// cannot be searched.
    fn failed(
        &mut self,
        on: &mut OnLine,
        at: usize,
        place: usize,
        why: String,
    ) -> Result<bool, Error> {
        let line = &self.record.lines[on.at];
        let short = shown(&line.commits[place].short);
        if line.merge.is_none() && (place == 0 || place + 1 == line.commits.len()) {
            let end = if place == 0 { "GOOD" } else { "BAD" };
            self.abandon(on, at, Some(place), Some(why.clone()))?;
            return Err(Error::target(format!("{end} ({short}): {why}; {}", self.goes_on())));
        }
        if !line.probes.iter().any(|probe| probe.failed == Some(place)) {
            self.measuring.say(&format!("{short} is tried once more: {why}"));
            self.abandon(on, at, Some(place), Some(why))?;
            return Ok(true);
        }
        let probe = &mut self.record.lines[on.at].probes[at];
        (probe.state, probe.why) = (State::Unusable(place), Some(why.clone()));
        self.keeping.save(&self.record)?;
        self.skip(on, place, &why)
    }

    /// Leaves out a commit that does not build or start. Returns false if it is an end of a side branch, which is then
    /// not searched.
    fn skip(&mut self, on: &mut OnLine, place: usize, why: &str) -> Result<bool, Error> {
        let line = &self.record.lines[on.at];
        let commit = &line.commits[place];
        self.measuring.say(&format!("{} is skipped: {why}", shown(&commit.short)));
        if place == 0 || place + 1 == line.commits.len() {
            return Ok(false);
        }
        on.search.unusable(place);
        Ok(true)
    }

    /// In a search for improvements, the signs of differences are turned.
    fn turned(&self, differences: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let sign = if self.record.asked.improvement { -1.0 } else { 1.0 };
        differences.iter().map(|of| of.iter().map(|d| sign * d).collect()).collect()
    }

    fn say_how_far(&self, on: &OnLine) {
        let line = &self.record.lines[on.at];
        let took: f64 =
            self.record.lines.iter().flat_map(|line| &line.probes).map(|of| of.took).sum();
        let so_far = show_ns((took.ceil() * 1e9) as u64);
        // A fresh comparison has three ratios, and none of them is about where the search is.
        let probe = line.probes.last().filter(|probe| probe.purpose != Purpose::Naming);
        let found = probe.and_then(|probe| probe.found.last());
        let ratio = found.map_or(String::new(), |found| format!("{:.3}x; ", found.ratio.ratio));
        let left = match on.search.whole() {
            None => "GOOD and BAD are not told apart yet".to_owned(),
            Some(_) => {
                let (commits, weight) = on.search.bracket();
                format!(
                    "between {} and {} with {} of the weight, {} left",
                    shown(&line.commits[commits.start - 1].short),
                    shown(&line.commits[commits.end - 1].short),
                    in_percent(weight),
                    show_counted(commits.len() as u64, "commit")
                )
            }
        };
        self.measuring.say(&format!("  {ratio}{left}; {so_far} so far"));
    }

    fn does_not_follow(&self, probe: &Probe) -> Error {
        Error::usage(format!(
            "{}: the record of {} does not follow from the runs before it: a file was changed; use another --out",
            shown(self.keeping.directory().display().to_string()),
            shown(&probe.run)
        ))
    }
}

impl OnLine {
    /// Adds the units of a probe to those of the same commits, and says what they show together.
    fn add(&mut self, probe: &bisect::Probe, differences: &[Vec<f64>]) -> Vec<Found> {
        let part = match probe.purpose {
            bisect::Purpose::Whole => Part::Whole,
            bisect::Purpose::Side(_) => Part::Side,
            bisect::Purpose::Naming { attempt, .. } => Part::Naming(attempt),
        };
        let of_unit = |position: usize, unit: usize| match position {
            0 => 0.0,
            _ => differences[position - 1][unit],
        };
        let neighbours = probe.places.windows(2).enumerate();
        let found = neighbours.filter_map(|(position, pair)| {
            let &[against, of] = pair else { return None };
            let units = self.pooled.entry((part, against, of)).or_default();
            let count = differences.first().map_or(0, Vec::len);
            units.extend(
                (0..count).map(|unit| of_unit(position + 1, unit) - of_unit(position, unit)),
            );
            let ratio = shown_ratio(units, probe.purpose.level(against, of))?;
            Some(Found { against, of, ratio, units: units.len() })
        });
        found.collect()
    }
}

/// The ratio of some units, with an interval if there are enough for the level.
fn shown_ratio(units: &[f64], level: f64) -> Option<Ratio> {
    if let Some(difference) = Difference::of(units, level) {
        return Some(Ratio::of(difference, false));
    }
    let estimate = judge::stats::signed_rank::SignedRank::new(units)?.estimate();
    Some(Ratio { ratio: estimate.exp(), low: None, high: None })
}

/// The probe with this number among all of the search. What is read again needs no number.
fn to_measure<'a>(line: &'a Line, probe: &'a bisect::Probe, number: usize) -> ProbeToMeasure<'a> {
    // The order of the contenders must be drawn anew for each run.
    let seed = line.seed.wrapping_add(number as u64);
    ProbeToMeasure { line, places: &probe.places, units: probe.units, purpose: probe.purpose, seed }
}

fn is_same(asked: &bisect::Probe, recorded: &Probe) -> bool {
    let same = (asked.units, purpose(asked.purpose)) == (recorded.units, recorded.purpose);
    same && asked.places == recorded.places
}

fn purpose(of: bisect::Purpose) -> Purpose {
    match of {
        bisect::Purpose::Whole => Purpose::Whole,
        bisect::Purpose::Side(_) => Purpose::Side,
        bisect::Purpose::Naming { .. } => Purpose::Naming,
    }
}

/// What a probe is about to do.
fn in_words(line: &Line, probe: &bisect::Probe) -> String {
    let name = |place: usize| shown(&line.commits[place].short);
    let units = show_counted(probe.units as u64, "unit");
    let last = line.commits.len() - 1;
    match probe.purpose {
        bisect::Purpose::Whole => {
            format!("{} against {}, {units}", name(last), name(0))
        }
        bisect::Purpose::Side(commit) => {
            let end =
                probe.places.iter().find(|place| **place != commit).copied().unwrap_or_default();
            format!("{} (commit {commit} of {last}) against {}, {units}", name(commit), name(end))
        }
        bisect::Purpose::Naming { parent, commit, attempt } => format!(
            "fresh comparison {attempt} of {} with {} before it and both ends, {units}",
            name(commit),
            name(parent)
        ),
    }
}

/// The names of the contenders by their roles, GOOD first and BAD last. They are equally long: the length of a name
/// must not change what is measured.
pub(crate) const ROLES: [&str; 4] = ["good", "prev", "this", "last"];

/// A commit of a line by its role in a probe: a name for its contender.
fn role(what: &ProbeToMeasure<'_>, place: usize) -> &'static str {
    let last = what.line.commits.len() - 1;
    match what.purpose {
        _ if place == 0 => ROLES[0],
        _ if place == last => ROLES[3],
        bisect::Purpose::Naming { parent, .. } if place == parent => ROLES[1],
        _ => ROLES[2],
    }
}

impl ProbeToMeasure<'_> {
    /// The commits with the names of their contenders, in order.
    pub(crate) fn contenders(&self) -> Vec<(&'static str, &Commit)> {
        self.places.iter().map(|place| (role(self, *place), &self.line.commits[*place])).collect()
    }
}
