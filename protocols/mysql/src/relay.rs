//! A relay between mysql_async and a server, for questions outside of the measurement.
//!
//! The library dials itself and does not expose its stream. It trusts the length of an answer that
//! a server announces. So questions go through a relay in this process, which limits the bytes of an
//! answer. Measured operations go directly to the server, because a relay would be part of what is
//! measured.

use drivers::budget::{Budget, QUESTION_BYTES};
use futures_util::future::{Either, select};
use std::cell::RefCell;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::rc::Rc;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, spawn_local};

/// Bytes that are read at once from either side.
const PIECE: usize = 16 << 10;

/// Passes connections on to one server while it lives.
pub(crate) struct Relay {
    /// The address on which it listens.
    pub(crate) address: SocketAddr,
    shared: Rc<Shared>,
    accepting: JoinHandle<()>,
}

struct Shared {
    to: SocketAddr,
    budget: Budget,
    /// Why a connection was cut off.
    cut: RefCell<Option<String>>,
}

impl Relay {
    /// Listens on loopback, and dials `to` for each connection that comes.
    pub(crate) async fn to(to: SocketAddr) -> io::Result<Relay> {
        let loopback = match to {
            SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        };
        let listener = TcpListener::bind((loopback, 0)).await?;
        let address = listener.local_addr()?;
        let (budget, cut) = (Budget::new(QUESTION_BYTES), RefCell::default());
        let shared = Rc::new(Shared { to, budget, cut });
        let accepting = spawn_local(accept(listener, shared.clone()));
        Ok(Relay { address, shared, accepting })
    }

    /// Why it cut off a connection, if it did.
    pub(crate) fn cut(&self) -> Option<String> {
        self.shared.cut.borrow().clone()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, shared: Rc<Shared>) {
    // One after the other: a question has one connection.
    while let Ok((client, _)) = listener.accept().await {
        if let Err(cut) = relay(&client, &shared).await {
            shared.cut.borrow_mut().get_or_insert(cut.to_string());
        }
    }
}

/// Passes on data in both directions until one side closes.
///
/// # Errors
/// Returns an error if the server cannot be reached, or its answer is too long.
async fn relay(client: &TcpStream, shared: &Shared) -> io::Result<()> {
    let server = TcpStream::connect(shared.to).await?;
    server.set_nodelay(true).and_then(|()| client.set_nodelay(true))?;
    let (mut asked, mut answered) = (vec![0; PIECE], vec![0; PIECE]);
    loop {
        let (question, answer) =
            (pin!(read(client, &mut asked)), pin!(read(&server, &mut answered)));
        let written = match select(question, answer).await {
            Either::Left((None, _)) | Either::Right((None, _)) => return Ok(()),
            Either::Left((Some(piece), _)) => {
                // This is a new question, so its answer has the whole budget.
                shared.budget.renew();
                write(&server, piece).await
            }
            Either::Right((Some(piece), _)) => {
                shared.budget.take(piece.len())?;
                write(client, piece).await
            }
        };
        if written.is_none() {
            return Ok(());
        }
    }
}

/// The received bytes, or None at the end.
pub(crate) async fn read<'a>(from: &TcpStream, into: &'a mut [u8]) -> Option<&'a [u8]> {
    loop {
        from.readable().await.ok()?;
        match from.try_read(into) {
            Ok(0) => return None,
            Ok(bytes) => return Some(&into[..bytes]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return None,
        }
    }
}

pub(crate) async fn write(to: &TcpStream, mut bytes: &[u8]) -> Option<()> {
    while !bytes.is_empty() {
        to.writable().await.ok()?;
        match to.try_write(bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return None,
        }
    }
    Some(())
}
