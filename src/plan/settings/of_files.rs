//! How files are written: what only contenders of files can be told.

use crate::near;
use crate::plan::units;
use crate::shown::shown;
use engine::files::{Guard, Settings};
use std::time::Duration;

const LOCKING: [&str; 3] = ["flock", "rename", "none"];

/// As far as it was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileSettings {
    /// What keeps a reader from half a value.
    guard: Option<Guard>,
    /// Whether every write waits for the disk.
    fsync: Option<bool>,
    /// When a file is too old.
    expires: Option<Duration>,
}

impl FileSettings {
    /// Sets one key from its text.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "locking" => self.guard = Some(guard(value)?),
            "fsync" => self.fsync = Some(fsync(value)?),
            _ => self.expires = Some(expires(value)?),
        }
        Ok(())
    }

    /// These where they are given, else the others.
    pub(super) fn over(self, others: FileSettings) -> FileSettings {
        FileSettings {
            guard: self.guard.or(others.guard),
            fsync: self.fsync.or(others.fsync),
            expires: self.expires.or(others.expires),
        }
    }

    /// With what is used where nothing was said: locked as Cache_Lite does, never
    /// synced, never too old.
    pub(in crate::plan) fn settings(self) -> Settings {
        Settings {
            guard: self.guard.unwrap_or(Guard::Flock),
            fsync: self.fsync.unwrap_or(false),
            expires: self.expires,
        }
    }
}

fn guard(text: &str) -> Result<Guard, String> {
    match text {
        "flock" => Ok(Guard::Flock),
        "rename" => Ok(Guard::Rename),
        "none" => Ok(Guard::Nothing),
        other => Err(format!(
            "`{}` is not a way to lock: {}{}",
            shown(other),
            LOCKING.join(", "),
            near::did_you_mean(other, LOCKING)
        )),
    }
}

fn fsync(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| format!("`{}`: write fsync=true or fsync=false", shown(text)))
}

fn expires(text: &str) -> Result<Duration, String> {
    match units::duration(text)? {
        Duration::ZERO => {
            Err("files that expire at once are no cache: leave out expires".to_owned())
        }
        after => Ok(after),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_wins_and_the_rest_is_cache_lites() {
        let mut own = FileSettings::default();
        let mut common = FileSettings::default();
        assert_eq!(own.settings().guard, Guard::Flock);
        for (key, value) in [("locking", "rename"), ("expires", "1h")] {
            common.set(key, value).expect("good");
        }
        for (key, value) in [("locking", "none"), ("fsync", "true")] {
            own.set(key, value).expect("good");
        }
        let expires = Some(Duration::from_secs(3600));
        let both = Settings { guard: Guard::Nothing, fsync: true, expires };
        assert_eq!(own.over(common).settings(), both);
    }

    #[test]
    fn bad_values_name_the_remedy() {
        for (key, value, message) in [
            (
                "locking",
                "flok",
                "`flok` is not a way to lock: flock, rename, none; did you mean `flock`?",
            ),
            ("fsync", "always", "`always`: write fsync=true or fsync=false"),
            ("expires", "0s", "files that expire at once are no cache: leave out expires"),
        ] {
            let told = FileSettings::default().set(key, value);
            assert_eq!(told, Err(message.to_owned()), "{key}={value}");
        }
    }
}
