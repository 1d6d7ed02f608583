//! How large the plan of a run can be. Whoever makes a plan keeps to this, and a journal
//! whose plan goes beyond was not written by tiebreak: what is judged grows with the
//! product of some of these numbers, so a short journal could fill the memory.

use crate::{KindSeen, Metric, Plan, Question, Seen};
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// Most contenders of one comparison.
pub const MOST_CONTENDERS: usize = 16;
/// Most rounds.
pub const MOST_ROUNDS: u32 = 10_000;
/// Most groups of operations.
pub const MOST_GROUPS: usize = 8;
/// Most kinds of operation in the mix of a workload, over all its groups.
pub const MOST_KINDS: usize = 256;
/// Most looks of a run that may end early.
const MOST_LOOKS: usize = 16;
/// Most cores of a machine.
const MOST_CORES: usize = 65_536;
/// All metrics that can be compared.
const METRICS: usize = Metric::ALL.len();

impl Plan {
    /// Compares the plan with what a plan can be.
    ///
    /// # Errors
    /// What there is too much of, in words that follow "the plan has".
    pub fn check_size(&self) -> Result<(), String> {
        let contenders = self.contenders.len();
        if contenders != self.question.contenders.len() {
            return Err(format!("{contenders} contenders and a question about others"));
        }
        if self.sweep.as_ref().is_some_and(|sweep| sweep.values.len() != contenders) {
            return Err(format!("{contenders} contenders and a sweep of others"));
        }
        let most = |what: &str, count: usize, most: usize| {
            if count > most {
                Err(format!("{count} {what}, and {most} are the most"))
            } else {
                Ok(())
            }
        };
        most("contenders", contenders, MOST_CONTENDERS)?;
        most("rounds", self.rounds as usize, MOST_ROUNDS as usize)?;
        self.question.check_size(contenders, &most)
    }
}

impl Question {
    fn check_size(
        &self,
        contenders: usize,
        most: &dyn Fn(&str, usize, usize) -> Result<(), String>,
    ) -> Result<(), String> {
        most("rounds", self.rounds as usize, MOST_ROUNDS as usize)?;
        most("restarts", self.restarts as usize, MOST_ROUNDS as usize)?;
        most("looks", self.looks.len(), MOST_LOOKS)?;
        most("pairs", self.pairs.len(), contenders * contenders)?;
        let beyond = |number: &u32| *number as usize >= contenders;
        if self.pairs.iter().any(|pair| beyond(&pair.a) || beyond(&pair.b)) {
            return Err("a pair of contenders that are not there".to_owned());
        }
        most("metrics", self.secondary.len(), METRICS)?;
        most("groups", self.groups.len(), MOST_GROUPS)?;
        self.groups.iter().try_for_each(|group| most("metrics", group.metrics.len(), METRICS))?;
        most("groups that share a process", self.sharing.len(), contenders)?;
        self.sharing
            .iter()
            .try_for_each(|group| most("processes shared", group.len(), contenders))?;
        self.contenders.iter().try_for_each(|of| most("cores", of.target_cores.len(), MOST_CORES))
    }
}

/// Reads what was seen of each group, at most [`MOST_GROUPS`] of them. Each has histograms,
/// which take a hundred times the memory of their text.
///
/// # Errors
/// Returns an error if there are more, or if a group has groups of its own.
pub(crate) fn read_groups<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Seen>, D::Error> {
    let groups: Vec<Seen> = from.deserialize_seq(AtMost::new("groups", MOST_GROUPS))?;
    if groups.iter().all(|group| group.groups.is_empty()) {
        Ok(groups)
    } else {
        Err(D::Error::custom("a group has groups of its own"))
    }
}

/// Reads what was seen of each kind of operation, at most [`MOST_KINDS`] of them.
///
/// # Errors
/// Returns an error if there are more.
pub(crate) fn read_kinds<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<KindSeen>, D::Error> {
    from.deserialize_seq(AtMost::new("kinds of operation", MOST_KINDS))
}

/// Reads a list, and stops at the first item that is too many.
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
        write!(to, "a list of {} {} at most", self.most, self.what)
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
