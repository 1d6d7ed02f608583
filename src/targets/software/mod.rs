//! Software that recipes launch and that is not packaged in Debian. `tiebreak setup` fetches it
//! once from a Maven repository into the user's cache directory; a run needs no network.

mod checksums;
mod fetch;
mod find;
mod maven;

pub(crate) use fetch::{DownloadProgress, Fetched, fetch};
pub(crate) use find::find;
pub(crate) use maven::PROGRAMS as FETCHING;

use crate::protocols::PROTOCOLS;
use protocol::Software;
use text::near;
use text::shown::shown;

/// All software that can be fetched.
pub(crate) fn all() -> impl Iterator<Item = &'static Software> {
    PROTOCOLS.iter().flat_map(|row| row.software)
}

/// The software with this name in recipes.
///
/// # Errors
/// Lists the known names if there is none of this name.
pub(crate) fn named(name: &str) -> Result<&'static Software, String> {
    let names = all().map(|software| software.name);
    all().find(|software| software.name == name).ok_or_else(|| unknown(name, names.collect()))
}

/// What `tiebreak setup NAME` fetches.
///
/// # Errors
/// Lists the known names if this one does not exist.
pub(crate) fn of_setup(name: &str) -> Result<Vec<&'static Software>, String> {
    let software: Vec<_> = all().filter(|software| software.setup == name).collect();
    if software.is_empty() { Err(unknown(name, setups())) } else { Ok(software) }
}

/// The arguments of `tiebreak setup`, each once.
pub(crate) fn setups() -> Vec<&'static str> {
    let mut names: Vec<&str> = all().map(|software| software.setup).collect();
    names.dedup();
    names
}

fn unknown(name: &str, known: Vec<&'static str>) -> String {
    let meant = near::did_you_mean(name, known.iter().copied());
    let known =
        if known.is_empty() { "this build needs none".to_owned() } else { known.join(", ") };
    format!("the software `{}` is not known: {known}{meant}", shown(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_software_is_found_by_its_names() {
        for software in all() {
            let found = named(software.name).expect("its own name");
            assert_eq!(found.directory(), software.directory());
            let of_setup = of_setup(software.setup).expect("its own setup");
            assert!(of_setup.iter().any(|other| other.name == software.name));
        }
        assert_eq!(setups(), ["cassandra"]);
    }

    #[test]
    fn a_slip_in_a_name_is_seen() {
        let message = of_setup("casandra").err().expect("a slip");
        assert_eq!(
            message,
            "the software `casandra` is not known: cassandra; did you mean \
                          `cassandra`?"
        );
        assert!(named("cassandra").is_err(), "a recipe says which version");
    }
}
