//! The cost of targets: the CPU time that they used while they were driven, and while they rested.
//!
//! A contender rests while another one is driven. Contenders whose targets share a process share
//! its CPU time: only slices in which none of them is driven count as rest. If there are no such
//! slices, CPU at rest is unknown.

use record::{Seen, Slice};

/// A generator that is idle for a smaller share of its time may have been the slower part.
pub(crate) const GENERATOR_LIMITED_BELOW: f64 = 0.05;

/// CPU time of one contender's target, and the time over which it was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// CPU time while it was driven.
    pub driven_cpu_ns: u64,
    /// How long it was driven, to the last reply.
    pub driven_ns: u64,
    /// CPU time while it rested.
    pub rest_cpu_ns: u64,
    /// How long it rested while another was driven.
    pub rest_ns: u64,
    /// CPU time of other targets, at rest, while this one was driven, on cores that it may use as
    /// well.
    pub others_cpu_ns: u64,
}

impl Cost {
    /// CPU at rest as a share of one core. None if it never rested.
    pub fn at_rest(&self) -> Option<f64> {
        (self.rest_ns > 0).then(|| self.rest_cpu_ns as f64 / self.rest_ns as f64)
    }

    /// CPU while it was driven, as a share of this many cores.
    pub(crate) fn busy(&self, cores: usize) -> Option<f64> {
        let available = self.driven_ns as f64 * cores as f64;
        (available > 0.0).then(|| self.driven_cpu_ns as f64 / available)
    }

    /// How long it would have been driven if each target had done its work in its own time: the
    /// time taken + its CPU time at rest − the delay caused by others. None if it never rested.
    ///
    /// Adding the CPU time at rest to its own time corrects only half of the bias. The same work
    /// was also done in the others' time and made them slower, so the ln of a ratio is off by about
    /// twice the share of a core.
    ///
    /// The CPU time of others delays this one if it would have used the core itself: for its own
    /// CPU time ÷ the core time that the others left, at most all of it. A target that runs on
    /// several cores at once loses proportionally less wall-clock time. `cores` is how many cores
    /// it may use; if that is not known, as many as its CPU time fills.
    ///
    /// Work that goes on all the time, driven or not, was already paid once and is charged again,
    /// because the record cannot distinguish it from deferred work.
    pub(crate) fn charged_ns(&self, cores: Option<usize>) -> Option<f64> {
        self.at_rest()?;
        let [took, own, rest, others] =
            [self.driven_ns, self.driven_cpu_ns, self.rest_cpu_ns, self.others_cpu_ns]
                .map(|ns| ns as f64);
        let cores = cores.map_or((own / took).round(), |cores| cores as f64).max(1.0);
        let left = cores * took - others;
        let (wanted, at_once) = if left > 0.0 {
            ((own / left).min(1.0), (own * cores / left).clamp(1.0, cores))
        } else {
            (1.0, cores)
        };
        let charged = took + (rest - others * wanted) / at_once;
        (charged.is_finite() && charged > 0.0).then_some(charged)
    }

    /// Adds another part of the run.
    pub fn merge(&mut self, other: &Cost) {
        self.driven_cpu_ns += other.driven_cpu_ns;
        self.driven_ns += other.driven_ns;
        self.rest_cpu_ns += other.rest_cpu_ns;
        self.rest_ns += other.rest_ns;
        self.others_cpu_ns += other.others_cpu_ns;
    }
}

/// Returns the costs of every contender, by number, from the slices that were recorded of each over
/// the same time. None if the CPU time of its target was not visible in a slice. `sharing` is that
/// of the question. All targets are assumed to use the same cores.
pub fn costs(sharing: &[Vec<u32>], seen: &[&Seen]) -> Vec<Option<Cost>> {
    costs_on(sharing, &[], seen)
}

/// Cores that a target may use, and the number of their machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoresOf<'a> {
    pub(crate) machine: u32,
    /// Empty if they are not known.
    pub(crate) cores: &'a [u32],
}

/// Returns the costs of every contender as [`costs`] does, if it is known which cores each target may use (`target_cores` of the question's
/// contenders): targets without a common core do not delay each other.
pub(crate) fn costs_on(
    sharing: &[Vec<u32>],
    cores: &[CoresOf<'_>],
    seen: &[&Seen],
) -> Vec<Option<Cost>> {
    let inputs = CostInputs { sharing, cores, seen };
    (0..seen.len()).map(|contender| inputs.cost(contender)).collect()
}

struct CostInputs<'a> {
    sharing: &'a [Vec<u32>],
    cores: &'a [CoresOf<'a>],
    seen: &'a [&'a Seen],
}

