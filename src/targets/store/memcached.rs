//! Asking memcached about itself.

use super::line::Line;
use super::own_keys::Kept;
use super::{About, Start};
use crate::shown::shown;
use record::Fact;
use wire::memcached::{Dialect, Limits, Memcached, Mode, Op, Store};

/// A note is no longer.
const LONGEST_NOTE: u64 = 4096;

/// The text protocol, which every version understands. For notes, and for values of so
/// many bytes.
pub(super) fn codec(bytes: u32) -> Memcached {
    let value_bytes = LONGEST_NOTE.max(u64::from(bytes));
    Memcached::new(Dialect::Text, Limits { value_bytes }, 1)
}

pub(super) fn about(line: &mut Line<Memcached>) -> Result<About, String> {
    let heard = line.ask(&Op::Stats)?;
    heard.good()?;
    Ok(read(&heard.items))
}

/// The lines of `stats`, each `NAME VALUE`.
fn read(lines: &[Vec<u8>]) -> About {
    let text = |name: &str| {
        let values =
            lines.iter().filter_map(|line| line.strip_prefix(name.as_bytes())?.strip_prefix(b" "));
        values.into_iter().next().and_then(|value| std::str::from_utf8(value).ok())
    };
    let number = |name: &str| text(name)?.parse::<u64>().ok();
    let began = number("time").zip(number("uptime")).and_then(|(now, up)| now.checked_sub(up));
    let version = text("version").map_or("of an unknown version".to_owned(), shown);
    let limit = number("limit_maxbytes").map(|bytes| format!(", {bytes} bytes at most"));
    let limit = limit.unwrap_or_default();
    About {
        items: number("curr_items"),
        bytes: number("bytes"),
        evictions: number("evictions"),
        start: number("pid").zip(began).map(|(pid, began)| Start::Process { pid, began }),
        durable: Some(false),
        facts: vec![Fact {
            command: "stats".to_owned(),
            line: Some(format!("memcached {version}, in memory only{limit}")),
        }],
    }
}

pub(super) fn recall(line: &mut Line<Memcached>, key: &str) -> Result<Option<Vec<u8>>, String> {
    line.ask(&Op::Get(key.as_bytes()))?.into_value()
}

/// What is there.
pub(super) fn kept(line: &mut Line<Memcached>, key: &str) -> Result<Kept, String> {
    Ok(recall(line, key)?.map_or(Kept::Nothing, Kept::Text))
}

pub(super) fn keep(line: &mut Line<Memcached>, key: &str, text: &str) -> Result<(), String> {
    let (key, value) = (key.as_bytes(), text.as_bytes().into());
    let store = Store { mode: Mode::Set, key, value, flags: 0, expires: 0 };
    line.ask(&Op::Store(store))?.good()
}

pub(super) fn forget(line: &mut Line<Memcached>, key: &str) -> Result<(), String> {
    line.ask(&Op::Delete(key.as_bytes()))?.good()
}
