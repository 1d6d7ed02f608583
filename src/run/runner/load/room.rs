//! Whether the data of all load points of a sweep can be in their stores at once, by what the stores say of their
//! limits. If they can, all are loaded before the first round, so that each round can drive all load points.
//! Otherwise each load point is loaded just before it is driven, after the data of the others were removed, or into a
//! process of its own.

use crate::run::runner::environment::Halt;
use crate::run::runner::orders;
use crate::run::runner::session::{RunSession, TrialWriter};
use engine::interleaving::{Sequence, sequence};
use protocol::side_channel::{About, RequestedData};
use record::{Factor, Plan, Workload};
use std::io::Write;
use std::ops::ControlFlow;
use text::units::show_bytes;

/// A store and the contenders that are loaded into it.
struct Room {
    /// The lowest contender that has this store.
    first: usize,
    /// Bytes of items that it cannot exceed.
    bytes: u64,
    /// See [`About::reuses_room`].
    reuses_room: bool,
    contenders: Vec<usize>,
}

impl<W: Write> RunSession<'_, W> {
    /// Decides whether the data of all load points are loaded together. A store that does not say its limit is
    /// loaded, and its misses are counted.
    ///
    /// # Errors
    /// If the data do not fit together, and load points cannot be driven one after the other.
    pub(super) fn check_room(&mut self) -> Result<(), Halt> {
        let plan = self.plan;
        let mut first_lack = None;
        for room in self.rooms() {
            let Some(lack) = lack(plan, &room) else { continue };
            if let Some(why) = why_not_apart(plan, &room) {
                return Err(Halt::Usage(format!("{lack}; {why}")));
            }
            self.stores.crowded.extend(&room.contenders);
            self.stores.starts_anew |= stays_divided(plan, &room);
            first_lack.get_or_insert(lack);
        }
        let Some(lack) = first_lack else { return Ok(()) };
        let launches = if plan.question.restarts > 1 { " in each launch" } else { "" };
        let process = if self.stores.starts_anew { ", each in a process of its own," } else { "" };
        let apart = format!(
            "{lack}: load points are driven one after the other{launches}{process} and share no rounds, so that they \
             are not compared with each other"
        );
        self.writer.progress.say_always(&format!("caution: {apart}"));
        self.stores.apart = Some(apart);
        Ok(())
    }

    /// The stores of a sweep that say their limit. Empty if nothing is swept.
    fn rooms(&mut self) -> Vec<Room> {
        let plan = self.plan;
        let mut rooms: Vec<Room> = Vec::new();
        let is_target = |at: &usize| plan.sweep.is_some() && plan.target_of(*at) == *at;
        for target in self.writer.remaining().into_iter().filter(is_target) {
            let about = self.environment.store(target).and_then(|store| store.about());
            let Ok(about) = about else { continue };
            let About { room: Some(bytes), reuses_room, .. } = about else { continue };
            let first = self.stores.server(target, &about).map_or(target, |of| of as usize);
            let all = (0..plan.contenders.len()).filter(|at| plan.target_of(*at) == target);
            let contenders = all.filter(|at| plan.data_of(*at) == *at);
            match rooms.iter_mut().find(|room| room.first == first) {
                Some(room) => room.contenders.extend(contenders),
                None => {
                    let contenders = contenders.collect();
                    rooms.push(Room { first, bytes, reuses_room, contenders });
                }
            }
        }
        rooms
    }

    /// Loads the data of a load point, after those of all others were removed where there is no room for them. What
    /// must start anew for that starts anew, unless nothing was loaded since its launch.
    pub(in crate::run::runner) fn load_point(&mut self, point: usize) -> Result<(), Halt> {
        if self.stores.point == Some(point) {
            return Ok(());
        }
        let plan = self.plan;
        let (width, loaded) = (plan.question.width(), self.stores.point);
        let starts_anew = self.stores.starts_anew && loaded.is_some();
        let is_new = |at: usize| starts_anew && !plan.contenders[at].launch.is_empty();
        if starts_anew {
            self.stop_targets(&is_new)?;
            self.launch_those(self.writer.launch + 1, &is_new)?;
        }
        let crowded = self.stores.crowded.iter().copied();
        let others: Vec<usize> = crowded.filter(|at| at / width != point).collect();
        // Also those of one that left, as long as its target is there.
        let is_there = |writer: &TrialWriter<'_, W>, at: usize| writer.is_driven(at);
        self.each_that(is_there, others, |this, contender| {
            this.remove(contender, loaded == Some(contender / width) && !is_new(contender))
        })?;
        self.stores.point = Some(point);
        self.load_those(&|contender| contender / width == point)
    }

    /// The order in which each launch drives load points that share no rounds, drawn for each. Empty for one launch, and
    /// if they share rounds.
    pub(in crate::run::runner) fn load_point_orders(&self, plan: &Plan) -> Vec<Vec<u32>> {
        if self.stores.apart.is_none() {
            return Vec::new();
        }
        let points = plan.question.load_points.len() as u32;
        let order = |launch| sequence(Sequence::LoadPoints, plan.seed, launch, points);
        (1..=plan.question.restarts).map(order).collect()
    }

    /// Removes the data of a contender, if they were loaded in this run or, as their fingerprint says, in an earlier
    /// one.
    fn remove(&mut self, contender: usize, is_loaded: bool) -> Result<(), Halt> {
        let Some(workload) = self.plan.contenders[contender].asks.workload() else { return Ok(()) };
        let key = RequestedData::of(workload).key;
        let store = self.environment.store(contender);
        let known = store.and_then(|store| store.read_fingerprint(&key));
        let is_known = known.is_ok_and(|known| known.is_some());
        let Some(order) = orders::removal(self.plan, contender).filter(|_| is_loaded || is_known)
        else {
            return Ok(());
        };
        let name = &self.plan.contenders[contender].name;
        let failed =
            |why: &str| Halt::Target(format!("`{name}`: its data cannot be removed: {why}"));
        let store = self.environment.store(contender);
        store.and_then(|store| store.remove_fingerprint(&key)).map_err(|why| failed(&why))?;
        self.writer.progress.say(&format!("{name}: its data are removed"));
        let mut removed = 0;
        let driven = self.environment.drive(&order, &[contender], &mut |trial| {
            removed += trial.seen.outcomes.ok;
            ControlFlow::Continue(())
        });
        driven.map_err(|error| failed(&error.to_string()))?;
        match order.lanes[0].operations {
            _ if (self.stopped)() => Err(Halt::Stopped),
            Some(all) if removed < all => Err(failed("it did not answer all requests for that")),
            _ => Ok(()),
        }
    }

    /// Whether the target of this contender is up and its data are loaded, while those of others may not be.
    pub(in crate::run::runner) fn is_present(&self, contender: usize) -> bool {
        let point = contender / self.plan.question.width().max(1);
        !self.writer.is_away[contender] && self.stores.point.is_none_or(|loaded| loaded == point)
    }

    /// Those who have not left and whose data are loaded.
    pub(in crate::run::runner) fn present(&self) -> Vec<usize> {
        self.writer.remaining().into_iter().filter(|at| self.is_present(*at)).collect()
    }
}

