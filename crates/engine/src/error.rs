//! Errors of tiebreak itself. Failures of targets are data, and are counted.

use crate::workload::WorkloadError;
use std::io;
use thiserror::Error;

/// Why an order was not driven to its end. Its text is a sentence that says what failed.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The operating system refused a call.
    #[error("{attempt}: {source}")]
    System {
        /// What was tried.
        attempt: String,
        /// The answer of the system.
        source: io::Error,
    },
    /// The operations of the workload cannot be generated.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// The order asks for what cannot be driven: settings that exclude each other, or a target
    /// that does not support them.
    #[error("{0}")]
    Order(String),
    /// Our code panicked: a bug.
    #[error("{0}")]
    Panicked(String),
    /// A client library failed, or a thread that drives a lane does not come back and is left behind.
    #[error("{why}")]
    Lane {
        /// The number of the lane's contender in the order. None if it was not driven in an order.
        lane: Option<u32>,
        /// What happened.
        why: String,
    },
    /// What drives for the engine failed: an agent, or the process that runs programs.
    #[error("{0}")]
    Helper(String),
}

impl EngineError {
    /// Creates the error of a system call; `attempt` says what was tried.
    pub fn system(attempt: impl Into<String>, source: io::Error) -> EngineError {
        EngineError::System { attempt: attempt.into(), source }
    }

    /// Creates the error of a lane; the worker adds its number.
    pub fn lane(why: impl ToString) -> EngineError {
        EngineError::Lane { lane: None, why: why.to_string() }
    }

    /// Returns this error with the number of its lane if it is the error of one.
    pub(crate) fn at_lane(self, number: u32) -> EngineError {
        match self {
            EngineError::Lane { why, .. } => EngineError::Lane { lane: Some(number), why },
            other => other,
        }
    }

    /// Creates the error of an order that cannot be driven.
    pub fn order(why: impl Into<String>) -> EngineError {
        EngineError::Order(why.into())
    }

    /// Creates the error of an agent or another process that drives for the engine.
    pub fn helper(why: impl Into<String>) -> EngineError {
        EngineError::Helper(why.into())
    }
}
