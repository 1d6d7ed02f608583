//! The kinds of output that are read.

use crate::input::Document;
use crate::pattern::Pattern;
use crate::rows::Rows;
use crate::tools::{TOOLS, Tool};

/// The tool that printed it.
#[derive(Clone, Debug)]
pub struct Kind {
    which: Which,
    /// Whether a larger figure is better, where that does not follow from its unit.
    larger_is_better: Option<bool>,
}

#[derive(Clone, Debug)]
enum Which {
    Tool(&'static Tool),
    Pattern(Box<Pattern>),
}

impl Kind {
    /// All words that name a kind, in the order in which help shows them. `pattern` is not among them, because it has
    /// a regular expression.
    pub const NAMES: &'static [&'static str] = &{
        let mut names = [""; TOOLS.len()];
        let mut index = 0;
        while index < TOOLS.len() {
            names[index] = TOOLS[index].name;
            index += 1;
        }
        names
    };

    /// Returns the kind with this name. Returns None if there is none, as for `pattern`.
    pub fn named(name: &str) -> Option<Kind> {
        TOOLS
            .iter()
            .find(|tool| tool.name == name)
            .map(|tool| Kind { which: Which::Tool(tool), larger_is_better: None })
    }

    /// Returns the kind that reads what a regular expression finds: the first match of each line. Its groups are
    /// `name`, `number`, and perhaps `unit`; otherwise `unit` is the unit of all figures, if there is one. Whether a
    /// larger figure is better follows from the unit (`ms`, `MB`, `ops/s`), unless it is given.
    ///
    /// # Errors
    /// A sentence, if it is no regular expression, has no such groups, or has a unit twice.
    pub fn pattern(
        expression: &str,
        unit: Option<&str>,
        larger_is_better: Option<bool>,
    ) -> Result<Kind, String> {
        Pattern::new(expression, unit, larger_is_better)
            .map(|of| Kind { which: Which::Pattern(Box::new(of)), larger_is_better: None })
    }

    /// Says whether a larger figure is better where that does not follow from its unit, as for `hits`. Such figures
    /// are not read otherwise.
    #[must_use]
    pub fn with_direction(self, larger_is_better: bool) -> Kind {
        Kind { larger_is_better: Some(larger_is_better), ..self }
    }

    /// Returns its name.
    pub fn name(&self) -> &'static str {
        self.tool().map_or("pattern", |tool| tool.name)
    }

    /// Returns the word in place of `{case}` with which the program runs this case alone. Returns None if its tool
    /// cannot select cases, or not this one.
    pub fn one_case(&self, case: &str) -> Option<String> {
        self.tool().and_then(|tool| (tool.one_case)(case))
    }

    /// Returns the word in place of `{case}` with which the program runs all cases. Returns None if its tool cannot
    /// select cases.
    pub fn all_cases(&self) -> Option<&'static str> {
        self.tool().and_then(|tool| tool.all_cases)
    }

    /// Returns the arguments of the tool that make its runs shorter. Returns None if it has none.
    pub fn shorter_runs(&self) -> Option<&'static str> {
        self.tool().and_then(|tool| tool.shorter_runs)
    }

    /// Whether a file with this path, below a directory that the program wrote to, has figures of this kind. The
    /// caller reads no other.
    pub fn reads_file(&self, path: &str) -> bool {
        self.tool().is_none_or(|tool| (tool.reads_file)(path))
    }

    pub(crate) fn rows(&self, documents: &[Document]) -> Rows {
        match &self.which {
            Which::Tool(tool) => tool.rows(documents, self.larger_is_better),
            Which::Pattern(pattern) => {
                let mut rows = Rows::default();
                pattern.read(documents, &mut rows);
                rows
            }
        }
    }

    fn tool(&self) -> Option<&'static Tool> {
        match &self.which {
            Which::Tool(tool) => Some(tool),
            Which::Pattern(_) => None,
        }
    }
}
