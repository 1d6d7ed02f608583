//! The fingerprint that a load leaves in the store: which keys and values, in which start of the
//! server, and whether they are unchanged. Pure.
//!
//! It is one short line of text under a key that no workload uses.

use super::{About, ServerStart};
use record::{Custom, KeysAs, LoadMethod, Table, ValueBytes, ValuesAs, Workload};
use serde::Serialize;
use text::fnv::fnv1a;
use text::units::show_count;

/// First word of a fingerprint, with the version of how values are made and of what is hashed. A change of
/// either requires a new version.
const MARK: &str = "tiebreak-load/2";

/// First word of the fingerprints of version 1. They say whose the data are, but their hash was made from texts
/// that changed with the program, and is not trusted.
const MARK_1: &str = "tiebreak-load/1";

/// Follows the prefix of the keys, where data keys have digits.
const WORD: &str = "loaded";

/// The loaded state of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// Hash of what was written. None if it cannot be trusted.
    pub spec: Option<u64>,
    /// The start of the server.
    pub start: ServerStart,
    /// Items that the server had evicted by then.
    pub evictions: Option<u64>,
    /// The progress of the load, and what happened afterwards.
    pub state: LoadState,
}

/// Whether the keys are as they were loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadState {
    /// All exist.
    Clean,
    /// They were changed after the load, or not all could be loaded.
    Dirty,
    /// They are being loaded; all keys below this one were acknowledged.
    Loading(u64),
}

/// The data to load.
#[derive(Clone, Debug)]
pub struct RequestedData {
    /// Hash of it.
    pub spec: u64,
    keys: u64,
    /// The key of its fingerprint.
    pub key: String,
}

/// How a store gets its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Whether the keys are written, and why.
    pub how: LoadMethod,
    /// The first key to be written.
    pub from: u64,
    /// The reason, if it is not obvious.
    pub why: Option<String>,
}

impl RequestedData {
    /// The keys of this workload and their first values. They depend neither on later operations
    /// nor on the seed.
    pub fn of(workload: &Workload) -> RequestedData {
        RequestedData {
            spec: fnv1a(HashedData::of(workload).text().as_bytes()),
            keys: workload.to_load(),
            key: Fingerprint::place(&workload.prefix),
        }
    }

    /// Whether to load, and from which key on. `kept` is the fingerprint in the store, `about` what
    /// it reports about itself.
    pub fn decide(&self, kept: Result<Option<Vec<u8>>, String>, about: Option<&About>) -> Decision {
        match self.usable_state(kept, about) {
            Ok(LoadState::Clean) => Decision { how: LoadMethod::Found, from: self.keys, why: None },
            Ok(LoadState::Loading(from)) if from > 0 => {
                Decision { how: LoadMethod::Resumed, from, why: None }
            }
            Ok(_) => Decision::anew(None),
            Err(why) => Decision::anew(why),
        }
    }

    /// The state that can be relied on. An error means that no state can be relied on; it has the
    /// reason if that is of interest.
    fn usable_state(
        &self,
        kept: Result<Option<Vec<u8>>, String>,
        about: Option<&About>,
    ) -> Result<LoadState, Option<String>> {
        let because = |why: &str| Err(Some(why.to_owned()));
        let kept = match kept {
            Ok(Some(kept)) => kept,
            Ok(None) => return Err(None),
            Err(why) => return Err(Some(format!("its fingerprint cannot be read: {why}"))),
        };
        let Some(found) = Fingerprint::parse(&kept) else {
            return because("its fingerprint is damaged");
        };
        let Some(start) = about.and_then(|about| about.start.as_ref()) else {
            return because("the server does not report when it was started");
        };
        match found.spec {
            Some(spec) if spec == self.spec => {}
            Some(_) => return because("it holds other keys or values"),
            None => return because("an earlier version of tiebreak loaded it"),
        }
        if matches!(found.state, LoadState::Loading(upto) if upto > self.keys) {
            return because("its fingerprint is damaged");
        }
        if !found.start.is(start) {
            return because("its server was restarted after it was loaded");
        }
        if found.state == LoadState::Dirty {
            return because(
                "its keys were changed after the load, or not all of them could be \
                            loaded",
            );
        }
        self.complete(&found, about)?;
        Ok(found.state)
    }

