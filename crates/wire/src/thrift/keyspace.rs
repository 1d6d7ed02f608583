//! The server's description of a keyspace: the bytes of a `KsDef`.

use super::faults;
use super::walk::steps::{ELEMENT, KEY, VALUE};
use super::walk::{Token, Walker};
use crate::Fault;
use alloc::vec::Vec;

/// The description of a keyspace. All texts come from the server, and may contain any bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keyspace {
    /// The class that places the copies of a row on nodes.
    pub strategy: Vec<u8>,
    /// Its options, names and values.
    pub options: Vec<(Vec<u8>, Vec<u8>)>,
    /// The column families.
    pub families: Vec<Family>,
}

/// The description of a column family.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Family {
    /// Its name.
    pub name: Vec<u8>,
    /// Its comment.
    pub comment: Vec<u8>,
}

impl Keyspace {
    /// Reads the whole body of a reply to [`Admin::Keyspace`](super::Admin::Keyspace).
    ///
    /// # Errors
    /// If it is not a complete `KsDef`.
    pub fn read(mut bytes: &[u8]) -> Result<Keyspace, Fault> {
        let mut walker = Walker::new();
        walker.start();
        let mut keyspace = Keyspace::default();
        loop {
            let (taken, token) = walker.next(bytes)?.ok_or(faults::FRAME_END)?;
            match token {
                Token::Done => return Ok(keyspace),
                Token::Text { last: false, .. } => return Err(faults::FRAME_END),
                token => keyspace.on_token(&walker, token),
            }
            bytes = &bytes[taken..];
        }
    }

    /// Keeps what was read last, if it is of interest. The numbers are those of the fields of
    /// `KsDef` and `CfDef`.
    fn on_token(&mut self, walker: &Walker, token: Token<'_>) {
        let is_at = |route: &[u8]| walker.is_at(token, &[], route);
        let Token::Text { piece, .. } = token else {
            if token == Token::Open && is_at(&[5, ELEMENT]) {
                self.families.push(Family::default());
            }
            return;
        };
        if is_at(&[2]) {
            self.strategy = piece.to_vec();
        } else if is_at(&[3, KEY]) {
            self.options.push((piece.to_vec(), Vec::new()));
        } else if is_at(&[3, VALUE]) {
            if let Some((_, value)) = self.options.last_mut() {
                *value = piece.to_vec();
            }
        } else if let Some(family) = self.families.last_mut() {
            if is_at(&[5, ELEMENT, 2]) {
                family.name = piece.to_vec();
            } else if is_at(&[5, ELEMENT, 8]) {
                family.comment = piece.to_vec();
            }
        }
    }
}
