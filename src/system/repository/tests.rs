//! Repositories that are made by git itself.

use super::{Changes, Repository};
use crate::scratch::Scratch;
use protocol::Error;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs git with an author and without the settings of this machine.
fn git(directory: &Path, words: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]);
    command.args(["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"]);
    command.args(words).current_dir(directory).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = command.output().expect("git is installed");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {words:?}: {text}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn write(top: &Path, file: &str, text: &str) {
    let path = top.join(file);
    fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
    fs::write(path, text).expect("a file");
}

fn commit(top: &Path, subject: &str) -> String {
    git(top, &["add", "--all"]);
    git(top, &["commit", "--quiet", "--allow-empty", "--message", subject]);
    git(top, &["rev-parse", "HEAD"])
}

/// A repository in `r`, with one file and one commit.
fn repository(scratch: &Scratch) -> (PathBuf, String) {
    let top = scratch.path().join("r");
    fs::create_dir(&top).expect("a directory");
    git(&top, &["init", "--quiet"]);
    write(&top, "a", "first");
    let id = commit(&top, "the first");
    (top, id)
}

fn opened(top: &Path) -> Repository {
    Repository::containing(top).unwrap_or_else(|error| panic!("{}", error.text))
}

/// Copies the work tree beside the commit that HEAD names now.
fn copied(repository: &Repository, into: &Path) -> Result<(Changes, Vec<String>), Error> {
    let head = repository.commit("HEAD")?;
    repository.copy_work_tree(&head.id, into)
}

fn read(top: &Path, file: &str) -> String {
    fs::read_to_string(top.join(file)).unwrap_or_default()
}

/// Everything in a directory, with what changes if it is written.
fn listing(directory: &Path) -> Vec<String> {
    let (mut all, mut left) = (Vec::new(), vec![directory.to_owned()]);
    while let Some(path) = left.pop() {
        let about = path.symlink_metadata().expect("it exists");
        let when = (about.mtime(), about.mtime_nsec(), about.ctime(), about.ctime_nsec());
        all.push(format!("{} {} {when:?}", path.display(), about.len()));
        if about.is_dir() {
            let entries = fs::read_dir(&path).expect("readable").flatten();
            left.extend(entries.map(|entry| entry.path()));
        }
    }
    all.sort();
    all
}

#[test]
fn revisions_are_found_and_described() {
    let scratch = Scratch::new();
    let (top, first) = repository(&scratch);
    git(&top, &["tag", "v1"]);
    git(&top, &["checkout", "--quiet", "-b", "side"]);
    commit(&top, "a side");
    git(&top, &["checkout", "--quiet", "main"]);
    let second = commit(&top, "the second");
    let repository = opened(&top);
    for (revision, id) in [
        ("v1", &first),
        ("HEAD", &second),
        ("HEAD~1", &first),
        ("side...", &first),
        ("main", &second),
    ] {
        let found = repository.commit(revision).expect(revision);
        assert_eq!(found.id, *id, "{revision}");
        assert!(id.starts_with(&found.short), "{revision}");
    }
    let found = repository.commit("v1").expect("a tag");
    assert_eq!((found.subject.as_str(), found.author.as_str()), ("the first", "Ada"));
    assert!(found.authored.contains('T'), "{}", found.authored);
    for unknown in ["v2", "", "-h", "HEAD~9", "a..b", "v1^{tree}", "--all"] {
        let refused = repository.commit(unknown).expect_err(unknown);
        assert!(refused.text.contains("was not found"), "{unknown}: {}", refused.text);
    }
    git(&top, &["update-ref", "refs/remotes/origin/release", "HEAD"]);
    let refused = repository.commit("release").expect_err("a branch of the remote");
    assert!(refused.text.ends_with("did you mean `origin/release`?"), "{}", refused.text);
    git(&top, &["checkout", "--quiet", "--orphan", "other"]);
    commit(&top, "unrelated");
    let refused = repository.commit("main...").expect_err("unrelated");
    assert!(refused.text.ends_with("their histories are not related"), "{}", refused.text);
}

