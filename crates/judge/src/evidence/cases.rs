//! The figures of a suite: one for each case in each judged round.

use record::{Case, Cases, Pair, Seen};
use std::collections::BTreeMap;
use thiserror::Error;

/// Why a case has no figure in one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum NoFigure {
    #[error("a run failed")]
    RunFailed,
    #[error("no figure")]
    Missing,
    #[error("a figure in another unit than before round 1")]
    OtherUnit,
}

/// The figures of one contender in one round, in the order of the compared cases.
type Row = Vec<Result<f64, NoFigure>>;

/// The cases of a suite, and the figures of each contender.
#[derive(Clone, Debug, Default)]
pub(crate) struct CaseFigures {
    /// The cases, as they were listed before round 1.
    pub(crate) listed: Cases,
    /// The position of each compared case.
    positions: BTreeMap<String, usize>,
    /// By contender: the judged rounds.
    rounds: Vec<BTreeMap<u32, Row>>,
}

impl CaseFigures {
    /// Starts with these cases, before round 1.
    pub(crate) fn new(listed: &Cases, contenders: usize) -> CaseFigures {
        let names = listed.compared.iter().map(|case| case.name.clone());
        CaseFigures {
            positions: names.zip(0..).collect(),
            listed: listed.clone(),
            rounds: vec![BTreeMap::new(); contenders],
        }
    }

    /// The cases that are compared.
    pub(crate) fn compared(&self) -> &[Case] {
        &self.listed.compared
    }

    /// Takes the figures of a judged round of a contender out of what was recorded.
    pub(crate) fn take(&mut self, contender: usize, round: u32, seen: &mut Seen) {
        let figures = std::mem::take(&mut seen.programs.figures);
        let Some(rounds) = self.rounds.get_mut(contender) else { return };
        let absent = if seen.programs.failed > 0 { NoFigure::RunFailed } else { NoFigure::Missing };
        let mut row: Row = vec![Err(absent); self.listed.compared.len()];
        for figure in figures {
            let Some(&at) = self.positions.get(&figure.case) else { continue };
            let case = &self.listed.compared[at];
            let is_alike =
                case.unit == figure.unit && case.larger_is_better == figure.larger_is_better;
            row[at] = match figure.value {
                _ if !is_alike => Err(NoFigure::OtherUnit),
                value if value.is_finite() && value > 0.0 => Ok(value),
                _ => Err(NoFigure::Missing),
            };
        }
        rounds.insert(round, row);
    }

    /// The figures of a case in the judged rounds of a contender, in order.
    pub(crate) fn of(
        &self,
        contender: u32,
        case: usize,
    ) -> impl Iterator<Item = (u32, Result<f64, NoFigure>)> {
        let rounds = self.rounds.get(contender as usize).into_iter().flatten();
        rounds.map(move |(round, row)| (*round, row[case]))
    }

    /// The side of a pair that lacks a figure of a case, the first round in which it does, and why. If both lack one,
    /// that is `a`.
    pub(crate) fn first_without(&self, pair: Pair, case: usize) -> Option<(u32, u32, NoFigure)> {
        let of_side = |side: u32| {
            self.of(side, case).find_map(|(round, figure)| Some((side, round, figure.err()?)))
        };
        of_side(pair.a).or_else(|| of_side(pair.b))
    }
}
