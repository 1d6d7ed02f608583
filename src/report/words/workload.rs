//! A workload in words.

use crate::report::units;
use record::{Distribution, Kind, ValueBytes, Verify, Workload};

/// `get 90 %, set 10 % of 100k keys, uniform; values of 32 B; …`.
pub(crate) fn workload(of: &Workload, depth: u32) -> String {
    let all: f64 = of.mix.iter().map(|share| share.weight).sum();
    let share = |weight: f64| units::percent(weight / all);
    let mix = of.mix.iter().map(|one| format!("{} {}", kind(one.kind), share(one.weight)));
    let mut words = vec![
        format!("{} of {} keys", mix.collect::<Vec<_>>().join(", "), units::count(of.keys)),
        distribution(of.distribution),
        match of.value {
            ValueBytes::Fixed(bytes) => format!("values of {}", units::bytes(bytes.into())),
            ValueBytes::Uniform(from, to) => {
                format!("values of {} to {}", units::bytes(from.into()), units::bytes(to.into()))
            }
        },
        match of.verify {
            Verify::Off => "replies not verified".to_owned(),
            Verify::Sample => {
                "key and version of every value verified, all bytes of 1 %".to_owned()
            }
            Verify::All => "every byte verified".to_owned(),
        },
    ];
    if of.hot < 1.0 {
        words.insert(2, format!("reads within {} of the keys", units::percent(of.hot)));
    }
    if depth > 1 {
        words.push(format!("{depth} operations in flight on a connection"));
    }
    words.join("; ")
}

fn kind(kind: Kind) -> String {
    match kind {
        Kind::Get => "get".to_owned(),
        Kind::MultiGet(keys) => format!("get of {keys} keys"),
        Kind::Set => "set".to_owned(),
        Kind::Add => "add".to_owned(),
        Kind::Replace => "replace".to_owned(),
        Kind::Append => "append".to_owned(),
        Kind::Cas => "cas".to_owned(),
        Kind::Delete => "delete".to_owned(),
        Kind::Incr => "incr".to_owned(),
        Kind::Decr => "decr".to_owned(),
        Kind::Touch => "touch".to_owned(),
        Kind::Insert => "insert".to_owned(),
        Kind::Scan(keys) => format!("scan of up to {keys} keys"),
        Kind::ReadModifyWrite => "read-modify-write".to_owned(),
    }
}

fn distribution(distribution: Distribution) -> String {
    match distribution {
        Distribution::Uniform => "uniform".to_owned(),
        Distribution::Sequential => "sequential".to_owned(),
        Distribution::Zipf(theta) => format!("zipf({theta})"),
        Distribution::Hotspot { keys, operations } => {
            let [keys, operations] = [keys, operations].map(units::percent);
            format!("{keys} of the keys get {operations} of the operations")
        }
        Distribution::Latest => "latest".to_owned(),
        Distribution::YcsbZipfian => "ycsb-zipfian".to_owned(),
    }
}
