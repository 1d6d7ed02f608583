//! The order for one part of a run, as it is sent to agents, and the slices that follow from it.

use record::limits::MOST_ROUNDS;
use record::{Address, DriveOrder, Phase, TrialRecord};
use serde::{Deserialize, Serialize};

/// What the agents drive. It does not repeat what follows from the plan, which each agent has, so
/// it contains no secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PartOrder {
    pub(crate) seed: u64,
    pub(crate) warm_up_ns: u64,
    pub(crate) rounds: u32,
    pub(crate) first_round: u32,
    pub(crate) round_ns: u64,
    pub(crate) slice_ns: u64,
    /// How long an agent waits for the start of a slice.
    pub(crate) timeout_ns: u64,
    /// Whether its rounds are the pilot.
    pub(crate) is_pilot: bool,
    /// All contenders of the plan.
    pub(crate) lanes: Vec<PartLane>,
}

/// One contender of the order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PartLane {
    pub(crate) burn_in_ns: u64,
    /// Which launch of its target this is, counted from 1; 0 if it is running already. After a
    /// launch its operations begin anew.
    pub(crate) launch: u32,
    /// Where its target is. An agent uses it only for a target that was launched.
    pub(crate) address: Address,
}

/// How long messages, records and the start of a process may take besides the slices.
const SLACK_NS: u64 = 10_000_000_000;
/// The longest time of an order: a day.
const LONGEST_NS: u64 = 86_400_000_000_000;
/// The most slices of a round. An agent keeps some bytes for each.
const MOST_SLICES: u64 = 1_000_000;

impl PartOrder {
    /// The order for all agents; `launches` are those of the lanes' targets.
    pub(crate) fn new(order: &DriveOrder, launches: &[u32], is_pilot: bool) -> PartOrder {
        let lanes = order.lanes.iter().zip(launches).map(|(lane, launch)| PartLane {
            launch: *launch,
            burn_in_ns: lane.burn_in_ns,
            address: lane.address.clone(),
        });
        PartOrder {
            seed: order.seed,
            warm_up_ns: order.warm_up.least_ns,
            rounds: order.rounds,
            first_round: order.first_round,
            round_ns: order.round_ns,
            slice_ns: order.slice_ns,
            timeout_ns: timeout_ns(order),
            is_pilot,
            lanes: lanes.collect(),
        }
    }

    /// Checks that no run needs larger numbers: an agent must not run out of memory or drive for years.
    ///
    /// # Errors
    /// If a number is out of range; the message names it.
    pub(crate) fn check(&self) -> Result<(), String> {
        let within = |name: &str, number: u64, least: u64, most: u64| {
            if (least..=most).contains(&number) {
                return Ok(());
            }
            Err(format!("`{name}` of the order is {number}; it must be from {least} to {most}"))
        };
        let most_rounds = u64::from(MOST_ROUNDS);
        within("rounds", self.rounds.into(), 0, most_rounds)?;
        within("first_round", self.first_round.into(), 1, most_rounds)?;
        within("warm_up_ns", self.warm_up_ns, 0, LONGEST_NS)?;
        within("timeout_ns", self.timeout_ns, SLACK_NS, LONGEST_NS)?;
        if self.rounds > 0 {
            let slices = MOST_SLICES / self.lanes.len().max(1) as u64;
            within("round_ns", self.round_ns, 1, LONGEST_NS)?;
            within("slice_ns", self.slice_ns, self.round_ns.div_ceil(slices), LONGEST_NS)?;
        }
        for lane in &self.lanes {
            within("burn_in_ns", lane.burn_in_ns, 0, LONGEST_NS)?;
            within("launch", lane.launch.into(), 0, most_rounds)?;
        }
        Ok(())
    }
}

/// How long the slowest agent may take for one slice, with the opening of its connections.
fn timeout_ns(order: &DriveOrder) -> u64 {
    let timeout_ns = order.lanes.iter().map(|lane| lane.timeout_ns).max().unwrap_or(0);
    let sending_ns = order.warm_up.least_ns.max(order.round_ns.min(order.slice_ns.max(1)));
    let slice_ns = sending_ns.saturating_add(timeout_ns.saturating_mul(4));
    slice_ns.saturating_add(SLACK_NS)
}

/// The slices of an order, and after which of them trials are complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slices {
    contenders: u64,
    warm_up: u64,
    in_round: u64,
    rounds: u64,
    first_round: u32,
    /// Sending time of a slice of the warm-up, and of a round.
    sending_ns: (u64, u64),
}

impl Slices {
    pub(super) fn of(order: &DriveOrder) -> Slices {
        let contenders = order.lanes.len() as u64;
        Slices {
            contenders,
            warm_up: if order.warm_up.least_ns > 0 { contenders } else { 0 },
            in_round: contenders * u64::from(order.slices_per_round()),
            rounds: u64::from(order.rounds),
            first_round: order.first_round,
            sending_ns: (
                order.warm_up.least_ns,
                order.round_ns / u64::from(order.slices_per_round()),
            ),
        }
    }

