//! Checks that a workload can be driven.

use super::error::WorkloadError;
use record::limits::MOST_KINDS;
use record::{Distribution, KeysAs, Kind, Share, Step, ValueBytes, Verify, Workload};

/// Maximum number of keys: with inserts after them they still have 12 digits.
const MOST_KEYS: u64 = 100_000_000_000;

/// Checks all settings. An error names the setting, its value and what is allowed.
pub(super) fn check(workload: &Workload) -> Result<(), WorkloadError> {
    prefix(&workload.prefix)?;
    if !(1..=MOST_KEYS).contains(&workload.keys) {
        let allowed = format!("from 1 to {MOST_KEYS}");
        return Err(out_of_range("keys", workload.keys, allowed));
    }
    distribution(workload.distribution)?;
    hot(workload)?;
    value(workload)?;
    let kinds = workload.mix.len();
    if kinds > MOST_KINDS {
        return Err(too_many("mix", kinds, "kinds of operation", MOST_KINDS));
    }
    workload.mixes().into_iter().try_for_each(mix)?;
    wide(workload)?;
    hashed(workload)?;
    groups(workload)?;
    commands(workload)?;
    verify(workload)
}

/// Checks that the prefix can be part of a key in a line of text: a space would end it.
fn prefix(prefix: &str) -> Result<(), WorkloadError> {
    if prefix.len() > 200 || !prefix.bytes().all(|byte| byte.is_ascii_graphic()) {
        let allowed = "at most 200 ASCII letters, digits and marks, no spaces";
        return Err(out_of_range("prefix", format!("{prefix:?}"), allowed));
    }
    Ok(())
}

fn distribution(distribution: Distribution) -> Result<(), WorkloadError> {
    match distribution {
        Distribution::Zipf(theta) if !(theta > 0.0 && theta <= 10.0) => {
            let value = format!("zipf({theta})");
            Err(out_of_range("distribution", value, "above 0 and at most 10"))
        }
        Distribution::Hotspot { keys, operations } => {
            let parts = keys > 0.0 && keys <= 1.0 && (0.0..=1.0).contains(&operations);
            let what =
                format!("distribution = hotspot: {operations} of operations on {keys} of keys");
            let problem = match parts {
                false => "parts must be above 0 and at most 1",
                true if operations < keys => "the other keys are hotter; give their parts instead",
                true => return Ok(()),
            };
            Err(WorkloadError::invalid(what, problem))
        }
        _ => Ok(()),
    }
}

fn hot(workload: &Workload) -> Result<(), WorkloadError> {
    let hot = workload.hot;
    if !(hot > 0.0 && hot <= 1.0) {
        return Err(out_of_range("hot", hot, "above 0 and at most 1"));
    }
    // YCSB hashes over the whole key space; a part of it would not be YCSB.
    if hot < 1.0 && workload.distribution == Distribution::YcsbZipfian {
        let problem = "ycsb-zipfian reads all keys; leave hot out, or use zipf(0.99)";
        return Err(WorkloadError::invalid(format!("hot = {hot}"), problem));
    }
    Ok(())
}

fn value(workload: &Workload) -> Result<(), WorkloadError> {
    let (from, to) = match &workload.value {
        ValueBytes::Fixed(bytes) => (*bytes, *bytes),
        ValueBytes::Uniform(from, to) => (*from, *to),
        ValueBytes::Steps(steps) => ends(steps)?,
    };
    if from > to {
        let value = format!("value = {from} to {to} bytes");
        return Err(WorkloadError::invalid(value, "the lower number must come first"));
    }
    if workload.verify != Verify::Off && workload.values_as.is_version() && from < 16 {
        let allowed = "at least 16, for key and version; or set verify = off";
        return Err(out_of_range("value", format!("{from} bytes"), allowed));
    }
    Ok(())
}

