//! What the targets cost, folded away.

use super::escape::{code, text};
use crate::words::columns::{AT_REST, BUSY, CPU, MEMORY};
use crate::{View, words, words::costs};
use std::fmt::Write as _;
use text::shown::shown;

/// A table of figures and a list of their sources. Returns an empty text if nothing is known.
pub(super) fn costs(view: &View) -> String {
    if !costs::known(view) {
        return String::new();
    }
    let mut inside = String::new();
    if costs::figures(view) {
        inside = super::table(view, "target", &[CPU, BUSY, AT_REST, MEMORY]) + "\n";
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
