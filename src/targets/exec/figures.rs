//! The figures of the cases of a suite: what is put in place of the placeholders of its command, and where a run of it
//! leaves its figures.

use crate::targets::launch::unused_directory;
use figures::{Kind, LONGEST, Printed};
use keeper::beneath::{Temporary, TemporaryId};
use keeper::{KeptOutput, Output};
use protocol::address::ProgramCommand;
use protocol::private;
use record::CaseFigure;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use text::blot::blot;
use text::shown::shown;

/// In a command, the path of a file or directory that does not exist yet and that its figures are read from.
pub const FIGURES: &str = "{figures}";
/// In a command, a directory that is empty before each run and removed after it.
pub const TEMP: &str = "{temp}";
/// In a command, the word that selects a case.
pub const CASE: &str = "{case}";

/// What prints the figures of a program's cases, and where they are.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// The tool. None if it is found by looking at the output.
    pub kind: Option<Kind>,
    /// The file, which begins with [`TEMP`]. None if the command says where they are: in [`FIGURES`] if it
    /// contains that, otherwise on its standard output.
    pub file: Option<String>,
}

impl Figures {
    /// The path that they are read from, with placeholders. None for standard output.
    fn path(&self, command: &ProgramCommand) -> Option<&str> {
        let writes = || command.words().iter().any(|word| word.contains(FIGURES));
        self.file.as_deref().or_else(|| writes().then_some(FIGURES))
    }

    /// Where they are read from, for people.
    pub(super) fn outline(&self, command: &ProgramCommand) -> String {
        let kind = self.kind.as_ref().map_or("any known kind", |kind| kind.name());
        let from = self.path(command).map_or("its standard output".to_owned(), |path| shown(path));
        format!("figures of {kind} from {from}")
    }
}

/// Whether a command selects the cases that it runs.
pub fn selects_cases(command: &ProgramCommand) -> bool {
    command.words().iter().any(|word| word.contains(CASE))
}

/// A suite that can be run.
pub(super) struct Suite {
    figures: Figures,
    /// What its figures are read from. None for standard output.
    path: Option<String>,
    /// Masked in the names of cases.
    secrets: Vec<String>,
    temporary: Temporary,
    /// The number of the next run.
    next: AtomicU32,
    /// The cases of a round, each of which is run alone. Empty if one run is of all cases.
    cases: Mutex<Vec<String>>,
}

impl Suite {
    /// # Errors
    /// A sentence, if the directory of its runs cannot be created.
    pub(super) fn new(
        figures: Figures,
        command: &ProgramCommand,
        secrets: Vec<String>,
    ) -> Result<Suite, String> {
        let temporary = unused_directory("figures")
            .map_err(|error| format!("no temporary directory can be created: {error}"))?;
        let path = figures.path(command).map(str::to_owned);
        let (next, cases) = (AtomicU32::new(0), Mutex::default());
        Ok(Suite { figures, path, secrets, temporary, next, cases })
    }

    /// The directory of all runs, which the keeper removes if tiebreak is gone.
    pub(super) fn directory(&self) -> io::Result<TemporaryId> {
        self.temporary.id()
    }

