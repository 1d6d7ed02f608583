//! What can be set for all contenders (a flag) or for one (`--set`).

mod of_databases;
mod of_files;

pub use of_databases::{DatabaseSettings, query};
pub use of_files::FileSettings;

use crate::input;
use crate::near;
use crate::plan::units;
use crate::shown::shown;
use record::{Arrivals, Reuse};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The longest timeout: beyond that nobody waits, and a slice must end.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(600);

/// Largest body: all of it is held in memory.
pub const LARGEST_BODY: u64 = 64 << 20;

/// The keys of `--set NAME.key=value`, each with an example for the help.
pub const KEYS: [(&str, &str); 22] = [
    ("reuse", "always, never or the number of operations on a connection"),
    ("connections", "64"),
    ("depth", "16 (operations in flight on a connection, of a store)"),
    ("dialect", "text or meta (memcached); resp2 or resp3 (redis)"),
    ("locking", "flock, rename or none (files)"),
    ("fsync", "true: every write of a file waits for the disk"),
    ("expires", "1h: files last written longer ago are misses"),
    ("query", "'SELECT 1' (the one statement; databases)"),
    ("charset", "AL32UTF8 (oracle)"),
    ("protocol", "simple, extended or prepared (postgres); text or prepared (mysql)"),
    ("table", "memory (mysql), unlogged (postgres): which kind of table a workload is in"),
    ("pool.max", "10: connections that all share; in place of reuse (databases)"),
    ("pool.wait", "1s: who gets none of them for so long fails"),
    ("pool.upkeep", "ping or reset between two operations; or neither"),
    (
        "reply.max",
        "100MB: a longer reply to an operation fails (databases; 4 MiB, or more where the workload's values need it)",
    ),
    ("rate", "5k/s"),
    ("arrivals", "constant or poisson"),
    ("timeout", "30s"),
    ("expect", "200,304"),
    ("method", "HEAD"),
    ("header", "'Accept: text/html' (may be given several times)"),
    ("data", "@file or text"),
];

/// How the arrivals of an open loop are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Equal gaps.
    Constant,
    /// Exponential gaps.
    Poisson,
}

/// Variants of the protocols of stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// memcached: `get`, `set`, …
    Text,
    /// memcached: `mg`, `ms`, …
    Meta,
    /// Redis: RESP2.
    Resp2,
    /// Redis: RESP3.
    Resp3,
}

/// The settings of one contender, or of all. No `Debug`: headers and body can
/// be secret.
#[derive(Clone, Default)]
pub struct Settings {
    /// Connections.
    pub connections: Option<u32>,
    /// Operations in flight on one connection.
    pub depth: Option<u32>,
    /// Which variant of its protocol a store is spoken to in.
    pub dialect: Option<Dialect>,
    /// How files are written.
    pub files: FileSettings,
    /// How databases are spoken to.
    pub databases: DatabaseSettings,
    /// The connection policy.
    pub reuse: Option<Reuse>,
    /// Operations per second.
    pub rate: Option<f64>,
    /// How they are spread.
    pub arrivals: Option<Spread>,
    /// Given up after this long.
    pub timeout: Option<Duration>,
    /// Codes that count as success.
    pub expect: Option<Vec<u16>>,
    /// The method.
    pub method: Option<String>,
    /// Name and value.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body.
    pub body: Option<Arc<[u8]>>,
}

