//! Contenders that are sent messages: WebSocket.

use crate::plan::Spec;
use crate::plan::contender::candidate::Candidate;
use crate::plan::contender::contender;
use crate::plan::contender::{chat, request, store};
use engine::Numbers;
use protocol::{Access, Error};
use record::{Address, Contender, MessageKind, MessageSettings, RequestPlan};
use websocket::WebSocketAccess;
use wire::websocket::{Kind, Upgrade};

pub(in crate::plan) fn messages_at(
    spec: &Spec,
    candidate: &Candidate,
    address: Address,
) -> Result<(Contender, Box<dyn Access>), Error> {
    let Candidate { url, settings, .. } = candidate;
    let headers = request::headers(url, settings).map_err(Error::usage)?;
    let members = chat::members(spec, settings).map_err(Error::usage)?;
    let new = if members.is_some() { Upgrade::to_room } else { Upgrade::new };
    let upgrade = new(&url.request_target(), &url.host_header(), &headers)
        .map_err(|fault| Error::usage(fault.0))?;
    let (kind, bytes) = settings.messages();
    let tls = request::tls(spec, url)?;
    let header_names = headers.into_iter().map(|(name, _)| name).collect();
    let asks = RequestPlan::Messages(MessageSettings { header_names, kind, bytes, members });
    let contender = Contender {
        tls: tls.is_some().then(|| spec.trust.words()),
        ..contender(spec, candidate, address, asks)?
    };
    let kind = match kind {
        MessageKind::Text => Kind::Text,
        MessageKind::Binary => Kind::Binary,
    };
    let numbers = Numbers::new(store::MOST_COUNTERS);
    let access = WebSocketAccess { upgrade, kind, message_bytes: bytes, members, tls, numbers };
    Ok((contender, Box::new(access)))
}
