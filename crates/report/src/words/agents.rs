//! What each agent did, if several machines drove, and what it cost to start them together.

use crate::View;
use judge::verdict::AgentSummary;
use text::units;

/// One agent and one contender.
pub(crate) struct AgentRow<'a> {
    pub(crate) contender: &'a str,
    pub(crate) agent: &'a AgentSummary,
}

/// One row for each agent and contender, by rank. Empty if one process drove.
pub(crate) fn rows<'a>(view: &View<'a>) -> Vec<AgentRow<'a>> {
    let rows = view
        .contenders
        .iter()
        .flat_map(|of| of.agents.iter().map(|agent| AgentRow { contender: &of.name, agent }));
    let mut rows: Vec<AgentRow<'a>> = rows.collect();
    rows.sort_by_key(|row| row.agent.rank);
    rows
}

/// How much later than the first agent it started, as text. Times that no clock model can tell from
/// 0 are shown as such.
pub(crate) fn behind(seconds: f64) -> String {
    if seconds < 1e-6 { "0 s".to_owned() } else { units::seconds(Some(seconds)) }
}

/// The pauses between slices, as a sentence without its full stop. None if one process drove.
pub(crate) fn gate(view: &View) -> Option<String> {
    let gate = view.gate?;
    Some(format!(
        "between two slices the agents waited {} for each other on average, at most {}: {} of the \
         rounds",
        units::seconds(Some(gate.pause)),
        units::seconds(Some(gate.longest)),
        units::percent(gate.share)
    ))
}
