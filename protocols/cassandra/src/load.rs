//! Writes the rows of a load to all of their replicas, and repeats writes if the cluster is too
//! busy. So the rows can be read at any consistency level; a load is not measured. Existing rows
//! are written again.

use crate::link::Link;
use crate::request_error;
use crate::session::Server;
use drivers::request::{OnColumns, Row};
use drivers::request_error::RequestError;
use futures_util::{StreamExt, TryStreamExt, stream};
use scylla::errors::ExecutionError;
use scylla::response::query_result::QueryResult;
use scylla::serialize::row::SerializeRow;
use scylla::statement::Consistency;
use scylla::statement::batch::{Batch, BatchType};
use scylla::statement::prepared::PreparedStatement;
use std::time::Duration;

/// Statements and batches that one request of a load sends at the same time.
const AT_ONCE: usize = 8;
/// How long a batch may be: Cassandra warns of those above 5 KiB
/// (`batch_size_warn_threshold`).
const LONGEST_BATCH: usize = 5 << 10;
/// What a column takes besides its value: name, timestamps and lengths, rounded up.
const BESIDE_VALUE: usize = 64;
/// How many times a load tries to write while the cluster is too busy.
const TRIES: u32 = 10;
/// The pause before the second try. Each further pause is longer by this much.
const PAUSE: Duration = Duration::from_millis(100);

impl Server {
    /// Writes rows at the same time, each by a statement of its own.
    pub(crate) async fn write(
        &self,
        link: &Link,
        mut prepared: PreparedStatement,
        rows: impl Iterator<Item = impl SerializeRow>,
    ) -> Result<(), RequestError> {
        prepared.set_consistency(Consistency::All);
        let prepared = &prepared;
        let writes = rows.map(|row| async move {
            while_busy(async || link.session.execute_unpaged(prepared, &row).await).await
        });
        stream::iter(writes).buffer_unordered(AT_ONCE).try_collect().await
    }

    /// Writes columns at the same time, those of one partition in unlogged batches.
    pub(crate) async fn load_columns(&self, link: &Link, rows: &[Row]) -> Result<(), RequestError> {
        let text = self.wide.with_placeholders(OnColumns::Insert);
        let (prepared, _) = link.prepared_wide(OnColumns::Insert, text).await?;
        let prepared = &prepared;
        let writes = batches(rows).into_iter().map(|rows| async move {
            let mut batch = Batch::new(BatchType::Unlogged);
            batch.set_consistency(Consistency::All);
            rows.iter().for_each(|_| batch.append_statement(prepared.clone()));
            let values = rows.iter().filter_map(|row| {
                let (_, column) = row.on_columns?;
                Some((row.key.as_str(), column.type_name(), column.at(), row.value.as_slice()))
            });
            let values: Vec<_> = values.collect();
            while_busy(async || link.session.batch(&batch, &values).await).await
        });
        stream::iter(writes).buffer_unordered(AT_ONCE).try_collect().await
    }
}

/// Sends, and repeats it if the cluster is too busy.
async fn while_busy(
    send: impl AsyncFn() -> Result<QueryResult, ExecutionError>,
) -> Result<(), RequestError> {
    let mut pause = PAUSE;
    for _ in 1..TRIES {
        match send().await {
            Ok(_) => return Ok(()),
            Err(error) if request_error::is_busy(&error) => tokio::time::sleep(pause).await,
            Err(error) => return Err(request_error::of_execution(&error)),
        }
        pause += PAUSE;
    }
    send().await.map(drop).map_err(|error| request_error::of_execution(&error))
}

/// Splits the rows into batches: each of one partition, and as long as is allowed.
fn batches(rows: &[Row]) -> Vec<&[Row]> {
    let partition = |row: &Row| row.on_columns.map(|(_, column)| column.row);
    let mut batches = Vec::new();
    for partition in rows.chunk_by(|one, other| partition(one) == partition(other)) {
        let (mut from, mut bytes) = (0, 0);
        for (at, row) in partition.iter().enumerate() {
            let more = row.value.len() + BESIDE_VALUE;
            if at > from && bytes + more > LONGEST_BATCH {
                batches.push(&partition[from..at]);
                (from, bytes) = (at, 0);
            }
            bytes += more;
        }
        batches.push(&partition[from..]);
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::workload::Column;

    fn row((row, time): (u64, u64), bytes: usize) -> Row {
        let on_columns = Some((OnColumns::Insert, Column { row, time }));
        Row { value: vec![7; bytes], on_columns, ..Row::default() }
    }

    #[test]
    fn a_batch_is_of_one_partition_and_below_the_servers_limit() {
        let rows: Vec<Row> = (0..250).map(|n| row((n / 100, n % 100), 380)).collect();
        let batches = batches(&rows);
        assert_eq!(batches.concat(), rows, "each once, in its order");
        for batch in &batches {
            assert!(batch.iter().all(|row| row.value.len() == 380 && !batch.is_empty()));
            let of = |row: &Row| row.on_columns.expect("a column").1.row;
            assert!(batch.iter().all(|row| of(row) == of(&batch[0])), "of one partition");
        }
        let lengths: Vec<usize> = batches.iter().map(|batch| batch.len()).collect();
        // 11 × (380 + 64) bytes are below 5 KiB, and 12 are above.
        let whole = [vec![11; 9], vec![1]].concat();
        assert_eq!(lengths, [whole.clone(), whole, vec![11, 11, 11, 11, 6]].concat());
    }

    #[test]
    fn rows_longer_than_a_batch_are_sent_alone() {
        let rows = [row((0, 0), 100), row((0, 1), 9000), row((0, 2), 100), row((0, 3), 100)];
        let lengths: Vec<usize> = batches(&rows).iter().map(|batch| batch.len()).collect();
        assert_eq!(lengths, [1, 1, 2]);
        assert!(batches(&[]).is_empty());
    }
}
