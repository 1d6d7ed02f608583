//! How a setting is declared: once, as a row of a table.
//!
//! The rows of [`Settings`](crate::plan::Settings), of [`RunSettings`](crate::plan::RunSettings)
//! and of [`WorkloadSettings`](crate::plan::WorkloadSettings) hold everything about a setting
//! except its value. The struct and its merging, the keys of `--set` and of the experiment file,
//! the flags with their help, the manual pages, the completions, and the entries of
//! `schema/experiment.v1.json` are made from them.

mod flag;
mod given;
mod used_by;

pub use flag::{Flag, Heading};
pub use given::{Given, Merged};
pub use used_by::UsedBy;

use protocol::Protocol;
use text::shown::shown;

/// Declares a struct of settings and its table.
///
/// Each row has the field with its type, the function that reads its text, and its [`Setting`], which describes the
/// field and is called as it unless it has another key. How two values are merged follows from the type: see
/// [`Merged`]. Fields that are merged but that one text cannot give are listed after `also`. After `and` stands a
/// function that returns more rows.
macro_rules! declared {
    (
        $(#[$about:meta])*
        pub struct $name:ident $(also { $($(#[$also_doc:meta])* $also:ident: $also_type:ty,)* })?
            $(and $more:path)?;
        $($(#[$doc:meta])* $field:ident: $type:ty, $parse:path, $setting:expr;)*
    ) => {
        $(#[$about])*
        #[allow(missing_docs, reason = "the row of a field describes it")]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
            $($($(#[$also_doc])* pub $also: $also_type,)*)?
        }

        impl $crate::plan::settings::declared::Declared for $name {
            fn table() -> impl Iterator<Item = &'static $crate::plan::settings::declared::Row<$name>> {
                const TABLE: &[$crate::plan::settings::declared::Row<$name>] = &[
                    $($crate::plan::settings::declared::Row {
                        setting: $setting.of_field(stringify!($field)),
                        give: |_, settings, text| {
                            $crate::plan::settings::declared::Given::give(&mut settings.$field, $parse(text)?);
                            Ok(())
                        },
                        has: |_, settings| {
                            $crate::plan::settings::declared::Merged::is_given(&settings.$field)
                        },
                    },)*
                ];
                let more: &'static [fn() -> &'static [$crate::plan::settings::declared::Row<$name>]] =
                    &[$($more)?];
                TABLE.iter().chain(more.iter().flat_map(|more| more()))
            }

            fn over(self, others: &$name) -> $name {
                $name {
                    $($field: $crate::plan::settings::declared::Merged::over(self.$field, &others.$field),)*
                    $($($also: $crate::plan::settings::declared::Merged::over(self.$also, &others.$also),)*)?
                }
            }
        }
    };
}
pub(crate) use declared;

/// A struct of settings that has a table.
pub trait Declared: Clone + Default + Send + Sync + 'static {
    /// Its rows, in the order in which keys are listed.
    fn table() -> impl Iterator<Item = &'static Row<Self>>;

    /// Merges two sets of settings: these take precedence over the others.
    #[must_use]
    fn over(self, others: &Self) -> Self;
}

/// A setting of the struct `S`.
pub struct Row<S> {
    /// Its declaration.
    pub setting: Setting,
    /// Sets it from its text.
    pub give: fn(&Setting, &mut S, &str) -> Result<(), String>,
    /// Whether it is given.
    pub has: fn(&Setting, &S) -> bool,
}

impl<S> Row<S> {
    /// Sets it from its text.
    ///
    /// # Errors
    /// When the text is no value of it.
    pub fn set(&self, settings: &mut S, text: &str) -> Result<(), String> {
        (self.give)(&self.setting, settings, text)
    }

    /// Whether it is given.
    pub fn is_given(&self, settings: &S) -> bool {
        (self.has)(&self.setting, settings)
    }
}

/// The declaration of a setting.
#[derive(Clone, Copy)]
pub struct Setting {
    /// Its name in the experiment file, and in `--set` if it is of one contender. The part before a
    /// dot is a table in the file.
    pub key: &'static str,
    /// How it is written in the file, which is also its type in the schema.
    pub in_file: InFile,
    /// Its description in the schema. The words that each protocol has follow it.
    pub description: &'static str,
    /// The words that it can be for a protocol, if that depends on the protocol.
    pub words: Option<fn(&Protocol) -> Vec<&'static str>>,
    /// An example of a value, for the help of `--set` and the schema, which takes its first word.
    pub example: &'static str,
    /// Which contenders use it.
    pub used_by: UsedBy,
    /// Whether each group can have its own value.
    pub of_groups: bool,
    /// Its flags, at most one for each command. [`Setting::named_flags`] has their names.
    pub flags: &'static [Flag],
    /// The name that it had before, as a key and as a flag, which is still accepted. Empty if it had none.
    pub former: &'static str,
}

/// How a setting is written in the experiment file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InFile {
    /// A text.
    Text,
    /// A text or a list of texts, each of which is one value.
    Texts,
    /// A whole number: `64`, or with a unit `'10k'`.
    Count,
    /// A number of bytes: `'4kB'`.
    Bytes,
    /// A number and a unit of time: `'1.5ms'`.
    Duration,
    /// A share: `'1%'`.
    Percent,
    /// Operations per second: `250` or `'5k/s'`.
    Rate,
    /// One of these words.
    Words(&'static [&'static str]),
    /// One of the words of the contender's protocol.
    ProtocolWords,
    /// A whole number, or one of these words.
    CountOr(&'static [&'static str]),
    /// `true` or `false`.
    Switch,
    /// A status, or a list of them.
    Statuses,
    /// A process ID, or a list of them.
    Pids,
    /// The name of a process that is already running, or a list of them; or the tables of those to
    /// launch, which are read elsewhere.
    Processes,
    /// `headers`: a table of names and values.
    Headers,
    /// A text that may hold secrets, or `@file` beside the experiment file.
    Body,
    /// Operations and their weights: `{ get = 0.9, set = 0.1 }`, or `'get=0.9,set=0.1'`.
    Mix,
    /// A list of user-defined commands, each with a weight.
    Commands,
    /// It cannot be set in a file.
    Nowhere,
}

impl Setting {
    /// Declares a setting that all contenders use and that has no flag.
    pub const fn new(in_file: InFile, description: &'static str) -> Setting {
        let (key, example, used_by, of_groups, flags) =
            ("", "", UsedBy::Everyone, false, &[] as &[Flag]);
        let (words, former) = (None, "");
        Setting { key, in_file, description, words, example, used_by, of_groups, flags, former }
    }

    /// Declares a setting of the run that the experiment file cannot set.
    pub const fn in_no_file() -> Setting {
        Setting::new(InFile::Nowhere, "")
    }

    /// Gives it a name that is not that of its field.
    pub const fn key(self, key: &'static str) -> Setting {
        Setting { key, ..self }
    }

    /// Names it after its field unless it has a name.
    pub const fn of_field(self, field: &'static str) -> Setting {
        if self.key.is_empty() { self.key(field) } else { self }
    }

    /// Adds an example of a value, for the help of `--set` and the schema.
    pub const fn example(self, example: &'static str) -> Setting {
        Setting { example, ..self }
    }

    /// Lets it be one of the words that the protocol has.
    pub const fn words(self, words: fn(&Protocol) -> Vec<&'static str>) -> Setting {
        Setting { words: Some(words), ..self }
    }

    /// Restricts the setting to these contenders.
    pub const fn only(self, used_by: UsedBy) -> Setting {
        Setting { used_by, ..self }
    }

    /// Lets each group have its own value.
    pub const fn of_groups(self) -> Setting {
        Setting { of_groups: true, ..self }
    }

    /// Adds these flags.
    pub const fn flags(self, flags: &'static [Flag]) -> Setting {
        Setting { flags, ..self }
    }

    /// Accepts the name that it had before, too.
    pub const fn formerly(self, former: &'static str) -> Setting {
        Setting { former, ..self }
    }

    /// Returns its flags, each with its name.
    pub fn named_flags(&self) -> impl Iterator<Item = Flag> + use<> {
        let key = self.key;
        let named = move |flag: &Flag| if flag.long.is_empty() { flag.named(key) } else { *flag };
        self.flags.iter().map(named)
    }

    /// Its name in the experiment file.
    pub fn key_in_file(&self) -> &'static str {
        match self.in_file {
            // `--set NAME.header=` gives one, the file a table of them.
            InFile::Headers => "headers",
            _ => self.key,
        }
    }
}

/// Returns the top-level keys under which these settings appear in a table of the file: for
/// `pool.max` that is `pool`.
pub fn keys_in_file<S: Declared>() -> Vec<&'static str> {
    let in_file = S::table().filter(|row| row.setting.in_file != InFile::Nowhere);
    let names = |row: &Row<S>| [outer(row.setting.key_in_file()), row.setting.former];
    let mut keys: Vec<&str> = in_file.flat_map(names).filter(|key| !key.is_empty()).collect();
    keys.dedup();
    keys
}

/// Returns the part of a key before the dot.
pub fn outer(key: &str) -> &str {
    key.split_once('.').map_or(key, |(outer, _)| outer)
}

/// Reads a switch.
///
/// # Errors
/// When it is neither word.
pub fn switch(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| format!("`{}` is neither true nor false", shown(text)))
}
