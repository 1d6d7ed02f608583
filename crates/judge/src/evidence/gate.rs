//! The pauses between slices in which several machines wait for each other.

use record::{Seen, Slice};

/// Pauses within the judged rounds, from the last reply of one slice to the first start of the next
/// one. Between two rounds the agents also send their records, so those pauses are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gate {
    pub(crate) pauses: u64,
    /// All pauses together.
    pub(crate) paused_ns: u64,
    pub(crate) longest_ns: u64,
}

impl Gate {
    /// Adds what was recorded of all contenders in one round.
    pub(crate) fn add<'a>(&mut self, round: impl IntoIterator<Item = &'a Seen>) {
        let mut slices: Vec<&Slice> = round.into_iter().flat_map(|seen| &seen.slices).collect();
        slices.sort_unstable_by_key(|slice| slice.index);
        for pair in slices.windows(2).filter(|pair| pair[0].index + 1 == pair[1].index) {
            let ended_ns = pair[0].starts_ns + pair[0].took_ns;
            // The times are known up to the bound of the clocks, so an end may seem to be later.
            let pause_ns = pair[1].starts_ns.saturating_sub(ended_ns);
            self.pauses += 1;
            self.paused_ns += pause_ns;
            self.longest_ns = self.longest_ns.max(pause_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was recorded of one contender: slices as (index, start, duration).
    fn seen(slices: &[(u64, u64, u64)]) -> Seen {
        let slice = |&(index, starts_ns, took_ns): &(u64, u64, u64)| Slice {
            index,
            starts_ns,
            took_ns,
            ..Slice::default()
        };
        Seen { slices: slices.iter().map(slice).collect(), ..Seen::default() }
    }

    #[test]
    fn a_pause_lasts_from_the_last_reply_to_the_next_start() {
        let mut gate = Gate::default();
        gate.add(&[
            seen(&[(4, 1000, 100), (7, 1400, 90)]),
            seen(&[(5, 1110, 100), (6, 1250, 120)]),
        ]);
        // 1100 to 1110, 1210 to 1250, 1370 to 1400.
        let wanted = Gate { pauses: 3, paused_ns: 80, longest_ns: 40 };
        assert_eq!(gate, wanted);
        // Between two rounds nothing is counted, nor where a slice is missing.
        gate.add(&[seen(&[(8, 9000, 10), (10, 9900, 10)])]);
        assert_eq!(gate, wanted);
        // An end that seems to be later than the next start is not a pause.
        gate.add(&[seen(&[(11, 20_000, 30), (12, 20_025, 30)])]);
        assert_eq!(gate, Gate { pauses: 4, ..wanted });
    }
}
