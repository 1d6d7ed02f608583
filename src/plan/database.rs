//! Contenders that are databases: how they are spoken to, through the client
//! libraries that applications use.

use crate::access::Access;
use crate::exit::Error;
use crate::plan::resolved::contender;
use crate::plan::spec::Spec;
use crate::plan::{Settings, local, store};
use crate::shown::shown;
use crate::targets::tls;
use crate::targets::url::{Place, Protocol, Url};
use drivers::SqlAccess;
use drivers::mysql::{self, MysqlAccess, MysqlTls};
use drivers::oracle;
use drivers::postgres::{self, PostgresAccess};
use engine::workload::longest_key;
use engine::{Numbers, TlsAccess};
use record::{Address, Contender, SqlAsked, SqlProtocol};

/// What a database is asked where its contender has no statement of its own: to see
/// whether it is there.
const CHEAPEST: &str = "SELECT 1";

/// The kinds of table of each, the default first.
const OF_POSTGRES: [&str; 2] = ["logged", "unlogged"];
const OF_MYSQL: [&str; 4] = ["innodb", "memory", "aria", "myisam"];

/// A contender that is spoken to in SQL.
pub(super) fn database_at(
    spec: &Spec,
    name: &str,
    url: &Url,
    address: Address,
    settings: &Settings,
) -> Result<(Contender, Access), Error> {
    store::refuse_requests(settings).map_err(Error::usage)?;
    local::refuse_file_settings(settings)?;
    refuse_wire_settings(settings).map_err(Error::usage)?;
    let of = &settings.databases;
    if of.query.is_some() && spec.workload.is_given() {
        return Err(Error::usage(
            "--query asks one statement, and a workload has its own: give one of them",
        ));
    }
    if of.charset.is_some() && url.protocol != Protocol::Oracle {
        return Err(Error::usage("charset belongs to oracle://: the others say it themselves"));
    }
    if of.reply_bytes.is_some() && url.protocol == Protocol::Oracle {
        return Err(Error::usage(
            "reply.max belongs to postgres:// and mysql://: oracledb cannot be told how long a \
             reply may be",
        ));
    }
    let known = contender(spec, name, url, address, settings)?;
    let sql = sql(url, settings).map_err(Error::usage)?;
    let access = match url.protocol {
        Protocol::Postgres => Access::Postgres(postgres(spec, url, &sql)?),
        #[cfg(feature = "oracle")]
        Protocol::Oracle => Access::Oracle(access(spec, url, &sql, (), None)?),
        _ => Access::Mysql(mysql(spec, url, &sql)?),
    };
    let tls = url.tls.then(|| spec.trust.words());
    Ok((Contender { sql: Some(sql), tls, ..known }, access))
}

/// Settings that only a wire lane has.
fn refuse_wire_settings(settings: &Settings) -> Result<(), String> {
    let given = [
        (
            settings.depth.is_some_and(|depth| depth > 1),
            "depth",
            "a client library has one statement in flight on a connection",
        ),
        (
            settings.dialect.is_some(),
            "dialect",
            "how statements are sent is said by protocol (simple, extended, text, prepared)",
        ),
    ];
    match given.into_iter().find(|(given, ..)| *given) {
        Some((_, key, why)) => Err(format!("{why}: leave out {key} for databases")),
        None => Ok(()),
    }
}

/// What only databases can be told is refused elsewhere.
pub(super) fn refuse_elsewhere(settings: &Settings) -> Result<(), Error> {
    match settings.databases.is_given() {
        true => Err(Error::usage(
            "query, charset, protocol, table, pool and reply.max belong to databases \
             (postgres://, mysql://)",
        )),
        false => Ok(()),
    }
}

fn sql(url: &Url, settings: &Settings) -> Result<SqlAsked, String> {
    let of = &settings.databases;
    let (protocols, tables, database) = match url.protocol {
        Protocol::Postgres => (
            &[SqlProtocol::Prepared, SqlProtocol::Extended, SqlProtocol::Simple][..],
            &OF_POSTGRES[..],
            "postgres",
        ),
        Protocol::Oracle => (&[SqlProtocol::Prepared][..], &[][..], "oracle"),
        _ => (&[SqlProtocol::Prepared, SqlProtocol::Text][..], &OF_MYSQL[..], "mysql"),
    };
    let protocol = of.protocol.unwrap_or(protocols[0]);
    if !protocols.contains(&protocol) {
        let names: Vec<&str> = protocols.iter().map(|known| known.name()).collect();
        return Err(format!("{database} has the protocols {}", names.join(", ")));
    }
    let is_known = |table: &String| tables.contains(&table.as_str());
    if let Some(table) = of.table.as_ref().filter(|table| !is_known(table)) {
        let table = shown(table);
        return Err(match tables {
            [] => format!("{database} has no kinds of table here: leave out table"),
            _ => format!("{database} has the tables {}, and no {table}", tables.join(", ")),
        });
    }
    Ok(SqlAsked {
        protocol,
        query: of.query.clone(),
        table: of.table.clone(),
        reply_bytes: of.reply_bytes,
    })
}

