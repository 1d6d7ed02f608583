//! What the words of a comparison may be about: the programs, or these launches of them.

use crate::cost;
use crate::draft::Draft;
use crate::evidence::Evidence;
use crate::verdict::Scope;
use record::Pair;

/// Sets the scope of each comparison, and which of its sides are launches.
pub(crate) fn set(evidence: &Evidence, drafts: &mut [Draft]) {
    let several = several_launches(evidence, drafts);
    for Draft { pair, comparison, .. } in drafts {
        let Pair { a, b } = *pair;
        comparison.scope = scope(several || evidence.starts_anew(a) && evidence.starts_anew(b));
        let apart = comparison.scope == Scope::Launches && !is_one_process(evidence, *pair);
        comparison.launch_of_a = apart && has_launches(evidence, a);
        comparison.launch_of_b = apart && has_launches(evidence, b);
    }
}

/// What the whole run is about: the programs if every comparison is, or, without a comparison, if every
/// turn started anew.
pub(crate) fn of_run(evidence: &Evidence) -> Scope {
    let mut contenders = 0..evidence.contenders.len() as u32;
    scope(match evidence.drafts.as_slice() {
        [] => contenders.all(|contender| evidence.starts_anew(contender)),
        drafts => drafts.iter().all(|draft| draft.comparison.scope == Scope::Programs),
    })
}

/// Whether the launch is the replicate, and there are several of them.
fn several_launches(evidence: &Evidence, drafts: &[Draft]) -> bool {
    let mut drafts = drafts.iter();
    evidence.rounds_of_a_launch().is_some() && drafts.any(|draft| draft.comparison.replicates > 1)
}

fn scope(of_programs: bool) -> Scope {
    if of_programs { Scope::Programs } else { Scope::Launches }
}

/// Whether a contender is a process that another launch could differ from: not a program that starts in
/// every turn, and not files, which the generator reads itself.
fn has_launches(evidence: &Evidence, contender: u32) -> bool {
    let question = evidence.contender_question(contender as usize);
    !evidence.starts_anew(contender) && question.is_some_and(|of| !of.done_by_generator)
}

/// Whether both contenders are driven at one process, so that both have the same launch: their targets are
/// known to share a process, or have the same address and host.
fn is_one_process(evidence: &Evidence, pair: Pair) -> bool {
    let shared = cost::shared(&evidence.question.sharing, pair.a as usize, pair.b as usize);
    shared || evidence.is_one_target(pair)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::SampleRun;

    /// The scope of the run and of its first comparison, and which sides are launches.
    fn scopes(run: &SampleRun) -> (Scope, Scope, [bool; 2]) {
        let verdict = run.verdict();
        let first = &verdict.comparisons()[0];
        (verdict.scope(), first.scope, [first.launch_of_a, first.launch_of_b])
    }

    const PROGRAMS: (Scope, Scope, [bool; 2]) = (Scope::Programs, Scope::Programs, [false, false]);

    fn launches(of_a: bool, of_b: bool) -> (Scope, Scope, [bool; 2]) {
        (Scope::Launches, Scope::Launches, [of_a, of_b])
    }

    #[test]
    fn one_launch_each_is_about_these_launches() {
        assert_eq!(scopes(&SampleRun::compare(10)), launches(true, true));
    }

    #[test]
    fn several_complete_launches_are_about_the_programs() {
        let run = SampleRun::compare(20).with_restarts(10);
        assert_eq!(scopes(&run), PROGRAMS);
        assert_eq!(scopes(&run.after(4)), PROGRAMS);
        // The second launch is not complete.
        assert_eq!(scopes(&run.after(3)), launches(true, true));
    }

    #[test]
    fn a_metric_without_a_figure_has_the_scope_of_the_others() {
        let mut run = SampleRun::compare(20).with_restarts(10);
        run.question.secondary = vec![record::Metric::TargetCpu];
        let verdict = run.verdict();
        let cpu = &verdict.comparisons()[1];
        assert_eq!((cpu.replicates, cpu.scope), (0, Scope::Programs));
    }

    #[test]
    fn programs_that_start_in_every_turn_have_no_launch() {
        let mut run = SampleRun::compare(10);
        run.each_seen("a", |_, seen| seen.programs.runs = 1);
        assert_eq!(scopes(&run), launches(false, true), "b is a server");
        run.each_seen("b", |_, seen| seen.programs.runs = 1);
        assert_eq!(scopes(&run), PROGRAMS);
        let mut with_servers = run.judge();
        with_servers.target(&record::TargetReady { launch: 1, ..Default::default() });
        let verdict = with_servers.verdict();
        assert_eq!(verdict.scope(), Scope::Launches);
        assert!(verdict.comparisons()[0].launch_of_a && !verdict.comparisons()[0].launch_of_b);
    }

    #[test]
    fn two_addresses_of_one_process_have_one_launch() {
        let mut shared = SampleRun::compare(10);
        shared.question.sharing = vec![vec![0, 1]];
        assert_eq!(scopes(&shared), launches(false, false));
        let mut one_target = SampleRun::of(&["a", "b", "c"], 10);
        one_target.question.one_target = vec![vec![0, 1]];
        assert_eq!(scopes(&one_target), launches(false, false));
        let verdict = one_target.verdict();
        let other = &verdict.comparisons()[1];
        assert!(other.launch_of_a && other.launch_of_b, "c is another process");
    }

    #[test]
    fn files_are_no_process() {
        let mut run = SampleRun::compare(10);
        run.question.contenders[1].done_by_generator = true;
        assert_eq!(scopes(&run), launches(true, false));
    }

    #[test]
    fn a_run_without_comparisons_has_a_scope_too() {
        let mut alone = SampleRun::single();
        alone.question.pairs.clear();
        assert_eq!(alone.verdict().scope(), Scope::Launches);
        alone.each_seen("a", |_, seen| seen.programs.runs = 1);
        assert_eq!(alone.verdict().scope(), Scope::Programs);
    }
}
