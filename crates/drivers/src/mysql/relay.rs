//! A relay between mysql_async and a server, for questions outside of the measurement.
//!
//! The library dials itself and does not expose its stream. It trusts the length of an answer that
//! a server announces, and it sends the password to a server without TLS that requests it in a
//! certain way. So questions go through a relay in this process, which limits the bytes of an
//! answer, and passes on no request for the password. Measured operations go directly to the
//! server, because a relay would be part of what is measured.

use super::log_in::{Guard, LogIn, LoginRefusal};
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

/// Bytes that are read at once from either side.
const PIECE: usize = 16 << 10;

/// Passes connections on to one server while it lives.
pub(super) struct Relay {
    /// The address on which it listens.
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
    /// The server's answer was too long.
    TooLarge(String),
    /// The server requested the password.
    LoginRefusal(LoginRefusal),
}

impl Cut {
    /// Why the login is not safe, if that was the reason.
    pub(super) fn unsafe_log_in(self) -> Option<LoginRefusal> {
        match self {
            Cut::LoginRefusal(found) => Some(found),
            Cut::Unreached(_) | Cut::TooLarge(_) => None,
        }
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cut::Unreached(why) | Cut::TooLarge(why) => to.write_str(why),
            Cut::LoginRefusal(found) => found.fmt(to),
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

    /// Why it cut off a connection, if it did.
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

/// Passes on data in both directions until one side closes.
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
                // This is a new question, so its answer has the whole budget.
                shared.budget.renew();
                write(&server, piece).await
            }
            Either::Right((Some(piece), _)) => {
                let taken = shared.budget.take(piece.len());
                taken.map_err(|error| Cut::TooLarge(error.to_string()))?;
                write(client, &log_in.pass(piece).map_err(Cut::LoginRefusal)?).await
            }
        };
        if written.is_none() {
            return Ok(());
        }
    }
}

/// The received bytes, or None at the end.
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