#[test]
fn nothing_is_written_to_the_repository_and_no_program_of_it_runs() {
    let scratch = Scratch::new();
    let (top, first) = repository(&scratch);
    write(&top, ".gitattributes", "a filter=ours\n*.bin filter=lfs\n");
    write(&top, "b.bin", "text");
    commit(&top, "with attributes");
    let ran = scratch.path().join("ran");
    let program = format!("#!/bin/sh\necho \"$0\" >> {}\ncat\n", ran.display());
    for hook in ["post-checkout", "post-index-change", "reference-transaction", "monitor"] {
        let path = top.join(".git/hooks").join(hook);
        write(&top, &format!(".git/hooks/{hook}"), &program);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("executable");
    }
    let monitor = top.join(".git/hooks/monitor").display().to_string();
    for filter in ["smudge", "clean", "process"] {
        for name in ["ours", "lfs"] {
            git(&top, &["config", &format!("filter.{name}.{filter}"), &monitor]);
        }
    }
    git(&top, &["config", "core.fsmonitor", &monitor]);
    git(&top, &["config", "core.hooksPath", &top.join(".git/hooks").display().to_string()]);
    // As old as the index, so that only its content says whether it changed.
    write(&top, "a", "other");
    write(&top, "untracked", "x");
    let _ = fs::remove_file(&ran);
    let before = listing(&top);
    let repository = opened(&top);
    let [commit, tree] = ["commit", "tree"].map(|name| scratch.path().join(name));
    repository.check_out(&first, &commit).expect("checked out");
    let (changes, lacks) = copied(&repository, &tree).expect("copied");
    repository.ignored();
    assert_eq!(listing(&top), before);
    assert!(!ran.exists(), "{}", fs::read_to_string(&ran).unwrap_or_default());
    let unfiltered = "a: git's filter ours is not run, so as git stores it".to_owned();
    assert_eq!((changes.changed, changes.untracked, lacks), (1, 1, vec![unfiltered]));
    assert_eq!((read(&commit, "a"), read(&tree, "a")), ("first".to_owned(), "other".to_owned()));
    // What a build does with git does not reach the user's repository either.
    git(&tree, &["commit", "--quiet", "--all", "--message", "of a build"]);
    git(&tree, &["gc", "--quiet"]);
    // Git marks objects that it would have written, and that are there, as used.
    let without_times = |all: &[String]| -> Vec<String> {
        all.iter().map(|line| line.split(" (").next().unwrap_or(line).to_owned()).collect()
    };
    assert_eq!(without_times(&listing(&top)), without_times(&before));
}

