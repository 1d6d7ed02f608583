//! A server with a user of its own that plants links in its temporary directory while
//! root works there: nothing behind them is touched.

use crate::Test;
use crate::common::not_tested::{Lack, is_root, lacks};
use crate::holder::TestDirectory;
use crate::launches::{LaunchTest, homes, started};
use protocol::Exit;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tiebreak::targets::launch::Failed;

pub(crate) const TESTS: &[Test] = &[
    ("links::in_place_of_directories_are_refused", in_place_of_directories),
    ("links::in_place_of_files_are_replaced", in_place_of_files),
    ("links::in_place_of_the_temporary_directory_are_not_followed", in_place_of_all),
    ("links::are_not_followed_into_the_directory_to_run_in", to_run_in),
    ("links::are_not_followed_when_the_directory_is_removed", removed),
];

/// A directory of root's with a file, and how both looked before.
struct Precious {
    directory: TestDirectory,
    before: Vec<(PathBuf, u32, u32)>,
}

impl Precious {
    fn new() -> Precious {
        let directory = TestDirectory::new();
        let path = directory.0.join("precious");
        fs::create_dir(&path).expect("a directory");
        fs::write(path.join("file"), "kept").expect("writes");
        fs::set_permissions(path.join("file"), fs::Permissions::from_mode(0o600)).expect("chmod");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).expect("chmod");
        let before = look(&path);
        Precious { directory, before }
    }

    fn directory(&self) -> PathBuf {
        self.directory.0.join("precious")
    }

    fn is_untouched(&self) {
        assert_eq!(look(&self.directory()), self.before);
        assert_eq!(fs::read_to_string(self.directory().join("file")).expect("it is there"), "kept");
    }
}

/// Owner and mode of a directory and of all in it.
fn look(directory: &Path) -> Vec<(PathBuf, u32, u32)> {
    let inside = fs::read_dir(directory).expect("it is there").flatten().map(|entry| entry.path());
    let all = std::iter::once(directory.to_owned()).chain(inside);
    let entries = all.map(|path| {
        let found = fs::symlink_metadata(&path).expect("there");
        (path, found.uid(), found.mode())
    });
    let mut entries: Vec<_> = entries.collect();
    entries.sort();
    entries
}

/// A contender whose user, whom only root can become, runs this script once before the launch; its files are
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

fn why_not(launch_test: &LaunchTest) -> protocol::Error {
    let mut launcher = launch_test.launcher().expect("all is there");
    launcher.prepare().unwrap_or_else(|failed| panic!("{failed:?}"));
    match launcher.launch().map(drop) {
        Err(Failed::Error(error)) => error,
        other => panic!("it was launched: {other:?}"),
    }
}

fn in_place_of_directories() {
    if lacks(Lack::Root) {
        return;
    }
    for directory in ["etc", "site"] {
        let precious = Precious::new();
        let to = precious.directory();
        let script =
            format!("rm -rf {{temp}}/{directory} && ln -s {} {{temp}}/{directory}", to.display());
        let error = why_not(&hostile("directories", &script, "cwd = '/'"));
        let says = format!(
            "`directories`: its temporary directory cannot be written: `{directory}` in it was"
        );
        assert!(error.text.starts_with(&says), "{}", error.text);
        assert_eq!(error.exit, Exit::Failed);
        precious.is_untouched();
    }
}

fn in_place_of_files() {
    if lacks(Lack::Root) {
        return;
    }
    let precious = Precious::new();
    let to = precious.directory().join("file");
    let script = format!("rm -f {{temp}}/open && ln -s {} {{temp}}/open", to.display());
    let launch_test = hostile("files", &script, "cwd = '/'");
    let mut launcher = launch_test.launcher().expect("all is there");
    launcher.prepare().unwrap_or_else(|failed| panic!("{failed:?}"));
    let running = started(&mut launcher);
    let [home] = &homes("files")[..] else { panic!("one directory: {:?}", homes("files")) };
    let open = home.join("open");
    assert!(fs::symlink_metadata(&open).expect("there").is_file(), "a file of its own");
    assert_eq!(fs::read_to_string(&open).expect("there"), "open");
    drop(running);
    precious.is_untouched();
}

/// Its owner may give the directory another name, and a link its old one.
fn in_place_of_all() {
    if lacks(Lack::Root) {
        return;
    }
    let precious = Precious::new();
    let to = precious.directory();
    let script = format!("mv {{temp}} {{temp}}.moved && ln -s {} {{temp}}", to.display());
    let launch_test = hostile("all", &script, "cwd = '/'");
    let mut launcher = launch_test.launcher().expect("all is there");
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
    if lacks(Lack::Root) {
        return;
    }
    let precious = Precious::new();
    let script = format!("ln -s {} {{temp}}/work", precious.directory().display());
    let keys = "process = [{ name = 'a', launch = 'echo up; exec sleep 1000', \
                cwd = '{temp}/work', ready = { log = 'up' }, user = 'nobody', shell = true }]";
    let launch_test = LaunchTest::new(&format!(
        "[contender.cwd]\nuser = 'nobody'\nshell = true\ncwd = '/'\nprepare = ['''{script}''']\n{keys}\n"
    ));
    let error = why_not(&launch_test);
    assert!(error.text.contains("cannot be started: Permission denied"), "{}", error.text);
    precious.is_untouched();
}

fn removed() {
    let precious = Precious::new();
    let to = precious.directory();
    let user = if is_root() { "user = 'nobody'" } else { "" };
    let launch_test = LaunchTest::new(&format!(
        "[contender.removed]
         {user}
         shell = true
         prepare = ['mkdir {{temp}}/d; ln -s {0} {{temp}}/d/link; ln -s {0} {{temp}}/link']
         launch = 'echo up; exec sleep 1000'
         cwd = '/'
         ready = {{ log = 'up' }}",
        to.display()
    ));
    let mut launcher = launch_test.launcher().expect("all is there");
    launcher.prepare().unwrap_or_else(|failed| panic!("{failed:?}"));
    drop(started(&mut launcher));
    drop(launcher);
    assert!(homes("removed").is_empty());
    precious.is_untouched();
}