/// How much more the values of all load points take than this store has room for. None if they may fit.
fn lack(plan: &Plan, room: &Room) -> Option<String> {
    let all = sum(plan, room.contenders.iter());
    let targets = plan.sweep.as_ref().map_or(&[][..], |sweep| &sweep.targets);
    (all > room.bytes).then(|| {
        format!(
            "the values of all load points are at least {}, and the store of `{}` has room for {}",
            show_bytes(all),
            targets.get(room.first).map_or("", String::as_str),
            show_bytes(room.bytes)
        )
    })
}

/// Why load points cannot be driven one after the other, and what to do. None if they can.
fn why_not_apart(plan: &Plan, room: &Room) -> Option<String> {
    let of = &plan.question.contenders[room.first];
    let more = match (of.protocol.as_str(), of.memory_setting.as_str()) {
        (_, "") => "give it more space".to_owned(),
        (protocol, setting) => format!("give it more memory ({protocol} {setting})"),
    };
    let remedy = format!("{more} or load fewer keys (--keys)");
    let width = plan.question.width().max(1);
    let of_point = |at: &usize| {
        let is_of_point = |other: &&usize| *other / width == at / width;
        (sum(plan, room.contenders.iter().filter(is_of_point)), *at)
    };
    let (largest, at) = room.contenders.iter().map(of_point).max()?;
    let question = &plan.question;
    let can_be_removed = |at: &usize| {
        let workload = plan.contenders[*at].asks.workload();
        workload.is_none_or(|of| of.to_load() == of.values_to_load() && !of.is_wide())
    };
    if largest > room.bytes {
        let load_point = &question.load_points[at / width];
        Some(format!("those of {load_point} alone are at least {}: {remedy}", show_bytes(largest)))
    } else if stays_divided(plan, room) && plan.contenders[room.first].launch.is_empty() {
        Some(format!(
            "load points cannot be driven one after the other, because its memory stays divided among the sizes of \
             values that were there first: {remedy}, or let tiebreak launch it (launch = [...], a recipe), anew for \
             each load point"
        ))
    } else if stays_divided(plan, room) && plan.is_rebuilt() {
        Some(format!(
            "load points cannot have processes of their own where each launch has a build of its own: {remedy}, or \
             leave out --rebuilds"
        ))
    } else if !question.interim_looks.is_empty() {
        Some(format!(
            "load points cannot be driven one after the other up to each of several looks: {remedy}, or leave out \
             --until-decided"
        ))
    } else if !stays_divided(plan, room) && !room.contenders.iter().all(can_be_removed) {
        Some(format!(
            "load points cannot be driven one after the other, because there are not only values to remove: {remedy}"
        ))
    } else {
        None
    }
}

