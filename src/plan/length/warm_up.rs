//! How long contenders are warmed up, and what is known of it after the first launch of each. Pure; how it
//! is seen that they are warm is in `crates/engine/src/warm_up.rs`.

use crate::plan::Spec;
use crate::plan::contender::access::ContenderAccess;
use crate::plan::contender::local;
use crate::plan::length::launches;
use record::{Contender, Phase, Plan, TrialRecord, WarmUp};
use std::time::Duration;
use text::lists;
use text::units::{nanoseconds, show_ns};

/// The shortest warm-up, and the length of one that no test ends. Node answers at a fifth of its speed for the
/// first 0.7 s, evenly, before its code is compiled (METHOD, "Warm-up").
const LEAST: Duration = Duration::from_secs(1);
/// The longest, in which the first launches find how long later ones are warmed up.
const MOST_OF_FIRST_LAUNCH: Duration = Duration::from_secs(30);
/// The longest where something runs already, and with one launch.
const MOST: Duration = Duration::from_secs(5);

/// Returns the warm-up of a run.
pub(in crate::plan) fn of(
    spec: &Spec,
    contenders: &[Contender],
    accesses: &[ContenderAccess],
) -> WarmUp {
    if let Some(requested) = spec.run.warm_up {
        return WarmUp::fixed(nanoseconds(requested));
    }
    // Each run of a program starts anew, and agents cannot tell each other what they measured.
    if local::any_program(contenders) || spec.agents > 0 {
        return WarmUp::fixed(nanoseconds(LEAST));
    }
    let most = if launches::are_possible(spec, accesses) { MOST_OF_FIRST_LAUNCH } else { MOST };
    WarmUp { least_ns: nanoseconds(LEAST), most_ns: nanoseconds(most) }
}

/// How long the contender that was driven for the longest time was warmed up, and a sentence about it.
/// Returns None if the length was fixed.
pub fn found(plan: &Plan, trials: &[TrialRecord]) -> Option<(u64, String)> {
    let warm_ups = || trials.iter().filter(|trial| trial.phase == Phase::WarmUp);
    if !plan.warm_up().is_by_test() {
        return None;
    }
    let ns = warm_ups().map(TrialRecord::driven_ns).max()?;
    let cold = warm_ups().filter(|trial| trial.levelled == Some(false));
    let name =
        |trial: &TrialRecord| format!("`{}`", plan.contenders[trial.contender as usize].name);
    let cold: Vec<String> = cold.map(name).collect();
    let time = show_ns(ns);
    Some((
        ns,
        match cold.as_slice() {
            [] => format!("warm-up of {time}: every contender had levelled"),
            _ => {
                format!("warm-up of {time}, the longest: {} had not levelled", lists::listed(&cold))
            }
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::example;
    use record::{Seen, Slice};

    const MS: u64 = 1_000_000;

    fn warm_up(change: impl Fn(&mut Spec)) -> (u64, u64) {
        let warm_up = example::plan(change).warm_up();
        (warm_up.least_ns / MS, warm_up.most_ns / MS)
    }

    #[test]
    fn the_most_depends_on_who_launches() {
        let launched = |spec: &mut Spec| {
            spec.contenders = vec!["nginx".to_owned(), "node".to_owned()];
        };
        assert_eq!(warm_up(|_| {}), (1000, 5000));
        assert_eq!(warm_up(launched), (1000, 30_000));
        let one_runs = |spec: &mut Spec| spec.contenders[1] = "node".to_owned();
        assert_eq!(warm_up(one_runs), (1000, 5000));
        let run = |spec: &mut Spec| {
            spec.command = crate::plan::Command::Run;
            spec.contenders = vec!["nginx".to_owned()];
        };
        assert_eq!(warm_up(run), (1000, 5000));
        let program = |spec: &mut Spec| spec.contenders[1] = "b=exec:true".to_owned();
        assert_eq!(warm_up(program), (1000, 1000));
        let given = |spec: &mut Spec| {
            launched(spec);
            spec.run.warm_up = Some(Duration::from_secs(3));
        };
        assert_eq!(warm_up(given), (3000, 3000));
        assert_eq!(warm_up(|spec| spec.run.warm_up = Some(Duration::ZERO)), (0, 0));
    }

    /// The warm-up of each contender: two slices of so many milliseconds.
    fn trials(contenders: [(u64, bool); 2]) -> Vec<TrialRecord> {
        let trial = |(contender, (ms, levelled)): (usize, (u64, bool))| {
            let slice = Slice { sending_ns: ms * MS, took_ns: ms * MS - 1, ..Slice::default() };
            let seen = Seen { slices: vec![slice.clone(), slice], ..Seen::default() };
            let mut trial = example::trial(Phase::WarmUp, contender as u32, seen);
            trial.levelled = Some(levelled);
            trial
        };
        contenders.into_iter().enumerate().map(trial).collect()
    }

    #[test]
    fn the_longest_is_what_later_launches_repeat() {
        let plan = example::plan(|_| {});
        let (ns, why) = found(&plan, &trials([(300, true), (400, true)])).expect("by test");
        assert_eq!(ns, 800 * MS);
        assert_eq!(why, "warm-up of 800 ms: every contender had levelled");
        let later = plan.warm_up_after(Some(ns));
        assert_eq!((later.least_ns, later.most_ns), (800 * MS, 1200 * MS));
        let (_, why) = found(&plan, &trials([(2500, true), (2500, false)])).expect("by test");
        assert_eq!(why, "warm-up of 5 s, the longest: `b` had not levelled");
        let fixed = example::plan(|spec| spec.run.warm_up = Some(Duration::from_secs(2)));
        assert_eq!(found(&fixed, &trials([(1000, true), (1000, true)])), None);
        assert_eq!(fixed.warm_up_after(None), WarmUp::fixed(2000 * MS));
    }
}
