use super::*;

/// Servers of which one has the default port. The real libmemcached was queried with them.
const NAMED: [(&str, u16); 3] = [("10.0.0.1", 11211), ("10.0.0.2", 11211), ("10.0.0.3", 11212)];
/// Servers on which php-memcache stored keys: it does not report where a key goes, so these had
/// to run.
const RUNNING: [(&str, u16); 3] =
    [("127.0.0.1", 31211), ("127.0.0.1", 31212), ("127.0.0.1", 31213)];

/// What libmemcached 1.1.4 returns for `NAMED` through php-memcached 3.2
/// (`Memcached::getServerByKey`).
const MODULA: &str = "2222222111010000011122211111110001211222122222022011110000002212111111101000000011111112222211111000";
const SIGNED: [u32; 3] = [2, 0, 2];
const CONSISTENT: &str = "0011022202220020100012201021022102212001211022221011121101000102210111121220010101002002220011210220";
const KETAMA: &str = "1201010022022202221111211112222021111221122202220022221001200020112110122022220010211020100020210002";

/// The servers of `RUNNING` on which php-memcache 8.0 stored the keys.
const PHP_MEMCACHE: &str = "2011221001022000002021221200200020212021002022222212210220201221211000021022212211120001020221110221";
const PHP_MEMCACHE_FNV: &str = "1011022202111201122210211122010122201122211022101022012011112102112211112012012210220221220112201122";
const PHP_MEMCACHE_STANDARD: &str = "2101221001111210101110211200202202102211021110000101222000111200221210102201201212101010220201021111";

/// The servers on which php-memcache stored them after the second server was killed and a client had
/// noticed: the operation that notices uses another server once.
const PHP_MEMCACHE_MOVED: &str = "2022220000022000002022222200200020202022002022222222220220200222200000020022222202220000020220000222";
const PHP_MEMCACHE_FNV_MOVED: &str = "0020022202202200222220222222000222200222202022002022022022022202202202222002002220220220220022200022";
const PHP_MEMCACHE_STANDARD_MOVED: &str = "2202220000002200000200222200202202002220020000000002222000020200222220202200200222202020220200022020";

fn router(rule: ShardRule, failover: bool, servers: &[(&str, u16)]) -> Router {
    let servers: Vec<(String, u16)> =
        servers.iter().map(|(host, port)| ((*host).to_owned(), *port)).collect();
    Router::new(Sharding { servers: servers.len() as u32, rule, failover }, &servers)
}

/// Returns the servers of `key0` to `key99`, a digit each.
fn digits(router: &mut Router, is_down: impl Fn(u32) -> bool + Copy) -> String {
    let key = |n: u32| format!("key{n}");
    (0..100).map(|n| router.server_of(key(n).as_bytes(), is_down).to_string()).collect()
}

#[test]
fn keys_go_where_the_real_clients_send_them() {
    for (rule, servers, wanted) in [
        (ShardRule::Modula, &NAMED, MODULA),
        (ShardRule::Consistent, &NAMED, CONSISTENT),
        (ShardRule::Ketama, &NAMED, KETAMA),
        (ShardRule::PhpMemcache, &RUNNING, PHP_MEMCACHE),
        (ShardRule::PhpMemcacheFnv, &RUNNING, PHP_MEMCACHE_FNV),
        (ShardRule::PhpMemcacheStandard, &RUNNING, PHP_MEMCACHE_STANDARD),
    ] {
        assert_eq!(digits(&mut router(rule, false, servers), |_| false), wanted, "{rule:?}");
    }
}

#[test]
fn bytes_above_127_are_signed() {
    // What php-memcached returns for the keys `é`, `日本` and the byte 255.
    let mut router = router(ShardRule::Modula, false, &NAMED);
    let keys: [&[u8]; 3] = ["é".as_bytes(), "日本".as_bytes(), b"\xff"];
    assert_eq!(keys.map(|key| router.server_of(key, |_| false)), SIGNED);
}

#[test]
fn only_keys_of_a_server_that_is_down_move_and_only_with_failover() {
    for rule in &ShardRule::ALL {
        let servers = RUNNING;
        let before = digits(&mut router(*rule, false, &servers), |_| false);
        let without = digits(&mut router(*rule, false, &servers), |server| server == 1);
        assert_eq!(before, without, "{rule:?}");
        let with = digits(&mut router(*rule, true, &servers), |server| server == 1);
        let moved =
            |(before, with): (char, char)| if before == '1' { with != '1' } else { with == before };
        let all = before.chars().zip(with.chars()).all(moved);
        assert_eq!(all, rule.has_failover(), "{rule:?}: {before} {with}");
    }
}

#[test]
fn keys_move_where_the_real_clients_send_them() {
    for (rule, wanted) in [
        (ShardRule::PhpMemcache, PHP_MEMCACHE_MOVED),
        (ShardRule::PhpMemcacheFnv, PHP_MEMCACHE_FNV_MOVED),
        (ShardRule::PhpMemcacheStandard, PHP_MEMCACHE_STANDARD_MOVED),
    ] {
        let moved = digits(&mut router(rule, true, &RUNNING), |server| server == 1);
        assert_eq!(moved, wanted, "{rule:?}");
    }
}

#[test]
fn a_key_stays_where_nothing_can_take_its_place() {
    for rule in &ShardRule::ALL {
        let mut router = router(*rule, true, &RUNNING);
        let before = digits(&mut router, |_| false);
        assert_eq!(digits(&mut router, |_| true), before, "{rule:?}");
    }
}
