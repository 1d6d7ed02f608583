//! Limits the bytes that a server may send in reply to one question or operation. Client libraries
//! have no such limit, so a server with an endless reply would exhaust memory.

use crate::request_error::RequestError;
use engine::workload::longest_key;
use record::{Failure, Kind, LaneTask, Workload};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Maximum length of the answer to a question outside of the measurement, in bytes. Settings,
/// counts and notes take some kilobytes.
pub const QUESTION_BYTES: u64 = 1 << 20;
/// Maximum length of the reply to an operation, in bytes, unless the contender has a setting.
pub const REPLY_BYTES: u64 = 4 << 20;

/// Protocols add some tens of bytes to each row.
const ROW_BYTES: u64 = 128;

/// Maximum length of a reply to any operation of a lane that does this, in bytes: the setting, or
/// [`REPLY_BYTES`], or twice what the longest values of its workload take as text. None stands for
/// questions, whose answers have at most [`QUESTION_BYTES`].
pub fn of_replies(asked: Option<u64>, doing: Option<&LaneTask>) -> u64 {
    let workload = match doing {
        Some(LaneTask::Drive(workload)) => workload_bytes(workload),
        Some(LaneTask::Ask | LaneTask::Load(_)) => 0,
        None => return QUESTION_BYTES,
    };
    asked.unwrap_or(REPLY_BYTES.max(workload))
}

/// Maximum length of one packet in either direction, in bytes: a reply, or a statement that writes
/// rows, which are sent as text and in batches of up to 1 MiB.
pub fn of_packets(reply_bytes: u64, doing: Option<&LaneTask>) -> u64 {
    let longest = match doing {
        None | Some(LaneTask::Ask) => 0,
        Some(LaneTask::Load(of)) => of.workload.value.most(),
        Some(LaneTask::Drive(of)) => of.value.most(),
    };
    reply_bytes.max(REPLY_BYTES + 2 * u64::from(longest))
}

fn workload_bytes(of: &Workload) -> u64 {
    let rows = of.mix.iter().map(|share| match share.kind {
        Kind::Scan(rows) => u64::from(rows),
        _ => 1,
    });
    // A byte of a value is two digits when it is sent as text.
    let row = 2 * u64::from(of.value.most()) + longest_key(of) as u64 + ROW_BYTES;
    2 * row * rows.max().unwrap_or(1)
}

/// The number of bytes that may still be received. Clones share it.
#[derive(Clone)]
pub struct Budget(Arc<Left>);

struct Left {
    most: u64,
    left: AtomicU64,
    over: AtomicBool,
}

impl Budget {
    /// This many bytes may be received.
    pub fn new(most: u64) -> Budget {
        let (left, over) = (AtomicU64::new(most), AtomicBool::new(false));
        Budget(Arc::new(Left { most, left, over }))
    }

    /// Resets the budget for a new question.
    pub fn renew(&self) {
        self.0.left.store(self.0.most, Ordering::Relaxed);
    }

    /// Deducts received bytes.
    ///
    /// # Errors
    /// Returns an error if they exceed the budget.
    pub fn take(&self, bytes: usize) -> io::Result<()> {
        let left = self.0.left.load(Ordering::Relaxed);
        match left.checked_sub(bytes as u64) {
            Some(left) => {
                self.0.left.store(left, Ordering::Relaxed);
                Ok(())
            }
            None => {
                self.0.over.store(true, Ordering::Relaxed);
                Err(too_large(self.0.most))
            }
        }
    }

    /// Whether the budget was exceeded.
    pub fn is_over(&self) -> bool {
        self.0.over.load(Ordering::Relaxed)
    }

    /// Replaces the error if the budget was exceeded, because libraries then only report that the
    /// connection is closed.
    pub fn explains(&self, error: RequestError) -> RequestError {
        if self.is_over() { RequestError::Failed(Failure::TooLarge) } else { error }
    }
}

/// The error for a reply with more bytes than `most`.
pub fn too_large(most: u64) -> io::Error {
    let why = format!("the reply is longer than {most} bytes");
    io::Error::new(io::ErrorKind::FileTooLarge, why)
}

/// A stream whose reads are deducted from a budget.
pub struct Metered<S> {
    stream: S,
    budget: Budget,
}

impl<S> Metered<S> {
    /// Reads of this stream are deducted from this budget.
    pub fn new(stream: S, budget: Budget) -> Metered<S> {
        Metered { stream, budget }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = to.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, to);
        match read {
            Poll::Ready(Ok(())) => Poll::Ready(self.budget.take(to.filled().len() - before)),
            other => other,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::workload::preset;
    use record::ValueBytes;
    use std::future::poll_fn;
    use tokio::runtime::Builder;

    #[test]
    fn a_budget_is_for_one_question() {
        let budget = Budget::new(10);
        let shared = budget.clone();
        assert!(budget.take(4).is_ok() && shared.take(6).is_ok());
        budget.renew();
        assert!(shared.take(10).is_ok());
        let closed = RequestError::Failed(Failure::Closed);
        assert!(!budget.is_over() && budget.explains(closed) == closed);
        let error = shared.take(1).expect_err("11 of 10");
        assert_eq!(error.to_string(), "the reply is longer than 10 bytes");
        assert!(budget.is_over());
        assert_eq!(budget.explains(closed), RequestError::Failed(Failure::TooLarge));
    }

    #[test]
    fn a_stream_ends_where_its_budget_does() {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let mut stream = Metered::new(&b"twelve bytes"[..], Budget::new(10));
            let mut room = [0; 6];
            let mut read = async || {
                let mut to = ReadBuf::new(&mut room);
                poll_fn(|context| Pin::new(&mut stream).poll_read(context, &mut to)).await
            };
            assert!(read().await.is_ok());
            assert!(read().await.is_err());
        });
    }

    #[test]
    fn a_workload_may_bring_its_own_values() {
        let kv = preset("kv").expect("a preset");
        let drive = |value, mix: Option<Kind>| {
            let mut of = Workload { value: ValueBytes::Fixed(value), ..kv.clone() };
            if let Some(kind) = mix {
                of.mix[0].kind = kind;
            }
            LaneTask::Drive(of)
        };
        assert_eq!(of_replies(None, Some(&drive(32, None))), REPLY_BYTES);
        assert_eq!(of_replies(Some(7), Some(&drive(32, None))), 7);
        assert!(of_replies(None, Some(&drive(8 << 20, None))) > 32 << 20);
        assert!(of_replies(None, Some(&drive(1 << 20, Some(Kind::Scan(100))))) > 400 << 20);
    }
}
