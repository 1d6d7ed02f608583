//! Reads files that a user, or a file from elsewhere, names. Their size and the time to wait for
//! them are bounded.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};
use text::units::nanoseconds;

/// How long a pipe or a device may take to deliver all its data.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Reads a plain file of at most `most` bytes. Anything else (a pipe, a device, a directory) is an
/// error: it may never end, or never begin.
///
/// # Errors
/// A text that follows the file's name: `cannot be read: …`, `is not a plain file`, `is
/// too large: …`.
pub fn plain(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    whole(plain_file(path)?, most)
}

/// Opens a plain file.
///
/// # Errors
/// As [`plain`].
pub fn plain_file(path: &Path) -> Result<File, String> {
    let file = open(path).map_err(cannot)?;
    if file.metadata().map_err(cannot)?.is_file() {
        Ok(file)
    } else {
        Err("is not a plain file".to_owned())
    }
}

/// Reads a plain file, a pipe or a device (`@/dev/stdin`, `@<(command)`) that ends soon.
///
/// # Errors
/// As [`plain`], and if the file does not end in time.
pub fn any(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    within(path, most, TIMEOUT)
}

fn within(path: &Path, most: u64, timeout: Duration) -> Result<Vec<u8>, String> {
    let file = open(path).map_err(cannot)?;
    let kind = file.metadata().map_err(cannot)?.file_type();
    if kind.is_file() || kind.is_dir() {
        whole(file, most)
    } else {
        to_its_end(file, most, Instant::now() + timeout).map_err(|error| match error.kind() {
            ErrorKind::TimedOut => {
                let seconds = timeout.as_secs_f64();
                format!("is not a plain file and did not end within {seconds} s")
            }
            ErrorKind::FileTooLarge => too_large(most),
            _ => cannot(error),
        })
    }
}

/// Opens a file without waiting for a writer if it is a pipe.
fn open(path: &Path) -> io::Result<File> {
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    File::options().read(true).custom_flags(flags).open(path)
}

fn whole(file: File, most: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > most { Err(too_large(most)) } else { Ok(bytes) }
}

fn to_its_end(mut file: File, most: u64, until: Instant) -> io::Result<Vec<u8>> {
    let (mut bytes, mut piece) = (Vec::new(), vec![0; 1 << 16]);
    loop {
        // Needed before the first read, too: a pipe that nobody writes to yet would report its end.
        wait(&file, until)?;
        match file.read(&mut piece) {
            Ok(0) => return Ok(bytes),
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
            Err(error)
                if [ErrorKind::WouldBlock, ErrorKind::Interrupted].contains(&error.kind()) => {}
            Err(error) => return Err(error),
        }
        if bytes.len() as u64 > most {
            return Err(ErrorKind::FileTooLarge.into());
        }
    }
}

/// Waits until there is data to read, or the end.
fn wait(file: &File, until: Instant) -> io::Result<()> {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        let left_ns = nanoseconds(left);
        if sys::poll::readable([file.as_raw_fd()], Some(left_ns))? == [true] {
            return Ok(());
        }
    }
}

fn cannot(error: io::Error) -> String {
    format!("cannot be read: {error}")
}

fn too_large(most: u64) -> String {
    format!("is too large: at most {} MiB are allowed", most >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::io::Write;
    use std::path::PathBuf;
    use std::process::Command;

    const MOST: u64 = 1 << 20;

    fn pipe(scratch: &Scratch) -> PathBuf {
        let path = scratch.path().join("pipe");
        let made = Command::new("mkfifo").args(["-m", "600"]).arg(&path).status();
        assert!(made.expect("mkfifo runs").success());
        path
    }

    #[test]
    fn a_plain_file_is_read_up_to_its_bound() {
        let scratch = Scratch::new();
        let file = scratch.path().join("file");
        for (bytes, good) in [(0, true), (MOST, true), (MOST + 1, false)] {
            std::fs::write(&file, vec![7; bytes as usize]).expect("a file");
            for read in [plain(&file, MOST), any(&file, MOST)] {
                if good {
                    assert_eq!(read.map(|read| read.len() as u64), Ok(bytes))
                } else {
                    assert_eq!(read, Err("is too large: at most 1 MiB are allowed".to_owned()))
                }
            }
        }
    }

    #[test]
    fn what_is_no_plain_file_is_refused_or_read_with_an_end() {
        let scratch = Scratch::new();
        let pipe = pipe(&scratch);
        for path in [&pipe, Path::new("/dev/zero"), Path::new("/dev/null"), scratch.path()] {
            assert_eq!(plain(path, MOST), Err("is not a plain file".to_owned()));
        }
        assert_eq!(any(Path::new("/dev/null"), MOST), Ok(Vec::new()));
        assert_eq!(
            any(Path::new("/dev/zero"), MOST),
            Err("is too large: at most 1 MiB are allowed".to_owned())
        );
        assert!(any(scratch.path(), MOST).is_err_and(|why| why.contains("Is a directory")));
        let late = within(&pipe, MOST, Duration::from_millis(20)).unwrap_err();
        assert_eq!(late, "is not a plain file and did not end within 0.02 s");
    }

    #[test]
    fn a_pipe_is_read_to_its_end_and_one_that_drips_has_a_deadline() {
        let scratch = Scratch::new();
        let pipe = pipe(&scratch);
        let writes = |pause, times: usize| {
            let pipe = pipe.clone();
            std::thread::spawn(move || {
                let mut to = File::options().write(true).open(pipe)?;
                (0..times).try_for_each(|_| {
                    std::thread::sleep(pause);
                    to.write_all(b"ab")
                })
            })
        };
        let whole = writes(Duration::ZERO, 3);
        assert_eq!(any(&pipe, MOST), Ok(b"ababab".to_vec()));
        whole.join().expect("no panic").expect("it was read");
        let drips = writes(Duration::from_millis(10), 1000);
        assert!(within(&pipe, MOST, Duration::from_millis(200)).is_err());
        assert!(drips.join().expect("no panic").is_err(), "nobody reads any more");
    }
}
