//! Collects the figures that a reader finds, and makes one figure for each case of them.

use crate::units::{Measured, measured};
use record::CaseFigure;
use record::figures::MOST_CASES;
use std::collections::{BTreeMap, BTreeSet};
use text::lists;
use text::shown::shown;

/// The longest name of a case, package or unit, in bytes. A name that applies to many lines is copied for each.
pub(crate) const LONGEST_NAME: usize = 1000;

/// The most names that a sentence lists.
const MOST_LISTED: usize = 10;

/// What an output says about cases.
#[derive(Debug)]
pub struct Read {
    /// The figures, in the order of the output: at least one and at most [`record::figures::MOST_CASES`], each finite
    /// and above 0, and each of another case. Times are in `ns`.
    pub figures: Vec<CaseFigure>,
    /// The names of the cases that the tool reports as failed, which have no figure.
    pub failed: Vec<String>,
}

/// What distinguishes cases: the name, the qualifier (a mode, a package, a metric), the unit.
type Key = (String, String, String);

/// The figures of one case.
struct Repeats {
    key: Key,
    larger_is_better: bool,
    values: Vec<f64>,
}

/// The figures that a reader finds.
#[derive(Default)]
pub(crate) struct Rows {
    cases: Vec<Repeats>,
    places: BTreeMap<Key, usize>,
    /// The names of the cases that the tool reports as failed.
    failed: BTreeSet<String>,
    /// Whether a larger figure is better, where that does not follow from the unit.
    larger_is_better: Option<bool>,
    /// What to do about two figures of one name. None if they are repeats of one case.
    twice: Option<&'static str>,
    /// The first unit from which it does not follow whether a larger figure is better.
    without_direction: Option<String>,
    /// Whether the output is of this tool, although it may have no usable figure.
    seen: bool,
    /// Why the figures cannot be used: a sentence.
    problem: Option<String>,
}

impl Rows {
    pub(crate) fn new(twice: Option<&'static str>, larger_is_better: Option<bool>) -> Rows {
        Rows { twice, larger_is_better, ..Rows::default() }
    }

    /// Adds the figure of a case. One that is not finite, or not above 0, is none, nor is one of which it is not known
    /// whether a larger one is better. The qualifier is part of the name of the case, whatever else is in the output:
    /// a case must have one name in all outputs. Without a value the case has no usable figure.
    pub(crate) fn add(
        &mut self,
        name: &str,
        qualifier: &str,
        value: impl Into<Option<f64>>,
        unit: &str,
    ) {
        match value.into() {
            Some(value) => self.add_directed(name, qualifier, value, unit, None),
            None => self.without_figure(),
        }
    }

    /// Adds a figure, as [`add`](Self::add). `larger` says whether a larger one is better, whatever follows from the
    /// unit. None if it does follow.
    pub(crate) fn add_directed(
        &mut self,
        name: &str,
        qualifier: &str,
        value: f64,
        unit: &str,
        larger: Option<bool>,
    ) {
        self.seen = true;
        if self.is_too_long(&[name, qualifier, unit]) {
            return;
        }
        let Measured { value, unit, larger_is_better } = measured(value, unit);
        if name.trim().is_empty() || !value.is_finite() || value <= 0.0 {
            return;
        }
        let Some(larger_is_better) = larger.or(larger_is_better).or(self.larger_is_better) else {
            self.without_direction.get_or_insert(unit);
            return;
        };
        let key = (name.trim().to_owned(), qualifier.trim().to_owned(), unit);
        if let Some(place) = self.places.get(&key) {
            match self.twice {
                None => self.cases[*place].values.push(value),
                Some(remedy) => self.problem(twice(&full_name(&key.0, &key.1), remedy)),
            }
        } else if self.cases.len() == MOST_CASES {
            self.problem(format!(
                "the output has more than {MOST_CASES} cases; let the program run fewer, such as by a filter of its \
                 tool"
            ));
        } else {
            self.places.insert(key.clone(), self.cases.len());
            self.cases.push(Repeats { key, larger_is_better, values: vec![value] });
        }
    }

