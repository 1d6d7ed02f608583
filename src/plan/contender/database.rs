//! Contenders that are databases, driven through the client libraries that applications use.

use crate::plan::Settings;
use crate::plan::contender::gather::Candidate;
use crate::plan::contender::store;
use crate::plan::contender::{consistency, contender};
use crate::plan::spec::Spec;
use engine::{Numbers, TlsAccess};
use protocol::address::{Endpoint, Url, tls};
use protocol::{Access, Error};
use protocol::{ClientLibrary, Protocol, Sql, SqlParts, SqlTls};
use record::{Address, Consistency, Contender, DialPolicy, RequestPlan, SqlSettings};
use rustls::pki_types::ServerName;
use text::shown::shown;

/// Makes a contender that is queried in SQL.
pub(in crate::plan) fn database_at(
    spec: &Spec,
    row: &Sql,
    candidate: &Candidate,
    address: Address,
) -> Result<(Contender, Box<dyn Access>), Error> {
    let Candidate { url, settings, work, .. } = candidate;
    if settings.query.is_some() && spec.workload.is_given() {
        return Err(Error::usage("--query and a workload cannot be combined: give one of them"));
    }
    if let (Some(_), Some(why)) = (settings.reply_bytes, row.no_reply_limit) {
        return Err(Error::usage(format!("leave out reply.max: {why}")));
    }
    let sql = sql(candidate, row).map_err(Error::usage)?;
    let consistency = consistency(url.protocol, settings).map_err(Error::usage)?;
    let parts = parts(spec, (url, row), &sql, (settings, consistency))?;
    let access = (row.connect)(parts);
    let asks = match (&settings.query, work) {
        (Some(statement), _) => RequestPlan::Statement { statement: statement.clone(), sql },
        (None, Some(work)) => RequestPlan::Database { sql, work: work.clone() },
        (None, None) => unreachable!("a database that is asked no statement has a workload"),
    };
    let tls = url.tls.then(|| spec.trust.words());
    Ok((Contender { tls, ..contender(spec, candidate, address, asks)? }, access))
}

fn sql(candidate: &Candidate, row: &Sql) -> Result<SqlSettings, String> {
    let Candidate { url, settings, work, .. } = candidate;
    let (protocols, tables, database) = (row.protocols, row.tables, url.protocol.name);
    let protocol = settings.protocol.unwrap_or(protocols[0]);
    if !protocols.contains(&protocol) {
        let names: Vec<&str> = protocols.iter().map(|known| known.name()).collect();
        return Err(format!("{database} supports the protocols {}", names.join(", ")));
    }
    let is_known = |table: &String| tables.contains(&table.as_str());
    if let Some(table) = settings.table.as_ref().filter(|table| !is_known(table)) {
        let table = shown(table);
        return Err(match tables {
            [] => format!("{database} has only one kind of table: leave out table"),
            _ => format!("{database} has no table of kind {table}; it has {}", tables.join(", ")),
        });
    }
    let workload = work.as_ref().filter(|_| settings.query.is_none()).map(|work| &work.workload);
    let ClientLibrary { words, repeats } = (row.library)(&settings.own, workload)?;
    Ok(SqlSettings {
        protocol,
        // A recipe sets the table for the rows of a workload; a statement has no such table.
        table: settings.table.clone().filter(|_| settings.query.is_none()),
        reply_bytes: settings.reply_bytes,
        asks_own_server: url.protocol.null.is_none(),
        library: words,
        repeats,
    })
}

