//! What an agent recorded, as it is sent to the coordinator: lines of its journal in pieces, with
//! their length and their digest.

use record::agents::{AgentPart, merge};
use record::limits::{NUMBERS_BELOW, TOO_LARGE, holds_a_number_too_large};
use record::{AgentSeen, Event, Seen, Slice, TrialRecord};
use sha2::{Digest, Sha256};
use text::shown::shown;
use wire::remote::agents::{DIGEST_BYTES, FromAgent, MOST_PIECE_BYTES};

/// The most bytes that an agent sends at once: some rounds of all contenders.
const MOST_BYTES: usize = 256 << 20;

pub(super) fn send(events: &[String], send: impl Fn(&FromAgent)) {
    let all = events.join("\n").into_bytes();
    for piece in all.chunks(MOST_PIECE_BYTES) {
        send(&FromAgent::Piece(piece.to_vec()));
    }
    send(&FromAgent::PiecesEnd { bytes: all.len() as u64, digest: digest(&all) });
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

    /// Checks that all of it came as it was sent, and returns this many trials of it: an agent that ended
    /// later may have begun more.
    pub(super) fn finish(
        self,
        bytes: u64,
        sent: &[u8; DIGEST_BYTES],
        trials: usize,
    ) -> Result<Vec<TrialRecord>, String> {
        if self.0.len() as u64 != bytes || digest(&self.0) != *sent {
            return Err(format!(
                "its record is damaged: {} of {bytes} bytes arrived, or their hash differs",
                self.0.len()
            ));
        }
        let text = String::from_utf8(self.0).map_err(|_| "its record is not text".to_owned())?;
        let read: Vec<TrialRecord> =
            text.lines().take(trials).map(trial).collect::<Result<_, _>>()?;
        if read.len() < trials {
            return Err(format!("it sent {} of {trials} trials that it recorded", read.len()));
        }
        Ok(read)
    }
}

fn trial(line: &str) -> Result<TrialRecord, String> {
    if holds_a_number_too_large(line) {
        return Err(format!("its record contains {TOO_LARGE}"));
    }
    match serde_json::from_str(line) {
        Ok(Event::Trial(trial)) => Ok(*trial),
        Ok(_) => Err("its record contains events other than trials".to_owned()),
        Err(error) => Err(format!("its record cannot be read: {}", shown(error.to_string()))),
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

/// Sets when each slice started, also those of groups. `starts_ns` is by index, on the
/// coordinator's clock. Returns None if a slice has no start.
fn set_starts(seen: &mut Seen, starts_ns: &[u64]) -> Option<()> {
    for slice in &mut seen.slices {
        slice.starts_ns = *starts_ns.get(slice.index as usize)?;
    }
    seen.groups.iter_mut().try_for_each(|group| set_starts(group, starts_ns))
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
            let why = || format!("agent {} recorded a slice that was not driven", agent.rank);
            set_starts(&mut trial.seen, agent.starts_ns).ok_or_else(why)?;
            parts.push(AgentPart { rank: agent.rank, bound_ns: agent.bound_ns, trial });
        }
    }
    let merged = parts.iter().map(|parts| {
        let mut trial = merge(parts).map_err(|error| error.to_string())?;
        let sums = |agent: &AgentSeen| agent.operations.max(agent.took_ns).max(agent.behind_ns);
        if let Some(agent) = trial.agents.iter().find(|agent| sums(agent) >= NUMBERS_BELOW) {
            return Err(format!("agent {} is lost: its record adds up to {TOO_LARGE}", agent.rank));
        }
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
    use crate::plan::example;
    use record::Phase;

    #[test]
    fn torn_and_altered_records_are_refused() {
        let whole = b"{\"no\":1}".to_vec();
        let (bytes, sum) = (whole.len() as u64, digest(&whole));
        let finish = |bytes_received: &[u8]| {
            let mut incoming = Incoming::default();
            incoming.add(bytes_received).expect("short");
            incoming.finish(bytes, &sum, 1).expect_err("refused")
        };
        assert!(finish(&whole[1..]).starts_with("its record is damaged: 7 of 8 bytes"));
        assert!(finish(b"{\"no\":2}").starts_with("its record is damaged"));
        assert!(finish(&whole).starts_with("its record cannot be read"));
        let mut too_large = Incoming::default();
        let line = br#"{"trial":{"seen":{"operations":9223372036854775808}}}"#;
        too_large.add(line).expect("short");
        let error = too_large.finish(line.len() as u64, &digest(line), 1);
        assert_eq!(error, Err("its record contains a number that is too large".to_owned()));
        assert_eq!(Incoming::default().finish(0, &digest(b""), 0), Ok(Vec::new()));
        let none = Incoming::default().finish(0, &digest(b""), 2);
        assert_eq!(none, Err("it sent 0 of 2 trials that it recorded".to_owned()));
    }

    fn slice(index: u64, starts_ns: u64) -> Slice {
        Slice { index, starts_ns, took_ns: 50_000_000, operations: 10, ..Slice::default() }
    }

    /// A trial of one slice, which started then on the engine's clock, of a contender with a group.
    fn trial_of(starts_ns: u64) -> TrialRecord {
        let seen_with =
            |groups| Seen { slices: vec![slice(0, starts_ns)], groups, ..Seen::default() };
        let seen = seen_with(vec![seen_with(Vec::new())]);
        TrialRecord { round: 1, ..example::trial(Phase::Round, 0, seen) }
    }

    fn recorded(rank: u32, starts_ns: &[u64], trials: Vec<TrialRecord>) -> AgentTrials<'_> {
        AgentTrials { rank, bound_ns: 1, starts_ns, trials }
    }

    #[test]
    fn all_agents_must_have_recorded_the_same() {
        let (one, other) = (recorded(1, &[7], vec![trial_of(7)]), recorded(2, &[7], Vec::new()));
        let why = "agent 2 recorded 0 trials, but agent 1 recorded 1";
        assert_eq!(merge_all(vec![one, other], &[]), Err(why.to_owned()));
        let unknown = recorded(1, &[], vec![trial_of(7)]);
        let why = "agent 1 recorded a slice that was not driven";
        assert_eq!(merge_all(vec![unknown], &[]), Err(why.to_owned()));
    }

    #[test]
    fn records_whose_sums_no_run_can_have_are_refused_with_the_agent() {
        let starts = [7];
        let mut many = trial_of(7);
        let longest = |index| Slice { took_ns: NUMBERS_BELOW - 1, ..slice(index, 7) };
        many.seen.slices = vec![longest(0), longest(0)];
        let good = recorded(1, &starts, vec![trial_of(7)]);
        let merged = merge_all(vec![recorded(2, &starts, vec![many.clone()])], &[]);
        let why = "agent 2 is lost: its record adds up to a number that is too large";
        assert_eq!(merged, Err(why.to_owned()));
        assert!(merge_all(vec![good], &[]).is_ok());
    }

    /// The engines of agents start at different times, and slices have times since then.
    #[test]
    fn slices_and_those_of_groups_start_on_the_clock_of_the_coordinator() {
        let (starts, later) = ([1_000_000_000], [1_000_030_000]);
        let one = recorded(1, &starts, vec![trial_of(900_000_000)]);
        let other = recorded(2, &later, vec![trial_of(800_000_000)]);
        let merged = merge_all(vec![one, other], &[]).expect("they fit").remove(0).seen;
        for seen in [&merged, &merged.groups[0]] {
            let times: Vec<_> =
                seen.slices.iter().map(|slice| (slice.starts_ns, slice.took_ns)).collect();
            assert_eq!(times, [(starts[0], 50_030_000)]);
        }
    }
}
