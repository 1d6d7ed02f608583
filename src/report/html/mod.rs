//! The report as one page that needs nothing but itself: no script runs, no
//! picture, font or sheet is fetched, and a policy in its head says so to the
//! browser.

mod accounts;
mod chart;
mod costs;
mod figures;
mod findings;
mod forest;
mod headline;
mod latency;
mod node;
mod parts;
mod plan;
mod required;
mod rounds;
mod scale;
mod slices;

use super::{View, json};
use node::{Node, el};

const STYLE: &str = include_str!("style.css");

/// Nothing may be loaded and nothing may run; the one sheet is in the page.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The whole page.
pub(super) fn page(view: &View) -> String {
    let mut out = String::from("<!doctype html>\n");
    let page = el("html").at("lang", "en").with(head(view)).with(body(view));
    page.render(&mut out);
    out.push('\n');
    out
}

fn head(view: &View) -> Node {
    let meta = |name: &str, content: &str| el("meta").at("name", name).at("content", content);
    el("head")
        .with(el("meta").at("charset", "utf-8"))
        .with(el("meta").at("http-equiv", "Content-Security-Policy").at("content", POLICY))
        .with(meta("viewport", "width=device-width, initial-scale=1"))
        .with(meta("color-scheme", "light dark"))
        .with(meta("referrer", "no-referrer"))
        .with(el("title").text(headline::title(view)))
        .with(el("style").style(STYLE))
}

fn body(view: &View) -> Node {
    let main = el("main")
        .class(if view.void { "refused" } else { "sound" })
        .with(headline::masthead(view))
        .with_all(headline::refusal(view))
        .with(headline::verdict(view))
        .with_all(required::section(view))
        .with_all(forest::section(view))
        .with_all(findings::section(view))
        .with(figures::section(view))
        .with_all(costs::section(view))
        .with(latency::section(view))
        .with_all(rounds::section(view))
        .with(slices::section(view))
        .with(accounts::section(view))
        .with_all(plan::sections(view));
    let data = el("script").at("type", "application/json").at("id", "report");
    el("body").with(main).with(data.data(json::report(view)))
}