/// Returns what is needed to connect to the database.
fn parts<'a>(
    spec: &Spec,
    (url, row): (&Url, &Sql),
    sql_settings: &'a SqlSettings,
    (settings, consistency): (&'a Settings, Option<Consistency>),
) -> Result<SqlParts<'a>, Error> {
    let login = url.login.as_ref().map(|login| login.as_text("a database"));
    let (user, password) = login.transpose().map_err(Error::usage)?.unwrap_or_default();
    Ok(SqlParts {
        user: user.unwrap_or_default(),
        password,
        database: url.sql_database().expect("checked when it was read"),
        query: settings.query.as_deref().unwrap_or(row.cheapest).to_owned(),
        settings: sql_settings,
        own: &settings.own,
        tls: tls(spec, url, row)?,
        may_ask_for_key: url.allows_key_retrieval(),
        policy: DialPolicy::new(spec.allow_public),
        consistency,
        replication: settings.replication(),
        numbers: Numbers::new(store::MOST_COUNTERS),
        feeds: spec.workload.custom.feeds.clone(),
    })
}

fn tls(spec: &Spec, url: &Url, row: &Sql) -> Result<Option<SqlTls>, Error> {
    let Some(host) = tls_host(url)? else { return Ok(None) };
    let names = if row.is_partitioned { names(url)? } else { Vec::new() };
    // A library that reads the authorities itself gets the file only after it was read here with a
    // size limit.
    let config = spec.trust.config_with_names(&[], names)?;
    let access = TlsAccess { config, name: tls::server_name(host)? };
    let (roots, insecure) = (spec.trust.cacert.clone(), spec.trust.insecure);
    Ok(Some(SqlTls { access, host: host.to_owned(), roots, insecure }))
}

/// Returns the names of the nodes, without IP addresses: the certificate of a node must be for its
/// own name.
fn names(url: &Url) -> Result<Vec<ServerName<'static>>, Error> {
    let names = url.nodes().into_iter().map(|(host, _)| tls::server_name(host));
    let names: Result<Vec<_>, _> = names.collect();
    let is_name = |name: &ServerName<'_>| matches!(name, ServerName::DnsName(_));
    Ok(names?.into_iter().filter(is_name).collect())
}

/// Returns the host whose certificate is verified, or None without TLS.
fn tls_host(url: &Url) -> Result<Option<&str>, Error> {
    match &url.endpoint {
        Endpoint::Host { host, .. } => Ok(url.tls.then_some(host.as_str())),
        _ if url.tls => Err(Error::usage("TLS over a unix socket protects nothing: leave it out")),
        _ => Ok(None),
    }
}

/// Returns the table, or column family, of a contender's rows. Each kind of table has its own name,
/// and so do wide rows, so that their rows are loaded separately.
pub(in crate::plan) fn table(contender: usize, kind: Option<&str>, is_wide: bool) -> String {
    let kind = kind.map(|kind| format!("_{kind}")).unwrap_or_default();
    let wide = if is_wide { "_wide" } else { "" };
    format!("tiebreak{contender:02}{kind}{wide}")
}

/// Refuses values that the table cannot hold, before a server is contacted.
pub(in crate::plan) fn check_values(
    contender: &Contender,
    protocol: &Protocol,
) -> Result<(), Error> {
    let RequestPlan::Database { sql, work } = &contender.asks else { return Ok(()) };
    let Some(row) = protocol.sql().filter(|_| work.workload.has_values()) else { return Ok(()) };
    match (row.lacks_room)(sql, &work.workload) {
        Some(why) => Err(Error::usage(format!("`{}`: {why}", contender.name))),
        None => Ok(()),
    }
}

/// Returns a caution if operations of contenders have different numbers of statements.
pub(in crate::plan) fn different_batches(contenders: &[Contender]) -> Option<String> {
    let times = |of: &Contender| of.asks.sql().map_or(1, |sql| sql.repeats);
    let first = contenders.first()?;
    let other = contenders.iter().find(|of| times(of) != times(first))?;
    let in_words = |of: &Contender| match times(of) {
        1 => "once".to_owned(),
        times => format!("{times} times"),
    };
    Some(format!(
        "an operation of `{}` sends its statements {} (batch_size), and one of `{}` {}: figures \
         count operations, not statements",
        first.name,
        in_words(first),
        other.name,
        in_words(other)
    ))
}
