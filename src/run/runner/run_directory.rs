//! The directory of a run.

use crate::run::journal;
use crate::run::journal::{Reader, Writer};
use crate::run::judging;
use crate::system::utc;
use keeper::user;
use protocol::{Error, private};
use record::{EndReason, Event, Phase};
use std::fs::{self, DirBuilder, File, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use text::shown::shown;

/// Where runs are stored without `--out`, below the current directory.
const HOME: &str = "tiebreak-runs";

/// The reports in the directory of a run, as JSON and as a page.
pub(crate) const REPORTS: [&str; 2] = ["report.json", "report.html"];

/// The part of a name that shows that a directory is that of an agent.
pub(super) const AGENT: &str = ".agent-";

pub(super) const LOGS: &str = "logs";

/// Creates the directory and the journal in it: `--out`, or a new one named after
/// the time and the experiment.
///
/// # Errors
/// If the directory contains a journal, or cannot be written.
pub(crate) fn create(
    out: Option<&Path>,
    now: SystemTime,
    plan_hash: &str,
) -> Result<(PathBuf, Writer<File>), Error> {
    let directory = empty(out, now, plan_hash)?;
    let file = directory.join(journal::FILE);
    let journal = Writer::create(&file).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => taken(&directory, "a journal"),
        _ => cannot(&file, &error),
    })?;
    // Makes the file's name survive a power failure, too.
    File::open(&directory)
        .and_then(|directory| directory.sync_all())
        .map_err(|error| cannot(&directory, &error))?;
    Ok((directory, journal))
}

/// Creates or checks a directory that contains no run: `--out`, or a new one.
///
/// # Errors
/// If it contains one, or cannot be written.
pub(crate) fn empty(
    out: Option<&Path>,
    now: SystemTime,
    plan_hash: &str,
) -> Result<PathBuf, Error> {
    let Some(directory) = out else { return unused(Path::new(HOME), now, plan_hash) };
    // A slash at the end is removed, because it would follow a link.
    let directory: PathBuf = directory.components().collect();
    if let Some(parent) = directory.parent().filter(|parent| *parent != Path::new("")) {
        fs::create_dir_all(parent).map_err(|error| cannot(&directory, &error))?;
    }
    match private::create_directory(&directory) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => check_given(&directory)?,
        Err(error) => return Err(cannot(&directory, &error)),
        Ok(()) => {}
    }
    Ok(directory)
}

/// Checks a directory that existed before: it must not contain anything that the run would
/// overwrite, except what a run left that never began. Links count, wherever they lead: somebody
/// else may have put them there.
fn check_given(directory: &Path) -> Result<(), Error> {
    let found = directory.symlink_metadata().map_err(|error| cannot(directory, &error))?;
    if found.is_symlink() {
        return Err(Error::usage(format!(
            "--out {}: this is a symbolic link, which tiebreak does not follow: name the \
             directory itself",
            shown(directory.display().to_string())
        )));
    }
    if !found.is_dir() {
        return Err(cannot(directory, &ErrorKind::NotADirectory.into()));
    }
    if never_began(directory) {
        remove_run(directory).map_err(|error| cannot(directory, &error))?;
    }
    let ours = [
        (journal::FILE, "a journal"),
        (judging::OLD_SWEEP, "a sweep"),
        (REPORTS[0], REPORTS[0]),
        (REPORTS[1], REPORTS[1]),
        (LOGS, LOGS),
    ];
    match ours.iter().find(|(name, _)| directory.join(name).symlink_metadata().is_ok()) {
        Some((_, what)) => Err(taken(directory, what)),
        None => Ok(()),
    }
}

/// Whether the journal in this directory is that of a run that ended early and loaded or drove nothing: such a
/// run leaves its directory to the next one. A journal without an end may still be written.
fn never_began(directory: &Path) -> bool {
    let file = directory.join(journal::FILE);
    // Links are left where they are: somebody else may have put them there.
    if !file.symlink_metadata().is_ok_and(|found| found.is_file()) {
        return false;
    }
    let Ok(mut journal) = Reader::open(&file) else { return false };
    while let Ok(Some(event)) = journal.next_event() {
        match event {
            Event::Trial(trial) if !matches!(trial.phase, Phase::Ready | Phase::Null) => {
                return false;
            }
            Event::Loaded(_) => return false,
            Event::End(end) => return end.reason != EndReason::Complete,
            _ => {}
        }
    }
    false
}

