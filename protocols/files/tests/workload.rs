//! A workload on files: loaded, driven and verified.

use crate::scratch::{Scratch, files};
use engine::{Numbers, Stop};
use files::{FilesAccess, Guard};
use protocol::testing::{beside, lane_without_address, until_done, verified};
use record::{DriveOrder, Kind, LaneOrder, LaneTask, Outcomes, ValueBytes, Verify, Workload};
use std::ops::ControlFlow;
use std::sync::Arc;

const KEYS: u64 = 40;

fn workload(mix: &[(Kind, f64)]) -> Workload {
    Workload { prefix: "one:".to_owned(), ..verified(KEYS, mix) }
}

fn order(doing: LaneTask, operations: u64, workers: usize) -> DriveOrder {
    let operations = Some(operations);
    let lane =
        LaneOrder { doing, timeout_ns: 20_000_000_000, operations, ..lane_without_address() };
    DriveOrder { seed: 11, cores: vec![0; workers], ..until_done(vec![lane]) }
}

fn drive(access: &FilesAccess, order: &DriveOrder) -> Result<Outcomes, String> {
    let stop = Stop::new().expect("a descriptor");
    let mut outcomes = Outcomes::default();
    engine::run(order, vec![access.lanes(order, 0)], Vec::new(), &stop, &mut |trial| {
        outcomes.merge(&trial.seen.outcomes);
        ControlFlow::Continue(())
    })
    .map_err(|error| error.to_string())?;
    Ok(outcomes)
}

fn access(scratch: &Scratch, guard: Guard, workers: usize) -> FilesAccess {
    let numbers = Numbers::new(workers);
    FilesAccess { store: Arc::new(scratch.store(guard)), numbers }
}

fn all_ok(ok: u64) -> Outcomes {
    Outcomes { ok, ..Outcomes::default() }
}

const MIX: [(Kind, f64); 2] = [(Kind::Get, 0.8), (Kind::Set, 0.2)];

#[test]
fn every_value_that_was_loaded_or_written_is_read_back() {
    for guard in [Guard::Flock, Guard::Rename] {
        for workers in [1, 2] {
            let scratch = Scratch::memory();
            let access = access(&scratch, guard, workers);
            assert_eq!(drive(&access, &order(LaneTask::Ask, 3, workers)), Ok(all_ok(3)));
            let load = order(LaneTask::load(workload(&MIX)), KEYS, workers);
            assert_eq!(drive(&access, &load), Ok(all_ok(KEYS)));
            assert_eq!(files(&scratch.0).len() as u64, KEYS);
            // Twice: the numbers continue, so a version is never written again.
            for _ in 0..2 {
                let drive_it = order(LaneTask::Drive(workload(&MIX)), 5_000, workers);
                assert_eq!(drive(&access, &drive_it), Ok(all_ok(5_000)), "{guard:?} {workers}");
            }
        }
    }
}

#[test]
fn values_that_are_lost_or_exchanged_are_found() {
    let scratch = Scratch::memory();
    let access = access(&scratch, Guard::Flock, 1);
    let reads = workload(&[(Kind::Get, 1.0)]);
    drive(&access, &order(LaneTask::load(reads.clone()), KEYS, 1)).expect("loaded");
    let found = files(&scratch.0);
    std::fs::copy(&found[0], &found[1]).expect("overwritten by another key's value");
    std::fs::remove_file(&found[2]).expect("there");
    let outcomes = drive(&access, &order(LaneTask::Drive(reads), 2_000, 1)).expect("driven");
    assert!(outcomes.wrong > 0 && outcomes.miss > 0, "{outcomes:?}");
    assert_eq!(outcomes.ok + outcomes.wrong + outcomes.miss, 2_000, "{outcomes:?}");
}

#[test]
fn a_write_that_is_undone_makes_stale_reads() {
    let scratch = Scratch::memory();
    let access = access(&scratch, Guard::Flock, 1);
    let writes = workload(&[(Kind::Get, 0.5), (Kind::Set, 0.5)]);
    drive(&access, &order(LaneTask::load(writes.clone()), KEYS, 1)).expect("loaded");
    let found = files(&scratch.0);
    let loaded: Vec<_> =
        found.iter().map(|path| (path, std::fs::read(path).expect("there"))).collect();
    // Restores the complete loaded files.
    let undo = || {
        for (path, value) in &loaded {
            let old = path.with_extension("old");
            std::fs::write(&old, value).expect("room");
            std::fs::rename(&old, path).expect("ours");
        }
    };
    let outcomes = beside([undo], || drive(&access, &order(LaneTask::Drive(writes), 100_000, 1)));
    let outcomes = outcomes.expect("driven");
    assert!(outcomes.stale > 0, "{outcomes:?}");
    assert_eq!((outcomes.wrong, outcomes.miss), (0, 0), "{outcomes:?}");
}

#[test]
fn what_files_cannot_do_is_refused_by_name() {
    let scratch = Scratch::memory();
    let access = access(&scratch, Guard::Flock, 1);
    let incr = workload(&[(Kind::Incr, 1.0)]);
    let refused = drive(&access, &order(LaneTask::Drive(incr), 1, 1)).expect_err("no numbers");
    assert_eq!(refused, "files do not support the operation Incr");
    let empty = Workload {
        value: ValueBytes::Fixed(0),
        verify: Verify::Off,
        ..workload(&[(Kind::Get, 1.0)])
    };
    let refused = drive(&access, &order(LaneTask::load(empty), 1, 1)).expect_err("no empty values");
    assert!(refused.contains("at least 1 byte"), "{refused}");
    let mut deep = order(LaneTask::Ask, 1, 1);
    deep.lanes[0].intensity.depth = 16;
    assert!(drive(&access, &deep).expect_err("no depth").contains("leave out depth"));
}
