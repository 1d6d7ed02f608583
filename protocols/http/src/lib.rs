//! HTTP/1.1.
#![forbid(unsafe_code)]

use engine::{HttpAccess, MakeLane, TlsAccess, grouped, http_lanes};
use protocol::{
    Access, Family, Login, NotReady, NullLane, NullVariant, Path, Protocol, Query, Ready, Scheme,
};
use record::DriveOrder;
use testserver::null::Service;
use wire::http1::Request;

/// Its properties.
pub static ROW: Protocol = Protocol {
    name: "http",
    title: "HTTP",
    schemes: &[Scheme::host("http", 80), Scheme::tls("https", 443), Scheme::socket("http+unix")],
    not_supported: &[],
    example: "http://127.0.0.1:8080/",
    login: Login::Optional,
    path: Path::OfRequest,
    query: Query::OfRequest,
    family: Family::Http,
    ready: Ready::Page,
    not_ready: |_| NotReady::ERROR,
    full: &[],
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

/// Requests to one target.
#[derive(Clone)]
pub struct Http(pub HttpAccess);

impl Access for Http {
    fn copy(&self) -> Box<dyn Access> {
        Box::new(self.clone())
    }

    fn lanes(&self, order: &DriveOrder, contender: usize) -> Vec<MakeLane> {
        grouped(order, contender, |order| http_lanes(order, contender, &self.0))
    }

    fn null_lane(&self) -> Option<NullLane> {
        let name = Some("HTTP/1.1".to_owned());
        Some(NullLane { access: plain(), name, service: ROW.null })
    }

    fn tls(&self) -> Option<&TlsAccess> {
        self.0.tls.as_ref()
    }
}

/// A GET of a page.
fn plain() -> Box<dyn Access> {
    let page = Request { method: "GET", path: "/", host: "null", headers: &[], body_len: None };
    Box::new(Http(HttpAccess {
        head: page.encode().expect("nothing in it can be refused").into(),
        body: None,
        head_only: false,
        expect: Vec::new(),
        tls: None,
        requests: None,
    }))
}
