//! The contents of a request, and which replies count as success.

use protocol::input;
use std::path::Path;
use std::sync::Arc;
use text::shown::shown;

/// Largest body: all of it is held in memory.
pub const LARGEST_BODY: u64 = 64 << 20;

/// `-X`. A method that is not valid is refused when the request is encoded.
pub(super) fn method(text: &str) -> Result<String, String> {
    Ok(text.to_owned())
}

/// `--expect`.
///
/// # Errors
/// When it is not a list of final HTTP statuses.
pub fn expect(text: &str) -> Result<Vec<u16>, String> {
    let status = |part: &str| match part.trim().parse::<u16>() {
        Ok(status @ 200..=599) => Ok(status),
        _ => Err(format!(
            "`{}` is not a status of a final reply: write numbers from 200 to 599, such as 200,304",
            shown(part)
        )),
    };
    text.split(',').map(status).collect()
}

/// `-H`. The message does not quote the text: a header without a colon may be a bare token.
///
/// # Errors
/// When name or value is not valid in a request.
pub fn header(text: &str) -> Result<(String, Vec<u8>), String> {
    const HOW: &str = "write a header as 'Name: value'";
    let (name, value) = text.split_once(':').ok_or(HOW)?;
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(token) {
        return Err(format!("{HOW}; a name consists of letters, digits and -"));
    }
    if value.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t') {
        return Err(format!("the value of the header {name} holds a control character"));
    }
    match name.to_ascii_lowercase().as_str() {
        "content-length" | "transfer-encoding" => {
            Err(format!("leave out {name}: it follows from the body (-d)"))
        }
        "connection" => Err("leave out Connection: --reuse says when connections end".to_owned()),
        _ => Ok((name.to_owned(), value.trim().as_bytes().to_vec())),
    }
}

/// `-d`: text, or `@file`, which may be a pipe.
///
/// # Errors
/// When the file cannot be read, is too large, or has no end.
pub(super) fn data(text: &str) -> Result<Arc<[u8]>, String> {
    let Some(file) = text.strip_prefix('@') else { return Ok(text.as_bytes().into()) };
    match input::any(Path::new(file), LARGEST_BODY) {
        Ok(bytes) => Ok(bytes.into()),
        Err(why) => Err(format!("the file {} {why}", shown(file))),
    }
}
