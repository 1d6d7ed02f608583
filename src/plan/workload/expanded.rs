//! Presets that consist of statements, which are read like experiment files.

use crate::plan::WorkloadSettings;
use crate::plan::experiment::workload_alone;
use crate::plan::settings::custom_presets;
use crate::plan::settings::declared::{Declared, Merged};

impl WorkloadSettings {
    /// Returns the workload with the statements of its preset, if it has some and no others were
    /// given.
    pub(in crate::plan) fn expanded(&self) -> WorkloadSettings {
        let preset = self.preset.as_deref().and_then(find);
        let preset = preset.filter(|_| self.custom.is_empty() && !self.commands.is_given());
        preset.map_or_else(|| self.clone(), |preset| self.clone().over(&preset))
    }
}

/// Returns the workload of the preset of this name, or None if there is none.
fn find(name: &str) -> Option<WorkloadSettings> {
    let settings = workload_alone(&format!("workloads/{name}.toml"), custom_presets::text(name)?);
    // Each of them is read by a test.
    settings.ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::workload::Operations;

    #[test]
    fn each_can_be_read_and_drawn() {
        for name in custom_presets::names() {
            let text = custom_presets::text(name).expect("known");
            let settings = workload_alone(name, text).map_err(|error| error.text).expect(name);
            let workload = settings.of(0).expect(name);
            assert_eq!(workload.custom.operations[0].name, name);
            Operations::new(&workload, 1).expect(name);
        }
        assert!(find("point-selct").is_none());
    }

    #[test]
    fn tpcb_like_has_the_tables_of_its_scale() {
        let settings =
            WorkloadSettings { keys: Some(300_000), ..find("tpcb-like").expect("known") };
        let workload = settings.of(0).expect("sound");
        let rows = workload.custom.tables.iter().map(|table| table.rows(workload.keys));
        assert_eq!(rows.collect::<Vec<_>>(), [3, 30, 300_000, 0]);
        assert_eq!(workload.to_load(), 300_033);
    }
}
