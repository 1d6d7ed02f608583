//! The figures of the cases of a suite: what is put in place of the placeholders of its command, and where a run of it
//! leaves its figures.

use crate::targets::launch::OwnDirectory;
use figures::{Kind, LONGEST, Printed};
use keeper::beneath::TemporaryId;
use keeper::{KeptOutput, Output};
use protocol::address::ProgramCommand;
use protocol::private;
use record::CaseFigure;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use text::blot::blot;
use text::near;
use text::shown::shown;
use text::units::show_counted;

/// In a command, the path of a file or directory that does not exist yet and that its figures are read from.
pub const FIGURES: &str = "{figures}";
/// In a command, a directory that is empty before each run and removed after it.
pub const TEMP: &str = "{temp}";
/// In a command, the word that selects a case.
pub const CASE: &str = "{case}";

/// The end of the name of the file with the standard output of a run, beside its directory.
const STDOUT: &str = "stdout";

/// The most files and directories that are looked at for the figures of a run.
const MOST_ENTRIES: usize = 20_000;

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
    /// Checks that a command can give these figures.
    ///
    /// # Errors
    /// A sentence with the remedy.
    pub fn check(&self, command: &ProgramCommand) -> Result<(), String> {
        let can_select = self.kind.as_ref().is_some_and(|kind| kind.all_cases().is_some());
        if selects_cases(command) && !can_select {
            let all = Kind::NAMES.iter().filter_map(|name| Kind::named(name));
            let can = all.filter(|kind| kind.all_cases().is_some());
            let names: Vec<&str> = can.map(|kind| kind.name()).collect();
            return Err(format!(
                "{CASE} selects a case, which is possible only for these kinds: {}; name one of them, or leave out {CASE} \
                 so that each run is of all cases",
                names.join(", ")
            ));
        }
        match &self.file {
            Some(file) if file != FIGURES && !contains(command, TEMP) => Err(format!(
                "the program does not learn where {} is: name the file in its command, too",
                shown(file)
            )),
            _ => Ok(()),
        }
    }

    /// The path that they are read from, with placeholders. None for standard output.
    fn path(&self, command: &ProgramCommand) -> Option<&str> {
        self.file.as_deref().or_else(|| contains(command, FIGURES).then_some(FIGURES))
    }

    /// Where they are read from, for people.
    pub(super) fn outline(&self, command: &ProgramCommand) -> String {
        let kind = self.kind.as_ref().map_or("any known kind", |kind| kind.name());
        let from = self.path(command).map_or("its standard output".to_owned(), shown);
        format!("figures of {kind} from {from}")
    }
}

/// Returns the kind with this name. Returns None for the word that has it found by looking at the output.
///
/// # Errors
/// A sentence that lists the known ones.
pub fn kind_named(name: &str) -> Result<Option<Kind>, String> {
    if name == "auto" {
        return Ok(None);
    }
    Kind::named(name).map(Some).ok_or_else(|| {
        let known = Kind::NAMES.iter().copied().chain(["auto"]);
        let meant = near::did_you_mean(name, known.clone());
        format!(
            "`{}` is no kind of figures: {}, or a pattern of your own in the experiment file{meant}",
            shown(name),
            known.collect::<Vec<_>>().join(", ")
        )
    })
}

/// Whether a command selects the cases that it runs.
pub fn selects_cases(command: &ProgramCommand) -> bool {
    contains(command, CASE)
}

fn contains(command: &ProgramCommand, placeholder: &str) -> bool {
    command.words().iter().any(|word| word.contains(placeholder))
}

struct AloneCase {
    name: String,
    /// Whether a run of it failed since the cases were set.
    has_failed: bool,
}

/// The run of a slice.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SuiteRun {
    /// Of all cases.
    All,
    /// Of this case alone.
    Case(String),
    /// None: the case has failed in an earlier round, and is not judged. It may take until the timeout to fail.
    Nothing,
}

pub(super) struct Suite {
    figures: Figures,
    /// What its figures are read from. None for standard output.
    path: Option<String>,
    /// Masked in the names of cases, and in what a run printed.
    secrets: Vec<String>,
    temporary: OwnDirectory,
    /// The number of the next run.
    next: AtomicU32,
    /// The cases of a round, each of which is run alone. Empty if one run is of all cases.
    cases: Mutex<Vec<AloneCase>>,
}

