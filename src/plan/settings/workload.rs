//! `--workload` and related settings: which operations are run on stores.

use crate::plan::Command;
use crate::plan::settings::commands;
use crate::plan::settings::commands::CustomCommands;
use crate::plan::settings::custom::CustomSettings;
use crate::plan::settings::custom_presets;
use crate::plan::settings::declared::InFile::{Commands, Count, Mix, Switch, Text, Words};
use crate::plan::settings::declared::{Flag, Heading, Setting, declared, switch};
use engine::workload::{PRESETS, preset};
use record::{Distribution, KeysAs, Kind, Share, Step, ValueBytes, ValuesAs, Verify, Workload};
use text::near;
use text::quantities;
use text::shown::shown;

/// The preset of stores unless another is given.
const DEFAULT: &str = "kv";

/// The workload of WebSocket. It has no keys.
pub(in crate::plan) const CHAT: &str = "chat";

/// The commands that have these flags.
const STORES: &[Command] = &[Command::Compare, Command::Run, Command::Load];

const fn flag(value: &'static str, help: &'static str) -> Flag {
    Flag::new(value, help).only(STORES)
}

declared! {
    /// The settings of a workload that were given; the preset supplies the others.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct WorkloadSettings also {
        /// User-defined statements or requests; without a mix only these are run.
        custom: CustomSettings,
    };

    preset: Option<String>, named,
        Setting::new(
            Words(&["kv", "ycsb-a", "ycsb-b", "ycsb-c", "ycsb-d", "ycsb-e", "ycsb-f", "wide-rows", "point-select", "tpcb-like", "chat"]),
            "The preset whose settings apply unless others are given; `kv` by default.",
        )
        .flags(&[flag(
            "NAME",
            "The workload: kv, or ycsb-a to ycsb-f; for databases also point-select and tpcb-like, \
             for stores of columns also wide-rows; ycsb-e is only for databases, chat only for \
             servers of messages [default: kv]",
        )
        .named("workload")
        .more(
            "kv: 100k keys, values of 32 B, get 90 %, set 10 %, uniform. Each contender has its \
             own keys (tiebreak00:…, tiebreak01:…), which are written before the run. wide-rows: \
             1000 users, each with 2 types of 100 columns of 380 B; mix newest=10,insert=1; --keys is \
             the number of users. chat: a message goes to all members of a room (--members).",
        )
        .common()
        .under(Heading::Workload, 0)]);

    keys: Option<u64>, keys,
        Setting::new(Count, "How many keys; the workload's by default.")
        .example("1M")
        .flags(&[flag("N", "How many keys [default: the workload's]")
                .under(Heading::Workload, 1)]);

    keys_as: Option<KeysAs>, keys_as,
        Setting::new(
            Words(&["number", "md5"]),
            "How keys are named: by their number, or `md5`, by its MD5 in hexadecimal digits.",
        )
        .flags(&[flag(
            "HOW",
            "How keys are named: number (twelve digits), or md5 (the MD5 of the number, in 32 \
             hexadecimal digits) [default: number]",
        )
        .named("keys-as")
        .more(
            "A key begins with the prefix of its contender (tiebreak00:…). A key that is an MD5 \
             has no prefix where nobody else can have keys: in a server that tiebreak launches, in \
             a directory, in a table of a database.",
        )
        .under(Heading::Workload, 2)]);

    value: Option<ValueBytes>, value,
        Setting::new(
            Text,
            "Bytes of a value: `32B`, `100B..4kB`, or lengths with weights, \
             `32B=70,1kB=25,64kB=5`; the workload's by default.",
        )
        .example("32B=70,1kB=25,64kB=5")
        .flags(&[flag(
            "BYTES",
            "Bytes of a value: 32B, 4kB, from..to, or lengths with weights, such as \
             32B=70,1kB=25,64kB=5 [default: the workload's]",
        )
        .under(Heading::Workload, 3)]);

    values_as: Option<ValuesAs>, values_as,
        Setting::new(
            Words(&["version", "crc32"]),
            "What values are made of: key and version, or `crc32`, the CRC-32 of the key's \
             number as decimal text.",
        )
        .flags(&[flag(
            "HOW",
            "What values are made of: version (key, version of the write, and what follows from \
             both), or crc32 (the CRC-32 of the key's number, as decimal text) [default: version]",
        )
        .named("values-as")
        .more(
            "A CRC-32 has up to 10 bytes, and every write of a key writes the same: all bytes of \
             every value that is read are compared with it, but an old value cannot be told from a \
             new one.",
        )
        .under(Heading::Workload, 4)]);

    compressible: bool, switch,
        Setting::new(
            Switch,
            "Values shrink to about half when compressed; without it they do not shrink.",
        )
        .flags(&[Flag::switch(
            "Use values that shrink to about half when compressed; without it they do not shrink",
        )
        .only(STORES)
        .under(Heading::Workload, 5)]);

    mix: Option<Vec<Share>>, mix,
        Setting::new(
            Mix,
            "Operations and their weights: `{ get = 0.9, set = 0.1 }` or `get=0.9,set=0.1`; the \
             workload's by default.",
        )
        .flags(&[flag(
            "KIND=WEIGHT,…",
            "Operations and their weights: get=0.9,set=0.1; also multi-get:N, add, replace, \
             append, delete, incr, decr, touch, read-modify-write and cas; of \
             wide-rows newest, one and insert [default: the workload's]",
        )
        .more(
            "A read-modify-write and a cas are a read and a write on one connection, and one \
             operation. Numbers of incr and decr are loaded under keys of their own. newest \
             reads the newest 20 columns of a wide row, one a single one, and insert writes \
             one at a new time.",
        )
        .under(Heading::Workload, 6)]);

    commands: CustomCommands, commands::custom,
        Setting::new(
            Commands,
            "Custom commands for stores that accept any command, instead of the preset's operations or \
             together with `mix`.",
        )
        .flags(&[flag(
            "COMMAND",
            "A custom command for a store that accepts any command, such as 'LPUSH {key} {value}'; \
             may be given several times. All are sent equally often, instead of the workload's operations or together \
             with --mix",
        )
        .named("command")
        .more(
            "Words are split as in a shell. {key} is a key that belongs to the contender and is \
             not loaded before the run (contenders on one server share any other key that a \
             command names), {value} is a value, {number} the operation's number. An error reply \
             counts as an error, a nil as a miss; other replies are not verified. Commands are \
             recorded, so they must not hold secrets.",
        )
        .repeated()
        .under(Heading::Workload, 7)]);

    distribution: Option<Distribution>, distribution,
        Setting::new(
            Text,
            "How often each key is asked for: `uniform`, `sequential`, `zipf(0.99)`, \
             `hotspot(20%,80%)`, `latest`, `ycsb-zipfian`.",
        )
        .example("zipf(0.99)")
        .flags(&[flag(
            "HOW",
            "How often each key is asked for: uniform, sequential, zipf(0.99), \
             hotspot(20%,80%), latest, ycsb-zipfian [default: the workload's]",
        )
        .under(Heading::Workload, 8)]);

    hot: Option<f64>, quantities::percent,
        Setting::new(Text, "The part of the keys that is read, such as `10%`; all by default.")
        .example("10%")
        .flags(&[flag(
            "PERCENT",
            "Read only this part of the keys, such as 10% [default: 100%]",
        )
        .under(Heading::Workload, 9)]);

    verify: Option<Verify>, verify,
        Setting::new(
            Words(&["sample", "all", "off"]),
            "Which replies are compared with what was written.",
        )
        .flags(&[flag(
            "HOW",
            "Compare what is read with what was written: sample (key and version of every \
             value, all bytes of one in a hundred), all or off [default: sample]",
        )
        .under(Heading::Workload, 10)]);

    by_request: Option<bool>, switch,
        Setting::new(
            Switch,
            "Whether each request or statement is also driven alone, in slices of its own, and compared: by \
             default if a comparison in closed loop has 2 to 12 of them and all of them only read.",
        );
}

