//! Targets that stopped answering.

use record::{FaultOwner, Phase, Plan, TrialRecord};

/// For how long each contender has got no reply, in nanoseconds of all rounds. A round with a reply begins it
/// anew.
pub(super) struct Silence {
    each_ns: Vec<u64>,
}

impl Silence {
    pub(super) fn new(plan: &Plan) -> Silence {
        Silence { each_ns: vec![0; plan.contenders.len()] }
    }

    /// Adds a trial. Returns what to report if no operation of it got a complete reply although tiebreak itself
    /// did not fail: the target died or no longer works.
    ///
    /// Operations of earlier trials, whose connections were left waiting, do not show that: all connections may
    /// wait for the whole of a short round. They do once there was no reply for as long as an operation may take.
    ///
    /// A run of a suite that fails shows only that its cases have failed.
    pub(super) fn add(&mut self, plan: &Plan, trial: &TrialRecord) -> Option<String> {
        if plan.question.is_suite {
            return None;
        }
        let (contender, silent_ns) = (trial.contender as usize, self.note(trial));
        let outcomes = &trial.seen.outcomes;
        let failed = outcomes.count(FaultOwner::Target) + outcomes.count(FaultOwner::Host);
        let began_here: u64 = trial.seen.slices.iter().map(|slice| slice.operations).sum();
        let is_long = silent_ns >= trial.lane_order.timeout_ns;
        if silent_ns == 0 || failed == 0 || (began_here == 0 && !is_long) {
            return None;
        }
        let kinds = outcomes.failed.iter().map(|(kind, count)| format!("{count} {}", kind.name()));
        let faults = trial.seen.reasons.faults.iter();
        let why = faults.max_by_key(|(_, times)| **times).map(|(text, _)| format!(": {text}"));
        let contender = plan.contenders.get(contender)?;
        let when = match trial.phase {
            Phase::Round if plan.rounds > 1 => format!("round {}", trial.round),
            Phase::Round => "the run".to_owned(),
            _ => "the pilot".to_owned(),
        };
        Some(format!(
            "`{}` ({}) stopped answering: no operation in {when} got a reply ({}){}",
            contender.name,
            contender.target,
            kinds.collect::<Vec<_>>().join(", "),
            why.unwrap_or_default()
        ))
    }

    /// Returns for how long the contender of this trial has got no reply. 0 if it got one in it, or if the
    /// trial does not show that.
    fn note(&mut self, trial: &TrialRecord) -> u64 {
        let judged = matches!(trial.phase, Phase::Pilot | Phase::Round) && !trial.cut_short;
        if !judged || trial.seen.outcomes.count(FaultOwner::Generator) > 0 {
            return 0;
        }
        let round_ns = trial.driven_ns().saturating_mul(self.each_ns.len() as u64).max(1);
        let Some(silent_ns) = self.each_ns.get_mut(trial.contender as usize) else { return 0 };
        let has_replies = trial.seen.codes.values().any(|count| *count > 0);
        *silent_ns = if has_replies { 0 } else { silent_ns.saturating_add(round_ns) };
        *silent_ns
    }
}