impl Settings {
    /// Sets one key from its text. The messages never quote a header or a body.
    ///
    /// # Errors
    /// When the key is not known, or the value does not fit it.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "locking" | "fsync" | "expires" => self.files.set(key, value)?,
            "query" | "charset" | "protocol" | "table" | "pool.max" | "pool.wait"
            | "pool.upkeep" | "reply.max" => {
                self.databases.set(key, value)?;
            }
            "reuse" => self.reuse = Some(reuse(value)?),
            "connections" => self.connections = Some(connections(value)?),
            "depth" => self.depth = Some(depth(value)?),
            "dialect" => self.dialect = Some(dialect(value)?),
            "rate" => self.rate = Some(units::rate(value)?),
            "arrivals" => self.arrivals = Some(spread(value)?),
            "timeout" => self.timeout = Some(timeout(value)?),
            "expect" => self.expect = Some(expect(value)?),
            "method" => self.method = Some(value.to_owned()),
            "header" => self.headers.push(header(value)?),
            "data" => self.body = Some(data(value)?),
            other => {
                let known = KEYS.map(|(key, _)| key);
                let meant = near::did_you_mean(other, known);
                let other = shown(other);
                return Err(format!("there is no key `{other}`: {}{meant}", known.join(", ")));
            }
        }
        Ok(())
    }

    /// These settings where they are given, else the common ones. Headers of
    /// both are sent.
    pub fn over(mut self, common: &Settings) -> Settings {
        let mut headers = common.headers.clone();
        headers.append(&mut self.headers);
        Settings {
            connections: self.connections.or(common.connections),
            depth: self.depth.or(common.depth),
            dialect: self.dialect.or(common.dialect),
            files: self.files.over(common.files),
            databases: self.databases.over(&common.databases),
            reuse: self.reuse.or(common.reuse),
            rate: self.rate.or(common.rate),
            arrivals: self.arrivals.or(common.arrivals),
            timeout: self.timeout.or(common.timeout),
            expect: self.expect.or_else(|| common.expect.clone()),
            method: self.method.or_else(|| common.method.clone()),
            headers,
            body: self.body.or_else(|| common.body.clone()),
        }
    }

    /// When operations are due.
    ///
    /// # Errors
    /// When arrivals are given without a rate.
    pub fn arrivals(&self) -> Result<Arrivals, String> {
        match (self.rate, self.arrivals) {
            (None, None) => Ok(Arrivals::Closed),
            (Some(rate), None | Some(Spread::Constant)) => Ok(Arrivals::Constant(rate)),
            (Some(rate), Some(Spread::Poisson)) => Ok(Arrivals::Poisson(rate)),
            (None, Some(_)) => {
                Err("--arrivals says how a rate is spread: give --rate too, such as --rate 1000/s"
                    .to_owned())
            }
        }
    }
}

/// `--reuse`.
///
/// # Errors
/// When it is none of the policies.
pub fn reuse(text: &str) -> Result<Reuse, String> {
    match text {
        "always" => Ok(Reuse::Always),
        "never" => Ok(Reuse::Never),
        number => match units::count(number).ok().and_then(|count| u32::try_from(count).ok()) {
            Some(1) => Err("one operation on a connection is `never`".to_owned()),
            Some(times @ 2..) => Ok(Reuse::Times(times)),
            _ => Err(format!(
                "`{}` is not a connection policy: write always, never, or after how many \
                 operations to connect anew",
                shown(number)
            )),
        },
    }
}

/// `--connections`.
///
/// # Errors
/// When it is no count from 1 to a million.
pub fn connections(text: &str) -> Result<u32, String> {
    match units::count(text)? {
        count @ 1..=1_000_000 => Ok(count as u32),
        _ => Err(format!("`{text}` is not a number of connections from 1 to 1M")),
    }
}

/// `--depth`.
///
/// # Errors
/// When it is no count from 1 to 1024.
pub fn depth(text: &str) -> Result<u32, String> {
    match units::count(text)? {
        count @ 1..=1024 => Ok(count as u32),
        _ => Err(format!("`{text}` is not a number of operations in flight from 1 to 1024")),
    }
}

/// The dialect of a store.
///
/// # Errors
/// When it is none.
pub fn dialect(text: &str) -> Result<Dialect, String> {
    match text {
        "text" => Ok(Dialect::Text),
        "meta" => Ok(Dialect::Meta),
        "resp2" => Ok(Dialect::Resp2),
        "resp3" => Ok(Dialect::Resp3),
        other => Err(format!(
            "`{}` is not a dialect: text or meta for memcached, resp2 or resp3 for redis{}",
            shown(other),
            near::did_you_mean(other, ["text", "meta", "resp2", "resp3"])
        )),
    }
}