impl WorkloadSettings {
    /// Whether anything was given.
    pub fn is_given(&self) -> bool {
        *self != WorkloadSettings::default()
    }

    /// The workload of this contender, in its own key space.
    ///
    /// # Errors
    /// When the preset is not known, or there are too many commands.
    pub fn of(&self, contender: usize) -> Result<Workload, String> {
        if self.commands.0.len() > commands::MOST {
            let most = commands::MOST;
            return Err(format!(
                "there are {} user-defined commands, but at most {most} are supported",
                self.commands.0.len()
            ));
        }
        let name = self.preset.as_deref().unwrap_or(DEFAULT);
        // A preset that consists of statements has the keys and values of the default preset.
        let base =
            if custom_presets::names().any(|custom| custom == name) { DEFAULT } else { name };
        let preset = preset(base).ok_or_else(|| unknown(name))?;
        let value = self.lengths()?;
        let mix = self.shares(preset.mix);
        let verify = self.verified(&mix, preset.verify)?;
        Ok(Workload {
            prefix: Workload::prefix_of(contender),
            keys: self.keys.unwrap_or(preset.keys),
            distribution: self.distribution.unwrap_or(preset.distribution),
            hot: self.hot.unwrap_or(preset.hot),
            value: value.unwrap_or(preset.value),
            compressible: self.compressible || preset.compressible,
            keys_as: self.keys_as.unwrap_or_default(),
            values_as: self.values_as.unwrap_or_default(),
            mix,
            verify,
            commands: self.commands.0.iter().map(|custom| custom.words.clone()).collect(),
            custom: self.custom.definition.clone(),
            groups: Vec::new(),
        })
    }

