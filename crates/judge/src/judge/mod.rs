//! Takes in the record of a run, trial by trial, and judges it.

mod capacities;
mod load_points;

use crate::{
    audit, capacity_run::CapacityRun, compare, evidence::CaseFigures, evidence::Evidence, rank,
    suite, summary, verdict::Comparison, verdict::Finding, verdict::Verdict, verdict::Weight,
    verdict::Word,
};
use capacities::Turns;
use record::{
    Cases, End, Loaded, Metric, OwnCost, Pair, Phase, PilotChoice, Question, SecondStage, Seen,
    StoreReport, TargetDone, TargetReady, TrialRecord, Withdrawn,
};

/// Judges one run. Pass it the contents of the journal, in the journal's order, then request the
/// verdict: the same record always gives the same verdict.
///
/// A round counts when every contender that it is to hold has a trial in it and none was cut short. One that left a
/// ranking is not waited for.
/// A round that is still open when another begins stays incomplete. With one
/// contender (`run`) there is nothing to pair, and a trial that was cut short
/// counts for the figures.
#[derive(Debug)]
pub struct Judge {
    evidence: Evidence,
    open: Option<OpenRound>,
    /// The turns of a run that seeks capacities.
    turns: Option<Turns>,
}

/// A round that may receive more trials.
#[derive(Clone, Debug)]
struct OpenRound {
    round: u32,
    /// What was recorded of each contender, merged, and whether it was cut short.
    trials: Vec<Option<(Seen, bool)>>,
}

impl Judge {
    /// A judge of this question without any record yet.
    pub fn new(question: &Question) -> Judge {
        let turns = question.seeks_capacity().then(Turns::default);
        Judge { evidence: Evidence::new(question), open: None, turns }
    }

    /// Records the choice of the pilot.
    pub fn pilot(&mut self, choice: &PilotChoice) {
        let question = self.evidence.question.clone();
        self.evidence.question = question.with_choice(choice);
        self.evidence.pilot = Some(choice.clone());
        if let Some(turns) = &mut self.turns {
            turns.run = Some(CapacityRun::new(&self.evidence.question, choice));
        }
    }

    /// Records the cases of a suite, and the replicates that follow from their number.
    pub fn cases(&mut self, cases: &Cases) {
        let question = self.evidence.question.clone();
        self.evidence.question = question.with_replicates(cases.replicates);
        let contenders = self.evidence.contenders.len();
        self.evidence.cases = CaseFigures::new(cases, contenders);
    }

    /// Records how many replicates the first stage asked for.
    pub fn second_stage(&mut self, stage: &SecondStage) {
        let question = self.evidence.question.clone();
        self.evidence.question = question.with_replicates(stage.replicates);
    }

    /// Records that a target is ready, for the first time or after a fresh launch.
    pub fn target(&mut self, ready: &TargetReady) {
        if let Some(driven) = self.evidence.contenders.get_mut(ready.contender as usize) {
            driven.sent.ready += ready.ready_requests;
            driven.target.ready(ready);
        }
    }

    /// Records the own cost of a contender's lane, as an earlier run measured it.
    pub fn own_cost(&mut self, kept: &OwnCost) {
        if let Some(driven) = self.evidence.contenders.get_mut(kept.contender as usize) {
            driven.kept_cost = Some(kept.clone());
        }
    }

    /// Records a report of a store about itself.
    pub fn store(&mut self, report: &StoreReport) {
        if let Some(driven) = self.evidence.contenders.get_mut(report.contender as usize) {
            driven.stored.add(report);
        }
    }

    /// Records the result of loading a store.
    pub fn loaded(&mut self, loaded: &Loaded) {
        if let Some(driven) = self.evidence.contenders.get_mut(loaded.contender as usize) {
            driven.stored.loaded(loaded);
        }
    }

    /// Records what is known about a target after it was driven for the last time.
    pub fn target_done(&mut self, done: &TargetDone) {
        if let Some(driven) = self.evidence.contenders.get_mut(done.contender as usize) {
            driven.target.done(done);
            driven.peaks.insert(done.launch, done.peak_memory_bytes);
        }
    }