fn remove_run(directory: &Path) -> io::Result<()> {
    let unless_missing = |removed: io::Result<()>| match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    };
    for name in REPORTS.into_iter().chain([journal::FILE]) {
        unless_missing(fs::remove_file(directory.join(name)))?;
    }
    unless_missing(fs::remove_dir_all(directory.join(LOGS)))
}

fn taken(directory: &Path, what: &str) -> Error {
    Error::usage(format!(
        "--out {}: the directory already contains {what}: give each run a directory of its own",
        shown(directory.display().to_string())
    ))
}

fn unused(home: &Path, now: SystemTime, plan_hash: &str) -> Result<PathBuf, Error> {
    let created = DirBuilder::new().recursive(true).mode(0o755).create(home);
    created.map_err(|error| cannot(home, &error))?;
    if !is_ours(home).map_err(|error| cannot(home, &error))? {
        return Err(Error::usage(format!(
            "{}: it, or the link of this name, belongs to another user, or all users can write to it: choose another \
             directory with --out",
            shown(home.display().to_string())
        )));
    }
    let name = format!("{}-{}", utc::stamp(now), plan_hash.get(..8).unwrap_or(plan_hash));
    let names = (2..).map(|number| format!("{name}-{number}"));
    for name in std::iter::once(name.clone()).chain(names) {
        let directory = home.join(name);
        match private::create_directory(&directory) {
            Ok(()) => return Ok(directory),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(cannot(&directory, &error)),
        }
    }
    unreachable!("numbers do not end")
}

/// Whether nobody but this user and root can change what is there: the directory, and the link to it if it is one.
fn is_ours(directory: &Path) -> io::Result<bool> {
    let (named, found) = (directory.symlink_metadata()?, directory.metadata()?);
    let trusted = |about: &Metadata| [user::ours(), 0].contains(&about.uid());
    Ok(trusted(&named) && trusted(&found) && found.mode() & 0o002 == 0)
}

/// The newest run below `home` that can be `read`, with what was read. None if there is none. Those of
/// agents are left out: the coordinator's run contains what they recorded.
fn newest_below<T>(home: &Path, read: impl Fn(&Path) -> Option<T>) -> Option<(PathBuf, T)> {
    let entries = fs::read_dir(home).ok()?.flatten();
    let own = entries.filter(|entry| {
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        is_directory && !entry.file_name().to_string_lossy().contains(AGENT)
    });
    let dated = own.filter_map(|entry| {
        let directory = entry.path();
        let written = directory.join(journal::FILE).metadata().ok()?.modified().ok()?;
        Some((written, directory))
    });
    let mut dated: Vec<(SystemTime, PathBuf)> = dated.collect();
    dated.sort();
    dated.into_iter().rev().find_map(|(_, directory)| {
        let content = read(&directory)?;
        Some((directory, content))
    })
}

/// The newest run in the usual place that can be `read`, with what was read.
///
/// # Errors
/// If there is none.
pub(crate) fn newest<T>(read: impl Fn(&Path) -> Option<T>) -> Result<(PathBuf, T), Error> {
    newest_below(Path::new(HOME), read).ok_or_else(|| {
        Error::usage(format!("there is no run in {HOME}/ here: name the directory of a run"))
    })
}

