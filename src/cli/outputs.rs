//! Writes reports to the terminal and to files.

use super::output_file;
use crate::run::judging;
use crate::run::judging::Judged;
use crate::run::runner::run_directory;
use crate::run::runner::run_directory::REPORTS;
use clap::ValueHint;
use protocol::{Error, Exit, private, secrets};
use report::{self, Detail, ReportInput, Style};
use std::fs;
use std::io::{self, ErrorKind, IsTerminal, Write, stderr, stdout};
use std::path::{Path, PathBuf};
use text::shown::{shown, shown_lines};

/// Where a report is written.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Destination {
    Stdout,
    File(PathBuf),
}

impl Destination {
    fn of(file: &Path) -> Destination {
        if file == Path::new("-") {
            Destination::Stdout
        } else {
            Destination::File(file.to_owned())
        }
    }
}

/// The formats of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Html,
    Markdown,
    Junit,
}

impl Format {
    fn flag(self) -> &'static str {
        match self {
            Format::Json => "--json",
            Format::Html => "--html",
            Format::Markdown => "--markdown",
            Format::Junit => "--junit",
        }
    }

    fn report(self, report_input: &ReportInput) -> String {
        match self {
            Format::Json => report::json(report_input),
            Format::Html => report::html(report_input),
            Format::Markdown => report::markdown(report_input),
            Format::Junit => report::junit(report_input),
        }
    }
}

/// The copies that `--json` and similar flags ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Copies(Vec<(Format, Destination)>);

// The copies that a report of a run and the audit of printed output have in common. This is not a
// documentation comment, because clap would make it the help of the command.
#[derive(clap::Args)]
pub(super) struct PageArgs {
    /// Write it as JSON, to this file or to standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
    /// Write it as a web page, to this file or to standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(num_args = 0..=1, default_missing_value = "-")]
    html: Option<PathBuf>,
    /// Write a summary for a pull request (Markdown), to this file or to standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(num_args = 0..=1, default_missing_value = "-")]
    markdown: Option<PathBuf>,
}

impl PageArgs {
    /// Returns the formats, and where each is written if it is requested.
    pub(super) fn formats(&self) -> [(Format, Option<&Path>); 3] {
        [
            (Format::Json, self.json.as_deref()),
            (Format::Html, self.html.as_deref()),
            (Format::Markdown, self.markdown.as_deref()),
        ]
    }
}

impl Copies {
    /// Checks before a run that the copies can be written, so that no run is wasted.
    pub(super) fn checked<'a>(
        wanted: impl IntoIterator<Item = (Format, Option<&'a Path>)>,
    ) -> Result<Copies, Error> {
        let wanted = wanted.into_iter();
        let copies: Vec<(Format, Destination)> =
            wanted.filter_map(|(format, file)| Some((format, Destination::of(file?)))).collect();
        let mut to_stdout =
            copies.iter().filter(|(_, destination)| *destination == Destination::Stdout);
        if let (Some((one, _)), Some((other, _))) = (to_stdout.next(), to_stdout.next()) {
            let (one, other) = (one.flag(), other.flag());
            return Err(Error::usage(format!(
                "{one} and {other} cannot both go to standard output: name a file for one"
            )));
        }
        for (format, destination) in &copies {
            check_destination(format.flag(), destination)?;
        }
        Ok(Copies(copies))
    }

    pub(super) fn any(&self) -> bool {
        !self.0.is_empty()
    }

    fn takes_stdout(&self) -> bool {
        self.0.iter().any(|(_, destination)| *destination == Destination::Stdout)
    }

    /// Writes the copies of the report of a run.
    pub(super) fn write(&self, judged: &Judged) -> Result<(), Error> {
        let report_input = judged.report_input();
        self.write_with(|format| format.report(&report_input)).map_err(of_a_run)
    }

    pub(super) fn write_with(&self, text: impl Fn(Format) -> String) -> Result<(), Error> {
        self.0.iter().try_for_each(|(format, destination)| put(destination, &text(*format)))
    }
}

/// Writes the reports of a run, which is in this directory: those in it, the copies, and that of the terminal.
/// If nothing was measured there is nothing to report.
pub(super) fn publish(
    (directory, judged): &(PathBuf, Judged),
    copies: &Copies,
    verbose: bool,
) -> Result<Exit, Error> {
    if judged.trials > 0 {
        leave_reports(directory, judged)?;
        copies.write(judged)?;
    }
    if judged.has_answer() {
        print_beside_copies(copies, |to_terminal| terminal(judged, to_terminal, detail(verbose)))?;
    }
    match judged.failure() {
        Some(failure) => complain(&format!("error: {failure}")),
        None if !judged.has_answer() => complain("stopped before the first round: no verdict"),
        None => {}
    }
    Ok(judged.exit())
}

/// Writes the reports into the directory of a run if anything was measured. The page is for
/// comparisons; `run`, which drives one contender, writes one only with `--html`.
pub(super) fn leave_reports(directory: &Path, judged: &Judged) -> Result<(), Error> {
    if judged.trials == 0 {
        return Ok(());
    }
    let report_input = judged.report_input();
    leave(directory, REPORTS[0], &report::json(&report_input))?;
    if report_input.header.plan.question.pairs.is_empty() {
        return Ok(());
    }
    leave(directory, REPORTS[1], &report::html(&report_input))
}

/// Writes a report into the directory of a run. An existing file is not
/// overwritten.
fn leave(directory: &Path, name: &str, text: &str) -> Result<(), Error> {
    let path = directory.join(name);
    let file = private::create_file(&path).map_err(|error| of_a_run(unwritten(&path, &error)))?;
    written((&file).write_all(text.as_bytes()), &path).map_err(of_a_run)
}

