//! Waiting for a library with a deadline.

use crate::desk::{Cut, Desk};
use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

/// Returns the outcome of a future, unless its slot must stop waiting first: then the future is
/// dropped, and the caller must drop the connection that it used, too.
pub(crate) async fn guarded<C, T>(
    desk: &RefCell<Desk<C>>,
    place: usize,
    future: impl Future<Output = T>,
) -> Result<T, Cut> {
    let mut future = pin!(future);
    poll_fn(|context| {
        if let Poll::Ready(done) = future.as_mut().poll(context) {
            return Poll::Ready(Ok(done));
        }
        match desk.borrow_mut().watch(place, context) {
            Some(cut) => Poll::Ready(Err(cut)),
            None => Poll::Pending,
        }
    })
    .await
}
