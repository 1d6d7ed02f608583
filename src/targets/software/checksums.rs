//! Verifies that the fetched files are those that this version of tiebreak expects.

use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use text::hex::hex;
use text::shown::shown;

/// Compares every file of a directory with a list as `sha256sum` writes it.
///
/// # Errors
/// A sentence that names the first file that differs, is missing or is not in the list.
pub(super) fn verify(directory: &Path, list: &str) -> Result<(), String> {
    let expected = parse(list);
    let found =
        names(directory).map_err(|error| format!("the fetched files cannot be read: {error}"))?;
    if let Some(missing) = expected.keys().find(|name| !found.iter().any(|found| found == **name)) {
        return Err(format!("`{missing}` was not fetched"));
    }
    for name in found {
        let shown = shown(&name);
        let Some(expected) = expected.get(name.as_str()) else {
            return Err(format!("`{shown}` was fetched but is not part of this version"));
        };
        let sum = sum(&directory.join(&name)).map_err(|error| format!("`{shown}`: {error}"))?;
        if sum != *expected {
            return Err(format!(
                "the checksum of `{shown}` is wrong: SHA-256 is {sum}, but {expected} was expected"
            ));
        }
    }
    Ok(())
}

/// Name and checksum of each line.
fn parse(list: &str) -> BTreeMap<&str, &str> {
    list.lines().filter_map(|line| line.split_once("  ")).map(|(sum, name)| (name, sum)).collect()
}

fn names(directory: &Path) -> io::Result<Vec<String>> {
    let name =
        |entry: io::Result<fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into_owned());
    fs::read_dir(directory)?.map(name).collect()
}

/// The SHA-256 of a file, in hexadecimal digits.
fn sum(file: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut file = File::open(file)?;
    let mut piece = vec![0; 64 << 10];
    loop {
        match io::Read::read(&mut file, &mut piece)? {
            0 => break,
            count => hasher.update(&piece[..count]),
        }
    }
    Ok(hex(&hasher.finalize()))
}

#[cfg(test)]
mod tests {
    use super::super::all;
    use super::*;
    use crate::scratch::Scratch;

    /// Of the text `abc`: the example of FIPS 180.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn a_file_that_differs_is_missing_or_is_foreign_is_named() {
        let scratch = Scratch::new();
        let list = format!("{ABC}  a.jar\n{ABC}  b.jar\n");
        let write = |name: &str, text: &str| {
            std::fs::write(scratch.path().join(name), text).expect("scratch");
        };
        let verified = || verify(scratch.path(), &list);
        write("a.jar", "abc");
        assert_eq!(verified(), Err("`b.jar` was not fetched".to_owned()));
        write("b.jar", "abc");
        assert_eq!(verified(), Ok(()));
        write("b.jar", "abd");
        let wrong = verified().expect_err("another text");
        assert!(wrong.starts_with("the checksum of `b.jar` is wrong: SHA-256 is a52d159f2"));
        write("b.jar", "abc");
        write("c.jar", "abc");
        assert_eq!(
            verified(),
            Err("`c.jar` was fetched but is not part of this version".to_owned())
        );
    }

    #[test]
    fn every_list_has_a_checksum_in_each_line() {
        for software in all() {
            for line in software.checksums.lines() {
                let (sum, name) = line.split_once("  ").expect(line);
                assert!(
                    sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit()),
                    "{line}"
                );
                assert!(!name.is_empty() && !name.contains(['/', ' ']), "{line}");
            }
            assert!(!software.checksums.is_empty(), "{}", software.name);
        }
    }
}
