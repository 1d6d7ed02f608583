//! Rankings of which a replicate (round, or launch) holds only some contenders: where all of them would take too long,
//! the machine would change within it. The replicates are incomplete blocks, drawn so that every pair of contenders
//! shares the same number of them, or one more. Pure.
//!
//! Exact balanced designs do not exist for most numbers of contenders. Here some base blocks are drawn and moved on
//! around a circle of the contenders, by every number of places (a cyclic design: Bose 1939, "On the construction of
//! balanced incomplete block designs"). All pairs at one distance on the circle then share the same number of blocks,
//! so that only half as many distances as there are contenders must be balanced. The places on the circle and the order
//! of the blocks are drawn.

use crate::plan::Spec;
use engine::random::Random;
use protocol::Error;
use record::Plan;
use record::limits::{MOST_IN_A_ROUND, MOST_ROUNDS};
use text::units::show_ns;

/// A replicate of all contenders that takes longer than this is divided.
const LONGEST_NS: u64 = 60_000_000_000;
const MS: u64 = 1_000_000;
/// How many contenders a block holds.
const FEWEST: u32 = 4;
const MOST: u32 = 8;
/// Attempts to balance base blocks of one number of pairs, and changes tried in each.
const ATTEMPTS: u32 = 3;
const CHANGES: u32 = 20_000;
/// By how much the number of blocks of a pair may grow until they are balanced. At most 2 were needed for up to 64
/// contenders.
const MOST_MORE: u32 = 16;
/// The random stream of the drawing.
const BLOCKS: u64 = 0xB10C;

/// Returns the plan with replicates of some contenders, if it is a ranking and one of all would take too long. The
/// number of replicates was that of each pair.
///
/// # Errors
/// If something was asked for that blocks cannot do, or there are too many of them.
pub(in crate::plan) fn divided(spec: &Spec, plan: Plan) -> Result<Plan, Error> {
    let contenders = plan.contenders.len();
    let all_ns = replicate_ns(&plan).saturating_mul(contenders as u64);
    let is_large = contenders > MOST_IN_A_ROUND || all_ns > LONGEST_NS;
    if !spec.run.rank || contenders <= FEWEST as usize || !is_large {
        return Ok(plan);
    }
    refuse(spec, &plan)?;
    drawn(plan)
}

/// How long each contender is driven for a replicate, in nanoseconds: for a round, or for a launch with its warm-up.
fn replicate_ns(plan: &Plan) -> u64 {
    let round_ns = plan.driven_in_round_ns();
    plan.question.rounds_of_a_launch().map_or(round_ns, |rounds| {
        plan.warm_up_ns.saturating_add(round_ns.saturating_mul(rounds.into()))
    })
}

/// Refuses what a ranking in blocks cannot do.
///
/// # Errors
/// The first of these that was asked for, with the remedy.
fn refuse(spec: &Spec, plan: &Plan) -> Result<(), Error> {
    let refused = [
        (spec.agents > 0, "--agents"),
        (spec.run.until_decided, "--until-decided"),
        (spec.run.see.is_some(), "--see"),
        (spec.run.within.is_some(), "--within"),
    ];
    let contenders = plan.contenders.len();
    let replicates = if plan.question.restarts > 0 { "launches" } else { "rounds" };
    match refused.into_iter().find(|(is_asked, _)| *is_asked) {
        Some((_, flag)) => Err(Error::usage(format!(
            "{flag} is not supported yet in a ranking of {contenders} contenders whose {replicates} hold only some of \
             them: leave it out, or {}",
            without(plan)
        ))),
        None => Ok(()),
    }
}

