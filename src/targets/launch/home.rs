//! The temporary folder of a launched target: its files, and what it serves.

use crate::plan::experiment::{Launch, Text, Values};
use crate::targets::keeper::user::{self, User};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The page of 87 bytes that recipes serve where no folder is given.
pub(super) fn page() -> String {
    format!("<html><body>{}</body></html>", "x".repeat(61))
}

/// A folder that is removed with this.
pub(super) struct Home {
    folder: PathBuf,
    owner: Option<User>,
}

impl Home {
    /// Makes the folder. Others may enter it: servers give up root for users
    /// of their own. `within`: where; none: where the system has such folders.
    pub(super) fn create(
        name: &str,
        owner: Option<User>,
        within: Option<&Path>,
    ) -> io::Result<Home> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("tiebreak-{}-{number}-{name}", std::process::id());
        let within = within.map_or_else(std::env::temp_dir, Path::to_owned);
        let folder = within.canonicalize()?.join(name);
        DirBuilder::new().mode(0o700).create(&folder)?;
        let owner = owner.filter(|owner| user::ours() == 0 && owner.uid != 0);
        let home = Home { folder, owner };
        home.give(&home.folder, 0o755)?;
        Ok(home)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes the files of a launch, and the page where nothing else is
    /// served. What was written before is written anew.
    pub(super) fn furnish(&self, launch: &Launch, values: &Values) -> io::Result<()> {
        for (path, text) in &launch.files {
            self.write(path, text, values)?;
        }
        if launch.site.is_none() {
            self.write("site/index.html", &Text::plain(&page()), values)?;
        }
        Ok(())
    }

    /// The folder that is served.
    pub(super) fn site(&self, launch: &Launch) -> PathBuf {
        launch.site.clone().unwrap_or_else(|| self.folder.join("site"))
    }

    fn write(&self, path: &str, text: &Text, values: &Values) -> io::Result<()> {
        let file = self.folder.join(path);
        let mut folder = self.folder.clone();
        for part in Path::new(path).parent().into_iter().flat_map(Path::components) {
            folder.push(part);
            if !folder.is_dir() {
                fs::create_dir(&folder)?;
            }
            self.give(&folder, 0o755)?;
        }
        let secret = text.secrets().next().is_some();
        // Removed first: a target's own user may have put a link there.
        match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = OpenOptions::new();
        let mut opened: File = options.write(true).create_new(true).mode(0o600).open(&file)?;
        opened.write_all(text.fill(values).as_bytes())?;
        self.give(&file, if secret { 0o600 } else { 0o644 })
    }

    fn give(&self, path: &Path, mode: u32) -> io::Result<()> {
        if let Some(owner) = &self.owner {
            chown(path, Some(owner.uid), Some(owner.gid))?;
        }
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // What cannot be removed is left: there is nobody to tell.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
