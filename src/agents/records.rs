//! What an agent recorded, as it is sent to the coordinator: lines of its journal in pieces, with
//! their length and their digest.

use super::link::Link;
use crate::remote::RemoteError;
use record::agents::{AgentPart, merge};
use record::{Event, Slice, TrialRecord};
use sha2::{Digest, Sha256};
use wire::remote::agents::{DIGEST_BYTES, FromAgent, MOST_PIECE_BYTES};

/// The most bytes that an agent sends at once: some rounds of all contenders.
const MOST_BYTES: usize = 256 << 20;

/// Sends these events of a journal.
pub(super) fn send(link: &Link, events: &[String]) -> Result<(), RemoteError> {
    let all = events.join("\n").into_bytes();
    for piece in all.chunks(MOST_PIECE_BYTES) {
        link.send(&FromAgent::Piece(piece.to_vec()))?;
    }
    link.send(&FromAgent::PiecesEnd { bytes: all.len() as u64, digest: digest(&all) })
}

fn digest(bytes: &[u8]) -> [u8; DIGEST_BYTES] {
    let mut out = [0; DIGEST_BYTES];
    out.copy_from_slice(&Sha256::digest(bytes));
    out
}

/// The part of the records that has arrived.
#[derive(Default)]
pub(super) struct Incoming(Vec<u8>);

impl Incoming {
    pub(super) fn add(&mut self, piece: &[u8]) -> Result<(), String> {
        if self.0.len() + piece.len() > MOST_BYTES {
            return Err("its record is too long".to_owned());
        }
        self.0.extend_from_slice(piece);
        Ok(())
    }

    /// Checks that all of it came as it was sent, and returns its trials.
    pub(super) fn finish(
        self,
        bytes: u64,
        sent: &[u8; DIGEST_BYTES],
    ) -> Result<Vec<TrialRecord>, String> {
        if self.0.len() as u64 != bytes || digest(&self.0) != *sent {
            return Err(format!(
                "its record is damaged: {} of {bytes} bytes arrived, or their hash differs",
                self.0.len()
            ));
        }
        let text = String::from_utf8(self.0).map_err(|_| "its record is not text".to_owned())?;
        text.lines().map(trial).collect()
    }
}

fn trial(line: &str) -> Result<TrialRecord, String> {
    match serde_json::from_str(line) {
        Ok(Event::Trial(trial)) => Ok(*trial),
        Ok(_) => Err("its record contains events other than trials".to_owned()),
        Err(error) => Err(format!("its record cannot be read: {error}")),
    }
}

/// One agent's trials of one part of the run, and when it started its slices on the coordinator's
/// clock.
pub(super) struct AgentTrials<'a> {
    pub(super) rank: u32,
    pub(super) bound_ns: u64,
    /// By index, since the start of the part.
    pub(super) starts_ns: &'a [u64],
    pub(super) trials: Vec<TrialRecord>,
}

/// Merges what all agents recorded, trial by trial. `targets` is what each target used in
/// each slice, by index, as the coordinator read it.
pub(super) fn merge_all(
    agents: Vec<AgentTrials<'_>>,
    targets: &[Slice],
) -> Result<Vec<TrialRecord>, String> {
    let count = agents.first().map_or(0, |agent| agent.trials.len());
    if let Some(other) = agents.iter().find(|agent| agent.trials.len() != count) {
        return Err(format!(
            "agent {} recorded {} trials, but agent {} recorded {count}",
            other.rank,
            other.trials.len(),
            agents[0].rank
        ));
    }
    let mut parts: Vec<Vec<AgentPart>> = (0..count).map(|_| Vec::new()).collect();
    for agent in agents {
        for (parts, mut trial) in parts.iter_mut().zip(agent.trials) {
            for slice in &mut trial.seen.slices {
                let known = agent.starts_ns.get(slice.index as usize);
                let why = || format!("agent {} recorded a slice that was not driven", agent.rank);
                slice.starts_ns = *known.ok_or_else(why)?;
            }
            parts.push(AgentPart { rank: agent.rank, bound_ns: agent.bound_ns, trial });
        }
    }
    let merged = parts.iter().map(|parts| {
        let mut trial = merge(parts).map_err(|error| error.to_string())?;
        for slice in &mut trial.seen.slices {
            if let Some(used) = targets.get(slice.index as usize) {
                slice.target_cpu_ns.clone_from(&used.target_cpu_ns);
                slice.watched.clone_from(&used.watched);
            }
        }
        Ok(trial)
    });
    merged.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn torn_and_altered_records_are_refused() {
        let whole = b"{\"no\":1}".to_vec();
        let (bytes, sum) = (whole.len() as u64, digest(&whole));
        let finish = |bytes_received: &[u8]| {
            let mut incoming = Incoming::default();
            incoming.add(bytes_received).expect("short");
            incoming.finish(bytes, &sum).expect_err("refused")
        };
        assert!(finish(&whole[1..]).starts_with("its record is damaged: 7 of 8 bytes"));
        assert!(finish(b"{\"no\":2}").starts_with("its record is damaged"));
        assert!(finish(&whole).starts_with("its record cannot be read"));
        assert_eq!(Incoming::default().finish(0, &digest(b"")), Ok(Vec::new()));
    }

    #[test]
    fn all_agents_must_have_recorded_the_same() {
        let of = |rank, starts_ns| AgentTrials { rank, bound_ns: 1, starts_ns, trials: Vec::new() };
        assert_eq!(merge_all(vec![of(1, &[]), of(2, &[])], &[]), Ok(Vec::new()));
    }
}