/// `--arrivals`.
///
/// # Errors
/// When it is neither word.
pub fn spread(text: &str) -> Result<Spread, String> {
    match text {
        "constant" => Ok(Spread::Constant),
        "poisson" => Ok(Spread::Poisson),
        other => Err(format!(
            "`{}` is not a way to spread arrivals: constant, poisson{}",
            shown(other),
            near::did_you_mean(other, ["constant", "poisson"])
        )),
    }
}

/// `--timeout`.
///
/// # Errors
/// When it is no duration above 0 and up to ten minutes.
pub fn timeout(text: &str) -> Result<Duration, String> {
    match units::duration(text)? {
        Duration::ZERO => Err("a timeout must be above 0".to_owned()),
        long if long > LONGEST_TIMEOUT => {
            Err(format!("`{text}` is longer than a timeout may be: 10m at most"))
        }
        timeout => Ok(timeout),
    }
}

/// `--expect`.
///
/// # Errors
/// When it is no list of final HTTP statuses.
pub fn expect(text: &str) -> Result<Vec<u16>, String> {
    let status = |part: &str| match part.trim().parse::<u16>() {
        Ok(status @ 200..=599) => Ok(status),
        _ => Err(format!(
            "`{}` is not a status of a final reply: write numbers from 200 to 599, such as 200,304",
            shown(part)
        )),
    };
    text.split(',').map(status).collect()
}

/// `-H`. The message does not quote what was typed: a header without its
/// colon may be a bare token.
///
/// # Errors
/// When name or value cannot stand in a request.
pub fn header(text: &str) -> Result<(String, Vec<u8>), String> {
    const HOW: &str = "write a header as 'Name: value'";
    let (name, value) = text.split_once(':').ok_or(HOW)?;
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(token) {
        return Err(format!("{HOW}; a name is made of letters, digits and -"));
    }
    if value.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t') {
        return Err(format!("the value of the header {name} holds a control character"));
    }
    match name.to_ascii_lowercase().as_str() {
        "content-length" | "transfer-encoding" => {
            Err(format!("leave out {name}: it follows from the body (-d)"))
        }
        "connection" => Err("leave out Connection: --reuse says when connections end".to_owned()),
        _ => Ok((name.to_owned(), value.trim().as_bytes().to_vec())),
    }
}

