//! Settings that only some protocols have, as rows of the table of settings.

use crate::plan::Settings;
use crate::plan::settings::declared::{InFile, Row, Setting, UsedBy};
use crate::protocols::PROTOCOLS;
use protocol::{OwnSetting, OwnValues};
use std::sync::LazyLock;

/// Returns a row for each key that a protocol of this build declares.
pub(super) fn rows() -> &'static [Row<Settings>] {
    static ROWS: LazyLock<Vec<Row<Settings>>> = LazyLock::new(|| {
        let mut rows: Vec<Row<Settings>> = Vec::new();
        for own in PROTOCOLS.iter().flat_map(|row| row.own) {
            if rows.iter().all(|row| row.setting.key != own.key) {
                rows.push(row(own));
            }
        }
        rows
    });
    &ROWS
}

fn row(own: &OwnSetting) -> Row<Settings> {
    let in_file = match own.values {
        OwnValues::Words(_, words) => InFile::Words(words),
        OwnValues::Count(..) => InFile::Count,
        OwnValues::Switch => InFile::Switch,
        OwnValues::Duration => InFile::Duration,
    };
    Row {
        setting: Setting::new(in_file, own.description)
            .key(own.key)
            .example(own.example)
            .only(UsedBy::Own),
        give: |setting, settings, text| {
            let mut all = PROTOCOLS.iter().flat_map(|row| row.own);
            let own = all.find(|own| own.key == setting.key).expect("its row was made from it");
            settings.own.give(own, text)
        },
        has: |setting, settings| settings.own.get(setting.key).is_some(),
    }
}
