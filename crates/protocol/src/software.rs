//! Software that recipes launch, that Debian does not package, and that `tiebreak setup` fetches.

/// What can be fetched.
pub struct Software {
    /// Its name in recipes. With the version, it is also the name of its directory.
    pub name: &'static str,
    /// The version that is fetched.
    pub version: &'static str,
    /// Its name for people, without the version.
    pub title: &'static str,
    /// The argument of `tiebreak setup` that fetches it.
    pub setup: &'static str,
    /// Where it may be installed already. None if only the fetched copy is used.
    pub installed: Option<Installed>,
    /// What is fetched.
    pub artifact: Artifact,
    /// Every file that is fetched, as `sha256sum` writes them.
    pub checksums: &'static str,
}

/// How an installed copy is found.
pub struct Installed {
    /// A variable of the environment that names its directory.
    pub variable: &'static str,
    /// One of its programs that may be in PATH, in `bin` of its directory.
    pub program: &'static str,
    /// Its directory if the program is not in it, as in a Debian package.
    pub elsewhere: &'static str,
    /// The beginning of the name of a jar that every version has.
    pub jar: &'static str,
}

/// What to request from Maven.
pub enum Artifact {
    /// A jar and all jars that it needs: GROUP:NAME:VERSION.
    Jars {
        /// The group.
        group: &'static str,
        /// The name.
        name: &'static str,
    },
    /// An archive that is unpacked without its top-level directory.
    Archive {
        /// The group.
        group: &'static str,
        /// The name.
        name: &'static str,
        /// The extension, and after a colon the classifier.
        kind: &'static str,
    },
}

impl Software {
    /// Title and version: `Cassandra 5.0.9`.
    pub fn shown(&self) -> String {
        format!("{} {}", self.title, self.version)
    }

    /// The name of its directory in the cache. It includes the version, so that each version of
    /// tiebreak finds its own copy.
    pub fn directory(&self) -> String {
        format!("{}-{}", self.setup, self.version)
    }
}
