//! Figures that a regular expression of the user's own finds, for tools that are not known.

use crate::input::Document;
use crate::numbers::number;
use crate::rows::Rows;
use regex::Regex;

/// The longest line that is searched, in bytes: the work for a line is its length times that of the expression.
const LONGEST_LINE: usize = 1 << 16;

/// A regular expression with the groups `name`, `number` and perhaps `unit`.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    expression: Regex,
    /// The unit, if the expression has no group for it.
    unit: String,
    /// Whether a larger figure is better, if that does not follow from the unit.
    larger_is_better: Option<bool>,
}

impl Pattern {
    pub(crate) fn new(
        expression: &str,
        unit: Option<&str>,
        larger_is_better: Option<bool>,
    ) -> Result<Pattern, String> {
        let expression = Regex::new(expression).map_err(|error| {
            format!("the pattern is not a regular expression in the syntax of Rust's crate regex: {error}")
        })?;
        let has = |group: &str| expression.capture_names().flatten().any(|name| name == group);
        if let Some(missing) = ["name", "number"].into_iter().find(|group| !has(group)) {
            return Err(format!(
                "the pattern has no group `{missing}`; write one with the groups `name` and `number`, and perhaps \
                 `unit`, such as '^(?<name>\\S+): (?<number>[0-9.]+) (?<unit>\\S+)'"
            ));
        }
        if unit.is_some() && has("unit") {
            return Err(
                "the pattern has a group `unit`, and a unit was given as well; remove one of them"
                    .to_owned(),
            );
        }
        Ok(Pattern { expression, unit: unit.unwrap_or("").to_owned(), larger_is_better })
    }

    /// Reads the first match of each line.
    pub(crate) fn read(&self, documents: &[Document], rows: &mut Rows) {
        let lines = documents.iter().flat_map(Document::lines);
        for line in lines.filter(|line| line.len() <= LONGEST_LINE) {
            let Some(groups) = self.expression.captures(line) else { continue };
            let group = |name: &str| groups.name(name).map(|found| found.as_str());
            let unit = group("unit").unwrap_or(&self.unit);
            match (group("name"), group("number").and_then(number)) {
                (Some(name), Some(value)) => {
                    rows.add_directed(name, "", value, unit, self.larger_is_better);
                }
                _ => rows.without_figure(),
            }
        }
    }
}
