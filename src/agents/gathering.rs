//! The coordinator waits until all agents are there.

use super::announce::Announce;
use super::coordinator::{Coordinator, absent};
use super::local_clock::{LocalClock, SimulatedClock};
use super::membership::Membership;
use crate::system::remote;
use crate::system::remote::{Connection, Place, Places, RemoteError, Token};
use engine::Stop;
use protocol::Error;
use record::journal::SCHEMA;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};
use text::shown::shown;
use wire::remote::agents::{FromAgent, FromCoordinator, Hello};
use wire::remote::{FrameError, Purpose};

/// How long each message of a stranger may take.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The most strangers that are examined at the same time.
const STRANGERS: usize = 256;
const GLANCE: Duration = Duration::from_millis(20);

/// What every agent must have in common with the coordinator.
pub(crate) struct Expected<'a> {
    pub(crate) plan_hash: &'a str,
    pub(crate) workers: u32,
}

/// A connection that knows the token, and who it says it is.
type Applicant = (Connection, Hello);

/// What the examination of a connection found.
enum Arrival {
    Applicant(Box<Applicant>),
    /// One that speaks another version, and why it cannot take part.
    OtherVersion(String),
}

/// Waits for all agents.
///
/// # Errors
/// If an agent is missing when the time is over; the message names it.
pub(crate) fn gather(
    this: &Membership,
    expected: &Expected<'_>,
    stop: &Stop,
) -> Result<Coordinator, Error> {
    let at = this.coordinator;
    let cannot = |error: io::Error| {
        Error::failed(format!("tiebreak cannot listen for agents at {at}: {error}"))
    };
    let listener = TcpListener::bind(at).map_err(cannot)?;
    let at = listener.local_addr().map_err(cannot)?;
    // The announcement is withdrawn as soon as all are there, or nobody waits any more.
    let announced = this.announce.as_ref().map(|announce| announce.publish(at, &this.token));
    let _announced = announced.transpose()?;
    let (send, arrivals) = mpsc::channel();
    let places = Places::new(STRANGERS, usize::MAX);
    let enough = Stop::new().map_err(cannot)?;
    let agents = thread::scope(|scope| {
        let accepting = scope.spawn(|| {
            remote::accept(&listener, &enough, |accepted| {
                // One that cannot be accepted or examined does not take part.
                if let Ok((stream, peer)) = accepted {
                    let _ = begin(stream, peer, &places, &this.token, &send);
                }
            })
        });
        let agents = collect(&arrivals, this, expected, stop);
        enough.raise();
        accepting.join().expect("no panic").map_err(cannot)?;
        agents
    })?;
    let clock = LocalClock::new(SimulatedClock::default());
    Coordinator::start(agents.into_iter(), clock).map_err(cannot)
}

/// Takes agents until all are there.
fn collect(
    arrivals: &Receiver<Arrival>,
    this: &Membership,
    expected: &Expected<'_>,
    stop: &Stop,
) -> Result<Vec<Applicant>, Error> {
    let mut agents: Vec<Option<Applicant>> = (0..this.agents()).map(|_| None).collect();
    let mut rejected = None;
    let until = Instant::now() + this.gather;
    while agents.iter().any(Option::is_none) {
        if stop.raised() {
            return Err(Error::failed("stopped by a signal while waiting for agents"));
        }
        if Instant::now() >= until {
            return Err(missing(&agents, rejected, this));
        }
        if let Some(why) = this.announce.as_ref().and_then(Announce::lost) {
            return Err(Error::failed(why));
        }
        match arrivals.recv_timeout(GLANCE) {
            Ok(Arrival::Applicant(applicant)) => {
                if let Err(why) = seat(*applicant, &mut agents, this, expected) {
                    rejected = Some(Rejected { why, knows_token: true });
                }
            }
            Ok(Arrival::OtherVersion(why)) => {
                rejected.get_or_insert(Rejected { why, knows_token: false });
            }
            Err(_) => {}
        }
    }
    Ok(agents.into_iter().flatten().collect())
}

/// Accepts an applicant as one of the agents, or rejects it and returns why.
fn seat(
    (mut connection, hello): Applicant,
    agents: &mut [Option<Applicant>],
    this: &Membership,
    expected: &Expected<'_>,
) -> Result<(), String> {
    match position(&hello, agents, this, expected) {
        Ok(at) => {
            if connection.send(&FromCoordinator::Accepted, TIMEOUT).is_ok() {
                agents[at] = Some((connection, hello));
            }
            Ok(())
        }
        Err(why) => {
            // Whether it learns the reason or not, it does not take part.
            let _ = connection.send(&FromCoordinator::Rejected(why.clone()), TIMEOUT);
            // It may be left over from an earlier run, so the run waits for another one. A person can
            // tell, and need not wait until the end. There is nobody to tell if nobody reads this.
            let _ = writeln!(io::stderr(), "{why}; it was rejected, and the run waits for another");
            Err(why)
        }
    }
}

