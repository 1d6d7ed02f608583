//! What the targets cost. Columns and lines without information are left out.

use super::layout::{Page, Paint};
use super::table::{LONGEST_NAME, table};
use crate::{View, words, words::costs};
use judge::verdict::ContenderSummary;
use text::units::{self, MISSING};

/// The table, and the few lines below it.
pub(super) fn targets(view: &View, page: &mut Page) {
    if !costs::known(view) {
        return;
    }
    page.blank();
    if costs::figures(view) {
        figures(view, page);
    }
    behind(view, page);
}

/// The columns in which some contender has a figure.
fn figures(view: &View, page: &mut Page) {
    type Figure = fn(&View, &ContenderSummary) -> Option<String>;
    let columns: [(&str, Figure); 5] = [
        ("CPU/op", |_, of| of.target.cpu_per_operation.map(|cpu| units::seconds(Some(cpu)))),
        ("CPU while driven", costs::busy),
        ("CPU at rest", |_, of| costs::at_rest(&of.target)),
        ("peak memory", |_, of| of.target.peak_memory_bytes.map(units::bytes)),
        ("launches", |_, of| {
            (of.target.launches > 1).then(|| units::count(of.target.launches.into()))
        }),
    ];
    let cells = columns.map(|(head, figure)| {
        let cells = view.contenders.iter().map(|of| figure(view, of));
        (head, cells.collect::<Vec<Option<String>>>())
    });
    let seen: Vec<_> =
        cells.iter().filter(|(_, cells)| cells.iter().any(Option::is_some)).collect();
    let head: Vec<&str> = std::iter::once("target").chain(seen.iter().map(|it| it.0)).collect();
    let rows = view.contenders.iter().enumerate().map(|(number, of)| {
        let cell = |cells: &Vec<Option<String>>| cells[number].clone();
        let cells = seen.iter().map(|it| cell(&it.1).unwrap_or_else(|| MISSING.to_owned()));
        std::iter::once(name(of)).chain(cells).collect()
    });
    table(&head, &rows.collect::<Vec<Vec<String>>>(), page);
}

/// The origin of the figures: one line for each target, or one for all if they are the same.
fn behind(view: &View, page: &mut Page) {
    let mut sources = view.contenders.iter().map(|of| costs::sources(&of.target));
    let first = sources.next().flatten();
    let alike = view.contenders.len() > 1 && sources.all(|other| other == first);
    if let Some(sources) = first.filter(|_| alike) {
        page.wrapped(2, &format!("each target: {sources}"), Paint::Plain);
    }
    for of in view.contenders {
        let own = costs::sources(&of.target).filter(|_| !alike).into_iter();
        let runs = costs::runs(&of.target).into_iter();
        let runs = runs.chain(costs::watched(&of.target));
        let rest = runs.chain(costs::reservations(&of.target)).chain(costs::facts(&of.target));
        let sentences: Vec<String> = own.chain(rest).collect();
        if !sentences.is_empty() {
            page.wrapped(2, &format!("{}: {}", name(of), sentences.join("; ")), Paint::Plain);
        }
        if let Some(store) = &of.store {
            let sentences = words::store(store).join("; ");
            page.wrapped(2, &format!("store of {}: {sentences}", name(of)), Paint::Plain);
        }
    }
}

fn name(of: &ContenderSummary) -> String {
    words::short_name(&of.name, LONGEST_NAME)
}
