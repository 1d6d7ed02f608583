//! Addresses of contenders: how people write them, which server, file or program they
//! name, and what is dialled for them.

mod awaited_name;
mod command;
mod connect_to;
pub mod resolver;
pub mod tls;
mod url;

pub(crate) use awaited_name::AwaitedName;
pub use command::Command;
pub(crate) use connect_to::ConnectTo;
pub(crate) use url::{
    Endpoint, Login, Url, begins_with_a_port, harmless, is_program, local::program, looks_like_one,
};