    /// Whether a run with looks may end. With `--until-decided`: at one of the looks so far, every
    /// primary comparison got a word, or it was withheld for a reason that no further round
    /// changes. With short rounds the answer at the last look must also be plain. Returns false for a run of
    /// a fixed length, which goes on to its last round.
    ///
    /// Rounds between two looks change nothing. A round counts as soon as all of its trials were
    /// added. The verdict decides whether a run is void.
    pub fn decided(&self) -> bool {
        let at_a_look = self.evidence.question.is_at_a_look(self.evidence.complete_rounds + 1);
        match self.open.as_ref().filter(|open| at_a_look && open.is_complete(&self.evidence)) {
            None => compare::decided(&self.evidence),
            Some(_) => compare::decided(&self.so_far()),
        }
    }

    /// All comparisons of the rounds so far, before the audit.
    pub fn comparisons_so_far(&self) -> Vec<Comparison> {
        compare::drafts(&self.so_far()).into_iter().map(|draft| draft.comparison).collect()
    }

    /// ln(b/a) of a pair's metric, or of what a case costs, in each replicate of the rounds so far, in order: what a
    /// search over commits learns from a run, however the run itself is judged.
    ///
    /// # Errors
    /// If a replicate lacks a figure, or there is none; the message says why.
    pub fn differences(
        &self,
        pair: Pair,
        metric: Metric,
        case: Option<&str>,
    ) -> Result<Vec<f64>, String> {
        compare::differences(&self.so_far(), pair, metric, case)
    }

    /// What the first stage of a run of two stages shows; of a run of another length: what its planned
    /// replicates see. Returns None if no pair has differences.
    pub fn stage(&self) -> Option<SecondStage> {
        compare::second_stage(&self.so_far())
    }

    /// The evidence with the last round. It is a copy, which takes milliseconds to make, because more trials
    /// may follow.
    fn so_far(&self) -> Evidence {
        let mut evidence = self.evidence.clone();
        if let Some(open) = self.open.clone().filter(|open| open.is_complete(&self.evidence)) {
            open.close(&mut evidence);
        }
        evidence
    }

    /// Adds one trial, of any phase. Records of the same contender in the same round are parts of
    /// one trial, in any order. A contender that is not in the question is ignored.
    pub fn add(&mut self, record: &TrialRecord) {
        let Some(driven) = self.evidence.contenders.get_mut(record.contender as usize) else {
            return;
        };
        if self.turns.as_mut().is_some_and(|turns| turns.add(record)) {
            return;
        }
        driven.count(record);
        if record.phase != Phase::Round {
            return;
        }
        if self.open.as_ref().is_some_and(|open| open.round != record.round) {
            self.close_round();
        }
        let contenders = self.evidence.contenders.len();
        let open = self.open.get_or_insert_with(|| OpenRound {
            round: record.round,
            trials: vec![None; contenders],
        });
        match &mut open.trials[record.contender as usize] {
            Some((seen, cut_short)) => {
                seen.merge(&record.seen);
                *cut_short |= record.cut_short;
            }
            empty => *empty = Some((record.seen.clone(), record.cut_short)),
        }
    }

    /// Records that a contender left a ranking. The first time counts, and the last reason.
    pub fn withdrawn(&mut self, of: &Withdrawn) {
        let known = &mut self.evidence.withdrawn;
        match known.iter_mut().find(|known| known.contender == of.contender) {
            Some(known) => known.why.clone_from(&of.why),
            None => known.push(of.clone()),
        }
    }

    /// Records how the run ended.
    pub fn end(&mut self, end: &End) {
        self.evidence.end = Some(end.clone());
    }

