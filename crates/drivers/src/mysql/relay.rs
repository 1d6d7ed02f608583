//! A relay between mysql_async and a server, for questions beside the measurement.
//!
//! The library dials by itself and gives nobody its stream. It believes what a server
//! says of the length of an answer, and it sends the password to a server without TLS
//! that asks for it in the right way. So questions go through a relay in this process,
//! which passes on so many bytes an answer, and no request for the password. What is
//! measured goes straight to the server: a relay would be part of what is measured.

use super::log_in::{Guard, LogIn, Unsafe};
use crate::budget::{Budget, QUESTION_BYTES};
use futures_util::future::{Either, select};
use std::cell::RefCell;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::rc::Rc;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, spawn_local};

/// Read at once from either side.
const PIECE: usize = 16 << 10;

/// Passes connections on to one server while it lives.
pub(super) struct Relay {
    /// Where it listens.
    pub(super) address: SocketAddr,
    shared: Rc<Shared>,
    accepting: JoinHandle<()>,
}

struct Shared {
    to: SocketAddr,
    guard: Guard,
    budget: Budget,
    /// Why a connection was cut off.
    cut: RefCell<Option<Cut>>,
}

/// Why the relay cut a connection off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// The server could not be reached.
    Unreached(String),
    /// Its answer was too long.
    TooLarge(String),
    /// It asked for the password.
    Unsafe(Unsafe),
}

impl Cut {
    /// Why its log-in is not safe, where that was the reason.
    pub(super) fn unsafe_log_in(self) -> Option<Unsafe> {
        match self {
            Cut::Unsafe(found) => Some(found),
            Cut::Unreached(_) | Cut::TooLarge(_) => None,
        }
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cut::Unreached(why) | Cut::TooLarge(why) => to.write_str(why),
            Cut::Unsafe(found) => found.fmt(to),
        }
    }
}

impl Relay {
    /// Listens on loopback, and dials `to` for each connection that comes.
    pub(super) async fn to(to: SocketAddr, guard: Guard) -> io::Result<Relay> {
        let loopback = match to {
            SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        };
        let listener = TcpListener::bind((loopback, 0)).await?;
        let address = listener.local_addr()?;
        let (budget, cut) = (Budget::new(QUESTION_BYTES), RefCell::default());
        let shared = Rc::new(Shared { to, guard, budget, cut });
        let accepting = spawn_local(accept(listener, shared.clone()));
        Ok(Relay { address, shared, accepting })
    }

    /// Why it cut a connection off, if it did.
    pub(super) fn cut(&self) -> Option<Cut> {
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
            shared.cut.borrow_mut().get_or_insert(cut);
        }
    }
}

/// Passes on what both say until one of them closes.
async fn relay(client: &TcpStream, shared: &Shared) -> Result<(), Cut> {
    let unreached = |error: io::Error| Cut::Unreached(error.to_string());
    let server = TcpStream::connect(shared.to).await.map_err(unreached)?;
    server.set_nodelay(true).and_then(|()| client.set_nodelay(true)).map_err(unreached)?;
    let mut log_in = LogIn::guarded(shared.guard);
    let (mut asked, mut answered) = (vec![0; PIECE], vec![0; PIECE]);
    loop {
        let (question, answer) =
            (pin!(read(client, &mut asked)), pin!(read(&server, &mut answered)));
        let written = match select(question, answer).await {
            Either::Left((None, _)) | Either::Right((None, _)) => return Ok(()),
            Either::Left((Some(piece), _)) => {
                // A question: its answer may have all bytes.
                shared.budget.renew();
                write(&server, piece).await
            }
            Either::Right((Some(piece), _)) => {
                let taken = shared.budget.take(piece.len());
                taken.map_err(|error| Cut::TooLarge(error.to_string()))?;
                write(client, &log_in.pass(piece).map_err(Cut::Unsafe)?).await
            }
        };
        if written.is_none() {
            return Ok(());
        }
    }
}

/// What came, or None if nothing more will.
async fn read<'a>(from: &TcpStream, into: &'a mut [u8]) -> Option<&'a [u8]> {
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

async fn write(to: &TcpStream, mut bytes: &[u8]) -> Option<()> {
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
