//! Benchmark.js: the text of each benchmark. The figure is its rate, which the tool takes from the mean.

use super::{Tool, USUAL, text_number};
use crate::input::Document;
use crate::rows::Rows;

pub(super) static TOOL: Tool = Tool { name: "benchmarkjs", read, ..USUAL };

/// `RegExp#test x 22,509,943 ops/sec ±2.97% (88 runs sampled)`
fn read(documents: &[Document], rows: &mut Rows) {
    for line in documents.iter().flat_map(Document::lines) {
        let Some((rest, spread)) = line.rsplit_once(" ops/sec ±") else { continue };
        let Some((name, rate)) = rest.rsplit_once(" x ") else { continue };
        match text_number(rate) {
            Some(rate) if spread.ends_with(" sampled)") => rows.add(name, "", rate, "ops/s"),
            _ => rows.without_figure(),
        }
    }
}
