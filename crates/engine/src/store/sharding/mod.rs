//! Selects the memcached server of a key.
//!
//! Each rule selects the server that libmemcached 1.1 or php-memcache 8 selects, for servers of
//! equal weight in the order in which they were added and keys without a prefix. A test compares
//! them with the real clients, key by key.

use md5::{Digest, Md5};
use record::{ShardRule, Sharding};

/// libmemcached's default port, which the names of its points leave out.
const DEFAULT_PORT: u16 = 11211;
/// Points of each server on the circle of `CONSISTENT`.
const CONSISTENT_POINTS: u32 = 100;
/// MD5 digests of each server on the circle of `LIBKETAMA_COMPATIBLE`; each makes four points.
const KETAMA_DIGESTS: u32 = 40;
/// Points of each server on the circle of php-memcache.
const MEMCACHE_POINTS: u32 = 160;
/// The number of places at which php-memcache's circle is sampled.
const MEMCACHE_BUCKETS: u32 = 1024;
/// php-memcache's `memcache.max_failover_attempts`.
const MEMCACHE_ATTEMPTS: u32 = 20;

/// Finds the server of a key. Servers are identified by their number, from 0.
pub(super) struct Router {
    servers: u32,
    placement: Placement,
    failover: bool,
    /// A key with a suffix, by which php-memcache selects another server.
    suffixed: Vec<u8>,
}

enum Placement {
    /// The hash of the key modulo the number of servers.
    Modula,
    /// The next point on a circle.
    Circle { hash: fn(&[u8]) -> u32, points: Vec<Point> },
    /// A table of servers, from which the hash of the key selects one.
    Buckets { hash: fn(&[u8]) -> u32, buckets: Vec<u32> },
}

/// A place on the circle of hashes, and the server there.
#[derive(Clone, Copy)]
struct Point {
    at: u32,
    server: u32,
}

impl Router {
    /// Creates the router for these servers, in the order in which a client adds them.
    pub(super) fn new(sharding: Sharding, servers: &[(String, u16)]) -> Router {
        let count = servers.len() as u32;
        let placement = match sharding.rule {
            ShardRule::Modula => Placement::Modula,
            ShardRule::Consistent => {
                Placement::Circle { hash: jenkins, points: circle(consistent_points(servers)) }
            }
            ShardRule::Ketama => {
                Placement::Circle { hash: md5_first, points: circle(ketama_points(servers)) }
            }
            ShardRule::PhpMemcache => memcache_buckets(crc32fast::hash, servers),
            ShardRule::PhpMemcacheFnv => memcache_buckets(fnv1a, servers),
            ShardRule::PhpMemcacheStandard => {
                Placement::Buckets { hash: upper_crc32, buckets: (0..count).collect() }
            }
        };
        Router { servers: count, placement, failover: sharding.failover, suffixed: Vec::new() }
    }

    /// Returns how many servers there are.
    pub(super) fn servers(&self) -> u32 {
        self.servers
    }

    /// Returns the server of this key, or the one that replaces it. `is_down` tells whether a
    /// server cannot be reached now. If all possible replacements are down, the result is the
    /// key's own server.
    pub(super) fn server_of(&mut self, key: &[u8], is_down: impl Fn(u32) -> bool) -> u32 {
        let own = self.own_server(key);
        if self.failover && is_down(own) {
            self.replacement(key, is_down).unwrap_or(own)
        } else {
            own
        }
    }

    fn own_server(&self, key: &[u8]) -> u32 {
        match &self.placement {
            Placement::Modula => jenkins(key) % self.servers,
            Placement::Circle { hash, points } => points[next_point(points, hash(key))].server,
            Placement::Buckets { hash, buckets } => bucket(*hash, buckets, key),
        }
    }

