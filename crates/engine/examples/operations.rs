//! Measures the cost of drawing operations, naming their keys and writing their values, without
//! a target and as fast as a core can.
//!
//! `operations KEYS OPERATIONS SERIES` draws OPERATIONS operations of each distribution and of
//! each preset, SERIES times with different seeds, and prints how skewed they are.

use engine::clock;
use engine::workload::{Operations, PRESETS, WorkloadError, preset};
use record::{Distribution, KeysAs, ValuesAs, Workload};
use std::hint::black_box;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((keys, operations, series)) = understood(&arguments) else {
        eprintln!(
            "usage: operations KEYS OPERATIONS SERIES, numbers above 0, such as 100000 2000000 7"
        );
        return ExitCode::from(2);
    };
    println!(
        "{:<12} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "", "ns each", "at best", "with key", "and value", "top 1 %", "top 10 %"
    );
    for (name, workload) in workloads(keys) {
        let description = tell(&name, &workload, operations, series);
        if let Err(reason) = description {
            eprintln!("{name}: {reason}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn understood(arguments: &[String]) -> Option<(u64, u64, u64)> {
    let [keys, operations, series] = arguments else { return None };
    let numbers = (keys.parse().ok()?, operations.parse().ok()?, series.parse().ok()?);
    (numbers.0 > 0 && numbers.1 > 0 && numbers.2 > 0).then_some(numbers)
}

/// Returns `kv` with each distribution, `kv` with keys and values that are hashes, and the
/// presets of YCSB.
fn workloads(keys: u64) -> Vec<(String, Workload)> {
    let laws = [
        ("uniform", Distribution::Uniform),
        ("sequential", Distribution::Sequential),
        ("zipf(0.99)", Distribution::Zipf(0.99)),
        ("hotspot", Distribution::Hotspot { keys: 0.2, operations: 0.8 }),
        ("latest", Distribution::Latest),
        ("ycsb-zipfian", Distribution::YcsbZipfian),
    ];
    let known = |name| preset(name).expect("a preset");
    let kv = laws.map(|(name, distribution)| {
        (name.to_owned(), Workload { keys, distribution, ..known("kv") })
    });
    let ycsb = PRESETS.iter().filter(|name| name.starts_with("ycsb"));
    let ycsb = ycsb.map(|name| ((*name).to_owned(), Workload { keys, ..known(name) }));
    let (keys_as, values_as) = (KeysAs::Md5, ValuesAs::Crc32);
    let hashed = Workload { keys, keys_as, values_as, ..known("kv") };
    let hashed = ("md5, crc32".to_owned(), hashed);
    kv.into_iter().chain([hashed]).chain(ycsb).collect()
}

fn tell(
    name: &str,
    workload: &Workload,
    operations: u64,
    series: u64,
) -> Result<(), WorkloadError> {
    let mut each = [Vec::new(), Vec::new(), Vec::new()];
    for seed in 0..series {
        let drawn = Operations::new(workload, seed)?;
        for (what, each) in each.iter_mut().enumerate() {
            each.push(walk(&drawn, operations, what) / operations as f64);
        }
    }
    for each in &mut each {
        each.sort_by(f64::total_cmp);
    }
    let [median, key, value] = [0, 1, 2].map(|what| each[what][each[what].len() / 2]);
    let best = each[0][0];
    print!("{name:<12} {median:>9.1} {best:>9.1} {key:>9.1} {value:>9.1}");
    match Operations::new(workload, 0)?.skew() {
        Some(skew) => {
            let (few, more) = (100.0 * skew.top_1_percent, 100.0 * skew.top_10_percent);
            println!(" {few:>8.1} {more:>9.1}");
        }
        None => println!(" {:>8} {:>9}", "-", "-"),
    }
    Ok(())
}

/// Returns nanoseconds for all operations. `what` 0 draws them, 1 also names the key, 2 also
/// writes the value, as if each operation wrote one.
fn walk(operations: &Operations, count: u64, what: usize) -> f64 {
    let values = operations.values();
    let mut out = Vec::with_capacity(4096);
    let starts = clock::now();
    for n in 0..count {
        let drawn = black_box(operations.operation(black_box(n)));
        out.clear();
        if what > 0 {
            operations.write_key(drawn.space, drawn.key, &mut out);
        }
        if what > 1 {
            values.write(drawn.key, n + 1, &mut out);
        }
        black_box(&out);
    }
    (clock::now() - starts) as f64
}
