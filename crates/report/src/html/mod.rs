//! The report as one self-contained page: no script runs, no picture, font or style sheet is
//! fetched, and a policy in its head makes the browser enforce that.

mod accounts;
mod agents;
pub(super) mod bisect;
mod boards;
mod capacity;
mod cases;
mod chart;
mod costs;
mod figures;
mod findings;
mod forest;
mod groups;
mod headline;
mod kinds;
mod latency;
mod loads;
mod node;
mod parts;
mod plan;
pub(super) mod printed;
mod published;
mod ranking;
mod required;
mod rounds;
mod scale;
mod slices;
mod sweep;

use super::{View, json, words};
use node::{Node, el};
use text::shown::shown;

const STYLE: &str = include_str!("style.css");

/// Nothing may be loaded and nothing may run; the only style sheet is in the page.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The whole page.
pub(super) fn page(view: &View) -> String {
    document(headline::title(view), main(view), json::report(view))
}

/// A page with this title that contains its data.
fn document(title: String, main: Node, data: String) -> String {
    let mut out = String::from("<!doctype html>\n");
    let script = el("script").at("type", "application/json").at("id", "report").data(data);
    let body = el("body").with(main).with(script);
    el("html").at("lang", "en").with(head(title)).with(body).render(&mut out);
    out.push('\n');
    out
}

fn head(title: String) -> Node {
    let meta = |name: &str, content: &str| el("meta").at("name", name).at("content", content);
    el("head")
        .with(el("meta").at("charset", "utf-8"))
        .with(el("meta").at("http-equiv", "Content-Security-Policy").at("content", POLICY))
        .with(meta("viewport", "width=device-width, initial-scale=1"))
        .with(meta("color-scheme", "light dark"))
        .with(meta("referrer", "no-referrer"))
        .with(el("title").text(title))
        .with(el("style").style(STYLE))
}

fn main(view: &View) -> Node {
    // Figures over turns at many rates together describe none of them.
    let has_one_load = !words::capacity::are_sought(view) && view.suite.is_none();
    el("main")
        .class(if view.void { "refused" } else { "sound" })
        .with(parts::masthead(view.run, 60, &shown(&view.header.started)))
        .with_all(headline::refusal(view))
        .with_all(sweep::refusal(view))
        .with_all(published::paragraph(view))
        .with(sweep::headline(view).unwrap_or_else(|| headline::verdict(view)))
        .with_all(sweep::sections(view))
        .with_all(published::section(view))
        .with_all(required::section(view))
        .with_all(ranking::section(view))
        .with_all(cases::section(view))
        .with_all(forest::section(view))
        .with_all(capacity::section(view))
        .with_all(findings::section(view))
        .with_all(has_one_load.then(|| figures::section(view)))
        .with_all(costs::section(view))
        .with_all(has_one_load.then(|| latency::section(view)))
        .with_all(groups::section(view))
        .with_all(kinds::section(view))
        .with_all(agents::section(view))
        .with_all(view.suite.is_none().then(|| rounds::section(view)).flatten())
        .with_all(has_one_load.then(|| slices::section(view)))
        .with(accounts::section(view))
        .with_all(plan::sections(view))
}
