//! The coordinator waits until all agents are there.

use super::announce::Announce;
use super::coordinator::Coordinator;
use super::local_clock::{LocalClock, SimulatedClock};
use super::membership::Membership;
use crate::exit::Error;
use crate::remote::{Admission, Connection, RemoteError, admit};
use engine::Stop;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};
use text::lists;
use text::shown::shown;
use wire::remote::Purpose;
use wire::remote::agents::{FromAgent, FromCoordinator, Hello};

/// How long each message of a stranger may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most connections that are examined at the same time: more wait in the kernel's queue.
const AT_ONCE: usize = 300;
const GLANCE: Duration = Duration::from_millis(20);

/// What every agent must have in common with the coordinator.
pub(crate) struct Expected<'a> {
    pub(crate) plan_hash: &'a str,
    pub(crate) workers: u32,
}

/// A connection that knows the token, and who it says it is.
type Candidate = (Connection, Hello);

/// Waits for all agents.
///
/// # Errors
/// If an agent does not fit, or is missing when the time is over; the message names it.
pub(crate) fn gather(
    this: &Membership,
    expected: &Expected<'_>,
    stop: &Stop,
) -> Result<Coordinator, Error> {
    let at = this.coordinator;
    let cannot = |error: std::io::Error| {
        Error::failed(format!("tiebreak cannot listen for agents at {at}: {error}"))
    };
    let listener = TcpListener::bind(at).map_err(cannot)?;
    listener.set_nonblocking(true).map_err(cannot)?;
    let at = listener.local_addr().map_err(cannot)?;
    // The announcement is withdrawn as soon as all are there, or nobody waits any more.
    let announced = this.announce.as_ref().map(|announce| announce.publish(at, &this.token));
    let _announced = announced.transpose()?;
    let (send, candidates) = mpsc::channel();
    let examined = Arc::default();
    let mut agents: Vec<Option<Candidate>> = (0..this.agents()).map(|_| None).collect();
    let until = Instant::now() + this.gather;
    while agents.iter().any(Option::is_none) {
        if stop.raised() {
            return Err(Error::failed("stopped by a signal while waiting for agents"));
        }
        if Instant::now() >= until {
            return Err(missing(&agents, this));
        }
        if let Some(why) = this.announce.as_ref().and_then(Announce::lost) {
            return Err(Error::failed(why));
        }
        accept(&listener, this, &send, &examined);
        if let Some((mut connection, hello)) = next(&candidates) {
            let position = position(&hello, &agents, this, expected);
            let at = match position {
                Ok(at) => at,
                Err(Unfit { why, fatal }) => {
                    // Whether it learns the reason or not, it does not take part.
                    let _ = connection.send(&FromCoordinator::Rejected(why.clone()), PATIENCE);
                    if fatal {
                        return Err(Error::usage(why));
                    }
                    continue;
                }
            };
            if connection.send(&FromCoordinator::Accepted, PATIENCE).is_ok() {
                agents[at] = Some((connection, hello));
            }
        }
    }
    let clock = LocalClock::new(SimulatedClock::default());
    Coordinator::start(agents.into_iter().flatten(), clock).map_err(cannot)
}

/// Examines every connection on a thread of its own, so that a silent one makes nobody wait.
/// `examined` are examined now.
fn accept(
    listener: &TcpListener,
    this: &Membership,
    send: &Sender<Candidate>,
    examined: &Arc<AtomicUsize>,
) {
    while let Some(admission) = Admission::take(examined, AT_ONCE) {
        let Ok((stream, _)) = listener.accept() else { return };
        let (send, token) = (send.clone(), this.token.clone());
        let examine = move || -> Result<(), RemoteError> {
            let _admission = admission;
            let mut connection = Connection::of(stream)?;
            admit(&mut connection, Purpose::Agent, &token, PATIENCE)?;
            if let FromAgent::Hello(hello) = connection.receive(PATIENCE)? {
                // Nobody waits for it if all agents are there already.
                let _ = send.send((connection, hello));
            }
            Ok(())
        };
        let thread = std::thread::Builder::new().name("stranger".to_owned());
        // A stranger that cannot be examined is not admitted.
        let _ = thread.spawn(move || {
            let _ = examine();
        });
    }
}

fn next(candidates: &Receiver<Candidate>) -> Option<Candidate> {
    candidates.recv_timeout(GLANCE).ok()
}

/// Why a process that knows the token does not take part.
struct Unfit {
    why: String,
    /// The run cannot begin without it.
    fatal: bool,
}

/// The position of an agent among all.
fn position(
    hello: &Hello,
    agents: &[Option<Candidate>],
    this: &Membership,
    expected: &Expected<'_>,
) -> Result<usize, Unfit> {
    let rank = hello.rank;
    let fatal = |why: String| Err(Unfit { why: format!("agent {rank}: {why}"), fatal: true });
    if hello.version != env!("CARGO_PKG_VERSION") {
        return fatal(format!(
            "its version of tiebreak is {}, but the coordinator's is {}: use the same version \
             everywhere",
            shown(&hello.version),
            env!("CARGO_PKG_VERSION")
        ));
    }
    if hello.size != this.size {
        return fatal(format!(
            "it expects {} processes, but the coordinator expects {}",
            hello.size, this.size
        ));
    }
    if hello.plan_hash != expected.plan_hash {
        return fatal(format!(
            "its plan is different ({}, and the coordinator's is {}): start all processes with \
             the same arguments and the same experiment file",
            shown(&hello.plan_hash),
            expected.plan_hash
        ));
    }
    if hello.workers != expected.workers {
        return fatal(format!(
            "it has {} workers, but the coordinator's plan has {}: set --cores",
            hello.workers, expected.workers
        ));
    }
    let at = (rank as usize).checked_sub(1).filter(|at| *at < agents.len());
    match at {
        Some(at) if agents[at].is_none() => Ok(at),
        Some(_) => {
            Err(Unfit { why: format!("another process is already agent {rank}"), fatal: false })
        }
        None => Err(Unfit { why: format!("there is no agent {rank}"), fatal: false }),
    }
}

fn missing(agents: &[Option<Candidate>], this: &Membership) -> Error {
    let ranks = (1..).zip(agents).filter(|(_, agent)| agent.is_none());
    let named = |rank: u32| match this.announce.as_ref().and_then(|announce| announce.host(rank)) {
        Some(host) => format!("{rank} ({host})"),
        None => rank.to_string(),
    };
    let ranks: Vec<String> = ranks.map(|(rank, _)| named(rank)).collect();
    let agents = if ranks.len() == 1 { "agent" } else { "agents" };
    Error::failed(format!(
        "{agents} {} did not connect within {}: check that it was started with the same \
         coordinator and token, or give it more time with --gather",
        lists::listed(&ranks),
        text::units::show_ns(this.gather.as_nanos() as u64)
    ))
}
