//! Recognises a leaderboard by its content.

use super::document;
use super::rows::{Rows, Wrong};
use super::{BoardError, arena, web_frameworks};

/// The largest file that is read as a leaderboard, in bytes. Those of the known boards have up to 2.3 MB.
const LARGEST: usize = 16 << 20;

/// Keys that a leaderboard has. A document without them is not parsed.
const KEYS: [[&str; 2]; 3] = [
    ["\"metrics\"", "\"frameworks\""],
    ["\"framework\"", "\"rps\""],
    ["\"framework\"", "\"results\""],
];

fn is_likely(bytes: &[u8]) -> bool {
    let has = |key: &str| bytes.windows(key.len()).any(|window| window == key.as_bytes());
    KEYS.iter().any(|keys| keys.iter().all(|key| has(key)))
}

/// The bytes of a file that may be a leaderboard.
#[derive(Debug)]
pub(crate) enum Kept {
    /// Nothing but white space so far, which is kept because its lines count.
    Blank(Vec<u8>),
    /// It begins as JSON.
    Json(Vec<u8>),
    /// It begins as a leaderboard, but has more than [`LARGEST`] bytes.
    TooLarge,
    /// It is no leaderboard.
    Other,
}

impl Default for Kept {
    fn default() -> Self {
        Kept::Blank(Vec::new())
    }
}

impl Kept {
    /// Keeps the next bytes of the file.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        match self {
            Kept::Blank(blank) => match bytes.trim_ascii_start().first() {
                None if blank.len() + bytes.len() <= LARGEST => blank.extend_from_slice(bytes),
                Some(b'{' | b'[') => {
                    *self = Kept::Json(std::mem::take(blank));
                    self.feed(bytes);
                }
                None | Some(_) => *self = Kept::Other,
            },
            Kept::Json(kept) => {
                let room = LARGEST - kept.len();
                kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
                if bytes.len() > room {
                    *self = if is_likely(kept) { Kept::TooLarge } else { Kept::Other };
                }
            }
            Kept::TooLarge | Kept::Other => {}
        }
    }
}

/// Reads a file that may be a leaderboard. Returns None if it is none.
pub(crate) fn read(kept: &Kept, file: usize) -> Option<Result<Rows, BoardError>> {
    let wrong = |(line, text): Wrong| BoardError { file, line, text };
    match kept {
        Kept::Blank(_) | Kept::Other => None,
        Kept::TooLarge => Some(Err(wrong((
            None,
            format!("a leaderboard of more than {} MiB is not supported", LARGEST >> 20),
        )))),
        Kept::Json(bytes) if is_likely(bytes) => parsed(bytes).map(|read| read.map_err(wrong)),
        Kept::Json(_) => None,
    }
}

fn parsed(bytes: &[u8]) -> Option<Result<Rows, Wrong>> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let before = &bytes[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count() as u64;
            return Some(Err((Some(line), "a leaderboard must be UTF-8".to_owned())));
        }
    };
    match document::read(text) {
        Ok(node) => web_frameworks::rows(&node).or_else(|| arena::rows(&node)),
        Err(error) => {
            let text = format!("the leaderboard is not valid JSON: {}", error.text);
            Some(Err((Some(error.line), text)))
        }
    }
}
