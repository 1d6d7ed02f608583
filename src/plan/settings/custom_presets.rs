//! Embedded workloads that have a name and consist of statements. Each is the `[workload]` of an
//! experiment file.

use crate::protocols::PROTOCOLS;
use protocol::Protocol;
use record::{Contender, Kind};

/// A workload, embedded.
struct CustomPreset {
    name: &'static str,
    text: &'static str,
}

const PRESETS: [CustomPreset; 2] = [
    CustomPreset {
        name: "point-select",
        text: include_str!("../../../workloads/point-select.toml"),
    },
    CustomPreset { name: TPCB_LIKE, text: include_str!("../../../workloads/tpcb-like.toml") },
];

const TPCB_LIKE: &str = "tpcb-like";

/// Their names, if this build has a database that executes statements.
pub(in crate::plan) fn names() -> impl Iterator<Item = &'static str> + Clone {
    let has_databases = PROTOCOLS.iter().any(Protocol::is_sql);
    PRESETS.iter().filter(move |_| has_databases).map(|preset| preset.name)
}

/// Returns the text of the preset of this name, or None if there is none.
pub(in crate::plan) fn text(name: &str) -> Option<&'static str> {
    PRESETS.iter().find(|preset| preset.name == name).map(|preset| preset.text)
}

/// Returns a warning about a contender's workload, or None if there is nothing to warn about.
pub(in crate::plan) fn caution(of: &Contender) -> Option<String> {
    let workload = of.asks.workload()?;
    let custom = workload.mix.iter().find_map(|share| match share.kind {
        Kind::Custom(number) => workload.custom.operations.get(number as usize),
        _ => None,
    })?;
    let branches = workload.custom.tables.iter().find(|table| table.name == "branches")?;
    let scale = branches.rows(workload.keys);
    let connections = u64::from(of.intensity.connections);
    (custom.name == TPCB_LIKE && scale < connections).then(|| {
        let keys = connections * branches.keys_per_row;
        format!(
            "`{}` has {connections} connections and {scale} branches, so {TPCB_LIKE} measures the \
             locks of their rows: --keys {keys} creates one branch per connection",
            of.name
        )
    })
}
