//! Groups: the load of each, and its figures.

use super::workload::mix;
use crate::{View, words};
use judge::verdict::{Comparison, ContenderSummary, Middle};
use record::Contender;
use text::shown::shown;
use text::units;

/// One row: a group of a contender.
pub(crate) struct GroupRow<'a> {
    /// Name of the contender.
    pub(crate) contender: &'a str,
    /// Figures of the group, under its name.
    pub(crate) of: &'a ContenderSummary,
}

/// The rows of all contenders. Returns an empty list if no contender has groups.
pub(crate) fn rows<'a>(view: &View<'a>) -> Vec<GroupRow<'a>> {
    let each = view.contenders.iter();
    let rows = each.flat_map(|contender| {
        contender.groups.iter().map(|of| GroupRow { contender: &contender.name, of })
    });
    rows.collect()
}

/// The load of each group: `readers: get 100 %; 20 connections, 32 in flight on
/// each, closed loop`.
pub fn loads(contender: &Contender) -> Vec<String> {
    let mixes = contender.asks.workload().map(|workload| (workload, workload.mixes()));
    let sentences = contender.groups.iter().enumerate().map(|(at, group)| {
        let intensity = group.intensity;
        let done = mixes.as_ref().and_then(|(of, mixes)| Some(mix(of, mixes.get(at)?)));
        let done = done.map(|done| format!("{done}; ")).unwrap_or_default();
        let connections = units::counted(intensity.connections.into(), "connection");
        let depth = match intensity.depth {
            1 => String::new(),
            depth => format!(", {depth} in flight on each"),
        };
        let arrivals = words::arrivals(intensity.arrivals);
        format!("{}: {done}{connections}{depth}, {arrivals}", shown(&group.name))
    });
    sentences.collect()
}

/// The metric, with the group or request if the comparison is about one: `p99 of response time of
/// writers`.
pub(crate) fn metric(of: &Comparison) -> String {
    words::metric(of.metric).to_owned() + &of_group(of)
}

/// The short name of the metric, with the group or request if the comparison is about one.
pub(crate) fn short_metric(of: &Comparison) -> String {
    words::short_metric(of.metric).to_owned() + &of_group(of)
}

fn of_group(of: &Comparison) -> String {
    of.part().map(|part| format!(" of {}", shown(part))).unwrap_or_default()
}

/// The figure of a contender, or of its group or request, that a comparison is about. If the figures over all rounds
/// contradict the ratio, which comes from pairs of rounds, it is the figure in the middle of the rounds.
pub(crate) fn figure(view: &View, of: &Comparison, contender: &str) -> String {
    let value = match contradicted(view, of) {
        Some(middle) => Some(if contender == of.a { middle.a } else { middle.b }),
        None => value(view, of, contender),
    };
    words::figure(of.metric, value)
}

/// Says which figures stand beside the ratio, if they are not those over all rounds.
pub(crate) fn kind_of_figures(view: &View, of: &Comparison) -> &'static str {
    match contradicted(view, of) {
        None => "",
        Some(Middle { of_launches: false, .. }) => " (middle of the rounds)",
        Some(Middle { of_launches: true, .. }) => " (middle of the launches)",
    }
}

/// The figures in the middle, if the ratio of those over all rounds is outside of the interval.
fn contradicted(view: &View, of: &Comparison) -> Option<Middle> {
    let pooled = |name: &str| value(view, of, name);
    let ratio = pooled(&of.b)? / pooled(&of.a)?;
    let outside = ratio < of.low? || ratio > of.high?;
    of.middle.filter(|_| outside)
}

fn value(view: &View, of: &Comparison, contender: &str) -> Option<f64> {
    let contender = view.contender(contender)?;
    if let Some(name) = &of.request {
        return contender.requests.iter().find(|request| request.name == *name)?.throughput;
    }
    let figures = match &of.group {
        None => contender,
        Some(name) => contender.groups.iter().find(|group| group.name == *name)?,
    };
    figures.figure(of.metric)
}
