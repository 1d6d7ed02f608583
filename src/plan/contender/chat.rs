//! `--workload chat`: the connections of a WebSocket contender are rooms, and an operation is a
//! message from one member to all of its room.

use crate::plan::contender::gather::Candidate;
use crate::plan::settings::declared::Declared;
use crate::plan::settings::workload::CHAT;
use crate::plan::{Settings, Spec, WorkloadSettings};
use crate::protocols::PROTOCOLS;
use protocol::address::Url;
use protocol::{Error, Family};
use record::{Contender, Intensity};
use text::shown::shown;

/// Whether the workload is selected.
pub(in crate::plan) fn is_asked(spec: &Spec) -> bool {
    spec.workload.preset.as_deref() == Some(CHAT)
}

/// How many members each room of a contender has. Returns None if every message comes back to
/// its sender alone.
///
/// # Errors
/// When members are given without the workload.
pub(in crate::plan) fn members(spec: &Spec, settings: &Settings) -> Result<Option<u32>, String> {
    match (is_asked(spec), settings.members) {
        (true, _) => Ok(Some(settings.members_of_a_room())),
        (false, None) => Ok(None),
        (false, Some(_)) => Err(format!("members requires rooms: add --workload {CHAT}")),
    }
}

/// Refuses contenders without rooms, and settings of other workloads.
pub(in crate::plan) fn check(spec: &Spec, all: &[Candidate]) -> Result<(), Error> {
    let has_messages = |url: &Url| matches!(url.protocol.family, Family::Messages(_));
    let mut urls = all.iter().map(|candidate| &candidate.url);
    if let Some(other) = urls.find(|url| !has_messages(url)) {
        return Err(Error::usage(format!(
            "--workload {CHAT} is for servers of messages ({}), and {} is not one",
            PROTOCOLS.written_as(|row| matches!(row.family, Family::Messages(_))),
            shown(other.recorded())
        )));
    }
    let mut rows = WorkloadSettings::table().filter(|row| row.setting.key != "preset");
    let other = rows.find(|row| row.is_given(&spec.workload)).map(|row| row.setting.key);
    let custom = (!spec.workload.custom.is_empty()).then_some("operations");
    match other.or(custom) {
        None => Ok(()),
        Some(key) => Err(Error::usage(format!(
            "--workload {CHAT} does not use {key}: message, message_size and members define what \
             is sent"
        ))),
    }
}

/// Checks that the connections of a contender fill whole rooms, each with one operation in flight.
pub(in crate::plan) fn check_rooms(contender: &Contender) -> Result<(), Error> {
    let members = contender.asks.members();
    if members == 1 {
        return Ok(());
    }
    let of_groups = contender.groups.iter().map(|group| group.intensity);
    let alone = Some(contender.intensity).filter(|_| contender.groups.is_empty());
    of_groups.chain(alone).try_for_each(|intensity| {
        check_room(intensity, members)
            .map_err(|why| Error::usage(format!("`{}`: {why}", contender.name)))
    })
}

fn check_room(intensity: Intensity, members: u32) -> Result<(), String> {
    let Intensity { connections, depth, .. } = intensity;
    if depth > 1 {
        return Err(format!(
            "a room of {CHAT} can have only one message in flight; leave out depth"
        ));
    }
    if !connections.is_multiple_of(members) {
        let more = connections.next_multiple_of(members);
        return Err(format!(
            "{connections} connections cannot be divided into rooms of {members} members: give \
             a multiple of members, such as --connections {more}"
        ));
    }
    Ok(())
}
