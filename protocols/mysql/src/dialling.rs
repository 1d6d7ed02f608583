//! Measures when a connection that the library dials itself is established.

use drivers::keep_waker;
use engine::clock;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Wake, Waker};

/// The outcome of a future that dials before it does anything else, and when it was woken for the
/// first time, on the engine's clock (None if never). The first event of a socket is that it is
/// connected, even if that happens at once.
pub(crate) async fn events<T>(dialling: impl Future<Output = T>) -> (T, Option<u64>) {
    let first = Arc::new(First::default());
    let waker = Waker::from(first.clone());
    let mut dialling = pin!(dialling);
    let done = poll_fn(|context| {
        keep_waker(&mut first.to(), context);
        dialling.as_mut().poll(&mut Context::from_waker(&waker))
    })
    .await;
    let at = first.at.load(Ordering::Relaxed);
    (done, (at > 0).then_some(at))
}

/// Passes wakes on, and records the time of the first.
#[derive(Default)]
struct First {
    at: AtomicU64,
    to: Mutex<Option<Waker>>,
}

impl First {
    fn to(&self) -> MutexGuard<'_, Option<Waker>> {
        self.to.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for First {
    fn wake(self: Arc<First>) {
        // Of several the first counts.
        let _ = self.at.compare_exchange(0, clock::now(), Ordering::Relaxed, Ordering::Relaxed);
        self.to().iter().for_each(Waker::wake_by_ref);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::io::Interest;
    use tokio::net::{TcpListener, TcpStream};
    use tokio::runtime::Builder;

    /// The listener answers after 30 ms; the connection is established long before.
    #[test]
    fn what_comes_after_the_connection_is_not_part_of_it() {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let to = listener.local_addr().expect("bound");
            let answers = async {
                let (stream, _) = listener.accept().await.expect("it comes");
                tokio::time::sleep(Duration::from_millis(30)).await;
                stream.try_write(b"hello").expect("it listens");
                stream
            };
            let began = clock::now();
            let dials = events(async {
                let stream = TcpStream::connect(to).await.expect("it listens");
                stream.ready(Interest::READABLE).await.expect("it answers");
            });
            let (((), stood), _stream) = futures_util::future::join(dials, answers).await;
            let (stood, done) = (stood.expect("it was waited for"), clock::now());
            assert!(began < stood && stood < done);
            assert!(done - stood >= 25_000_000, "{} ns before the answer", done - stood);
        });
    }

    #[test]
    fn what_is_never_waited_for_has_no_time() {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        assert_eq!(runtime.block_on(events(async { 7 })), (7, None));
    }
}
