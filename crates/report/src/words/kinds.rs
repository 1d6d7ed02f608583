//! Operations by kind, as rows of a table.

use super::kind;
use crate::View;
use judge::verdict::{ContenderSummary, KindSummary, Quantiles};
use record::{Arrivals, Contender, Kind, Skew, Work, Workload};
use text::units::{self, JOINT};

/// One row: a kind of operation, or a half of one.
pub(crate) struct KindRow<'a> {
    /// Number of the contender.
    pub(crate) contender: usize,
    /// Such as `get`, or `its read` for a half.
    pub(crate) operation: String,
    /// Whether the row is a half of the operation in the row before.
    pub(crate) is_half: bool,
    /// How many operations there were; empty for a half.
    pub(crate) count: String,
    /// Their response times; those of the second half count from the reply to the first.
    pub(crate) times: &'a Quantiles,
}

/// The rows of all contenders. Returns an empty list if no contender has several kinds of
/// operation.
pub(crate) fn rows<'a>(view: &View<'a>) -> Vec<KindRow<'a>> {
    let numbered = view.contenders.iter().enumerate();
    numbered
        .flat_map(|(number, of)| -> Vec<KindRow<'a>> {
            let rows = |kind| rows_of(view, number, of, kind);
            if of.groups.is_empty() {
                of.kinds.iter().flat_map(rows).collect()
            } else {
                rows_of_groups(view, number, of)
            }
        })
        .collect()
}

/// Kinds within each group: a get in one group is not comparable to a get in another.
fn rows_of_groups<'a>(
    view: &View<'a>,
    contender: usize,
    of: &'a ContenderSummary,
) -> Vec<KindRow<'a>> {
    let rows = of.groups.iter().flat_map(|group| {
        let rows = group.kinds.iter().flat_map(move |kind| rows_of(view, contender, of, kind));
        rows.map(move |row| {
            if row.is_half {
                row
            } else {
                KindRow { operation: format!("{}, {}", group.name, row.operation), ..row }
            }
        })
    });
    rows.collect()
}

fn rows_of<'a>(
    view: &View<'a>,
    contender: usize,
    of: &ContenderSummary,
    kind: &'a KindSummary,
) -> Vec<KindRow<'a>> {
    let half = |name: &str, half: &'a Option<(u64, Quantiles)>| {
        let (_, times) = half.as_ref()?;
        let operation = format!("its {name}");
        Some(KindRow { contender, operation, is_half: true, count: String::new(), times })
    };
    let whole = KindRow {
        contender,
        operation: operation(view, of, kind),
        is_half: false,
        count: units::count(kind.operations),
        times: &kind.response_time,
    };
    let halves = [half("read", &kind.read), half("update", &kind.update)];
    std::iter::once(whole).chain(halves.into_iter().flatten()).collect()
}

/// The name of a kind in this contender's workload.
pub(crate) fn operation(view: &View, of: &ContenderSummary, seen: &KindSummary) -> String {
    let planned = view.plan().contenders.iter().find(|planned| planned.name == of.name);
    kind(planned.and_then(|planned| planned.asks.workload()), seen.kind)
}

/// Why requests have no verdicts.
const SHARE_ONE_SERVER: &str = "One server does the work of all these requests, so a slow one slows down the others, \
                                and none has a verdict";
/// What can be done about it in closed loop.
const TRY_BY_REQUEST: &str =
    ": by_request = true in [workload] also drives each alone, and compares it";

/// Says why requests have no verdicts, where they have none.
pub(crate) fn share_one_server(view: &View) -> Option<String> {
    let (plan, of) = (view.plan(), view.contenders.first()?);
    let named = of.kinds.iter().filter(|kind| matches!(kind.kind, Kind::Custom(_)));
    if named.count() < 2 || view.comparisons.is_empty() || !plan.question.requests.is_empty() {
        return None;
    }
    let closed = |of: &Contender| of.intensity.arrivals == Arrivals::Closed;
    let is_possible = plan.contenders.iter().all(closed) && of.groups.is_empty();
    let remedy = if is_possible { TRY_BY_REQUEST } else { "" };
    Some(format!("{SHARE_ONE_SERVER}{remedy}."))
}

/// How many conditional writes failed because another write came first. Returns None if none
/// did.
pub(crate) fn conflicts(of: &ContenderSummary) -> Option<String> {
    let (conflict, total) = (of.outcomes.conflict, of.outcomes.total());
    let share = units::percent(conflict as f64 / total.max(1) as f64);
    (conflict > 0).then(|| {
        format!(
            "{} ({share}) wrote nothing because another write came first",
            units::counted(conflict, "operation")
        )
    })
}

/// How unevenly keys are requested: one sentence for each contender with its name, or one
/// without a name if all are alike. Returns an empty list if there is no workload.
pub(crate) fn skews(view: &View) -> Vec<(Option<String>, String)> {
    let planned = &view.plan().contenders;
    let all: Vec<Option<&Work>> = planned.iter().map(|of| of.asks.work()).collect();
    let describe = |of: Option<&Work>| Some(skew(&of?.workload, of?.skew.as_ref()?));
    let alike = all.windows(2).all(|two| describe(two[0]) == describe(two[1]));
    if alike {
        return all
            .first()
            .and_then(|of| describe(*of))
            .map(|text| (None, text))
            .into_iter()
            .collect();
    }
    let named = planned.iter().zip(all);
    named.filter_map(|(of, it)| Some((Some(of.name.clone()), describe(it)?))).collect()
}

/// `of 1000 keys, the most requested 1 % get 30 % of the requests, the top 10 % get 45 %`.
pub(crate) fn skew(workload: &Workload, skew: &Skew) -> String {
    let [one, ten] = [skew.top_1_percent, skew.top_10_percent].map(units::percent);
    let keys = if workload.is_wide() { "users" } else { "keys" };
    format!(
        "of {} {keys}, the most requested 1{JOINT}% get {one} of the requests, the top 10{JOINT}% \
         get {ten}",
        units::count(workload.keys)
    )
}
