//! The generator's own cost of an operation, measured against the null server.

use crate::{Seen, Slice};
use serde::{Deserialize, Serialize};

/// A slice was disturbed if the generator's threads waited for a core for more than this fraction
/// (one divided by this number) of it.
const MOST_WAITED: u64 = 50;

/// The result of an earlier run for the same lane, with the same program on the same machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnCost {
    /// The contender's number in the plan.
    pub contender: u32,
    /// CPU time of the generator for each operation, in nanoseconds.
    pub cpu_per_operation_ns: f64,
    /// How long before this run it was measured, in seconds.
    pub age_s: u64,
}

/// CPU time of the generator for each operation, in nanoseconds, in the cheapest of the
/// undisturbed slices: a disturbance can only increase the cost. Returns None if every slice was
/// disturbed, or if an operation failed.
pub fn cheapest(seen: &Seen) -> Option<f64> {
    let sound = seen.operations > 0 && seen.outcomes.ok == seen.operations;
    let slices = seen.slices.iter().filter(|slice| sound && was_left_alone(slice));
    let costs = slices.map(|slice| slice.generator_cpu_ns as f64 / slice.operations as f64);
    costs.filter(|cost| *cost > 0.0).min_by(f64::total_cmp)
}

/// Whether more than half of the slices were undisturbed, so that later runs may use the result,
/// too. Otherwise the machine was probably busy in the other slices as well.
pub fn may_be_kept(seen: &Seen) -> bool {
    let left_alone = seen.slices.iter().filter(|slice| was_left_alone(slice)).count();
    2 * left_alone > seen.slices.len()
}

/// Whether a slice was undisturbed: no time was stolen from the machine, and the generator had its
/// core. If it shares the core with the null server, the server's CPU time is recorded as a
/// target's, and waiting for it does not count as a disturbance.
fn was_left_alone(slice: &Slice) -> bool {
    let server_ns = slice.target_cpu_ns.first().copied().flatten().unwrap_or(0);
    let waited = slice.waited_ns.saturating_sub(server_ns).saturating_mul(MOST_WAITED);
    slice.operations > 0 && slice.steal_ns == 0 && waited <= slice.took_ns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(slices: &[Slice]) -> Seen {
        let operations = slices.iter().map(|slice| slice.operations).sum();
        let mut seen = Seen { operations, slices: slices.to_vec(), ..Seen::default() };
        seen.outcomes.ok = operations;
        seen
    }

    fn slice(cost_ns: u64) -> Slice {
        let took_ns = 5_000_000;
        Slice { took_ns, operations: 100, generator_cpu_ns: 100 * cost_ns, ..Slice::default() }
    }

    #[test]
    fn the_cheapest_slice_counts_that_nothing_disturbed() {
        let waited = Slice { waited_ns: 100_001, ..slice(1000) };
        let stolen = Slice { steal_ns: 10_000_000, ..slice(2000) };
        let short = Slice { waited_ns: 100_000, ..slice(4000) };
        let empty = Slice { operations: 0, ..slice(500) };
        let all = [waited, stolen, slice(5000), short, empty];
        assert_eq!(cheapest(&seen(&all)), Some(4000.0));
        assert_eq!(cheapest(&seen(&all[..2])), None);
        let shared = Slice { target_cpu_ns: vec![Some(1)], ..all[0].clone() };
        assert_eq!(cheapest(&seen(&[shared])), Some(1000.0), "it waited for the null server");
        assert_eq!(cheapest(&Seen::default()), None);
    }

    #[test]
    fn later_runs_use_what_was_measured_on_a_quiet_machine() {
        let waited = || Slice { waited_ns: 1_000_000, ..slice(1000) };
        assert!(may_be_kept(&seen(&[slice(1), slice(1), waited()])));
        assert!(!may_be_kept(&seen(&[slice(1), waited()])));
        assert!(!may_be_kept(&Seen::default()));
    }

    #[test]
    fn a_failure_spoils_the_figure() {
        let mut seen = seen(&[slice(5000)]);
        seen.outcomes.ok -= 1;
        assert_eq!(cheapest(&seen), None);
    }
}
