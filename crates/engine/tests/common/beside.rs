//! Work that goes on beside a test until it is over.

use std::sync::atomic::{AtomicBool, Ordering};

/// Over when it is dropped: also when the test fails, or it would wait for its
/// threads for ever.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs `test` while each of these is called again and again by a thread of its own.
pub(crate) fn beside<T, W: FnMut() + Send>(
    again: impl IntoIterator<Item = W>,
    test: impl FnOnce() -> T,
) -> T {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _over = Over(&over);
        for mut work in again {
            let over = &over;
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    work();
                }
            });
        }
        test()
    })
}
