//! A lane that speaks HTTP/1.1.

use crate::reply::{is_expected, outcome};
use crate::requests::{self, HttpRequest};
use engine::codec_lane::{Dialogue, codec_lanes};
use engine::{MakeLane, TlsAccess};
use protocol::RequestOperations;
use record::{DriveOrder, LaneTask, Moments, Outcome, Recorder};
use std::cell::RefCell;
use std::sync::Arc;
use wire::Reply;
use wire::http1::{Http1, Limits, Op};

/// The request with its secrets, therefore neither `Debug` nor `Serialize`.
#[derive(Clone)]
pub struct HttpAccess {
    /// The encoded head.
    pub head: Arc<[u8]>,
    /// The body.
    pub body: Option<Arc<[u8]>>,
    /// The reply has no body whatever its head says, as with HEAD.
    pub head_only: bool,
    /// Status codes that count as success; if empty, these are 200 to 299.
    pub expect: Vec<u16>,
    /// TLS settings. None means plain HTTP.
    pub tls: Option<TlsAccess>,
    /// The requests of a workload's operations. None if there is only the one request.
    pub requests: Option<RequestOperations<HttpRequest>>,
}

/// One reply in this many has its body digested.
const DIGEST_EVERY: u64 = 100;
/// Offset basis and prime of FNV-1a, 64 bits.
const FNV: (u64, u64) = (0xCBF2_9CE4_8422_2325, 0x0000_0100_0000_01B3);

/// How much of the first reply's body is kept.
const KEPT: usize = 4096;

struct Http {
    access: HttpAccess,
    /// The beginning of the body of operation 0.
    first_body: RefCell<Vec<u8>>,
}

/// Digest of the part of a body that has been received.
#[derive(Clone, Copy, Debug)]
struct BodyDigest(u64);

impl Default for BodyDigest {
    fn default() -> Self {
        BodyDigest(FNV.0)
    }
}

impl Dialogue for Http {
    type Codec = Http1;
    type Memo = BodyDigest;

    fn codec(&self, _depth: u32) -> Http1 {
        Http1::new(Limits::default())
    }

    #[inline]
    fn operation(&mut self, _codec: &Http1, _number: u64, _memo: &mut BodyDigest) -> Op<'_> {
        Op {
            head: &self.access.head,
            body: self.access.body.as_ref(),
            head_only: self.access.head_only,
        }
    }

    #[inline]
    fn piece(&self, number: u64, digest: &mut BodyDigest, _item: u32, piece: &[u8]) {
        if number.is_multiple_of(DIGEST_EVERY) {
            // The digest is computed byte by byte, so that it does not depend on how the body
            // was cut into pieces. Only one reply in a hundred pays for it.
            let add = |digest: u64, byte: &u8| (digest ^ u64::from(*byte)).wrapping_mul(FNV.1);
            digest.0 = piece.iter().fold(digest.0, add);
            if number == 0 {
                let mut kept = self.first_body.borrow_mut();
                let room = KEPT - kept.len();
                kept.extend_from_slice(&piece[..piece.len().min(room)]);
            }
        }
    }

    fn is_failure(&self, code: u16) -> bool {
        !is_expected(&self.access.expect, code)
    }

    #[inline]
    fn outcome(
        &mut self,
        number: u64,
        _at: &Moments,
        digest: &mut BodyDigest,
        reply: &Reply,
        seen: &mut Recorder,
    ) -> Option<Outcome> {
        let outcome = outcome(&self.access.expect, reply);
        if outcome == Outcome::Ok && number.is_multiple_of(DIGEST_EVERY) {
            seen.digest(digest.0);
        }
        if number == 0 {
            seen.first_body(self.first_body.take());
        }
        Some(outcome)
    }
}

/// Returns the lanes of one contender of the order, one for each worker.
///
/// # Panics
/// Panics if the order has no such contender.
pub fn http_lanes(order: &DriveOrder, contender: usize, access: &HttpAccess) -> Vec<MakeLane> {
    if let (LaneTask::Drive(workload), Some(requests)) =
        (&order.lanes[contender].doing, &access.requests)
    {
        let (expect, tls) = (access.expect.clone(), access.tls.as_ref());
        return requests::lanes(order, contender, (expect, tls), requests, workload);
    }
    let (access, tls) = (access.clone(), access.tls.as_ref());
    codec_lanes(order, contender, tls, move |_| {
        Ok(Http { access: access.clone(), first_body: RefCell::default() })
    })
}