/// What to do so that this ranking needs no blocks.
fn without(plan: &Plan) -> String {
    let contenders = plan.contenders.len() as u64;
    if contenders > MOST_IN_A_ROUND as u64 {
        format!("rank at most {MOST_IN_A_ROUND} contenders")
    } else if plan.question.restarts > 0 {
        let longest = show_ns(LONGEST_NS / contenders);
        format!(
            "use a shorter --round or --warm-up (those of a launch may take {longest} together)"
        )
    } else {
        // Requests that are compared one by one make a round longer.
        let longest_ms = LONGEST_NS / MS * plan.round_ns / (plan.driven_in_round_ns() * contenders);
        format!("use a shorter --round (at most {})", show_ns(longest_ms * MS))
    }
}

/// Returns the plan with blocks.
///
/// # Errors
/// If there are too many.
fn drawn(plan: Plan) -> Result<Plan, Error> {
    let contenders = plan.contenders.len() as u32;
    let fit = LONGEST_NS / replicate_ns(&plan).max(1);
    let most = (fit.min(MOST.into()) as u32).max(FEWEST).min(contenders - 1);
    let (name, flag) = match plan.question.restarts {
        0 => ("rounds", "--rounds"),
        _ => ("launches", "--launches"),
    };
    // The blocks are the same whether one launch will turn out to be too dear for several or not.
    let of_pair = plan.question.dear.map_or(plan.question.replicates(), |dear| dear.rounds_of_one);
    let blocks = draw(plan.seed, contenders, most, of_pair).ok_or_else(|| {
        Error::usage(format!(
            "{flag} {of_pair}: no {name} of {FEWEST} to {most} of {contenders} contenders were found in which all \
             pairs meet equally often; use another number of {name}"
        ))
    })?;
    let mut plan = plan.with_replicates(blocks.len() as u32);
    plan.question.blocks = blocks;
    if plan.rounds > MOST_ROUNDS {
        return Err(Error::usage(format!(
            "{flag} {of_pair}: each pair of {contenders} contenders in so many {name} makes {} rounds, and at most \
             {MOST_ROUNDS} are supported; use longer rounds (--round) instead",
            plan.rounds
        )));
    }
    Ok(plan)
}

/// Draws blocks of at most `most` contenders so that each pair is in at least `least` of them. Returns None if none
/// were found.
fn draw(seed: u64, contenders: u32, most: u32, least: u32) -> Option<Vec<Vec<u32>>> {
    let mut random = Random::new(seed, BLOCKS);
    let mut counts = least..=least.saturating_add(MOST_MORE);
    let circle = counts.find_map(|least| Circle { contenders, least }.draw(most, &mut random))?;
    let mut places: Vec<u32> = (0..contenders).collect();
    random.shuffle(&mut places);
    let moved = |base: &Vec<u32>, by: u32| -> Vec<u32> {
        let place = |at: &u32| places[((at + by) % contenders) as usize];
        let mut block: Vec<u32> = base.iter().map(place).collect();
        block.sort_unstable();
        block
    };
    let each = circle.iter().flat_map(|base| (0..contenders).map(move |by| (base, by)));
    let mut blocks: Vec<Vec<u32>> = each.map(|(base, by)| moved(base, by)).collect();
    random.shuffle(&mut blocks);
    Some(blocks)
}

/// Base blocks on a circle of contenders, by which each pair shares `least` rounds or one more.
#[derive(Clone, Copy)]
struct Circle {
    contenders: u32,
    least: u32,
}

impl Circle {
    /// Draws base blocks with as few pairs as can be balanced.
    fn draw(self, most: u32, random: &mut Random) -> Option<Vec<Vec<u32>>> {
        let (least, half) = (self.least, (self.contenders - 1) / 2);
        // Two contenders that are opposite each other meet in two of the places of their pair.
        let opposite = if self.contenders.is_multiple_of(2) { least.div_ceil(2) } else { 0 };
        let mut pairs = least * half + opposite..=(least + 1) * half + opposite;
        pairs.find_map(|pairs| {
            let sizes = sizes(pairs, most)?;
            (0..ATTEMPTS).find_map(|_| self.balanced(&sizes, random))
        })
    }

