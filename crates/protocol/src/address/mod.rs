//! Addresses of contenders: how people write them, which server, file or program they
//! name, and what is dialled for them.

mod awaited_name;
mod command;
mod connect_to;
pub mod resolver;
pub mod tls;
mod url;

pub use awaited_name::AwaitedName;
pub use command::ProgramCommand;
pub use connect_to::ConnectTo;
pub use url::{Endpoint, Login, QueryValue, Url, begins_with_a_port, harmless, is_program};
