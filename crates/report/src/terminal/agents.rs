//! What each agent did, if several machines drove.

use super::layout::{Page, Paint};
use super::table::{LONGEST_NAME, table};
use crate::words::agents::{self, AgentRow};
use crate::{View, words};
use text::shown::shown_sentence;
use text::units;

const HEAD: [&str; 6] =
    ["agent", "contender", "throughput", "starts later by", "at most", "clock within"];

/// One row for each agent and contender.
pub(super) fn agents(view: &View, page: &mut Page) {
    let rows: Vec<Vec<String>> = agents::rows(view).iter().map(cells).collect();
    if rows.is_empty() {
        return;
    }
    page.blank();
    table(&HEAD, &rows, page);
    page.sentences(2, agents::gate(view).map(shown_sentence), Paint::Plain);
}

fn cells(row: &AgentRow<'_>) -> Vec<String> {
    let agent = row.agent;
    vec![
        agent.rank.to_string(),
        words::short_name(row.contender, LONGEST_NAME),
        units::rate(agent.throughput),
        agents::behind(agent.behind),
        agents::behind(agent.most_behind),
        units::seconds(Some(agent.clock_bound)),
    ]
}
