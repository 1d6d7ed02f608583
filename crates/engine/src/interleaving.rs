//! The order in which the contenders' slices are driven, and in which other things are done to them, so that
//! none depends on the position of a contender in the command line. Pure functions.

use crate::LaneSet;
use crate::random::Random;

/// What is done to one contender after another, besides their slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequence {
    /// Their targets are launched.
    Launches,
    /// Their targets are asked whether they are ready.
    Readiness,
    /// Their stores are loaded.
    Loads,
    /// They are warmed up.
    WarmUps,
    /// They are driven at several rates, in turns of one rate.
    Turns,
    /// Load points that share no rounds are driven.
    LoadPoints,
}

/// Returns the order of one sequence. `number` distinguishes sequences of a kind, such as launches. Each
/// kind has a random stream of its own, so that no order follows from another.
pub fn sequence(kind: Sequence, seed: u64, number: u32, contenders: u32) -> Vec<u32> {
    sequences(kind, seed, number, contenders).next().expect("they have no end")
}

/// Returns that order and others for what is done to all contenders again and again, without an end.
pub fn sequences(
    kind: Sequence,
    seed: u64,
    number: u32,
    contenders: u32,
) -> impl Iterator<Item = Vec<u32>> {
    let mut random = Random::new(seed, ((0xB2A2 + kind as u64) << 32) + u64::from(number));
    std::iter::repeat_with(move || {
        let mut order: Vec<u32> = (0..contenders).collect();
        random.shuffle(&mut order);
        order
    })
}

/// A slice of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceOf {
    /// Who is driven.
    pub contender: u32,
    /// The only request that is sent, by its index in the mix. None for all of them.
    pub request: Option<u32>,
}

/// What is driven in one round.
#[derive(Clone, Copy, Debug)]
pub struct RoundOf {
    /// How many contenders there are.
    pub contenders: u32,
    /// How many slices of all requests together each gets.
    pub slices: u32,
    /// How many requests are also driven alone, and how many slices of each one each contender gets.
    pub requests: u32,
    /// See `requests`.
    pub slices_per_request: u32,
    /// Contenders that are left out. The order of the others is the same as with them.
    pub left_out: LaneSet,
}

/// Returns the order of one round.
///
/// It consists of blocks, each of which holds one slice of every contender, in an order drawn for that block
/// alone. The machine's speed drifts over some tenths of a second, so the slices to be compared
/// must be as close together as possible: of blocks of one slice per contender, blocks of two
/// and ABBA, blocks of one left the smallest deviation between rounds. With two contenders, a
/// slice still follows one of the same contender in a quarter of the cases, which the test of
/// carry-over needs.
///
/// The slices of a block are of all requests or of the same one; these blocks are shuffled.
pub fn order(seed: u64, round: u32, of: RoundOf) -> Vec<SliceOf> {
    let mut random = Random::new(seed, 0xB2A1_D000 + u64::from(round));
    let requests = (0..of.requests).map(Some);
    let alone = requests.flat_map(|request| (0..of.slices_per_request).map(move |_| request));
    let mut blocks: Vec<Option<u32>> = (0..of.slices).map(|_| None).chain(alone).collect();
    if of.requests > 0 {
        random.shuffle(&mut blocks);
    }
    let mut order = Vec::with_capacity(blocks.len() * of.contenders as usize);
    for request in blocks {
        let start = order.len();
        order.extend((0..of.contenders).map(|contender| SliceOf { contender, request }));
        random.shuffle(&mut order[start..]);
    }
    order.retain(|slice| !of.left_out.has(slice.contender));
    order
}

#[cfg(test)]
mod tests {
    use super::{LaneSet, RoundOf, Sequence, SliceOf, sequence, sequences};
    use std::collections::{BTreeMap, BTreeSet};

    const KINDS: [Sequence; 5] = [
        Sequence::Launches,
        Sequence::Readiness,
        Sequence::Loads,
        Sequence::WarmUps,
        Sequence::Turns,
    ];

    fn round_of(contenders: u32, slices: u32) -> RoundOf {
        let left_out = LaneSet::default();
        RoundOf { contenders, slices, requests: 0, slices_per_request: 0, left_out }
    }

    #[test]
    fn one_that_is_left_out_does_not_change_the_order_of_the_others() {
        let of = round_of(4, 20);
        let all = super::order(3, 5, of);
        let without = super::order(3, 5, RoundOf { left_out: LaneSet::of(2), ..of });
        assert_eq!(without.len(), 60);
        let kept: Vec<SliceOf> = all.into_iter().filter(|slice| slice.contender != 2).collect();
        assert_eq!(without, kept);
    }

    /// The contenders in the order of a round without slices of single requests.
    fn order(seed: u64, round: u32, contenders: u32, slices: u32) -> Vec<u32> {
        let order = super::order(seed, round, round_of(contenders, slices));
        order.iter().map(|slice| slice.contender).collect()
    }

