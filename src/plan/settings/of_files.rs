//! Settings for writing files, only for contenders that are directories.

use crate::plan::settings::Settings;
use files::Guard;
use std::time::Duration;
use text::near;
use text::quantities;
use text::shown::shown;

const LOCKING: [&str; 3] = ["flock", "rename", "none"];

impl Settings {
    /// Returns how files are written. Defaults: locked as Cache_Lite does, never synced, never too
    /// old.
    pub(in crate::plan) fn files(&self) -> files::Settings {
        files::Settings {
            guard: self.guard.unwrap_or(Guard::Flock),
            fsync: self.fsync.unwrap_or(false),
            expires: self.expires,
        }
    }
}

pub(super) fn guard(text: &str) -> Result<Guard, String> {
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

pub(super) fn fsync(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| format!("`{}`: write fsync=true or fsync=false", shown(text)))
}

pub(super) fn expires(text: &str) -> Result<Duration, String> {
    match quantities::duration(text)? {
        Duration::ZERO => {
            Err("files must not expire immediately: set a longer expires or leave it out"
                .to_owned())
        }
        after => Ok(after),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::settings::declared::Declared;

    #[test]
    fn what_is_given_wins_and_the_rest_is_cache_lites() {
        let mut custom = Settings::default();
        let mut common = Settings::default();
        assert_eq!(custom.files().guard, Guard::Flock);
        for (key, value) in [("locking", "rename"), ("expires", "1h")] {
            common.set(key, value).expect("good");
        }
        for (key, value) in [("locking", "none"), ("fsync", "true")] {
            custom.set(key, value).expect("good");
        }
        let expires = Some(Duration::from_secs(3600));
        let both = files::Settings { guard: Guard::Nothing, fsync: true, expires };
        assert_eq!(custom.over(&common).files(), both);
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
            (
                "expires",
                "0s",
                "files must not expire immediately: set a longer expires or leave it out",
            ),
        ] {
            let result = Settings::default().set(key, value);
            assert_eq!(result, Err(message.to_owned()), "{key}={value}");
        }
    }
}
