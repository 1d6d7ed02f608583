//! What is done to the data of each contender.

pub(super) mod expanded;

use crate::plan::contender::gather::{Candidate, TargetLocation};
use crate::plan::contender::{chat, database, groups, local};
use crate::plan::spec::Spec;
use crate::protocols::PROTOCOLS;
use engine::SEVERAL_KEYS;
use engine::workload::{Operations, WIDE_ROWS};
use protocol::{Error, Family, Protocol};
use record::{Contender, KeysAs, Kind, Share, Work, Workload};
use text::shown::shown;

/// The workload of a candidate, including those of all its groups, in its own key space. None if its
/// operations are all the same.
pub(super) fn of(spec: &Spec, number: usize, candidate: &Candidate) -> Result<Option<Work>, Error> {
    let statement = candidate.url.protocol.is_sql() && candidate.settings.query.is_some();
    let has_one = can_have_one(spec, candidate.url.protocol) && !statement;
    has_one.then(|| work(spec, number, candidate)).transpose()
}

/// Whether the target has data to work on or receives user-defined requests.
fn can_have_one(spec: &Spec, protocol: &Protocol) -> bool {
    protocol.is_store() || spec.workload.custom.has_requests() && protocol.requests().is_some()
}

/// Returns the prefix of a contender's keys. A hash has no prefix if nobody else can have keys,
/// neither another contender nor another user of a store that was already running.
fn prefix(spec: &Spec, number: usize, candidate: &Candidate) -> String {
    let has_own_keys = match candidate.url.protocol.family {
        Family::Sql(_) | Family::Files(_) => true,
        _ => matches!(candidate.location, TargetLocation::Launched(_)),
    };
    let is_hash = spec.workload.keys_as == Some(KeysAs::Md5);
    // The load points of a sweep share one server.
    if is_hash && has_own_keys && spec.sweep.is_none() {
        String::new()
    } else {
        Workload::prefix_of(number)
    }
}

/// The workload of one contender.
fn work(spec: &Spec, number: usize, candidate: &Candidate) -> Result<Work, Error> {
    let whole = spec.workload.of(number).map_err(Error::usage)?;
    let whole = Workload { prefix: prefix(spec, number, candidate), ..whole };
    let workload = groups::workload(spec, &candidate.groups, whole).map_err(Error::usage)?;
    check_wide(spec, &workload)?;
    let operations = Operations::new(&workload, 0)
        .map_err(|wrong| Error::usage(format!("workload: {wrong}")))?;
    let skew = operations.skew().filter(|_| workload.asks_for_keys());
    Ok(Work { workload, skew })
}

/// Operations on wide rows require their preset, and the preset allows no others.
fn check_wide(spec: &Spec, workload: &Workload) -> Result<(), Error> {
    let is_preset = spec.workload.preset.as_deref() == Some(WIDE_ROWS);
    match (is_preset, workload.is_wide()) {
        (false, true) => Err(Error::usage(format!(
            "newest, one and insert are operations on wide rows: add --workload {WIDE_ROWS}"
        ))),
        (true, false) => Err(Error::usage(format!(
            "the operations of {WIDE_ROWS} are newest, one and insert: name some of them, or \
             leave the mix out"
        ))),
        _ => Ok(()),
    }
}

/// Refuses workloads that a target does not support, before it is contacted.
pub(super) fn check(
    spec: &Spec,
    protocols: &[&Protocol],
    contenders: &[Contender],
) -> Result<(), Error> {
    contenders.iter().try_for_each(chat::check_rooms)?;
    if chat::is_asked(spec) {
        return Ok(());
    }
    if spec.workload.is_given() && !protocols.iter().any(|protocol| can_have_one(spec, protocol)) {
        return Err(nobody_has_one(spec));
    }
    for (contender, protocol) in contenders.iter().zip(protocols) {
        check_operations(spec, contender, protocol)?;
        local::check_values(contender, protocol)?;
        database::check_values(contender, protocol)?;
    }
    Ok(())
}

fn nobody_has_one(spec: &Spec) -> Error {
    let (what, to) = if spec.workload.custom.has_requests() {
        ("[[workload.requests]] requires", "web servers (http://)".to_owned())
    } else {
        ("a workload requires", format!("stores ({})", PROTOCOLS.written_as(Protocol::is_store)))
    };
    Error::usage(format!("{what} {to}, and no contender is one"))
}

/// Checks that the protocol supports every operation.
fn check_operations(spec: &Spec, contender: &Contender, protocol: &Protocol) -> Result<(), Error> {
    let Some(workload) = contender.asks.workload() else { return Ok(()) };
    let name = &contender.name;
    if let Some(why) = spec.workload.custom.why_not(protocol) {
        return Err(Error::usage(format!("`{name}` cannot run the workload: {why}")));
    }
    let lacks = |share: &Share| {
        let why = match share.kind {
            Kind::MultiGet(_) if contender.sharding.is_some() => Some(SEVERAL_KEYS),
            kind => (protocol.lacks)(kind),
        };
        Some((share.kind, why?))
    };
    if let Some((kind, why)) = workload.mix.iter().find_map(lacks) {
        let what = what_it_lacks(spec, kind);
        let others = supported_by(kind);
        return Err(Error::usage(format!("`{name}` cannot run {what}: {why}{others}")));
    }
    Ok(())
}

/// Names the protocols that support a kind of operation that few of them support.
fn supported_by(kind: Kind) -> String {
    if !kind.is_wide() && !matches!(kind, Kind::Command(_)) {
        return String::new();
    }
    let known = PROTOCOLS.written_as(|row| row.is_store() && (row.lacks)(kind).is_none());
    if known.is_empty() { known } else { format!("; use {known}") }
}

/// Returns the unsupported part as the user gave it: a preset, or a kind of operation.
fn what_it_lacks(spec: &Spec, kind: Kind) -> String {
    match (kind, &spec.workload.preset) {
        (Kind::Command(_), _) => "--command".to_owned(),
        (Kind::Cas, _) => "cas".to_owned(),
        (_, Some(preset)) => shown(preset),
        (_, None) => "the mix".to_owned(),
    }
}
