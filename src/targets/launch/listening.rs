//! Who listens on a port: a foreign server can answer where ours failed to
//! bind, and would be measured in its place.

use std::collections::BTreeSet;
use std::fs;

/// Whether one of these processes listens on this TCP port; none where the
/// system does not say.
pub(super) fn is_ours(port: u16, pids: &[i32]) -> Option<bool> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|file| fs::read_to_string(file).ok());
    let sockets: BTreeSet<String> =
        tables.iter().flatten().flat_map(|table| listening(table, port)).collect();
    if sockets.is_empty() {
        return None;
    }
    let mut unseen = false;
    for pid in pids {
        match fs::read_dir(format!("/proc/{pid}/fd")) {
            Ok(open) => {
                let mut links = open.flatten().filter_map(|fd| fs::read_link(fd.path()).ok());
                if links.any(|link| link.to_str().is_some_and(|link| sockets.contains(link))) {
                    return Some(true);
                }
            }
            Err(_) => unseen = true,
        }
    }
    (!unseen).then_some(false)
}

/// The sockets that listen on a port, as `/proc/PID/fd` shows them.
fn listening(table: &str, port: u16) -> impl Iterator<Item = String> {
    const LISTEN: &str = "0A";
    table.lines().skip(1).filter_map(move |line| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let local = fields.get(1)?.rsplit_once(':')?.1;
        let matches = u16::from_str_radix(local, 16) == Ok(port) && *fields.get(3)? == LISTEN;
        matches.then(|| format!("socket:[{}]", fields[9.min(fields.len() - 1)]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn sockets_are_read_from_the_kernels_table() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   \
            0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 x\n   \
            1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 x\n   \
            2: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 x\n";
        assert_eq!(listening(table, 8080).collect::<Vec<_>>(), ["socket:[4711]"]);
        assert_eq!(listening(table, 8082).count(), 0);
        assert_eq!(listening("broken\nbroken\n", 8080).count(), 0);
    }

    #[test]
    fn a_listener_is_told_from_a_strangers() {
        let us = std::process::id() as i32;
        for address in ["127.0.0.1:0", "[::]:0"] {
            let Ok(listener) = TcpListener::bind(address) else { continue };
            let port = listener.local_addr().expect("bound").port();
            assert_eq!(is_ours(port, &[us]), Some(true));
            assert_eq!(is_ours(port, &[]), Some(false));
            let client = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
            let held = client.local_addr().expect("connected").port();
            assert_eq!(is_ours(held, &[us]), None, "a client does not listen");
        }
    }
}
