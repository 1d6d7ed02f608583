//! Load points of a sweep that fail: the others go on.

use super::*;
use crate::plan::settings::sweep_settings;

/// One target at three load points, whose numbers are 0 to 2, in eight rounds.
fn sweep(change: impl FnOnce(&mut Plan)) -> Plan {
    let mut plan = example::plan(|spec| {
        spec.contenders.truncate(1);
        spec.sweep = Some(sweep_settings::parse("connections=1,2,4").expect("a sweep"));
        spec.command = crate::plan::Command::Run;
        spec.run.rounds = Some(8);
    });
    change(&mut plan);
    plan
}

fn left(disk: &Disk) -> Vec<(u32, u32)> {
    let events = disk.events().into_iter();
    let left = events.filter_map(|event| match event {
        Event::Withdrawn(of) => Some((of.contender, of.round)),
        _ => None,
    });
    left.collect()
}

#[test]
fn a_load_point_that_stops_answering_leaves_and_the_others_lose_no_round() {
    let world = Script { dies_in: Some(3), ..Script::default() };
    let outcome = conduct(&sweep(|_| {}), world, Disk::new(ROOMY));
    assert_eq!(reason(&outcome), EndReason::Complete);
    assert_eq!(left(&outcome.disk), [(1, 3)]);
    let all: Vec<u32> = (1..=8).collect();
    assert_eq!(rounds_of(&outcome.disk, 3), [&all[..], &[1, 2, 3], &all]);
}

#[test]
fn a_target_that_is_not_ready_leaves_with_all_of_its_load_points() {
    let world = Script { refusals: u32::MAX, ..Script::default() };
    let outcome = conduct(&sweep(|_| {}), world, Disk::new(ROOMY));
    let end = outcome.end.as_ref().expect("an end");
    assert_eq!(end.reason, EndReason::TargetFailed);
    assert!(end.detail.starts_with("fewer than two contenders remain: "), "{}", end.detail);
    assert_eq!(left(&outcome.disk).len(), 2, "the last one cannot leave");
}

#[test]
fn the_first_load_point_launches_the_target_for_the_others_after_it_has_left() {
    let plan = sweep(|_| {});
    with_writer(&plan, false, |writer| {
        writer.has_left[0] = true;
        assert!(writer.is_driven(0) && writer.is_driven(2));
        writer.has_left = vec![true; 3];
        assert!(!writer.is_driven(0));
    });
}
