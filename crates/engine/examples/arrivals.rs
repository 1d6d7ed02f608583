//! Measures the cost of computing when operations are due: the schedule of an open loop is
//! advanced as fast as a core can, without a target.
//!
//! `arrivals RATE SECONDS SERIES` covers SECONDS of lane time at RATE operations a second,
//! SERIES times for each kind of arrivals. The loop calls `Schedule` as the event loop does for
//! each operation: when is the next one due, then advance. Nothing in the engine is made public
//! for this example: `engine::arrivals` and `engine::clock` are public for programs that drive
//! something other than sockets by the same schedule.

use engine::arrivals::Schedule;
use engine::clock;
use record::Arrivals;
use std::hint::black_box;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((rate, seconds, series)) = understood(&arguments) else {
        eprintln!("usage: arrivals RATE SECONDS SERIES, numbers above 0, such as 1000000 10 7");
        return ExitCode::from(2);
    };
    println!(
        "{:<10} {:>12} {:>9} {:>9} {:>16} {:>12}",
        "", "operations", "ns each", "at best", "one core, 1/s", "of one core"
    );
    let mut sound = true;
    for (name, arrivals) in
        [("constant", Arrivals::Constant(rate)), ("poisson", Arrivals::Poisson(rate))]
    {
        let walks: Vec<Walk> = (0..series).map(|seed| walk(arrivals, seed, seconds)).collect();
        sound &= tell(name, rate, &walks);
        sound &= check(name, rate * seconds as f64, &walks);
    }
    if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn understood(arguments: &[String]) -> Option<(f64, u64, u64)> {
    let [rate, seconds, series] = arguments else { return None };
    let (rate, seconds, series) =
        (rate.parse::<f64>().ok()?, seconds.parse().ok()?, series.parse().ok()?);
    (rate.is_finite() && rate > 0.0 && seconds > 0 && series > 0).then_some((rate, seconds, series))
}

/// One schedule, advanced to the end of the lane time.
struct Walk {
    operations: u64,
    took_ns: u64,
}

impl Walk {
    fn each_ns(&self) -> f64 {
        self.took_ns as f64 / self.operations.max(1) as f64
    }
}

fn walk(arrivals: Arrivals, seed: u64, seconds: u64) -> Walk {
    let mut schedule = Schedule::new(arrivals, seed, 0, 1).expect("an open loop has a schedule");
    let end_ns = seconds * 1_000_000_000;
    let mut operations = 0;
    let starts = clock::now();
    // The compiler must not compute the schedule in advance or skip a due time.
    while black_box(schedule.next_ns()) < end_ns {
        black_box(&mut schedule).take();
        operations += 1;
    }
    Walk { operations, took_ns: clock::now() - starts }
}

/// Prints median and best of the series. Returns false if a core cannot compute the rate.
fn tell(name: &str, rate: f64, walks: &[Walk]) -> bool {
    let mut each: Vec<f64> = walks.iter().map(Walk::each_ns).collect();
    each.sort_by(f64::total_cmp);
    let (best, median) = (each[0], each[each.len() / 2]);
    let reached = 1e9 / median;
    let operations = walks[0].operations;
    let share = 100.0 * rate / reached;
    println!(
        "{name:<10} {operations:>12} {median:>9.2} {best:>9.2} {reached:>16.0} {share:>10.2} %"
    );
    if reached < rate {
        eprintln!("{name}: one core computes {reached:.0} due times a second, not {rate}");
    }
    reached >= rate
}

/// A wrong schedule could be computed quickly, too: the number of due operations must match the
/// rate. The standard deviation of a Poisson count is its square root; six of them are never
/// exceeded by chance.
fn check(name: &str, expected: f64, walks: &[Walk]) -> bool {
    let allowed = if name == "poisson" { 6.0 * expected.sqrt() } else { 1.0 };
    let wrong = walks.iter().find(|walk| (walk.operations as f64 - expected).abs() > allowed);
    if let Some(walk) = wrong {
        eprintln!("{name}: {} operations were due, and not {expected}", walk.operations);
    }
    wrong.is_none()
}