#[test]
fn the_work_tree_is_copied_as_it_is() {
    let scratch = Scratch::new();
    let (top, _) = repository(&scratch);
    for file in ["changed", "deleted", "same", "mode", "to-directory", "from-directory/x", "staged"]
    {
        write(&top, file, "as committed");
    }
    symlink("/nowhere", top.join("link-to-directory")).expect("a link");
    write(&top, ".gitignore", "ignored\n");
    commit(&top, "many");
    write(&top, "changed", "now");
    fs::remove_file(top.join("deleted")).expect("it was there");
    // It looks changed to the index, and is not.
    write(&top, "same", "as committed");
    fs::set_permissions(top.join("mode"), fs::Permissions::from_mode(0o755)).expect("a mode");
    fs::remove_file(top.join("to-directory")).expect("it was there");
    write(&top, "to-directory/y", "inside");
    fs::remove_dir_all(top.join("from-directory")).expect("it was there");
    write(&top, "from-directory", "a file");
    fs::remove_file(top.join("link-to-directory")).expect("it was there");
    write(&top, "link-to-directory/z", "inside");
    write(&top, "staged", "staged");
    git(&top, &["add", "staged"]);
    write(&top, "ignored", "x");
    write(&top, "new/file", "x");
    symlink("../a", top.join("new/link")).expect("a link");
    let into = scratch.path().join("tree");
    let (changes, lacks) = copied(&opened(&top), &into).expect("copied");
    let expected = [
        ("changed", "now"),
        ("deleted", ""),
        ("same", "as committed"),
        ("to-directory/y", "inside"),
        ("from-directory", "a file"),
        ("link-to-directory/z", "inside"),
        ("staged", "staged"),
        ("ignored", ""),
        ("new/file", "x"),
        ("new/link", "first"),
    ];
    for (file, text) in expected {
        assert_eq!(read(&into, file), text, "{file}");
    }
    assert!(into.join("new/link").is_symlink());
    let mode = |file: &str| fs::metadata(into.join(file)).expect("a file").permissions().mode();
    assert_eq!((mode("mode") & 0o100, mode("same") & 0o100), (0o100, 0));
    assert_eq!(lacks, Vec::<String>::new());
    // changed, deleted, mode, staged, and each file that is there instead of another.
    assert_eq!((changes.changed, changes.untracked), (7, 5), "{changes:?}");
    assert!(!Path::new("/nowhere").exists());
}

#[test]
fn submodules_come_from_the_users_own_modules() {
    let scratch = Scratch::new();
    let inner = scratch.path().join("inner");
    fs::create_dir(&inner).expect("a directory");
    git(&inner, &["init", "--quiet"]);
    write(&inner, "code", "one");
    commit(&inner, "one");
    let (top, _) = repository(&scratch);
    let from = inner.display().to_string();
    git(&top, &["submodule", "--quiet", "add", "--name", "lib", &from, "deep/lib"]);
    let first = commit(&top, "with a submodule");
    write(&top.join("deep/lib"), "code", "two");
    commit(&top.join("deep/lib"), "two");
    let second = commit(&top, "a later submodule");
    write(&top.join("deep/lib"), "code", "uncommitted");
    let repository = opened(&top);
    let into = |name: &str| scratch.path().join(name);
    for (name, id, code) in [("s0", &first, "one"), ("s1", &second, "two")] {
        assert_eq!(repository.check_out(id, &into(name)).expect(name), Vec::<String>::new());
        assert_eq!(read(&into(name), "deep/lib/code"), code);
    }
    let (changes, _) = copied(&repository, &into("s2")).expect("copied");
    assert_eq!(read(&into("s2"), "deep/lib/code"), "uncommitted");
    assert_eq!(changes.changed, 1);
    // Not checked out, it is read from .git/modules; without that, it is named.
    git(&top, &["submodule", "--quiet", "deinit", "--force", "deep/lib"]);
    assert_eq!(repository.check_out(&first, &into("s3")).expect("s3"), Vec::<String>::new());
    assert_eq!(read(&into("s3"), "deep/lib/code"), "one");
    fs::remove_dir_all(top.join(".git/modules")).expect("it was there");
    let lacks = repository.check_out(&first, &into("s4")).expect("s4");
    assert_eq!(lacks.len(), 1);
    assert!(lacks[0].starts_with("the submodule deep/lib is not in your clone"), "{lacks:?}");
}

#[test]
fn files_of_lfs_are_taken_where_the_user_has_them_and_named_otherwise() {
    let scratch = Scratch::new();
    let (top, _) = repository(&scratch);
    let pointer =
        |id: &str| format!("version https://git-lfs.github.com/spec/v1\noid sha256:{id}\nsize 4\n");
    let [here, absent] = ["ab".repeat(32), "cd".repeat(32)];
    write(&top, ".gitattributes", "*.bin filter=lfs\n");
    write(&top, "here.bin", &pointer(&here));
    write(&top, "absent.bin", &pointer(&absent));
    write(&top, "plain.bin", "no pointer");
    let id = commit(&top, "large files");
    write(&top, &format!(".git/lfs/objects/ab/ab/{here}"), "real");
    let into = scratch.path().join("tree");
    let lacks = opened(&top).check_out(&id, &into).expect("checked out");
    assert_eq!(read(&into, "here.bin"), "real");
    assert_eq!(read(&into, "plain.bin"), "no pointer");
    assert_eq!(lacks.len(), 1, "{lacks:?}");
    assert!(lacks[0].starts_with("absent.bin is a pointer of Git LFS"), "{lacks:?}");
}

