//! Contenders whose target is observed through `tiebreak watch` on another machine.

use crate::plan::Machine;
use crate::plan::contender::access::{ContenderAccess, Observed, Watcher};
use crate::plan::settings::{Settings, watcher_address};
use crate::system::remote::{RemoteError, Token};
use crate::targets::launch::Secret;
use protocol::Error;
use protocol::address::resolver::Resolver;
use std::path::Path;
use text::shown::shown;
use wire::remote::handshake::Refusal;

/// Where the token is if no file is named.
pub(crate) const TOKEN_VARIABLE: &str = "TIEBREAK_WATCH_TOKEN";

/// Asks the watcher of a contender what it watches. Returns None if it has no watcher, or if this
/// process is an agent, which leaves watchers to the coordinator.
pub(in crate::plan) fn by(
    settings: &Settings,
    machine: &Machine,
    resolver: &mut Resolver<'_>,
) -> Result<Option<Watcher>, Error> {
    let Some(watch) = &settings.watch else {
        return match settings.watch_token_file {
            Some(_) => Err(Error::usage("watch_token_file requires watch")),
            None => Ok(None),
        };
    };
    if settings.names_processes() {
        return Err(Error::usage(
            "pid and process name processes of this machine: leave them out with watch, because the \
             watcher was told which process to watch",
        ));
    }
    let Some(ask) = machine.watch else { return Ok(None) };
    let token = token(settings, machine)?;
    let (host, port) = watcher_address(watch).map_err(Error::usage)?;
    let address = resolver.dial(host, port)?;
    let description = ask(address, &token).map_err(|error| {
        let text = format!("watch={}: {}", shown(watch), unreached(&error));
        match error {
            RemoteError::Refused(Refusal::Token) => Error::usage(text),
            _ => Error::target(text),
        }
    })?;
    Ok(Some(Watcher::new(address, token, description)))
}

fn unreached(error: &RemoteError) -> String {
    match error {
        RemoteError::Io(why) => format!("{why}: start `tiebreak watch` there first"),
        other => other.to_string(),
    }
}

fn token(settings: &Settings, machine: &Machine) -> Result<Token, Error> {
    let token = match (&settings.watch_token_file, &machine.watch_token) {
        (Some(file), _) => Token::in_file(Path::new(file)),
        (None, Some(token)) => {
            token.clone().map_err(|why| format!("the variable {TOKEN_VARIABLE}: {why}"))
        }
        (None, None) => Err(format!(
            "watch requires the token that `tiebreak watch` printed: set the environment variable \
             {TOKEN_VARIABLE}, or name a file with it as watch_token_file"
        )),
    };
    token.map_err(Error::usage)
}

/// Refuses a watcher and named processes of a target that is launched.
pub(in crate::plan) fn refuse(settings: &Settings) -> Result<(), Error> {
    if settings.names_processes() {
        return Err(Error::usage(
            "pid, and process with names, apply only to servers that are already running: tiebreak \
             launches this target and knows its processes",
        ));
    }
    if settings.watch.is_none() && settings.watch_token_file.is_none() {
        return Ok(());
    }
    Err(Error::usage(
        "watch and watch_token_file apply only to servers that are already running: tiebreak launches \
         this target, and reads its CPU time itself",
    ))
}

/// The tokens of all watchers, which must not appear in what is recorded.
pub(in crate::plan) fn tokens(accesses: &[ContenderAccess]) -> Vec<Secret> {
    let tokens = accesses.iter().filter_map(|contender_access| match contender_access {
        ContenderAccess::Attached { sight: Ok(Observed::Watched(watcher)), .. } => {
            Some(&watcher.token)
        }
        _ => None,
    });
    tokens.map(|token| Secret::unnamed(token.reveal().to_owned())).collect()
}
