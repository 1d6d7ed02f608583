//! The files of a project, as far as a first experiment file depends on them.

use super::Port;
use std::fs;
use std::path::{Path, PathBuf};

/// The most files that are looked at, and the most bytes of each.
const MOST_FILES: usize = 5000;
const MOST_BYTES: u64 = 1 << 20;

/// Directories that hold what others wrote or what a build made.
const LEFT_OUT: [&str; 9] = [
    "target",
    "node_modules",
    "vendor",
    "build",
    "dist",
    "venv",
    "__pycache__",
    "tests",
    "testdata",
];

/// Ways in which programs ask for their port, by language.
const VARIABLE: [&str; 9] = [
    "env.PORT",
    "env['PORT']",
    "env[\"PORT\"]",
    "Getenv(\"PORT\")",
    "LookupEnv(\"PORT\")",
    "var(\"PORT\")",
    "environ[\"PORT\"]",
    "environ.get(\"PORT\"",
    "getenv(\"PORT\"",
];

/// What stands before a port that is written into a program.
const FIXED: [&str; 8] =
    ["listen(", "\":", "0.0.0.0:", "127.0.0.1:", "localhost:", "port=", "port = ", "EXPOSE "];

/// A project.
pub(super) struct Source {
    directory: PathBuf,
    /// Its files, relative to the directory, sorted.
    pub(super) files: Vec<PathBuf>,
}

impl Source {
    pub(super) fn of(directory: &Path) -> Source {
        let mut files = Vec::new();
        collect(directory, directory, &mut files);
        files.sort();
        Source { directory: directory.to_owned(), files }
    }

    /// The name of its directory.
    pub(super) fn name(&self) -> String {
        let absolute = self.directory.canonicalize().unwrap_or_else(|_| self.directory.clone());
        absolute.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Whether it has this file or, for `*.ENDING`, any such file in its directory.
    pub(super) fn has(&self, file: &str) -> bool {
        let is_in_it = |file: &PathBuf| file.components().count() == 1;
        match file.strip_prefix('*') {
            Some(ending) => self.ending(ending).any(is_in_it),
            None => self.directory.join(file).is_file(),
        }
    }

    /// The text of a file. Empty if it cannot be read as text.
    pub(super) fn text(&self, file: impl AsRef<Path>) -> String {
        let path = self.directory.join(file);
        let is_small = fs::metadata(&path).is_ok_and(|about| about.len() <= MOST_BYTES);
        if is_small { fs::read_to_string(path).unwrap_or_default() } else { String::new() }
    }

    pub(super) fn ending(&self, ending: &str) -> impl Iterator<Item = &PathBuf> {
        let ending = ending.to_owned();
        self.files.iter().filter(move |file| file.to_string_lossy().ends_with(&ending))
    }

    /// Whether a program of it seems to print how much work it did.
    pub(super) fn prints_operations(&self) -> bool {
        const ENDINGS: [&str; 9] = [".c", ".cc", ".cpp", ".go", ".rs", ".py", ".js", ".mjs", ".sh"];
        let mut files = ENDINGS.iter().flat_map(|ending| self.ending(ending));
        files.any(|file| {
            let text = self.text(file);
            let ways = ["\"operations ", "'operations ", "`operations ", "echo operations "];
            ways.iter().any(|way| text.contains(way))
        })
    }

    /// How its program gets its port.
    pub(super) fn port(&self) -> Port {
        const ENDINGS: [&str; 8] =
            [".js", ".mjs", ".cjs", ".ts", ".go", ".rs", ".py", "Dockerfile"];
        let texts: Vec<String> = self
            .files
            .iter()
            .filter(|file| ENDINGS.iter().any(|ending| file.to_string_lossy().ends_with(ending)))
            .map(|file| self.text(file))
            .collect();
        if texts.iter().any(|text| VARIABLE.iter().any(|way| text.contains(way))) {
            return Port::Variable;
        }
        texts.iter().find_map(|text| fixed(text)).map_or(Port::Unknown, Port::Fixed)
    }
}

fn fixed(text: &str) -> Option<String> {
    FIXED.iter().find_map(|before| {
        let after = text.split(before).skip(1);
        let mut digits =
            after.map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
        digits.find(|port| port.parse::<u16>().is_ok_and(|port| port >= 80))
    })
}

fn collect(top: &Path, directory: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(kind) = entry.file_type() else { continue };
        if files.len() >= MOST_FILES || name.starts_with('.') {
            continue;
        }
        if kind.is_dir() && !LEFT_OUT.contains(&name.as_str()) {
            collect(top, &entry.path(), files);
        } else if kind.is_file()
            && let Ok(path) = entry.path().strip_prefix(top)
        {
            files.push(path.to_owned());
        }
    }
}
