//! From what was printed to the figures of cases.

use crate::input::{Document, Printed};
use crate::kind::Kind;
use crate::rows::{Read, Rows};
use crate::tools::TOOLS;
use text::lists::listed;

/// The longest output that is read, in bytes: that of all files together.
pub const LONGEST: u64 = 16 << 20;

/// Returns the figures of the cases. Repeats of a case are their median. Without a kind it is found by looking at the
/// output.
///
/// # Errors
/// A sentence that says why there are none, with the remedy.
pub fn read(kind: Option<&Kind>, output: &[Printed<'_>]) -> Result<Read, String> {
    if output.iter().map(|printed| printed.bytes.len() as u64).sum::<u64>() > LONGEST {
        return Err(format!(
            "the output is longer than {} MiB; let the program write its figures to a file of their own, and name it \
             with `file`",
            LONGEST >> 20
        ));
    }
    let documents: Vec<Document> = output.iter().map(Document::new).collect();
    let (name, rows) = match kind {
        Some(kind) => (kind.name(), kind.rows(&documents)),
        None => found(&documents)?,
    };
    let read = rows.cases()?;
    if read.figures.is_empty() { Err(none(name, &documents)) } else { Ok(read) }
}

/// Finds the one tool that printed it.
fn found(documents: &[Document]) -> Result<(&'static str, Rows), String> {
    let mut of = recognised(documents);
    match (of.len(), of.pop()) {
        (1, Some(only)) => Ok(only),
        (_, None) => Err(format!(
            "the output has no figures of a known kind; known kinds are {}; for another tool write a `pattern`",
            listed(Kind::NAMES)
        )),
        (_, Some(last)) => {
            let names: Vec<&str> = of.iter().chain([&last]).map(|(name, _)| *name).collect();
            Err(format!(
                "the output has figures of {}; name one of these kinds with `figures`, or write a `pattern`",
                listed(&names)
            ))
        }
    }
}

/// The tools that may have printed it, each with its figures.
fn recognised(documents: &[Document]) -> Vec<(&'static str, Rows)> {
    let of = TOOLS.iter().map(|tool| (tool.name, tool.rows(documents, None)));
    of.filter(|(_, rows)| rows.is_seen()).collect()
}

/// Why there is no figure of the kind.
fn none(name: &str, documents: &[Document]) -> String {
    let others = recognised(documents);
    let others: Vec<&str> = others.iter().map(|(name, _)| *name).filter(|of| *of != name).collect();
    if others.is_empty() {
        format!(
            "the output has no usable figure of {name}: run the program by hand to see what it prints; a figure must \
             be above 0"
        )
    } else {
        let others = listed(&others);
        format!(
            "the output has no usable figure of {name}, but of {others}; name that kind with `figures`"
        )
    }
}
