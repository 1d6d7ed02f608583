//! The lane of memcached against a real one, and against servers that fail on demand.

mod endless;
#[cfg(feature = "servers")]
mod lane;
mod lost_writes;
#[cfg(feature = "servers")]
mod server;
#[cfg(feature = "servers")]
mod sharded;
