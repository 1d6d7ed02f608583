//! How the keys of a store are spread over several servers that are independent of each other.

use crate::named::named;
use serde::{Deserialize, Serialize};

named! {
    /// The rule by which a client finds the server of a key: one of those in PHP's clients for
    /// memcached.
    #[derive(Default)]
    pub enum ShardRule {
        /// The hash of the key modulo the number of servers: libmemcached's default.
        #[default]
        Modula = "modula",
        /// 100 points of each server on a circle of hashes: libmemcached's `CONSISTENT`.
        Consistent = "consistent",
        /// 160 points of each server, by MD5: libmemcached's `LIBKETAMA_COMPATIBLE`.
        Ketama = "ketama",
        /// 1024 buckets, filled from 160 points of each server, by CRC-32: php-memcache's
        /// default.
        PhpMemcache = "php-memcache",
        /// 1024 buckets, filled from 160 points of each server, by FNV-1a: php-memcache's `hash_function=fnv`.
        PhpMemcacheFnv = "php-memcache-fnv",
        /// The upper half of the CRC-32 modulo the number of servers: php-memcache's
        /// `hash_strategy=standard`.
        PhpMemcacheStandard = "php-memcache-standard",
    }
}

impl ShardRule {
    /// Whether this rule can move the keys of a failed server to another one.
    pub fn has_failover(self) -> bool {
        self != ShardRule::Modula
    }
}

/// How a contender's keys are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sharding {
    /// How many servers there are.
    pub servers: u32,
    /// The rule that finds the server of a key.
    pub rule: ShardRule,
    /// Whether keys of a server that cannot be reached go to other servers.
    pub failover: bool,
}