impl CostInputs<'_> {
    fn cost(&self, contender: usize) -> Option<Cost> {
        let mut cost = Cost::default();
        for (driven, of) in self.seen.iter().enumerate() {
            for slice in &of.slices {
                let own = cpu(slice, contender)?;
                if driven == contender {
                    cost.driven_cpu_ns += own;
                    cost.driven_ns += slice.took_ns;
                    cost.others_cpu_ns += self.others(slice, contender);
                } else if !shared(self.sharing, contender, driven) {
                    cost.rest_cpu_ns += own;
                    cost.rest_ns += slice.took_ns;
                }
            }
        }
        (cost.driven_ns > 0).then_some(cost)
    }

    /// CPU time in this slice of the targets that could delay the contender.
    fn others(&self, slice: &Slice, contender: usize) -> u64 {
        let others = (0..self.seen.len()).filter(|other| {
            // A process shared by several targets is counted once.
            let counted = (0..*other).any(|earlier| shared(self.sharing, earlier, *other));
            !counted
                && !shared(self.sharing, contender, *other)
                && self.may_share_core(contender, *other)
        });
        others.filter_map(|other| cpu(slice, other)).sum()
    }

    /// Whether the two may use the same core, which is assumed if it is not known.
    fn may_share_core(&self, one: usize, other: usize) -> bool {
        let (Some(one), Some(other)) = (self.cores.get(one), self.cores.get(other)) else {
            return true;
        };
        let unknown = one.cores.is_empty() || other.cores.is_empty();
        let common = || one.cores.iter().any(|core| other.cores.contains(core));
        one.machine == other.machine && (unknown || common())
    }
}

fn cpu(slice: &Slice, contender: usize) -> Option<u64> {
    slice.target_cpu_ns.get(contender).copied().flatten()
}

