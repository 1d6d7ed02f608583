//! Checks that a login is guarded, by a server of our own that requests the password as an impostor
//! would.
//!
//! Whether `key_request` sees what the library sends depends on how the program was linked, and on
//! how the library writes. So this is checked with the library itself, before a password is sent.

use crate::log_in::{self, Guard, LoginRefusal};
use crate::relay::{read, write};
use futures_util::future::join;
use mysql_async::{Conn, OptsBuilder};
use std::io;
use std::net::Ipv4Addr;
use tokio::net::TcpListener;

/// The greeting of a server that logs in by caching_sha2_password: its version, the number of the
/// connection, a challenge in two parts, and what the server supports.
const GREETING: &[u8] = b"\x0a8.0.0\0\x01\0\0\0abcdefgh\0\x0d\xa2\x21\x02\0\x08\0\x15\
                          \0\0\0\0\0\0\0\0\0\0abcdefghijkl\0caching_sha2_password\0";
/// The request for the whole password.
const WHOLE_PASSWORD: &[u8] = b"\x01\x04";
/// More than the longest packet of the client.
const LONGEST: usize = 1024;

/// Whether the library is kept from asking for a key.
///
/// # Errors
/// Returns an error if this machine has no loopback.
pub(crate) async fn is_guarded() -> io::Result<bool> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    let opts = OptsBuilder::default()
        .ip_or_hostname(address.ip().to_string())
        .tcp_port(address.port())
        .prefer_socket(false)
        .user(Some("probe"))
        .pass(Some("not a password"));
    let log_in = log_in::guarded(Guard::Password, Conn::new(opts));
    let (logged_in, asked) = join(log_in, asks_on(&listener)).await;
    let refusal = logged_in.err().as_ref().and_then(log_in::refusal);
    Ok(refusal == Some(LoginRefusal::ByItsOwnKey) && !asked?)
}

/// Requests the password of one client. Returns whether the client sends anything after that.
async fn asks_on(listener: &TcpListener) -> io::Result<bool> {
    let (client, _) = listener.accept().await?;
    let mut answer = [0; LONGEST];
    let _ = write(&client, &packet(0, GREETING)).await;
    read(&client, &mut answer).await;
    let _ = write(&client, &packet(2, WHOLE_PASSWORD)).await;
    // A client that was refused has closed the connection.
    Ok(read(&client, &mut answer).await.is_some())
}

fn packet(number: u8, content: &[u8]) -> Vec<u8> {
    let head = [content.len() as u8, 0, 0, number];
    [&head, content].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::runtime::Builder;

    #[test]
    fn the_library_is_guarded_in_this_program() {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        assert!(runtime.block_on(is_guarded()).expect("loopback"));
    }

    /// Otherwise the check could not fail.
    #[test]
    fn an_unguarded_library_asks_for_the_key() {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
            let to = listener.local_addr().expect("bound");
            let opts = OptsBuilder::default()
                .ip_or_hostname(to.ip().to_string())
                .tcp_port(to.port())
                .prefer_socket(false)
                .pass(Some("x"));
            let (_, asked) = join(Conn::new(opts), asks_on(&listener)).await;
            assert!(asked.expect("it comes"));
        });
    }
}
