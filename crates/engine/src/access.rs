//! How to get at a contender, whatever it speaks.

use crate::files::FilesAccess;
use crate::{
    HttpAccess, MakeLane, MemcachedAccess, RespAccess, TlsAccess, grouped, http_lanes,
    memcached_lanes, resp_lanes,
};
use record::Asked;

/// What talking to a contender takes, with its secrets: no `Debug`, no
/// `Serialize`.
#[derive(Clone)]
pub enum Access {
    /// HTTP/1.1.
    Http(HttpAccess),
    /// memcached's protocol.
    Memcached(MemcachedAccess),
    /// RESP: Redis, Valkey.
    Resp(RespAccess),
    /// Files in a directory.
    Files(FilesAccess),
}

impl Access {
    /// The lanes of one contender of the order: one for each worker, with all of its
    /// groups.
    ///
    /// # Panics
    /// When the order has no such contender.
    pub fn lanes(&self, order: &Asked, contender: usize) -> Vec<MakeLane> {
        grouped(order, contender, |order| match self {
            Access::Http(access) => http_lanes(order, contender, access),
            Access::Memcached(access) => memcached_lanes(order, contender, access),
            Access::Resp(access) => resp_lanes(order, contender, access),
            Access::Files(access) => access.lanes(order, contender),
        })
    }

    /// How TLS is spoken, if it is.
    pub fn tls(&self) -> Option<&TlsAccess> {
        match self {
            Access::Http(access) => access.tls.as_ref(),
            Access::Memcached(_) | Access::Resp(_) | Access::Files(_) => None,
        }
    }
}
