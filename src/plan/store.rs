//! Contenders that are stores: how they are spoken to, and what is done to
//! their data.

use crate::exit::Error;
use crate::plan::groups::{self, GroupGiven};
use crate::plan::settings::{Dialect, Settings};
use crate::plan::spec::Spec;
use crate::plan::{database, local};
use crate::shown::shown;
use crate::targets::url::{Login, Protocol, Url};
use engine::workload::{Feeds, MOST_GROUPS, Operations};
use engine::{Access, MemcachedAccess, Numbers, RespAccess, files, memcached_lacks, resp_lacks};
use record::{Contender, Kind, Share};
use std::collections::BTreeMap;
use wire::{memcached, resp};

/// Workers of a run at most, in as many groups as there can be: each has operations
/// of its own.
pub(crate) const MOST_PLACES: usize = 64 * MOST_GROUPS;

/// Settings that only a request has.
pub(super) fn refuse_requests(settings: &Settings) -> Result<(), String> {
    let given = [
        ("method", settings.method.is_some()),
        ("header", !settings.headers.is_empty()),
        ("data", settings.body.is_some()),
        ("expect", settings.expect.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((key, _)) => Err(format!(
            "{key} belongs to HTTP requests; what is done to a store is said by --workload"
        )),
        None => Ok(()),
    }
}

/// How the store behind this address is spoken to.
pub(super) fn access(url: &Url, settings: &Settings, feeds: &Feeds) -> Result<Access, String> {
    let numbers = Numbers::new(MOST_PLACES);
    match (url.protocol, settings.dialect) {
        (Protocol::Memcached, dialect @ (None | Some(Dialect::Text | Dialect::Meta))) => {
            let dialect = match dialect {
                Some(Dialect::Meta) => memcached::Dialect::Meta,
                _ => memcached::Dialect::Text,
            };
            Ok(Access::Memcached(MemcachedAccess { dialect, numbers }))
        }
        (Protocol::Redis, dialect @ (None | Some(Dialect::Resp2 | Dialect::Resp3))) => {
            let protocol = match dialect {
                Some(Dialect::Resp3) => resp::Protocol::Resp3,
                _ => resp::Protocol::Resp2,
            };
            Ok(Access::Resp(RespAccess {
                opening: opening(url, protocol)?,
                numbers,
                feeds: feeds.clone(),
            }))
        }
        (Protocol::Memcached, _) => Err("memcached has the dialects text and meta".to_owned()),
        (_, _) => Err("redis has the dialects resp2 and resp3".to_owned()),
    }
}

/// `redis://user:password@…/3`; `redis://:password@…` logs the default user in.
fn opening(url: &Url, protocol: resp::Protocol) -> Result<resp::Opening, String> {
    const TEXT: &str = "user and password of redis must be UTF-8";
    let text = |bytes: &Vec<u8>| String::from_utf8(bytes.clone()).map_err(|_| TEXT.to_owned());
    let (mut user, mut password) = (None, None);
    if let Some(Login { user: name, password: secret }) = &url.login {
        user = Some(text(name)?).filter(|name| !name.is_empty());
        password = Some(text(secret)?).filter(|secret| !secret.is_empty());
    }
    let database = url.database().unwrap_or(0);
    let (user, password) = (user.as_deref(), password.as_deref());
    let login = resp::Login { protocol, user, password, database };
    resp::Opening::new(&login).map_err(|fault| fault.0.to_owned())
}

/// Gives each store its workload, that of all its groups, in a key space of its own.
pub(super) fn give_workloads(
    spec: &Spec,
    urls: &[Url],
    groups: &[Vec<GroupGiven>],
    contenders: &mut [Contender],
) -> Result<(), Error> {
    let own = &spec.workload.own;
    let has_one =
        |url: &Url| url.protocol.is_store() || own.has_requests() && url.protocol == Protocol::Http;
    if spec.workload.is_given() && !urls.iter().any(has_one) {
        let (what, to) = match own.has_requests() {
            true => ("requests go", "web servers (http://)"),
            false => (
                "a workload is done",
                "stores (memcached://, redis://, postgres://, mysql://, file:///)",
            ),
        };
        return Err(Error::usage(format!("{what} to {to}, and no contender is one")));
    }
    for (number, (contender, url)) in contenders.iter_mut().zip(urls).enumerate() {
        let asks = contender.sql.as_ref().is_some_and(|sql| sql.query.is_some());
        if asks || !has_one(url) {
            continue;
        }
        if let Some(why) = own.why_not(url.protocol) {
            let name = &contender.name;
            return Err(Error::usage(format!("`{name}` cannot do the workload: {why}")));
        }
        give_workload(spec, (number, &groups[number]), contender, url)?;
    }
    Ok(())
}

/// Gives a contender its workload.
fn give_workload(
    spec: &Spec,
    (number, groups): (usize, &[GroupGiven]),
    contender: &mut Contender,
    url: &Url,
) -> Result<(), Error> {
    let whole = spec.workload.of(number).map_err(Error::usage)?;
    let workload = groups::workload(spec, groups, whole).map_err(Error::usage)?;
    let operations = Operations::new(&workload, 0)
        .map_err(|wrong| Error::usage(format!("workload: {wrong}")))?;
    let lacks = |share: &Share| match url.protocol {
        Protocol::Memcached => Some((share.kind, memcached_lacks(share.kind)?)),
        Protocol::Files => Some((share.kind, files::lacks(share.kind)?)),
        Protocol::Postgres | Protocol::Mysql | Protocol::Oracle => {
            Some((share.kind, drivers::lacks(share.kind)?))
        }
        Protocol::Http => (!share.kind.is_own()).then_some((share.kind, NO_STORE)),
        _ => Some((share.kind, resp_lacks(share.kind)?)),
    };
    if let Some((kind, why)) = workload.mix.iter().find_map(lacks) {
        let what = what_it_lacks(spec, kind);
        return Err(Error::usage(format!("`{}` cannot do {what}: {why}", contender.name)));
    }
    contender.skew = operations.skew().filter(|_| workload.asks_for_keys());
    contender.workload = Some(workload);
    local::check_values(contender)?;
    database::check_values(contender, url.protocol)
}

const NO_STORE: &str = "a web server is sent the requests of [[workload.requests]] alone";

/// As it was asked for: a preset, or a kind of operation.
fn what_it_lacks(spec: &Spec, kind: Kind) -> String {
    match (kind, &spec.workload.preset) {
        (Kind::Command(_), _) => "--command".to_owned(),
        (Kind::Cas, _) => "cas".to_owned(),
        (_, Some(preset)) => shown(preset),
        (_, None) => "the mix".to_owned(),
    }
}

/// Names of the codes of all stores and databases; none where no contender is one.
/// Their numbers do not meet: memcached's are below those that MySQL has for what a
/// load can meet, Redis's are those of MySQL's clients, PostgreSQL's are ours, and Oracle's lie above
/// them all.
pub(super) fn code_names(contenders: &[Contender]) -> BTreeMap<u16, String> {
    let has_codes = |contender: &Contender| contender.is_store() || contender.sql.is_some();
    if !contenders.iter().any(has_codes) {
        return BTreeMap::new();
    }
    let of_stores = memcached::codes::TABLE.iter().chain(resp::codes::TABLE);
    let mut names: BTreeMap<u16, String> =
        of_stores.map(|(code, name)| (*code, (*name).to_owned())).collect();
    if contenders.iter().any(|contender| contender.sql.is_some()) {
        names.extend(drivers::code_names());
    }
    names
}
