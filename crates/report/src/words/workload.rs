//! A workload in words.

use record::workload::{COLUMNS_OF_ROW, TYPES_OF_USER};
use record::{Distribution, KeysAs, Kind, Share, Step, ValueBytes, ValuesAs, Verify, Workload};
use text::shown::shown;
use text::units;

/// `get 90 %, set 10 % of 100k keys, uniform; values of 32 B; …`.
pub fn workload(of: &Workload, depth: u32) -> String {
    if of.mix.iter().all(|share| matches!(share.kind, Kind::Custom(_))) {
        return own(of, depth, &mix(of, &of.mix));
    }
    let done =
        if of.groups.is_empty() { mix(of, &of.mix) } else { "a mix for each group".to_owned() };
    let mut words = vec![
        format!("{done} of {}", keys(of)),
        distribution(of.distribution),
        values(of),
        verified(of),
    ];
    if of.hot < 1.0 {
        let keys = if of.is_wide() { "users" } else { "keys" };
        words.insert(2, format!("reads within {} of the {keys}", units::percent(of.hot)));
    }
    // Each group has its own depth.
    if depth > 1 && of.groups.is_empty() {
        words.push(format!("{depth} operations in flight on a connection"));
    }
    words.join("; ")
}

/// `100k keys`, or `1000 users with 2 types of 100 columns each`.
pub(crate) fn keys(of: &Workload) -> String {
    let many = units::count(of.keys);
    if of.is_wide() {
        format!("{many} users with {TYPES_OF_USER} types of {COLUMNS_OF_ROW} columns each")
    } else {
        match of.keys_as {
            KeysAs::Number => format!("{many} keys"),
            KeysAs::Md5 => format!("{many} keys md5(i)"),
        }
    }
}

/// User-defined operations in words: only their shares are known, and the number of keys if
/// they use keys.
fn own(of: &Workload, depth: u32, mix: &str) -> String {
    let mut words = mix.to_owned();
    if of.asks_for_keys() {
        words += &format!(" of {} keys; {}", units::count(of.keys), distribution(of.distribution));
    }
    if depth > 1 {
        words += &format!("; {depth} operations in flight on a connection");
    }
    words
}

/// `get 90 %, set 10 %`.
pub(crate) fn mix(of: &Workload, mix: &[Share]) -> String {
    let all: f64 = mix.iter().map(|share| share.weight).sum();
    let share = |weight: f64| units::percent(weight / all);
    let name = |one: Kind| kind(Some(of), one);
    let each = mix.iter().map(|one| format!("{} {}", name(one.kind), share(one.weight)));
    each.collect::<Vec<_>>().join(", ")
}

fn values(of: &Workload) -> String {
    if of.values_as == ValuesAs::Crc32 {
        return "values crc32(i)".to_owned();
    }
    let bytes = |bytes: u32| units::bytes(bytes.into());
    let lengths = match &of.value {
        ValueBytes::Fixed(length) => bytes(*length),
        ValueBytes::Uniform(from, to) => format!("{} to {}", bytes(*from), bytes(*to)),
        ValueBytes::Steps(steps) => {
            let all: f64 = steps.iter().map(|step| step.weight).sum();
            let step = |step: &Step| {
                format!("{} ({})", bytes(step.bytes), units::percent(step.weight / all))
            };
            steps.iter().map(step).collect::<Vec<_>>().join(", ")
        }
    };
    let compressible = if of.compressible { "compressible " } else { "" };
    format!("{compressible}values of {lengths}")
}

fn verified(of: &Workload) -> String {
    let own = |share: &Share| share.kind.is_own();
    let verified = match of.verify {
        _ if of.mix.iter().all(own) => "replies not verified",
        Verify::Off => "replies not verified",
        _ if !of.values_as.is_version() => "every byte verified",
        Verify::Sample => "key and version of every value verified, all bytes of 1 %",
        Verify::All => "every byte verified",
    };
    let but = of.verify != Verify::Off && of.mix.iter().any(own) && !of.mix.iter().all(own);
    format!("{verified}{}", if but { ", but not the replies to commands" } else { "" })
}

/// The name of a kind of operation; a command is named by its words.
pub(super) fn kind(of: Option<&Workload>, kind: Kind) -> String {
    match kind {
        Kind::Command(number) => {
            let words = of.and_then(|of| of.commands.get(number as usize));
            words.map_or_else(|| format!("command {number}"), |words| shown(words.join(" ")))
        }
        Kind::Custom(number) => {
            let named = of.and_then(|of| of.custom.operations.get(number as usize));
            named.map_or_else(|| format!("operation {number}"), |of| shown(&of.name))
        }
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
        Kind::Newest => "newest 20 columns".to_owned(),
        Kind::OneColumn => "one column".to_owned(),
        Kind::InsertColumn => "insert of a column".to_owned(),
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
