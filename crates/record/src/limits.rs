//! Limits on the plan of a run. tiebreak makes no larger plans, and rejects journals with larger
//! ones: the data to judge grows with the product of some of these numbers, so a short journal
//! could otherwise exhaust memory.

use crate::{AgentSeen, KindSeen, Metric, Plan, Question, Seen};
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;
use thiserror::Error as ThisError;

/// Whole numbers in a journal are below this, except seeds: sums of larger ones would overflow. It is a
/// thousand operations a second for 30 000 years, or eleven days in nanoseconds.
pub const NUMBERS_BELOW: u64 = 1_000_000_000_000_000;
/// Maximum number of contenders in one plan.
pub const MOST_CONTENDERS: usize = 64;
/// Maximum number of contenders in one round.
pub const MOST_IN_A_ROUND: usize = 16;
/// Maximum number of rounds.
pub const MOST_ROUNDS: u32 = 10_000;
/// Maximum number of rounds where capacities are sought, which are judged by all turns at once.
const MOST_ROUNDS_OF_CAPACITIES: u32 = 100;
/// Maximum number of groups of operations.
pub const MOST_GROUPS: usize = 8;
/// Maximum number of requests that are compared one by one.
pub const MOST_REQUESTS: usize = 64;
/// Maximum number of kinds of operation in the mix of a workload, over all its groups.
pub const MOST_KINDS: usize = 256;
/// Maximum number of agents that drive together.
pub const MOST_AGENTS: usize = 256;
/// Maximum number of looks of a run that may end early.
const MOST_LOOKS: usize = 16;
/// Maximum number of cores of a machine.
const MOST_CORES: usize = 65_536;
/// Maximum number of metrics: all that can be compared.
const METRICS: usize = Metric::RANKED.len();

/// What is wrong with the size of a plan. The text follows "the plan has".
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
pub enum SizeError {
    /// More items than are supported.
    #[error("{count} {items}; at most {most} are supported")]
    TooMany {
        /// What they are.
        items: &'static str,
        /// How many the plan has.
        count: usize,
        /// How many are supported.
        most: usize,
    },
    /// The question is about another number of contenders than this.
    #[error("{0} contenders, but its question is about a different number")]
    OtherQuestion(usize),
    /// The sweep is of another number of contenders than this.
    #[error("{0} contenders, but its sweep is about a different number")]
    OtherSweep(usize),
    /// The sweep has no values.
    #[error("a sweep without a value")]
    EmptySweep,
    /// The question is about another number of load points than the sweep.
    #[error("a sweep of {0} values, but its question is about a different number")]
    OtherLoadPoints(usize),
    /// There are rounds or launches of some contenders, but not all of them are.
    #[error("{rounds} rounds, but the contenders of {blocks}")]
    OtherBlocks {
        /// Rounds, or launches where these are the replicates.
        rounds: u32,
        /// Those whose contenders are given.
        blocks: usize,
    },
    /// A pair names a contender that the plan does not have.
    #[error("a pair of contenders that do not exist")]
    UnknownPair,
    /// A round is to hold a contender that the plan does not have.
    #[error("a round of contenders that do not exist")]
    UnknownInRound,
}

/// What [`holds_a_number_too_large`] finds.
pub const TOO_LARGE: &str = "a number that is too large";

/// Whether the JSON text of an event holds a whole number that is not below [`NUMBERS_BELOW`].
pub fn holds_a_number_too_large(json: &str) -> bool {
    const DIGITS: u32 = NUMBERS_BELOW.ilog10() + 1;
    let (mut in_text, mut escaped, mut digits, mut is_fraction) = (false, false, 0u32, false);
    for byte in json.bytes() {
        if in_text {
            in_text = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => in_text = true,
            b'0'..=b'9' => digits += 1,
            b'.' | b'e' | b'E' | b'-' | b'+' => is_fraction = is_fraction || byte != b'-',
            _ => (digits, is_fraction) = (0, false),
        }
        if digits >= DIGITS && !is_fraction {
            return true;
        }
    }
    false
}

fn most(items: &'static str, count: usize, most: usize) -> Result<(), SizeError> {
    if count > most { Err(SizeError::TooMany { items, count, most }) } else { Ok(()) }
}

