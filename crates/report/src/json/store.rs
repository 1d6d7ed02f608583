//! What a store reported about itself.

use super::seconds;
use judge::verdict::{Evicted, StoreSummary};
use record::{LoadMethod, Loaded, Settled};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct StoreData<'a> {
    load: Option<LoadData<'a>>,
    items: Option<u64>,
    bytes: Option<u64>,
    evicted: Evicted,
    unreachable: Option<&'a str>,
    shared_with: &'a [String],
}

#[derive(Serialize)]
struct LoadData<'a> {
    how: LoadMethod,
    why: Option<&'a str>,
    keys: u64,
    from: u64,
    written: u64,
    failed: u64,
    ended_at: Option<u64>,
    took: f64,
    settled: Option<SettledData<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "by", rename_all = "snake_case")]
enum SettledData<'a> {
    Compactions { left: u64, nodes: u32, took: f64 },
    Cpu { cores: f64, limit: f64, took: f64, why: &'a str },
    Unseen { why: &'a str },
}

impl<'a> StoreData<'a> {
    pub(super) fn of(of: &'a StoreSummary) -> Self {
        StoreData {
            load: of.loaded.as_ref().map(LoadData::of),
            items: of.items,
            bytes: of.bytes,
            evicted: of.evicted,
            unreachable: of.unreachable.as_deref(),
            shared_with: &of.shared_with,
        }
    }
}

impl<'a> LoadData<'a> {
    fn of(of: &'a Loaded) -> Self {
        LoadData {
            how: of.how,
            why: of.why.as_deref(),
            keys: of.keys,
            from: of.from,
            written: of.written,
            failed: of.failed,
            ended_at: of.ended_at,
            took: seconds(of.took_ns),
            settled: of.settled.as_ref().map(SettledData::of),
        }
    }
}

impl<'a> SettledData<'a> {
    fn of(of: &'a Settled) -> Self {
        let cores = |permille: u64| permille as f64 / 1e3;
        match of {
            Settled::Compactions { left, nodes, took_ns } => {
                SettledData::Compactions { left: *left, nodes: *nodes, took: seconds(*took_ns) }
            }
            Settled::Cpu { why, permille, limit, took_ns } => SettledData::Cpu {
                cores: cores(*permille),
                limit: cores(*limit),
                took: seconds(*took_ns),
                why,
            },
            Settled::Unseen { why } => SettledData::Unseen { why },
        }
    }
}
