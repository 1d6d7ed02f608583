//! Settings of all contenders (flags) or of one (`--set`).

pub(super) mod command;
pub mod commands;
pub mod custom;
pub(crate) mod custom_presets;
pub mod declared;
pub mod group_given;
pub(super) mod names;
pub(in crate::plan) mod run_settings;
pub(super) mod spelling;
pub mod sweep_settings;
pub mod workload;

mod of_databases;
mod of_loads;
mod of_messages;
mod of_processes;
mod of_requests;
mod of_sharding;
mod of_watchers;
mod own;
mod refused;
#[cfg(test)]
pub(in crate::plan) mod samples;
mod slo;

pub(in crate::plan) use of_loads::LONGEST_TIMEOUT;
pub use of_loads::{Spread, connections, depth};
pub use of_requests::{LARGEST_BODY, expect, header};
pub(in crate::plan) use of_watchers::split as watcher_address;
pub(in crate::plan) use refused::refuse;

use crate::plan::Command::Load;
use crate::plan::settings::declared::Heading;
use crate::plan::settings::declared::Heading::Request;
use crate::plan::settings::declared::InFile::{
    Body, Bytes, Count, CountOr, Duration as Time, Headers, Pids, Processes, ProtocolWords, Rate,
    Statuses, Switch, Text, Words,
};
use crate::plan::settings::declared::UsedBy::{
    Connected, Databases, Deep, Headers as WithHeaders, Messages, Replicated, Requests, Running,
    Sharded, Stores,
};
use crate::plan::settings::declared::{Declared, Flag, Row, Setting, declared, switch};
use protocol::Own;
use record::{Consistency, Maintenance, MessageKind, Reuse, ShardRule, SqlProtocol};
use std::sync::Arc;
use std::time::Duration;
use text::quantities;
use text::shown::shown;

