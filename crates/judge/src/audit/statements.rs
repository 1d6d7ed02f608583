//! Names the custom operations that did not return what was expected, for the rules that count
//! them.

use crate::evidence::DriveSummary;
use record::{Kind, KindSeen, LaneTask, OperationText};

/// Returns text such as `: 12 of `read`, 3 of `move``, or an empty text if no statement has any.
/// `count` returns the number of a kind's operations to report.
pub(super) fn named(driven: &DriveSummary, count: impl Fn(&KindSeen) -> u64) -> String {
    let Some(LaneTask::Drive(workload)) =
        driven.lane_orders.first().map(|lane_order| &lane_order.doing)
    else {
        return String::new();
    };
    let statement = |seen: &KindSeen| {
        let Kind::Custom(number) = seen.kind else { return None };
        let own = workload.custom.operations.get(number as usize)?;
        let counted = count(seen);
        let is_counted_statement = matches!(own.says, OperationText::Sql(_)) && counted > 0;
        is_counted_statement.then(|| format!("{counted} of `{}`", own.name))
    };
    let named: Vec<String> = driven.judged.kinds.iter().filter_map(statement).collect();
    if named.is_empty() { String::new() } else { format!(": {}", named.join(", ")) }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::builder::SampleRun;
    use record::{Custom, CustomOperation, Kind, KindSeen, OperationText, Rows, Seen, Statement};

    /// A run in which each trial of `b` has operations of one statement, `read`.
    pub(in crate::audit) fn with_statement(change: impl Fn(&mut KindSeen)) -> SampleRun {
        let mut run = SampleRun::compare(4).with_operations(1000);
        let workload = workload();
        for trial in run.records.iter_mut().filter(|trial| trial.contender == 1) {
            trial.lane_order.doing = record::LaneTask::Drive(workload.clone());
        }
        run.each_seen("b", |_, seen: &mut Seen| {
            let mut kind = KindSeen::empty(Kind::Custom(0));
            kind.operations = 1000;
            change(&mut kind);
            (seen.outcomes.miss, seen.outcomes.wrong) = (kind.miss, kind.wrong);
            seen.outcomes.ok -= kind.miss + kind.wrong;
            seen.kinds = vec![kind];
        });
        run
    }

    fn workload() -> record::Workload {
        let text = "SELECT 1".to_owned();
        let statement = Statement { text, rows: Rows::Exactly(1), returns: None };
        let operation = CustomOperation {
            name: "read".to_owned(),
            parameters: Vec::new(),
            says: OperationText::Sql(vec![statement]),
        };
        let custom = Custom { operations: vec![operation], ..Custom::default() };
        record::Workload { custom, ..record::Workload::of(&[(Kind::Custom(0), 1.0)]) }
    }
}
