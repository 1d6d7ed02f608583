//! What the audit and the comparisons look at: the record of a run, added up
//! so far that it does not grow with the number of operations.

mod driven;
mod target;
mod timeline;
mod trial;

use crate::compare::Draft;
use record::{Arrivals, End, Interleave, PilotChoice, Question};

pub(crate) use driven::Driven;
pub(crate) use timeline::Timeline;
pub(crate) use trial::Trial;

/// The record of one run, added up. Every audit rule is a function of it.
#[derive(Debug)]
pub struct Evidence {
    pub(crate) question: Question,
    /// By number, as in the question.
    pub(crate) contenders: Vec<Driven>,
    pub(crate) pilot: Option<PilotChoice>,
    pub(crate) end: Option<End>,
    /// Rounds in which every contender was driven to the end.
    pub(crate) complete_rounds: u32,
    /// The comparisons as they stand before the audit.
    pub(crate) drafts: Vec<Draft>,
}

impl Evidence {
    pub(crate) fn new(question: &Question) -> Self {
        Evidence {
            question: question.clone(),
            contenders: question.names.iter().map(|_| Driven::default()).collect(),
            pilot: None,
            end: None,
            complete_rounds: 0,
            drafts: Vec::new(),
        }
    }

    /// Name and what was seen of each contender.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&str, &Driven)> {
        self.question.names.iter().map(String::as_str).zip(&self.contenders)
    }

    pub(crate) fn name(&self, contender: u32) -> &str {
        self.question.names.get(contender as usize).map_or("", String::as_str)
    }

    /// `run`: one contender, nothing to compare.
    pub(crate) fn single(&self) -> bool {
        self.question.names.len() == 1
    }

    /// Contenders took turns in slices, not once a round.
    pub(crate) fn braided(&self) -> bool {
        !self.single()
            && match &self.pilot {
                Some(choice) => choice.interleave == Interleave::Slices,
                None => self.contenders.iter().any(|driven| driven.most_slices > 1),
            }
    }

    /// Whether the CPU of the contender's target is in sight.
    pub(crate) fn cpu_in_sight(&self, contender: usize) -> bool {
        self.question.cpu_in_sight.get(contender).copied().unwrap_or(false)
    }

    /// Share of its time that the generator's threads were idle while they
    /// drove the contender.
    pub(crate) fn generator_idle(&self, contender: usize) -> Option<f64> {
        let driven = self.contenders.get(contender)?;
        let available = driven.took_ns as f64 * f64::from(self.question.workers.max(1));
        (available > 0.0).then(|| (1.0 - driven.generator_cpu_ns as f64 / available).max(0.0))
    }
}

impl Driven {
    /// The rate asked for; none in closed loop, or where nothing was asked.
    pub(crate) fn rate(&self) -> Option<f64> {
        self.asked.first()?.arrivals.rate()
    }

    /// Driven in closed loop.
    pub(crate) fn closed(&self) -> bool {
        self.asked.first().is_some_and(|asked| asked.arrivals == Arrivals::Closed)
    }
}
