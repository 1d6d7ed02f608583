//! `--workload` and what goes with it: what is done to the data of stores.

use crate::near;
use crate::plan::units;
use crate::shown::shown;
use engine::workload::{PRESETS, preset};
use record::{Distribution, Kind, Share, ValueBytes, Verify, Workload};

/// Used where a store is driven and nothing else is asked.
const DEFAULT: &str = "kv";

/// As far as it was given; the rest is the preset's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkloadAsked {
    /// Name of a preset.
    pub preset: Option<String>,
    /// How many keys.
    pub keys: Option<u64>,
    /// Lengths of values.
    pub value: Option<ValueBytes>,
    /// Kinds of operation.
    pub mix: Option<Vec<Share>>,
    /// How often each key is asked for.
    pub distribution: Option<Distribution>,
    /// Part of the keys that reads stay in.
    pub hot: Option<f64>,
    /// What is verified.
    pub verify: Option<Verify>,
}

impl WorkloadAsked {
    /// These where they are given, else the others.
    pub fn over(&self, others: &WorkloadAsked) -> WorkloadAsked {
        WorkloadAsked {
            preset: self.preset.clone().or_else(|| others.preset.clone()),
            keys: self.keys.or(others.keys),
            value: self.value.or(others.value),
            mix: self.mix.clone().or_else(|| others.mix.clone()),
            distribution: self.distribution.or(others.distribution),
            hot: self.hot.or(others.hot),
            verify: self.verify.or(others.verify),
        }
    }

    /// Whether anything was given.
    pub fn is_given(&self) -> bool {
        *self != WorkloadAsked::default()
    }

    /// The workload of this contender, in its own key space.
    ///
    /// # Errors
    /// When the preset is not known.
    pub fn of(&self, contender: usize) -> Result<Workload, String> {
        let name = self.preset.as_deref().unwrap_or(DEFAULT);
        let preset = preset(name).ok_or_else(|| unknown(name))?;
        Ok(Workload {
            prefix: format!("tiebreak{contender:02}:"),
            keys: self.keys.unwrap_or(preset.keys),
            distribution: self.distribution.unwrap_or(preset.distribution),
            hot: self.hot.unwrap_or(preset.hot),
            value: self.value.unwrap_or(preset.value),
            compressible: preset.compressible,
            mix: self.mix.clone().unwrap_or(preset.mix),
            verify: self.verify.unwrap_or(preset.verify),
        })
    }
}

fn unknown(name: &str) -> String {
    let meant = near::did_you_mean(name, PRESETS);
    format!("there is no workload `{}`: {}{meant}", shown(name), PRESETS.join(", "))
}

/// `--workload`.
///
/// # Errors
/// When there is no such preset.
pub fn named(text: &str) -> Result<String, String> {
    preset(text).map(|_| text.to_owned()).ok_or_else(|| unknown(text))
}

/// `--keys`.
///
/// # Errors
/// When it is no count from 1 to a billion.
pub fn keys(text: &str) -> Result<u64, String> {
    match units::count(text)? {
        count @ 1..=1_000_000_000 => Ok(count),
        _ => Err(format!("`{text}` is not a number of keys from 1 to 1000M")),
    }
}

/// `--value`: `32B`, or `100..4kB`.
///
/// # Errors
/// When it is neither.
pub fn value(text: &str) -> Result<ValueBytes, String> {
    let bytes = |text: &str| {
        let bytes = units::bytes(text)?;
        u32::try_from(bytes).map_err(|_| format!("`{text}` is too long for a value"))
    };
    match text.split_once("..") {
        None => bytes(text).map(ValueBytes::Fixed),
        Some((from, to)) => match (bytes(from)?, bytes(to)?) {
            (from, to) if from <= to => Ok(ValueBytes::Uniform(from, to)),
            _ => Err(format!("`{text}` ends before it begins")),
        },
    }
}

/// `--mix`: `get=0.9,set=0.1`.
///
/// # Errors
/// When a kind is not known, or a weight is no number above 0.
pub fn mix(text: &str) -> Result<Vec<Share>, String> {
    text.split(',').map(|part| share(part.trim())).collect()
}

