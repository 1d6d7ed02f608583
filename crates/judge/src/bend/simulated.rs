//! How often bends are reported that do not exist, simulated: load points that share rounds need no margin for the
//! drift of the machine, and those that do not share them would need one.

use super::*;
use crate::random::Random;

/// As many as are needed for four standard errors of 0.6 %, and where only the upper bound matters.
const SWEEPS: u32 = 20_000;
const FEWER_SWEEPS: u32 = 4_000;
const ROUNDS: usize = 10;
/// Standard deviation of a load point within its round.
const OWN: f64 = 0.02;
/// How far the machine's speed moves from one round to the next (a random walk), and while a round lasts.
const DRIFT: [(f64, f64); 3] = [(0.0, 0.0), (0.05, 0.01), (0.02, 0.04)];

/// Load points of a curve whose elasticity is exactly the limit, so that any claim is about a tie: 1, 4, 16, …. Each
/// round drives all of them in an order that is drawn.
fn at_the_edge(points: usize, (between, within): (f64, f64), random: &mut Random) -> Vec<Load> {
    let load = |at: usize| Load {
        value: 4f64.powi(at as i32),
        throughput: Vec::new(),
        p50: Vec::new(),
        p99: Vec::new(),
        generator_limited: false,
    };
    let mut loads: Vec<Load> = (0..points).map(load).collect();
    let mut machine = 0.0;
    for _ in 0..ROUNDS {
        machine += between * random.normal();
        let mut places: Vec<(f64, usize)> = (0..points).map(|at| (random.uniform(), at)).collect();
        places.sort_by(|one, other| one.0.total_cmp(&other.0));
        for (_, at) in places {
            machine += within / (points as f64).sqrt() * random.normal();
            let truth = ELASTICITY * loads[at].value.ln();
            loads[at].throughput.push(truth + machine + OWN * random.normal());
        }
    }
    loads
}

/// The share of sweeps that claim a bend, or that there is none.
fn claims(sweeps: u32, points: usize, drift: (f64, f64)) -> f64 {
    let mut random = Random(7);
    let claimed = (0..sweeps).filter(|_| {
        let loads = at_the_edge(points, drift, &mut random);
        let loads: Vec<&Load> = loads.iter().collect();
        of(Factor::Connections, false, &loads, points, 0.05) != Bend::Undetermined
    });
    claimed.count() as f64 / f64::from(sweeps)
}

#[test]
fn load_points_that_share_rounds_need_no_margin() {
    for drift in DRIFT {
        let two = claims(SWEEPS, 2, drift);
        assert!((0.044..=0.056).contains(&two), "two load points, drift {drift:?}: {two}");
        for points in [3, 6] {
            let more = claims(FEWER_SWEEPS, points, drift);
            assert!(more <= 0.05 + 4.0 * 0.0035, "{points} load points, drift {drift:?}: {more}");
        }
    }
}

#[test]
fn load_points_that_were_driven_one_after_the_other_would_need_one() {
    // The machine stands still while each is driven, and moves by 5 % before the next one.
    let mut random = Random(7);
    let claimed = (0..FEWER_SWEEPS).filter(|_| {
        let mut loads = at_the_edge(2, (0.0, 0.0), &mut random);
        let moved = 0.05 * random.normal();
        loads[1].throughput.iter_mut().for_each(|of| *of += moved);
        let loads: Vec<&Load> = loads.iter().collect();
        of(Factor::Connections, false, &loads, 2, 0.05) != Bend::Undetermined
    });
    let share = claimed.count() as f64 / f64::from(FEWER_SWEEPS);
    assert!(share > 0.5, "{share}");
}
