//! The messages to servers that send them back.

use crate::plan::settings::Settings;
use crate::protocols::PROTOCOLS;
use protocol::Family;
use record::MessageKind;
use text::near;
use text::quantities;
use text::shown::shown;

/// Default size of a message.
const BYTES: u32 = 64;
/// The longest message: every worker holds one in memory.
const LONGEST: u64 = 16 << 20;
/// Default number of members of a room.
const MEMBERS: u32 = 8;
const KINDS: [&str; 2] = ["text", "binary"];

impl Settings {
    pub(in crate::plan) fn messages(&self) -> (MessageKind, u32) {
        (self.message.unwrap_or(MessageKind::Text), self.message_bytes.unwrap_or(BYTES))
    }

    pub(in crate::plan) fn members_of_a_room(&self) -> u32 {
        self.members.unwrap_or(MEMBERS)
    }
}

pub(super) fn kind(text: &str) -> Result<MessageKind, String> {
    match text {
        "text" => Ok(MessageKind::Text),
        "binary" => Ok(MessageKind::Binary),
        other => Err(format!(
            "`{}` is not a kind of message: {}{}",
            shown(other),
            KINDS.join(" or "),
            near::did_you_mean(other, KINDS)
        )),
    }
}

fn shortest() -> u32 {
    let shortest = PROTOCOLS.iter().filter_map(|row| match &row.family {
        Family::Messages(row) => Some(row.shortest),
        _ => None,
    });
    shortest.min().unwrap_or(0)
}

pub(super) fn size(text: &str) -> Result<u32, String> {
    match quantities::bytes(text)? {
        bytes if (u64::from(shortest())..=LONGEST).contains(&bytes) => Ok(bytes as u32),
        _ => Err(format!(
            "`{}` is not a message size from 16 B, which the message's number takes, to 16 MiB",
            shown(text)
        )),
    }
}

pub(super) fn members(text: &str) -> Result<u32, String> {
    match quantities::count(text)? {
        members @ 2..=1000 => Ok(members as u32),
        _ => Err(format!("`{}` is not a number of members from 2 to 1000", shown(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_bounds_and_kinds_have_names() {
        assert_eq!((size("16"), size("16MiB")), (Ok(16), Ok(16 << 20)));
        for wrong in ["15", "17MiB"] {
            assert!(size(wrong).is_err_and(|why| why.contains("from 16 B")), "{wrong}");
        }
        assert_eq!((members("2"), members("1k")), (Ok(2), Ok(1000)));
        for wrong in ["0", "1", "1001"] {
            assert!(members(wrong).is_err_and(|why| why.ends_with("from 2 to 1000")), "{wrong}");
        }
        assert_eq!(kind("binary"), Ok(MessageKind::Binary));
        let wrong = kind("bin").expect_err("no such kind");
        assert!(wrong.starts_with("`bin` is not a kind of message: text or binary"), "{wrong}");
        assert_eq!(Settings::default().messages(), (MessageKind::Text, 64));
    }
}
