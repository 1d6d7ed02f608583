//! Background work that continues until a test has ended.

use std::sync::atomic::{AtomicBool, Ordering};

/// Ends the work when it is dropped, even if the test fails; otherwise it would wait for its
/// threads for ever.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs `test` while each of `works` is called repeatedly by a separate thread.
pub fn beside<T, W: FnMut() + Send>(
    works: impl IntoIterator<Item = W>,
    test: impl FnOnce() -> T,
) -> T {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _over = Over(&over);
        for mut work in works {
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