declared! {
    /// The settings of one contender, or of all. No `Debug`: headers and body can
    /// be secret.
    #[derive(Clone, Default, PartialEq)]
    pub struct Settings also {
        /// Those that only some protocols have.
        own: Own,
    } and own::rows;

    reuse: Option<Reuse>, of_loads::reuse,
        Setting::new(
            CountOr(&["always", "never"]),
            "The connection policy: `always`, `never`, or after how many operations to connect \
             anew.",
        )
        .example("always, never or the number of operations on a connection")
        .only(Connected)
        .flags(&[Flag::new(
            "WHEN",
            "When connections end: always (persistent), never (a fresh one for each request, \
             its connect measured too), or after N requests [default: always]",
        )
        .under(Heading::Load, 6)]);

    connections: Option<u32>, of_loads::connections,
        Setting::new(Count, "How many connections; 64 by default.")
        .example("64")
        .of_groups()
        .flags(&[
            Flag::new("N", "Connections to each contender [default: 64]")
                .short('c')
                .common()
                .under(Heading::Load, 2),
            Flag::new("N", "Connections to each store [default: 64]")
                .short('c')
                .common()
                .only(&[Load]),
        ]);

    depth: Option<u32>, of_loads::depth,
        Setting::new(
            Count,
            "Operations in flight on a connection, of stores and servers of messages; 1 by default.",
        )
        .example("16 (operations in flight on a connection, of stores and servers of messages)")
        .only(Deep)
        .of_groups()
        .flags(&[Flag::new(
            "N",
            "Operations in flight on each connection, of stores and servers of messages [default: 1]",
        )
        .under(Heading::Load, 4)]);

    dialect: Option<&'static str>, of_loads::dialect,
        Setting::new(ProtocolWords, "The protocol variant of a store")
        .words(of_loads::dialects)
        .only(Stores);

    distribution: Option<ShardRule>, of_sharding::distribution,
        Setting::new(
            Words(&["modula", "consistent", "ketama", "php-memcache", "php-memcache-fnv", "php-memcache-standard"]),
            "By which rule a key finds its server among several ones: `modula`, `consistent`, \
             `ketama`, `php-memcache`, `php-memcache-fnv` or `php-memcache-standard`; `modula` by \
             default.",
        )
        .example("ketama: by which rule a key finds its server among several ones")
        .only(Sharded);

    failover: Option<bool>, of_sharding::failover,
        Setting::new(
            Switch,
            "Whether keys of a server that cannot be reached go to the others; `false` by default.",
        )
        .example("true: keys of a server that is down go to the others")
        .only(Sharded);

    consistency: Option<Consistency>, of_loads::consistency,
        Setting::new(
            Words(&["one", "two", "three", "quorum", "all", "local-one", "local-quorum", "each-quorum", "serial", "local-serial"]),
            "How many replicas must have answered an operation: `one`, `two`, \
             `three`, `quorum`, `all`, `local-one`, `local-quorum` or `each-quorum`; `one` by \
             default.",
        )
        .example("quorum: how many replicas must have answered an operation")
        .only(Replicated);

    replication: Option<u32>, of_loads::replication,
        Setting::new(
            Count,
            "How many copies there are of each row of a keyspace that a load creates; 1 by default.",
        )
        .example("3: copies of each row, if a load creates the keyspace")
        .only(Replicated);

    query: Option<String>, of_databases::query,
        Setting::new(Text, "The one statement that is sent to a database, instead of a workload.")
        .example("'SELECT 1' (the one statement; databases)")
        .only(Databases)
        // Messages do not quote it.
        .flags(&[Flag::new(
            "STATEMENT",
            "Send this statement to databases, instead of a workload. It \
             is recorded, so it must not hold a secret",
        )
        .under(Request, 3)]);

    protocol: Option<SqlProtocol>, of_databases::protocol,
        Setting::new(ProtocolWords, "How statements are sent, `prepared` by default")
        .words(of_databases::protocols)
        .only(Databases);

    table: Option<String>, of_databases::table,
        Setting::new(
            ProtocolWords,
            "Which kind of table a workload's rows are in: the storage engine, whether it is logged, or how it is \
             compacted",
        )
        .words(of_databases::tables)
        .only(Databases);

    pool_max: Option<u32>, of_loads::connections,
        Setting::new(Count, "How many at most.")
        .key("pool.max")
        .example("10: connections that all operations share; instead of reuse (databases)")
        .only(Databases);

    pool_wait: Option<Duration>, of_loads::pool_wait,
        Setting::new(
            Time,
            "How long an operation waits for a connection before it fails; the timeout by default.",
        )
        .key("pool.wait")
        .example("1s: an operation that waits longer for a connection fails")
        .only(Databases);

    pool_upkeep: Option<Maintenance>, of_databases::upkeep,
        Setting::new(
            Words(&["neither", "ping", "reset"]),
            "What is done to a connection between two operations; `neither` by default.",
        )
        .key("pool.upkeep")
        .example("ping or reset between two operations; or neither")
        .only(Databases);

    reply_bytes: Option<u64>, of_databases::reply_bytes,
        Setting::new(
            Bytes,
            "Bytes of a reply, from 1 kB to 1 GB; a longer one fails as `too_large`. 4 MiB by \
             default, or more where the workload's own values need it.",
        )
        .key("reply.max")
        .example(
            "100MB: a longer reply to an operation fails (databases; 4 MiB, or more where the \
             workload's values need it)",
        )
        .only(Databases);

    rate: Option<f64>, quantities::rate,
        Setting::new(Rate, "Operations per second; if left out, as fast as replies come.")
        .example("5k/s")
        .of_groups()
        .flags(&[Flag::new(
            "RATE",
            "Requests per second (5k/s, 1000/s, 250); without it as fast as replies come",
        )
        .more(
            "Without --rate every connection sends its next request when it has the reply \
             (closed loop), and contenders are compared by throughput. With it requests are \
             due by a schedule that no slow reply can stop (open loop); response times count \
             from when a request was due, and contenders are compared by their p99.",
        )
        .common()
        .under(Heading::Load, 3)]);

    arrivals: Option<Spread>, of_loads::spread,
        Setting::new(Words(&["constant", "poisson"]), "How a rate is spread.")
        .example("constant or poisson")
        .of_groups()
        .flags(&[Flag::new(
            "HOW",
            "How the requests of --rate are spread: constant or poisson [default: constant]",
        )
        .under(Heading::Load, 5)]);

    timeout: Option<Duration>, of_loads::timeout,
        Setting::new(
            Time,
            "How long to wait before an operation is given up; 30s by default, and 2h for a run of a suite.",
        )
        .example("30s")
        .flags(&[Flag::new(
            "TIME",
            "Give up a request after this long, 10m at most; its time is recorded as at least that \
             [default: 30s]. A run of a suite: 24h at most [default: 2h]",
        )
        .under(Heading::Load, 7)]);

    pids: Option<Vec<u32>>, of_processes::pids,
        Setting::new(
            Pids,
            "The processes of a target that runs already, whose CPU time and memory are measured, \
             with all their descendants: a number, or a list of numbers.",
        )
        .key("pid")
        .example("4711,4712: the processes of the target, for its CPU time and memory")
        .only(Running);

    processes: Option<Vec<String>>, of_processes::names,
        Setting::new(
            Processes,
            "Of a target that runs already: its processes by name, or a list of names, such as \
             a proxy and the server behind it; their CPU time and memory are measured, with all \
             their descendants. Of a target that is launched: its processes, started in this order; \
             the last one is driven. If its address has several nodes, each is one of them, and \
             all are started at once.",
        )
        .key("process")
        .example("nginx,php-fpm: the processes of the target by the names of programs")
        .only(Running);

    watch: Option<String>, of_watchers::address,
        Setting::new(
            Text,
            "HOST:PORT of `tiebreak watch` on the machine of the target, which reads the CPU time and \
             memory of the target there.",
        )
        .example("10.0.0.5:9310: tiebreak watch there reads the CPU time of the target")
        .only(Running);

    watch_token_file: Option<String>, of_watchers::token_file,
        Setting::new(
            Text,
            "A file with the token that `tiebreak watch` printed; without it the token is the value of \
             the environment variable TIEBREAK_WATCH_TOKEN.",
        )
        .example("token.txt: a file with its token, instead of TIEBREAK_WATCH_TOKEN")
        .only(Running);

    expect: Option<Vec<u16>>, of_requests::expect,
        Setting::new(Statuses, "Statuses that count as success; 200 to 299 by default.")
        .example("200,304")
        .only(Requests)
        .flags(&[Flag::new(
            "STATUS,…",
            "Statuses that count as success, such as 200,304 [default: 200 to 299]",
        )
        .under(Request, 4)]);

    expect_empty: Option<bool>, switch,
        Setting::new(Switch, "Whether replies 200 to GET may have no body; `false` by default.")
        .example("true: replies without a body are meant")
        .only(Requests)
        .flags(&[Flag::switch("Replies 200 to GET may have no body")
                .named("expect-empty")
                .under(Request, 8)]);

    method: Option<String>, of_requests::method,
        Setting::new(Text, "The method; GET, or POST with `data`.")
        .example("HEAD")
        .only(Requests)
        .flags(&[Flag::new("METHOD", "Method [default: GET; POST with -d]")
                .short('X')
                .unquoted()
                .under(Request, 0)]);

    headers: Vec<(String, Vec<u8>)>, of_requests::header,
        Setting::new(Headers, "Headers: a value, or a list of values.")
        .key("header")
        .example("'Accept: text/html' (may be given several times)")
        .only(WithHeaders)
        .flags(&[Flag::new(
            "NAME: VALUE",
            "Send this header (its value is never recorded); repeat it for several",
        )
        .short('H')
        .repeated()
        .unquoted()
        .common()
        .under(Request, 1)]);

    message: Option<MessageKind>, of_messages::kind,
        Setting::new(
            Words(&["text", "binary"]),
            "The kind of messages: `text` or `binary`; `text` by default.",
        )
        .example("text or binary (ws)")
        .only(Messages)
        .flags(&[Flag::new("KIND", "The kind of messages: text or binary [default: text]")
            .under(Request, 5)]);

    message_bytes: Option<u32>, of_messages::size,
        Setting::new(Bytes, "Bytes of a message, from 16 B to 16 MiB; `64B` by default.")
        .key("message_size")
        .example("1kB: bytes of a message (ws)")
        .only(Messages)
        .flags(&[Flag::new("SIZE", "Bytes of each message, from 16B to 16MiB [default: 64B]")
            .named("message-size")
            .under(Request, 6)]);

    members: Option<u32>, of_messages::members,
        Setting::new(
            Count,
            "Members of a room of the workload `chat`, from 2 to 1000; 8 by default.",
        )
        .example("8: members of a room (ws, --workload chat)")
        .only(Messages)
        .flags(&[Flag::new(
            "N",
            "Members of each room of --workload chat, from 2 to 1000 [default: 8]",
        )
        .under(Request, 7)]);

    body: Option<Arc<[u8]>>, of_requests::data,
        Setting::new(
            Body,
            "The body: a text, or `@file` beside this file: a plain file of at most 64 MiB.",
        )
        .key("data")
        .example("@file or text")
        .only(Requests)
        .flags(&[Flag::new(
            "@FILE|TEXT",
            "Send this body, or the contents of the file after @; never recorded",
        )
        .short('d')
        .unquoted()
        .text_or_file()
        .under(Request, 2)]);
}

