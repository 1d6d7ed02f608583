//! The benchmarks of Rust's standard library (`#[bench]`), and those of the crate `bencher`: their text. The figure is
//! the median, as the harness prints it. Tests are no cases.
//!
//! `cargo bench` runs several programs and names them on standard error alone, so one name in two of them is an error.

use super::{ONE_PROGRAM, Tool, USUAL, text_number};
use crate::input::Document;
use crate::rows::Rows;

pub(super) static TOOL: Tool = Tool { name: "libtest", read, twice: ONE_PROGRAM, ..USUAL };

/// `test sums::small ... bench:       1,234.56 ns/iter (+/- 5.01) = 51 MB/s`
fn read(documents: &[Document], rows: &mut Rows) {
    for line in documents.iter().flat_map(Document::lines) {
        let Some((name, rest)) =
            line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... bench:"))
        else {
            continue;
        };
        let mut words = rest.split_ascii_whitespace();
        match (words.next().and_then(text_number), words.next()) {
            (Some(figure), Some(unit)) if unit.ends_with("/iter") => {
                rows.add(name, "", figure, unit);
            }
            _ => rows.without_figure(),
        }
    }
}
