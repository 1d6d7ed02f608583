//! The rounds of a run are driven in segments: one for each launch, one up to each look, one for each round
//! that holds only some contenders, one for each load point that has rounds of its own (in each launch), or one for
//! all. Pure.

use record::Question;

/// Fewer contenders cannot be compared.
pub(super) const FEWEST: usize = 2;

/// Some rounds without a break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) first_round: u32,
    /// How many.
    pub(super) rounds: u32,
    /// Number of the launch of every target before it, if there is one.
    pub(super) launch: Option<u32>,
}

pub(super) fn launches_after(question: &Question, segment: &Segment) -> u32 {
    question.restarts.saturating_sub(question.launch_of(segment.first_round).unwrap_or(1))
}

pub(super) fn of(question: &Question) -> Vec<Segment> {
    if let Some(rounds) = question.rounds_of_a_launch() {
        let parts = question.parts_of_a_launch();
        let segment = |before: u32| Segment {
            first_round: before * rounds + 1,
            rounds,
            // The pilot uses the first launch, too.
            launch: (before > 0 && before.is_multiple_of(parts)).then_some(before / parts + 1),
        };
        return (0..question.restarts * parts).map(segment).collect();
    }
    let ends = match question.interim_looks.as_slice() {
        [] if question.has_load_points_apart() => {
            let points = question.load_points.len() as u32;
            (1..=points).map(|point| point * question.rounds / points).collect()
        }
        [] if !question.blocks.is_empty() => (1..=question.rounds).collect(),
        [] => vec![question.rounds],
        looks => looks.to_vec(),
    };
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let segment = |(start, end): (u32, &u32)| Segment {
        first_round: start + 1,
        rounds: end - start,
        launch: None,
    };
    starts.zip(&ends).map(segment).collect()
}

pub(super) fn after(question: &Question, rounds: u32) -> Vec<Segment> {
    let rest = of(question).into_iter().map(|segment| {
        let done = (rounds + 1).saturating_sub(segment.first_round).min(segment.rounds);
        Segment {
            first_round: segment.first_round + done,
            rounds: segment.rounds - done,
            launch: segment.launch.filter(|_| done == 0),
        }
    });
    rest.filter(|segment| segment.rounds > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::example;

    fn segments(change: impl Fn(&mut Question)) -> Vec<(u32, u32, Option<u32>)> {
        let mut question = example::plan(|_| {}).question;
        change(&mut question);
        of(&question)
            .iter()
            .map(|segment| (segment.first_round, segment.rounds, segment.launch))
            .collect()
    }

    #[test]
    fn a_second_stage_goes_on_after_the_first() {
        let mut question = example::plan(|_| {}).question;
        (question.rounds, question.restarts) = (39, 0);
        let rest = |question: &Question, done| {
            let rest = after(question, done).into_iter();
            rest.map(|of| (of.first_round, of.rounds, of.launch)).collect::<Vec<_>>()
        };
        assert_eq!(rest(&question, 10), [(11, 29, None)]);
        assert_eq!(rest(&question, 39), []);
        (question.rounds, question.restarts) = (8, 4);
        assert_eq!(rest(&question, 4), [(5, 2, Some(3)), (7, 2, Some(4))]);
    }

    #[test]
    fn every_round_belongs_to_one_segment() {
        assert_eq!(segments(|question| question.rounds = 12), [(1, 12, None)]);
        let restarts = segments(|question| (question.rounds, question.restarts) = (15, 3));
        assert_eq!(restarts, [(1, 5, None), (6, 5, Some(2)), (11, 5, Some(3))]);
        let blocks = segments(|question| {
            question.blocks = vec![vec![0, 1]; 3];
            question.rounds = 3;
        });
        assert_eq!(blocks, [(1, 1, None), (2, 1, None), (3, 1, None)]);
        let launches = segments(|question| {
            question.blocks = vec![vec![0, 1]; 2];
            (question.rounds, question.restarts) = (4, 2);
        });
        assert_eq!(launches, [(1, 2, None), (3, 2, Some(2))]);
        let points = segments(|question| {
            question.load_points = ["value-1", "value-8"].map(str::to_owned).into();
            question.blocks = [vec![vec![0]; 8], vec![vec![1]; 8]].concat();
            question.rounds = 16;
        });
        assert_eq!(points, [(1, 8, None), (9, 8, None)]);
        let points_of_launches = segments(|question| {
            question.load_points = ["value-1", "value-8"].map(str::to_owned).into();
            question.blocks = [0, 1, 1, 0].map(|of| vec![of]).into();
            (question.rounds, question.restarts) = (8, 2);
        });
        let second = Some(2);
        assert_eq!(points_of_launches, [(1, 2, None), (3, 2, None), (5, 2, second), (7, 2, None)]);
        let looks = segments(|question| {
            question.interim_looks = vec![10, 16, 26, 40, 60];
            question.rounds = 60;
        });
        assert_eq!(
            looks,
            [(1, 10, None), (11, 6, None), (17, 10, None), (27, 14, None), (41, 20, None)]
        );
    }
}