    fn is_too_long(&mut self, texts: &[&str]) -> bool {
        let is_too_long = texts.iter().any(|text| text.len() > LONGEST_NAME);
        if is_too_long {
            self.problem(format!(
                "the name of a case is longer than {LONGEST_NAME} bytes; give it a shorter one"
            ));
        }
        is_too_long
    }

    /// Records that the tool reports a case as failed. It then has no figure, even if it also has a measurement.
    pub(crate) fn failed(&mut self, name: &str, qualifier: &str) {
        self.seen = true;
        let has_room = self.failed.len() < MOST_CASES;
        if !self.is_too_long(&[name, qualifier]) && has_room && !name.trim().is_empty() {
            self.failed.insert(full_name(name.trim(), qualifier.trim()));
        }
    }

    /// Records that a case of this tool has no usable figure.
    pub(crate) fn without_figure(&mut self) {
        self.seen = true;
    }

    /// Records why the figures cannot be used.
    pub(crate) fn problem(&mut self, sentence: String) {
        self.seen = true;
        self.problem.get_or_insert(sentence);
    }

    /// Whether the output is of this tool.
    pub(crate) fn is_seen(&self) -> bool {
        self.seen
    }

    /// Returns one figure for each case, in the order of their first figures, and the names of those that failed.
    ///
    /// # Errors
    /// If there are too many cases, they cannot be told apart, all failed, or it is of none known whether a larger
    /// figure is better.
    pub(crate) fn cases(self) -> Result<Read, String> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let case = |repeats: &Repeats| CaseFigure {
            case: full_name(&repeats.key.0, &repeats.key.1),
            value: median(&repeats.values),
            unit: repeats.key.2.clone(),
            larger_is_better: repeats.larger_is_better,
        };
        let mut figures: Vec<CaseFigure> = self.cases.iter().map(case).collect();
        let mut names = BTreeSet::new();
        if let Some(again) = figures.iter().find(|figure| !names.insert(&figure.case)) {
            return Err(twice(&again.case, self.twice.unwrap_or("rename one")));
        }
        figures.retain(|figure| !self.failed.contains(&figure.case));
        let failed: Vec<String> = self.failed.into_iter().collect();
        match self.without_direction {
            _ if !figures.is_empty() => Ok(Read { figures, failed }),
            _ if !failed.is_empty() => Err(format!("every case failed: {}", some_of(&failed))),
            Some(unit) => Err(format!(
                "it does not follow from the unit `{}` whether a larger figure is better; say it: figures = {{ kind = \
                 …, larger_is_better = true }} or false",
                shown(&unit)
            )),
            None => Ok(Read { figures, failed }),
        }
    }
}

/// `BenchmarkCustom-2 (ops/s)`
fn full_name(name: &str, qualifier: &str) -> String {
    if qualifier.is_empty() { name.to_owned() } else { format!("{name} ({qualifier})") }
}

fn twice(name: &str, remedy: &str) -> String {
    format!("the output has two cases with the name `{}`; {remedy}", shown(name))
}

/// The median of figures above 0; of an even number, the mean of the two in the middle.
fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let (below, above) = ((values.len() - 1) / 2, values.len() / 2);
    // Halved before they are added, because the sum may not be finite.
    if below == above { values[below] } else { values[below] / 2.0 + values[above] / 2.0 }
}

