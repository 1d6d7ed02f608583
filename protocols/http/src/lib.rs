//! HTTP/1.1.
#![forbid(unsafe_code)]

mod lane;
mod null;
mod reply;
mod requests;

pub use lane::{HttpAccess, http_lanes};

use engine::{MakeLane, TlsAccess, grouped};
use protocol::{
    Access, Family, Login, NullLane, NullVariant, Path, Protocol, Query, ReadyRequest, Recipe,
    RequestHead, RequestOperation, RequestOperations, RequestParts, Requests, Scheme,
};
use record::DriveOrder;
use requests::HttpRequest;
use wire::http1::Request;

/// Its properties.
pub static ROW: Protocol = Protocol {
    name: "http",
    title: "HTTP",
    schemes: &[Scheme::host("http", 80), Scheme::tls("https", 443), Scheme::socket("http+unix")],
    example: "http://127.0.0.1:8080/",
    login: Login::Optional,
    path: Path::OfRequest,
    query: Query::OfRequest,
    family: Family::Requests(Requests { alpn: &[b"http/1.1"], check, connect }),
    ready: ReadyRequest::Page,
    no_depth: Some("depth applies only to stores (memcached://, redis://)"),
    lacks: |kind| {
        let why = "a web server supports only the requests of [[workload.requests]]";
        (!kind.is_own()).then_some(why)
    },
    null: Some(|| Box::new(null::Page)),
    recipes: &[
        Recipe { name: "nginx", text: include_str!("../recipes/nginx.toml") },
        Recipe { name: "lighttpd", text: include_str!("../recipes/lighttpd.toml") },
        Recipe { name: "caddy", text: include_str!("../recipes/caddy.toml") },
        Recipe { name: "apache", text: include_str!("../recipes/apache.toml") },
        Recipe { name: "node", text: include_str!("../recipes/node.toml") },
        Recipe { name: "go", text: include_str!("../recipes/go.toml") },
        Recipe { name: "uvicorn", text: include_str!("../recipes/uvicorn.toml") },
    ],
    null_variants: &[NullVariant::new("HTTP/1.1", plain).fresh()],
    ..Protocol::USUAL
};

/// The request of this head, for a body of this length.
fn request<'a>(head: &'a RequestHead<'_>, body_len: Option<u64>) -> Request<'a> {
    let RequestHead { method, target, host, headers } = head;
    Request { method, path: target, host, headers, body_len }
}

fn encoded(operation: &RequestOperation<'_>) -> Result<HttpRequest, String> {
    let names = operation.parameters.iter().copied();
    HttpRequest::new(&request(&operation.head, None), operation.body, names)
        .map_err(|fault| fault.0.to_owned())
}

fn check(operation: &RequestOperation<'_>) -> Result<(), String> {
    encoded(operation).map(|_| ())
}

fn connect(parts: RequestParts<'_>) -> Result<Box<dyn Access>, String> {
    let RequestParts { head, body, expect, tls, operations } = parts;
    let length = body.as_ref().map(|body| body.len() as u64);
    let bytes = request(&head, length).encode().map_err(|fault| fault.0.to_owned())?;
    let of_operation = |operation: &RequestOperation<'_>| {
        encoded(operation).map_err(|why| format!("request `{}`: {why}", operation.name))
    };
    let requests = operations.map(|operations| {
        let each = operations.each.iter().map(of_operation).collect::<Result<_, _>>()?;
        let (feeds, numbers) = (operations.feeds, operations.numbers);
        Ok::<_, String>(RequestOperations { each, feeds, numbers })
    });
    Ok(Box::new(HttpAccess {
        head: bytes.into(),
        body,
        head_only: head.method == "HEAD",
        expect,
        tls,
        requests: requests.transpose()?,
    }))
}

impl Access for HttpAccess {
    fn lanes(&self, order: &DriveOrder, contender: usize) -> Vec<MakeLane> {
        grouped(order, contender, |order| http_lanes(order, contender, self))
    }

    fn null_lane(&self) -> Option<NullLane> {
        let name = Some("HTTP/1.1".to_owned());
        Some(NullLane { access: plain(), name, service: ROW.null })
    }

    fn tls(&self) -> Option<&TlsAccess> {
        self.tls.as_ref()
    }
}

/// A GET of a page.
fn plain() -> Box<dyn Access> {
    let page = Request { method: "GET", path: "/", host: "null", headers: &[], body_len: None };
    Box::new(HttpAccess {
        head: page.encode().expect("nothing in it can be refused").into(),
        body: None,
        head_only: false,
        expect: Vec::new(),
        tls: None,
        requests: None,
    })
}