/// Examines a connection on a thread of its own, so that a silent one makes nobody wait.
fn begin(
    stream: TcpStream,
    peer: SocketAddr,
    places: &Arc<Places>,
    token: &Token,
    send: &Sender<Arrival>,
) -> Result<(), RemoteError> {
    let connection = Connection::of(stream)?;
    let place = places.take(&connection, peer);
    let (send, token) = (send.clone(), token.clone());
    let examine = move || {
        let arrival = match examine(connection, &token, &place) {
            Ok(applicant) => Arrival::Applicant(Box::new(applicant)),
            Err(error @ RemoteError::Message(FrameError::OtherVersion(_))) => {
                Arrival::OtherVersion(format!("a process at {}: {error}", peer.ip()))
            }
            Err(_) => return,
        };
        // Nobody waits for it if all agents are there already.
        let _ = send.send(arrival);
    };
    let thread = thread::Builder::new().name("stranger".to_owned());
    thread.spawn(examine).map_err(|error| RemoteError::Io(error.to_string()))?;
    Ok(())
}

fn examine(
    mut connection: Connection,
    token: &Token,
    place: &Place,
) -> Result<Applicant, RemoteError> {
    remote::admit(&mut connection, Purpose::Agent, token, place, TIMEOUT)?;
    match connection.receive(TIMEOUT)? {
        FromAgent::Hello(hello) => Ok((connection, hello)),
        _ => Err(RemoteError::Message(FrameError::Malformed(wire::remote::UNKNOWN_KIND))),
    }
}

/// The last process that does not take part.
struct Rejected {
    why: String,
    knows_token: bool,
}

/// The position of an agent among all, or why it has none.
fn position(
    hello: &Hello,
    agents: &[Option<Applicant>],
    this: &Membership,
    expected: &Expected<'_>,
) -> Result<usize, String> {
    let rank = hello.rank;
    let unfit = |why: String| Err(format!("agent {rank}: {why}"));
    if hello.version != env!("CARGO_PKG_VERSION") {
        return unfit(format!(
            "its version of tiebreak is {}, but the coordinator's is {}: use the same version \
             everywhere",
            shown(&hello.version),
            env!("CARGO_PKG_VERSION")
        ));
    }
    if hello.journal != SCHEMA {
        return unfit(format!(
            "it writes {}, but the coordinator reads {SCHEMA}: use the same version of tiebreak everywhere",
            shown(&hello.journal)
        ));
    }
    if hello.size != this.size {
        return unfit(format!(
            "it expects {} processes, but the coordinator expects {}",
            hello.size, this.size
        ));
    }
    if hello.plan_hash != expected.plan_hash {
        return unfit(format!(
            "its plan is different ({}, and the coordinator's is {}): start all processes with \
             the same arguments and the same experiment file",
            shown(&hello.plan_hash),
            expected.plan_hash
        ));
    }
    if hello.workers != expected.workers {
        return unfit(format!(
            "it has {} workers, but the coordinator's plan has {}: set --cores",
            hello.workers, expected.workers
        ));
    }
    let at = (rank as usize).checked_sub(1).filter(|at| *at < agents.len());
    match at {
        Some(at) if agents[at].is_none() => Ok(at),
        Some(_) => Err(format!("another process is already agent {rank}")),
        None => Err(format!("there is no agent {rank}")),
    }
}

fn missing(agents: &[Option<Applicant>], rejected: Option<Rejected>, this: &Membership) -> Error {
    let ranks = (1..).zip(agents).filter(|(_, agent)| agent.is_none());
    let named = |rank: u32| match this.announce.as_ref().and_then(|announce| announce.host(rank)) {
        Some(host) => format!("{rank} ({host})"),
        None => rank.to_string(),
    };
    let ranks: Vec<String> = ranks.map(|(rank, _)| named(rank)).collect();
    let missing = absent(&ranks, "connect", this.gather);
    match rejected {
        Some(Rejected { why, knows_token: true }) => {
            Error::usage(format!("{missing}; the last process that was rejected: {why}"))
        }
        Some(Rejected { why, knows_token: false }) => Error::failed(format!("{missing}; {why}")),
        None => Error::failed(format!(
            "{missing}: check that it was started with the same coordinator and token, or give it \
             more time with --gather"
        )),
    }
}
