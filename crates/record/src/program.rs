//! Whole programs that are run to their end: one run, and the cost of many.

use crate::{CaseFigure, Digests, Failure};
use serde::{Deserialize, Serialize};

/// One complete run of a program.
#[derive(Clone, Debug, Default, PartialEq)]
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
    /// The figures of its cases, if it is a suite.
    pub figures: Vec<CaseFigure>,
}

/// What all runs of one contender cost, including failed ones: sums and maxima. Merging is
/// associative and, but for the order of figures, commutative.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// The figures of the cases of a suite, of all runs that did not fail. In a round of a suite every case has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<CaseFigure>,
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
            self.figures.extend_from_slice(&run.figures);
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
        self.figures.extend_from_slice(&other.figures);
    }
}