impl Plan {
    /// Checks the plan against the limits.
    ///
    /// # Errors
    /// Returns an error if it exceeds a limit, or its parts do not fit each other.
    pub fn check_size(&self) -> Result<(), SizeError> {
        let contenders = self.contenders.len();
        if contenders != self.question.contenders.len() {
            return Err(SizeError::OtherQuestion(contenders));
        }
        most("contenders", contenders, MOST_CONTENDERS)?;
        let values = self.sweep.as_ref().map_or(0, |sweep| sweep.values.len());
        if let Some(sweep) = &self.sweep {
            if sweep.values.is_empty() {
                return Err(SizeError::EmptySweep);
            }
            if sweep.values.len().saturating_mul(sweep.width()) != contenders {
                return Err(SizeError::OtherSweep(contenders));
            }
        }
        // Journals of earlier versions do not name the load points.
        let load_points = self.question.load_points.len();
        if load_points != 0 && load_points != values {
            return Err(SizeError::OtherLoadPoints(values));
        }
        let seeks_capacity = self.question.seeks_capacity();
        let most_rounds = if seeks_capacity { MOST_ROUNDS_OF_CAPACITIES } else { MOST_ROUNDS };
        most("rounds", self.rounds.max(self.question.rounds) as usize, most_rounds as usize)?;
        self.question.check_size(contenders)
    }
}

impl Question {
    fn check_size(&self, contenders: usize) -> Result<(), SizeError> {
        most("restarts", self.restarts as usize, MOST_ROUNDS as usize)?;
        most("looks", self.interim_looks.len(), MOST_LOOKS)?;
        most("pairs", self.pairs.len(), contenders * contenders)?;
        let beyond = |number: &u32| *number as usize >= contenders;
        if self.pairs.iter().any(|pair| beyond(&pair.a) || beyond(&pair.b)) {
            return Err(SizeError::UnknownPair);
        }
        let blocks = self.blocks.len();
        if blocks != 0 && blocks != self.replicates() as usize {
            return Err(SizeError::OtherBlocks { rounds: self.replicates(), blocks });
        }
        for block in &self.blocks {
            most("contenders in a round", block.len(), contenders)?;
            if block.iter().any(beyond) {
                return Err(SizeError::UnknownInRound);
            }
        }
        most("metrics", self.secondary.len(), METRICS)?;
        most("groups", self.groups.len(), MOST_GROUPS)?;
        self.groups.iter().try_for_each(|group| most("metrics", group.metrics.len(), METRICS))?;
        most("requests", self.requests.len(), MOST_REQUESTS)?;
        most("groups that share a process", self.sharing.len(), contenders)?;
        self.sharing
            .iter()
            .try_for_each(|group| most("processes shared", group.len(), contenders))?;
        self.contenders.iter().try_for_each(|of| most("cores", of.target_cores.len(), MOST_CORES))
    }
}

/// Deserialises the measurements of at most [`MOST_GROUPS`] groups. Each has histograms, which
/// take a hundred times the memory of their text.
///
/// # Errors
/// Returns an error if there are more, or if a group has groups of its own.
pub(crate) fn read_groups<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Seen>, D::Error> {
    read_parts(from, "groups", MOST_GROUPS)
}

/// Deserialises the measurements of at most [`MOST_REQUESTS`] requests in slices of their own.
///
/// # Errors
/// Returns an error if there are more, or if a request has parts of its own.
pub(crate) fn read_requests<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Seen>, D::Error> {
    read_parts(from, "requests", MOST_REQUESTS)
}

fn read_parts<'de, D: Deserializer<'de>>(
    from: D,
    what: &'static str,
    most: usize,
) -> Result<Vec<Seen>, D::Error> {
    let parts: Vec<Seen> = from.deserialize_seq(AtMost::new(what, most))?;
    if parts.iter().all(|part| part.groups.is_empty() && part.requests.is_empty()) {
        Ok(parts)
    } else {
        Err(D::Error::custom(format!("one of the {what} has parts of its own")))
    }
}

/// Deserialises the measurements of at most [`MOST_KINDS`] kinds of operation.
///
/// # Errors
/// Returns an error if there are more.
pub(crate) fn read_kinds<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<KindSeen>, D::Error> {
    from.deserialize_seq(AtMost::new("kinds of operation", MOST_KINDS))
}

/// Deserialises what at most [`MOST_AGENTS`] agents did in a trial.
///
/// # Errors
/// Returns an error if there are more.
pub(crate) fn read_agents<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<AgentSeen>, D::Error> {
    from.deserialize_seq(AtMost::new("agents", MOST_AGENTS))
}