    /// Draws blocks of these sizes, and moves one contender of one block after the other as long as that makes the
    /// distances no less balanced.
    fn balanced(self, sizes: &[u32], random: &mut Random) -> Option<Vec<Vec<u32>>> {
        let mut bases: Vec<Vec<u32>> = sizes.iter().map(|size| self.any(*size, random)).collect();
        let mut counts = vec![0; self.contenders as usize / 2];
        for base in &bases {
            for (at, one) in base.iter().enumerate() {
                base[..at].iter().for_each(|other| self.count(&mut counts, *one, *other, 1));
            }
        }
        let mut missed = self.missed(&counts);
        for _ in 0..CHANGES {
            if missed == 0 {
                return Some(bases);
            }
            let block = random.below(bases.len());
            let (at, new) =
                (random.below(bases[block].len()), random.below(self.contenders as usize) as u32);
            if bases[block].contains(&new) {
                continue;
            }
            let (old, mut moved) = (bases[block][at], counts.clone());
            for other in bases[block].iter().filter(|other| **other != old) {
                self.count(&mut moved, old, *other, -1);
                self.count(&mut moved, new, *other, 1);
            }
            let then = self.missed(&moved);
            if then <= missed {
                (bases[block][at], counts, missed) = (new, moved, then);
            }
        }
        None
    }

    fn any(self, size: u32, random: &mut Random) -> Vec<u32> {
        let mut all: Vec<u32> = (0..self.contenders).collect();
        random.shuffle(&mut all);
        all.truncate(size as usize);
        all
    }

    /// Counts the rounds that each pair at the distance of these two shares.
    fn count(self, counts: &mut [i32], one: u32, other: u32, by: i32) {
        let around = one.abs_diff(other);
        let distance = around.min(self.contenders - around);
        let times = if 2 * distance == self.contenders { 2 } else { 1 };
        counts[distance as usize - 1] += times * by;
    }

    /// By how much all distances together miss their number of rounds.
    fn missed(self, counts: &[i32]) -> i32 {
        let least = self.least as i32;
        counts.iter().map(|count| (least - count).max(count - least - 1).max(0)).sum()
    }
}

