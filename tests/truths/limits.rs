//! Known truths about whose limit was measured, through the binary: the client's cost is compared where
//! every application pays it, and the cost of our own codecs is never anybody's difference.

use crate::common::stores::Store;
use crate::common::{TestDirectory, number, serve, url};
use crate::compared::in_words;
use crate::driver::{figure, truths};
use crate::equal::FEW;
use crate::servers;
use crate::servers::mariadb::Mariadb;
use crate::servers::postgres::Postgres;
use crate::size::pilot;
use crate::web::nginx_with;
use serde_json::Value;
use testserver::Behaviour;

truths! {
    All: a_pool_is_faster_than_fresh_connections_to_mariadb,
    All: a_pool_is_faster_than_fresh_connections_to_postgres,
    All: nginx_with_regular_expressions_is_called_slower,
    All: headers_that_cost_only_the_generator_make_no_difference,
    All: memcached_and_redis_are_distinguished_by_what_they_can_do_or_not_at_all,
}

const SHORT: [&str; 6] = ["--rounds", "6", "--round", "300ms", "--warm-up", "200ms"];

/// The report of a sound comparison.
fn sound(words: &[&str]) -> Value {
    let (code, report) = TestDirectory::new().report(&[&["compare"], words].concat());
    assert_eq!(code, 0, "{:#}", report["findings"]);
    report
}

/// At default settings, except that the rounds are short.
fn compared(contenders: &[&str]) -> Value {
    sound(&[contenders, &SHORT, pilot()].concat())
}

fn verdict(comparison: &Value) -> &str {
    comparison["verdict"].as_str().expect("a word")
}

/// A login takes a database milliseconds, `SELECT 1` some tens of microseconds: ratios of 9 to 100, ln
/// above 2. Rounds scatter by 0.2 at the worst, so that one of six on the wrong side of 1 is ten standard
/// deviations away. The pilot has nothing left to choose: its slices for logins are long.
fn a_pool_pays(database: &str) {
    let (fresh, pooled) = (format!("fresh={database}"), format!("pooled={database}"));
    let words = [&fresh, &pooled, "--query", "SELECT 1", "--set", "fresh.reuse=never"];
    let more = ["--set", "pooled.pool.max=10", "--connections", "16"];
    let slices = ["--interleave", "slices", "--slice", "300ms", "--pilot", "200ms"];
    let report = sound(&[&words[..], &more, &slices, &SHORT].concat());
    let comparison = &report["comparisons"][0];
    figure(in_words(comparison), "faster");
    assert_eq!(verdict(comparison), "faster", "{comparison:#}");
    let because = comparison["because"].to_string();
    assert!(because.contains("spent in the client"), "{because}");
}

fn a_pool_is_faster_than_fresh_connections_to_mariadb() {
    let server = Mariadb::start("pool", &["--max-connections=200"]);
    let password = servers::PASSWORD;
    a_pool_pays(&format!("mysql://bench:{password}@{}/bench", server.address));
}

fn a_pool_is_faster_than_fresh_connections_to_postgres() {
    let server = Postgres::start("pool", &["max_connections=200"]);
    a_pool_pays(&format!("postgres://bench@{}/postgres", server.address));
}

/// So many regular expressions that nginx tries, and none of which fits.
fn regular_expressions(many: usize) -> String {
    let each = (0..many).map(|n| format!("location ~ \"^/([a-z]+/)*[a-z]+[0-9]+x{n}$\" {{ }}"));
    each.collect::<Vec<_>>().join(" ")
}

