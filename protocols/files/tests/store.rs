//! The store on real files: in memory and on a disk.

use crate::scratch::{Scratch, files, mount, on_a_small_tmpfs, only_file, settings};
use files::{FileLookup, Guard, Settings, Store, Stored, facts};
use protocol::testing::beside;
use record::Failure;
use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::os::unix::thread::JoinHandleExt;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

const GUARDS: [Guard; 3] = [Guard::Flock, Guard::Rename, Guard::Nothing];

fn read(store: &Store, key: &str) -> Option<Vec<u8>> {
    let mut value = Vec::new();
    match store.get(key.as_bytes(), &mut value).expect("readable") {
        FileLookup::Hit => Some(value),
        FileLookup::Miss => None,
    }
}

#[test]
fn what_was_written_is_read_in_memory_and_on_disk() {
    for scratch in [Scratch::memory(), Scratch::disk()] {
        for (guard, fsync) in GUARDS.into_iter().flat_map(|guard| [(guard, false), (guard, true)]) {
            let settings = Settings { guard, fsync, expires: None };
            let store = Store::new(&scratch.0, settings).expect("ours");
            assert_eq!(read(&store, "a"), None, "{settings:?}");
            assert_eq!(store.delete(b"a"), Ok(FileLookup::Miss));
            assert_eq!(store.add(b"a", b"first"), Ok(Stored::New));
            assert_eq!(store.add(b"a", b"second"), Ok(Stored::Held));
            assert_eq!(read(&store, "a").as_deref(), Some(b"first".as_slice()));
            let long = vec![7; 300_000];
            assert_eq!(store.set(b"a", &long), Ok(()));
            assert_eq!(read(&store, "a"), Some(long));
            assert_eq!(store.set(b"a", b"short"), Ok(()));
            assert_eq!(read(&store.handle(), "a").as_deref(), Some(b"short".as_slice()));
            assert_eq!(read(&store, "b"), None);
            assert_eq!(store.delete(b"a"), Ok(FileLookup::Hit));
            assert_eq!(read(&store, "a"), None);
            assert_eq!(files(&scratch.0), Vec::<std::path::PathBuf>::new(), "nothing is left");
        }
    }
}

#[test]
fn an_empty_value_is_refused_and_an_empty_file_is_a_miss() {
    let scratch = Scratch::memory();
    for guard in GUARDS {
        let store = scratch.store(guard);
        assert_eq!(store.set(b"a", b""), Err(Failure::Io));
        store.set(b"a", b"value").expect("room");
        File::create(only_file(&scratch.0)).expect("emptied");
        assert_eq!(read(&store, "a"), None, "{guard:?}");
    }
    assert_eq!(scratch.store(Guard::Flock).add(b"a", b"again"), Ok(Stored::New));
}

#[test]
fn a_file_that_is_too_old_is_a_miss_until_it_is_written() {
    let scratch = Scratch::memory();
    for guard in GUARDS {
        let minute = Some(Duration::from_secs(60));
        let forever = scratch.store(guard);
        let store = Store::new(&scratch.0, Settings { expires: minute, ..settings(guard) });
        let store = store.expect("ours");
        for (age, found) in [(30, true), (100, false)] {
            store.set(b"a", b"value").expect("room");
            assert!(read(&store, "a").is_some(), "{guard:?}: just written");
            let written = SystemTime::now() - Duration::from_secs(age);
            let file = File::options().write(true).open(only_file(&scratch.0)).expect("there");
            file.set_modified(written).expect("ours");
            assert_eq!(read(&store, "a").is_some(), found, "{guard:?}: {age} s old");
            assert!(read(&forever, "a").is_some(), "{guard:?}: no expiry");
        }
        let added = if guard == Guard::Flock { Stored::New } else { Stored::Held };
        assert_eq!(store.add(b"a", b"newer"), Ok(added), "{guard:?}");
    }
}

/// Waits until another thread waits for the lock of this file.
fn until_waited_for(file: &File) {
    let inode = format!(":{} ", file.metadata().expect("open").ino());
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let locks = std::fs::read_to_string("/proc/locks").expect("readable");
        if locks.lines().any(|lock| lock.contains("->") && lock.contains(&inode)) {
            return;
        }
        assert!(Instant::now() < until, "nobody waits for {inode}: {locks}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Acts as a writer in another process that has the lock and has written half the value.
fn half_written(path: &Path) -> File {
    let mut file = File::options().write(true).open(path).expect("there");
    // SAFETY: no pointers.
    assert_eq!(unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX) }, 0);
    file.set_len(0).expect("emptied");
    file.write_all(&[2; 500]).expect("half of it");
    file
}

