//! What each agent did, if several machines drove.

use super::layout::Page;
use super::table::table;
use crate::View;
use text::units;

/// Times that no clock model can tell from 0 are shown as such.
fn behind(seconds: f64) -> String {
    if seconds < 1e-6 { "0 s".to_owned() } else { units::seconds(Some(seconds)) }
}

/// One row for each agent and contender.
pub(super) fn agents(view: &View, page: &mut Page) {
    let rows = view.contenders.iter().flat_map(|of| {
        of.agents.iter().map(|agent| {
            vec![
                agent.rank.to_string(),
                of.name.clone(),
                agent.throughput.map_or(units::MISSING.to_owned(), units::show_rate),
                behind(agent.behind),
                behind(agent.most_behind),
                units::seconds(Some(agent.clock_bound)),
            ]
        })
    });
    let mut rows: Vec<Vec<String>> = rows.collect();
    if rows.is_empty() {
        return;
    }
    rows.sort_by_key(|row| row[0].parse::<u32>().unwrap_or(0));
    page.blank();
    let head = ["agent", "contender", "throughput", "starts later by", "at most", "clock within"];
    table(&head, &rows, page);
}
