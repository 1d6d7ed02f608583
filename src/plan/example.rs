//! A plan, a lane and a trial for tests.

use crate::plan::{Command, Machine, Spec, resolve, sweep};
use crate::system::remote::RemoteError;
use keeper::process::NotVisible;
use protocol::Error;
use protocol::address::resolver;
use protocol::address::resolver::Resolver;
use record::{Address, Host, LaneOrder, Phase, Plan, Seen, TrialRecord};

/// A plan of `tiebreak compare a=… b=…` on two cores, after `change`.
pub(crate) fn plan(change: impl FnOnce(&mut Spec)) -> Plan {
    settled(change).expect("a good plan")
}

/// The plan of such a comparison, or why there is none.
pub(crate) fn settled(change: impl FnOnce(&mut Spec)) -> Result<Plan, Error> {
    let mut spec = Spec::new(
        Command::Compare,
        vec!["a=http://127.0.0.1:1/".to_owned(), "b=http://127.0.0.1:2/".to_owned()],
    );
    change(&mut spec);
    let machine = Machine {
        cores: crate::system::cores::Facts { allowed: vec![0, 1], ..Default::default() },
        host: Host { descriptors: 10_000, ..Host::default() },
        look: |_, _| Err(NotVisible("it was not looked for".to_owned())),
        watch: Some(|_, _| Err(RemoteError::Closed)),
        watch_token: None,
        drawn_seed: 1,
    };
    let mut resolver = Resolver::new(false, &resolver::look_up, &|_| true);
    let inputs = crate::plan::read(&spec).expect("good arguments");
    let resolved = match sweep::load_points(&spec, &inputs)? {
        Some(points) => points.settle(&machine, &mut resolver),
        None => resolve(&spec, inputs, &machine, &mut resolver),
    };
    resolved.map(|resolved| resolved.plan)
}

/// A lane with one connection in closed loop.
pub(crate) fn lane_order() -> LaneOrder {
    LaneOrder::closed(Address::Unix(String::new()), 1)
}

/// A trial of this contender in which this was measured, in no round.
pub(crate) fn trial(phase: Phase, contender: u32, seen: Seen) -> TrialRecord {
    record::testing::trial(phase, 0, contender, lane_order(), seen)
}
