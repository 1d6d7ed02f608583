//! What each agent did, if several machines drove.

use super::node::Node;
use super::parts;
use crate::View;
use crate::words::agents;
use text::units;

/// The section. Returns None if one process drove.
pub(super) fn section(view: &View) -> Option<Node> {
    let rows = agents::rows(view);
    if rows.is_empty() {
        return None;
    }
    let head = [
        "contender",
        "agent",
        "throughput",
        "connections",
        "starts later by",
        "at most",
        "clock within",
    ];
    let cells = rows.iter().map(|row| {
        let agent = row.agent;
        vec![
            parts::row_name(row.contender),
            parts::cell(agent.rank),
            parts::cell(units::rate(agent.throughput)),
            parts::cell(units::count(agent.connections)),
            parts::cell(agents::behind(agent.behind)),
            parts::cell(agents::behind(agent.most_behind)),
            parts::cell(units::seconds(Some(agent.clock_bound))),
        ]
    });
    let caption = "Agents start a slice together, as far as their clocks are known: each row says how \
                   much later than the first one an agent started, on average and at most.";
    Some(
        parts::section("By agent")
            .with(parts::table(&head, cells))
            .with(parts::caption(caption))
            .with_all(agents::gate(view).map(|gate| parts::sentence(&gate))),
    )
}
