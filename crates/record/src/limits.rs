//! How large the plan of a run can be. Whoever makes a plan keeps to this, and a journal
//! whose plan goes beyond was not written by tiebreak: what is judged grows with the
//! product of some of these numbers, so a short journal could fill the memory.

use crate::{Metric, Plan, Question};

/// Most contenders of one comparison.
pub const MOST_CONTENDERS: usize = 16;
/// Most rounds.
pub const MOST_ROUNDS: u32 = 10_000;
/// Most groups of operations.
pub const MOST_GROUPS: usize = 8;
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
        if contenders != self.question.names.len() {
            return Err(format!("{contenders} contenders and other names"));
        }
        let most = |what: &str, count: usize, most: usize| match count > most {
            true => Err(format!("{count} {what}, and {most} are the most")),
            false => Ok(()),
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
        let lists = [&self.sharing, &self.target_cores];
        lists.iter().try_for_each(|list| most("lists of cores", list.len(), contenders))?;
        let longest = |lists: &[Vec<u32>]| lists.iter().map(Vec::len).max().unwrap_or(0);
        most("processes shared", longest(&self.sharing), contenders)?;
        most("cores", longest(&self.target_cores), MOST_CORES)
    }
}
