//! Tests whether a tool calls one server different from itself too often. A correct tool hardly
//! ever fails the test, and a tool that is often wrong hardly ever passes it.
//!
//! "At most 1 of 20" would reject a correct tool in 26 % of the cases, because each comparison is
//! wrong in 5 %. So there are two stages: at most 2 of 20 pass at once; otherwise 40 more are
//! compared, and 10 of 60 fail. A correct tool fails in 0.05 % of the cases; one that is wrong half
//! of the time always fails.

/// Comparisons of the first stage.
pub const FIRST: u32 = 20;
/// How many of them may be called different.
pub const ALLOWED: u32 = 2;
/// Comparisons of both stages.
pub const BOTH: u32 = 60;
/// With this many of both stages called different, the tool fails.
pub const FAILS_AT: u32 = 10;

/// Counts comparisons of one server with itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TwoStages {
    /// How many were compared so far.
    pub compared: u32,
    /// How many of them were called different.
    pub different: u32,
}

impl TwoStages {
    /// Adds one comparison. Returns whether the tool passed, or None if more
    /// comparisons are needed.
    pub fn add(&mut self, different: bool) -> Option<bool> {
        self.compared += 1;
        self.different += u32::from(different);
        if self.different >= FAILS_AT {
            Some(false)
        } else if self.compared >= BOTH || (self.compared == FIRST && self.different <= ALLOWED) {
            Some(true)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result_of(pattern: impl IntoIterator<Item = bool>) -> (TwoStages, Option<bool>) {
        let mut stages = TwoStages::default();
        for different in pattern {
            if let Some(passed) = stages.add(different) {
                return (stages, Some(passed));
            }
        }
        (stages, None)
    }

    #[test]
    fn at_most_two_of_twenty_pass_at_once() {
        let (stages, passed) = result_of((0..60).map(|at| at < 2));
        assert_eq!((stages.compared, passed), (20, Some(true)));
    }

    #[test]
    fn three_of_twenty_ask_for_forty_more() {
        let (stages, passed) = result_of((0..60).map(|at| at < 3));
        assert_eq!((stages.compared, stages.different, passed), (60, 3, Some(true)));
        assert_eq!(result_of((0..59).map(|at| at < 9)).1, None);
        assert_eq!(result_of((0..60).map(|at| at < 9)).1, Some(true));
    }

    #[test]
    fn ten_fail_as_soon_as_they_are_there() {
        let (stages, passed) = result_of((0..60).map(|at| at >= 5));
        assert_eq!((stages.compared, passed), (15, Some(false)));
        assert_eq!(result_of((0..60).map(|at| at % 6 == 0)).1, Some(false));
    }

    /// Of 20 at 5 % each, 3 or more are different in 7.5 % of the cases. Failing also takes 10 of
    /// 60: 0.05 % (exact, by convolution).
    #[test]
    fn a_right_tool_fails_once_in_two_thousand_times() {
        let mut states = vec![(TwoStages::default(), 1.0)];
        let mut failed = 0.0;
        while !states.is_empty() {
            let mut next: Vec<(TwoStages, f64)> = Vec::new();
            for (state, chance) in states {
                for (different, share) in [(true, 0.05), (false, 0.95)] {
                    let mut after = state;
                    match after.add(different) {
                        Some(true) => {}
                        Some(false) => failed += chance * share,
                        None => match next.iter_mut().find(|(seen, _)| *seen == after) {
                            Some((_, sum)) => *sum += chance * share,
                            None => next.push((after, chance * share)),
                        },
                    }
                }
            }
            states = next;
        }
        assert!((0.0003..0.0007).contains(&failed), "{failed}");
    }
}
