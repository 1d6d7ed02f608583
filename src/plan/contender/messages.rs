//! Contenders that are sent messages.

use crate::plan::Spec;
use crate::plan::contender::contender;
use crate::plan::contender::gather::Candidate;
use crate::plan::contender::{chat, request, store};
use engine::Numbers;
use protocol::{Access, Error, MessageParts, Messages};
use record::{Address, Contender, MessageSettings, RequestPlan};

pub(in crate::plan) fn messages_at(
    spec: &Spec,
    row: &Messages,
    candidate: &Candidate,
    address: Address,
) -> Result<(Contender, Box<dyn Access>), Error> {
    let Candidate { url, settings, .. } = candidate;
    let headers = request::headers(url, settings).map_err(Error::usage)?;
    let members = chat::members(spec, settings).map_err(Error::usage)?;
    let (kind, bytes) = settings.messages();
    let tls = request::tls(spec, url, row.alpn)?;
    let has_tls = tls.is_some();
    let (target, host) = (url.request_target(), url.host_header());
    let access = (row.connect)(MessageParts {
        target: &target,
        host: &host,
        headers: &headers,
        kind,
        bytes,
        members,
        tls,
        numbers: Numbers::new(store::MOST_COUNTERS),
    })
    .map_err(Error::usage)?;
    let header_names = headers.into_iter().map(|(name, _)| name).collect();
    let asks = RequestPlan::Messages(MessageSettings { header_names, kind, bytes, members });
    let contender = Contender {
        tls: has_tls.then(|| spec.trust.words()),
        ..contender(spec, candidate, address, asks)?
    };
    Ok((contender, access))
}
