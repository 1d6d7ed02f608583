//! WebSocket messages in words.

use record::MessageSettings;
use text::shown::shown;
use text::units;

/// `text messages of 64 B, each sent back, with Origin`, or `each sent to all 8 members of a
/// room`.
pub fn messages(of: &MessageSettings) -> String {
    let names: Vec<String> = of.header_names.iter().map(shown).collect();
    let headers =
        if names.is_empty() { String::new() } else { format!(", with {}", names.join(", ")) };
    let sent = match of.members {
        None => "back".to_owned(),
        Some(members) => format!("to all {members} members of a room"),
    };
    format!(
        "{} messages of {}, each sent {sent}{headers}",
        of.kind.name(),
        units::bytes(of.bytes.into())
    )
}
