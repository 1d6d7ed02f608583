//! Whole programs that are run to their end: one run, and the cost of many.

use crate::{Digests, Failure};
use serde::{Deserialize, Serialize};

/// One complete run of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramRun {
    /// Operations that it did, as the program or the user declares. For a failed run: those that
    /// it should have done.
    pub operations: u64,
    /// Time from start to end.
    pub wall_ns: u64,
    /// CPU time in user mode, including that of the children it waited for.
    pub user_ns: u64,
    /// CPU time in the kernel, including that of the children it waited for.
    pub system_ns: u64,
    /// The largest resident set of any one of these processes.
    pub peak_memory_bytes: u64,
    /// Length of its standard output, without the line with the number of operations.
    pub output_bytes: u64,
    /// Digest of that output.
    pub output_digest: u64,
    /// Processes that it left running.
    pub outlived: u64,
    /// Why its operations count as failed. None if they succeeded.
    pub failure: Option<Failure>,
}

/// What all runs of one contender cost, including failed ones: sums and maxima. Merging is
/// associative and commutative.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Programs {
    /// Runs that ended.
    pub runs: u64,
    /// Of those, the failed ones.
    pub failed: u64,
    /// Time from start to end, summed.
    pub wall_ns: u64,
    /// CPU time in user mode, summed.
    pub user_ns: u64,
    /// CPU time in the kernel, summed.
    pub system_ns: u64,
    /// The largest resident set of any one process.
    pub peak_memory_bytes: u64,
    /// Bytes of output without the announcing line, summed.
    pub output_bytes: u64,
    /// Processes that were left running, summed.
    pub outlived: u64,
    /// Digests of the outputs of runs that did not fail. They are not in
    /// [`Seen::digests`](crate::Seen::digests), which the judge compares between contenders,
    /// because programs that print a time never print the same twice.
    pub outputs: Digests,
}

impl Programs {
    /// Whether no program was run.
    pub fn is_empty(&self) -> bool {
        self.runs == 0
    }

    /// Counts one run.
    pub(crate) fn record(&mut self, run: &ProgramRun) {
        self.runs += 1;
        self.failed += u64::from(run.failure.is_some());
        self.wall_ns += run.wall_ns;
        self.user_ns += run.user_ns;
        self.system_ns += run.system_ns;
        self.peak_memory_bytes = self.peak_memory_bytes.max(run.peak_memory_bytes);
        self.output_bytes += run.output_bytes;
        self.outlived += run.outlived;
        if run.failure.is_none() {
            self.outputs.record(run.output_digest);
        }
    }

    /// Adds the runs of `other`.
    pub fn merge(&mut self, other: &Programs) {
        self.runs += other.runs;
        self.failed += other.failed;
        self.wall_ns += other.wall_ns;
        self.user_ns += other.user_ns;
        self.system_ns += other.system_ns;
        self.peak_memory_bytes = self.peak_memory_bytes.max(other.peak_memory_bytes);
        self.output_bytes += other.output_bytes;
        self.outlived += other.outlived;
        self.outputs.merge(&other.outputs);
    }
}
