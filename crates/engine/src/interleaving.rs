//! The order in which the contenders' slices are driven. Pure functions.

use crate::random::Random;

/// Returns the order of one round, in which each of `contenders` appears `slices` times.
///
/// Each block of the round holds one slice of every contender, in an order drawn for that block
/// alone. The machine's speed drifts over some tenths of a second, so the slices to be compared
/// must be as close together as possible: of blocks of one slice per contender, blocks of two
/// and ABBA, blocks of one left the smallest deviation between rounds. With two contenders, a
/// slice still follows one of the same contender in a quarter of the cases, which the test of
/// carry-over needs.
pub fn order(seed: u64, round: u32, contenders: u32, slices: u32) -> Vec<u32> {
    let mut random = Random::new(seed, 0xB2A1_D000 + u64::from(round));
    let mut order = Vec::with_capacity((contenders * slices) as usize);
    for _ in 0..slices {
        let start = order.len();
        order.extend(0..contenders);
        random.shuffle(&mut order[start..]);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::order;

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
