//! Any bytes as the printed output of load generators, in pieces of any size. Seeds:
//! crates/published/tests/data and crates/published/tests/boards.
#![no_main]

use published::{Audit, Scan};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let whole = audit(std::iter::once(bytes));
    let size = bytes.first().map_or(1, |byte| usize::from(*byte).max(1));
    let pieces = audit(bytes.chunks(size));
    assert_eq!(whole.conclusion(), pieces.conclusion());
    assert_eq!(whole.objections.len(), pieces.objections.len());
    assert_eq!((whole.lists.len(), &whole.board_error), (pieces.lists.len(), &pieces.board_error));
    for list in &whole.lists {
        assert!(list.entries.iter().all(|of| of.lead.is_none_or(|lead| lead >= 1.0)));
    }
    for run in &whole.runs {
        assert!(run.figures().all(|(_, at)| at.value.is_finite() && at.value >= 0.0));
        assert!(run.first <= run.last);
    }
});

fn audit<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Audit {
    let mut scan = Scan::new(0);
    pieces.for_each(|piece| scan.feed(piece));
    Audit::of([("fuzzed".to_owned(), scan)])
}
