//! Collects the figures that a reader finds, and makes one figure for each case of them.

use crate::units::{Measured, measured};
use record::CaseFigure;
use record::figures::MOST_CASES;
use std::collections::{BTreeMap, BTreeSet};
use text::shown::shown;

/// The longest name of a case, package or unit, in bytes. A name that applies to many lines is copied for each.
pub(crate) const LONGEST_NAME: usize = 1000;

/// What distinguishes cases: the name, the qualifier (a mode, a job, a package), the unit.
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
    /// Whether the output is of this tool, although it may have no usable figure.
    seen: bool,
    /// Why the figures cannot be used: a sentence.
    problem: Option<String>,
}

impl Rows {
    /// Adds the figure of a case. One that is not finite, or not above 0, is none. The qualifier is shown if the name
    /// has several.
    pub(crate) fn add(&mut self, name: &str, qualifier: &str, value: f64, unit: &str) {
        self.push(name, qualifier, value, unit, None);
    }

    /// Adds a figure whose direction does not follow from its unit.
    pub(crate) fn add_directed(
        &mut self,
        name: &str,
        value: f64,
        unit: &str,
        larger_is_better: bool,
    ) {
        self.push(name, "", value, unit, Some(larger_is_better));
    }

    fn push(&mut self, name: &str, qualifier: &str, value: f64, unit: &str, larger: Option<bool>) {
        self.seen = true;
        if [name, qualifier, unit].iter().any(|text| text.len() > LONGEST_NAME) {
            return self.problem(format!(
                "the name of a case is longer than {LONGEST_NAME} bytes; give it a shorter one"
            ));
        }
        let Measured { value, unit, larger_is_better } = measured(value, unit);
        if name.trim().is_empty() || !value.is_finite() || value <= 0.0 {
            return;
        }
        let key = (name.trim().to_owned(), qualifier.trim().to_owned(), unit);
        if let Some(place) = self.places.get(&key) {
            self.cases[*place].values.push(value);
        } else if self.cases.len() == MOST_CASES {
            self.problem(format!(
                "the output has more than {MOST_CASES} cases; let the program run fewer, such as by a filter of its \
                 tool"
            ));
        } else {
            self.places.insert(key.clone(), self.cases.len());
            let larger_is_better = larger.unwrap_or(larger_is_better);
            self.cases.push(Repeats { key, larger_is_better, values: vec![value] });
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

    /// Returns one figure for each case, in the order of their first figures.
    ///
    /// # Errors
    /// If there are too many cases, or they cannot be told apart.
    pub(crate) fn cases(self) -> Result<Vec<CaseFigure>, String> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let mut qualifiers: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut units: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for Repeats { key: (name, qualifier, _), .. } in &self.cases {
            qualifiers.entry(name).or_default().insert(qualifier);
            *units.entry((name, qualifier)).or_default() += 1;
        }
        let full_name = |(name, qualifier, unit): &Key| {
            let has_several =
                [qualifiers[name.as_str()].len() > 1, units[&(&**name, &**qualifier)] > 1];
            let added = [qualifier, unit].into_iter().zip(has_several);
            let added = added.filter(|(text, several)| *several && !text.is_empty());
            let added: Vec<&str> = added.map(|(text, _)| text.as_str()).collect();
            if added.is_empty() { name.clone() } else { format!("{name} ({})", added.join(", ")) }
        };
        let case = |repeats: &Repeats| CaseFigure {
            case: full_name(&repeats.key),
            value: median(&repeats.values),
            unit: repeats.key.2.clone(),
            larger_is_better: repeats.larger_is_better,
        };
        let cases: Vec<CaseFigure> = self.cases.iter().map(case).collect();
        let mut names = BTreeSet::new();
        match cases.iter().find(|case| !names.insert(&case.case)) {
            Some(twice) => {
                Err(format!("two cases have the name `{}`; rename one", shown(&twice.case)))
            }
            None => Ok(cases),
        }
    }
}

/// The median of figures above 0; of an even number, the mean of the two in the middle.
fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let (below, above) = ((values.len() - 1) / 2, values.len() / 2);
    // Halved before they are added, because the sum may not be finite.
    if below == above { values[below] } else { values[below] / 2.0 + values[above] / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(rows: Rows) -> Vec<(String, f64)> {
        rows.cases().expect("cases").into_iter().map(|of| (of.case, of.value)).collect()
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
        rows.add("a", "", f64::MAX, "");
        rows.add("a", "", f64::MAX, "");
        assert_eq!(names(rows), [("a".to_owned(), f64::MAX)]);
    }

    #[test]
    fn a_name_in_several_packages_or_units_is_several_cases() {
        let mut rows = Rows::default();
        rows.add("a", "one", 1.0, "ns");
        rows.add("a", "two", 2.0, "ns");
        rows.add("b", "one", 3.0, "ns");
        rows.add("c", "one", 4.0, "ns");
        rows.add("c", "one", 5.0, "rows");
        let expected =
            [("a (one)", 1.0), ("a (two)", 2.0), ("b", 3.0), ("c (ns)", 4.0), ("c (rows)", 5.0)];
        assert_eq!(names(rows), expected.map(|(name, value)| (name.to_owned(), value)));
    }

    #[test]
    fn a_name_that_looks_like_one_with_a_package_is_an_error() {
        let mut rows = Rows::default();
        for (name, qualifier) in [("a", "one"), ("a", "two"), ("a (two)", "")] {
            rows.add(name, qualifier, 1.0, "ns");
        }
        assert!(rows.cases().expect_err("twice").contains("two cases have the name `a (two)`"));
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
