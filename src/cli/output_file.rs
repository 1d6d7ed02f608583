//! Files that a command writes where a user said. In a directory that others can write to, somebody may have put
//! something else there first.

use std::fs::{File, FileType, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The system's names of files that this process has open, which are links, and of devices.
const OF_THE_SYSTEM: [&str; 3] = ["/dev", "/dev/fd", "/proc/self/fd"];

/// Why nothing can be written there, as a text that follows "it". Returns None if it is a plain file, or will be one.
pub(super) fn objection(file: &Path) -> Option<&'static str> {
    let directory = file.parent().filter(|directory| *directory != Path::new(""));
    match file.symlink_metadata() {
        Ok(found) if found.is_dir() => Some("is a directory"),
        Ok(found) if !is_of_the_system(file) => kind_objection(found.file_type()),
        Err(_) if !directory.is_none_or(Path::is_dir) => {
            Some("is in a directory that does not exist")
        }
        _ => None,
    }
}

/// Creates the file, or empties it.
///
/// # Errors
/// If it is a link, a pipe or anything else but a plain file, or the system refuses.
pub(super) fn create(file: &Path) -> io::Result<File> {
    if is_of_the_system(file) {
        return File::create(file);
    }
    // A pipe that nobody reads does not block, and nothing is emptied before it is known to be a plain file.
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).custom_flags(flags);
    let opened = options.open(file);
    let kind = match &opened {
        Ok(opened) => opened.metadata()?.file_type(),
        Err(_) => match file.symlink_metadata() {
            Ok(found) => found.file_type(),
            Err(_) => return opened,
        },
    };
    match kind_objection(kind) {
        Some(why) => Err(io::Error::other(format!("it {why}"))),
        None => opened.and_then(|opened| opened.set_len(0).map(|()| opened)),
    }
}

fn kind_objection(kind: FileType) -> Option<&'static str> {
    match kind {
        kind if kind.is_file() => None,
        kind if kind.is_symlink() => {
            Some("is a symbolic link, which tiebreak does not follow: name the file itself")
        }
        _ => Some("is not a plain file"),
    }
}

fn is_of_the_system(file: &Path) -> bool {
    file.parent().is_some_and(|parent| OF_THE_SYSTEM.iter().any(|known| parent == Path::new(known)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::io::Write;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    #[test]
    fn only_a_plain_file_is_written() {
        let scratch = Scratch::new();
        let path = |name: &str| scratch.path().join(name);
        std::fs::write(path("precious"), "precious").expect("scratch");
        symlink(path("precious"), path("link")).expect("scratch");
        symlink(path("nothing"), path("dangling")).expect("scratch");
        let made = Command::new("mkfifo").arg(path("pipe")).status().expect("coreutils");
        assert!(made.success());
        for (name, why) in [
            ("link", "is a symbolic link"),
            ("dangling", "is a symbolic link"),
            ("pipe", "is not a plain file"),
        ] {
            assert!(objection(&path(name)).expect(name).starts_with(why), "{name}");
            let error = create(&path(name)).expect_err(name).to_string();
            assert!(error.starts_with(&format!("it {why}")), "{name}: {error}");
        }
        assert!(!path("nothing").exists());
        assert_eq!(std::fs::read(path("precious")).expect("there"), b"precious");
        for name in ["precious", "new"] {
            assert_eq!(objection(&path(name)), None, "{name}");
            create(&path(name)).and_then(|mut file| file.write_all(b"x")).expect(name);
            assert_eq!(std::fs::read(path(name)).expect("there"), b"x", "{name}");
        }
    }

    #[test]
    fn what_this_process_has_open_can_be_named() {
        let scratch = Scratch::new();
        let file = File::create(scratch.path().join("file")).expect("scratch");
        let number = std::os::fd::AsRawFd::as_raw_fd(&file);
        for directory in ["/dev/fd", "/proc/self/fd"] {
            let name = format!("{directory}/{number}");
            assert_eq!(objection(Path::new(&name)), None);
            create(Path::new(&name)).and_then(|mut file| file.write_all(b"x")).expect(&name);
        }
        assert_eq!(objection(Path::new("/dev/null")), None);
        create(Path::new("/dev/null")).expect("a device");
    }
}
