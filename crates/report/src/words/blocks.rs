//! Rounds or launches that hold only some contenders.

use record::Plan;

/// How many rounds (or launches) there are, how many contenders each holds, and how often a pair meets. Of a sweep: that
/// a round holds one load point. Returns None if each holds all contenders.
pub fn blocks(plan: &Plan) -> Option<String> {
    let question = &plan.question;
    let blocks = &question.blocks;
    if question.has_load_points_apart() {
        return Some(format!("each load point in rounds of its own, {} in all", blocks.len()));
    }
    let sizes = || blocks.iter().map(Vec::len);
    let size = to(sizes().min()?, sizes().max()?, " to ");
    let meetings = || question.pairs.iter().map(|pair| question.replicates_of(*pair) as usize);
    let times = to(meetings().min()?, meetings().max()?, " or ");
    let replicates = if question.restarts > 0 { "launches" } else { "rounds" };
    Some(format!(
        "{} {replicates} with {size} of the {} contenders each, drawn at random; each pair meets in {times} of them",
        blocks.len(),
        plan.contenders.len()
    ))
}

fn to(least: usize, most: usize, between: &str) -> String {
    if least == most { least.to_string() } else { format!("{least}{between}{most}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use record::Pair;

    #[test]
    fn the_meetings_are_counted() {
        let mut plan = samples::ranked().header.plan;
        assert_eq!(blocks(&plan), None);
        plan.question.blocks = vec![vec![0, 1, 2], vec![0, 3], vec![1, 2, 3]];
        let pair = |b: u32| (0..b).map(move |a| Pair { a, b });
        plan.question.pairs = (0..4).flat_map(pair).collect();
        assert_eq!(
            blocks(&plan).as_deref(),
            Some(
                "3 rounds with 2 to 3 of the 4 contenders each, drawn at random; each pair meets in 1 or 2 of them"
            )
        );
        (plan.question.rounds, plan.question.restarts) = (6, 3);
        assert!(blocks(&plan).is_some_and(|of| of.starts_with("3 launches with 2 to 3 of the 4 ")));
    }
}