#[test]
fn a_build_may_ask_git_for_its_version() {
    let scratch = Scratch::new();
    let (top, first) = repository(&scratch);
    git(&top, &["tag", "--annotate", "--message", "x", "v1.0"]);
    commit(&top, "later");
    let into = scratch.path().join("tree");
    opened(&top).check_out(&git(&top, &["rev-parse", "HEAD"]), &into).expect("checked out");
    assert!(git(&into, &["describe"]).starts_with("v1.0-1-g"), "{}", git(&into, &["describe"]));
    assert_eq!(git(&into, &["status", "--porcelain"]), "");
    assert_eq!(git(&into, &["rev-parse", "HEAD~1"]), first);
}

#[test]
fn what_a_copy_lacks_or_has_of_another_commit_is_said() {
    let scratch = Scratch::new();
    let (top, _) = repository(&scratch);
    let lib = scratch.path().join("lib");
    fs::create_dir(&lib).expect("a directory");
    git(&lib, &["init", "--quiet"]);
    write(&lib, "l", "one");
    commit(&lib, "one");
    let from = lib.display().to_string();
    git(&top, &["submodule", "--quiet", "add", &from, "old"]);
    write(&top, ".gitattributes", "*.bin filter=crypt\n*.none filter=unused\n");
    write(&top, "x.bin", "x");
    commit(&top, "with a submodule and a filter");
    let copied = |name: &str| {
        let copied = copied(&opened(&top), &scratch.path().join(name));
        copied.unwrap_or_else(|error| panic!("{}", error.text))
    };
    let (changes, lacks) = copied("1");
    assert_eq!(changes, Changes::default());
    assert_eq!(lacks, ["x.bin: git's filter crypt is not run, so as git stores it"]);
    // Another commit of the submodule, and a submodule that is only staged.
    write(&top, "old/l", "two");
    commit(&top.join("old"), "two");
    git(&top, &["submodule", "--quiet", "add", &from, "fresh"]);
    // Runs that tiebreak wrote here.
    write(&top, "tiebreak-runs/a/journal.jsonl", "");
    write(&top, "tiebreak-runs/a/logs/old.log", "");
    let (changes, lacks) = copied("2");
    // The submodule, and the file of submodules that names the new one.
    assert_eq!(changes, Changes { changed: 2, untracked: 0 });
    assert_eq!(read(&scratch.path().join("2"), "old/l"), "two");
    assert!(!scratch.path().join("2/tiebreak-runs").exists());
    let is_said = |what: &&String| *what == "the submodule fresh is in no commit yet: commit it";
    assert_eq!(lacks.iter().filter(is_said).count(), 1, "{lacks:?}");
}

/// A commit that is made while the sides are built does not change what the working tree is compared with.
#[test]
fn the_work_tree_is_counted_from_the_commit_that_is_named() {
    let scratch = Scratch::new();
    let (top, first) = repository(&scratch);
    write(&top, "b", "later");
    commit(&top, "the second");
    let into = scratch.path().join("tree");
    let (changes, _) = opened(&top).copy_work_tree(&first, &into).expect("copied");
    assert_eq!(changes, Changes { changed: 1, untracked: 0 });
    assert_eq!((read(&into, "b"), git(&into, &["rev-parse", "HEAD"])), ("later".to_owned(), first));
}
