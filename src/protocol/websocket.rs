//! WebSocket, with messages that the server echoes.

use super::{Family, Login, NullVariant, Path, Protocol, Query, Ready, Scheme};
use crate::protocol::access::Access;
use engine::{Numbers, WebSocketAccess};
use testserver::null::Service;
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
    lacks: |_| Some("a WebSocket server receives messages and has no operations on keys"),
    codes: || codes::TABLE.iter().map(|(code, name)| (*code, (*name).to_owned())).collect(),
    null: Some(Service::WebSocket),
    null_variants: &[
        NullVariant { name: "WebSocket", deep: true, fresh: true, access: usual },
        NullVariant { name: "WebSocket chat", deep: false, fresh: true, access: usual_rooms },
    ],
};

fn usual() -> Access {
    plain(Kind::Text, 64, None)
}

fn usual_rooms() -> Access {
    plain(Kind::Text, 64, Some(8))
}

/// Messages of this kind and size, to rooms of this many members if given, without login and TLS.
pub(crate) fn plain(kind: Kind, message_bytes: u32, members: Option<u32>) -> Access {
    let new = if members.is_some() { Upgrade::to_room } else { Upgrade::new };
    Access::WebSocket(WebSocketAccess {
        upgrade: new("/", "null", &[]).expect("nothing in it can be refused"),
        kind,
        message_bytes,
        members,
        tls: None,
        numbers: Numbers::new(1),
    })
}
