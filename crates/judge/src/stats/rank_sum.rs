//! The exact rank-sum interval for two lists of runs that are not paired (Wilcoxon 1945, Mann and Whitney 1947), with
//! the estimate of Hodges and Lehmann (1963).
//!
//! If the order of all runs is random and the two do not differ, each way to distribute the ranks over both lists is
//! equally likely. Nothing is approximated by a normal distribution.

use super::rounds::level;

/// The largest c with 2·P(U ≤ c) ≤ level for lists of every length up to a maximum. U counts the pairs, one of each
/// list, in which the first is larger.
#[derive(Clone, Debug)]
pub struct CriticalRankSums {
    most: usize,
    /// That of lists with m and n elements is at (m − 1)·most + n − 1.
    all: Vec<Option<usize>>,
}

impl CriticalRankSums {
    /// Exact, by the recursion over the largest of all m + n elements: with probability m/(m + n) it is in the first
    /// list, where it is larger than all n others. All terms are positive, so nothing cancels. The work grows with the
    /// fourth power of `most`.
    pub fn new(most: usize, level: f64) -> Self {
        let mut all = Vec::with_capacity(most * most);
        let mut fewer = vec![vec![1.0]; most + 1];
        for m in 1..=most {
            let mut row: Vec<Vec<f64>> = Vec::with_capacity(most + 1);
            row.push(vec![1.0]);
            for n in 1..=most {
                let [of_m, of_n] = [m, n].map(|count| count as f64 / (m + n) as f64);
                let of_first = |u: usize| u.checked_sub(n).map_or(0.0, |u| fewer[n][u]);
                let of_second = |u: usize| row[n - 1].get(u).copied().unwrap_or(0.0);
                let exactly: Vec<f64> =
                    (0..=m * n).map(|u| of_m * of_first(u) + of_n * of_second(u)).collect();
                all.push(critical(&exactly, level));
                row.push(exactly);
            }
            fewer = row;
        }
        CriticalRankSums { most, all }
    }

    /// The critical value for lists with `m` and `n` elements. None if they are too short for the level, or longer than
    /// the maximum.
    pub fn of(&self, m: usize, n: usize) -> Option<usize> {
        if !(1..=self.most).contains(&m) || !(1..=self.most).contains(&n) {
            return None;
        }
        self.all[(m - 1) * self.most + n - 1]
    }
}

fn critical(exactly: &[f64], level: f64) -> Option<usize> {
    let mut sum = 0.0;
    let at_level = exactly.iter().take_while(|p| {
        sum += **p;
        2.0 * sum <= level
    });
    at_level.count().checked_sub(1)
}

/// The estimate of how much larger the elements of `b` are than those of `a`, and the interval for a critical value:
/// of the M differences in ascending order the median, the (c + 1)-th and the (M − c)-th.
///
/// Returns None if a list is empty, or if the critical value is not below half of M.
pub fn shift(a: &[f64], b: &[f64], critical: usize) -> Option<(f64, (f64, f64))> {
    let mut differences: Vec<f64> = a.iter().flat_map(|a| b.iter().map(move |b| b - a)).collect();
    let last = differences.len().checked_sub(1)?;
    if 2 * critical > last {
        return None;
    }
    let mut at = |index: usize| *differences.select_nth_unstable_by(index, f64::total_cmp).1;
    let middle = (at(last / 2) + at(last.div_ceil(2))) / 2.0;
    Some((middle, (at(critical), at(last - critical))))
}

/// How often all elements of one list lie on one side of all of the other, if the order of all is random: 2 ÷ (number
/// of ways to distribute them).
pub fn chance_of_separation(m: usize, n: usize) -> f64 {
    let ways: f64 = (1..=m).map(|k| (m + n + 1 - k) as f64 / k as f64).product();
    2.0 / ways
}

/// The fewest runs of each contender with which `comparisons` can have a verdict if the runs are not paired: the
/// smallest n at which two lists of n are separated by chance at most as often as the family's level, α/m.
pub fn fewest(comparisons: usize, alpha: f64) -> u32 {
    let level = level(alpha, comparisons);
    (1..=512).find(|n| chance_of_separation(*n, *n) <= level).map_or(u32::MAX, |n| n as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of critical values of U, two-sided: (m, n, at 5 %, at 1 %).
    const TABLE: [(usize, usize, Option<usize>, Option<usize>); 9] = [
        (3, 4, None, None),
        (3, 5, Some(0), None),
        (4, 4, Some(0), None),
        (5, 5, Some(2), Some(0)),
        (5, 10, Some(8), Some(4)),
        (6, 6, Some(5), Some(2)),
        (8, 8, Some(13), Some(7)),
        (10, 10, Some(23), Some(16)),
        (20, 20, Some(127), Some(105)),
    ];

    #[test]
    fn critical_values_are_those_of_the_table() {
        let (at_5, at_1) = (CriticalRankSums::new(20, 0.05), CriticalRankSums::new(20, 0.01));
        for (m, n, five, one) in TABLE {
            assert_eq!((at_5.of(m, n), at_1.of(m, n)), (five, one), "{m} and {n}");
            assert_eq!((at_5.of(n, m), at_1.of(n, m)), (five, one), "{n} and {m}");
        }
        assert_eq!((at_5.of(0, 5), at_5.of(21, 5)), (None, None));
    }

    /// All ways to put three of six ranks into the first list.
    #[test]
    fn the_interval_covers_as_often_as_all_orders_say() {
        let (level, n) = (0.11, 3);
        let critical = CriticalRankSums::new(n, level).of(n, n).expect("2 of 20 ways");
        let mut missed = 0;
        let ways = (0u32..64).filter(|ways| ways.count_ones() == 3);
        for way in ways.clone() {
            let of = |side| (0..6).filter(move |rank| (way >> rank & 1 == 1) == side);
            let [a, b] = [true, false].map(|side| of(side).map(f64::from).collect::<Vec<_>>());
            let (_, (low, high)) = shift(&a, &b, critical).expect("enough");
            missed += u32::from(low > 0.0 || high < 0.0);
        }
        assert_eq!((missed, ways.count()), (2, 20));
    }

    #[test]
    fn the_shift_is_worked_out_by_hand() {
        // b − a: 1, 2, 4, 5, 6, 8, 9, 10, 12 for these lists.
        let (a, b) = ([0.0, 4.0, 8.0], [9.0, 10.0, 12.0]);
        assert_eq!(shift(&a, &b, 0), Some((6.0, (1.0, 12.0))));
        assert_eq!(shift(&a, &b, 1), Some((6.0, (2.0, 10.0))));
        assert_eq!(shift(&a[..2], &b[..1], 0), Some((7.0, (5.0, 9.0))));
        assert_eq!((shift(&a, &[], 0), shift(&a, &b, 5)), (None, None));
    }

    #[test]
    fn the_fewest_runs_are_those_that_have_an_interval() {
        for comparisons in [1, 3, 6, 45, 66] {
            let n = fewest(comparisons, 0.05) as usize;
            let of = CriticalRankSums::new(n, level(0.05, comparisons));
            assert!(of.of(n, n).is_some() && of.of(n - 1, n - 1).is_none(), "{comparisons}");
        }
        assert_eq!([1, 6, 66].map(|m| fewest(m, 0.05)), [4, 5, 7]);
    }
}