fn share(text: &str) -> Result<Share, String> {
    let how = || format!("`{}`: write kinds and weights, such as get=0.9,set=0.1", shown(text));
    let (name, weight) = text.split_once('=').ok_or_else(how)?;
    let weight = weight.parse::<f64>().ok().filter(|weight| *weight > 0.0 && weight.is_finite());
    Ok(Share { kind: kind(name)?, weight: weight.ok_or_else(how)? })
}

/// Kinds that stores of keys and values have here.
const KINDS: [&str; 10] =
    ["get", "multi-get", "set", "add", "replace", "append", "delete", "incr", "decr", "touch"];

fn kind(name: &str) -> Result<Kind, String> {
    let (word, keys) = match name.split_once(':') {
        Some((word, keys)) => (word, Some(keys)),
        None => (name, None),
    };
    let many = keys.and_then(|keys| keys.parse().ok()).filter(|keys| (1..=1000).contains(keys));
    Ok(match (word, many) {
        ("multi-get", Some(keys)) => Kind::MultiGet(keys),
        ("multi-get", None) => {
            return Err("say how many keys a multi-get asks for: multi-get:10=1".to_owned());
        }
        ("get", _) => Kind::Get,
        ("set", _) => Kind::Set,
        ("add", _) => Kind::Add,
        ("replace", _) => Kind::Replace,
        ("append", _) => Kind::Append,
        ("delete", _) => Kind::Delete,
        ("incr", _) => Kind::Incr,
        ("decr", _) => Kind::Decr,
        ("touch", _) => Kind::Touch,
        _ => {
            let meant = near::did_you_mean(word, KINDS);
            return Err(format!(
                "there is no operation `{}`: {}{meant}",
                shown(word),
                KINDS.join(", ")
            ));
        }
    })
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
        keys: units::percent(keys.trim())?,
        operations: units::percent(operations.trim())?,
    })
}

/// `--verify`.
///
/// # Errors
/// When it is none of the three.
pub fn verify(text: &str) -> Result<Verify, String> {
    match text {
        "off" => Ok(Verify::Off),
        "sample" => Ok(Verify::Sample),
        "all" => Ok(Verify::All),
        other => Err(format!(
            "`{}` is not a way to verify: sample, all, off{}",
            shown(other),
            near::did_you_mean(other, ["sample", "all", "off"])
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_wins_over_the_preset() {
        let asked = WorkloadAsked { keys: Some(7), ..WorkloadAsked::default() };
        let file = WorkloadAsked {
            preset: Some("ycsb-b".into()),
            keys: Some(9),
            hot: Some(0.1),
            ..WorkloadAsked::default()
        };
        let workload = asked.over(&file).of(3).expect("known");
        assert_eq!((workload.keys, workload.hot), (7, 0.1));
        assert_eq!(workload.value, ValueBytes::Fixed(1000));
        assert_eq!(workload.prefix, "tiebreak03:");
        assert!(!WorkloadAsked::default().is_given() && asked.is_given());
    }

    #[test]
    fn good_values() {
        assert_eq!(value("32B"), Ok(ValueBytes::Fixed(32)));
        assert_eq!(value("100B..4kB"), Ok(ValueBytes::Uniform(100, 4000)));
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
            (value("32 bits").err(), "`32 bits` is not a number of bytes: write 32B, 4kB or 1MB"),
            (value("2kB..1kB").err(), "`2kB..1kB` ends before it begins"),
            (mix("get").err(), "`get`: write kinds and weights, such as get=0.9,set=0.1"),
            (mix("get=-1").err(), "`get=-1`: write kinds and weights"),
            (mix("gte=1").err(), "there is no operation `gte`: get, multi-get, set"),
            (mix("multi-get=1").err(), "say how many keys a multi-get asks for: multi-get:10=1"),
            (distribution("zipf").err(), "`zipf` is not a distribution: uniform"),
            (verify("some").err(), "`some` is not a way to verify: sample, all, off"),
        ];
        for (told, message) in table {
            let told = told.expect(message);
            assert!(told.starts_with(message), "{told}");
        }
    }
}
