//! The PHP extension `kassandra` (contenders/kassandra/), built, and driven in PHP's command
//! line, php-fpm and Apache's mod_php, against real Cassandras 5.0 and 1.2.8.
//!
//! What is checked of its functions is in `contenders/kassandra/tests/*.php`. Here is what they
//! run in. `KASSANDRA_REQUESTS` says how many requests the search for leaks makes.

#[path = "../common/cassandra.rs"]
mod cassandra;
#[path = "../common/mod.rs"]
mod common;
mod leaks;
mod newer;
mod pages;
mod php;
mod servers;
mod web;

use common::turn::CassandraTurn;
use leaks::{Sample, is_steady};
use php::Php;
use servers::Servers;
use std::collections::BTreeMap;
use web::{Page, Web};

/// Requests of each search for leaks, where the environment does not say.
const FEW: u32 = 1000;

/// Half of the requests are made in this many parts.
const PARTS: u32 = 4;

/// It goes on for up to this many parts while the memory of a process grows: PHP's allocator spreads
/// over its first chunk of 2 MB page by page, which takes up to 1500 requests of a process. A leak
/// never ends.
const MOST_PARTS: u32 = 32;

/// PHP's allocator takes memory in chunks of 2 MB, and the C library may take a little more at the
/// same time. So a single step of one chunk is not a leak, and two are one too many.
const TWO_CHUNKS_KB: u64 = 4096;

#[test]
fn the_extension_works_on_the_command_line_in_fpm_and_in_apache() {
    let php = Php::new();
    let Some(_turn) = CassandraTurn::take() else { return };
    let servers = Servers::start();
    php.passes("schema.php", &servers.query());
    for script in ["both.php", "cql.php", "thrift.php", "hosts.php", "fork.php"] {
        php.passes(script, &format!("{}&change=1", servers.query()));
    }
    let requests = std::env::var("KASSANDRA_REQUESTS").ok();
    let requests = requests.map_or(FEW, |it| it.parse().expect("a number of requests"));
    php.passes("leak.php", &format!("{}&requests={requests}", servers.query()));
    let [cql, thrift, home] = servers.places();
    pages::every_client_sends_the_same(&php, &cql, &thrift, &home);
    let web = Web::start(&php);
    for sapi in web::SAPIS {
        for script in ["both.php", "cql.php", "thrift.php", "hosts.php"] {
            let (status, message) = web.get(sapi, script, &servers.query());
            assert!(status == 200 && message.ends_with(" passed, 0 failed\n"), "{sapi}: {message}");
        }
        for protocol in ["cql", "thrift"] {
            connections_live_as_long_as_the_process(&web, sapi, protocol, &servers.query());
            connections_end_with_the_request(&web, sapi, protocol, &servers.query());
            nothing_leaks(&web, sapi, protocol, &servers.query(), requests);
        }
    }
    goes_on_after_a_restart(&php, &web, servers);
}

/// Each process opens one connection, once, and has the same one in every later request.
fn connections_live_as_long_as_the_process(web: &Web, sapi: &str, protocol: &str, query: &str) {
    let pages: Vec<Page> = (0..20).map(|_| web.page(sapi, protocol, true, query)).collect();
    for page in &pages {
        assert_eq!((page.status, page.after.len()), (200, 1), "{sapi} {protocol}: {page:?}");
        assert_eq!(page.title.as_deref(), Some(web::title(sapi)));
        let others = pages.iter().filter(|other| other.pid == page.pid);
        for other in others.clone() {
            assert_eq!(other.after, page.after, "{sapi} {protocol}: another connection");
        }
        assert!(others.filter(|other| other.opened).count() <= 1, "{sapi} {protocol}");
    }
    assert!(pages.iter().any(|page| !page.opened), "{sapi} {protocol}: some are kept");
}

/// The option `persistent` is false: the process has no such connection between two requests.
fn connections_end_with_the_request(web: &Web, sapi: &str, protocol: &str, query: &str) {
    for _ in 0..10 {
        let page = web.page(sapi, protocol, false, query);
        assert_eq!(page.status, 200, "{sapi} {protocol}: {page:?}");
        assert!(page.opened, "{sapi} {protocol}: a connection of its own");
        let new: Vec<_> = page.after.iter().filter(|it| !page.before.contains(it)).collect();
        assert_eq!(new.len(), 1, "{sapi} {protocol}: {page:?}");
        // What is left from before is the persistent one.
        assert!(page.before.len() <= 1, "{sapi} {protocol}: {page:?}");
    }
}

/// The memory of each process stays what it was after the first parts of the requests, except for
/// single steps of its allocators.
fn nothing_leaks(web: &Web, sapi: &str, protocol: &str, query: &str, requests: u32) {
    let part = requests / 2 / PARTS;
    let mut now = BTreeMap::new();
    let mut processes: BTreeMap<u64, Vec<Sample>> = BTreeMap::new();
    let mut steady = false;
    for _ in 0..MOST_PARTS {
        for number in 1..=part {
            let page = web.page(sapi, protocol, number % 2 == 0, query);
            assert_eq!(page.status, 200, "{sapi} {protocol}: {page:?}");
            let of = now.entry(page.pid).or_insert(Sample { requests: 0, memory_kb: 0 });
            *of = Sample { requests: of.requests + 1, memory_kb: page.memory_kb };
        }
        for (pid, sample) in &now {
            processes.entry(*pid).or_default().push(*sample);
        }
        steady = processes.values().all(|samples| is_steady(samples));
        if steady {
            break;
        }
    }
    println!("{sapi} {protocol}: {processes:#?}");
    assert!(steady, "{sapi} {protocol}: the memory of a process goes on growing");
    for samples in processes.values() {
        let all = samples[samples.len() - 1].memory_kb.saturating_sub(samples[0].memory_kb);
        assert!(all < TWO_CHUNKS_KB, "{sapi} {protocol}: {all} kB: it grows too much");
    }
}

/// Both Cassandras are killed and started again, and ask for passwords from then on.
fn goes_on_after_a_restart(php: &Php, web: &Web, servers: Servers) {
    let query = format!("{}&{}", servers.query(), servers::LOGIN);
    for sapi in web::SAPIS {
        for protocol in ["cql", "thrift"] {
            let page = web.page(sapi, protocol, true, &query);
            assert_eq!(page.status, 200, "{sapi} {protocol}: {page:?}");
        }
    }
    let waits = php.starts("restart.php", &query);
    let _servers = servers.restart(php);
    waits.goes_on();
    for sapi in web::SAPIS {
        for protocol in ["cql", "thrift"] {
            // The connections of all of its processes.
            for _ in 0..2 * web::PROCESSES {
                let page = web.page(sapi, protocol, true, &query);
                assert_eq!(page.status, 200, "{sapi} {protocol}: {page:?}");
            }
        }
    }
    php.passes("login.php", &query);
}
