//! Watchers of targets on other machines.

use text::shown::shown;

/// Reads `HOST:PORT`.
///
/// # Errors
/// When it is not one.
pub(super) fn address(text: &str) -> Result<String, String> {
    split(text).map(|_| text.to_owned())
}

/// The host, without the brackets of IPv6, and the port.
///
/// # Errors
/// When the text is not `HOST:PORT`.
pub(in crate::plan) fn split(text: &str) -> Result<(&str, u16), String> {
    let wrong = || {
        format!(
            "`{}` must be the host and port of tiebreak watch, such as 10.0.0.5:9310",
            shown(text)
        )
    };
    let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
    let port = port.parse().ok().filter(|port| *port > 0).ok_or_else(wrong)?;
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']').ok_or_else(wrong)?,
        None if host.contains(':') => return Err(wrong()),
        None => host,
    };
    if host.is_empty() || host.contains(['/', '@']) { Err(wrong()) } else { Ok((host, port)) }
}

/// Reads the path of a file.
///
/// # Errors
/// When it is empty.
pub(super) fn token_file(text: &str) -> Result<String, String> {
    if text.is_empty() {
        Err("it must be the path of a file with the token".to_owned())
    } else {
        Ok(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_and_port() {
        assert_eq!(split("10.0.0.5:9310"), Ok(("10.0.0.5", 9310)));
        assert_eq!(split("db1:1"), Ok(("db1", 1)));
        assert_eq!(split("[::1]:9310"), Ok(("::1", 9310)));
        for bad in ["", "db1", ":9310", "db1:0", "db1:70000", "::1:9310", "[::1:9310", "http://a:1"]
        {
            assert!(split(bad).is_err(), "{bad}");
        }
    }
}