    /// Lengths of values. Returns None if they are the preset's.
    fn lengths(&self) -> Result<Option<ValueBytes>, String> {
        let is_given = self.value.is_some() || self.compressible;
        match (self.values_as, is_given) {
            (Some(ValuesAs::Crc32), true) => Err("values_as = crc32 determines the values: leave \
                                                  out `value` and `compressible`"
                .to_owned()),
            (Some(ValuesAs::Crc32), false) => {
                Ok(Some(ValueBytes::Uniform(1, ValuesAs::LONGEST_CRC32)))
            }
            (Some(ValuesAs::Version) | None, _) => Ok(self.value.clone()),
        }
    }

    /// Returns what is verified in this mix. User-defined operations declare what they expect; no
    /// version of a key is stored for them.
    fn verified(&self, mix: &[Share], usual: Verify) -> Result<Verify, String> {
        let all_are_own = mix.iter().all(|share| matches!(share.kind, Kind::Custom(_)));
        match (all_are_own, self.verify) {
            (false, given) => Ok(given.unwrap_or(usual)),
            (true, None | Some(Verify::Off)) => Ok(Verify::Off),
            (true, Some(_)) => Err("statements, commands and requests of a workload define what \
                                    they expect (`rows`, `at_least`, `returns`), and their keys \
                                    have no version to compare: leave out `verify`"
                .to_owned()),
        }
    }

    /// User-defined commands replace the preset's mix, and are added to a mix that was given.
    fn shares(&self, preset: Vec<Share>) -> Vec<Share> {
        let custom = self.commands.0.iter().zip(0..);
        let custom =
            custom.map(|(custom, at)| Share { kind: Kind::Command(at), weight: custom.weight });
        match (&self.mix, self.commands.0.is_empty() && self.custom.is_empty()) {
            (None, true) => preset,
            (mix, _) => {
                let mix = mix.iter().flatten().copied();
                mix.chain(custom).chain(self.custom.shares()).collect()
            }
        }
    }
}

/// The names of the presets of this build.
pub fn presets() -> Vec<&'static str> {
    PRESETS.into_iter().chain(custom_presets::names()).chain([CHAT]).collect()
}

fn unknown(name: &str) -> String {
    near::unknown(format!("there is no workload `{}`", shown(name)), name, &presets())
}

