//! The numbers of lanes in what the engine recorded, where it drove only some contenders. Pure.

use record::{Seen, TrialRecord};

/// Replaces the numbers of lanes in a trial by those of the contenders that they drive, of so many.
pub(super) fn number_by_contender(trial: &mut TrialRecord, who: &[usize], contenders: usize) {
    trial.contender = who[trial.contender as usize] as u32;
    if who.len() < contenders {
        renumber(&mut trial.seen, who, contenders);
    }
}

fn renumber(seen: &mut Seen, who: &[usize], contenders: usize) {
    for slice in &mut seen.slices {
        let number = |lane: u32| who.get(lane as usize).map(|at| *at as u32);
        slice.after = slice.after.and_then(number);
        slice.target_cpu_ns = spread(&slice.target_cpu_ns, who, contenders);
        slice.watched = spread(&slice.watched, who, contenders);
    }
    let parts = seen.groups.iter_mut().chain(&mut seen.requests);
    parts.for_each(|part| renumber(part, who, contenders));
}

/// What was read of the lanes, by contender. Nothing if nothing was read.
fn spread<T: Clone>(of_lanes: &[Option<T>], who: &[usize], contenders: usize) -> Vec<Option<T>> {
    if of_lanes.is_empty() {
        return Vec::new();
    }
    let mut all = vec![None; contenders];
    for (at, read) in who.iter().zip(of_lanes) {
        all[*at].clone_from(read);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::example;
    use record::{Phase, Slice};

    #[test]
    fn lanes_become_contenders() {
        let slice = |after, cpu: &[Option<u64>]| Slice {
            after,
            target_cpu_ns: cpu.to_vec(),
            ..Slice::default()
        };
        let with = |slices| Seen { slices, ..Seen::default() };
        let read = [Some(5), Some(7)];
        let mut seen = with(vec![slice(Some(0), &read), slice(None, &[])]);
        seen.requests = vec![with(vec![slice(Some(1), &read)])];
        let mut trial = example::trial(Phase::Round, 1, seen);
        number_by_contender(&mut trial, &[1, 3], 5);
        let wanted = [None, Some(5), None, Some(7), None];
        assert_eq!(trial.contender, 3);
        assert_eq!(trial.seen.slices, [slice(Some(1), &wanted), slice(None, &[])]);
        assert_eq!(trial.seen.requests[0].slices, [slice(Some(3), &wanted)]);
        let all = trial.clone();
        number_by_contender(&mut trial, &[0, 1, 2, 3, 4], 5);
        assert_eq!(trial, all);
    }
}
