//! Contenders that are sent requests, and the headers and TLS of all protocols that begin with one.

use crate::plan::contender::gather::Candidate;
use crate::plan::contender::{contender, store};
use crate::plan::settings::custom::CustomSettings;
use crate::plan::{Settings, Spec};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use engine::{Numbers, TlsAccess};
use protocol::address::{Endpoint, Login, Url, tls};
use protocol::secrets;
use protocol::{
    Access, Error, RequestHead, RequestOperation, RequestOperations, RequestParts, Requests,
};
use record::{Address, Contender, RequestPlan, RequestSettings};

/// Makes a contender that is sent one request, or those of a workload. With a body the method is POST
/// unless given.
pub(in crate::plan) fn requests_at(
    spec: &Spec,
    row: &Requests,
    candidate: &Candidate,
    address: Address,
) -> Result<(Contender, Box<dyn Access>), Error> {
    let Candidate { url, settings, work, .. } = candidate;
    let method = match (&settings.method, &settings.body) {
        (Some(method), _) => method.as_str(),
        (None, Some(_)) => "POST",
        (None, None) => "GET",
    };
    let headers = headers(url, settings).map_err(Error::usage)?;
    let recorded = RequestSettings {
        method: method.to_owned(),
        header_names: headers.iter().map(|(name, _)| name.clone()).collect(),
        body_bytes: settings.body.as_ref().map_or(0, |body| body.len() as u64),
        expect: settings.expect.clone().unwrap_or_default(),
        expect_empty: settings.expect_empty.unwrap_or(false),
    };
    let (target, host) = (url.request_target(), url.host_header());
    let tls = tls(spec, url, row.alpn)?;
    let has_tls = tls.is_some();
    let operations = operations(&spec.workload.custom, settings, (&target, &host), &headers);
    let access = (row.connect)(RequestParts {
        operations: operations.map_err(Error::usage)?,
        head: RequestHead { method, target: &target, host: &host, headers },
        body: settings.body.clone(),
        expect: recorded.expect.clone(),
        tls,
    })
    .map_err(Error::usage)?;
    let asks = match work.clone() {
        None => RequestPlan::Request(recorded),
        Some(work) => RequestPlan::Requests { request: recorded, work },
    };
    let contender = Contender {
        tls: has_tls.then(|| spec.trust.words()),
        ..contender(spec, candidate, address, asks)?
    };
    Ok((contender, access))
}

/// Returns the requests of the workload, or None if its operations are not requests. Their headers replace
/// the contender's headers of the same name; without a target they use that of the address.
fn operations<'a>(
    custom: &'a CustomSettings,
    settings: &Settings,
    (target, host): (&'a str, &'a str),
    headers: &[(String, Vec<u8>)],
) -> Result<Option<RequestOperations<RequestOperation<'a>>>, String> {
    if !custom.has_requests() {
        return Ok(None);
    }
    let given = [("method", settings.method.is_some()), ("data", settings.body.is_some())];
    if let Some((key, _)) = given.into_iter().find(|(_, given)| *given) {
        return Err(format!(
            "the requests of the workload define their own methods and bodies: leave out {key}"
        ));
    }
    let operations = custom.definition.operations.iter().zip(&custom.requests);
    let each = operations.map(|(operation, template)| {
        let replaced =
            |name: &str| template.headers.iter().any(|own| own.0.eq_ignore_ascii_case(name));
        let common: Vec<_> = headers.iter().filter(|(name, _)| !replaced(name)).cloned().collect();
        template.operation(operation, (template.target.as_deref().unwrap_or(target), host), &common)
    });
    let (feeds, numbers) = (custom.feeds.clone(), Numbers::new(store::MOST_COUNTERS));
    Ok(Some(RequestOperations { each: each.collect(), feeds, numbers }))
}