#[test]
fn with_a_lock_a_reader_waits_and_without_one_it_reads_half_a_value() {
    let scratch = Scratch::memory();
    let store = scratch.store(Guard::Flock);
    store.set(b"a", &[1; 1000]).expect("room");
    let mut writer = half_written(&only_file(&scratch.0));
    let unguarded = scratch.store(Guard::Nothing);
    assert_eq!(read(&unguarded, "a"), Some(vec![2; 500]), "half a value");
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| read(&store, "a"));
        until_waited_for(&writer);
        writer.write_all(&[2; 500]).expect("the other half");
        drop(writer);
        assert_eq!(reader.join().expect("no panic"), Some(vec![2; 1000]));
    });
}

#[test]
fn a_file_removed_between_opening_and_reading_is_read_whole() {
    let scratch = Scratch::memory();
    let store = scratch.store(Guard::Flock);
    store.set(b"a", &[1; 1000]).expect("room");
    let path = only_file(&scratch.0);
    let mut writer = half_written(&path);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| read(&store, "a"));
        until_waited_for(&writer);
        std::fs::remove_file(&path).expect("removed");
        assert_eq!(store.set(b"a", b"anew"), Ok(()), "a new file, which nobody locks");
        writer.write_all(&[2; 500]).expect("the other half");
        drop(writer);
        assert_eq!(reader.join().expect("no panic"), Some(vec![2; 1000]));
    });
    assert_eq!(read(&store, "a").as_deref(), Some(b"anew".as_slice()));
}

/// Counts what a reader sees while two writers write values that are all ones and all twos:
/// complete values and others, until `enough` returns true.
fn contended(store: &Store, bytes: usize, enough: impl Fn(u64, u64) -> bool) -> (u64, u64) {
    let (mut whole, mut torn) = (0, 0);
    store.set(b"a", &vec![1; bytes]).expect("room");
    let writers = [1, 2].map(|writer| {
        let (store, value) = (store.handle(), vec![writer; bytes]);
        move || {
            store.set(b"a", &value).expect("room");
        }
    });
    beside(writers, || {
        let until = Instant::now() + Duration::from_secs(20);
        while !enough(whole, torn) && Instant::now() < until {
            let value = read(store, "a").unwrap_or_default();
            let alike = value.len() == bytes && value.iter().all(|byte| *byte == value[0]);
            *if alike { &mut whole } else { &mut torn } += 1;
        }
    });
    (whole, torn)
}

#[test]
fn no_reader_sees_a_torn_value_behind_a_lock_or_a_rename() {
    for guard in [Guard::Flock, Guard::Rename] {
        let scratch = Scratch::memory();
        let (whole, torn) = contended(&scratch.store(guard), 64 * 1024, |whole, _| whole >= 1000);
        assert_eq!(torn, 0, "{guard:?}");
        assert!(whole > 0, "{guard:?}");
        assert_eq!(files(&scratch.0).len(), 1, "{guard:?}");
    }
}

#[test]
fn without_a_guard_a_reader_sees_torn_values() {
    let scratch = Scratch::memory();
    let (_, torn) = contended(&scratch.store(Guard::Nothing), 256 * 1024, |_, torn| torn > 0);
    assert!(torn > 0);
}

#[test]
fn a_lock_that_is_never_given_back_times_out() {
    let scratch = Scratch::memory();
    let mut store = scratch.store(Guard::Flock);
    store.set(b"a", &[1; 1000]).expect("room");
    let writer = half_written(&only_file(&scratch.0));
    extern "C" fn nothing(_signal: libc::c_int) {}
    // SAFETY: an all-zero sigaction is valid; the handler does nothing.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = nothing as extern "C" fn(libc::c_int) as usize;
        libc::sigaction(libc::SIGUSR2, &action, std::ptr::null_mut());
    }
    // Its deadline has passed, so the next signal ends it.
    store.gives_up_at(0);
    let reader = std::thread::spawn(move || store.get(b"a", &mut Vec::new()));
    until_waited_for(&writer);
    // SAFETY: the thread was not joined yet.
    unsafe { libc::pthread_kill(reader.as_pthread_t(), libc::SIGUSR2) };
    assert_eq!(reader.join().expect("no panic"), Err(Failure::Timeout));
}

#[test]
fn a_full_store_says_so_and_leaves_no_half_value() {
    on_a_small_tmpfs(|small| {
        for guard in GUARDS {
            let store = Store::new(&small.join(format!("{guard:?}")), settings(guard));
            let store = store.expect("ours");
            store.set(b"small", b"value").expect("room");
            assert_eq!(store.set(b"big", &vec![1; 2 << 20]), Err(Failure::Full), "{guard:?}");
            assert_eq!(read(&store, "big"), None, "{guard:?}");
            assert_eq!(read(&store, "small").as_deref(), Some(b"value".as_slice()), "{guard:?}");
            store.set(b"big", &vec![1; 1 << 19]).expect("room again");
            let after = read(&store, "big").map(|value| value.len());
            assert_eq!(after, Some(1 << 19), "{guard:?}");
            store.delete(b"big").expect("removed");
        }
    });
}