/// `--workload`.
///
/// # Errors
/// When there is no such preset.
pub fn named(text: &str) -> Result<String, String> {
    let known =
        preset(text).is_some() || custom_presets::names().chain([CHAT]).any(|of| of == text);
    known.then(|| text.to_owned()).ok_or_else(|| unknown(text))
}

/// `--keys`.
///
/// # Errors
/// When it is not a count from 1 to a billion.
pub fn keys(text: &str) -> Result<u64, String> {
    match quantities::count(text)? {
        count @ 1..=1_000_000_000 => Ok(count),
        _ => Err(format!("`{text}` is not a number of keys from 1 to 1000M")),
    }
}

fn keys_as(text: &str) -> Result<KeysAs, String> {
    let ways = [("number", KeysAs::Number), ("md5", KeysAs::Md5)];
    near::choice(text, "a way to name keys", &ways)
}

fn values_as(text: &str) -> Result<ValuesAs, String> {
    let ways = [("version", ValuesAs::Version), ("crc32", ValuesAs::Crc32)];
    near::choice(text, "a way to make values", &ways)
}

/// `--value`: `32B`, `100..4kB`, or `32B=70,1kB=25,64kB=5`.
///
/// # Errors
/// When it is none of these.
pub fn value(text: &str) -> Result<ValueBytes, String> {
    if text.contains('=') {
        let steps: Result<_, _> = text.split(',').map(|part| step(part.trim())).collect();
        return steps.map(ValueBytes::Steps);
    }
    match text.split_once("..") {
        None => bytes(text).map(ValueBytes::Fixed),
        Some((from, to)) => match (bytes(from)?, bytes(to)?) {
            (from, to) if from <= to => Ok(ValueBytes::Uniform(from, to)),
            _ => {
                Err(format!("`{text}` is not a range: the first length must not exceed the second"))
            }
        },
    }
}

fn bytes(text: &str) -> Result<u32, String> {
    let bytes = quantities::bytes(text)?;
    u32::try_from(bytes).map_err(|_| format!("`{text}` is too long for a value"))
}

fn step(text: &str) -> Result<Step, String> {
    let how =
        || format!("`{}`: write lengths and weights, such as 32B=70,1kB=25,64kB=5", shown(text));
    let (length, weight) = text.split_once('=').ok_or_else(how)?;
    Ok(Step { bytes: bytes(length.trim())?, weight: self::weight(weight).map_err(|_| how())? })
}

/// A weight.
///
/// # Errors
/// When it is not a number above 0.
pub(in crate::plan) fn weight(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok();
    let good = number.filter(|weight| *weight > 0.0 && weight.is_finite());
    good.ok_or_else(|| format!("`{}` is not a weight: write a number above 0", shown(text)))
}

/// `--mix`: `get=0.9,set=0.1`.
///
/// # Errors
/// When a kind is not known, or a weight is not a number above 0.
pub fn mix(text: &str) -> Result<Vec<Share>, String> {
    text.split(',').map(|part| share(part.trim())).collect()
}

fn share(text: &str) -> Result<Share, String> {
    let how = || format!("`{}`: write kinds and weights, such as get=0.9,set=0.1", shown(text));
    let (name, weight) = text.split_once('=').ok_or_else(how)?;
    Ok(Share { kind: kind(name)?, weight: self::weight(weight).map_err(|_| how())? })
}

/// Kinds that can be given by name, for keys and values and for wide rows. A multi-get has its number of keys.
const KINDS: [(&str, Kind); 15] = [
    ("get", Kind::Get),
    ("multi-get", Kind::MultiGet(0)),
    ("set", Kind::Set),
    ("add", Kind::Add),
    ("replace", Kind::Replace),
    ("append", Kind::Append),
    ("cas", Kind::Cas),
    ("read-modify-write", Kind::ReadModifyWrite),
    ("delete", Kind::Delete),
    ("incr", Kind::Incr),
    ("decr", Kind::Decr),
    ("touch", Kind::Touch),
    ("newest", Kind::Newest),
    ("one", Kind::OneColumn),
    ("insert", Kind::InsertColumn),
];

