//! The request that a contender sends, encoded once, ahead of the run.

use crate::plan::settings::custom::{CustomSettings, RequestTemplate};
use crate::plan::{Settings, Spec};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use engine::{Numbers, TlsAccess};
use http::{HttpRequest, HttpRequests};
use protocol::Error;
use protocol::address::{Endpoint, Login, Url, tls};
use protocol::secrets;
use record::{CustomOperation, RequestSettings};
use std::sync::Arc;
use wire::http1::Request;

/// A request: the part that may be recorded, and the bytes that are sent. No `Debug`.
pub(in crate::plan) struct Built {
    pub(in crate::plan) settings: RequestSettings,
    pub(in crate::plan) head: Arc<[u8]>,
    pub(in crate::plan) body: Option<Arc<[u8]>>,
}

/// Encodes the request to `url`. With a body the method is POST unless given.
pub(in crate::plan) fn build(url: &Url, settings: &Settings) -> Result<Built, String> {
    let method = match (&settings.method, &settings.body) {
        (Some(method), _) => method.as_str(),
        (None, Some(_)) => "POST",
        (None, None) => "GET",
    };
    let headers = headers(url, settings)?;
    let request = Request {
        method,
        path: &url.request_target(),
        host: &url.host_header(),
        headers: &headers,
        body_len: settings.body.as_ref().map(|body| body.len() as u64),
    };
    let head = request.encode().map_err(|fault| fault.0.to_owned())?;
    let recorded = RequestSettings {
        method: method.to_owned(),
        header_names: headers.into_iter().map(|(name, _)| name).collect(),
        body_bytes: settings.body.as_ref().map_or(0, |body| body.len() as u64),
        expect: settings.expect.clone().unwrap_or_default(),
        expect_empty: settings.expect_empty.unwrap_or(false),
    };
    Ok(Built { settings: recorded, head: head.into(), body: settings.body.clone() })
}

/// Encodes one of the requests of a workload. Its headers replace the contender's headers of the
/// same name; without a target it uses that of the address.
fn one_of_several(
    url: &Url,
    settings: &Settings,
    operation: &CustomOperation,
    template: &RequestTemplate,
) -> Result<HttpRequest, String> {
    let mut common = headers(url, settings)?;
    let custom =
        |name: &str| template.headers.iter().any(|header| header.0.eq_ignore_ascii_case(name));
    common.retain(|(name, _)| !custom(name));
    let target = template.target.clone().unwrap_or_else(|| url.request_target().to_string());
    template.encode(operation, &target, &url.host_header(), &common)
}

/// Returns the requests to this address, or None if the operations are not requests.
pub(in crate::plan) fn several(
    custom: &CustomSettings,
    url: &Url,
    settings: &Settings,
    workers: usize,
) -> Result<Option<HttpRequests>, String> {
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
        let built = one_of_several(url, settings, operation, template);
        built.map_err(|why| format!("request `{}`: {why}", operation.name))
    });
    let (feeds, numbers) = (custom.feeds.clone(), Numbers::new(workers));
    Ok(Some(HttpRequests { each: each.collect::<Result<_, _>>()?, feeds, numbers }))
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

/// TLS to a host, as HTTP/1.1 asks for it. Returns None if the address has no TLS.
pub(in crate::plan) fn tls(spec: &Spec, url: &Url) -> Result<Option<TlsAccess>, Error> {
    match (&url.endpoint, url.tls) {
        (Endpoint::Host { host, .. }, true) => Ok(Some(TlsAccess {
            config: spec.trust.config(&[b"http/1.1"])?,
            name: tls::server_name(host)?,
        })),
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
    use crate::protocols::PROTOCOLS;

    fn built(url: &str, sets: &[(&str, &str)]) -> Result<Built, String> {
        let mut settings = Settings::default();
        for (key, value) in sets {
            settings.set(key, value).expect("good settings");
        }
        build(&PROTOCOLS.url(url).expect("a good address"), &settings)
    }

    #[test]
    fn the_login_becomes_a_header() {
        let request = built("http://Aladdin:open%20sesame@h:81/p?q=1", &[]).expect("good");
        let head = String::from_utf8_lossy(&request.head).into_owned();
        assert!(head.starts_with("GET /p?q=1 HTTP/1.1\r\n"), "{head}");
        assert!(head.contains("\r\nHost: h:81\r\n"), "{head}");
        assert!(
            head.contains("\r\nAuthorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n"),
            "{head}"
        );
        assert_eq!(request.settings.header_names, ["Authorization"]);
        let twice = built("http://u:p@h/", &[("header", "authorization: x")]).err();
        assert!(twice.is_some_and(|message| message.contains("given twice")));
    }

    #[test]
    fn a_body_makes_it_a_post_unless_a_method_is_given() {
        for (sets, method, bytes) in [
            (&[][..], "GET", 0),
            (&[("data", "x=1")], "POST", 3),
            (&[("data", "x=1"), ("method", "PUT")], "PUT", 3),
            (&[("method", "HEAD")], "HEAD", 0),
        ] {
            let request = built("http://h/", sets).expect("good");
            assert_eq!(request.settings.method, method);
            assert_eq!(request.settings.body_bytes, bytes);
            assert_eq!(request.body.is_some(), bytes > 0);
        }
        assert!(built("http://h/", &[("method", "CONNECT")]).is_err());
    }
}
