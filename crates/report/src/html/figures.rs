//! The contenders' figures side by side.

use super::chart::swatch;
use super::node::{Node, el, foreign};
use super::parts;
use crate::{View, words};
use judge::verdict::{ContenderSummary, Quantiles};
use text::shown::shown;
use text::units;

/// The section.
pub(super) fn section(view: &View) -> Node {
    let mut head = vec!["contender", "throughput", "p50", "p99", "p99.9", "max", "errors"];
    let misses = words::any_misses(view.contenders);
    head.extend(misses.then_some("misses"));
    head.extend(["generator CPU/op", "by itself", "generator idle"]);
    let rows = view.contenders.iter().enumerate().map(|(number, of)| row(number, of, misses));
    parts::section("Figures")
        .with(parts::table(&head, rows))
        .with(parts::caption(
            "Times are response times: from when an operation was due to its last byte. The last \
             three columns are about the load generator, not about the server. By itself: against \
             the null server, which answers at once.",
        ))
        .with_all(
            [words::times::read_at_rest(view), words::lanes::library_shares(view)]
                .into_iter()
                .flatten()
                .map(|sentence| parts::caption(&format!("{}.", parts::capitalised(&sentence)))),
        )
        .with(parts::folded("Table of all times", all_times(view)))
}

fn row(number: usize, contender: &ContenderSummary, misses: bool) -> Vec<Node> {
    let times = &contender.response_time;
    let name = foreign(words::short_name(&contender.name, 40));
    let idle = contender.generator_idle.map(units::percent);
    let mut cells = vec![
        el("th").at("scope", "row").with(el("span").class("named").with(swatch(number)).with(name)),
        parts::cell(units::rate(contender.throughput)),
        parts::cell(words::times::p50(times)),
        parts::cell(words::times::p99(times)),
        parts::cell(words::times::p999(times)),
        parts::cell(words::times::max(times)),
        parts::cell(units::count(words::errors(contender))),
    ];
    cells.extend(misses.then(|| parts::cell(words::misses(contender))));
    cells.extend([
        parts::cell(units::seconds(contender.generator_cpu_per_operation)),
        parts::cell(words::lanes::own_cost(contender).unwrap_or_else(|| units::MISSING.to_owned())),
        parts::cell(idle.unwrap_or_else(|| units::MISSING.to_owned())),
    ]);
    cells
}

fn all_times(view: &View) -> Node {
    let head = ["contender", "time", "p50", "p90", "p99", "p99.9", "max"];
    parts::table(&head, view.contenders.iter().flat_map(times_of))
}

fn times_of(contender: &ContenderSummary) -> Vec<Vec<Node>> {
    let times: [(&str, &Quantiles); 6] = [
        ("response", &contender.response_time),
        ("service", &contender.service_time),
        ("send lag", &contender.send_lag),
        ("connect", &contender.connect_time),
        ("TLS", &contender.tls_time),
        ("first byte", &contender.first_byte_time),
    ];
    let named = times.into_iter().chain(contender.phases.named());
    let named = named.map(|(name, times)| (name.to_owned(), times));
    let server = contender.phases.server.iter();
    let server = server.map(|(part, times)| (format!("server: {}", shown(part)), times));
    let seen = named.chain(server).filter(|(_, times)| times.max.is_some());
    seen.map(|(name, times)| {
        let mut row = vec![parts::row_name(&contender.name), parts::cell(name)];
        row.extend(words::times::all(times).map(parts::cell));
        row
    })
    .collect()
}