/// `-d`: text, or `@file`, which may be a pipe.
///
/// # Errors
/// When the file cannot be read, is too large, or has no end.
pub fn data(text: &str) -> Result<Arc<[u8]>, String> {
    let Some(file) = text.strip_prefix('@') else { return Ok(text.as_bytes().into()) };
    match input::any(Path::new(file), LARGEST_BODY) {
        Ok(bytes) => Ok(bytes.into()),
        Err(why) => Err(format!("the file {} {why}", shown(file))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(key: &str, value: &str) -> Result<Settings, String> {
        let mut settings = Settings::default();
        settings.set(key, value)?;
        Ok(settings)
    }

    #[test]
    fn good_values() {
        assert_eq!(set("reuse", "never").map(|s| s.reuse), Ok(Some(Reuse::Never)));
        assert_eq!(set("reuse", "always").map(|s| s.reuse), Ok(Some(Reuse::Always)));
        assert_eq!(set("reuse", "1k").map(|s| s.reuse), Ok(Some(Reuse::Times(1000))));
        assert_eq!(set("connections", "10k").map(|s| s.connections), Ok(Some(10_000)));
        assert_eq!(set("rate", "5k/s").map(|s| s.rate), Ok(Some(5000.0)));
        assert_eq!(set("arrivals", "poisson").map(|s| s.arrivals), Ok(Some(Spread::Poisson)));
        assert_eq!(set("timeout", "10m").map(|s| s.timeout), Ok(Some(LONGEST_TIMEOUT)));
        assert_eq!(set("expect", "200, 304").map(|s| s.expect), Ok(Some(vec![200, 304])));
        assert_eq!(set("method", "HEAD").map(|s| s.method), Ok(Some("HEAD".to_owned())));
        assert_eq!(
            set("header", "X-A:  b: c ").map(|s| s.headers),
            Ok(vec![("X-A".to_owned(), b"b: c".to_vec())])
        );
        assert_eq!(set("data", "x=1").map(|s| s.body), Ok(Some(b"x=1".as_slice().into())));
        assert_eq!(set("data", "@/dev/null").map(|s| s.body), Ok(Some([].as_slice().into())));
    }

    #[test]
    fn bad_values_name_the_remedy_and_quote_no_secret() {
        let table = [
            ("reuse", "1", "one operation on a connection is `never`"),
            (
                "reuse",
                "0",
                "`0` is not a connection policy: write always, never, or after how many operations to connect anew",
            ),
            (
                "reuse",
                "nevr",
                "`nevr` is not a connection policy: write always, never, or after how many operations to connect anew",
            ),
            ("connections", "0", "`0` is not a number of connections from 1 to 1M"),
            (
                "arrivals",
                "poison",
                "`poison` is not a way to spread arrivals: constant, poisson; did you mean `poisson`?",
            ),
            ("timeout", "0s", "a timeout must be above 0"),
            ("timeout", "11m", "`11m` is longer than a timeout may be: 10m at most"),
            (
                "expect",
                "200,2xx",
                "`2xx` is not a status of a final reply: write numbers from 200 to 599, such as 200,304",
            ),
            (
                "expect",
                "100",
                "`100` is not a status of a final reply: write numbers from 200 to 599, such as 200,304",
            ),
            ("header", "CANARY", "write a header as 'Name: value'"),
            (
                "header",
                "CAN ARY: x",
                "write a header as 'Name: value'; a name is made of letters, digits and -",
            ),
            ("header", "X: CANARY\r\nY: z", "the value of the header X holds a control character"),
            (
                "header",
                "Content-Length: 5",
                "leave out Content-Length: it follows from the body (-d)",
            ),
            (
                "header",
                "connection: close",
                "leave out Connection: --reuse says when connections end",
            ),
            (
                "resue",
                "never",
                "there is no key `resue`: reuse, connections, depth, dialect, locking, fsync, expires, query, charset, protocol, table, pool.max, pool.wait, pool.upkeep, reply.max, rate, arrivals, timeout, expect, method, header, data; did you mean `reuse`?",
            ),
            (
                "pool",
                "x",
                "there is no key `pool`: reuse, connections, depth, dialect, locking, fsync, expires, query, charset, protocol, table, pool.max, pool.wait, pool.upkeep, reply.max, rate, arrivals, timeout, expect, method, header, data",
            ),
        ];
        for (key, value, message) in table {
            assert_eq!(set(key, value).err().as_deref(), Some(message), "{key}={value}");
        }
        let missing = set("data", "@/no/such").err().expect("no such file");
        assert!(missing.starts_with("the file /no/such cannot be read: No such file"), "{missing}");
    }

    #[test]
    fn a_contenders_settings_win_and_headers_add_up() {
        let mut common = Settings::default();
        let mut own = Settings::default();
        for (key, value) in [("rate", "1k"), ("connections", "8"), ("header", "A: 1")] {
            common.set(key, value).expect("good");
        }
        for (key, value) in [("rate", "2k"), ("arrivals", "poisson"), ("header", "B: 2")] {
            own.set(key, value).expect("good");
        }
        let both = own.over(&common);
        assert_eq!(both.arrivals(), Ok(Arrivals::Poisson(2000.0)));
        assert_eq!(both.connections, Some(8));
        assert_eq!(both.headers.iter().map(|h| h.0.as_str()).collect::<Vec<_>>(), ["A", "B"]);
    }

    #[test]
    fn arrivals_need_a_rate() {
        assert_eq!(Settings::default().arrivals(), Ok(Arrivals::Closed));
        let rate = Settings { rate: Some(5.0), ..Settings::default() };
        assert_eq!(rate.arrivals(), Ok(Arrivals::Constant(5.0)));
        let spread = Settings { arrivals: Some(Spread::Constant), ..Settings::default() };
        assert!(spread.arrivals().unwrap_err().contains("give --rate too"));
    }
}