impl Suite {
    /// # Errors
    /// A sentence, if the directory of its runs cannot be created.
    pub(super) fn new(
        figures: Figures,
        command: &ProgramCommand,
        secrets: Vec<String>,
    ) -> Result<Suite, String> {
        let temporary = OwnDirectory::create(&std::env::temp_dir(), "figures")
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
        let alone = |name: &String| AloneCase { name: name.clone(), has_failed: false };
        *self.cases() = cases.iter().map(alone).collect();
        Ok(())
    }

    /// The run with this number, counted from 0, since the cases were set.
    pub(super) fn numbered(&self, run: usize) -> SuiteRun {
        let cases = self.cases();
        match run.checked_rem(cases.len()).map(|at| &cases[at]) {
            None => SuiteRun::All,
            Some(case) if case.has_failed => SuiteRun::Nothing,
            Some(case) => SuiteRun::Case(case.name.clone()),
        }
    }

    /// Leaves out the case of the run with this number, which failed, if it was run alone.
    pub(super) fn failed(&self, run: usize) {
        let mut cases = self.cases();
        if let Some(at) = run.checked_rem(cases.len()) {
            cases[at].has_failed = true;
        }
    }

    fn cases(&self) -> MutexGuard<'_, Vec<AloneCase>> {
        self.cases.lock().unwrap_or_else(PoisonError::into_inner)
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
        let word = word.unwrap_or_default();
        Ok(PreparedRun { directory, word, only, is_first: number == 0 })
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
        let figures::Read { mut figures, failed } =
            figures::read(self.figures.kind.as_ref(), &printed)
                .map_err(|why| format!("gave no figures: {why}"))?;
        if run.is_first
            && let Some(name) = failed.first()
        {
            // Otherwise it would be a case that only the other contenders have. In rounds it has no figure.
            return Err(format!(
                "reports {} as failed, such as `{}`: repair or leave out what fails",
                show_counted(failed.len() as u64, "case"),
                shown(self.masked(name))
            ));
        }
        self.mask(&mut figures)?;
        if let Some(only) = &run.only {
            // The word that selects it may also select others.
            figures.retain(|figure| figure.case == *only);
            if figures.is_empty() {
                return Err(format!("gave no figure of `{}`", shown(only)));
            }
        }
        Ok(figures)
    }

    /// The end of the standard output of a run that failed: many tools print there why.
    pub(super) fn last_lines(&self, run: &PreparedRun) -> Vec<String> {
        keeper::logs::tail(&run.stdout(), 0, &self.secrets)
    }

    /// A name without secrets.
    fn masked(&self, name: &str) -> String {
        let mut name = name.as_bytes().to_vec();
        blot(&mut name, &self.secrets);
        String::from_utf8_lossy(&name).into_owned()
    }

    /// Masks the secrets in the names of cases.
    ///
    /// # Errors
    /// When two cases then have the same name.
    fn mask(&self, figures: &mut [CaseFigure]) -> Result<(), String> {
        let mut known = BTreeSet::new();
        for figure in figures {
            figure.case = self.masked(&figure.case);
            if !known.insert(&figure.case) {
                return Err(format!(
                    "gave two cases whose names are both `{}` once the secrets in them are masked: give the cases \
                     names without secrets",
                    shown(&figure.case)
                ));
            }
        }
        Ok(())
    }
}

/// One run, with a directory and a file of its own that are removed after it.
pub(super) struct PreparedRun {
    directory: PathBuf,
    /// The word in place of [`CASE`].
    word: String,
    /// The only case whose figure is wanted. None for all.
    only: Option<String>,
    /// Whether it is the first run, which lists the cases.
    is_first: bool,
}

impl PreparedRun {
    /// Where the standard output of the run is kept, for its figures, and for the end of it if the run fails.
    pub(super) fn kept(&self) -> KeptOutput {
        KeptOutput { file: self.stdout(), most_bytes: LONGEST }
    }

    /// The file of its standard output, which is not in the directory: the program finds that empty.
    fn stdout(&self) -> PathBuf {
        self.directory.with_extension(STDOUT)
    }

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

    fn printed(&self, output: &Output) -> Result<Vec<u8>, String> {
        if output.bytes > LONGEST {
            return Err(format!(
                "printed {} bytes on its standard output, and at most {LONGEST} are read for its figures: let it \
                 print less, or write its figures into {FIGURES}",
                output.bytes
            ));
        }
        let bytes = fs::read(self.stdout()).unwrap_or_default();
        if (bytes.len() as u64) < output.bytes {
            return Err(
                "printed figures that could not be kept in a temporary file: is the disk full?"
                    .to_owned(),
            );
        }
        Ok(bytes)
    }
}

