//! `cargo bench` measures three cases for a quarter of a second each.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;

const PLAIN: &str = "4711,Ada Lovelace,London,1815,mathematician,12.50";
const QUOTED: &str = r#"4712,"Hopper, Grace","New York","1906","""Amazing"" Grace",13.75"#;

fn parse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    for (name, line) in [("plain", PLAIN), ("quoted", QUOTED)] {
        group.bench_with_input(BenchmarkId::from_parameter(name), line, |bencher, line| {
            bencher.iter(|| fields::fields(black_box(line)));
        });
    }
    group.finish();
}

fn longest(criterion: &mut Criterion) {
    let lines = [PLAIN, QUOTED].repeat(500);
    criterion.bench_function("longest", |bencher| {
        bencher.iter(|| fields::longest(black_box(&lines)));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(50))
        .measurement_time(Duration::from_millis(200))
        .nresamples(1001);
    targets = parse, longest
}
criterion_main!(benches);
