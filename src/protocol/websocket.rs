//! WebSocket: messages that come back.

use super::{Family, Login, Path, Protocol, Query, Ready, Scheme, Way};
use crate::access::Access;
use engine::{Numbers, WebSocketAccess};
use testserver::null::Door;
use wire::websocket::{Kind, Upgrade, codes};

pub(crate) static ROW: Protocol = Protocol {
    name: "ws",
    title: "WebSocket",
    schemes: &[Scheme::host("ws", 80), Scheme::tls("wss", 443), Scheme::socket("ws+unix")],
    example: "ws://127.0.0.1:8080/",
    login: Login::Optional,
    path: Path::OfRequest,
    query: Query::OfRequest,
    family: Family::WebSocket,
    ready: Ready::Upgrade,
    no_depth: None,
    no_groups: None,
    consistency: &[],
    lacks: |_| Some("a WebSocket server is sent messages, and no operations on keys"),
    codes: || codes::TABLE.iter().map(|(code, name)| (*code, (*name).to_owned())).collect(),
    null: Some(Door::WebSocket),
    ways: &[Way { name: "WebSocket", deep: true, fresh: true, access: usual }],
};

fn usual() -> Access {
    plain(Kind::Text, 64)
}

/// Messages of this kind and size, without a login and TLS.
pub(crate) fn plain(kind: Kind, message_bytes: u32) -> Access {
    Access::WebSocket(WebSocketAccess {
        upgrade: Upgrade::new("/", "null", &[]).expect("nothing in it can be refused"),
        kind,
        message_bytes,
        tls: None,
        numbers: Numbers::new(1),
    })
}