    /// Sets the cases of the rounds that follow, each of which is run alone; none for runs of all cases.
    ///
    /// # Errors
    /// A sentence, if the tool cannot run one of them alone.
    pub(super) fn set_cases(&self, cases: &[String]) -> Result<(), String> {
        let kind = self.figures.kind.as_ref();
        let cannot = |case: &&String| kind.is_none_or(|kind| kind.one_case(case).is_none());
        if let Some(case) = cases.iter().find(cannot) {
            return Err(format!(
                "the case `{}` cannot be run alone: leave out {CASE}, so that each run is of all cases",
                shown(case)
            ));
        }
        cases.clone_into(&mut self.cases.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(())
    }

    /// The case of the run with this number, counted from 0, since the cases were set. None for all cases.
    pub(super) fn case(&self, run: usize) -> Option<String> {
        let cases = self.cases.lock().unwrap_or_else(PoisonError::into_inner);
        let at = run.checked_rem(cases.len())?;
        cases.get(at).cloned()
    }

    /// Prepares a run of this case, or of all.
    ///
    /// # Errors
    /// When its directory cannot be created.
    pub(super) fn prepare(&self, case: Option<&str>) -> io::Result<PreparedRun> {
        // All paths are equally long, because the length of arguments moves the stack.
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let directory = self.temporary.path().join(format!("{number:08}"));
        private::create_directory(&directory)?;
        let kind = self.figures.kind.as_ref();
        let word = match (kind, case) {
            (Some(kind), Some(case)) => kind.one_case(case),
            (Some(kind), None) => kind.all_cases().map(str::to_owned),
            (None, _) => None,
        };
        let only = case.map(str::to_owned);
        Ok(PreparedRun { directory, word: word.unwrap_or_default(), only })
    }

    /// Where the standard output of this run is kept. None if its figures are elsewhere.
    pub(super) fn kept(&self, run: &PreparedRun) -> Option<KeptOutput> {
        let file = run.directory.join("stdout");
        self.path.is_none().then_some(KeptOutput { file, most_bytes: LONGEST })
    }

    /// Reads the figures of a run that has ended well.
    ///
    /// # Errors
    /// Why there are none. The message follows the name of the program.
    pub(super) fn read(
        &self,
        run: &PreparedRun,
        output: &Output,
    ) -> Result<Vec<CaseFigure>, String> {
        let files = match &self.path {
            Some(path) => written(&run.fill(path), self.figures.kind.as_ref())?,
            None => vec![(String::new(), run.printed(output)?)],
        };
        let printed: Vec<Printed<'_>> =
            files.iter().map(|(path, bytes)| Printed { path, bytes }).collect();
        let mut figures = figures::read(self.figures.kind.as_ref(), &printed)
            .map_err(|why| format!("gave no figures: {why}"))?;
        for figure in &mut figures {
            let mut name = std::mem::take(&mut figure.case).into_bytes();
            blot(&mut name, &self.secrets);
            figure.case = String::from_utf8_lossy(&name).into_owned();
        }
        if let Some(only) = &run.only {
            // The word that selects it may also select others.
            figures.retain(|figure| figure.case == *only);
            if figures.is_empty() {
                return Err(format!("gave no figure of `{}`", shown(only)));
            }
        }
        Ok(figures)
    }
}

impl Drop for Suite {
    fn drop(&mut self) {
        // An error has no receiver here, so a directory that cannot be removed is left.
        let _ = self.temporary.remove();
    }
}

/// One run, with a directory of its own that is removed after it.
pub(super) struct PreparedRun {
    directory: PathBuf,
    /// The word in place of [`CASE`].
    word: String,
    /// The only case whose figure is wanted. None for all.
    only: Option<String>,
}

impl PreparedRun {
    /// Replaces the placeholders of a word of the command.
    pub(super) fn fill(&self, word: &str) -> String {
        if !word.contains('{') {
            return word.to_owned();
        }
        let directory = self.directory.display().to_string();
        word.replace(FIGURES, &format!("{directory}/figures"))
            .replace(TEMP, &directory)
            .replace(CASE, &self.word)
    }

    /// The standard output of the run.
    fn printed(&self, output: &Output) -> Result<Vec<u8>, String> {
        if output.bytes > LONGEST {
            return Err(format!(
                "printed {} bytes on its standard output, and at most {LONGEST} are read for its figures: let it \
                 print less, or write its figures into {FIGURES}",
                output.bytes
            ));
        }
        let bytes = fs::read(self.directory.join("stdout")).unwrap_or_default();
        if (bytes.len() as u64) < output.bytes {
            return Err(
                "printed figures that could not be kept in a temporary file: is the disk full?"
                    .to_owned(),
            );
        }
        Ok(bytes)
    }

    /// The end of the standard output of a run that failed: many tools print there why.
    pub(super) fn last_lines(&self, secrets: &[String]) -> Vec<String> {
        keeper::logs::tail(&self.directory.join("stdout"), 0, secrets)
    }
}

impl Drop for PreparedRun {
    fn drop(&mut self) {
        // It lies in a directory that is removed at the end.
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Reads a file, or the files of this kind below a directory, with their paths below it.
fn written(path: &str, kind: Option<&Kind>) -> Result<Vec<(String, Vec<u8>)>, String> {
    let root = Path::new(path);
    let missing = "did not write the file of its figures: have it write into {figures}, or leave out `file` if it \
                   prints them";
    let Ok(found) = fs::symlink_metadata(root) else { return Err(missing.to_owned()) };
    let mut left = LONGEST;
    if found.is_file() {
        return Ok(vec![(String::new(), read_at_most(root, &mut left)?)]);
    }
    let mut files = Vec::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        let entries = fs::read_dir(&directory).map_err(|error| unreadable(&error))?;
        for entry in entries {
            let entry = entry.map_err(|error| unreadable(&error))?;
            let path = entry.path();
            let file_type = entry.file_type().map_err(|error| unreadable(&error))?;
            if file_type.is_dir() {
                directories.push(path);
                continue;
            }
            let below = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            if file_type.is_file() && kind.is_none_or(|kind| kind.reads_file(&below)) {
                files.push((below, read_at_most(&path, &mut left)?));
            }
        }
    }
    files.sort();
    if files.is_empty() { Err(missing.to_owned()) } else { Ok(files) }
}

/// Reads a file, which must not be longer than what is left.
fn read_at_most(file: &Path, left: &mut u64) -> Result<Vec<u8>, String> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let opened = fs::File::open(file).map_err(|error| unreadable(&error))?;
    opened.take(*left + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    *left = left.checked_sub(bytes.len() as u64).ok_or_else(|| {
        format!("wrote more than {LONGEST} bytes of figures, and at most as many are read")
    })?;
    Ok(bytes)
}

fn unreadable(error: &io::Error) -> String {
    format!("wrote figures that cannot be read: {error}")
}
