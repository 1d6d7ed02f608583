//! The contenders' figures side by side.

use super::node::Node;
use super::parts;
use crate::words::columns::{
    Column, ERRORS, MAX, MISSES, OUR_CPU, OUR_CPU_ALONE, P50, P99, P999, THROUGHPUT,
    with_misses_if_any,
};
use crate::{View, words};
use judge::verdict::{ContenderSummary, Quantiles};
use text::shown::shown;
use text::units;

const COLUMNS: [Column; 10] = [
    THROUGHPUT,
    P50,
    P99,
    P999,
    MAX,
    ERRORS,
    MISSES,
    ("generator CPU/op", OUR_CPU.1),
    OUR_CPU_ALONE,
    ("generator idle", |_, of| of.generator_idle.map(units::percent)),
];

/// The section.
pub(super) fn section(view: &View) -> Node {
    let columns = with_misses_if_any(&COLUMNS, view.contenders);
    let rows = parts::named(view, parts::marked_name);
    parts::section("Figures")
        .with(parts::figures(view, &["contender"], &columns, rows))
        .with(parts::caption(
            "Times are response times: from when an operation was due to its last byte. The last \
             three columns are about the load generator, not about the server. By itself: against \
             the null server, which answers at once.",
        ))
        .with_all(
            [words::times::read_at_rest(view), words::lanes::library_shares(view)]
                .into_iter()
                .flatten()
                .map(|sentence| parts::sentence(&sentence)),
        )
        .with(parts::folded("Table of all times", all_times(view)))
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
