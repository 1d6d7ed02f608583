//! Workloads that have a name and are told in statements, embedded: each is the
//! `[workload]` of an experiment file.

use crate::plan::WorkloadAsked;
use crate::plan::experiment::workload_alone;
use record::{Contender, Kind};

/// A workload, embedded.
struct OwnPreset {
    name: &'static str,
    text: &'static str,
}

const PRESETS: [OwnPreset; 2] = [
    OwnPreset { name: "point-select", text: include_str!("../../workloads/point-select.toml") },
    OwnPreset { name: TPCB_LIKE, text: include_str!("../../workloads/tpcb-like.toml") },
];

const TPCB_LIKE: &str = "tpcb-like";

/// Their names.
pub(super) fn names() -> impl Iterator<Item = &'static str> + Clone {
    PRESETS.iter().map(|preset| preset.name)
}

/// What the preset of this name asks for; none: there is no such one.
pub(crate) fn find(name: &str) -> Option<WorkloadAsked> {
    let preset = PRESETS.iter().find(|preset| preset.name == name)?;
    let asked = workload_alone(&format!("workloads/{name}.toml"), preset.text);
    // Each of them is read by a test.
    asked.ok()
}

/// What can be foreseen of a contender's workload.
pub(super) fn caution(of: &Contender) -> Option<String> {
    let workload = of.workload.as_ref()?;
    let own = workload.mix.iter().find_map(|share| match share.kind {
        Kind::Own(number) => workload.own.operations.get(number as usize),
        _ => None,
    })?;
    let branches = workload.own.tables.iter().find(|table| table.name == "branches")?;
    let scale = branches.rows(workload.keys);
    let connections = u64::from(of.connections);
    (own.name == TPCB_LIKE && scale < connections).then(|| {
        let keys = connections * branches.keys_per_row;
        format!(
            "`{}` has {connections} connections and {scale} branches: {TPCB_LIKE} measures the \
             locks of their rows then; --keys {keys} makes a branch for each connection",
            of.name
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::workload::Operations;

    #[test]
    fn each_can_be_read_and_drawn() {
        for name in names() {
            let text = PRESETS.iter().find(|of| of.name == name).expect("known").text;
            let asked = workload_alone(name, text).map_err(|error| error.text).expect(name);
            let workload = asked.of(0).expect(name);
            assert_eq!(workload.own.operations[0].name, name);
            Operations::new(&workload, 1).expect(name);
        }
        assert!(find("point-selct").is_none());
    }

    #[test]
    fn tpcb_like_has_the_tables_of_its_scale() {
        let asked = WorkloadAsked { keys: Some(300_000), ..find(TPCB_LIKE).expect("known") };
        let workload = asked.of(0).expect("sound");
        let rows = workload.own.tables.iter().map(|table| table.rows(workload.keys));
        assert_eq!(rows.collect::<Vec<_>>(), [3, 30, 300_000, 0]);
        assert_eq!(workload.to_load(), 300_033);
    }
}