/// Returns the shortest and the longest length.
fn ends(steps: &[Step]) -> Result<(u32, u32), WorkloadError> {
    let all: f64 = steps.iter().map(|step| step.weight).sum();
    let weighed = steps.iter().all(|step| step.weight > 0.0) && all.is_finite();
    let bytes = || steps.iter().map(|step| step.bytes);
    match (bytes().min(), bytes().max()) {
        (Some(from), Some(to)) if weighed => Ok((from, to)),
        _ => {
            let problem = "must name at least one length, each with a weight above 0";
            Err(WorkloadError::invalid("value", problem))
        }
    }
}

fn mix(mix: &[Share]) -> Result<(), WorkloadError> {
    let invalid = |problem: String| Err(WorkloadError::invalid("mix", problem));
    if mix.is_empty() {
        return invalid("must name at least one kind of operation".to_owned());
    }
    for (number, Share { kind, weight }) in mix.iter().enumerate() {
        let entry = number + 1;
        if !(weight.is_finite() && *weight > 0.0) {
            return invalid(format!("entry {entry} has the weight {weight}: must be above 0"));
        }
        if matches!(kind, Kind::MultiGet(0) | Kind::Scan(0)) {
            return invalid(format!("entry {entry} asks for 0 keys: must be at least 1"));
        }
        if let Some(first) = mix[..number].iter().position(|share| share.kind == *kind) {
            let first = first + 1;
            return invalid(format!("entry {entry} repeats the kind of entry {first}: merge them"));
        }
    }
    if !mix.iter().map(|share| share.weight).sum::<f64>().is_finite() {
        return invalid("the sum of the weights is too large".to_owned());
    }
    Ok(())
}

/// Checks that all rows are wide, or none.
fn wide(workload: &Workload) -> Result<(), WorkloadError> {
    let other = |share: &Share| !share.kind.is_wide();
    if workload.is_wide() && workload.mix.iter().any(other) {
        let problem = "newest, one and insert work on wide rows and cannot be mixed with other \
                       operations";
        Err(WorkloadError::invalid("mix", problem))
    } else {
        Ok(())
    }
}

/// Checks settings with hashes: hashed keys have no order, and hashed values no versions.
fn hashed(workload: &Workload) -> Result<(), WorkloadError> {
    let is_hashed = workload.keys_as == KeysAs::Md5 || !workload.values_as.is_version();
    if is_hashed && workload.is_wide() {
        let problem = "these are not supported for wide rows; leave both out";
        return Err(WorkloadError::invalid("keys_as, values_as", problem));
    }
    let scans = workload.mix.iter().any(|share| matches!(share.kind, Kind::Scan(_)));
    if scans && workload.keys_as == KeysAs::Md5 {
        let problem = "a scan reads keys in the order of their numbers, which hashes do not keep; \
                       leave out keys_as or the scan";
        Err(WorkloadError::invalid("keys_as = md5", problem))
    } else {
        Ok(())
    }
}

/// Maximum number of groups: each worker numbers the operations of each.
pub const MOST_GROUPS: usize = record::limits::MOST_GROUPS;

/// Checks the groups. They are not synchronised: one does not know how far the inserts of
/// another are.
fn groups(workload: &Workload) -> Result<(), WorkloadError> {
    let parts = &workload.groups;
    if parts.is_empty() {
        return Ok(());
    }
    if parts.len() > MOST_GROUPS {
        return Err(too_many("groups", parts.len(), "groups", MOST_GROUPS));
    }
    if parts.iter().map(|part| *part as usize).sum::<usize>() != workload.mix.len() {
        return Err(WorkloadError::invalid("groups", "their parts must add up to the whole mix"));
    }
    let inserts = workload.mix.iter().any(|share| share.kind == Kind::Insert);
    if inserts || workload.distribution == Distribution::Latest {
        let problem = "insert and latest are not supported with groups, which do not see each \
                       other's inserts; leave them out";
        Err(WorkloadError::invalid("groups", problem))
    } else {
        Ok(())
    }
}

fn commands(workload: &Workload) -> Result<(), WorkloadError> {
    let unknown = |kind: Kind| match kind {
        Kind::Command(number) => Some(number).filter(|n| *n as usize >= workload.commands.len()),
        _ => None,
    };
    match workload.mix.iter().find_map(|share| unknown(share.kind)) {
        Some(number) => {
            Err(WorkloadError::invalid("mix", format!("command {number} does not exist")))
        }
        None => Ok(()),
    }
}

