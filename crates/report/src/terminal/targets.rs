//! What the targets cost. Columns and lines without information are left out.

use super::layout::{Page, Paint};
use super::table;
use crate::View;
use crate::words::columns::{self, AT_REST, BUSY, CPU, Column, MEMORY};
use crate::words::{self, costs};
use text::units;

const LAUNCHES: Column =
    ("launches", |_, of| (of.target.launches > 1).then(|| units::count(of.target.launches.into())));

/// The table, and the few lines below it.
pub(super) fn targets(view: &View, page: &mut Page) {
    if !costs::known(view) {
        return;
    }
    page.blank();
    if costs::figures(view) {
        let columns = columns::known(view, &[CPU, BUSY, AT_REST, MEMORY, LAUNCHES]);
        table::figures(view, "target", &columns, table::named(view), page);
    }
    behind(view, page);
}

/// The origin of the figures: one line for each target, or one for all if they are the same.
fn behind(view: &View, page: &mut Page) {
    let mut sources = view.contenders.iter().map(|of| costs::sources(&of.target));
    let first = sources.next().flatten();
    let alike = view.contenders.len() > 1 && sources.all(|other| other == first);
    if let Some(sources) = first.filter(|_| alike) {
        page.wrapped(2, &format!("each target: {sources}"), Paint::Plain);
    }
    for (name, of) in table::named(view) {
        let own = costs::sources(&of.target).filter(|_| !alike).into_iter();
        let runs = costs::runs(&of.target).into_iter();
        let runs = runs.chain(costs::watched(&of.target));
        let rest = runs.chain(costs::reservations(&of.target)).chain(costs::facts(&of.target));
        let sentences: Vec<String> = own.chain(rest).collect();
        if !sentences.is_empty() {
            page.wrapped(2, &format!("{name}: {}", sentences.join("; ")), Paint::Plain);
        }
        if let Some(store) = &of.store {
            let sentences = words::store(store).join("; ");
            page.wrapped(2, &format!("store of {name}: {sentences}"), Paint::Plain);
        }
    }
}
