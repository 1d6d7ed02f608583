//! Lanes of the event loop for any protocol. A new protocol adds a codec ([`wire::Codec`]) and a
//! [`Dialogue`] and changes nothing here.

pub use crate::event_loop::{Broadcast, Dialogue, Push};

use crate::event_loop::EventLane;
use crate::lane::for_workers;
use crate::{EngineError, MakeLane, Seat, TlsAccess};
use record::DriveOrder;

/// The lanes of one contender of the order, one for each worker, with the dialogues that
/// `speech` creates. Each connection has at most as many operations in flight as the order's
/// depth and the codec's window allow.
///
/// # Panics
/// Panics if the order has no such contender.
pub fn codec_lanes<S: Dialogue + 'static>(
    order: &DriveOrder,
    contender: usize,
    tls: Option<&TlsAccess>,
    dialogue: impl Fn(&Seat) -> Result<S, EngineError> + Clone + Send + 'static,
) -> Vec<MakeLane> {
    let (lane_order, seed, tls) = (order.lanes[contender].clone(), order.seed, tls.cloned());
    for_workers(order, move |seat| {
        Ok(Box::new(EventLane::new(dialogue(seat)?, tls.clone(), lane_order.clone(), seed, seat)?))
    })
}
