//! User-defined operations as the user gave them: the parts that may be recorded, and those that
//! may not.

use crate::plan::settings::declared::Merged;
use crate::protocols::PROTOCOLS;
use engine::workload::Feeds;
use protocol::{Protocol, RequestHead, RequestOperation};
use record::{Custom, CustomOperation, Kind, OperationText, Share};
use std::fmt;

/// The most operations that one workload may have: a table of latencies has a line for each.
pub const MOST: usize = 32;

/// User-defined operations that were given.
#[derive(Clone, Default)]
pub struct CustomSettings {
    /// What may be recorded.
    pub definition: Custom,
    /// Weights of its operations, each above 0.
    pub weights: Vec<f64>,
    /// The requests, if the operations are requests over HTTP, in the same order.
    pub requests: Vec<RequestTemplate>,
    /// Rows of its feeds.
    pub feeds: Feeds,
}

/// A request with names of parameters in braces. It can hold secrets: no `Debug`.
#[derive(Clone)]
pub struct RequestTemplate {
    /// The method.
    pub method: String,
    /// Path and query. None means those of the contender's address.
    pub target: Option<String>,
    /// Its own headers, which replace the contender's headers of the same name.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body.
    pub body: Option<String>,
}

/// Formats only the parts that cannot be secret.
impl fmt::Debug for CustomSettings {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CustomSettings { definition, weights, .. } = self;
        to.debug_struct("CustomSettings")
            .field("definition", definition)
            .field("weights", weights)
            .finish_non_exhaustive()
    }
}

/// Compares the recorded parts, which determine the operations.
impl PartialEq for CustomSettings {
    fn eq(&self, other: &CustomSettings) -> bool {
        self.definition == other.definition && self.weights == other.weights
    }
}

/// The operations of one source replace those of another.
impl Merged for CustomSettings {
    fn is_given(&self) -> bool {
        !self.is_empty()
    }
}

impl CustomSettings {
    /// Whether no operation was given.
    pub fn is_empty(&self) -> bool {
        self.definition.operations.is_empty()
    }

    /// Whether they are requests over HTTP.
    pub fn has_requests(&self) -> bool {
        !self.requests.is_empty()
    }

    /// The operations as shares of a mix.
    pub(in crate::plan) fn shares(&self) -> impl Iterator<Item = Share> {
        (0..)
            .zip(&self.weights)
            .map(|(at, weight)| Share { kind: Kind::Custom(at), weight: *weight })
    }

    /// Returns why a contender of this protocol cannot run them, or None if it can.
    pub(in crate::plan) fn why_not(&self, protocol: &Protocol) -> Option<String> {
        let table = self.definition.tables.first().map(|table| &table.name);
        if let Some(table) = table.filter(|_| !protocol.is_sql()) {
            return Some(format!("the table `{table}` requires an SQL database"));
        }
        let setup = !self.definition.setup.is_empty() && !protocol.is_sql();
        let cannot = |of: &&CustomOperation| !protocol.supports(&of.says);
        match self.definition.operations.iter().find(cannot) {
            Some(of) => Some(format!("`{}` is {}", of.name, what(&of.says))),
            None if setup => Some("`setup` requires an SQL database".to_owned()),
            None => None,
        }
    }
}

fn what(says: &OperationText) -> String {
    let what = match says {
        OperationText::Sql(_) => return "an SQL statement, which requires a database".to_owned(),
        OperationText::Command(_) => "a command",
        OperationText::Request { .. } => "a request",
    };
    format!("{what}, which requires {}", PROTOCOLS.written_as(|row| row.supports(says)))
}

impl RequestTemplate {
    /// The request of an operation to this target, with these headers before its own.
    pub(in crate::plan) fn operation<'a>(
        &'a self,
        operation: &'a CustomOperation,
        (target, host): (&'a str, &'a str),
        headers: &[(String, Vec<u8>)],
    ) -> RequestOperation<'a> {
        let headers = [headers, &self.headers].concat();
        RequestOperation {
            name: &operation.name,
            head: RequestHead { method: &self.method, target, host, headers },
            body: self.body.as_deref(),
            parameters: operation.parameters.iter().map(|of| of.name.as_str()).collect(),
        }
    }
}