impl Settings {
    /// Sets one key from its text. The messages never quote a header or a body.
    ///
    /// # Errors
    /// When the key is not known, or the value does not fit it.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let is_it =
            |row: &&Row<Settings>| [row.setting.key, row.setting.key_in_file()].contains(&key);
        match Settings::table().find(is_it) {
            Some(row) => row.set(self, value),
            None => {
                let known: Vec<&str> = Settings::table().map(|row| row.setting.key).collect();
                let meant = spelling::did_you_mean(key, &known);
                let key = shown(key);
                Err(format!("there is no key `{key}`: {}{meant}", known.join(", ")))
            }
        }
    }
}

pub(in crate::plan) fn of_groups() -> impl Iterator<Item = &'static Row<Settings>> {
    Settings::table().filter(|row| row.setting.of_groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Arrivals;

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
        assert_eq!(set("timeout", "10m").map(|s| s.timeout), Ok(Some(Duration::from_secs(600))));
        assert_eq!(set("expect", "200, 304").map(|s| s.expect), Ok(Some(vec![200, 304])));
        assert_eq!(set("method", "HEAD").map(|s| s.method), Ok(Some("HEAD".to_owned())));
        assert_eq!(
            set("header", "X-A:  b: c ").map(|s| s.headers),
            Ok(vec![("X-A".to_owned(), b"b: c".to_vec())])
        );
        // As the key is written in a file.
        assert!(set("headers", "X-A: b") == set("header", "X-A: b"));
        assert_eq!(set("data", "x=1").map(|s| s.body), Ok(Some(b"x=1".as_slice().into())));
        assert_eq!(set("data", "@/dev/null").map(|s| s.body), Ok(Some([].as_slice().into())));
    }

    #[test]
    fn bad_values_name_the_remedy_and_quote_no_secret() {
        let table = [
            ("reuse", "1", "for one operation per connection write `never`"),
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
            ("timeout", "25h", "`25h` is longer than a day"),
            ("pool.wait", "11m", "`11m` is too long for a timeout: it must be at most 10m"),
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
                "write a header as 'Name: value'; a name consists of letters, digits and -",
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
        ];
        for (key, value, message) in table {
            assert_eq!(set(key, value).err().as_deref(), Some(message), "{key}={value}");
        }
        let unknown = |key| set(key, "x").err().expect("no such key");
        assert!(unknown("resue").ends_with("; did you mean `reuse`?"), "{}", unknown("resue"));
        // The table of an experiment file.
        assert!(
            unknown("pool").contains("no key `pool`: reuse, connections, "),
            "{}",
            unknown("pool")
        );
        let missing = set("data", "@/no/such").err().expect("no such file");
        assert!(missing.starts_with("the file /no/such cannot be read: No such file"), "{missing}");
    }

    #[test]
    fn a_contenders_settings_win_and_headers_add_up() {
        let mut common = Settings::default();
        let mut custom = Settings::default();
        for (key, value) in [("rate", "1k"), ("connections", "8"), ("header", "A: 1")] {
            common.set(key, value).expect("good");
        }
        for (key, value) in [("rate", "2k"), ("arrivals", "poisson"), ("header", "B: 2")] {
            custom.set(key, value).expect("good");
        }
        let both = custom.over(&common);
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
