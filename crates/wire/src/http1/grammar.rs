//! The bytes that are valid in heads, trailers and requests.

/// A byte of a method or of a header's name (RFC 9110, 5.6.2).
pub(super) fn is_token(byte: u8) -> bool {
    matches!(byte,
        b'!' | b'#' | b'$' | b'%' | b'&' | b'\'' | b'*' | b'+' | b'-' | b'.' | b'^' | b'_'
        | b'`' | b'|' | b'~' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z')
}

/// A byte of a header's value (RFC 9110, 5.5): no control byte except the tab.
pub(super) fn is_value(byte: u8) -> bool {
    byte == b'\t' || (byte >= b' ' && byte != 0x7f)
}