#[test]
fn a_store_that_is_read_only_denies() {
    on_a_small_tmpfs(|small| {
        let store = Store::new(&small.join("cache"), settings(Guard::Flock)).expect("ours");
        store.set(b"a", b"value").expect("room");
        mount("tmpfs", small, libc::MS_REMOUNT | libc::MS_RDONLY, "");
        assert_eq!(store.set(b"a", b"other"), Err(Failure::Denied));
        assert_eq!(store.delete(b"a"), Err(Failure::Denied));
        assert_eq!(read(&store, "a").as_deref(), Some(b"value".as_slice()));
    });
}

#[test]
fn what_is_removed_under_us_is_a_miss_and_cannot_be_written() {
    let scratch = Scratch::memory();
    let store = scratch.store(Guard::Flock);
    store.set(b"a", b"value").expect("room");
    std::fs::remove_file(only_file(&scratch.0)).expect("there");
    assert_eq!(read(&store, "a"), None);
    store.set(b"a", b"value").expect("its directory is still there");
    std::fs::remove_dir_all(&scratch.0).expect("there");
    assert_eq!(read(&store, "a"), None);
    assert_eq!(store.set(b"a", b"value"), Err(Failure::Io));
}

#[test]
fn no_link_is_followed() {
    let (scratch, outside) = (Scratch::memory(), Scratch::memory());
    std::fs::write(&outside.0, "a secret").expect("room");
    for guard in GUARDS {
        let store = scratch.store(guard);
        store.set(b"a", b"value").expect("room");
        let path = only_file(&scratch.0);
        std::fs::remove_file(&path).expect("there");
        std::os::unix::fs::symlink(&outside.0, &path).expect("a link");
        assert_eq!(store.get(b"a", &mut Vec::new()), Err(Failure::Io), "{guard:?}");
        let expected = if guard == Guard::Rename { Ok(()) } else { Err(Failure::Io) };
        assert_eq!(store.set(b"a", b"overwritten"), expected, "{guard:?}");
        assert_eq!(std::fs::read(&outside.0).expect("there"), b"a secret");
        store.delete(b"a").expect("the link, or what took its place");
        assert!(outside.0.exists());
    }
    let _ = std::fs::remove_file(&outside.0);
}

/// Returns why a directory is refused.
fn refused(root: &Path) -> String {
    Store::new(root, settings(Guard::Flock)).expect_err("not ours").to_string()
}

#[test]
fn directories_that_are_not_ours_are_refused() {
    let scratch = Scratch::disk();
    let root = &scratch.0;
    assert!(refused(&root.join("deeper")).contains("cannot be created"));
    std::fs::create_dir(root).expect("a directory");
    std::fs::write(root.join("letters.txt"), "precious").expect("room");
    let message = refused(root);
    assert!(message.contains("contains files that tiebreak did not create"), "{message}");
    assert!(message.contains("name one that is empty"), "{message}");
    assert_eq!(std::fs::read_dir(root).expect("there").count(), 1, "nothing was made in it");
    assert!(refused(&root.join("letters.txt")).contains("cannot be opened"));
    std::fs::write(root.join(".tiebreak-cache"), "somebody else's").expect("room");
    assert!(refused(root).contains("that was not written by tiebreak"));
    let inner = root.join("inner");
    std::fs::create_dir(&inner).expect("a directory");
    drop(Store::new(&inner, settings(Guard::Flock)).expect("empty: ours from now on"));
    drop(Store::new(&inner, settings(Guard::Flock)).expect("marked"));
    let link = root.join("link");
    std::os::unix::fs::symlink(&inner, &link).expect("a link");
    assert!(refused(&link).contains("must not be a symbolic link"));
    std::fs::remove_dir(inner.join("3/3c")).expect("empty");
    std::os::unix::fs::symlink(root, inner.join("3/3c")).expect("a link");
    assert!(refused(&inner).contains("a subdirectory that cannot be created or opened"));
}

#[test]
fn a_store_on_tmpfs_is_known_as_such() {
    let scratch = Scratch::memory();
    let store = scratch.store(Guard::Rename);
    let facts = facts(&scratch.0, store.settings()).expect("there");
    let expected = [
        ("filesystem", "tmpfs"),
        ("fsync", "never"),
        ("locking", "none, written to a second file that is renamed"),
        ("expires", "never"),
        ("folders", "two levels, 256 in all"),
        ("times", "of the calls alone, without waiting for a core"),
    ];
    assert_eq!(facts, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

#[test]
fn a_directory_that_several_lanes_open_at_once_is_ours_for_all_of_them() {
    for _ in 0..20 {
        let scratch = Scratch::disk();
        let together = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            let open = || {
                together.wait();
                Store::new(&scratch.0, settings(Guard::Flock)).map(drop)
            };
            let opened: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
            for one in opened {
                one.join().expect("no panic").expect("it is ours");
            }
        });
    }
}