/// Deserialises a list, and stops at the first item beyond the limit.
struct AtMost<T> {
    what: &'static str,
    most: usize,
    item: PhantomData<T>,
}

impl<T> AtMost<T> {
    fn new(what: &'static str, most: usize) -> AtMost<T> {
        AtMost { what, most, item: PhantomData }
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for AtMost<T> {
    type Value = Vec<T>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "a list of at most {} {}", self.most, self.what)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Vec<T>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = from.next_element()? {
            if items.len() == self.most {
                return Err(A::Error::custom(format!("more than {} {}", self.most, self.what)));
            }
            items.push(item);
        }
        Ok(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Factor, RunSweep, testing};

    /// A plan of this many contenders in ten rounds.
    fn plan(contenders: usize) -> Plan {
        let contender = |number| testing::contender(&format!("c{number}"));
        testing::plan((0..contenders).map(contender).collect(), 10)
    }

    fn refused(contenders: usize, change: impl FnOnce(&mut Plan)) -> Option<String> {
        let mut plan = plan(contenders);
        change(&mut plan);
        plan.check_size().err().map(|why| why.to_string())
    }

    fn sweep(values: &[f64]) -> Option<RunSweep> {
        let targets = vec!["old".to_owned(), "new".to_owned()];
        Some(RunSweep { factor: Factor::Connections, values: values.to_vec(), targets })
    }

    #[test]
    fn a_sweep_has_values_and_as_many_load_points_or_none() {
        let of = |contenders, values: &[f64], points: &[&str]| {
            refused(contenders, |plan| {
                plan.sweep = sweep(values);
                plan.question.load_points = points.iter().map(|at| (*at).to_owned()).collect();
            })
        };
        assert_eq!(of(4, &[1.0, 8.0], &["connections-1", "connections-8"]), None);
        assert_eq!(of(4, &[1.0, 8.0], &[]), None);
        assert_eq!(of(0, &[], &[]).as_deref(), Some("a sweep without a value"));
        let other = of(4, &[1.0], &["connections-1"]);
        assert_eq!(
            other.as_deref(),
            Some("4 contenders, but its sweep is about a different number")
        );
        let other = of(4, &[1.0, 8.0], &["connections-1"]);
        let wanted = "a sweep of 2 values, but its question is about a different number";
        assert_eq!(other.as_deref(), Some(wanted));
        let without =
            refused(4, |plan| plan.question.load_points = vec!["connections-1".to_owned()]);
        assert!(without.is_some_and(|why| why.starts_with("a sweep of 0 values")));
    }

    #[test]
    fn contenders_are_limited_with_and_without_a_sweep() {
        let too_many = Some("66 contenders; at most 64 are supported".to_owned());
        let values: Vec<f64> = (1..=33).map(f64::from).collect();
        assert_eq!(refused(66, |_| {}), too_many);
        assert_eq!(refused(66, |plan| plan.sweep = sweep(&values)), too_many);
        assert_eq!(refused(64, |plan| plan.sweep = sweep(&values[..32])), None);
    }

    #[test]
    fn each_round_has_its_contenders_or_none_has() {
        let of = |blocks: usize| refused(3, |plan| plan.question.blocks = vec![vec![0, 1]; blocks]);
        assert_eq!([of(0), of(10)], [None, None]);
        assert_eq!(of(9).as_deref(), Some("10 rounds, but the contenders of 9"));
        assert_eq!(of(11).as_deref(), Some("10 rounds, but the contenders of 11"));
        let of_launches = |blocks: usize| {
            refused(3, |plan| {
                (plan.question.restarts, plan.question.blocks) = (5, vec![vec![0, 1]; blocks]);
            })
        };
        assert_eq!(of_launches(5), None);
        assert!(of_launches(10).is_some());
    }

    #[test]
    fn capacities_have_few_rounds() {
        let of = |metric, rounds| {
            refused(2, |plan| {
                (plan.rounds, plan.question.rounds, plan.question.primary) =
                    (rounds, rounds, metric);
            })
        };
        assert_eq!(of(Metric::Capacity, 100), None);
        let wanted = "101 rounds; at most 100 are supported";
        assert_eq!(of(Metric::Capacity, 101).as_deref(), Some(wanted));
        assert_eq!(of(Metric::Throughput, 10_000), None);
        assert!(of(Metric::Throughput, 10_001).is_some());
        let only_question = refused(2, |plan| plan.question.rounds = 10_001);
        assert!(only_question.is_some());
    }
}
