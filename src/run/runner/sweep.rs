//! The directory of a sweep, and the order in which its load points are driven.

use super::run_directory;
use super::{Reporting, foreseen};
use crate::plan::question::hash;
use crate::plan::sweep::Settled;
use crate::run::journal::sweep;
use crate::run::progress::{Progress, ProgressStyle};
use crate::system::utc;
use engine::interleaving::{Sequence, sequence};
use protocol::Error;
use record::sweep::SCHEMA;
use record::{Factor, LoadPoint, Plan, Sweep};
use std::path::PathBuf;
use std::time::SystemTime;
use text::shown::shown;

/// A sweep to be driven.
pub(crate) struct SweepRun {
    /// Its directory.
    pub(crate) directory: PathBuf,
    /// Its contents.
    pub(crate) sweep: Sweep,
    /// Indexes of the load points in the order in which they are driven.
    pub(crate) order: Vec<usize>,
}

/// Creates the directory, and writes the list of its load points.
///
/// # Errors
/// If the directory contains a run, or cannot be written.
pub(crate) fn begin(
    factor: Factor,
    settled: &Settled,
    reporting: Reporting<'_>,
) -> Result<SweepRun, Error> {
    let plans = settled.points.iter().map(|(_, resolved)| &resolved.plan);
    let values: Vec<f64> = settled.points.iter().map(|(value, _)| *value).collect();
    let first: &Plan = plans.clone().next().expect("a sweep has load points");
    let now = SystemTime::now();
    let (order, points) = points(factor, &values, first.seed);
    let sweep = Sweep {
        schema: SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: utc::rfc3339(now),
        factor,
        points,
    };
    let directory = run_directory::empty(reporting.out, now, &hash::of(first))?;
    sweep::write(&directory, &sweep).map_err(|error| run_directory::cannot(&directory, &error))?;
    let progress = Progress::start(ProgressStyle::fitting(reporting.quiet), &[], "");
    progress.say(&format!(
        "sweep: {} ({} load points, {} in all, seed {})",
        shown(directory.display().to_string()),
        values.len(),
        foreseen(plans),
        first.seed
    ));
    for caution in &settled.cautions {
        progress.say(&format!("caution: {caution}"));
    }
    Ok(SweepRun { directory, sweep, order })
}

/// The order of driving, drawn from the seed: a machine that grows slower while the
/// sweep lasts must not look like a bend.
fn points(factor: Factor, values: &[f64], seed: u64) -> (Vec<usize>, Vec<LoadPoint>) {
    let order = sequence(Sequence::Points, seed, 0, values.len() as u32);
    let order: Vec<usize> = order.into_iter().map(|at| at as usize).collect();
    let turn = |at: usize| order.iter().position(|other| *other == at).map_or(0, |turn| turn + 1);
    let point = |(at, value): (usize, &f64)| LoadPoint {
        value: *value,
        directory: factor.directory(*value),
        turn: turn(at) as u32,
    };
    let points = values.iter().enumerate().map(point).collect();
    (order, points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_random_and_the_seeds() {
        let values = [1.0, 2.0, 4.0, 8.0, 16.0];
        let order = |seed| points(Factor::Depth, &values, seed).0;
        assert_eq!(order(7), order(7));
        let mut orders: Vec<_> = (1..20).map(order).collect();
        assert!(orders.iter().any(|order| *order != [0, 1, 2, 3, 4]));
        orders.sort();
        orders.dedup();
        assert!(orders.len() > 10, "{orders:?}");
    }

    #[test]
    fn points_stand_by_value_and_know_their_turn() {
        let (order, points) = points(Factor::Rate, &[250.0, 5000.0, 0.5e6], 3);
        let directories: Vec<&str> = points.iter().map(|point| point.directory.as_str()).collect();
        assert_eq!(directories, ["rate-250", "rate-5000", "rate-500000"]);
        for (turn, at) in order.iter().enumerate() {
            assert_eq!(points[*at].turn as usize, turn + 1);
        }
    }
}
