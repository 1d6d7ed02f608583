//! `sweep.json`: the load points in the directory of a sweep.

use protocol::{Error, input, private};
use record::Sweep;
use record::sweep::SCHEMA;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use text::shown::shown;

/// The file's name in the directory of a sweep.
pub const FILE: &str = "sweep.json";
/// The largest size of the file in bytes. A sweep has at most 16 load points.
const LARGEST: u64 = 1 << 20;

/// Writes it once; it is on disk before the first load point is driven.
///
/// # Errors
/// If it exists already, or cannot be written.
pub fn write(directory: &Path, sweep: &Sweep) -> io::Result<()> {
    let mut text = serde_json::to_string_pretty(sweep)?;
    text.push('\n');
    let mut file = private::create_file(&directory.join(FILE))?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    File::open(directory)?.sync_all()
}

/// Reads it.
///
/// # Errors
/// If it is not a sweep, is of another version, or names directories that are not its own.
pub fn read(directory: &Path) -> Result<Sweep, Error> {
    let file = directory.join(FILE);
    let path = shown(file.display().to_string());
    let wrong = |what: String| Error::failed(format!("{path}: {what}"));
    let text = input::plain(&file, LARGEST).map_err(wrong)?;
    let value: serde_json::Value =
        serde_json::from_slice(&text).map_err(|error| wrong(format!("it is not JSON: {error}")))?;
    match value["schema"].as_str() {
        Some(SCHEMA) => {}
        other => {
            let other = shown(other.unwrap_or("none"));
            return Err(wrong(format!(
                "its schema is {other}, but this version of tiebreak reads \
                                      {SCHEMA}"
            )));
        }
    }
    let sweep: Sweep = serde_json::from_value(value)
        .map_err(|error| wrong(format!("it is not a sweep: {}", shown(error.to_string()))))?;
    // These directories are opened and linked to: a forged name must not lead outside the sweep.
    let strange = sweep.points.iter().find(|it| it.directory != sweep.factor.directory(it.value));
    match strange {
        Some(point) => Err(wrong(format!(
            "`{}` is not the directory of a load point",
            shown(&point.directory)
        ))),
        None => Ok(sweep),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use record::{Factor, LoadPoint};

    fn sweep() -> Sweep {
        let point = |value: f64, turn| {
            let directory = Factor::Connections.directory(value);
            LoadPoint { value, directory, turn }
        };
        Sweep {
            schema: SCHEMA.to_owned(),
            version: "0.1.0".to_owned(),
            started: "2026-03-01T09:30:00Z".to_owned(),
            factor: Factor::Connections,
            points: vec![point(1.0, 2), point(8.0, 1)],
        }
    }

    #[test]
    fn what_was_written_is_read_and_written_once() {
        let scratch = Scratch::new();
        write(scratch.path(), &sweep()).expect("writes");
        assert_eq!(read(scratch.path()), Ok(sweep()));
        assert!(write(scratch.path(), &sweep()).is_err());
    }

    #[test]
    fn an_invalid_sweep_is_an_error_that_names_the_reason() {
        let scratch = Scratch::new();
        write(scratch.path(), &sweep()).expect("writes");
        let whole = std::fs::read_to_string(scratch.path().join(FILE)).expect("text");
        let table = [
            ("connections-8", "../../etc", "`../../etc` is not the directory of a load point"),
            (
                "sweep-points/1",
                "sweep-points/2",
                "but this version of tiebreak reads tiebreak.sweep-points/1",
            ),
            ("\"factor\"", "\"fcator\"", "it is not a sweep: missing field `factor`"),
            ("{", "", "it is not JSON: "),
        ];
        for (old, new, message) in table {
            std::fs::write(scratch.path().join(FILE), whole.replacen(old, new, 1)).expect("text");
            let error = read(scratch.path()).expect_err(message).text;
            assert!(error.contains(message), "{error}");
        }
    }
}
