//! What the directories of tests promise. One test program includes this: in each of those that make directories it
//! would prove the same.

use crate::scratch::{Scratch, directory_within};

#[test]
fn directories_that_an_earlier_process_left_are_passed_over() {
    let scratch = Scratch::new();
    // The numbers of the next directories cannot be known: other tests take some, too.
    let left = (0..1000).map(|number| format!("a-{}-{number}", std::process::id()));
    left.for_each(|name| std::fs::create_dir(scratch.path().join(name)).expect("a directory"));
    let created = directory_within(scratch.path(), "a");
    assert_eq!(std::fs::read_dir(&created).expect("a directory").count(), 0);
    assert_eq!(std::fs::read_dir(scratch.path()).expect("a directory").count(), 1001);
}
