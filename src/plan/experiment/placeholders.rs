//! Placeholders for parameters in user-defined operations: `{id}`, `{users.name}`.

use record::{Feed, Generator, Parameter};
use std::collections::BTreeSet;
use text::near;
use text::shown::shown;

/// The names that are valid in braces.
pub(super) struct Placeholders<'a> {
    /// Parameters that were declared.
    pub(super) declared: &'a [Parameter],
    pub(super) feeds: &'a [Feed],
    /// Names of tables, which the lane fills in.
    pub(super) others: &'a [String],
    used: BTreeSet<String>,
    /// Parameters that were found and need no declaration.
    implied: Vec<Parameter>,
}

/// Parameters that need no declaration.
const IMPLIED: [(&str, Generator); 3] =
    [("key", Generator::Name), ("value", Generator::Value), ("number", Generator::Seq(0))];

impl<'a> Placeholders<'a> {
    pub(super) fn new(
        declared: &'a [Parameter],
        feeds: &'a [Feed],
        others: &'a [String],
    ) -> Placeholders<'a> {
        Placeholders { declared, feeds, others, used: BTreeSet::new(), implied: Vec::new() }
    }

    /// Reads the placeholders of a text, and returns the generators of their parameters.
    pub(super) fn read(&mut self, text: &str) -> Result<Vec<Generator>, String> {
        let mut wanted = Vec::new();
        for (name, of_variable) in names(text) {
            let declared = self.declared.iter().any(|parameter| parameter.name == name);
            if self.others.iter().any(|other| other == name) || of_variable && !declared {
                continue;
            }
            let declared = self.declared.iter().find(|parameter| parameter.name == name);
            let from = match declared {
                Some(parameter) => parameter.from.clone(),
                None => self.implied(name)?,
            };
            self.used.insert(name.to_owned());
            wanted.push(from);
        }
        Ok(wanted)
    }

    fn implied(&mut self, name: &str) -> Result<Generator, String> {
        let simple =
            IMPLIED.iter().find(|(implied, _)| *implied == name).map(|(_, from)| from.clone());
        let from = match (simple, name.split_once('.')) {
            (Some(from), _) => from,
            (None, Some((feed, column))) => self.column(feed, column)?,
            (None, None) => return Err(self.unknown(name)),
        };
        if self.implied.iter().all(|parameter| parameter.name != name) {
            self.implied.push(Parameter { name: name.to_owned(), from: from.clone() });
        }
        Ok(from)
    }

    fn column(&self, feed: &str, column: &str) -> Result<Generator, String> {
        let Some(known) = self.feeds.iter().find(|known| known.name == feed) else {
            let meant =
                near::did_you_mean(feed, self.feeds.iter().map(|known| known.name.as_str()));
            return Err(format!("there is no feed `{}` in [workload.feeds]{meant}", shown(feed)));
        };
        if known.columns.iter().any(|name| name == column) {
            Ok(Generator::Feed { feed: feed.to_owned(), column: column.to_owned() })
        } else {
            let meant = near::did_you_mean(column, known.columns.iter().map(String::as_str));
            let (column, all) = (shown(column), shown(known.columns.join(", ")));
            Err(format!("the feed `{feed}` has no column `{column}`: {all}{meant}"))
        }
    }

    fn unknown(&self, name: &str) -> String {
        let declared = self.declared.iter().map(|parameter| parameter.name.as_str());
        let known = declared.chain(IMPLIED.map(|(name, _)| name));
        let known: Vec<&str> = known.chain(self.others.iter().map(String::as_str)).collect();
        let meant = near::did_you_mean(name, known.iter().copied());
        format!(
            "`{{{name}}}` is not a parameter: {}{meant} (for the text itself, make it one: {name} \
             = \"pick('{{{name}}}')\")",
            known.join(", ")
        )
    }

    /// Returns all parameters, in the order in which they are drawn. A declared parameter that is
    /// not used is an error.
    pub(super) fn parameters(self) -> Result<Vec<Parameter>, String> {
        if let Some(idle) =
            self.declared.iter().find(|parameter| !self.used.contains(&parameter.name))
        {
            let name = &idle.name;
            return Err(format!("the parameter `{name}` is not used: write {{{name}}}"));
        }
        Ok([self.declared, &self.implied].concat())
    }
}

/// Returns the names in braces, and whether a `$` precedes them: then it is the name of an
/// environment variable. Other text in braces has no meaning.
fn names(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let starts = text.match_indices('{').map(|(at, _)| at);
    let inside = starts.filter_map(|at| {
        let name = text[at + 1..].split_once('}')?.0;
        Some((name, text[..at].ends_with('$')))
    });
    inside.filter(|(name, _)| is_name(name))
}

fn is_name(name: &str) -> bool {
    let (first, column) = name.split_once('.').unwrap_or((name, "x"));
    let column =
        !column.is_empty() && column.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    column && is_identifier(first)
}

/// Whether a name consists of letters, digits and `_`, and does not begin with a digit.
pub(super) fn is_identifier(name: &str) -> bool {
    let good = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(good)
}
