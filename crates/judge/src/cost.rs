//! What targets cost: the CPU time that they used while they were driven, and
//! while they rested.
//!
//! A contender rests while another is driven. Contenders whose targets have a
//! process in common share its CPU time: only slices in which none of them is
//! driven are rest, and where there are none, CPU at rest is unknown.

use record::{Seen, Slice};

/// CPU time of one contender's target, and over which time it was read.
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
    /// CPU time of others, resting, while this one was driven.
    pub others_cpu_ns: u64,
}

impl Cost {
    /// CPU at rest as a share of one core; none where it never rested.
    pub fn at_rest(&self) -> Option<f64> {
        (self.rest_ns > 0).then(|| self.rest_cpu_ns as f64 / self.rest_ns as f64)
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

/// The costs of every contender, by number, from what was seen of each over the
/// same time (their slices are looked at). None where the CPU time of its target
/// was out of sight in a slice. `sharing` is that of the question.
pub fn costs(sharing: &[Vec<u32>], seen: &[&Seen]) -> Vec<Option<Cost>> {
    (0..seen.len()).map(|contender| cost(sharing, seen, contender)).collect()
}

fn cost(sharing: &[Vec<u32>], seen: &[&Seen], contender: usize) -> Option<Cost> {
    let mut cost = Cost::default();
    for (driven, of) in seen.iter().enumerate() {
        for slice in &of.slices {
            let own = cpu(slice, contender)?;
            if driven == contender {
                cost.driven_cpu_ns += own;
                cost.driven_ns += slice.took_ns;
                // A process that several share is counted once.
                let counted = |other: &usize| {
                    (0..*other).any(|earlier| shared(sharing, earlier, *other))
                        || shared(sharing, contender, *other)
                };
                let others = (0..seen.len()).filter(|other| !counted(other));
                cost.others_cpu_ns += others.filter_map(|other| cpu(slice, other)).sum::<u64>();
            } else if !shared(sharing, contender, driven) {
                cost.rest_cpu_ns += own;
                cost.rest_ns += slice.took_ns;
            }
        }
    }
    (cost.driven_ns > 0).then_some(cost)
}

fn cpu(slice: &Slice, contender: usize) -> Option<u64> {
    slice.target_cpu_ns.get(contender).copied().flatten()
}

/// Whether the two are one, or have a process in common.
fn shared(sharing: &[Vec<u32>], one: usize, other: usize) -> bool {
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
        let (of_a, of_b) = (costs[0].expect("in sight"), costs[1].expect("in sight"));
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
        assert_eq!(costs[0].expect("in sight").at_rest(), Some(0.04));
        assert_eq!(costs[0].expect("in sight").others_cpu_ns, 3_000_000);
        assert_eq!(costs[2].expect("in sight").at_rest(), Some(0.03));
        assert_eq!(costs[2].expect("in sight").others_cpu_ns, 4_000_000);
        let alone = super::costs(&[vec![0, 1]], &[&seen(&[&two[0][..2]]), &seen(&[&two[0][..2]])]);
        assert_eq!(alone[0].expect("in sight").at_rest(), None);
    }

    #[test]
    fn one_slice_out_of_sight_leaves_nothing() {
        let a = seen(&[&[Some(90), None]]);
        let b = seen(&[&[Some(7), Some(60)]]);
        let costs = costs(&[], &[&a, &b]);
        assert!(costs[0].is_some() && costs[1].is_none());
        assert_eq!(super::costs(&[], &[&seen(&[&[]])]), [None]);
    }
}