pub(super) fn print_beside_copies(
    copies: &Copies,
    text: impl Fn(bool) -> String,
) -> Result<(), Error> {
    if !copies.takes_stdout() {
        return print(&text(stdout().is_terminal()));
    }
    write_line(text(stderr().is_terminal()).trim_end());
    Ok(())
}

/// The report for the terminal.
pub(super) fn terminal(judged: &Judged, to_terminal: bool, detail: Detail) -> String {
    report::terminal(&judged.report_input(), style_of(to_terminal), detail)
}

/// The level of detail that `--verbose` selects.
pub(super) fn detail(verbose: bool) -> Detail {
    if verbose { Detail::Full } else { Detail::Short }
}

pub(super) fn style() -> Style {
    style_of(stdout().is_terminal())
}

fn style_of(to_terminal: bool) -> Style {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    Style { colour: to_terminal && !plain, width: width() }
}

/// The columns of the terminal, or 100 if there is no terminal.
pub(super) fn width() -> usize {
    terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0).max(40))
}

/// Prints results. A closed pipe (`| head`) is not an error.
pub(super) fn print(text: &str) -> Result<(), Error> {
    let mut to = stdout().lock();
    match to.write_all(text.as_bytes()).and_then(|()| to.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Error::failed(format!("standard output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a message on standard error. Here it loses secrets, and what a terminal would not show as text,
/// whatever it quotes: a file, a server, a library's error.
pub(super) fn complain(text: &str) {
    write_line(&shown_lines(&secrets::hidden(text)));
}

/// If standard error is closed the line is lost, where `eprintln!` would panic.
fn write_line(text: &str) {
    let _ = writeln!(stderr(), "{text}");
}

/// Reads and judges the directory that was named, or that of the newest run, which is then named on standard error.
pub(super) fn recorded(named: Option<&Path>) -> Result<Judged, Error> {
    if let Some(run) = named {
        return judging::read(run);
    }
    let (newest, judged) = run_directory::newest(|run| judging::read(run).ok())?;
    complain(&format!("run: {}", shown(newest.display().to_string())));
    Ok(judged)
}

/// Checks before a long measurement that the file of this flag can be written.
pub(super) fn check_file(flag: &str, file: Option<&Path>) -> Result<(), Error> {
    file.map_or(Ok(()), |file| check_destination(flag, &Destination::of(file)))
}

fn check_destination(flag: &str, destination: &Destination) -> Result<(), Error> {
    let Destination::File(file) = destination else { return Ok(()) };
    let objection = output_file::objection(file).map(|wrong| {
        let file = shown(file.display().to_string());
        Error::usage(format!("{flag} {file}: it {wrong}"))
    });
    objection.map_or(Ok(()), Err)
}

/// Prints a table; with `--json` writes the JSON, to standard output in place of
/// the table, or to a file beside it.
pub(super) fn table_or_json(
    file: Option<&Path>,
    json: impl FnOnce() -> String,
    table: impl FnOnce() -> String,
) -> Result<(), Error> {
    match file.map(Destination::of) {
        Some(Destination::Stdout) => print(&json()),
        Some(destination) => put(&destination, &json()).and_then(|()| print(&table())),
        None => print(&table()),
    }
}

fn put(destination: &Destination, text: &str) -> Result<(), Error> {
    let Destination::File(file) = destination else { return print(text) };
    let created = output_file::create(file).map_err(|error| unwritten(file, &error))?;
    written((&created).write_all(text.as_bytes()), file)
}

fn written(result: io::Result<()>, file: &Path) -> Result<(), Error> {
    result.map_err(|error| {
        // A script could take a truncated report for a complete one.
        if file.is_file() {
            let _ = fs::remove_file(file);
        }
        unwritten(file, &error)
    })
}

fn unwritten(file: &Path, error: &io::Error) -> Error {
    let file = shown(file.display().to_string());
    Error::failed(format!("the report {file} cannot be written: {error}"))
}

/// Adds that the reports of a run can be written again from its journal.
fn of_a_run(error: Error) -> Error {
    let again = "the journal is complete, and `tiebreak report` writes the report again";
    Error { text: format!("{}; {again}", error.text), ..error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn copies_are_checked_before_the_run() {
        let scratch = Scratch::new();
        let path = |name: &str| scratch.path().join(name);
        let check = |json: Option<&Path>, other: Option<&Path>| {
            let wanted = [(Format::Json, json), (Format::Markdown, other)];
            Copies::checked(wanted).err().map(|error| error.text)
        };
        assert_eq!(check(None, None), None);
        assert_eq!(check(Some(Path::new("-")), Some(&path("x.html"))), None);
        assert_eq!(check(Some(Path::new("x.json")), None), None);
        let both = check(Some(Path::new("-")), Some(Path::new("-")));
        assert!(both.is_some_and(|text| text.starts_with("--json and --markdown cannot both")));
        let directory = check(None, Some(scratch.path()));
        assert!(directory.is_some_and(|text| text.ends_with("it is a directory")));
        let nowhere = check(Some(&path("no/x.json")), None);
        assert!(
            nowhere.is_some_and(|text| text.ends_with("it is in a directory that does not exist"))
        );
    }

    #[test]
    fn a_report_that_cannot_be_written_is_named() {
        let error = put(&Destination::File("/dev/full".into()), "{}").unwrap_err();
        assert!(error.text.starts_with("the report /dev/full cannot be written: No space left"));
    }
}