/// Whether the two are the same contender, or share a process.
pub(crate) fn shared(sharing: &[Vec<u32>], one: usize, other: usize) -> bool {
    let both = |group: &Vec<u32>| group.contains(&(one as u32)) && group.contains(&(other as u32));
    one == other || sharing.iter().any(both)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One slice of 100 ms for each list of CPU times in milliseconds.
    fn seen(slices: &[&[Option<u64>]]) -> Seen {
        let slice = |cpu: &&[Option<u64>]| Slice {
            took_ns: 100_000_000,
            target_cpu_ns: cpu.iter().map(|ms| ms.map(|ms| ms * 1_000_000)).collect(),
            ..Slice::default()
        };
        Seen { slices: slices.iter().map(slice).collect(), ..Seen::default() }
    }

    #[test]
    fn rest_is_when_another_is_driven() {
        let a = seen(&[&[Some(90), Some(2)], &[Some(80), Some(0)]]);
        let b = seen(&[&[Some(7), Some(60)]]);
        let costs = costs(&[], &[&a, &b]);
        let (of_a, of_b) = (costs[0].expect("visible"), costs[1].expect("visible"));
        assert_eq!((of_a.driven_cpu_ns, of_a.driven_ns), (170_000_000, 200_000_000));
        assert_eq!((of_a.rest_cpu_ns, of_a.rest_ns), (7_000_000, 100_000_000));
        assert_eq!((of_a.others_cpu_ns, of_b.others_cpu_ns), (2_000_000, 7_000_000));
        assert_eq!((of_a.at_rest(), of_b.at_rest()), (Some(0.07), Some(0.01)));
    }

    #[test]
    fn what_shares_a_process_rests_only_together() {
        let two = [&[Some(50), Some(50), Some(3)][..]];
        let third = seen(&[&[Some(4), Some(4), Some(30)]]);
        let costs = costs(&[vec![0, 1]], &[&seen(&two), &seen(&two), &third]);
        assert_eq!(costs[0].expect("visible").at_rest(), Some(0.04));
        assert_eq!(costs[0].expect("visible").others_cpu_ns, 3_000_000);
        assert_eq!(costs[2].expect("visible").at_rest(), Some(0.03));
        assert_eq!(costs[2].expect("visible").others_cpu_ns, 4_000_000);
        let alone = super::costs(&[vec![0, 1]], &[&seen(&[&two[0][..2]]), &seen(&[&two[0][..2]])]);
        assert_eq!(alone[0].expect("visible").at_rest(), None);
    }

    #[test]
    fn one_slice_not_visible_leaves_nothing() {
        let a = seen(&[&[Some(90), None]]);
        let b = seen(&[&[Some(7), Some(60)]]);
        let costs = costs(&[], &[&a, &b]);
        assert!(costs[0].is_some() && costs[1].is_none());
        assert_eq!(super::costs(&[], &[&seen(&[&[]])]), [None]);
    }

    #[test]
    fn those_on_other_cores_hold_nobody_up() {
        let a = seen(&[&[Some(90), Some(2), Some(5)]]);
        let (b, c) =
            (seen(&[&[Some(7), Some(60), Some(0)]]), seen(&[&[Some(1), Some(0), Some(9)]]));
        let others_on = |machines: [u32; 3], cores: &[&[u32]]| {
            let cores: Vec<CoresOf<'_>> = (machines.into_iter().zip(cores))
                .map(|(machine, cores)| CoresOf { machine, cores })
                .collect();
            costs_on(&[], &cores, &[&a, &b, &c])[0].expect("visible").others_cpu_ns / 1_000_000
        };
        let others = |cores: &[&[u32]]| others_on([0; 3], cores);
        assert_eq!(others(&[]), 7);
        assert_eq!(others(&[&[0, 1], &[1], &[2]]), 2);
        assert_eq!(others(&[&[0, 1], &[2], &[]]), 5);
        assert_eq!(others_on([1, 1, 2], &[&[0], &[0], &[0]]), 2, "another machine has other cores");
        assert_eq!(others_on([1, 2, 1], &[&[], &[], &[]]), 5);
    }

    /// Driven for 50 ms; CPU times in tenths of a millisecond.
    fn cost(driven: u64, rest: u64, others: u64) -> Cost {
        let [driven_cpu_ns, rest_cpu_ns, others_cpu_ns] =
            [driven, rest, others].map(|tenths| tenths * 100_000);
        let [driven_ns, rest_ns] = [50_000_000; 2];
        Cost { driven_cpu_ns, driven_ns, rest_cpu_ns, rest_ns, others_cpu_ns }
    }

    /// The time that it is charged with, in milliseconds.
    fn charged(cost: Cost, cores: Option<usize>) -> f64 {
        cost.charged_ns(cores).expect("it rested") / 1e6
    }

    #[test]
    fn work_put_off_is_charged_to_its_owner_and_taken_off_the_other() {
        // a does 0.3 × the work of each request later, half of it while b is driven: both answer
        // 43.5 requests in 50 ms of one core.
        let (a, b) = (cost(500, 65, 0), cost(435, 0, 65));
        for cores in [None, Some(1)] {
            assert!((charged(a, cores) - 56.5).abs() < 1e-9);
            assert!((charged(b, cores) - 43.5).abs() < 1e-9);
            let ratio: f64 = (43.5 / charged(a, cores)) / (43.5 / charged(b, cores));
            assert!((ratio.ln() + 0.2615).abs() < 1e-3, "the truth is ln(1 ÷ 1.3): {ratio}");
        }
    }

    #[test]
    fn cores_that_were_free_hold_nobody_up() {
        let table = [
            // Half of the remaining core time was used, so half of the others' time caused delay.
            (cost(220, 0, 60), Some(1), 47.0),
            // One of two cores is used: they met half of the time.
            (cost(470, 0, 60), Some(2), 47.0),
            // Both are used: 6 ms of two cores are 3 ms of wall-clock time.
            (cost(940, 0, 60), Some(2), 47.0),
            (cost(940, 60, 0), Some(2), 53.2),
            // The number is not known, but one core is not enough.
            (cost(940, 0, 60), None, 47.0),
            // Never more than all of it.
            (cost(490, 0, 60), Some(1), 44.0),
        ];
        for (cost, cores, wanted) in table {
            let charged = charged(cost, cores);
            assert!((charged - wanted).abs() < 0.02, "{cost:?} on {cores:?}: {charged}");
        }
        let never_rested = Cost { rest_ns: 0, ..cost(500, 0, 0) };
        assert_eq!(never_rested.charged_ns(Some(1)), None);
        let nothing_left = Cost { others_cpu_ns: 50_000_000, ..cost(0, 0, 0) };
        assert_eq!(nothing_left.charged_ns(Some(1)), None);
    }
}
