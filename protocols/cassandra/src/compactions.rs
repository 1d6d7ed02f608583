//! Pending compactions and flushes of the nodes of a cluster.

use crate::session::Server;
use crate::{request_error, words};
use drivers::admin::QueryError;
use protocol::side_channel::TasksLeft;
use scylla::client::session::Session;
use scylla::cluster::Node;
use scylla::policies::load_balancing::{NodeIdentifier, SingleTargetLoadBalancingPolicy};
use scylla::statement::Statement;
use std::sync::Arc;

/// Running and pending tasks of the threads that compact tables and of those that flush what will
/// be compacted. Each node has this table for itself, from 4.0 on.
const TASKS: &str = "SELECT active_tasks, pending_tasks FROM system_views.thread_pools WHERE name \
                     IN ('CompactionExecutor', 'MemtableFlushWriter')";

impl Server {
    /// Asks every node of the cluster.
    pub(crate) async fn work_left(&self) -> Result<TasksLeft, QueryError> {
        let session = self.open_to_ask().await?;
        let mut left = TasksLeft { tasks: 0, nodes: 0 };
        for node in session.get_cluster_state().get_nodes_info() {
            left.tasks += tasks(&session, node).await?;
            left.nodes += 1;
        }
        Ok(left)
    }
}

async fn tasks(session: &Session, node: &Arc<Node>) -> Result<u64, QueryError> {
    let mut statement = Statement::new(TASKS);
    let node = NodeIdentifier::Node(node.clone());
    statement.set_load_balancing_policy(Some(SingleTargetLoadBalancingPolicy::new(node, None)));
    let answer = session.query_unpaged(statement, ()).await.map_err(|error| {
        QueryError::new(request_error::of_execution(&error), words::of_execution(&error))
    })?;
    let cells = words::rows(answer).into_iter().flatten();
    Ok(cells.filter_map(|cell| cell?.parse::<u64>().ok()).sum())
}