    #[test]
    fn every_request_has_its_slices_and_every_block_is_of_one_request() {
        let of = RoundOf { requests: 3, slices_per_request: 10, ..round_of(2, 20) };
        let round = super::order(7, 2, of);
        let slices = |request, contender| {
            let wanted = SliceOf { contender, request };
            round.iter().filter(|slice| **slice == wanted).count()
        };
        for contender in 0..2 {
            assert_eq!(slices(None, contender), 20);
            (0..3).for_each(|request| assert_eq!(slices(Some(request), contender), 10));
        }
        assert!(round.chunks(2).all(|block| block[0].request == block[1].request));
        assert!(round.chunks(2).all(|block| block[0].contender != block[1].contender));
        let first =
            (1..=400).filter(|round| super::order(7, *round, of)[0].request.is_none()).count();
        // 40 % of the blocks are of all requests: the standard deviation is 10.
        assert!((110..210).contains(&first), "{first}");
    }

    #[test]
    fn either_of_two_contenders_comes_first_in_half_of_the_sequences() {
        for kind in KINDS {
            let first = (1..=1000).filter(|number| sequence(kind, 5, *number, 2)[0] == 0).count();
            assert!((430..570).contains(&first), "{kind:?}: {first}");
        }
    }

    /// If the contenders swap their positions, every pattern of orders over the launches of a run is as
    /// frequent as before. An order that is the same in all launches has two patterns instead of eight.
    #[test]
    fn contenders_that_swap_their_positions_have_the_same_orders() {
        const SEEDS: u64 = 800;
        let drawn_by = |drawn: &dyn Fn(u64, u32) -> Vec<u32>, numbers: [u32; 3], swapped: bool| {
            let mut patterns: BTreeMap<[u32; 3], i64> = BTreeMap::new();
            for seed in 1..=SEEDS {
                let first = numbers.map(|number| drawn(seed, number)[0] ^ u32::from(swapped));
                *patterns.entry(first).or_default() += 1;
            }
            patterns
        };
        let exchangeable = |what: &str, drawn: &dyn Fn(u64, u32) -> Vec<u32>, numbers| {
            let (plain, swapped) =
                (drawn_by(drawn, numbers, false), drawn_by(drawn, numbers, true));
            assert_eq!(plain.len(), 8, "{what}: {plain:?}");
            for (pattern, times) in &plain {
                // The standard deviation of the difference of two counts of 100 is at most 15.
                assert!((times - swapped[pattern]).abs() < 75, "{what} {pattern:?}: {plain:?}");
            }
        };
        for kind in KINDS {
            // Launches are counted, and those of two rounds begin with these rounds.
            for numbers in [[1, 2, 3], [1, 3, 5]] {
                exchangeable(&format!("{kind:?}"), &|seed, n| sequence(kind, seed, n, 2), numbers);
            }
        }
        exchangeable("slices", &|seed, round| order(seed, round, 2, 4), [1, 2, 3]);
        let constant = drawn_by(&|seed, _| sequence(KINDS[0], seed, 0, 2), [1, 2, 3], false);
        assert_eq!(constant.len(), 2, "what this test must notice");
    }

    #[test]
    fn every_block_of_a_warm_up_is_drawn() {
        let blocks: Vec<Vec<u32>> = sequences(Sequence::WarmUps, 5, 1, 2).take(1000).collect();
        assert_eq!(blocks[0], sequence(Sequence::WarmUps, 5, 1, 2));
        let first = blocks.iter().filter(|block| block[0] == 0).count();
        assert!((430..570).contains(&first), "{first}");
    }

    #[test]
    fn no_sequence_follows_from_another() {
        let first =
            |kind| (1..=64).map(|number| sequence(kind, 7, number, 2)[0]).collect::<Vec<_>>();
        let slices = (1..=64).map(|round| order(7, round, 2, 1)[0]).collect::<Vec<_>>();
        let all: BTreeSet<Vec<u32>> = KINDS.map(first).into_iter().chain([slices]).collect();
        assert_eq!(all.len(), KINDS.len() + 1);
    }

    #[test]
    fn every_contender_gets_its_slices_in_every_stretch() {
        let round = order(1, 3, 3, 20);
        for contender in 0..3 {
            assert_eq!(round.iter().filter(|c| **c == contender).count(), 20);
        }
        for block in round.chunks(3) {
            let mut sorted = block.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2], "{block:?}");
        }
    }

    #[test]
    fn of_two_contenders_the_predecessor_is_itself_a_quarter_of_the_time() {
        let (mut itself, mut all) = (0, 0);
        for round in 1..=200 {
            for pair in order(9, round, 2, 20).windows(2) {
                itself += u32::from(pair[0] == pair[1]);
                all += 1;
            }
        }
        let share = f64::from(itself) / f64::from(all);
        // 3900 pairs, of which 1900 lie across two blocks and are a fair coin each: the standard
        // deviation is 0.0056.
        assert!((0.215..0.275).contains(&share), "{share}");
    }

    #[test]
    fn turns_start_with_either_contender_equally_often() {
        let first = (1..=1000).filter(|round| order(5, *round, 2, 1)[0] == 0).count();
        assert!((430..570).contains(&first), "{first}");
    }

    #[test]
    fn the_order_is_a_function_of_seed_and_round() {
        assert_eq!(order(1, 1, 4, 5), order(1, 1, 4, 5));
        assert_ne!(order(1, 1, 4, 5), order(1, 2, 4, 5));
        assert_ne!(order(1, 1, 4, 5), order(2, 1, 4, 5));
    }
}
