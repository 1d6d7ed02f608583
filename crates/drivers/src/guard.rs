//! Waiting for a library, and not for ever.

use crate::desk::{Cut, Desk};
use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

/// The outcome of a future, unless its place is to leave it before: then it is
/// dropped, and with it must be the connection that it was about.
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
