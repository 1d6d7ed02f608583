//! HTTP/1.1.

use super::{Family, Login, NullVariant, Path, Protocol, Query, Ready, Scheme};
use crate::protocol::access::Access;
use engine::HttpAccess;
use testserver::null::Service;
use wire::http1::Request;

pub(super) static ROW: Protocol = Protocol {
    name: "http",
    title: "HTTP",
    schemes: &[Scheme::host("http", 80), Scheme::tls("https", 443), Scheme::socket("http+unix")],
    example: "http://127.0.0.1:8080/",
    login: Login::Optional,
    path: Path::OfRequest,
    query: Query::OfRequest,
    family: Family::Http,
    ready: Ready::Page,
    no_depth: Some("depth applies only to stores (memcached://, redis://)"),
    no_groups: None,
    consistency: &[],
    lacks: |kind| {
        let why = "a web server supports only the requests of [[workload.requests]]";
        (!kind.is_own()).then_some(why)
    },
    codes: Vec::new,
    null: Some(Service::Stores),
    null_variants: &[NullVariant { name: "HTTP/1.1", deep: false, fresh: true, access: plain }],
};

/// A GET of a page.
pub(crate) fn plain() -> Access {
    let page = Request { method: "GET", path: "/", host: "null", headers: &[], body_len: None };
    Access::Http(HttpAccess {
        head: page.encode().expect("nothing in it can be refused").into(),
        body: None,
        head_only: false,
        expect: Vec::new(),
        tls: None,
        requests: None,
    })
}
