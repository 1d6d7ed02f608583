//! The lane of Redis against a real one, and against servers that never stop sending.

mod endless;
#[cfg(feature = "servers")]
mod lane;
#[cfg(feature = "servers")]
mod server;
