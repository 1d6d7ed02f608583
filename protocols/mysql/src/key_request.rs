//! Refuses the packet by which mysql_async asks a server for its public key.
//!
//! With caching_sha2_password, a server can request the whole password, encrypted with a key that it
//! sends itself. The library then asks for that key, and sends the password to the server that answered. It
//! has no setting against this, and it dials by itself. So while a login is polled, that packet is refused on
//! this thread where it would be sent (`sys::sending`). `probe` checks before every run that the library really
//! writes in that way.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

/// The content of the packet.
const KEY_REQUEST: u8 = 2;

/// The login asked for the server's key, and was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyRequested;

/// The outcome of a login, unless it asks for the server's key. Nothing else may be sent within it.
pub(crate) async fn refused<T>(log_in: impl Future<Output = T>) -> Result<T, KeyRequested> {
    let mut log_in = pin!(log_in);
    poll_fn(|context| {
        let (polled, was_refused) =
            sys::sending::refusing(asks_for_key, || log_in.as_mut().poll(context));
        if was_refused { Poll::Ready(Err(KeyRequested)) } else { polled.map(Ok) }
    })
    .await
}

/// Whether this is a packet (its length in three bytes, its number, its content) that asks for the
/// key.
fn asks_for_key(bytes: &[u8]) -> bool {
    matches!(bytes, [1, 0, 0, _, KEY_REQUEST])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{ErrorKind, Read, Write};
    use std::net::{TcpListener, TcpStream};

    fn connected() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let client = TcpStream::connect(listener.local_addr().expect("bound")).expect("it listens");
        (client, listener.accept().expect("it comes").0)
    }

    /// Polls once what a login does.
    fn log_in<T>(what: impl FnOnce() -> T) -> Result<T, KeyRequested> {
        futures_util::FutureExt::now_or_never(refused(async { what() })).expect("it does not wait")
    }

    const PACKET: &[u8] = &[1, 0, 0, 5, KEY_REQUEST];

    #[test]
    fn only_a_login_is_refused_the_packet_and_nothing_of_it_is_sent() {
        let (mut client, mut server) = connected();
        let mut error = None;
        let refused = log_in(|| error = client.write(PACKET).err());
        assert_eq!(refused, Err(KeyRequested));
        assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::PermissionDenied));
        let allowed = log_in(|| client.write_all(&[1, 0, 0, 5, 3]));
        allowed.expect("another packet").expect("sent");
        client.write_all(PACKET).expect("after the login it is a packet like others");
        drop(client);
        let mut received = Vec::new();
        server.read_to_end(&mut received).expect("closed");
        assert_eq!(received, [&[1, 0, 0, 5, 3], PACKET].concat());
    }

    #[test]
    fn other_threads_are_not_affected() {
        let (mut client, _server) = connected();
        let sent = log_in(|| {
            std::thread::spawn(move || client.write(PACKET).expect("sent"))
                .join()
                .expect("no panic")
        });
        assert_eq!(sent, Ok(PACKET.len()));
    }
}
