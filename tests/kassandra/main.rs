//! The PHP extension `kassandra` (contenders/kassandra/), built, and driven in PHP's command
//! line, php-fpm and Apache's mod_php, against real Cassandras 5.0 and 1.2.8.
//!
//! What is checked of its functions is in `contenders/kassandra/tests/*.php`. Here is what they
//! run in. `KASSANDRA_REQUESTS` says how many requests the search for leaks makes.

#[path = "../common/cassandra.rs"]
mod cassandra;
#[path = "../common/mod.rs"]
mod common;
mod newer;
mod pages;
mod php;
mod servers;
mod web;

use php::Php;
use servers::Servers;
use web::{Page, Web};

/// Requests of each search for leaks, where the environment does not say.
const FEW: u32 = 1000;

/// PHP's allocator takes memory in chunks of 2 MB: one more or less is no leak.
const CHUNK_KB: u64 = 2560;

#[test]
fn the_extension_works_on_the_command_line_in_fpm_and_in_apache() {
    let php = Php::new();
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
            let (status, told) = web.get(sapi, script, &servers.query());
            assert!(status == 200 && told.ends_with(" passed, 0 failed\n"), "{sapi}: {told}");
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

/// Memory of each process after these requests is what it was after the first tenth.
fn nothing_leaks(web: &Web, sapi: &str, protocol: &str, query: &str, requests: u32) {
    let mut early = Vec::new();
    for number in 0..requests / 2 {
        let page = web.page(sapi, protocol, number % 2 == 0, query);
        assert_eq!(page.status, 200, "{sapi} {protocol}: {page:?}");
        if number < requests / 20 {
            early.push(page);
        } else if let Some(first) = early.iter().rev().find(|first| first.pid == page.pid) {
            let more = page.memory_kb.saturating_sub(first.memory_kb);
            assert!(more < CHUNK_KB, "{sapi} {protocol}: {more} kB more after {number} requests");
        }
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
