//! The stage of a real run: servers and the engine.

use super::stage::{Each, Halt, Stage};
use crate::conformance::alone;
use crate::exit::{Error, Exit};
use crate::plan::{Resolved, Way};
use crate::targets::cpu::Meter;
use crate::targets::launch::{Failed, Ground, Launcher, Running};
use crate::targets::process::OutOfSight;
use crate::targets::tls;
use engine::{Access, Broken, Stop, TargetClock};
use record::{Address, Asked, Fact, TargetDone, TargetReady};

/// All targets of a run, by contender.
pub(super) struct Targets<'a> {
    resolved: &'a Resolved,
    stop: &'a Stop,
    ground: Ground<'a>,
    each: Vec<Target<'a>>,
}

/// One target, as far as it is there.
#[derive(Default)]
struct Target<'a> {
    launcher: Option<Launcher<'a>>,
    facts: Vec<Fact>,
    up: Option<Up>,
}

/// A target that can be driven.
struct Up {
    launch: u32,
    address: Address,
    access: Access,
    meter: Result<Meter, OutOfSight>,
    running: Option<Running>,
}

impl<'a> Targets<'a> {
    pub(super) fn new(resolved: &'a Resolved, stop: &'a Stop, ground: Ground<'a>) -> Self {
        let each = resolved.ways.iter().map(|_| Target::default()).collect();
        Targets { resolved, stop, ground, each }
    }
}

fn told(contender: usize, up: &Up, facts: &[Fact]) -> TargetReady {
    TargetReady {
        contender: contender as u32,
        launch: up.launch,
        cpu_source: up.meter.as_ref().ok().map(|meter| meter.source().name().to_owned()),
        out_of_sight: up.meter.as_ref().err().map(ToString::to_string),
        facts: facts.to_vec(),
        ready_requests: up.running.as_ref().map_or(0, Running::ready_requests),
    }
}

impl Stage for Targets<'_> {
    fn raise(&mut self, launch: u32, contender: usize) -> Result<TargetReady, Halt> {
        let target = &mut self.each[contender];
        let up = match &self.resolved.ways[contender] {
            Way::Attached { access, sight } => {
                let meter = match sight {
                    Ok(sight) => Meter::of_attached(&sight.found.pids()),
                    Err(why) => Err(why.clone()),
                };
                let address = self.resolved.plan.contenders[contender].address.clone();
                Up { launch: 0, address, access: access.clone(), meter, running: None }
            }
            Way::Launched { launch: how, settings } => {
                if target.launcher.is_none() {
                    let mut launcher = Launcher::new(how, self.ground)?;
                    launcher.hide(settings);
                    target.facts = launcher.prepare()?;
                    target.launcher = Some(launcher);
                }
                let launcher = target.launcher.as_mut().expect("just made");
                let running = launcher.launch()?;
                let (address, access) = self.resolved.reach(contender, running.url())?;
                let meter = Meter::of_launched(running.keeper() as u32, running.cgroup());
                Up { launch, address, access, meter, running: Some(running) }
            }
        };
        let ready = told(contender, &up, &target.facts);
        target.up = Some(up);
        Ok(ready)
    }

    fn drive(&mut self, order: &Asked, who: &[usize], each: &mut Each<'_>) -> Result<(), Broken> {
        let mut order = order.clone();
        let mut accesses = Vec::with_capacity(who.len());
        for (lane, at) in order.lanes.iter_mut().zip(who) {
            let up = self.each[*at].up.as_ref();
            let up = up.ok_or_else(|| Broken("a target is driven that is not up".to_owned()))?;
            lane.address = up.address.clone();
            accesses.push(&up.access);
        }
        let lanes = accesses.iter().enumerate().map(|(lane, access)| access.lanes(&order, lane));
        let lanes = lanes.collect();
        // A lane's number is the contender's only where all are driven.
        let clocks = match who.len() == self.each.len() {
            true => {
                self.each.iter_mut().filter_map(|target| target.up.as_mut()).map(clock).collect()
            }
            false => Vec::new(),
        };
        engine::run(&order, lanes, clocks, self.stop, each)
    }

    fn drive_null(
        &mut self,
        order: &Asked,
        who: &[usize],
        each: &mut Each<'_>,
    ) -> Result<(), Broken> {
        let plain = |at: &usize| alone::plain(&self.each[*at].up.as_ref()?.access);
        let Some(accesses) = who.iter().map(plain).collect::<Option<Vec<_>>>() else {
            return Err(Broken("the null server is driven for a target that is not up".to_owned()));
        };
        let core = self.resolved.target_cores.first().copied();
        alone::drive(order, &accesses, core, self.stop, each)
    }

    fn fallen(&mut self) -> Option<String> {
        let running =
            self.each.iter_mut().filter_map(|target| target.up.as_mut()?.running.as_mut());
        running.into_iter().find_map(|running| running.check().err()).map(|error| error.text)
    }

    fn lower(&mut self) -> Vec<TargetDone> {
        let mut done = Vec::new();
        for (contender, target) in self.each.iter_mut().enumerate() {
            let Some(mut up) = target.up.take() else { continue };
            let peak = up.meter.as_mut().ok().and_then(Meter::peak_memory);
            if let Some(running) = up.running {
                // Whatever it says, nothing is left of it.
                let _ = running.stop();
            }
            done.push(TargetDone {
                contender: contender as u32,
                launch: up.launch,
                peak_memory_bytes: peak.map(|peak| peak.bytes),
                memory_source: peak.map_or(String::new(), |peak| peak.source.name().to_owned()),
            });
        }
        done
    }

    fn why_no_tls(&self, contender: usize) -> Option<String> {
        let up = self.each.get(contender)?.up.as_ref()?;
        match &up.address {
            Address::Tcp(address) => tls::why_no_handshake(*address, up.access.tls()?),
            Address::Unix(_) => None,
        }
    }
}

fn clock(up: &mut Up) -> TargetClock<'_> {
    let meter = &mut up.meter;
    Box::new(move || meter.as_mut().ok().map(|meter| meter.read().cpu_ns))
}

impl From<Failed> for Halt {
    fn from(failed: Failed) -> Halt {
        match failed {
            Failed::Stopped => Halt::Stopped,
            Failed::Error(error) => error.into(),
        }
    }
}

impl From<Error> for Halt {
    fn from(error: Error) -> Halt {
        match error.exit {
            Exit::Failed => Halt::Broken(error.text),
            _ => Halt::Target(error.text),
        }
    }
}
