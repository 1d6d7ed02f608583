//! Replays a corpus, as it is and mutated. The fuzz targets start from the same
//! files.

use std::fs;
use std::path::Path;
use wire::SplitMix64;

/// (name, bytes), by name.
fn corpus(directory: &str) -> Vec<(String, Vec<u8>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(directory);
    let mut files: Vec<_> = fs::read_dir(&directory)
        .expect("the corpus is beside the tests")
        .map(|entry| entry.expect("readable").path())
        .map(|path| (path.display().to_string(), fs::read(&path).expect("readable")))
        .collect();
    files.sort();
    assert!(files.len() >= 30, "{} files in {}", files.len(), directory.display());
    files
}

/// Checks every file.
pub(crate) fn as_it_is(directory: &str, check: impl Fn(&[u8])) {
    for (name, stream) in corpus(directory) {
        println!("{name}"); // shown if the check panics
        check(&stream);
    }
}

/// Checks files that were changed in a few places, so many times. `tokens` are
/// what the protocol's parsers trip over.
pub(crate) fn mutated(directory: &str, tokens: &[&[u8]], rounds: u32, check: impl Fn(&[u8])) {
    let files = corpus(directory);
    let mut random = Random(SplitMix64(0x7469_6562_7265_616b));
    for round in 0..rounds {
        let (name, stream) = &files[random.below(files.len())];
        let (_, other) = &files[random.below(files.len())];
        let mut stream = stream.clone();
        for _ in 0..=random.below(3) {
            mutate(&mut stream, other, tokens, &mut random);
        }
        println!("round {round}: {name}: {}", stream.escape_ascii());
        check(&stream);
    }
}

struct Random(SplitMix64);

impl Random {
    /// 0 to `n` - 1; 0 where `n` is 0.
    fn below(&mut self, n: usize) -> usize {
        (self.0.next() % n.max(1) as u64) as usize
    }
}

fn mutate(stream: &mut Vec<u8>, other: &[u8], tokens: &[&[u8]], random: &mut Random) {
    let at = random.below(stream.len() + 1);
    let until = (at + random.below(9)).min(stream.len());
    match random.below(7) {
        0 => drop(stream.drain(at..until)),
        1 => stream.truncate(at),
        2 => drop(stream.splice(at..at, tokens[random.below(tokens.len())].iter().copied())),
        3 => drop(stream.splice(at..until, tokens[random.below(tokens.len())].iter().copied())),
        4 => drop(stream.splice(at.., other[random.below(other.len())..].iter().copied())),
        5 => stream.extend_from_within(at..until),
        _ => {
            if let Some(byte) = stream.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
    }
}