impl Drop for PreparedRun {
    fn drop(&mut self) {
        // They lie in a directory that is removed at the end.
        let _ = fs::remove_file(self.stdout());
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
    let mut entries_left = MOST_ENTRIES;
    while let Some(directory) = directories.pop() {
        let entries = fs::read_dir(&directory).map_err(|error| unreadable(&error))?;
        for entry in entries {
            entries_left = entries_left.checked_sub(1).ok_or_else(|| {
                format!(
                    "wrote more than {MOST_ENTRIES} files and directories, and at most as many are looked at for \
                     its figures: have it write them into a directory of their own"
                )
            })?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> ProgramCommand {
        ProgramCommand::parse(text).expect("words")
    }

    fn suite(kind: &str, file: Option<&str>, text: &str) -> Suite {
        let kind = kind_named(kind).expect("a kind");
        let figures = Figures { kind, file: file.map(str::to_owned) };
        Suite::new(figures, &command(text), Vec::new()).expect("a directory")
    }

    fn cases(figures: &[CaseFigure]) -> Vec<&str> {
        figures.iter().map(|figure| figure.case.as_str()).collect()
    }

    const OUTPUT: &str = "BenchmarkA 10 5.0 ns/op\nBenchmarkB 10 6.0 ns/op\n";

    #[test]
    fn every_run_has_paths_of_its_own_that_are_equally_long() {
        let suite = suite("go", None, "bench {case} {temp}/x --out={figures}");
        let all = suite.prepare(None).expect("prepared");
        assert_eq!(
            (all.fill("{case}"), all.fill("-n=1 {b}")),
            (".".to_owned(), "-n=1 {b}".to_owned())
        );
        suite.set_cases(&["BenchmarkA".to_owned()]).expect("it can be selected");
        let one = suite.prepare(Some("BenchmarkA")).expect("prepared");
        assert_eq!(one.fill("{case}"), "^BenchmarkA$");
        let [a, b] = [&all, &one].map(|run| run.fill("{temp} {figures}"));
        assert!(a != b && a.len() == b.len(), "{a} {b}");
        let other = self::suite("go", None, "bench");
        let c = other.prepare(None).expect("prepared").fill("{temp} {figures}");
        assert!(a != c && a.len() == c.len(), "of another contender: {a} {c}");
        let directory = PathBuf::from(one.fill("{temp}"));
        fs::write(one.kept().file, OUTPUT).expect("written");
        assert_eq!(fs::read_dir(&directory).expect("a directory").count(), 0, "it is empty");
        drop((one, all));
        let root = directory.parent().expect("a parent").to_owned();
        assert_eq!(fs::read_dir(&root).expect("a directory").count(), 0, "nothing is left of runs");
        drop(suite);
        assert!(!root.exists());
    }

    #[test]
    fn a_case_that_failed_alone_is_left_out_until_the_cases_are_set_anew() {
        let suite = suite("go", None, "bench {case}");
        assert_eq!(suite.numbered(0), SuiteRun::All);
        suite.failed(0);
        assert_eq!(suite.numbered(0), SuiteRun::All, "a run of all cases is never left out");
        let cases = ["a", "b"].map(str::to_owned);
        suite.set_cases(&cases).expect("they can be selected");
        let [a, b] = cases.clone().map(SuiteRun::Case);
        assert_eq!((&suite.numbered(0), &suite.numbered(3), &suite.numbered(4)), (&a, &b, &a));
        suite.failed(3);
        assert_eq!((&suite.numbered(5), &suite.numbered(6)), (&SuiteRun::Nothing, &a));
        suite.set_cases(&cases).expect("they can be selected");
        assert_eq!(suite.numbered(1), b);
    }

    #[test]
    fn a_directory_of_too_many_files_gives_no_figures() {
        let suite = suite("go", None, "bench {figures}");
        let run = suite.prepare(None).expect("prepared");
        let directory = PathBuf::from(run.fill("{figures}"));
        fs::create_dir(&directory).expect("a directory");
        for number in 0..=MOST_ENTRIES {
            fs::write(directory.join(number.to_string()), "").expect("written");
        }
        let many = suite.read(&run, &Output::default()).expect_err("too many");
        assert!(many.starts_with("wrote more than 20000 files and directories"), "{many}");
    }

    #[test]
    fn names_that_only_secrets_tell_apart_are_refused() {
        let figures = Figures { kind: kind_named("go").expect("a kind"), file: None };
        let secrets = ["arkA", "arkB"].map(str::to_owned).to_vec();
        let suite = Suite::new(figures, &command("bench"), secrets).expect("new");
        let run = suite.prepare(None).expect("prepared");
        fs::write(run.kept().file, OUTPUT).expect("written");
        let read = suite.read(&run, &Output { bytes: OUTPUT.len() as u64, ..Output::default() });
        let why = read.expect_err("equal names");
        assert!(why.starts_with("gave two cases whose names are both `Benchm****`"), "{why}");
    }

    #[test]
    fn standard_output_is_read_to_its_end_or_not_at_all() {
        let suite = suite("go", None, "bench");
        let run = suite.prepare(None).expect("prepared");
        fs::write(run.kept().file, OUTPUT).expect("written");
        let of = |bytes| Output { bytes, ..Output::default() };
        let figures = suite.read(&run, &of(OUTPUT.len() as u64)).expect("figures");
        assert_eq!(cases(&figures), ["BenchmarkA", "BenchmarkB"]);
        let cut = suite.read(&run, &of(OUTPUT.len() as u64 + 1)).expect_err("cut");
        assert!(cut.contains("could not be kept in a temporary file"), "{cut}");
        let long = suite.read(&run, &of(LONGEST + 1)).expect_err("long");
        assert!(
            long.starts_with("printed 16777217 bytes on its standard output, and at most 16777216"),
            "{long}"
        );
    }

    #[test]
    fn of_a_run_of_one_case_only_that_case_counts() {
        let suite = suite("go", None, "bench {case}");
        for (case, expected) in [("BenchmarkB", Ok(vec!["BenchmarkB"])), ("Benchmark", Err(()))] {
            let run = suite.prepare(Some(case)).expect("prepared");
            fs::write(run.kept().file, OUTPUT).expect("written");
            let read =
                suite.read(&run, &Output { bytes: OUTPUT.len() as u64, ..Output::default() });
            let found = read.as_ref().map(|figures| cases(figures)).map_err(|why| {
                assert_eq!(why, "gave no figure of `Benchmark`");
            });
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_file_that_is_missing_or_too_long_gives_no_figures() {
        let suite = suite("go", Some("{temp}/out"), "bench {temp}/out");
        let run = suite.prepare(None).expect("prepared");
        let read = || suite.read(&run, &Output::default());
        let missing = read().expect_err("missing");
        assert!(missing.starts_with("did not write the file of its figures"), "{missing}");
        let file = PathBuf::from(run.fill("{temp}/out"));
        fs::write(&file, OUTPUT).expect("written");
        assert_eq!(cases(&read().expect("figures")), ["BenchmarkA", "BenchmarkB"]);
        fs::File::options()
            .write(true)
            .open(&file)
            .expect("a file")
            .set_len(LONGEST + 1)
            .expect("a hole");
        let long = read().expect_err("too long");
        assert!(long.starts_with("wrote more than 16777216 bytes"), "{long}");
    }

    #[test]
    fn a_case_that_failed_ends_the_listing_and_has_no_figure_in_rounds() {
        let suite = suite("google-benchmark", Some("{figures}"), "bench {figures}");
        let read = || {
            let run = suite.prepare(None).expect("prepared");
            let bytes = include_bytes!("../../../crates/figures/tests/data/google-benchmark.txt");
            fs::write(run.fill("{figures}"), bytes).expect("written");
            suite.read(&run, &Output::default())
        };
        assert_eq!(
            read().expect_err("failed"),
            "reports 1 case as failed, such as `BM_Fails`: repair or leave out what fails"
        );
        let round = read().expect("the others");
        assert!(round.len() == 5 && !cases(&round).contains(&"BM_Fails"), "{round:?}");
    }

    #[test]
    fn a_name_never_holds_a_secret() {
        let figures = Figures { kind: kind_named("go").expect("a kind"), file: None };
        let suite = Suite::new(figures, &command("bench"), vec!["arkB".to_owned()]).expect("new");
        let run = suite.prepare(None).expect("prepared");
        fs::write(run.kept().file, OUTPUT).expect("written");
        let read = suite.read(&run, &Output { bytes: OUTPUT.len() as u64, ..Output::default() });
        assert_eq!(cases(&read.expect("figures")), ["BenchmarkA", "Benchm****"]);
    }

    #[test]
    fn the_kind_of_figures_is_a_word_that_is_known() {
        assert!(kind_named("auto").is_ok_and(|kind| kind.is_none()));
        assert!(kind_named("go").is_ok_and(|kind| kind.is_some_and(|kind| kind.name() == "go")));
        let unknown = kind_named("criterio").expect_err("not known");
        assert!(unknown.ends_with("did you mean `criterion`?"), "{unknown}");
    }
}
