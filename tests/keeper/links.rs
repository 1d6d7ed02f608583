//! A server with a user of its own that plants links in its temporary folder while
//! root works there: nothing behind them is touched.

use crate::Test;
use crate::holder::TestFolder;
use crate::launches::{LaunchTest, homes, started};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tiebreak::exit::Exit;
use tiebreak::launch::Failed;

pub(crate) const TESTS: &[Test] = &[
    ("links::in_place_of_folders_are_refused", in_place_of_folders),
    ("links::in_place_of_files_are_replaced", in_place_of_files),
    ("links::in_place_of_the_temporary_folder_are_not_followed", in_place_of_all),
    ("links::are_not_followed_into_the_folder_to_run_in", to_run_in),
    ("links::are_not_followed_when_the_folder_is_removed", removed),
];

/// A folder of root's with a file, and how both looked before.
struct Precious {
    place: TestFolder,
    before: Vec<(PathBuf, u32, u32)>,
}

impl Precious {
    fn new() -> Precious {
        let place = TestFolder::new();
        let folder = place.0.join("precious");
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join("file"), "kept").expect("writes");
        fs::set_permissions(folder.join("file"), fs::Permissions::from_mode(0o600)).expect("chmod");
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("chmod");
        let before = look(&folder);
        Precious { place, before }
    }

    fn folder(&self) -> PathBuf {
        self.place.0.join("precious")
    }

    fn is_untouched(&self) {
        assert_eq!(look(&self.folder()), self.before);
        assert_eq!(fs::read_to_string(self.folder().join("file")).expect("it is there"), "kept");
    }
}

/// Owner and mode of a folder and of all in it.
fn look(folder: &Path) -> Vec<(PathBuf, u32, u32)> {
    let inside = fs::read_dir(folder).expect("it is there").flatten().map(|entry| entry.path());
    let all = std::iter::once(folder.to_owned()).chain(inside);
    let told = all.map(|path| {
        let found = fs::symlink_metadata(&path).expect("there");
        (path, found.uid(), found.mode())
    });
    let mut told: Vec<_> = told.collect();
    told.sort();
    told
}

/// Only root gives folders away.
fn is_root() -> bool {
    // SAFETY: cannot fail.
    unsafe { libc::geteuid() == 0 }
}

/// A contender whose user runs this script once before the launch; its files are
/// written before it and again at the launch.
fn hostile(name: &str, script: &str, keys: &str) -> LaunchTest {
    LaunchTest::new(&format!(
        "[contender.{name}]
         user = 'nobody'
         shell = true
         prepare = ['''{script}''']
         launch = 'echo up; exec sleep 1000'
         ready = {{ log = 'up' }}
         {keys}
         [contender.{name}.files]
         'etc/conf' = 'conf'
         'open' = 'open'"
    ))
}

fn why_not(stage: &LaunchTest) -> tiebreak::exit::Error {
    let mut launcher = stage.launcher().expect("all is there");
    launcher.prepare().unwrap_or_else(|failed| panic!("{failed:?}"));
    match launcher.launch().map(drop) {
        Err(Failed::Error(error)) => error,
        other => panic!("it was launched: {other:?}"),
    }
}

fn in_place_of_folders() {
    if !is_root() {
        return;
    }
    for folder in ["etc", "site"] {
        let precious = Precious::new();
        let to = precious.folder();
        let script =
            format!("rm -rf {{temp}}/{folder} && ln -s {} {{temp}}/{folder}", to.display());
        let error = why_not(&hostile("folders", &script, "cwd = '/'"));
        let says =
            format!("`folders`: its temporary folder cannot be written: `{folder}` in it was");
        assert!(error.text.starts_with(&says), "{}", error.text);
        assert_eq!(error.exit, Exit::Failed);
        precious.is_untouched();
    }
}

fn in_place_of_files() {
    if !is_root() {
        return;
    }
    let precious = Precious::new();
    let to = precious.folder().join("file");
    let script = format!("rm -f {{temp}}/open && ln -s {} {{temp}}/open", to.display());
    let stage = hostile("files", &script, "cwd = '/'");
    let mut launcher = stage.launcher().expect("all is there");
    launcher.prepare().unwrap_or_else(|failed| panic!("{failed:?}"));
    let running = started(&mut launcher);
    let [home] = &homes("files")[..] else { panic!("one folder: {:?}", homes("files")) };
    let open = home.join("open");
    assert!(fs::symlink_metadata(&open).expect("there").is_file(), "a file of its own");
    assert_eq!(fs::read_to_string(&open).expect("there"), "open");
    drop(running);
    precious.is_untouched();
}

/// Its owner may give the folder another name, and a link its old one.
fn in_place_of_all() {
    if !is_root() {
        return;
    }
    let precious = Precious::new();
    let to = precious.folder();
    let script = format!("mv {{temp}} {{temp}}.moved && ln -s {} {{temp}}", to.display());
    let stage = hostile("all", &script, "cwd = '/'");
    let mut launcher = stage.launcher().expect("all is there");
    launcher.prepare().unwrap_or_else(|failed| panic!("{failed:?}"));
    let [link] = &homes("all")[..] else { panic!("the link: {:?}", homes("all")) };
    let link = link.clone();
    let running = started(&mut launcher);
    precious.is_untouched();
    drop(running);
    drop(launcher);
    precious.is_untouched();
    let moved =
        link.with_file_name(format!("{}.moved", link.file_name().expect("a name").display()));
    assert_eq!(fs::read_dir(&moved).expect("what was moved").count(), 0, "it is cleared");
    fs::remove_dir(moved).expect("ours");
    fs::remove_file(link).expect("a link");
}

/// Where only root may go, the link leads the target's user nowhere.
fn to_run_in() {
    if !is_root() {
        return;
    }
    let precious = Precious::new();
    let script = format!("ln -s {} {{temp}}/work", precious.folder().display());
    let keys = "process = [{ name = 'a', launch = 'echo up; exec sleep 1000', \
                cwd = '{temp}/work', ready = { log = 'up' }, user = 'nobody', shell = true }]";
    let stage = LaunchTest::new(&format!(
        "[contender.cwd]\nuser = 'nobody'\nshell = true\ncwd = '/'\nprepare = ['''{script}''']\n{keys}\n"
    ));
    let error = why_not(&stage);
    assert!(error.text.contains("cannot be started: Permission denied"), "{}", error.text);
    precious.is_untouched();
}

fn removed() {
    let precious = Precious::new();
    let to = precious.folder();
    let user = if is_root() { "user = 'nobody'" } else { "" };
    let stage = LaunchTest::new(&format!(
        "[contender.removed]
         {user}
         shell = true
         prepare = ['mkdir {{temp}}/d; ln -s {0} {{temp}}/d/link; ln -s {0} {{temp}}/link']
         launch = 'echo up; exec sleep 1000'
         cwd = '/'
         ready = {{ log = 'up' }}",
        to.display()
    ));
    let mut launcher = stage.launcher().expect("all is there");
    launcher.prepare().unwrap_or_else(|failed| panic!("{failed:?}"));
    drop(started(&mut launcher));
    drop(launcher);
    assert!(homes("removed").is_empty());
    precious.is_untouched();
}