/// Two hundred expressions took twice the CPU time on a machine that did other work besides, so four hundred
/// take more than that, and nginx is the limit: ln 2, where rounds scatter by 0.2 at the worst. A right
/// tool never misses it; a generator that hides the difference does.
fn nginx_with_regular_expressions_is_called_slower() {
    let (plain_files, other_files) = (TestDirectory::new(), TestDirectory::new());
    let plain = nginx_with(&plain_files, "");
    let regular = nginx_with(&other_files, &regular_expressions(400));
    let words = [format!("plain={}", plain.url()), format!("regular={}", regular.url())];
    let report = compared(&words.each_ref().map(String::as_str));
    let (found, cpu) = (&report["comparisons"][0], cpu_ratio(&report));
    let message = format!("{}, CPU per operation {cpu:.2}", in_words(found));
    figure(message, "slower, CPU per operation above 2");
    assert!(cpu > 2.0, "the expressions cost nginx something: {cpu}");
    assert_eq!(verdict(found), "slower", "{found:#}");
}

/// Target CPU per operation of the second contender ÷ that of the first.
fn cpu_ratio(report: &Value) -> f64 {
    let cpu = |at: usize| {
        number(&report["contenders"][at]["metrics"]["target_cpu_per_operation"]["value"])
    };
    cpu(1) / cpu(0)
}

/// The second server differs in 4 kB of header lines alone, which cost a server nothing
/// that one could see, and the generator more. If nothing lies beyond the generator's
/// cost, a right tool calls 3.1 % of comparisons different: see [`FEW`].
fn headers_that_cost_only_the_generator_make_no_difference() {
    let plain = serve(Behaviour::default());
    let long = serve(Behaviour { header_bytes: 4096, ..Behaviour::default() });
    let words = [format!("plain={}", url(&plain)), format!("long={}", url(&long))];
    let words = words.each_ref().map(String::as_str);
    let result = FEW.apply(|_| {
        let report = compared(&words);
        let found = &report["comparisons"][0];
        println!("{}", in_words(found));
        ["faster", "slower"].contains(&verdict(found))
    });
    let (Ok(called) | Err(called)) = &result;
    figure(called, FEW);
    assert!(result.is_ok(), "{called}");
}

/// Two programs whose CPU time for an operation is known. If the generator hides which can do more, the
/// comparison must not say so by the cost of its two codecs; if not, it must say which one. Cores ÷ CPU
/// per operation is what each can do: Redis has one thread; memcached has four, and what the generator,
/// which is not pinned apart, leaves of the cores while it drives it (on two cores about one, so that
/// Redis may well do more). That is known to 10 % or so. Where it and the verdict disagree beyond that a
/// right tool has erred, in 3.1 % of the comparisons at most: see [`FEW`].
fn memcached_and_redis_are_distinguished_by_what_they_can_do_or_not_at_all() {
    let (memcached, redis) = (Store::memcached(&["-t", "4"]), Store::redis(&[]));
    let words = [format!("memcached={}", memcached.url()), format!("redis={}", redis.url())];
    let words = words.each_ref().map(String::as_str);
    let result = FEW.apply(|_| {
        let report = compared(&words);
        let found = &report["comparisons"][0];
        let can = redis_can(&report);
        let findings = report["findings"].as_array().expect("findings");
        let hidden = findings.iter().any(|finding| finding["rule"] == "generator_bottleneck");
        println!("{}, by their CPU {can:.2}, hidden: {hidden}", in_words(found));
        match verdict(found) {
            "faster" => can < 0.9,
            "slower" => can > 1.1,
            "equivalent" => !(0.9..1.1).contains(&can),
            _ => !hidden && !(0.8..1.25).contains(&can),
        }
    });
    let (Ok(called) | Err(called)) = &result;
    figure(format!("{called} from what their CPU says"), FEW);
    assert!(result.is_ok(), "{called} from what their CPU says");
}

/// How much more Redis can do than memcached.
fn redis_can(report: &Value) -> f64 {
    let cores = report["host"]["cores"].as_array().map_or(1, Vec::len) as f64;
    let of_memcached = |what: &str| number(&report["contenders"][0]["metrics"][what]["value"]);
    let generator = of_memcached("throughput") * of_memcached("generator_cpu_per_operation");
    let left = (cores - generator).clamp(1.0, 4.0);
    1.0 / cpu_ratio(report) / left
}