    /// Returns a server that is not down, or None if there is none. libmemcached removes the
    /// points of a server that failed from its circle, and php-memcache selects by `KEY-0`,
    /// `KEY-1` and so on.
    fn replacement(&mut self, key: &[u8], is_down: impl Fn(u32) -> bool) -> Option<u32> {
        match &self.placement {
            Placement::Modula => None,
            Placement::Circle { hash, points } => {
                let first = next_point(points, hash(key));
                let onwards = points[first..].iter().chain(&points[..first]);
                onwards.map(|point| point.server).find(|server| !is_down(*server))
            }
            Placement::Buckets { hash, buckets } => (0..MEMCACHE_ATTEMPTS).find_map(|attempt| {
                self.suffixed.clear();
                self.suffixed.extend_from_slice(key);
                self.suffixed.push(b'-');
                push_number(&mut self.suffixed, attempt);
                Some(bucket(*hash, buckets, &self.suffixed)).filter(|server| !is_down(*server))
            }),
        }
    }
}

/// Returns the first point at or after `hash`; the last one is followed by the first.
fn next_point(points: &[Point], hash: u32) -> usize {
    points.partition_point(|point| point.at < hash) % points.len()
}

fn bucket(hash: fn(&[u8]) -> u32, buckets: &[u32], key: &[u8]) -> u32 {
    buckets[hash(key) as usize % buckets.len()]
}

/// Returns the points in their order on the circle.
fn circle(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_by_key(|point| point.at);
    points
}

fn consistent_points(servers: &[(String, u16)]) -> Vec<Point> {
    let of_server = |(server, named): (u32, &(String, u16))| {
        let name = point_name(named);
        (0..CONSISTENT_POINTS)
            .map(move |i| Point { at: jenkins(format!("{name}-{i}").as_bytes()), server })
    };
    (0..).zip(servers).flat_map(of_server).collect()
}

fn ketama_points(servers: &[(String, u16)]) -> Vec<Point> {
    let mut points = Vec::new();
    for (server, named) in (0..).zip(servers) {
        let name = point_name(named);
        for i in 0..KETAMA_DIGESTS {
            let digest = Md5::digest(format!("{name}-{i}"));
            let (quarters, _) = digest.as_slice().as_chunks::<4>();
            points.extend(quarters.iter().map(|at| Point { at: u32::from_le_bytes(*at), server }));
        }
    }
    points
}

/// Returns the text from which libmemcached computes the points of a server.
fn point_name((host, port): &(String, u16)) -> String {
    if *port == DEFAULT_PORT { host.clone() } else { format!("{host}:{port}") }
}

fn memcache_buckets(hash: fn(&[u8]) -> u32, servers: &[(String, u16)]) -> Placement {
    let of_server = |(server, (host, port)): (u32, &(String, u16))| {
        let name = format!("{host}:{port}");
        (0..MEMCACHE_POINTS)
            .map(move |i| Point { at: hash(format!("{name}-{i}").as_bytes()), server })
    };
    let points = circle((0..).zip(servers).flat_map(of_server).collect());
    let step = u32::MAX / MEMCACHE_BUCKETS;
    let buckets = (0..MEMCACHE_BUCKETS).map(|i| points[next_point(&points, i * step)].server);
    Placement::Buckets { hash, buckets: buckets.collect() }
}

/// Bob Jenkins's one-at-a-time hash, as libmemcached computes it: bytes are signed.
fn jenkins(bytes: &[u8]) -> u32 {
    let mixed = bytes.iter().fold(0_u32, |hash, byte| {
        let hash = hash.wrapping_add(*byte as i8 as u32);
        let hash = hash.wrapping_add(hash << 10);
        hash ^ hash >> 6
    });
    let mixed = mixed.wrapping_add(mixed << 3);
    let mixed = mixed ^ mixed >> 11;
    mixed.wrapping_add(mixed << 15)
}

/// Returns the first four bytes of the MD5 digest.
fn md5_first(bytes: &[u8]) -> u32 {
    let digest = Md5::digest(bytes);
    u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]])
}

/// FNV-1a in 32 bits.
fn fnv1a(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// Returns the number that php-memcache's standard strategy divides by the number of servers. It
/// is never 0.
fn upper_crc32(bytes: &[u8]) -> u32 {
    (crc32fast::hash(bytes) >> 16 & 0x7fff).max(1)
}

/// Writes a number below 100 in decimal digits.
fn push_number(to: &mut Vec<u8>, number: u32) {
    if number >= 10 {
        to.push(b'0' + (number / 10) as u8);
    }
    to.push(b'0' + (number % 10) as u8);
}

#[cfg(test)]
mod tests;