fn kind(name: &str) -> Result<Kind, String> {
    let (word, keys) = match name.split_once(':') {
        Some((word, keys)) => (word, Some(keys)),
        None => (name, None),
    };
    let many = keys.and_then(|keys| keys.parse().ok()).filter(|keys| (1..=1000).contains(keys));
    match (KINDS.iter().find(|(name, _)| *name == word), many) {
        (Some((_, Kind::MultiGet(_))), Some(keys)) => Ok(Kind::MultiGet(keys)),
        (Some((_, Kind::MultiGet(_))), None) => {
            Err("multi-get requires a number of keys: write multi-get:10=1".to_owned())
        }
        (Some((_, kind)), _) => Ok(*kind),
        (None, _) => {
            let problem = format!("there is no operation `{}`", shown(word));
            Err(near::unknown(problem, word, &KINDS.map(|(name, _)| name)))
        }
    }
}

/// `--distribution`: `uniform`, `sequential`, `zipf(0.99)`, `hotspot(20%,80%)`,
/// `latest`, `ycsb-zipfian`.
///
/// # Errors
/// When it is none of these.
pub fn distribution(text: &str) -> Result<Distribution, String> {
    let wrong = || {
        format!(
            "`{}` is not a distribution: uniform, sequential, zipf(0.99), hotspot(20%,80%), \
             latest, ycsb-zipfian",
            shown(text)
        )
    };
    let of = |name: &str| text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
    match text {
        "uniform" => return Ok(Distribution::Uniform),
        "sequential" => return Ok(Distribution::Sequential),
        "latest" => return Ok(Distribution::Latest),
        "ycsb-zipfian" => return Ok(Distribution::YcsbZipfian),
        _ => {}
    }
    if let Some(theta) = of("zipf") {
        return theta.parse().map(Distribution::Zipf).map_err(|_| wrong());
    }
    let (keys, operations) = of("hotspot").and_then(|of| of.split_once(',')).ok_or_else(wrong)?;
    Ok(Distribution::Hotspot {
        keys: quantities::percent(keys.trim())?,
        operations: quantities::percent(operations.trim())?,
    })
}

