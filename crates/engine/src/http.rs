//! A lane that speaks HTTP/1.1.

use crate::event_loop::{EventLane, Speech};
use crate::{Broken, Lane, MakeLane, Seat};
use record::Asked;
use rustls::pki_types::ServerName;
use std::sync::Arc;
use wire::http1::{Http1, Limits, Op};
use wire::{Class, Reply};

/// The request, with its secrets: no `Debug`, no `Serialize`.
#[derive(Clone)]
pub struct HttpAccess {
    /// The encoded head.
    pub head: Arc<[u8]>,
    /// The body.
    pub body: Option<Arc<[u8]>>,
    /// The reply has no body, whatever its head says (HEAD).
    pub head_only: bool,
    /// Codes that count as success; empty: 200 to 299.
    pub expect: Vec<u16>,
    /// TLS; none: plain.
    pub tls: Option<TlsAccess>,
}

/// How to speak TLS, with its keys: no `Debug`, no `Serialize`.
#[derive(Clone)]
pub struct TlsAccess {
    /// Roots, versions, resumption.
    pub config: Arc<rustls::ClientConfig>,
    /// The name that the certificate must be for.
    pub name: ServerName<'static>,
}

struct Http {
    access: HttpAccess,
}

impl Speech for Http {
    type Codec = Http1;

    fn codec(&self) -> Http1 {
        Http1::new(Limits::default())
    }

    fn renew(&self, codec: &mut Http1) {
        codec.reset();
    }

    #[inline]
    fn operation(&self, _number: u64) -> Op<'_> {
        Op {
            head: &self.access.head,
            body: self.access.body.as_ref(),
            head_only: self.access.head_only,
        }
    }

    #[inline]
    fn expected(&self, reply: &Reply) -> bool {
        match self.access.expect.is_empty() {
            true => reply.class == Class::Ok,
            false => self.access.expect.contains(&reply.code),
        }
    }
}

/// The lanes of one contender of the order: one for each worker.
///
/// # Panics
/// When the order has no such contender.
pub fn http_lanes(order: &Asked, contender: usize, access: &HttpAccess) -> Vec<MakeLane> {
    let asked = &order.lanes[contender];
    let seed = order.seed;
    (0..order.cores.len().max(1))
        .map(|_| {
            let (asked, access) = (asked.clone(), access.clone());
            let make = move |seat: &Seat| {
                let tls = access.tls.clone();
                let lane = EventLane::new(Http { access }, tls, asked, seed, seat)?;
                Ok::<Box<dyn Lane>, Broken>(Box::new(lane))
            };
            Box::new(make) as MakeLane
        })
        .collect()
}
