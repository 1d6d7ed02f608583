//! Waiting for a library with a deadline.

use crate::scheduler::{Cut, Scheduler};
use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

/// Returns the outcome of a future, unless its slot must stop waiting first: then the future is
/// dropped, and the caller must drop the connection that it used, too.
pub(crate) async fn guarded<C, T>(
    scheduler: &RefCell<Scheduler<C>>,
    slot: usize,
    future: impl Future<Output = T>,
) -> Result<T, Cut> {
    let mut future = pin!(future);
    poll_fn(|context| {
        if let Poll::Ready(done) = future.as_mut().poll(context) {
            return Poll::Ready(Ok(done));
        }
        match scheduler.borrow_mut().watch(slot, context) {
            Some(cut) => Poll::Ready(Err(cut)),
            None => Poll::Pending,
        }
    })
    .await
}
