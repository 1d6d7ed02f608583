//! The search itself, step by step.

use super::naming::{Look, Naming};
use super::weights::Weights;
use super::{ATTEMPTS, Answer, Difference, LOOKS, Place, Probe, Purpose, Step, WHOLE_LEVEL};
use crate::random::Random;
use crate::stats::paired_t::standard_deviation;
use std::ops::Range;

/// How much the noise of a unit is taken to be above what the first comparison showed.
const CAUTIOUS: f64 = 1.15;

/// What a search is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How many commits may have made the difference, at least 1: those after GOOD up to BAD.
    pub commits: usize,
    /// The smallest difference that matters, as a share.
    pub matters: f64,
    /// Draws whether a commit is compared with GOOD or with BAD.
    pub seed: u64,
    /// Fresh comparisons that a search around this one has spent: all of them together keep the level.
    pub spent: usize,
}

/// A search over commits.
#[derive(Clone, Debug)]
pub struct Search {
    settings: Settings,
    weights: Weights,
    coins: Random,
    /// GOOD with BAD, by unit.
    whole: Vec<f64>,
    /// What GOOD and BAD showed. None before it is plain.
    effect: Option<Effect>,
    /// The commit that is probed, and with which end.
    at: Option<(Place, Place)>,
    /// Units of the search so far.
    units: usize,
    naming: Naming,
    /// Fresh comparisons that have ended, with those spent before.
    attempts: usize,
    answer: Option<Answer>,
}

#[derive(Clone, Copy, Debug)]
struct Effect {
    whole: Difference,
    /// The noise of a unit, as standard deviation.
    noise: f64,
}

impl Search {
    /// A search in which nothing has been measured.
    pub fn new(settings: Settings) -> Search {
        Search {
            settings,
            weights: Weights::equal(settings.commits),
            coins: Random(settings.seed),
            whole: Vec::new(),
            effect: None,
            at: None,
            units: 0,
            naming: Naming::default(),
            attempts: settings.spent,
            answer: None,
        }
    }

    /// The next step. It stays the same until [`Search::observe`] or [`Search::unusable`] is called.
    pub fn step(&self) -> Step {
        if let Some(answer) = &self.answer {
            return Step::Done(answer.clone());
        }
        let last = self.settings.commits;
        let probe =
            |places: Vec<Place>, units, purpose| Step::Measure(Probe { places, units, purpose });
        if self.effect.is_none() {
            let units = until_the_next_look(self.whole.len());
            return probe(vec![0, last], units, Purpose::Whole);
        }
        match self.at {
            Some((commit, end)) => {
                probe(vec![commit.min(end), commit.max(end)], 1, Purpose::Side(commit))
            }
            None => {
                let (parent, commit) = self.candidate();
                let mut places = vec![0, parent, commit, last];
                places.dedup();
                let units = until_the_next_look(self.naming.commit.len());
                let attempt = self.attempts + 1;
                probe(places, units, Purpose::Naming { parent, commit, attempt })
            }
        }
    }

    /// Takes the measured differences: for each place of the probe but its first, in order, the logarithm of its
    /// cost over that of the first place, by unit.
    pub fn observe(&mut self, differences: &[Vec<f64>]) {
        let Step::Measure(probe) = self.step() else { return };
        match probe.purpose {
            Purpose::Whole => self.observe_whole(&differences[0]),
            Purpose::Side(commit) => {
                for d in &differences[0] {
                    self.observe_side(commit, probe.places[0] == 0, *d);
                }
                self.choose();
            }
            Purpose::Naming { parent, commit, attempt } => {
                self.observe_parts(&probe, [parent, commit], differences);
                self.look(parent + 1..commit + 1, attempt);
            }
        }
    }

    /// Takes that the commit at this place cannot be measured because it does not build or start. GOOD and BAD must
    /// be measured.
    pub fn unusable(&mut self, place: Place) {
        self.weights.unusable(place);
        if self.effect.is_some() && self.answer.is_none() {
            // What a fresh comparison has begun with another parent cannot go on. It has had looks, so it counts.
            let begun = std::mem::take(&mut self.naming);
            self.attempts += usize::from(!begun.commit.is_empty());
            self.choose();
        }
    }

    /// The commits in which the difference probably is, and their weight: how far the search has come.
    pub fn bracket(&self) -> (Range<Place>, f64) {
        self.weights.shortest()
    }

    /// What GOOD and BAD showed, once that is plain.
    pub fn whole(&self) -> Option<Difference> {
        self.effect.map(|effect| effect.whole)
    }

    /// How many fresh comparisons have ended, with those spent before.
    pub fn spent(&self) -> usize {
        self.attempts
    }

    /// Whether so many fresh comparisons are allowed that one is left.
    pub fn can_name(&self) -> bool {
        self.attempts < ATTEMPTS
    }