pub(super) fn cannot(path: &Path, error: &std::io::Error) -> Error {
    let path = shown(path.display().to_string());
    Error::failed(format!("{path} cannot be written: {error}; choose another directory with --out"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use protocol::Exit;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn the_newest_run_is_one_that_can_be_read_and_not_that_of_an_agent() {
        let scratch = Scratch::new();
        let below = |home: &Path, is_readable: &dyn Fn(&Path) -> bool| {
            newest_below(home, |run| is_readable(run).then_some(())).map(|(run, ())| run)
        };
        let any = |_: &Path| true;
        assert_eq!(below(&scratch.path().join("none"), &any), None);
        let at = |name: &str| scratch.path().join(name);
        for (seconds, name, file) in [
            (1, "b", journal::FILE),
            (2, "a", journal::FILE),
            (3, "broken", journal::FILE),
            (4, "a.agent-1", journal::FILE),
            (5, "other", "notes"),
        ] {
            fs::create_dir(at(name)).expect("new");
            let file = File::create(at(name).join(file)).expect("new");
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            file.set_modified(time).expect("ours");
        }
        let readable = |run: &Path| !run.ends_with("broken");
        assert_eq!(below(scratch.path(), &readable), Some(at("a")));
        assert_eq!(below(scratch.path(), &any), Some(at("broken")));
        assert_eq!(below(scratch.path(), &|run| run.ends_with("b")), Some(at("b")));
    }

    #[test]
    fn a_folder_with_a_journal_is_refused() {
        let scratch = Scratch::new();
        let out = scratch.path().join("deep/run");
        let (directory, _) =
            create(Some(&out), SystemTime::now(), "0123456789abcdef").expect("new");
        assert_eq!(directory, out);
        assert!(out.join("journal.jsonl").exists());
        let error = create(Some(&out), SystemTime::now(), "0123456789abcdef").unwrap_err();
        assert_eq!(error.exit, Exit::Usage);
        assert!(error.text.contains("already contains a journal"), "{}", error.text);
    }

    #[test]
    fn planted_links_are_refused_and_not_followed() {
        let scratch = Scratch::new();
        let precious = scratch.path().join("precious");
        fs::create_dir(&precious).expect("scratch");
        let out = scratch.path().join("out");
        fs::create_dir(&out).expect("scratch");
        for name in ["journal.jsonl", "sweep.json", "report.json", "report.html", "logs"] {
            // A dangling link counts, too: writing through it would create a file.
            for to in [precious.clone(), precious.join("new")] {
                symlink(&to, out.join(name)).expect("scratch");
                let error = create(Some(&out), SystemTime::now(), "0").unwrap_err();
                assert_eq!(error.exit, Exit::Usage, "{}", error.text);
                assert!(error.text.contains(": give each run a directory"), "{}", error.text);
                fs::remove_file(out.join(name)).expect("scratch");
            }
        }
        let link = scratch.path().join("link");
        symlink(&precious, &link).expect("scratch");
        for out in [link.clone(), link.join("")] {
            let error = create(Some(&out), SystemTime::now(), "0").unwrap_err();
            assert!(error.text.contains("this is a symbolic link"), "{}", error.text);
        }
        assert_eq!(fs::read_dir(&precious).expect("there").count(), 0);
        create(Some(&out), SystemTime::now(), "0").expect("nothing is in its way");
    }

    #[test]
    fn a_run_is_for_its_owners_eyes() {
        let scratch = Scratch::new();
        let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o777;
        let (directory, _) =
            create(Some(&scratch.path().join("run")), SystemTime::now(), "0").expect("new");
        assert_eq!((mode(&directory), mode(&directory.join("journal.jsonl"))), (0o700, 0o600));
        let home = scratch.path().join("home");
        let unused = unused(&home, SystemTime::now(), "0").expect("new");
        assert_eq!(mode(&unused), 0o700);
    }

    #[test]
    fn two_runs_in_one_second_get_two_folders() {
        let scratch = Scratch::new();
        let now = SystemTime::UNIX_EPOCH;
        let names = [(); 3].map(|()| {
            let directory = unused(scratch.path(), now, "0123456789abcdef").expect("new");
            directory.file_name().expect("a name").to_string_lossy().into_owned()
        });
        assert_eq!(
            names,
            [
                "19700101T000000Z-01234567",
                "19700101T000000Z-01234567-2",
                "19700101T000000Z-01234567-3"
            ]
        );
    }

    #[test]
    fn runs_are_not_put_where_others_can_change_them() {
        let scratch = Scratch::new();
        let home = scratch.path().join("home");
        let link = scratch.path().join("link");
        fs::create_dir(&home).expect("scratch");
        symlink(&home, &link).expect("scratch");
        let tried =
            |home: &Path| unused(home, SystemTime::UNIX_EPOCH, "0").map_err(|error| error.text);
        tried(&link).expect("a link of ours");
        fs::set_permissions(&home, fs::Permissions::from_mode(0o777)).expect("ours");
        for home in [&home, &link] {
            assert!(tried(home).expect_err("others can write").contains("with --out"));
        }
        assert_eq!(fs::read_dir(&home).expect("ours").count(), 1);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let error = create(Some(Path::new("/dev/null/x")), SystemTime::now(), "0").unwrap_err();
        assert_eq!(error.exit, Exit::Failed);
        assert!(error.text.starts_with("/dev/null/x cannot be written: "), "{}", error.text);
    }
}
