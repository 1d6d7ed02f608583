//! In which order the contenders' slices are driven. Pure.

use crate::random::Random;

/// How many slices of each contender are shuffled together. Two: over any
/// stretch of the round every contender meets the same machine (a shuffle of
/// the whole round can put most of one contender first), and yet a slice's
/// predecessor is itself about a third of the time, which carry-over needs.
const BLOCK: u32 = 2;

/// The order of one round: each of `contenders` appears `slices` times.
pub fn order(seed: u64, round: u32, contenders: u32, slices: u32) -> Vec<u32> {
    let mut random = Random::new(seed, 0xB2A1_D000 + u64::from(round));
    let mut order = Vec::with_capacity((contenders * slices) as usize);
    let mut left = slices;
    while left > 0 {
        let each = left.min(BLOCK);
        let start = order.len();
        for contender in 0..contenders {
            order.extend(std::iter::repeat_n(contender, each as usize));
        }
        random.shuffle(&mut order[start..]);
        left -= each;
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
        for block in round.chunks(6) {
            let of_first = block.iter().filter(|c| **c == 0).count();
            assert_eq!(of_first, 2, "{block:?}");
        }
    }

    #[test]
    fn the_predecessor_is_itself_about_a_third_of_the_time() {
        let (mut itself, mut all) = (0, 0);
        for round in 1..=200 {
            for pair in order(9, round, 2, 20).windows(2) {
                itself += u32::from(pair[0] == pair[1]);
                all += 1;
            }
        }
        let share = f64::from(itself) / f64::from(all);
        assert!((0.3..0.5).contains(&share), "{share}");
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
