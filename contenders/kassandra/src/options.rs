//! The arguments of `kassandra_connect`.

use crate::values::{self, name_of};
use ext_php_rs::types::{ZendHashTable, Zval};
use kassandra_client::{Error, Login, Settings};
use std::time::Duration;

/// Longest timeout, in seconds.
const LONGEST: f64 = 3600.0;

/// Bounds of `max_reply`, in bytes.
const REPLIES: std::ops::RangeInclusive<i64> = 1 << 10..=256 << 20;

/// Hosts and options as settings.
///
/// # Errors
/// An unknown option, or one with a value that it cannot have.
pub(crate) fn settings(hosts: &str, options: Option<&ZendHashTable>) -> Result<Settings, Error> {
    let mut settings = Settings::new(hosts)?;
    let (mut user, mut password) = (None, None);
    for (name, value) in options.into_iter().flat_map(values::pairs) {
        match &*name_of(&name) {
            "user" => user = Some(text("user", value)?),
            "password" => password = Some(text("password", value)?),
            "connect_timeout" => settings.connect_timeout = seconds("connect_timeout", value)?,
            "timeout" => settings.timeout = seconds("timeout", value)?,
            "persistent" => {
                let wrong = || Error::invalid("the option persistent must be true or false");
                settings.persistent = value.bool().ok_or_else(wrong)?;
            }
            "max_reply" => settings.max_reply = bytes("max_reply", value)?,
            other => {
                return Err(Error::invalid(format!(
                    "unknown option `{}`: options are user, password, connect_timeout, timeout, \
                     persistent and max_reply",
                    other.escape_debug()
                )));
            }
        }
    }
    settings.login = match (user, password) {
        (Some(user), Some(password)) => Some(Login { user, password }),
        (None, None) => None,
        _ => return Err(Error::invalid("the options user and password go together")),
    };
    Ok(settings)
}

fn text(name: &str, value: &Zval) -> Result<String, Error> {
    let text = value.str().filter(|text| !text.contains('\0'));
    let wrong = || Error::invalid(format!("the option {name} must be text in UTF-8"));
    text.map(str::to_owned).ok_or_else(wrong)
}

fn seconds(name: &str, value: &Zval) -> Result<Duration, Error> {
    let number = value.double().or_else(|| value.long().map(|number| number as f64));
    // A microsecond is the least that a socket can wait.
    let number = number.filter(|number| (1e-6..=LONGEST).contains(number));
    let wrong = || Error::invalid(format!("the option {name} must be seconds, up to {LONGEST}"));
    number.map(Duration::from_secs_f64).ok_or_else(wrong)
}

fn bytes(name: &str, value: &Zval) -> Result<usize, Error> {
    let (least, most) = (REPLIES.start(), REPLIES.end());
    let wrong = || Error::invalid(format!("the option {name} must be {least} to {most} bytes"));
    let number = value.long().filter(|number| REPLIES.contains(number)).ok_or_else(wrong)?;
    usize::try_from(number).map_err(|_| wrong())
}