fn verify(text: &str) -> Result<Verify, String> {
    let ways = [("sample", Verify::Sample), ("all", Verify::All), ("off", Verify::Off)];
    near::choice(text, "a way to verify", &ways)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::settings::declared::Declared as _;

    #[test]
    fn what_is_given_wins_over_the_preset() {
        let settings = WorkloadSettings { keys: Some(7), ..WorkloadSettings::default() };
        let file = WorkloadSettings {
            preset: Some("ycsb-b".into()),
            keys: Some(9),
            hot: Some(0.1),
            ..WorkloadSettings::default()
        };
        let workload = settings.clone().over(&file).of(3).expect("known");
        assert_eq!((workload.keys, workload.hot), (7, 0.1));
        assert_eq!(workload.value, ValueBytes::Fixed(1000));
        assert_eq!(workload.prefix, "tiebreak03:");
        assert!(!WorkloadSettings::default().is_given() && settings.is_given());
    }

    #[test]
    fn user_defined_commands_replace_the_presets_mix_or_join_another() {
        let custom = |text| commands::custom(text).expect("good");
        let settings = WorkloadSettings {
            commands: CustomCommands(vec![custom("PING"), custom("INCR {key}")]),
            ..Default::default()
        };
        let workload = settings.of(0).expect("known");
        assert_eq!(workload.commands, [&["PING"][..], &["INCR", "{key}"]]);
        let kinds = |of: &Workload| of.mix.iter().map(|share| share.kind).collect::<Vec<_>>();
        assert_eq!(kinds(&workload), [Kind::Command(0), Kind::Command(1)]);
        assert_eq!(workload.to_load(), 0);
        let both = WorkloadSettings { mix: Some(mix("get=2").expect("good")), ..settings.clone() };
        let both = both.of(0).expect("known");
        assert_eq!(kinds(&both), [Kind::Get, Kind::Command(0), Kind::Command(1)]);
        assert_eq!(both.to_load(), both.keys);
        let many = WorkloadSettings {
            commands: CustomCommands(vec![custom("PING"); 33]),
            ..Default::default()
        };
        assert_eq!(
            many.of(0).err().as_deref(),
            Some("there are 33 user-defined commands, but at most 32 are supported")
        );
        let file = WorkloadSettings {
            commands: CustomCommands(vec![custom("TIME")]),
            ..Default::default()
        };
        assert_eq!(settings.clone().over(&file).commands.0.len(), 2, "the command line wins");
        assert_eq!(WorkloadSettings::default().over(&file).commands.0.len(), 1);
    }

    #[test]
    fn a_crc32_has_its_own_length() {
        let as_crc32 = WorkloadSettings { values_as: Some(ValuesAs::Crc32), ..Default::default() };
        let workload = as_crc32.of(0).expect("good");
        assert_eq!((workload.value.least(), workload.value.most()), (1, 10));
        let long = WorkloadSettings { value: Some(ValueBytes::Fixed(99)), ..as_crc32 };
        let message = long.of(0).expect_err("both say it");
        assert!(message.starts_with("values_as = crc32 determines the values: leave"), "{message}");
    }

    #[test]
    fn good_values() {
        assert_eq!(value("32B"), Ok(ValueBytes::Fixed(32)));
        assert_eq!(value("100B..4kB"), Ok(ValueBytes::Uniform(100, 4000)));
        let step = |bytes, weight| Step { bytes, weight };
        let steps = vec![step(32, 70.0), step(1000, 25.0), step(64_000, 5.5)];
        assert_eq!(value("32B=70, 1kB=25,64kB=5.5"), Ok(ValueBytes::Steps(steps)));
        assert_eq!(keys("100k"), Ok(100_000));
        let shares = mix("get=0.9, multi-get:10=0.1").expect("good");
        assert_eq!(shares[0], Share { kind: Kind::Get, weight: 0.9 });
        assert_eq!(shares[1], Share { kind: Kind::MultiGet(10), weight: 0.1 });
        assert_eq!(distribution("zipf(0.8)"), Ok(Distribution::Zipf(0.8)));
        let hotspot = Distribution::Hotspot { keys: 0.2, operations: 0.8 };
        assert_eq!(distribution("hotspot(20%, 80%)"), Ok(hotspot));
        assert_eq!(distribution("ycsb-zipfian"), Ok(Distribution::YcsbZipfian));
        assert_eq!(verify("all"), Ok(Verify::All));
        assert_eq!(named("kv"), Ok("kv".to_owned()));
    }

    #[test]
    fn bad_values_name_the_remedy() {
        let table = [
            (named("ycbs-a").err(), "there is no workload `ycbs-a`: kv, ycsb-a"),
            (keys("0").err(), "`0` is not a number of keys from 1 to 1000M"),
            (keys_as("md4").err(), "`md4` is not a way to name keys: number, md5; did you mean"),
            (values_as("crc").err(), "`crc` is not a way to make values: version, crc32"),
            (value("32 bits").err(), "`32 bits` is not a number of bytes: write 32B, 4kB or 1MB"),
            (
                value("2kB..1kB").err(),
                "`2kB..1kB` is not a range: the first length must not exceed the second",
            ),
            (value("32B=7,1kB").err(), "`1kB`: write lengths and weights, such as 32B=70"),
            (value("32B=0").err(), "`32B=0`: write lengths and weights"),
            (value("32 bits=1").err(), "`32 bits` is not a number of bytes"),
            (mix("get").err(), "`get`: write kinds and weights, such as get=0.9,set=0.1"),
            (mix("get=-1").err(), "`get=-1`: write kinds and weights"),
            (mix("gte=1").err(), "there is no operation `gte`: get, multi-get, set"),
            (mix("multi-get=1").err(), "multi-get requires a number of keys: write multi-get:10=1"),
            (distribution("zipf").err(), "`zipf` is not a distribution: uniform"),
            (verify("some").err(), "`some` is not a way to verify: sample, all, off"),
        ];
        for (text, message) in table {
            let text = text.expect(message);
            assert!(text.starts_with(message), "{text}");
        }
    }
}
