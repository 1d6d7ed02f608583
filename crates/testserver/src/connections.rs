//! All connections, each under a token that is never reused.

use super::connection::Connection;

/// The maximum number of simultaneous connections.
const MAX: usize = 4096;

/// Identifies a connection even after another one has taken its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Token(pub(super) u64);

impl Token {
    fn new(index: usize, generation: u32) -> Self {
        Token(u64::from(generation) << 32 | index as u64)
    }

    fn index(self) -> usize {
        (self.0 & u64::from(u32::MAX)) as usize
    }
}

#[derive(Default)]
struct Entry {
    generation: u32,
    connection: Option<Connection>,
}

/// All connections.
#[derive(Default)]
pub(super) struct Connections {
    entries: Vec<Entry>,
    free: Vec<usize>,
}

impl Connections {
    /// Whether no more can be accepted.
    pub(super) fn is_full(&self) -> bool {
        self.entries.len() == MAX && self.free.is_empty()
    }

    pub(super) fn insert(&mut self, connection: Connection) -> Token {
        let at = self.free.pop().unwrap_or_else(|| {
            self.entries.push(Entry::default());
            self.entries.len() - 1
        });
        let entry = &mut self.entries[at];
        entry.connection = Some(connection);
        Token::new(at, entry.generation)
    }

    pub(super) fn get(&mut self, token: Token) -> Option<&mut Connection> {
        let entry = self.entries.get_mut(token.index())?;
        let same = token == Token::new(token.index(), entry.generation);
        entry.connection.as_mut().filter(|_| same)
    }

    /// Closes it, if it still exists.
    pub(super) fn remove(&mut self, token: Token) {
        if self.get(token).is_some() {
            let entry = &mut self.entries[token.index()];
            entry.connection = None;
            entry.generation = entry.generation.wrapping_add(1);
            self.free.push(token.index());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    fn connection() -> Connection {
        let (ours, _) = UnixStream::pair().expect("two descriptors");
        Connection::new(ours)
    }

    #[test]
    fn a_token_does_not_name_who_came_after() {
        let mut connections = Connections::default();
        let first = connections.insert(connection());
        let second = connections.insert(connection());
        assert!(connections.get(first).is_some() && connections.get(second).is_some());
        connections.remove(first);
        assert!(connections.get(first).is_none());
        let third = connections.insert(connection());
        assert_eq!(connections.entries.len(), 2, "the entry is used again");
        assert!(third != first && connections.get(first).is_none());
        connections.remove(first);
        assert!(connections.get(third).is_some(), "removed by an old token");
        assert!(connections.get(second).is_some());
    }
}