/// Whether values of another size find no room where others were, although these were removed.
fn stays_divided(plan: &Plan, room: &Room) -> bool {
    let is_of_value = plan.sweep.as_ref().is_some_and(|sweep| sweep.factor == Factor::Value);
    is_of_value && !room.reuses_room
}

/// Bytes that the loaded values of these contenders take at least.
fn sum<'a>(plan: &Plan, contenders: impl Iterator<Item = &'a usize>) -> u64 {
    let least = |at: &usize| plan.contenders[*at].asks.workload().map_or(0, least_bytes);
    contenders.map(least).fold(0, u64::saturating_add)
}

/// Bytes that the loaded values of a workload take at least, without what a store adds to each. 0 if a store may
/// compress them.
fn least_bytes(workload: &Workload) -> u64 {
    let each = if workload.compressible { 0 } else { workload.value.least() };
    workload.values_to_load().saturating_mul(each.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::settings::sweep_settings;
    use crate::plan::{WorkloadSettings, example};

    /// Two stores with values of 100 and 10 000 bytes, 1000 of each, or with these operations at two depths.
    fn plan(sweep: &str, mix: &str) -> Plan {
        example::plan(|spec| {
            spec.contenders = ["a", "b"].map(|name| format!("{name}=redis://127.0.0.1:1")).into();
            spec.sweep = Some(sweep_settings::parse(sweep).expect("a sweep"));
            let mix = crate::plan::settings::workload::mix(mix).expect("a mix");
            let keys = Some(1000);
            spec.workload = WorkloadSettings { keys, mix: Some(mix), ..spec.workload.clone() };
        })
    }

    fn room(bytes: u64, contenders: &[usize]) -> Room {
        Room { first: 0, bytes, reuses_room: true, contenders: contenders.to_vec() }
    }

    #[test]
    fn values_are_added_up_for_each_store() {
        let plan = plan("value=100,10kB", "get=1");
        assert_eq!(lack(&plan, &room(10_100_000, &[0, 2])), None);
        assert!(lack(&plan, &room(10_099_999, &[0, 2])).is_some());
        assert_eq!(
            lack(&plan, &room(20_000_000, &[0, 2, 1, 3])).as_deref(),
            Some(
                "the values of all load points are at least 20.2 MB, and the store of `a` has room for 20 MB"
            )
        );
    }

    #[test]
    fn load_points_that_cannot_be_driven_one_after_the_other_say_why() {
        let mut plan = plan("value=100,10kB", "get=1");
        let remedy = "give it more memory (Redis maxmemory) or load fewer keys (--keys)";
        let why = |plan: &Plan, of: Room| why_not_apart(plan, &of).unwrap_or_default();
        assert_eq!(why(&plan, room(20_000_000, &[0, 2, 1, 3])), "");
        assert_eq!(
            why(&plan, room(19_999_999, &[0, 2, 1, 3])),
            format!("those of value-10000 alone are at least 20 MB: {remedy}")
        );
        let divided = || Room { reuses_room: false, ..room(10_000_000, &[0, 2]) };
        let running = why(&plan, divided());
        assert!(running.contains("stays divided") && running.contains(remedy), "{running}");
        assert!(running.contains("or let tiebreak launch it"), "{running}");
        for contender in &mut plan.contenders {
            contender.launch = vec!["server".to_owned()];
        }
        assert_eq!(why(&plan, divided()), "");
        plan.question.restarts = 2;
        assert_eq!(why(&plan, room(10_000_000, &[0, 2])), "");
        plan.question.interim_looks = vec![1, 2];
        let looks = why(&plan, room(10_000_000, &[0, 2]));
        assert!(looks.ends_with(&format!("{remedy}, or leave out --until-decided")), "{looks}");
    }

    #[test]
    fn only_what_is_loaded_is_counted() {
        let mut plan = plan("depth=1,8", "get=1,set=1");
        let values = least_bytes(plan.contenders[0].asks.workload().expect("a workload"));
        assert!(values > 0);
        assert_eq!(lack(&plan, &room(2 * values, &[0, 2])), None);
        assert!(lack(&plan, &room(2 * values - 1, &[0, 2])).is_some());
        for contender in &mut plan.contenders {
            if let record::RequestPlan::Store(work) = &mut contender.asks {
                work.workload.compressible = true;
            }
        }
        assert_eq!(lack(&plan, &room(1, &[0, 2])), None, "it may take less");
    }
}