/// Checks that values can be verified: appending leaves a value that no version has.
fn verify(workload: &Workload) -> Result<(), WorkloadError> {
    let appends = workload.mix.iter().any(|share| share.kind == Kind::Append);
    if appends && workload.verify != Verify::Off {
        let problem = "values that append changes cannot be verified; set verify = off";
        Err(WorkloadError::invalid("verify", problem))
    } else {
        Ok(())
    }
}

fn out_of_range(
    setting: &'static str,
    value: impl ToString,
    allowed: impl Into<String>,
) -> WorkloadError {
    WorkloadError::OutOfRange { setting, value: value.to_string(), allowed: allowed.into() }
}

fn too_many(
    setting: &'static str,
    count: usize,
    items: &'static str,
    most: usize,
) -> WorkloadError {
    WorkloadError::TooMany { setting, count, items, most }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::presets::{PRESETS, preset};
    use record::ValuesAs;

    #[test]
    fn presets_are_sane() {
        for name in PRESETS {
            assert_eq!(check(&preset(name).expect("a preset")), Ok(()), "{name}");
        }
    }

    /// A change to the preset `kv`, and the expected error.
    type Case = (fn(&mut Workload), &'static str);

    fn hotspot(keys: f64, operations: f64) -> Distribution {
        Distribution::Hotspot { keys, operations }
    }

    fn shares(kinds: &[(Kind, f64)]) -> Vec<Share> {
        kinds.iter().map(|&(kind, weight)| Share { kind, weight }).collect()
    }

    fn steps(lengths: &[(u32, f64)]) -> Vec<Step> {
        lengths.iter().map(|&(bytes, weight)| Step { bytes, weight }).collect()
    }

    fn table(cases: &[Case]) {
        for (change, wanted) in cases {
            let mut workload = preset("kv").expect("a preset");
            change(&mut workload);
            let refused = check(&workload).expect_err(wanted);
            assert_eq!(refused.to_string(), *wanted);
        }
    }

    #[test]
    fn keys_that_cannot_be_are_refused() {
        table(&[
            (|w| w.keys = 0, "keys = 0: must be from 1 to 100000000000"),
            (|w| w.keys = u64::MAX, "keys = 18446744073709551615: must be from 1 to 100000000000"),
            (
                |w| w.prefix = "a b".to_owned(),
                "prefix = \"a b\": must be at most 200 ASCII letters, digits and marks, no spaces",
            ),
            (|w| w.hot = 0.0, "hot = 0: must be above 0 and at most 1"),
            (|w| w.hot = f64::NAN, "hot = NaN: must be above 0 and at most 1"),
            (
                |w| (w.hot, w.distribution) = (0.5, Distribution::YcsbZipfian),
                "hot = 0.5: ycsb-zipfian reads all keys; leave hot out, or use zipf(0.99)",
            ),
        ]);
    }

    #[test]
    fn distributions_that_cannot_be_are_refused() {
        table(&[
            (
                |w| w.distribution = Distribution::Zipf(0.0),
                "distribution = zipf(0): must be above 0 and at most 10",
            ),
            (
                |w| w.distribution = hotspot(0.0, 0.5),
                "distribution = hotspot: 0.5 of operations on 0 of keys: \
                 parts must be above 0 and at most 1",
            ),
            (
                |w| w.distribution = hotspot(0.2, 0.1),
                "distribution = hotspot: 0.1 of operations on 0.2 of keys: \
                 the other keys are hotter; give their parts instead",
            ),
        ]);
    }

    #[test]
    fn values_and_mixes_that_cannot_be_are_refused() {
        table(&[
            (
                |w| w.value = ValueBytes::Uniform(30, 20),
                "value = 30 to 20 bytes: the lower number must come first",
            ),
            (
                |w| w.value = ValueBytes::Fixed(3),
                "value = 3 bytes: must be at least 16, for key and version; or set verify = off",
            ),
            (
                |w| w.value = ValueBytes::Steps(Vec::new()),
                "value: must name at least one length, each with a weight above 0",
            ),
            (
                |w| w.value = ValueBytes::Steps(steps(&[(20, 1.0), (30, f64::NAN)])),
                "value: must name at least one length, each with a weight above 0",
            ),
            (
                |w| w.value = ValueBytes::Steps(steps(&[(20, 1.0), (8, 1.0)])),
                "value = 8 bytes: must be at least 16, for key and version; or set verify = off",
            ),
            (|w| w.mix = shares(&[(Kind::Command(0), 1.0)]), "mix: command 0 does not exist"),
            (|w| w.mix.clear(), "mix: must name at least one kind of operation"),
            (
                |w| w.mix = (1..=257).map(|n| shares(&[(Kind::MultiGet(n), 1.0)])[0]).collect(),
                "mix: 257 kinds of operation: must be at most 256",
            ),
            (|w| w.groups = vec![1, 0], "mix: must name at least one kind of operation"),
            (|w| w.groups = vec![1; 9], "mix: must name at least one kind of operation"),
            (|w| w.groups = vec![1], "groups: their parts must add up to the whole mix"),
            (
                |w| {
                    w.mix = vec![w.mix[0]; 9];
                    w.groups = vec![1; 9];
                },
                "groups: 9 groups: must be at most 8",
            ),
            (
                |w| (w.groups, w.distribution) = (vec![1, 1], Distribution::Latest),
                "groups: insert and latest are not supported with groups, which do not see each \
                 other's inserts; leave them out",
            ),
            (|w| w.mix[1].weight = 0.0, "mix: entry 2 has the weight 0: must be above 0"),
            (
                |w| w.mix = shares(&[(Kind::MultiGet(0), 1.0)]),
                "mix: entry 1 asks for 0 keys: must be at least 1",
            ),
            (
                |w| w.mix = shares(&[(Kind::Get, 1.0), (Kind::Set, 1.0), (Kind::Get, 2.0)]),
                "mix: entry 3 repeats the kind of entry 1: merge them",
            ),
            (
                |w| w.mix = shares(&[(Kind::Get, f64::MAX), (Kind::Set, f64::MAX)]),
                "mix: the sum of the weights is too large",
            ),
            (
                |w| w.mix = shares(&[(Kind::Append, 1.0)]),
                "verify: values that append changes cannot be verified; set verify = off",
            ),
        ]);
    }

    #[test]
    fn hashes_that_cannot_be_are_refused() {
        let wide = "keys_as, values_as: these are not supported for wide rows; leave \
                    both out";
        table(&[
            (
                |w| {
                    w.keys_as = KeysAs::Md5;
                    w.mix = shares(&[(Kind::Scan(9), 1.0)]);
                },
                "keys_as = md5: a scan reads keys in the order of their numbers, which hashes do \
                 not keep; leave out keys_as or the scan",
            ),
            (|w| (w.keys_as, w.mix) = (KeysAs::Md5, shares(&[(Kind::Newest, 1.0)])), wide),
            (|w| (w.values_as, w.mix) = (ValuesAs::Crc32, shares(&[(Kind::Newest, 1.0)])), wide),
        ]);
        let (keys_as, values_as) = (KeysAs::Md5, ValuesAs::Crc32);
        let value = ValueBytes::Uniform(1, ValuesAs::LONGEST_CRC32);
        let kv = preset("kv").expect("a preset");
        assert_eq!(check(&Workload { keys_as, values_as, value, ..kv }), Ok(()));
    }

    #[test]
    fn without_verification_short_values_and_counters_may_be() {
        let kv = preset("kv").expect("a preset");
        let mix = shares(&[(Kind::Incr, 1.0), (Kind::Append, 1.0)]);
        let value = ValueBytes::Fixed(0);
        assert_eq!(check(&Workload { mix, value, verify: Verify::Off, ..kv }), Ok(()));
    }
}
