//! A plan for tests.

use crate::address::resolver::{self, Resolver};
use crate::plan::{Command, Machine, Spec, resolve};
use crate::remote::RemoteError;
use keeper::process::NotVisible;
use record::{Host, Plan};

/// A plan of `tiebreak compare a=… b=…` on two cores, after `change`.
pub(crate) fn plan(change: impl FnOnce(&mut Spec)) -> Plan {
    let mut spec = Spec::new(
        Command::Compare,
        vec!["a=http://127.0.0.1:1/".to_owned(), "b=http://127.0.0.1:2/".to_owned()],
    );
    change(&mut spec);
    let machine = Machine {
        cores: crate::cores::Facts { allowed: vec![0, 1], ..Default::default() },
        host: Host { descriptors: 10_000, ..Host::default() },
        look: |_, _| Err(NotVisible("it was not looked for".to_owned())),
        watch: Some(|_, _| Err(RemoteError::Closed)),
        watch_token: None,
        drawn_seed: 1,
    };
    let mut resolver = Resolver::new(false, &resolver::look_up, &|_| true);
    resolve(&spec, &machine, &mut resolver).expect("a good plan").plan
}
