//! The settings of contenders that are directories.

use crate::store::{Guard, Settings};
use protocol::{Own, OwnSetting, OwnValues};

/// The settings that contenders can be given.
pub(crate) static OWN: [OwnSetting; 3] = [
    OwnSetting {
        key: "locking",
        values: OwnValues::Words("a way to lock", &["flock", "rename", "none"]),
        description: "What protects readers of files from half-written values: `flock` (as Cache_Lite \
                      does), `rename` (written to a second file that is renamed) or `none`.",
        example: "flock, rename or none",
    },
    OwnSetting {
        key: "fsync",
        values: OwnValues::Switch,
        description: "Whether every write of a file waits for the disk.",
        example: "true: every write of a file waits for the disk",
    },
    OwnSetting {
        key: "expires",
        values: OwnValues::Duration,
        description: "A file that was written longer ago is a miss, such as `1h`.",
        example: "1h: a file that was written longer ago is a miss",
    },
];

/// Returns how files are written. Defaults: locked as Cache_Lite does, never synced, never too old.
pub(crate) fn settings(own: &Own) -> Settings {
    Settings {
        guard: match own.get("locking") {
            Some("rename") => Guard::Rename,
            Some("none") => Guard::Nothing,
            _ => Guard::Flock,
        },
        fsync: own.is_on("fsync"),
        expires: own.duration("expires"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn every_setting_is_read() {
        let mut own = Own::default();
        let usual = Settings { guard: Guard::Flock, fsync: false, expires: None };
        assert_eq!(settings(&own), usual);
        for (setting, value) in OWN.iter().zip(["none", "true", "1h"]) {
            own.give(setting, value).expect("a value");
        }
        let expires = Some(Duration::from_secs(3600));
        assert_eq!(settings(&own), Settings { guard: Guard::Nothing, fsync: true, expires });
        own.give(&OWN[0], "rename").expect("a value");
        assert_eq!(settings(&own).guard, Guard::Rename);
    }
}
