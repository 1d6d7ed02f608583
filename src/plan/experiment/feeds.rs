//! Reads a feed: a CSV file whose rows go into operations.

use engine::workload::FeedRows;
use protocol::input;
use std::path::Path;
use text::fnv::fnv1a;
use text::shown::shown;

/// The size of the largest file in bytes: all of it is held in memory.
const LARGEST: u64 = 64 << 20;
/// The maximum number of columns.
const MOST_COLUMNS: usize = 1000;

pub(in crate::plan) struct FeedRead {
    /// The names in its first line.
    pub(in crate::plan) columns: Vec<String>,
    pub(in crate::plan) rows: FeedRows,
    pub(in crate::plan) hash: String,
    /// Columns with line ends or other control characters in some cell.
    pub(in crate::plan) unprintable: Vec<bool>,
}

/// Reads the file. An error names it, and the line.
pub(in crate::plan) fn read(path: &Path, name: &str) -> Result<FeedRead, String> {
    let bytes =
        input::plain(path, LARGEST).map_err(|why| format!("the feed {}: {why}", shown(name)))?;
    parse(&bytes).map_err(|(line, why)| format!("{}:{line}: {why}", shown(name)))
}

/// Parses a feed. An error has the line number.
fn parse(bytes: &[u8]) -> Result<FeedRead, (u64, String)> {
    let hash = format!("{:016x}", fnv1a(bytes));
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    // Lines with another number of cells are reported below, with a remedy.
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
    let mut record = csv::StringRecord::new();
    let mut next = |record: &mut csv::StringRecord| {
        let line = reader.position().line();
        let more = reader.read_record(record).map_err(|error| {
            let line = error.position().map_or(line, csv::Position::line);
            (line, "is not UTF-8: save the file as UTF-8".to_owned())
        })?;
        Ok(more.then(|| record.position().map_or(line, csv::Position::line)))
    };
    let columns = match next(&mut record)? {
        Some(line) => columns(&record).map_err(|why| (line, why))?,
        None => return Err((1, "is empty: its first line must name the columns".to_owned())),
    };
    let mut rows = FeedRows::new(columns.len());
    let mut unprintable = vec![false; columns.len()];
    while let Some(line) = next(&mut record)? {
        if record.len() != columns.len() {
            let (cells, named) = (record.len(), columns.len());
            return Err((
                line,
                format!("has {cells} cells, but the first line names {named} columns"),
            ));
        }
        for (cell, unprintable) in record.iter().zip(&mut unprintable) {
            if cell.contains('\0') {
                return Err((line, "holds a NUL character".to_owned()));
            }
            *unprintable |= cell.contains(char::is_control);
            rows.push(cell.as_bytes());
        }
    }
    match rows.rows() {
        0 => Err((2, "has no rows: add at least one below the names of the columns".to_owned())),
        _ => Ok(FeedRead { columns, rows, hash, unprintable }),
    }
}

fn columns(record: &csv::StringRecord) -> Result<Vec<String>, String> {
    if record.len() > MOST_COLUMNS {
        let count = record.len();
        return Err(format!("names {count} columns, but at most {MOST_COLUMNS} are supported"));
    }
    let mut columns: Vec<String> = Vec::new();
    for name in record {
        let name = name.trim();
        let good = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
        if name.is_empty() || !name.chars().all(good) {
            let name = shown(name);
            return Err(format!("`{name}` is not a column name: use letters, digits, _ and -"));
        }
        if columns.iter().any(|known| known == name) {
            return Err(format!("two columns are called `{name}`"));
        }
        columns.push(name.to_owned());
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_cells_and_cells_may_be_quoted() {
        let text = "\u{feff}name,mail\nAnn,\"a \"\"b\"\",c\"\r\n\"two\nlines\",\n";
        let feed = parse(text.as_bytes()).unwrap_or_else(|(line, why)| panic!("{line}: {why}"));
        assert_eq!((feed.columns, feed.rows.rows()), (vec!["name".into(), "mail".into()], 2));
        assert_eq!(feed.unprintable, [true, false]);
        assert_eq!(feed.hash.len(), 16);
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_line() {
        for (text, wanted) in [
            (&b""[..], (1, "is empty: its first line must name the columns")),
            (b"a,b\n", (2, "has no rows: add at least one below the names of the columns")),
            (b"a,b\n1,2\n3\n", (3, "has 1 cells, but the first line names 2 columns")),
            (b"a,a\n1,2\n", (1, "two columns are called `a`")),
            (b"a,\n1,2\n", (1, "`` is not a column name: use letters, digits, _ and -")),
            (b"a,b c\n1,2\n", (1, "`b c` is not a column name: use letters, digits, _ and -")),
            (b"a\n\"x\ny\"\n\xff\n", (4, "is not UTF-8: save the file as UTF-8")),
            (b"a\nx\0y\n", (2, "holds a NUL character")),
        ] {
            let wrong = parse(text).err().expect("it is wrong");
            assert_eq!((wrong.0, wrong.1.as_str()), wanted);
        }
    }

    #[test]
    fn files_that_cannot_be_read_are_named() {
        let wrong = read(Path::new("/nowhere/users.csv"), "users.csv").err().expect("no such file");
        assert!(wrong.starts_with("the feed users.csv: cannot be read: "), "{wrong}");
        let wrong = read(Path::new("/"), "/").err().expect("a directory");
        assert_eq!(wrong, "the feed /: is not a plain file");
    }
}
