//! WebSocket, with messages that the server echoes.
#![forbid(unsafe_code)]

mod chat;
mod copies;
mod lane;
mod messages;
mod null;
mod upgrade;

pub use lane::{WebSocketAccess, websocket_lanes};
pub use messages::SHORTEST_MESSAGE;

use engine::{MakeLane, Numbers, TlsAccess, grouped};
use protocol::{
    Access, Examples, Family, Login, MessageParts, Messages, NullLane, NullVariant, Path, Protocol,
    Query, ReadyRequest, Scheme,
};
use record::{DriveOrder, MessageKind};
use wire::websocket::{Kind, Upgrade, codes};

/// Its properties.
pub static ROW: Protocol = Protocol {
    name: "ws",
    title: "WebSocket",
    schemes: &[Scheme::host("ws", 80), Scheme::tls("wss", 443), Scheme::socket("ws+unix")],
    example: "ws://127.0.0.1:8080/",
    login: Login::Optional,
    path: Path::OfRequest,
    query: Query::OfRequest,
    family: Family::Messages(Messages {
        shortest: SHORTEST_MESSAGE,
        alpn: &[b"http/1.1"],
        connect,
    }),
    // The key of the example in RFC 6455, because the answer to the key is not checked.
    ready: ReadyRequest::Upgrade(
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
    ),
    not_ready: upgrade::not_ready,
    lacks: |_| Some("a WebSocket server receives messages and has no operations on keys"),
    codes: || codes::TABLE.iter().map(|(code, name)| (*code, (*name).to_owned())).collect(),
    null: Some(|| Box::new(null::WebSocket)),
    chapter: Some(("websocket", "WebSocket")),
    examples: Examples {
        compare: &[
            (
                "a=ws://127.0.0.1:8080/ b=ws://127.0.0.1:8081/ --message-size 1kB",
                "WebSocket servers that echo messages: every byte that comes back is compared",
            ),
            (
                "a=ws://127.0.0.1:8080/ b=ws://127.0.0.1:8081/ --workload chat --members 16",
                "a message from one member to all 16 of its room (?room=NAME in the URL)",
            ),
        ],
        load: &[],
        setup: &[],
    },
    null_variants: &[
        NullVariant::new("WebSocket", || plain(Kind::Text, 64, None)).deep().fresh(),
        NullVariant::new("WebSocket chat", || plain(Kind::Text, 64, Some(8))).fresh(),
    ],
    ..Protocol::USUAL
};

fn connect(parts: MessageParts<'_>) -> Result<Box<dyn Access>, String> {
    let MessageParts { bytes, members, tls, numbers, .. } = parts;
    let new = if members.is_some() { Upgrade::to_room } else { Upgrade::new };
    let upgrade = new(parts.target, parts.host, parts.headers).map_err(|fault| fault.0)?;
    let kind = match parts.kind {
        MessageKind::Text => Kind::Text,
        MessageKind::Binary => Kind::Binary,
    };
    let access = WebSocketAccess { upgrade, kind, message_bytes: bytes, members, tls, numbers };
    Ok(Box::new(access))
}

impl Access for WebSocketAccess {
    fn lanes(&self, order: &DriveOrder, contender: usize) -> Vec<MakeLane> {
        grouped(order, contender, |order| websocket_lanes(order, contender, self))
    }

    /// What it costs depends on what is masked and compared, and how often.
    fn null_lane(&self) -> Option<NullLane> {
        let WebSocketAccess { kind, message_bytes, members, .. } = *self;
        let rooms = members.map_or(String::new(), |of| format!(", rooms of {of}"));
        let word = match kind {
            Kind::Text => "text",
            Kind::Binary => "binary",
        };
        let name = Some(format!("WebSocket {word} {message_bytes}{rooms}"));
        Some(NullLane { access: plain(kind, message_bytes, members), name, service: ROW.null })
    }

    fn members(&self) -> u32 {
        self.members.unwrap_or(1)
    }

    fn tls(&self) -> Option<&TlsAccess> {
        self.tls.as_ref()
    }
}

/// Messages of this kind and size, to rooms of this many members if given, without login and TLS.
fn plain(kind: Kind, message_bytes: u32, members: Option<u32>) -> Box<dyn Access> {
    let new = if members.is_some() { Upgrade::to_room } else { Upgrade::new };
    Box::new(WebSocketAccess {
        upgrade: new("/", "null", &[]).expect("nothing in it can be refused"),
        kind,
        message_bytes,
        members,
        tls: None,
        numbers: Numbers::new(1),
    })
}
