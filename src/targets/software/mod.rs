//! Software that recipes launch and that is not packaged in Debian. `tiebreak setup` fetches it
//! once from a Maven repository into the user's cache directory; a run needs no network.

mod checksums;
mod fetch;
mod find;
mod maven;

pub(crate) use fetch::{DownloadProgress, Fetched, fetch};
pub(crate) use maven::PROGRAMS as FETCHING;

use text::near;
use text::shown::shown;

/// What can be fetched.
pub(crate) struct Software {
    /// Its name in recipes. With the version, it is also the name of its directory.
    pub(crate) name: &'static str,
    /// The version that is fetched.
    pub(crate) version: &'static str,
    /// Its name for people, without the version.
    pub(crate) title: &'static str,
    /// The argument of `tiebreak setup` that fetches it.
    pub(crate) setup: &'static str,
    /// Where it may be installed already. None if only the fetched copy is used.
    installed: Option<Installed>,
    /// What is fetched.
    artifact: Artifact,
    /// Every file that is fetched, as `sha256sum` writes them.
    checksums: &'static str,
}

/// How an installed copy is found.
struct Installed {
    /// A variable of the environment that names its directory.
    variable: &'static str,
    /// One of its programs that may be in PATH, in `bin` of its directory.
    program: &'static str,
    /// Its directory if the program is not in it, as in a Debian package.
    elsewhere: &'static str,
    /// The beginning of the name of a jar that every version has.
    jar: &'static str,
}

/// What to request from Maven.
enum Artifact {
    /// A jar and all jars that it needs: GROUP:NAME:VERSION.
    Jars { group: &'static str, name: &'static str },
    /// An archive that is unpacked without its top-level directory.
    Archive { group: &'static str, name: &'static str, kind: &'static str },
}

/// All software that can be fetched.
static ALL: &[Software] = &[
    Software {
        name: "cassandra-5.0",
        version: "5.0.9",
        title: "Cassandra",
        setup: "cassandra",
        installed: Some(Installed {
            variable: "CASSANDRA_HOME",
            program: "cassandra",
            elsewhere: "/usr/share/cassandra",
            jar: "apache-cassandra-",
        }),
        artifact: Artifact::Jars { group: "org.apache.cassandra", name: "cassandra-all" },
        checksums: include_str!("cassandra-5.0.9.sha256"),
    },
    Software {
        name: "cassandra-1.2",
        version: "1.2.8",
        title: "Cassandra",
        setup: "cassandra",
        installed: None,
        artifact: Artifact::Archive {
            group: "org.apache.cassandra",
            name: "apache-cassandra",
            kind: "tar.gz:bin",
        },
        checksums: include_str!("cassandra-1.2.8.sha256"),
    },
];

impl Software {
    /// The software with this name in recipes.
    ///
    /// # Errors
    /// Lists the known names if there is none of this name.
    pub(crate) fn named(name: &str) -> Result<&'static Software, String> {
        let names = || ALL.iter().map(|software| software.name);
        ALL.iter().find(|software| software.name == name).ok_or_else(|| unknown(name, names()))
    }

    /// What `tiebreak setup NAME` fetches.
    ///
    /// # Errors
    /// Lists the known names if this one does not exist.
    pub(crate) fn of_setup(name: &str) -> Result<Vec<&'static Software>, String> {
        let of: Vec<_> = ALL.iter().filter(|software| software.setup == name).collect();
        if of.is_empty() { Err(unknown(name, setups().into_iter())) } else { Ok(of) }
    }

    /// Title and version: `Cassandra 5.0.9`.
    pub(crate) fn shown(&self) -> String {
        format!("{} {}", self.title, self.version)
    }

    /// The name of its directory in the cache. It includes the version, so that each version of
    /// tiebreak finds its own copy.
    fn directory(&self) -> String {
        format!("{}-{}", self.setup, self.version)
    }
}

/// The arguments of `tiebreak setup`, each once.
pub(crate) fn setups() -> Vec<&'static str> {
    let mut names: Vec<&str> = ALL.iter().map(|software| software.setup).collect();
    names.dedup();
    names
}

fn unknown(name: &str, known: impl Iterator<Item = &'static str> + Clone) -> String {
    let meant = near::did_you_mean(name, known.clone());
    let known: Vec<&str> = known.collect();
    format!("the software `{}` is not known: {}{meant}", shown(name), known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_software_is_found_by_its_names() {
        for software in ALL {
            let found = Software::named(software.name).expect("its own name");
            assert_eq!(found.directory(), software.directory());
            let of_setup = Software::of_setup(software.setup).expect("its own setup");
            assert!(of_setup.iter().any(|other| other.name == software.name));
        }
        assert_eq!(setups(), ["cassandra"]);
    }

    #[test]
    fn a_slip_in_a_name_is_seen() {
        let message = Software::of_setup("casandra").err().expect("a slip");
        assert_eq!(
            message,
            "the software `casandra` is not known: cassandra; did you mean \
                          `cassandra`?"
        );
        assert!(Software::named("cassandra").is_err(), "a recipe says which version");
    }
}