/// The first names, and how many others there are.
fn some_of(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{}`", shown(name))).collect();
    lists::first_listed(&names, MOST_LISTED, |others| format!("{others} more"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(rows: Rows) -> Vec<(String, f64)> {
        rows.cases().expect("cases").figures.into_iter().map(|of| (of.case, of.value)).collect()
    }

    #[test]
    fn repeats_are_their_median_and_unusable_figures_are_none() {
        let mut rows = Rows::default();
        for value in [3.0, f64::NAN, 1.0, 0.0, -1.0, f64::INFINITY, 9.0, 4.0] {
            rows.add("a", "", value, "ns");
        }
        rows.add("b", "", 0.0, "ns");
        rows.add(" ", "", 1.0, "ns");
        assert_eq!(names(rows), [("a".to_owned(), 3.5)]);
        let mut rows = Rows::default();
        rows.add("a", "", f64::MAX, "ns");
        rows.add("a", "", f64::MAX, "ns");
        assert_eq!(names(rows), [("a".to_owned(), f64::MAX)]);
    }

    #[test]
    fn the_name_of_a_case_does_not_depend_on_the_others() {
        let all = [("a", "one"), ("a", "two"), ("b", "one"), ("c", "")];
        let full = ["a (one)", "a (two)", "b (one)", "c"];
        for count in 1..=all.len() {
            let mut rows = Rows::default();
            all[..count].iter().for_each(|(name, of)| rows.add(name, of, 1.0, "ns"));
            let names: Vec<String> = names(rows).into_iter().map(|(name, _)| name).collect();
            assert_eq!(names, full[..count]);
        }
    }

    #[test]
    fn names_that_cannot_be_told_apart_are_an_error() {
        for (name, qualifier, unit) in [("a (two)", "", "ns"), ("a", "two", "B")] {
            let mut rows = Rows::default();
            rows.add("a", "two", 1.0, "ns");
            rows.add(name, qualifier, 1.0, unit);
            let error = rows.cases().expect_err("twice");
            assert_eq!(error, "the output has two cases with the name `a (two)`; rename one");
        }
        let mut rows = Rows::new(Some("run one program"), None);
        (0..2).for_each(|_| rows.add("a", "", 1.0, "ns"));
        let error = rows.cases().expect_err("no repeats");
        assert_eq!(error, "the output has two cases with the name `a`; run one program");
    }

    #[test]
    fn a_case_that_failed_has_no_figure() {
        let mut rows = Rows::default();
        rows.add("a", "one", 1.0, "ns");
        rows.add("b", "", 1.0, "ns");
        rows.failed("a", "one");
        let read = rows.cases().expect("a case");
        assert_eq!((read.figures.len(), read.figures[0].case.as_str()), (1, "b"));
        assert_eq!(read.failed, ["a (one)"]);
        let mut all = Rows::default();
        all.failed("a", "");
        assert_eq!(all.cases().expect_err("all failed"), "every case failed: `a`");
    }

    #[test]
    fn a_figure_needs_a_direction() {
        let of = |larger: Option<bool>| {
            let mut rows = Rows::new(None, larger);
            rows.add("a", "", 1.0, "hits");
            rows.cases().map(|read| read.figures[0].larger_is_better)
        };
        assert_eq!((of(Some(true)), of(Some(false))), (Ok(true), Ok(false)));
        assert!(of(None).expect_err("not known").contains("from the unit `hits` whether a larger"));
        let mut rows = Rows::new(None, Some(true));
        rows.add("a", "", 1.0, "ns");
        assert!(!rows.cases().expect("a case").figures[0].larger_is_better);
    }

    #[test]
    fn cases_are_limited_and_repeats_are_not() {
        let mut rows = Rows::default();
        for index in 0..MOST_CASES {
            (0..3).for_each(|_| rows.add(&index.to_string(), "", 1.0, "ns"));
        }
        let mut more = Rows::default();
        (0..=MOST_CASES).for_each(|index| more.add(&index.to_string(), "", 1.0, "ns"));
        assert_eq!(names(rows).len(), MOST_CASES);
        assert!(more.cases().expect_err("too many").contains("more than 2000 cases"));
        let mut long = Rows::default();
        long.add(&"a".repeat(LONGEST_NAME), "", 1.0, "ns");
        assert!(long.problem.is_none());
        long.add("a", &"b".repeat(LONGEST_NAME + 1), 1.0, "ns");
        assert!(long.cases().expect_err("too long").contains("longer than 1000 bytes"));
    }
}