    pub(super) fn sending_ns(&self, index: u64) -> u64 {
        let (of_warm_up, of_round) = self.sending_ns;
        if index < self.warm_up { of_warm_up } else { of_round }
    }

    /// How many there are.
    pub(super) fn count(&self) -> u64 {
        self.warm_up + self.rounds * self.in_round
    }

    /// How many trials they make.
    pub(super) fn trials(&self) -> u64 {
        self.warm_up + self.rounds * self.contenders
    }

    pub(super) fn include(&self, trial: &TrialRecord) -> bool {
        let is_of_phase = match trial.phase {
            Phase::WarmUp | Phase::Pilot => true,
            Phase::Round => {
                let since_first = trial.round.checked_sub(self.first_round);
                since_first.is_some_and(|rounds| u64::from(rounds) < self.rounds)
            }
            Phase::Ready | Phase::Load | Phase::Null => false,
        };
        is_of_phase && u64::from(trial.contender) < self.contenders
    }

    /// Whether the slice at `index` begins a round that follows another one: connections are then
    /// renewed before it.
    pub(super) fn renews_before(&self, index: u64) -> bool {
        index > self.warm_up && self.trials_before(index).is_some()
    }

    /// How many trials every agent has ended before the slice at `index`. Returns None unless that
    /// slice is the first one of a round: records are sent only between rounds, so that they
    /// disturb none.
    pub(super) fn trials_before(&self, index: u64) -> Option<u64> {
        let since = index.checked_sub(self.warm_up)?;
        let warm_up = if self.warm_up > 0 { self.contenders } else { 0 };
        let first = since % self.in_round == 0;
        first.then(|| warm_up + since / self.in_round * self.contenders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_refused_and_named() {
        let lane = || PartLane {
            burn_in_ns: 0,
            launch: 1,
            address: Address::Tcp("127.0.0.1:1".parse().expect("an address")),
        };
        let order = || PartOrder {
            seed: u64::MAX,
            warm_up_ns: 0,
            rounds: MOST_ROUNDS,
            first_round: 1,
            round_ns: LONGEST_NS,
            slice_ns: LONGEST_NS / 500_000,
            timeout_ns: SLACK_NS,
            is_pilot: false,
            lanes: vec![lane(), lane()],
        };
        assert_eq!(order().check(), Ok(()));
        let nothing = PartOrder { rounds: 0, round_ns: 0, slice_ns: 0, ..order() };
        assert_eq!(nothing.check(), Ok(()), "a warm-up alone");
        type Change = fn(&mut PartOrder);
        let table: [(&str, Change); 12] = [
            ("rounds", |order| order.rounds = MOST_ROUNDS + 1),
            ("first_round", |order| order.first_round = 0),
            ("first_round", |order| order.first_round = u32::MAX),
            ("warm_up_ns", |order| order.warm_up_ns = u64::MAX),
            ("timeout_ns", |order| order.timeout_ns = 0),
            ("timeout_ns", |order| order.timeout_ns = u64::MAX),
            ("round_ns", |order| order.round_ns = 0),
            ("round_ns", |order| order.round_ns = u64::MAX),
            ("slice_ns", |order| order.slice_ns = 0),
            ("slice_ns", |order| order.slice_ns -= 1),
            ("burn_in_ns", |order| order.lanes[1].burn_in_ns = u64::MAX),
            ("launch", |order| order.lanes[1].launch = u32::MAX),
        ];
        for (name, change) in table {
            let mut order = order();
            change(&mut order);
            let why = order.check().expect_err(name);
            assert!(why.starts_with(&format!("`{name}` of the order is ")), "{why}");
        }
    }

    #[test]
    fn trials_are_complete_between_rounds() {
        let order = |warm_up_ns| DriveOrder {
            seed: 1,
            warm_up: record::WarmUp::fixed(warm_up_ns),
            rounds: 2,
            first_round: 1,
            round_ns: 100,
            slice_ns: 50,
            ..DriveOrder::default()
        };
        let slices = |warm_up_ns, contenders| Slices {
            contenders,
            in_round: contenders * 2,
            warm_up: if warm_up_ns > 0 { contenders } else { 0 },
            ..Slices::of(&order(warm_up_ns))
        };
        let ends = |slices: Slices| -> Vec<(u64, u64)> {
            let all = 0..slices.count();
            all.filter_map(|index| Some((index, slices.trials_before(index)?))).collect()
        };
        assert_eq!(ends(slices(0, 3)), [(0, 0), (6, 3)]);
        assert_eq!(ends(slices(9, 3)), [(3, 3), (9, 6)]);
        assert_eq!((slices(9, 3).count(), slices(0, 3).count()), (15, 12));
        assert_eq!([2, 3].map(|index| slices(9, 3).sending_ns(index)), [9, 50]);
        // Only a round that follows another one begins with other connections.
        let renews = |slices: Slices| -> Vec<u64> {
            (0..slices.count()).filter(|index| slices.renews_before(*index)).collect()
        };
        assert_eq!((renews(slices(0, 3)), renews(slices(9, 3))), (vec![6], vec![9]));
    }
}