    /// Checks that nothing is missing, as far as the store reports it.
    fn complete(&self, found: &Fingerprint, about: Option<&About>) -> Result<(), Option<String>> {
        let Some(about) = about else { return Ok(()) };
        let there = match found.state {
            LoadState::Loading(upto) => upto,
            LoadState::Clean | LoadState::Dirty => self.keys,
        };
        let why = match (about.evictions, found.evictions, about.items) {
            (Some(now), Some(then), _) if now > then => {
                format!("it has evicted {} items since it was loaded", show_count(now - then))
            }
            (Some(now), Some(then), _) if now < then => {
                "its counters were reset after it was loaded".to_owned()
            }
            (_, _, Some(items)) if items < there => {
                format!("it holds {items} items but was loaded with {there}")
            }
            _ => return Ok(()),
        };
        Err(Some(why))
    }
}

/// What a load writes, as it is hashed.
#[derive(Serialize)]
struct HashedData<'a> {
    mark: &'static str,
    prefix: &'a str,
    /// With counters there are more or other keys.
    keys: u64,
    values: bool,
    value: &'a ValueBytes,
    compressible: bool,
    wide: bool,
    keys_as: KeysAs,
    values_as: ValuesAs,
    setup: &'a [String],
    tables: &'a [Table],
}

impl HashedData<'_> {
    fn of(workload: &Workload) -> HashedData<'_> {
        let Custom { setup, tables, .. } = &workload.custom;
        HashedData {
            mark: MARK,
            prefix: &workload.prefix,
            keys: workload.to_load(),
            values: workload.has_values(),
            value: &workload.value,
            compressible: workload.compressible,
            wide: workload.is_wide(),
            keys_as: workload.keys_as,
            values_as: workload.values_as,
            setup,
            tables,
        }
    }

    /// The bytes that are hashed: JSON with the words of the journal.
    fn text(&self) -> String {
        serde_json::to_string(self).expect("all keys are text")
    }
}

impl Decision {
    /// All keys are written.
    pub fn anew(why: Option<String>) -> Decision {
        Decision { how: LoadMethod::Written, from: 0, why }
    }
}

impl Fingerprint {
    /// The key of the fingerprint for this prefix.
    pub fn place(prefix: &str) -> String {
        format!("{prefix}{WORD}")
    }

    /// Whether this is a fingerprint of any load.
    pub fn is_one(bytes: &[u8]) -> bool {
        Fingerprint::parse(bytes).is_some()
    }

    /// The fingerprint as text. One whose hash cannot be trusted is of version 1, and has 0 instead.
    pub fn text(&self) -> String {
        let start = match &self.start {
            ServerStart::Run(id) => format!("run:{id}"),
            ServerStart::Process { pid, began } => format!("process:{pid}@{began}"),
        };
        let evictions = self.evictions.map_or("unknown".to_owned(), |count| count.to_string());
        let state = match self.state {
            LoadState::Clean => "clean".to_owned(),
            LoadState::Dirty => "dirty".to_owned(),
            LoadState::Loading(upto) => format!("loading upto {upto}"),
        };
        let mark = if self.spec.is_some() { MARK } else { MARK_1 };
        format!("{mark} {:016x} {start} {evictions} {state}", self.spec.unwrap_or_default())
    }

    /// Returns None if it is not a fingerprint.
    fn parse(bytes: &[u8]) -> Option<Fingerprint> {
        let words: Vec<&str> = std::str::from_utf8(bytes).ok()?.split(' ').collect();
        let [mark @ (MARK | MARK_1), spec, start, evictions, state @ ..] = words.as_slice() else {
            return None;
        };
        let spec = u64::from_str_radix(spec, 16).ok()?;
        let spec = (*mark == MARK).then_some(spec);
        let state = match state {
            ["clean"] => LoadState::Clean,
            ["dirty"] => LoadState::Dirty,
            ["loading", "upto", upto] => LoadState::Loading(upto.parse().ok()?),
            _ => return None,
        };
        let start = match start.split_once(':')? {
            ("run", id) => ServerStart::Run(id.to_owned()),
            ("process", process) => {
                let (pid, began) = process.split_once('@')?;
                ServerStart::Process { pid: pid.parse().ok()?, began: began.parse().ok()? }
            }
            _ => return None,
        };
        let evictions = match *evictions {
            "unknown" => None,
            count => Some(count.parse().ok()?),
        };
        Some(Fingerprint { spec, start, evictions, state })
    }
}

#[cfg(test)]
mod tests;
