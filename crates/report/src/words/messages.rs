//! What is told of the messages of WebSocket.

use record::MessagesAsked;
use text::shown::shown;
use text::units;

/// `text messages of 64 B, each sent back; with Origin`.
pub fn messages(of: &MessagesAsked) -> String {
    let names: Vec<String> = of.header_names.iter().map(shown).collect();
    let headers = match names.is_empty() {
        true => String::new(),
        false => format!(", with {}", names.join(", ")),
    };
    format!(
        "{} messages of {}, each sent back{headers}",
        of.kind.name(),
        units::bytes(of.bytes.into())
    )
}
