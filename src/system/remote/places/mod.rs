//! Limits how many connections are handled at the same time. A new one is always accepted: if all places
//! for strangers are taken, one of them has to leave. So nobody who keeps connections open keeps those
//! who know the token away.

use super::Connection;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr, Shutdown, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The places of one listener.
pub struct Places {
    strangers: usize,
    clients: usize,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    next: u64,
    /// The oldest first.
    places: Vec<TakenPlace>,
}

struct TakenPlace {
    number: u64,
    standing: Standing,
    network: IpAddr,
    socket: Arc<TcpStream>,
}

/// How much is known of the other side. Those of whom less is known leave first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// Nothing.
    Stranger,
    /// Its hello was made with the token, by itself or by one whose hello it has seen.
    Greeted,
    /// It knows the token.
    Client,
}

/// The place of one connection. It becomes free when this is dropped.
pub struct Place {
    places: Arc<Places>,
    number: u64,
}

impl Places {
    /// Places for this many strangers, and this many clients.
    pub fn new(strangers: usize, clients: usize) -> Arc<Places> {
        Arc::new(Places { strangers, clients, taken: Mutex::default() })
    }

    /// Gives a new connection a place.
    pub fn take(self: &Arc<Self>, connection: &Connection, peer: SocketAddr) -> Place {
        let mut taken = self.taken();
        if taken.strangers().count() >= self.strangers {
            taken.make_room();
        }
        let number = taken.next;
        taken.next += 1;
        taken.places.push(TakenPlace {
            number,
            standing: Standing::Stranger,
            network: network(peer.ip()),
            socket: Arc::clone(connection.socket()),
        });
        Place { places: Arc::clone(self), number }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    /// All but the clients.
    fn strangers(&self) -> impl Iterator<Item = &TakenPlace> {
        self.places.iter().filter(|place| place.standing < Standing::Client)
    }

    /// Closes the connection of the oldest stranger from the network with the most of them.
    fn make_room(&mut self) {
        let mut of_network: HashMap<IpAddr, usize> = HashMap::new();
        self.strangers().for_each(|place| *of_network.entry(place.network).or_default() += 1);
        let rank = |place: &&TakenPlace| (place.standing, Reverse(of_network[&place.network]));
        let Some(leaves) = self.strangers().min_by_key(rank).map(|place| place.number) else {
            return;
        };
        let at = self.places.iter().position(|place| place.number == leaves);
        let left = self.places.remove(at.expect("found above"));
        // The thread that waits for it ends with the connection, which may be closed already.
        let _ = left.socket.shutdown(Shutdown::Both);
    }
}

impl Place {
    /// Notes that the hello was made with the token.
    pub(super) fn greet(&self) {
        self.raise(Standing::Greeted);
    }

    /// Notes that it knows the token. Returns false if there is no place for another client, or it had
    /// to leave.
    pub(super) fn admit(&self) -> bool {
        self.raise(Standing::Client)
    }

    fn raise(&self, to: Standing) -> bool {
        let mut taken = self.places.taken();
        let clients = taken.places.len() - taken.strangers().count();
        let this = taken.places.iter_mut().find(|place| place.number == self.number);
        let Some(this) = this.filter(|_| to < Standing::Client || clients < self.places.clients)
        else {
            return false;
        };
        this.standing = to;
        true
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.taken().places.retain(|place| place.number != self.number);
    }
}

/// What one owner usually has: an address, or the last half of one of IPv6.
fn network(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V6(ip) => Ipv6Addr::from_bits(ip.to_bits() & !u128::from(u64::MAX)).into(),
        ip @ IpAddr::V4(_) => ip,
    }
}

#[cfg(test)]
mod tests;
