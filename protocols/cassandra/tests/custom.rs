//! User-defined statements, one after the other and as a batch.

use crate::common::{in_one_slice, order, workload};
use crate::proxy::{BATCH, EXECUTE, PREPARE, Proxy, QUERY};
use crate::{access, driven};
use ::cassandra::BatchType;
use record::{
    Custom, CustomOperation, Kind, LaneTask, OperationText, Parameter, Rows, Share, Statement,
    Workload,
};

const OPERATIONS: u64 = 20;

/// Returns a workload with one operation of these statements, each with a number for its `{n}`.
fn of(statements: &[&str]) -> Workload {
    let statement =
        |text: &&str| Statement { text: (*text).to_owned(), rows: Rows::AtLeast(0), returns: None };
    let parameter =
        Parameter { name: "n".to_owned(), from: "uniform(1, 9)".parse().expect("a generator") };
    let operation = CustomOperation {
        name: "own".to_owned(),
        parameters: vec![parameter],
        says: OperationText::Sql(statements.iter().map(statement).collect()),
    };
    let custom = Custom { operations: vec![operation], ..Custom::default() };
    Workload { mix: vec![Share { kind: Kind::Custom(0), weight: 1.0 }], custom, ..workload("kv") }
}

#[test]
fn statements_that_only_write_are_one_batch_unless_none_is_wanted() {
    let two = of(&["INSERT INTO a (n) VALUES ({n})", "DELETE FROM b WHERE n = {n}"]);
    let with_rows = of(&["SELECT n FROM a WHERE n = {n}", "DELETE FROM b WHERE n = {n}"]);
    for prepares in [true, false] {
        for (workload, batch, batches) in [
            (&two, None, 0),
            (&two, Some(BatchType::Logged), OPERATIONS),
            (&two, Some(BatchType::Unlogged), OPERATIONS),
            (&with_rows, Some(BatchType::Logged), 0),
        ] {
            let proxy = Proxy::new();
            let doing = LaneTask::Drive(workload.clone());
            let order = in_one_slice(order(proxy.address(), doing), OPERATIONS);
            let mut access = access(prepares);
            access.sending.settings.batch = batch;
            let seen = driven(&order, &access);
            let what = format!("{prepares} {batch:?}");
            assert_eq!(seen.outcomes.ok, OPERATIONS, "{what}: {:?}", seen.outcomes);
            assert_eq!(proxy.requests(BATCH), batches, "{what}");
            let single = if prepares { EXECUTE } else { QUERY };
            let wanted = 2 * (OPERATIONS - batches);
            // In addition to the requests of the library itself.
            let most = wanted + proxy.requests(PREPARE) + 8;
            let sent = proxy.requests(single);
            assert!((wanted..=most).contains(&sent), "{what}: {sent} of {wanted}");
        }
    }
}

/// Each statement of a batch has different parameters.
#[test]
fn statements_are_in_a_batch_as_often_as_is_asked() {
    let one = of(&["INSERT INTO a (n) VALUES ({n})"]);
    let two = of(&["INSERT INTO a (n) VALUES ({n})", "DELETE FROM b WHERE n = {n}"]);
    let reads = of(&["SELECT n FROM a WHERE n = {n}"]);
    for prepares in [true, false] {
        for (workload, statements) in [(&one, 5), (&two, 10), (&reads, 0)] {
            let proxy = Proxy::new();
            let doing = LaneTask::Drive(workload.clone());
            let order = in_one_slice(order(proxy.address(), doing), OPERATIONS);
            let mut access = access(prepares);
            access.sending.settings.batch = Some(BatchType::Unlogged);
            access.sending.settings.batch_size = 5;
            let seen = driven(&order, &access);
            let what = format!("{prepares} {statements}");
            assert_eq!(seen.outcomes.ok, OPERATIONS, "{what}: {:?}", seen.outcomes);
            let batches = if statements > 0 { OPERATIONS } else { 0 };
            assert_eq!(proxy.requests(BATCH), batches, "{what}");
            assert_eq!(proxy.batched(), statements * OPERATIONS, "{what}");
        }
    }
}
