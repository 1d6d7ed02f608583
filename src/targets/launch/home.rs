//! The temporary directory of a launched target, with its files and the page that it serves.

use crate::targets::launch::{Launch, Text, Values};
use keeper::beneath::{Directory, Temporary, TemporaryId, give};
use keeper::user::{self, User};
use std::ffi::OsStr;
use std::io::{self, ErrorKind, Write};
use std::ops::Deref;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use text::shown::shown;

/// The page of 87 bytes that recipes serve if no directory is given.
pub(super) fn page() -> String {
    format!("<html><body>{}</body></html>", "x".repeat(61))
}

/// How many names of temporary directories are tried.
const MOST_TAKEN: u32 = 1000;

/// A directory that is removed when this value is dropped. The user of the target can write in it,
/// so nothing in it is accessed by its path.
pub(super) struct Home {
    /// The name of the target, which is part of the directory's name.
    name: String,
    temporary: OwnDirectory,
    owner: Option<User>,
}

impl Home {
    /// Creates the directory inside `within`; None means the directory for temporary files. Other
    /// users may enter it, because servers that start as root switch to another user.
    pub(super) fn create(
        name: &str,
        owner: Option<User>,
        within: Option<&Path>,
    ) -> io::Result<Home> {
        let within = within.map_or_else(std::env::temp_dir, Path::to_owned);
        let temporary = OwnDirectory::create(&within, name)?;
        let owner = owner.filter(|owner| user::ours() == 0 && owner.uid != 0);
        let home = Home { name: name.to_owned(), temporary, owner };
        home.temporary.directory.give(home.owner(), 0o755)?;
        Ok(home)
    }

    /// Creates another empty directory in the same place and for the same user.
    pub(super) fn anew(&self) -> io::Result<Home> {
        let within = self.directory().parent();
        Home::create(&self.name, self.owner.clone(), within)
    }

    pub(super) fn directory(&self) -> &Path {
        self.temporary.path()
    }

    /// Identifies the directory, even if another one takes its path.
    pub(super) fn id(&self) -> io::Result<TemporaryId> {
        self.temporary.id()
    }

    /// Writes the files of a launch, and the page if the launch serves no directory. Existing files
    /// are written again.
    pub(super) fn write_files(&self, launch: &Launch, values: &Values) -> io::Result<()> {
        for file in &launch.files {
            if !file.is_of_each_process() {
                self.write(&file.path, &file.text, values)?;
                continue;
            }
            for (at, process) in launch.processes.iter().enumerate() {
                let path = file.path_for(&process.name);
                self.write(&path, &file.text, &values.for_process(launch, at))?;
            }
        }
        if launch.site.is_none() {
            self.write("site/index.html", &Text::plain(&page()), values)?;
        }
        Ok(())
    }

    /// The directory that is served.
    pub(super) fn site(&self, launch: &Launch) -> PathBuf {
        launch.site.clone().unwrap_or_else(|| self.directory().join("site"))
    }

    fn write(&self, path: &str, text: &Text, values: &Values) -> io::Result<()> {
        let path = Path::new(path);
        let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
        let mut inner = None;
        for part in path.parent().into_iter().flat_map(Path::components) {
            let Component::Normal(part) = part else { continue };
            let directory = inner.as_ref().unwrap_or(&self.temporary.directory);
            inner = Some(self.enter_or_make(directory, part)?);
        }
        let directory = inner.as_ref().unwrap_or(&self.temporary.directory);
        let secret = text.secrets().next().is_some();
        let mut file = directory.create_file(name)?;
        file.write_all(text.fill(values).as_bytes())?;
        give(&file, self.owner(), if secret { 0o600 } else { 0o644 })
    }

    /// Enters a directory, or creates it. An existing directory must belong to the user, to whom it
    /// was given when it was created. That of another user is refused, because a target may have
    /// moved it here.
    fn enter_or_make(&self, within: &Directory, name: &OsStr) -> io::Result<Directory> {
        let directory = match within.make(name) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let shown = shown(name.as_encoded_bytes());
                let wrong = |why: &dyn std::fmt::Display| {
                    io::Error::other(format!("`{shown}` in it was replaced meanwhile: {why}"))
                };
                let directory = within.enter(name).map_err(|error| wrong(&error))?;
                let users = self.owner.as_ref().map_or(user::ours(), |owner| owner.uid);
                if directory.owner()? != users {
                    return Err(wrong(&"a directory of another user"));
                }
                return Ok(directory);
            }
            made => made?,
        };
        directory.give(self.owner(), 0o755)?;
        Ok(directory)
    }

    fn owner(&self) -> Option<(u32, u32)> {
        self.owner.as_ref().map(|owner| (owner.uid, owner.gid))
    }
}

/// A temporary directory that only our user can enter, and that is removed when this value is dropped.
pub(crate) struct OwnDirectory(Temporary);

impl OwnDirectory {
    /// Creates it under a name that is not taken: others may have guessed the next ones. The names of one run are
    /// equally long, because the length of arguments moves the stack of a program.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn create(within: &Path, name: &str) -> io::Result<OwnDirectory> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let (within, process) = (within.canonicalize()?, std::process::id());
        let mut taken = ErrorKind::AlreadyExists.into();
        for _ in 0..MOST_TAKEN {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            match Temporary::make(&within, &format!("tiebreak-{process}-{number:06}-{name}")) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => taken = error,
                made => return made.map(OwnDirectory),
            }
        }
        Err(taken)
    }
}

impl Deref for OwnDirectory {
    type Target = Temporary;

    fn deref(&self) -> &Temporary {
        &self.0
    }
}

impl Drop for OwnDirectory {
    fn drop(&mut self) {
        // An error has no receiver here, so a directory that cannot be removed is left.
        let _ = self.remove();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_name_that_others_have_taken_is_left_out() {
        let scratch = Scratch::new();
        let at = scratch.path();
        let made = |name: &str| OwnDirectory::create(at, name).expect("a name is left");
        let kept = made("a");
        let first = kept.path();
        let (before, number) = first
            .to_str()
            .and_then(|path| path.strip_suffix("-a")?.rsplit_once('-'))
            .expect("as it is named");
        let number: u32 = number.parse().expect("a number");
        // Other tests may take numbers meanwhile.
        for next in number + 1..number + 50 {
            fs::create_dir(format!("{before}-{next:06}-b")).expect("scratch");
        }
        let second = made("b");
        assert_eq!(first.as_os_str().len(), second.path().as_os_str().len());
        assert!(second.path().exists() && fs::read_dir(at).expect("there").count() == 51);
    }

    #[test]
    fn only_the_directory_that_was_created_is_removed() {
        let scratch = Scratch::new();
        let [first, second] =
            [(); 2].map(|()| OwnDirectory::create(scratch.path(), "a").expect("a directory"));
        let path = first.path().to_owned();
        assert_ne!(path, second.path());
        assert_eq!(path.metadata().expect("there").permissions().mode() & 0o777, 0o700);
        drop(first);
        assert!(!path.exists() && second.path().exists());
    }
}
