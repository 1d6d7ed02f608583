//! What the targets cost, folded away.

use super::escape::{code, text};
use crate::{View, words, words::costs};
use judge::verdict::ContenderSummary;
use std::fmt::Write as _;
use text::shown::shown;
use text::units;

/// A table of figures and a list of their sources. Returns an empty text if nothing is known.
pub(super) fn costs(view: &View) -> String {
    if !costs::known(view) {
        return String::new();
    }
    let mut inside = String::new();
    if costs::figures(view) {
        inside += "| target | CPU/op | CPU while driven | CPU at rest | peak memory |\n\
                   |---|--:|--:|--:|--:|\n";
        inside.extend(view.contenders.iter().map(|of| row(view, of)));
        inside.push('\n');
    }
    for of in view.contenders {
        let sentences = costs::sentences(&of.target);
        if !sentences.is_empty() {
            let _ =
                writeln!(inside, "- {}: {}", code(&shown(&of.name)), text(&sentences.join("; ")));
        }
        if let Some(store) = &of.store {
            let sentences = words::store(store).join("; ");
            let _ = writeln!(inside, "- store of {}: {}", code(&shown(&of.name)), text(&sentences));
        }
    }
    format!(
        "<details><summary>What the targets cost</summary>\n\n{}\n\n</details>",
        inside.trim_end()
    )
}

fn row(view: &View, of: &ContenderSummary) -> String {
    let target = &of.target;
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| units::MISSING.to_owned());
    format!(
        "| {} | {} | {} | {} | {} |\n",
        code(&shown(&of.name)),
        units::seconds(target.cpu_per_operation),
        or_dash(costs::busy(view, of)),
        or_dash(costs::at_rest(target)),
        or_dash(target.peak_memory_bytes.map(units::bytes)),
    )
}
