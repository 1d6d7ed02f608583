//! Settings that only some protocols have. Each is declared in the row of its protocol, and read by its crate.

use std::collections::BTreeMap;
use std::time::Duration;
use text::near;
use text::quantities;
use text::shown::shown;

/// The declaration of a setting. Protocols that have the same key declare it alike.
pub struct OwnSetting {
    /// Its name, for `--set` and the experiment file.
    pub key: &'static str,
    /// Which values it can have.
    pub values: OwnValues,
    /// Its description in the schema.
    pub description: &'static str,
    /// An example of a value, for the help of `--set` and the schema, which takes its first word.
    pub example: &'static str,
}

/// Which values a setting can have.
#[derive(Clone, Copy)]
pub enum OwnValues {
    /// One of these words. The first text says what they are, for messages: `a way to lock`.
    Words(&'static str, &'static [&'static str]),
    /// A number of these things, at least 1 and at most this.
    Count(&'static str, u32),
    /// `true` or `false`.
    Switch,
    /// A time above 0.
    Duration,
}

impl OwnSetting {
    /// Returns an error, which names the remedy, if this text is no value of the setting.
    fn check(&self, text: &str) -> Result<(), String> {
        let (key, given) = (self.key, shown(text));
        match self.values {
            OwnValues::Words(_, words) if words.contains(&text) => Ok(()),
            OwnValues::Words(what, words) => {
                let meant = near::did_you_mean(text, words.iter().copied());
                Err(format!("`{given}` is not {what}: {}{meant}", words.join(", ")))
            }
            OwnValues::Count(what, most) => match quantities::count(text) {
                Ok(number) if (1..=u64::from(most)).contains(&number) => Ok(()),
                _ => Err(format!("`{given}` is not a number of {what} from 1 to {most}")),
            },
            OwnValues::Switch => match text {
                "true" | "false" => Ok(()),
                _ => Err(format!("`{given}`: write {key}=true or {key}=false")),
            },
            OwnValues::Duration if quantities::duration(text)?.is_zero() => {
                Err(format!("{key} must be longer than 0: set a longer time or leave it out"))
            }
            OwnValues::Duration => Ok(()),
        }
    }
}

/// The settings of this kind that a contender was given.
#[derive(Clone, Default, PartialEq)]
pub struct Own(BTreeMap<&'static str, String>);

impl Own {
    /// Gives a setting a value.
    ///
    /// # Errors
    /// When it is no value of the setting.
    pub fn give(&mut self, setting: &OwnSetting, text: &str) -> Result<(), String> {
        setting.check(text)?;
        self.0.insert(setting.key, text.to_owned());
        Ok(())
    }

    /// Whether nothing was given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Merges two sets of settings: these take precedence over the others.
    #[must_use]
    pub fn over(mut self, others: &Own) -> Own {
        for (key, value) in &others.0 {
            self.0.entry(key).or_insert_with(|| value.clone());
        }
        self
    }

    /// Returns the value of a key as it was given.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// Returns the value of a setting that is a number.
    pub fn number(&self, key: &str) -> Option<u32> {
        let number = quantities::count(self.get(key)?);
        number.ok().and_then(|number| u32::try_from(number).ok())
    }

    /// Returns the value of a setting that is a time.
    pub fn duration(&self, key: &str) -> Option<Duration> {
        quantities::duration(self.get(key)?).ok()
    }

    /// Whether a switch is on.
    pub fn is_on(&self, key: &str) -> bool {
        self.get(key) == Some("true")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(key: &'static str, values: OwnValues) -> OwnSetting {
        OwnSetting { key, values, description: "", example: "" }
    }

    #[test]
    fn bad_values_name_the_remedy() {
        let words = OwnValues::Words("a way to lock", &["flock", "none"]);
        for (setting, text, wanted) in [
            (
                setting("locking", words),
                "flok",
                "`flok` is not a way to lock: flock, none; did you mean `flock`?",
            ),
            (
                setting("sockets", OwnValues::Count("sockets to a node", 64)),
                "65",
                "`65` is not a number of sockets to a node from 1 to 64",
            ),
            (
                setting("sockets", OwnValues::Count("sockets to a node", 64)),
                "0",
                "`0` is not a number of sockets to a node from 1 to 64",
            ),
            (
                setting("fsync", OwnValues::Switch),
                "always",
                "`always`: write fsync=true or fsync=false",
            ),
            (
                setting("expires", OwnValues::Duration),
                "0s",
                "expires must be longer than 0: set a longer time or leave it out",
            ),
        ] {
            let mut own = Own::default();
            assert_eq!(own.give(&setting, text), Err(wanted.to_owned()));
            assert!(own.is_empty(), "{text}");
        }
    }

    #[test]
    fn what_is_given_wins() {
        let count = setting("rows", OwnValues::Count("rows", 100_000));
        let switch = setting("fsync", OwnValues::Switch);
        let (mut custom, mut common) = (Own::default(), Own::default());
        custom.give(&count, "10k").expect("a number");
        common.give(&count, "2").expect("a number");
        common.give(&switch, "true").expect("a switch");
        let both = custom.over(&common);
        assert_eq!((both.number("rows"), both.is_on("fsync")), (Some(10_000), true));
        assert_eq!(both.get("other"), None);
    }
}