/// Returns the headers of all requests of a contender, including its login.
pub(in crate::plan) fn headers(
    url: &Url,
    settings: &Settings,
) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut headers = settings.headers.clone();
    if let Some(login) = &url.login {
        let given = |(name, _): &(String, Vec<u8>)| name.eq_ignore_ascii_case("authorization");
        if headers.iter().any(given) {
            return Err(
                "the login is given twice, in the address and as Authorization: leave one out"
                    .to_owned(),
            );
        }
        headers.push(("Authorization".to_owned(), basic(login)));
    }
    if !headers.is_empty() || settings.body.is_some() {
        // They may hold a key.
        sys::limits::hide_memory();
    }
    Ok(headers)
}

/// TLS to a host, which negotiates one of these protocols. Returns None if the address has no TLS.
pub(in crate::plan) fn tls(
    spec: &Spec,
    url: &Url,
    alpn: &[&[u8]],
) -> Result<Option<TlsAccess>, Error> {
    match (&url.endpoint, url.tls) {
        (Endpoint::Host { host, .. }, true) => {
            Ok(Some(TlsAccess { config: spec.trust.config(alpn)?, name: tls::server_name(host)? }))
        }
        _ => Ok(None),
    }
}

/// The value of the header for a basic login (RFC 7617).
fn basic(login: &Login) -> Vec<u8> {
    let pair = [login.user.as_slice(), b":", &login.password].concat();
    let encoded = BASE64_STANDARD.encode(pair);
    // A server may repeat the header.
    secrets::declare_login(encoded.as_bytes());
    format!("Basic {encoded}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Command;
    use crate::plan::contender::gather::TargetLocation;
    use crate::protocols::PROTOCOLS;
    use http::HttpAccess;
    use std::any::Any;

    /// What is recorded of the request, and what is sent.
    fn built(url: &str, sets: &[(&str, &str)]) -> Result<(RequestSettings, HttpAccess), Error> {
        let mut settings = Settings::default();
        for (key, value) in sets {
            settings.set(key, value).expect("good settings");
        }
        let url = PROTOCOLS.url(url).expect("a good address");
        let row = url.protocol.requests().expect("a server of requests");
        let location = TargetLocation::Attached { url: url.clone() };
        let (name, groups) = ("a".to_owned(), Vec::new());
        let candidate = Candidate { name, url, location, settings, groups, work: None };
        let (spec, address) = (Spec::new(Command::Run, Vec::new()), Address::Unix(String::new()));
        let (contender, access) = requests_at(&spec, row, &candidate, address)?;
        let access: &dyn Any = &*access;
        let access = access.downcast_ref::<HttpAccess>().expect("HTTP").clone();
        Ok((contender.asks.request().expect("a request").clone(), access))
    }

    #[test]
    fn the_login_becomes_a_header() {
        let (settings, access) =
            built("http://Aladdin:open%20sesame@h:81/p?q=1", &[]).expect("good");
        let head = String::from_utf8_lossy(&access.head).into_owned();
        assert!(head.starts_with("GET /p?q=1 HTTP/1.1\r\n"), "{head}");
        assert!(head.contains("\r\nHost: h:81\r\n"), "{head}");
        assert!(
            head.contains("\r\nAuthorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n"),
            "{head}"
        );
        assert_eq!(settings.header_names, ["Authorization"]);
        let twice = built("http://u:p@h/", &[("header", "authorization: x")]).err();
        assert!(twice.is_some_and(|error| error.text.contains("given twice")));
    }

    #[test]
    fn a_body_makes_it_a_post_unless_a_method_is_given() {
        for (sets, method, bytes) in [
            (&[][..], "GET", 0),
            (&[("data", "x=1")], "POST", 3),
            (&[("data", "x=1"), ("method", "PUT")], "PUT", 3),
            (&[("method", "HEAD")], "HEAD", 0),
        ] {
            let (settings, access) = built("http://h/", sets).expect("good");
            assert_eq!(settings.method, method);
            assert_eq!(settings.body_bytes, bytes);
            assert_eq!(access.body.is_some(), bytes > 0);
            assert_eq!(access.head_only, method == "HEAD");
        }
        assert!(built("http://h/", &[("method", "CONNECT")]).is_err());
    }
}
