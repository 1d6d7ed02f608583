//! Logs in without giving the password away.

use crate::key_request;
use mysql_async::{DriverError, Error};
use std::fmt;

/// Methods that send the password itself. Others only send a hash of it and of the server's
/// challenge. The library supports none of these.
const BY_PASSWORD: [&str; 2] = ["sha256_password", "dialog"];

/// What is protected in a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    /// Nothing: there is no password, or it is sent over TLS.
    Nothing,
    /// The password must not be readable by anybody.
    Password,
    /// The password is not sent in clear text, but may be encrypted with the server's own key.
    PasswordAsItIs,
}

/// Why a login is aborted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoginRefusal {
    /// The server requests the password by a method that sends it in clear text.
    ByPassword,
    /// The server requests the password encrypted with a key that it would send.
    ByItsOwnKey,
}

impl std::error::Error for LoginRefusal {}

impl fmt::Display for LoginRefusal {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            LoginRefusal::ByPassword => {
                "the server requests the password in clear text (mysql_clear_password or similar), \
                 which tiebreak does not send: configure the user for caching_sha2_password, \
                 mysql_native_password or ed25519"
            }
            LoginRefusal::ByItsOwnKey => {
                "the server requests the password encrypted with a public key that it sends \
                 itself; without TLS, an impostor in its place could read it: use TLS \
                 (?sslmode=verify-full), or allow it (?allow-public-key-retrieval=true)"
            }
        })
    }
}

/// The outcome of what logs in, and does nothing else.
///
/// # Errors
/// Returns the library's error, or a [`LoginRefusal`] within one.
pub(crate) async fn guarded<T>(
    guard: Guard,
    log_in: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let done = match guard {
        Guard::Password => key_request::refused(log_in)
            .await
            .unwrap_or_else(|_| Err(Error::Other(Box::new(LoginRefusal::ByItsOwnKey)))),
        Guard::Nothing | Guard::PasswordAsItIs => log_in.await,
    };
    done.map_err(|error| match &error {
        Error::Driver(DriverError::CleartextPluginDisabled) => in_clear_text(),
        Error::Driver(DriverError::UnknownAuthPlugin { name })
            if BY_PASSWORD.contains(&name.as_str()) =>
        {
            in_clear_text()
        }
        _ => error,
    })
}

fn in_clear_text() -> Error {
    Error::Other(Box::new(LoginRefusal::ByPassword))
}

/// Why the login was aborted, if it was.
pub(crate) fn refusal(error: &Error) -> Option<LoginRefusal> {
    match error {
        Error::Other(why) => why.downcast_ref().copied(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    fn of(error: DriverError) -> Error {
        let failed = async { Err::<(), _>(error.into()) };
        guarded(Guard::Password, failed).now_or_never().expect("at once").expect_err("it failed")
    }

    #[test]
    fn methods_that_send_the_password_are_explained() {
        let unknown = |name: &str| DriverError::UnknownAuthPlugin { name: name.to_owned() };
        for error in [DriverError::CleartextPluginDisabled, unknown("sha256_password")] {
            assert_eq!(refusal(&of(error)), Some(LoginRefusal::ByPassword));
        }
        assert_eq!(refusal(&of(unknown("kerberos"))), None);
        assert_eq!(refusal(&of(DriverError::ConnectionClosed)), None);
    }
}
