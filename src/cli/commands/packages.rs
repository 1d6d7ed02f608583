//! The Debian packages that an experiment needs.

use crate::targets::launch::Missing;
use protocol::Error;
use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use text::lists;
use text::shown::shown;

/// Installs the packages of what is missing.
///
/// # Errors
/// If something has no package, if tiebreak does not run as root, or if apt-get fails. The
/// message says what to do.
pub(in crate::cli) fn install(missing: &[Missing]) -> Result<(), Error> {
    let unknown: Vec<String> =
        missing.iter().filter(|it| it.package.is_none()).map(ToString::to_string).collect();
    let packages: BTreeSet<&str> = missing.iter().filter_map(|it| it.package.as_deref()).collect();
    if let Some(odd) = packages.iter().find(|name| !is_name(name)) {
        return Err(Error::usage(format!("`{}` is not a valid name of a package", shown(*odd))));
    }
    if !packages.is_empty() {
        let packages: Vec<&str> = packages.into_iter().collect();
        apt_get(&packages)?;
    }
    if unknown.is_empty() { Ok(()) } else { Err(Error::target(lists::listed(&unknown))) }
}

/// Whether this is a name as the policy of Debian defines it, which apt-get cannot take for an
/// option.
fn is_name(name: &str) -> bool {
    let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "+-.".contains(c);
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(good)
}

fn apt_get(packages: &[&str]) -> Result<(), Error> {
    let install = [&["install", "-y", "--no-install-recommends"], packages].concat();
    let line = format!("apt-get {}", install.join(" "));
    if sys::process::user() != 0 {
        return Err(Error::target(format!("packages are missing; run as root: {line}")));
    }
    for arguments in [&["update", "-q"][..], &install] {
        let mut command = Command::new("apt-get");
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        // Standard output is for the result, and the progress of apt-get is not part of it.
        command.stdin(Stdio::null()).stdout(std::io::stderr());
        let ended = command.status().map_err(|error| {
            Error::target(format!("apt-get cannot be run ({error}); install them manually: {line}"))
        })?;
        if !ended.success() {
            return Err(Error::target(format!("`apt-get {}` failed", arguments.join(" "))));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn names_of_packages() {
        for name in ["gcc", "g++", "libevent-dev", "name.with-dot", "7zip"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "-y", "./local.deb", "a b", "Gcc", "a;b"] {
            assert!(!is_name(name), "{name}");
        }
    }
}