    fn observe_whole(&mut self, differences: &[f64]) {
        self.whole.extend(differences);
        let Some(whole) = Difference::of(&self.whole, WHOLE_LEVEL) else { return };
        if whole.high < self.settings.matters.ln_1p() {
            self.answer = Some(Answer::NoRegression(whole));
        } else if whole.low > 0.0 {
            // A noise far below the effect changes nothing, because steps are cut; 0 could not be divided by.
            let spread = standard_deviation(&self.whole).unwrap_or_default();
            let noise = (CAUTIOUS * spread).max(whole.estimate / 1000.0);
            self.effect = Some(Effect { whole, noise });
            self.choose();
        } else if self.whole.len() >= LOOKS[LOOKS.len() - 1] {
            self.answer = Some(Answer::Undecided(whole));
        }
    }

    fn observe_side(&mut self, commit: Place, is_with_good: bool, d: f64) {
        let Some(effect) = self.effect else { return };
        let half = effect.whole.estimate / 2.0;
        let u = if is_with_good { d - half } else { half - d };
        self.weights.add(1..commit + 1, effect.step(u));
        self.units += 1;
    }

    /// Adds the units of a fresh comparison. What is measured against the first place, GOOD, becomes the three parts.
    fn observe_parts(
        &mut self,
        probe: &Probe,
        [parent, commit]: [Place; 2],
        differences: &[Vec<f64>],
    ) {
        let of = |place: Place, unit: usize| match probe.places.iter().position(|at| *at == place) {
            None | Some(0) => 0.0,
            Some(at) => differences[at - 1][unit],
        };
        let last = self.settings.commits;
        for unit in 0..differences[0].len() {
            let [of_parent, of_commit, of_last] = [parent, commit, last].map(|at| of(at, unit));
            self.naming.commit.push(of_commit - of_parent);
            if parent > 0 {
                self.naming.before.push(of_parent);
            }
            if commit < last {
                self.naming.after.push(of_last - of_commit);
            }
        }
    }

    fn look(&mut self, commits: Range<Place>, attempt: usize) {
        let Some(effect) = self.effect else { return };
        let look = self.naming.look(attempt, effect.whole.estimate);
        self.attempts += usize::from(look != Look::GoOn);
        match look {
            Look::GoOn => {}
            Look::Named(parts) => self.answer = Some(Answer::Named { commits, parts }),
            Look::Spread(parts) => self.answer = Some(Answer::Spread { commits, parts }),
            Look::Refuted => {
                self.learn_from_refusal(&commits, effect);
                self.choose();
            }
        }
    }

    /// All three parts of a fresh comparison go into the weights.
    fn learn_from_refusal(&mut self, commits: &Range<Place>, effect: Effect) {
        let Naming { before, commit, after } = std::mem::take(&mut self.naming);
        let half = effect.whole.estimate / 2.0;
        for d in before {
            self.weights.add(1..commits.start, effect.step(d - half));
        }
        for d in commit {
            self.weights.add(commits.clone(), effect.step(d - half));
        }
        for d in after {
            self.weights.add(1..commits.end, effect.step(half - d));
        }
    }

    /// Chooses what follows: the same commit as before, another one, a fresh comparison or the end.
    fn choose(&mut self) {
        let Some(effect) = self.effect else { return };
        let is_found = self.weights.found().is_some();
        let can_go_on = self.can_name();
        if is_found && can_go_on {
            self.at = None;
            return;
        }
        let before = self.at.map(|(commit, _)| commit);
        let stays =
            before.filter(|at| self.weights.is_usable(*at) && !self.weights.is_on_a_side(*at));
        let next = stays.or_else(|| self.weights.middle());
        match next.filter(|_| can_go_on && self.units < most_units(self.settings.commits)) {
            Some(commit) => {
                let is_with_good = self.coins.uniform() < 0.5;
                self.at = Some((commit, if is_with_good { 0 } else { self.settings.commits }));
            }
            None => {
                let (commits, weight) = self.weights.shortest();
                self.answer = Some(Answer::Between { commits, weight, whole: effect.whole });
            }
        }
    }

    /// The parent and the commit of a fresh comparison.
    fn candidate(&self) -> (Place, Place) {
        let found =
            self.weights.found().expect("a fresh comparison follows only when one is found");
        (found.start - 1, found.end - 1)
    }
}

impl Effect {
    /// The logarithm of how much more probable `u` is if it is around θ/2 than if it is around −θ/2, for normal noise.
    fn step(self, u: f64) -> f64 {
        self.whole.estimate * u / (self.noise * self.noise)
    }
}

/// The most units that a search over so many commits takes, without the first and the fresh comparisons.
pub fn most_units(commits: usize) -> usize {
    40 + 20 * commits.next_power_of_two().ilog2() as usize
}

/// How many units are left to the next look.
fn until_the_next_look(units: usize) -> usize {
    LOOKS.into_iter().find(|look| *look > units).map_or(0, |look| look - units)
}
