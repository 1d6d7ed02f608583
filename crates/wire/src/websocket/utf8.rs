//! Whether a text that comes in pieces is UTF-8 (RFC 3629).

/// What the next byte must be. A text that is wrong is refused at its first wrong byte,
/// wherever it was cut.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Utf8 {
    /// Bytes that the character under way still needs.
    left: u8,
    /// The next of them is at least this,
    low: u8,
    /// and at most that.
    high: u8,
}

const ASCII: u64 = 0x8080_8080_8080_8080;

impl Utf8 {
    /// Takes the next piece.
    ///
    /// # Errors
    /// When a byte is wrong. The error is the number of bytes before it in this piece.
    pub(super) fn take(&mut self, piece: &[u8]) -> Result<(), usize> {
        let mut at = 0;
        while at < piece.len() {
            if self.left == 0 {
                at += ascii(&piece[at..]);
            }
            let Some(byte) = piece.get(at) else { break };
            self.byte(*byte).ok_or(at)?;
            at += 1;
        }
        Ok(())
    }

    /// Whether no character is incomplete.
    pub(super) fn is_whole(&self) -> bool {
        self.left == 0
    }

    fn byte(&mut self, byte: u8) -> Option<()> {
        *self = if self.left > 0 {
            (self.low..=self.high).contains(&byte).then_some(())?;
            Utf8 { left: self.left - 1, low: 0x80, high: 0xBF }
        } else {
            // Overlong forms, surrogates and numbers above U+10FFFF are wrong.
            let (left, low, high) = match byte {
                0x00..=0x7F => (0, 0, 0),
                0xC2..=0xDF => (1, 0x80, 0xBF),
                0xE0 => (2, 0xA0, 0xBF),
                0xED => (2, 0x80, 0x9F),
                0xE1..=0xEF => (2, 0x80, 0xBF),
                0xF0 => (3, 0x90, 0xBF),
                0xF1..=0xF3 => (3, 0x80, 0xBF),
                0xF4 => (3, 0x80, 0x8F),
                _ => return None,
            };
            Utf8 { left, low, high }
        };
        Some(())
    }
}

/// The number of ASCII bytes at the start of a piece, rounded down to a multiple of eight.
fn ascii(piece: &[u8]) -> usize {
    let (eights, _) = piece.as_chunks::<8>();
    8 * eights.iter().take_while(|eight| u64::from_ne_bytes(**eight) & ASCII == 0).count()
}
