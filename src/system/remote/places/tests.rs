//! Who leaves if there are too many strangers.

use super::*;
use std::io::Read;
use std::net::TcpListener;

/// Connections of strangers from these addresses, with their places and the other ends.
struct Strangers {
    listener: TcpListener,
    places: Arc<Places>,
    all: Vec<(Place, Connection, TcpStream)>,
}

impl Strangers {
    fn new(strangers: usize, clients: usize) -> Strangers {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
        Strangers { listener, places: Places::new(strangers, clients), all: Vec::new() }
    }

    /// Another one. Returns its index.
    fn add(&mut self, ip: &str) -> usize {
        let address = self.listener.local_addr().expect("bound");
        let other = TcpStream::connect(address).expect("it listens");
        other.set_nonblocking(true).expect("a socket");
        let (stream, _) = self.listener.accept().expect("it connected");
        let connection = Connection::of(stream).expect("a connection");
        let place = self.places.take(&connection, SocketAddr::new(ip.parse().expect("an IP"), 1));
        self.all.push((place, connection, other));
        self.all.len() - 1
    }

    /// Those whose connections were closed.
    fn left(&self) -> Vec<usize> {
        let closed = |other: &TcpStream| matches!((&*other).read(&mut [0]), Ok(0));
        let all = self.all.iter().enumerate();
        all.filter(|(_, (_, _, other))| closed(other)).map(|(at, _)| at).collect()
    }
}

#[test]
fn the_oldest_of_the_network_with_the_most_strangers_leaves() {
    let mut strangers = Strangers::new(4, 1);
    let ips = ["10.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.3"];
    ips.iter().for_each(|ip| _ = strangers.add(ip));
    assert_eq!(strangers.left(), [0; 0]);
    strangers.add("10.0.0.4");
    assert_eq!(strangers.left(), [1], "the older one of two from one address");
    strangers.add("10.0.0.5");
    assert_eq!(strangers.left(), [0, 1], "the oldest, since all networks have one");
    let mut strangers = Strangers::new(3, 1);
    ["fd00::1", "fd01::1", "fd01::2"].iter().for_each(|ip| _ = strangers.add(ip));
    strangers.add("::ffff:10.0.0.1");
    assert_eq!(strangers.left(), [1], "two addresses of one network");
}

#[test]
fn those_who_greeted_with_the_token_leave_last_and_clients_never() {
    let mut strangers = Strangers::new(2, 2);
    let client = strangers.add("10.0.0.1");
    assert!(strangers.all[client].0.admit());
    let greeted = strangers.add("10.0.0.1");
    strangers.all[greeted].0.greet();
    for stranger in 2..9 {
        assert_eq!(strangers.add("10.0.0.2"), stranger);
        assert_eq!(strangers.left(), (2..stranger).collect::<Vec<_>>());
    }
    strangers.all[8].0.greet();
    strangers.add("10.0.0.1");
    assert!(strangers.left().contains(&greeted), "only others like it are left, and it is older");
    assert!(!strangers.all[greeted].0.admit(), "it had to leave");
    assert!(strangers.all[8].0.admit() && !strangers.left().contains(&client));
    assert!(!strangers.all[9].0.admit(), "there is no place for a third client");
    drop(strangers.all.remove(client));
    assert!(strangers.all[8].0.admit(), "its place is free");
}