/// Sizes of blocks with so many pairs altogether, which together hold the fewest contenders. Returns None if there are
/// none.
fn sizes(pairs: u32, most: u32) -> Option<Vec<u32>> {
    let of = |size: u32| size * (size - 1) / 2;
    // For each number of pairs, how many contenders the blocks hold, and the size of one of the blocks.
    let mut best: Vec<Option<(u32, u32)>> = vec![Some((0, 0))];
    for sum in 1..=pairs {
        let with = |size: u32| {
            let (held, _) = best[sum.checked_sub(of(size))? as usize]?;
            Some((held + size, size))
        };
        best.push((FEWEST..=most).filter_map(with).min());
    }
    let (mut sizes, mut left) = (Vec::new(), pairs);
    while left > 0 {
        let (_, size) = best[left as usize]?;
        sizes.push(size);
        left -= of(size);
    }
    Some(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::example;
    use judge::stats::rounds;
    use std::collections::BTreeMap;
    use std::time::Duration;

    /// In how many rounds each pair meets: the fewest and the most. Checks the sizes of the rounds.
    fn meetings(blocks: &[Vec<u32>], contenders: u32, most: u32) -> (u32, u32) {
        let mut counts: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for block in blocks {
            assert!((FEWEST..=most).contains(&(block.len() as u32)), "{block:?}");
            assert!(
                block.windows(2).all(|two| two[0] < two[1]) && block[block.len() - 1] < contenders
            );
            for (at, one) in block.iter().enumerate() {
                block[..at]
                    .iter()
                    .for_each(|other| *counts.entry((*other, *one)).or_default() += 1);
            }
        }
        assert_eq!(counts.len() as u32, contenders * (contenders - 1) / 2, "all pairs meet");
        let few = counts.values().min().copied().unwrap_or(0);
        (few, counts.values().max().copied().unwrap_or(0))
    }

    fn fewest(contenders: u32) -> u32 {
        rounds::fewest((contenders * (contenders - 1) / 2) as usize, 0.05)
    }

    #[test]
    fn for_every_number_of_contenders_pairs_meet_equally_often() {
        for contenders in 17..=64 {
            let least = rounds::default_rounds((contenders * (contenders - 1) / 2) as usize, 0.05);
            let blocks = draw(7, contenders, MOST, least).expect("blocks");
            let (few, many) = meetings(&blocks, contenders, MOST);
            assert!(many <= few + 1 && few >= fewest(contenders), "{contenders}: {few} to {many}");
            assert_eq!(few, least, "{contenders}: no more rounds than were asked for");
            // At most a twentieth more than if each pair met exactly as often as asked.
            let pairs: usize = blocks.iter().map(|block| block.len() * (block.len() - 1) / 2).sum();
            let needed = (least * contenders * (contenders - 1) / 2) as usize;
            assert!(pairs * 20 <= needed * 21, "{contenders}: {pairs} for {needed}");
        }
    }

    #[test]
    fn few_contenders_with_long_rounds_may_meet_more_often_than_asked() {
        for contenders in 5..=16 {
            for most in FEWEST..=MOST.min(contenders - 1) {
                for least in [fewest(contenders), 30] {
                    let blocks = draw(1, contenders, most, least).expect("blocks");
                    let (few, many) = meetings(&blocks, contenders, most);
                    let what =
                        format!("{contenders} in blocks of {most}, {least}: {few} to {many}");
                    assert!(many <= few + 1 && few >= least && few <= least + 2, "{what}");
                }
            }
        }
    }

    #[test]
    fn blocks_follow_from_the_seed_and_favour_no_position() {
        assert_eq!(draw(3, 20, 8, 12), draw(3, 20, 8, 12));
        assert_ne!(draw(3, 20, 8, 12), draw(4, 20, 8, 12));
        // Who is in the first round.
        let mut first = [0; 20];
        for seed in 0..200 {
            let blocks = draw(seed, 20, 8, 12).expect("blocks");
            blocks[0].iter().for_each(|at| first[*at as usize] += 1);
        }
        // 80 or fewer of each are expected, with a standard deviation of 7.
        assert!(first.iter().all(|times| (45..115).contains(times)), "{first:?}");
    }

    /// The plan of a ranking of so many contenders.
    fn plan(contenders: usize, change: impl FnOnce(&mut Spec)) -> Plan {
        example::plan(|spec| {
            spec.run.rank = true;
            spec.contenders =
                (1..=contenders).map(|at| format!("c{at}=http://127.0.0.1:{at}/")).collect();
            change(spec);
        })
    }

    #[test]
    fn rounds_hold_all_contenders_as_long_as_they_are_short() {
        assert!(plan(16, |_| {}).question.blocks.is_empty());
        let of_17 = plan(17, |_| {});
        assert_eq!(of_17.question.blocks.len() as u32, of_17.rounds);
        assert_eq!(of_17.question.rounds, of_17.rounds);
        assert_eq!(meetings(&of_17.question.blocks, 17, 8).0, 15);
        // Ten rounds of 10 s are 100 s for ten contenders; six fit into 60 s.
        let long = |s| move |spec: &mut Spec| spec.run.round = Some(Duration::from_secs(s));
        assert!(plan(10, long(6)).question.blocks.is_empty());
        let of_10 = plan(10, long(10));
        assert_eq!(of_10.question.blocks.iter().map(Vec::len).max(), Some(6));
        assert_eq!(meetings(&of_10.question.blocks, 10, 6).0, 13);
        // Four contenders are one block.
        assert!(plan(4, long(30)).question.blocks.is_empty());
        let of_5 = plan(5, long(30));
        assert!(of_5.question.blocks.iter().all(|block| block.len() == 4));
    }

    /// The plan of a ranking of so many servers that are launched.
    fn launched(contenders: usize, change: impl FnOnce(&mut Spec)) -> Plan {
        plan(contenders, |spec| {
            spec.contenders = (1..=contenders).map(|at| format!("c{at}=nginx")).collect();
            change(spec);
        })
    }

    #[test]
    fn launches_hold_some_contenders_where_those_of_all_would_take_too_long() {
        // A launch of one is 1 s of warm-up and two rounds of 500 ms.
        assert!(launched(16, |_| {}).question.blocks.is_empty());
        let of_17 = launched(17, |_| {});
        let question = &of_17.question;
        assert_eq!(question.blocks.len() as u32, question.restarts);
        assert_eq!((of_17.rounds, question.rounds), (2 * question.restarts, of_17.rounds));
        assert_eq!((of_17.round_ns, question.rounds_of_a_launch()), (500_000_000, Some(2)));
        // The fewest that can decide 136 comparisons and two more, whatever a launch will cost.
        assert_eq!(meetings(&question.blocks, 17, 8).0, 15);
        assert_eq!(question.pairs.iter().map(|pair| question.replicates_of(*pair)).min(), Some(15));
        let given = launched(17, |spec| spec.run.launches = Some(20)).question;
        assert_eq!(meetings(&given.blocks, 17, 8).0, 20);
        assert_eq!((given.dear, given.rounds_of_a_launch()), (None, Some(2)));
        // The warm-up counts: 10 s for each of ten, of whom five fit into 60 s.
        let warm = |spec: &mut Spec| spec.run.warm_up = Some(Duration::from_secs(10));
        let of_10 = launched(10, warm).question;
        assert_eq!(of_10.blocks.iter().map(Vec::len).max(), Some(5));
        assert_eq!(of_10.blocks.len() as u32, of_10.restarts);
        assert!(launched(5, warm).question.blocks.is_empty());
        // One launch of each: the round is the replicate.
        let one = launched(17, |spec| spec.run.launches = Some(1)).question;
        assert_eq!((one.restarts, one.blocks.len() as u32), (0, one.rounds));
    }

    #[test]
    fn too_many_launches_are_refused() {
        let settled = example::settled(|spec| {
            (spec.run.rank, spec.run.launches) = (true, Some(3000));
            spec.contenders = (1..=17).map(|at| format!("c{at}=nginx")).collect();
        });
        let why = settled.expect_err("too many").text;
        let wanted = "--launches 3000: each pair of 17 contenders in so many launches makes ";
        assert!(why.starts_with(wanted), "{why}");
    }

    #[test]
    fn what_blocks_cannot_do_is_refused_with_a_remedy() {
        let refused = |contenders: usize, change: fn(&mut Spec)| {
            let settled = example::settled(|spec| {
                spec.run.rank = true;
                spec.contenders =
                    (1..=contenders).map(|at| format!("c{at}=http://127.0.0.1:{at}/")).collect();
                change(spec);
            });
            settled.map(drop).map_err(|error| error.text)
        };
        assert_eq!(
            refused(17, |spec| spec.run.until_decided = true).unwrap_err(),
            "--until-decided is not supported yet in a ranking of 17 contenders whose rounds hold only some of them: \
             leave it out, or rank at most 16 contenders"
        );
        let agents = refused(12, |spec| {
            (spec.agents, spec.run.round) = (2, Some(Duration::from_secs(6)));
        });
        let agents = agents.unwrap_err();
        assert!(agents.ends_with("or use a shorter --round (at most 5 s)"), "{agents}");
        assert!(refused(20, |spec| spec.run.until_decided = true).is_err());
        let launches = refused(12, |spec| {
            spec.contenders = (1..=12).map(|at| format!("c{at}=nginx")).collect();
            (spec.run.see, spec.run.warm_up) = (Some(0.02), Some(Duration::from_secs(6)));
        });
        let launches = launches.unwrap_err();
        assert!(launches.contains("whose launches hold only some of them"), "{launches}");
        let remedy =
            "or use a shorter --round or --warm-up (those of a launch may take 5 s together)";
        assert!(launches.ends_with(remedy), "{launches}");
    }
}