    /// Statistics, audit and verdict.
    pub fn verdict(self) -> Verdict {
        let mut evidence = self.into_evidence();
        evidence.drafts = compare::drafts(&evidence);
        evidence.control = compare::control(&evidence);
        evidence.means = compare::means(&evidence);
        let contenders = summary::contenders(&evidence);
        let gate = summary::gate(&evidence);
        let mut comparisons: Vec<_> =
            evidence.drafts.iter().map(|draft| draft.comparison.clone()).collect();
        evidence.forget_withdrawn();
        let mut findings = audit::findings(&evidence);
        let (is_ranked, primary) = (evidence.question.is_ranked, evidence.question.primary);
        let not_ranked = if is_ranked {
            rank::refused(&mut findings, evidence.contenders.len())
        } else {
            Vec::new()
        };
        let scope = compare::scope_of_run(&evidence);
        let load_points = load_points::of(&evidence.question, &comparisons, &findings);
        let of_run = refusal(&findings).filter(|_| load_points.is_empty());
        for comparison in &mut comparisons {
            let sides = [&comparison.a, &comparison.b];
            let of_side = not_ranked.iter().find(|of| sides.contains(&&of.name));
            let of_side = of_side.map(|of| format!("{} is not ranked: {}", of.name, of.rule));
            let mut of_sides = load_points.iter().filter(|point| {
                contenders[point.contenders.clone()].iter().any(|of| sides.contains(&&of.name))
            });
            let of_point = of_sides.find_map(|point| refusal(&point.findings));
            if let Some(why) = of_run.clone().or(of_side).or(of_point) {
                refuse(comparison, why);
            }
        }
        let ranking =
            is_ranked.then(|| rank::ranking(primary, &contenders, &comparisons, not_ranked));
        let suite = suite::of(&evidence, &comparisons);
        Verdict {
            contenders,
            comparisons,
            findings,
            complete_rounds: evidence.complete_rounds,
            rules_checked: audit::rules(evidence.question.is_suite).count() as u32,
            gate,
            scope,
            ranking,
            load_points,
            suite,
        }
    }

    /// All rounds, with the last one.
    pub(crate) fn into_evidence(mut self) -> Evidence {
        self.close_round();
        if let Some(turns) = self.turns.take() {
            turns.close(&mut self.evidence);
        }
        self.evidence
    }

    fn close_round(&mut self) {
        if let Some(open) = self.open.take() {
            open.close(&mut self.evidence);
        }
    }
}

impl OpenRound {
    /// Whether every contender that the round is to hold has a whole trial.
    fn is_complete(&self, evidence: &Evidence) -> bool {
        let is_whole = |(number, trial): (u32, &Option<(Seen, bool)>)| {
            let is_held = evidence.question.holds(self.round, number) && !evidence.has_left(number);
            matches!(trial, Some((_, false))) || !is_held && trial.is_none()
        };
        // Of one target, a round may hold one load point.
        let is_alone = evidence.question.has_load_points_apart() && evidence.question.width() == 1;
        let fewest = if is_alone || evidence.single() { 1 } else { 2 };
        let driven = self.trials.iter().flatten().count();
        driven >= fewest && (0..).zip(&self.trials).all(is_whole)
    }

    fn close(self, evidence: &mut Evidence) {
        let complete = self.is_complete(evidence);
        evidence.complete_rounds += u32::from(complete);
        let mut judged = Vec::with_capacity(self.trials.len());
        for (trial, driven) in self.trials.into_iter().zip(&mut evidence.contenders) {
            let seen = trial.map(|(mut seen, cut_short)| {
                if cut_short {
                    end_sending_with_the_trial(&mut seen);
                }
                driven.count_connections(&seen);
                seen
            });
            judged.push(seen);
        }
        if complete || evidence.single() {
            evidence.judge_round(self.round, judged);
        }
    }
}

/// A slice that was cut short was planned to send for longer than it did.
fn end_sending_with_the_trial(seen: &mut Seen) {
    for slice in &mut seen.slices {
        slice.sending_ns = slice.sending_ns.min(slice.took_ns);
    }
    seen.groups.iter_mut().chain(&mut seen.requests).for_each(end_sending_with_the_trial);
}

/// Leaves a comparison its figures without a verdict.
fn refuse(comparison: &mut Comparison, why: String) {
    comparison.verdict = Word::Void;
    comparison.fresh_rounds = None;
    comparison.at_least = false;
    comparison.beyond_generator = None;
    comparison.withheld = None;
    comparison.sees = None;
    comparison.because.push(why);
}

/// Returns why no verdict holds, or None if the audit has no void finding.
fn refusal(findings: &[Finding]) -> Option<String> {
    let mut rules: Vec<&str> = Vec::new();
    for finding in findings.iter().filter(|finding| finding.weight == Weight::Void) {
        if !rules.contains(&finding.rule.as_str()) {
            rules.push(&finding.rule);
        }
    }
    (!rules.is_empty()).then(|| format!("the audit refused: {}", rules.join(", ")))
}

#[cfg(test)]
mod tests;