fn postgres(spec: &Spec, url: &Url, sql: &SqlAsked) -> Result<PostgresAccess, Error> {
    let tls = match tls_host(url)? {
        Some(host) => {
            Some(TlsAccess { config: spec.trust.config(&[])?, name: tls::server_name(host)? })
        }
        None => None,
    };
    let protocol = match sql.protocol {
        SqlProtocol::Simple => postgres::Protocol::Simple,
        SqlProtocol::Extended => postgres::Protocol::Extended,
        SqlProtocol::Prepared | SqlProtocol::Text => postgres::Protocol::Prepared,
    };
    access(spec, url, sql, protocol, tls)
}

fn mysql(spec: &Spec, url: &Url, sql: &SqlAsked) -> Result<MysqlAccess, Error> {
    let tls = match tls_host(url)? {
        Some(host) => {
            // The library reads the authorities itself: first they are read with a bound.
            spec.trust.config(&[])?;
            let (roots, insecure) = (spec.trust.cacert.clone(), spec.trust.insecure);
            Some(MysqlTls { roots, insecure, name: Some(host.to_owned()) })
        }
        None => None,
    };
    let protocol = match sql.protocol {
        SqlProtocol::Text => mysql::Protocol::Text,
        _ => mysql::Protocol::Prepared,
    };
    access(spec, url, sql, protocol, tls)
}

/// Its table is known when the contender has a number.
fn access<P, T>(
    spec: &Spec,
    url: &Url,
    sql: &SqlAsked,
    protocol: P,
    tls: Option<T>,
) -> Result<SqlAccess<P, T>, Error> {
    let (user, password) = login(url)?;
    Ok(SqlAccess {
        user,
        password,
        database: url.sql_database().expect("checked when it was read"),
        table: String::new(),
        query: statement(url.protocol, sql),
        protocol,
        tls,
        may_ask_for_key: url.allows_key_retrieval(),
        reply_bytes: sql.reply_bytes,
        numbers: Numbers::new(store::MOST_PLACES),
        feeds: spec.workload.own.feeds.clone(),
    })
}

fn statement(protocol: Protocol, sql: &SqlAsked) -> String {
    let cheapest = match protocol {
        Protocol::Oracle => oracle::CHEAPEST,
        _ => CHEAPEST,
    };
    sql.query.clone().unwrap_or_else(|| cheapest.to_owned())
}

/// User and password; an empty password is none.
fn login(url: &Url) -> Result<(String, Option<String>), Error> {
    const TEXT: &str = "user and password of a database must be UTF-8";
    let text = |bytes: &Vec<u8>| String::from_utf8(bytes.clone()).map_err(|_| Error::usage(TEXT));
    let login = url.login.as_ref().expect("checked when it was read");
    let password = text(&login.password)?;
    Ok((text(&login.user)?, Some(password).filter(|password| !password.is_empty())))
}

/// The host whose certificate is verified; none without TLS.
fn tls_host(url: &Url) -> Result<Option<&str>, Error> {
    match &url.place {
        Place::Host { host, .. } => Ok(url.tls.then_some(host.as_str())),
        _ if url.tls => Err(Error::usage("TLS over a unix socket protects nothing: leave it out")),
        _ => Ok(None),
    }
}

/// The table of a contender's rows. Each kind has its own: what was loaded into one
/// is not in another.
pub(super) fn table(contender: usize, sql: &SqlAsked) -> String {
    let kind = sql.table.as_ref().map(|kind| format!("_{kind}")).unwrap_or_default();
    format!("tiebreak{contender:02}{kind}")
}

/// Values that the table cannot hold are refused before a server is touched.
pub(super) fn check_values(contender: &Contender, protocol: Protocol) -> Result<(), Error> {
    let (Some(sql), Some(workload)) = (&contender.sql, &contender.workload) else { return Ok(()) };
    let (least, longest) = (workload.value.least(), workload.value.most());
    let room = mysql::ROW_BYTES - longest_key(workload) as u32;
    let why = match protocol {
        _ if !workload.has_values() => return Ok(()),
        Protocol::Oracle if longest > oracle::VALUE_BYTES || least == 0 => format!(
            "values on Oracle are RAW, and have 1 to {} bytes: --value",
            oracle::VALUE_BYTES
        ),
        Protocol::Mysql if sql.table.as_deref() == Some("memory") && longest > room => format!(
            "a MEMORY table has no BLOBs, and so no values of more than {room} bytes: lower \
             --value ({longest}), or take another table (--set NAME.table=innodb)"
        ),
        _ => return Ok(()),
    };
    Err(Error::usage(format!("`{}`: {why}", contender.name)))
}
