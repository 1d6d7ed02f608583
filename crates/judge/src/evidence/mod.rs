//! The basis of the audit and the comparisons: the record of a run, added up so that it does not
//! grow with the number of operations.

mod agents;
mod cases;
mod driven;
mod gate;
mod launch;
pub(crate) mod store;
mod target;
mod timeline;
mod trial;
mod waiting;

use crate::{capacity_run::CapacityRun, cost, cost::CoresOf, draft::Draft};
use record::{
    Arrivals, ContenderQuestion, End, Interleave, Pair, PilotChoice, Question, Seen, Withdrawn,
};

pub(crate) use agents::{AgentDriven, Agents};
pub(crate) use cases::{CaseFigures, NoFigure};
pub(crate) use driven::DriveSummary;
use gate::Gate;
pub(crate) use launch::{FEWEST_ROUNDS, Launch};
pub(crate) use timeline::Timeline;
pub(crate) use trial::{Costs, Trial};

/// The record of one run, added up. Every audit rule is a function of it.
#[derive(Clone, Debug)]
pub struct Evidence {
    pub(crate) question: Question,
    /// By number, as in the question.
    pub(crate) contenders: Vec<DriveSummary>,
    pub(crate) pilot: Option<PilotChoice>,
    pub(crate) end: Option<End>,
    /// Who left a ranking or a sweep, in the order in which they left.
    pub(crate) withdrawn: Vec<Withdrawn>,
    /// The cases of a suite. Empty if it is none, and before they are known.
    pub(crate) cases: CaseFigures,
    /// Rounds in which every contender that they hold was driven to the end.
    pub(crate) complete_rounds: u32,
    /// How long the agents paused between slices, if several machines drove.
    pub(crate) gate: Gate,
    /// What a run that seeks capacities has shown. None for all others, and before the pilot.
    pub(crate) capacities: Option<CapacityRun>,
    /// The comparisons before the audit.
    pub(crate) drafts: Vec<Draft>,
    /// Those of a suite's control. Empty if there is none.
    pub(crate) control: Vec<Draft>,
    /// Of a suite: the mean over all cases of each pair. Empty for all other runs.
    pub(crate) means: Vec<Draft>,
}

/// Which operations of a contender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operations {
    /// All, except those in slices of a single request.
    All,
    /// Those of the group with this number.
    Group(usize),
    /// Those of the request with this number in slices of its own.
    Request(usize),
    /// The case of a suite with this number: its figures, and not operations.
    Case(usize),
}

/// One workload: all that a contender does, or one of its groups, or one of its requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a> {
    /// Number of the contender.
    pub(crate) contender: usize,
    /// Name of the contender.
    pub(crate) name: &'a str,
    /// Name of the group, or None for all that the contender does.
    pub(crate) group: Option<&'a str>,
    /// Name of the request, if it is about slices of one request.
    pub(crate) request: Option<&'a str>,
    pub(crate) driven: &'a DriveSummary,
}

/// What the generator's threads did while they drove a contender, as shares of
/// their time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GeneratorTime {
    /// Running: their own CPU time.
    pub(crate) busy: f64,
    /// Ready to run, but waiting for a core or deprived of it by the hypervisor.
    pub(crate) kept: f64,
}

impl Evidence {
    pub(crate) fn new(question: &Question) -> Self {
        Evidence {
            question: question.clone(),
            contenders: question.contenders.iter().map(|_| DriveSummary::default()).collect(),
            pilot: None,
            end: None,
            withdrawn: Vec::new(),
            cases: CaseFigures::default(),
            complete_rounds: 0,
            gate: Gate::default(),
            capacities: None,
            drafts: Vec::new(),
            control: Vec::new(),
            means: Vec::new(),
        }
    }

    /// The comparisons that say how the contenders compared in each round: those of a pair or, of a suite, the mean
    /// over its cases.
    pub(crate) fn overall(&self) -> &[Draft] {
        if self.question.is_suite { &self.means } else { &self.drafts }
    }

    /// The name and the record of each contender.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&str, &DriveSummary)> {
        let names = self.question.contenders.iter().map(|question| question.name.as_str());
        names.zip(&self.contenders)
    }

    /// What each contender does, by group if it has groups.
    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        let parts = self.wholes().flat_map(|whole| {
            if whole.driven.groups.is_empty() { vec![whole] } else { self.groups(whole).collect() }
        });
        parts.collect()
    }

    /// All that each contender does, with or without groups.
    pub(crate) fn wholes(&self) -> impl Iterator<Item = Part<'_>> {
        let each = self.each().enumerate();
        let part = |(contender, (name, driven))| Part {
            contender,
            name,
            group: None,
            request: None,
            driven,
        };
        each.map(part)
    }

    /// What each contender does, and the requests that it is driven with alone.
    pub(crate) fn parts_and_requests(&self) -> Vec<Part<'_>> {
        let names = &self.question.requests;
        let requests = self.wholes().flat_map(|whole| {
            let each = names.iter().zip(&whole.driven.requests);
            each.map(move |(name, driven)| Part { request: Some(name), driven, ..whole })
        });
        self.parts().into_iter().chain(requests).collect()
    }

    fn groups<'a>(&'a self, whole: Part<'a>) -> impl Iterator<Item = Part<'a>> {
        let groups = self.question.groups.iter().map(|group| Some(group.name.as_str()));
        groups.zip(&whole.driven.groups).map(move |(group, driven)| Part { group, driven, ..whole })
    }

    /// What was recorded of these operations of a contender.
    pub(crate) fn side(&self, contender: u32, of: Operations) -> Option<&DriveSummary> {
        let driven = self.contenders.get(contender as usize)?;
        match of {
            Operations::All | Operations::Case(_) => Some(driven),
            Operations::Group(group) => driven.groups.get(group),
            Operations::Request(request) => driven.requests.get(request),
        }
    }

    /// The question's settings of a contender.
    pub(crate) fn contender_question(&self, contender: usize) -> Option<&ContenderQuestion> {
        self.question.contenders.get(contender)
    }

    pub(crate) fn name(&self, contender: u32) -> &str {
        self.question.name_of(contender)
    }

    pub(crate) fn names(&self, contenders: &[usize]) -> Vec<String> {
        contenders.iter().map(|number| self.name(*number as u32).to_owned()).collect()
    }

    /// Whether this is a run of one contender, with nothing to compare.
    pub(crate) fn single(&self) -> bool {
        self.question.contenders.len() == 1
    }

    /// Whether several machines drove.
    pub(crate) fn has_agents(&self) -> bool {
        self.contenders.iter().any(|driven| !driven.agents.each.is_empty())
    }

    /// Whether contenders alternated in slices, not once per round.
    pub(crate) fn is_interleaved_in_slices(&self) -> bool {
        !self.single()
            && match &self.pilot {
                Some(choice) => choice.interleave == Interleave::Slices,
                None => self.contenders.iter().any(|driven| driven.most_slices > 1),
            }
    }

    /// Whether this contender left the ranking or the sweep.
    pub(crate) fn has_left(&self, contender: u32) -> bool {
        self.withdrawn.iter().any(|of| of.contender == contender)
    }

    /// How many contenders have not left.
    pub(crate) fn remaining(&self) -> usize {
        (0..self.contenders.len()).filter(|number| !self.has_left(*number as u32)).count()
    }

    /// Forgets what was recorded of contenders that left: the audit is about the others.
    pub(crate) fn forget_withdrawn(&mut self) {
        for of in &self.withdrawn {
            if let Some(driven) = self.contenders.get_mut(of.contender as usize) {
                *driven = DriveSummary::default();
            }
        }
        let withdrawn = &self.withdrawn;
        let is_left = |pair: &Pair| {
            withdrawn.iter().any(|of| of.contender == pair.a || of.contender == pair.b)
        };
        self.question.pairs.retain(|pair| !is_left(pair));
        self.drafts.retain(|draft| !is_left(&draft.pair));
    }

    /// Judges a round from what was recorded of each contender, by number. None if the round does not hold it.
    pub(crate) fn judge_round(&mut self, round: u32, mut trials: Vec<Option<Seen>>) {
        if self.question.is_suite {
            for (contender, seen) in trials.iter_mut().enumerate() {
                seen.iter_mut().for_each(|seen| self.cases.take(contender, round, seen));
            }
        }
        if self.has_agents() {
            self.gate.add(trials.iter().flatten());
        }
        let nothing = Seen::default();
        let seen: Vec<&Seen> =
            trials.iter().map(|seen| seen.as_ref().unwrap_or(&nothing)).collect();
        let question = &self.question;
        let cores: Vec<CoresOf<'_>> = (question.contenders.iter())
            .map(|question| CoresOf { machine: question.machine, cores: &question.target_cores })
            .collect();
        let costs = cost::costs_on(&question.sharing, &cores, &seen);
        let costs: Vec<Option<Costs>> = (costs.into_iter().enumerate())
            .map(|(number, cost)| {
                let cost = cost.filter(|_| self.said_in_sight(number))?;
                let shared = !self.sharers(number).is_empty();
                Some(Costs { cost, cores: self.target_cores(number), shared })
            })
            .collect();
        let launch = self.launch_of(round);
        let each = self.contenders.iter_mut().zip(trials).zip(costs);
        for (number, ((driven, seen), costs)) in (0..).zip(each) {
            if let Some(seen) = seen {
                driven.judge(number, round, launch, seen, costs);
            }
        }
    }

    /// Whether the CPU time of the contender's target is visible: the plan expects it, and it was
    /// read in every judged slice.
    pub(crate) fn cpu_in_sight(&self, contender: usize) -> bool {
        self.said_in_sight(contender)
            && self.contenders.get(contender).is_some_and(|driven| driven.unread_from.is_none())
    }

    /// The first judged round in which the target's watcher could no longer read it. Returns None
    /// if the watcher could always read it. The rounds before it were read.
    pub(crate) fn sight_lost(&self, contender: usize) -> Option<u32> {
        let driven = self.contenders.get(contender)?;
        driven
            .unread_from
            .filter(|_| self.said_in_sight(contender) && driven.target.watch.is_some())
    }

    /// Why the CPU time of the contender's target is not visible, if that is known.
    pub(crate) fn why_not_visible(&self, contender: usize) -> Option<String> {
        let driven = self.contenders.get(contender)?;
        let unread = self.said_in_sight(contender) && driven.unread_from.is_some();
        let lost = || {
            let round = self.sight_lost(contender)?;
            let why = driven.target.watch.as_ref()?.lost.as_ref();
            let why = why.map_or(String::new(), |why| format!(": {why}"));
            Some(format!("from round {round} on{why}"))
        };
        let otherwise = || unread.then(|| "it could not be read in every slice".to_owned());
        driven.target.cpu_unavailable.clone().or_else(lost).or_else(otherwise)
    }

    fn said_in_sight(&self, contender: usize) -> bool {
        self.contender_question(contender).is_some_and(|question| question.cpu_in_sight)
    }

    /// The cost of the contender's target in the judged rounds, if its CPU time is visible. If a
    /// watcher lost the target, it is the cost in the rounds before.
    pub(crate) fn costs(&self, contender: usize) -> Option<Costs> {
        let cost = self.contenders.get(contender)?.cost;
        let seen = self.cpu_in_sight(contender) || self.sight_lost(contender).is_some();
        let known = seen && cost.driven_ns > 0;
        let shared = !self.sharers(contender).is_empty();
        known.then(|| Costs { cost, cores: self.target_cores(contender), shared })
    }

    /// CPU that the contender's target used while it rested, as a share of one core, if it is
    /// known.
    pub(crate) fn cpu_at_rest(&self, contender: usize) -> Option<f64> {
        self.costs(contender)?.cost.at_rest()
    }

    /// How many cores the contender's target may use, if it is known.
    fn target_cores(&self, contender: usize) -> Option<usize> {
        let cores = self.cores_of(contender).len();
        (cores > 0).then_some(cores)
    }

    /// CPU of the contender's target while it was driven, as a share of its allowed cores, if both
    /// are known for all judged rounds: that it was at its limit in some does not tell who was the
    /// slower part in the others.
    pub(crate) fn target_busy(&self, contender: usize) -> Option<f64> {
        let costs = self.costs(contender).filter(|_| self.cpu_in_sight(contender))?;
        costs.cost.busy(costs.cores?)
    }

    /// The largest share of the target's allowed cores that the hypervisor may have taken away
    /// while it was driven.
    pub(crate) fn stolen_from_target(&self, contender: usize) -> Option<f64> {
        let costs = self.costs(contender)?;
        let available = costs.cost.driven_ns as f64 * costs.cores? as f64;
        let driven = &self.contenders[contender];
        let here = self.contender_question(contender).is_some_and(|question| question.machine == 0);
        let stolen_ns = if here { driven.steal_ns } else { driven.watched_steal_ns };
        Some(stolen_ns as f64 / available)
    }

    /// The generator's own maximum rate in operations per second: against the null server, with all
    /// workers together. An operation cannot cost it more alone than in the rounds. If it seemed
    /// to, the machine was busy before the pilot, and the cost of the rounds counts.
    pub(crate) fn own_rate(&self, contender: usize) -> Option<f64> {
        let driven = self.contenders.get(contender)?;
        let here = driven.generator_cpu_ns as f64 / 1e9 / driven.judged.operations as f64;
        let cost = driven.own_cost()?.min(here);
        (cost > 0.0).then(|| f64::from(self.question.workers.max(1)) / cost)
    }

    /// Whether the contender's operations follow from a workload: then replies differ from each
    /// other, and verification shows whether they are correct.
    pub(crate) fn has_workload(&self, contender: usize) -> bool {
        self.contender_question(contender).is_some_and(|question| question.from_workload)
    }

    /// Contenders whose stores are the same server as the contender's.
    pub(crate) fn same_server(&self, contender: usize) -> Vec<usize> {
        let server = |number: usize| self.contenders.get(number)?.stored.server();
        let own = server(contender);
        let others = (0..self.contenders.len()).filter(|other| *other != contender);
        others.filter(|other| own.is_some() && server(*other) == own).collect()
    }

    /// Contenders whose targets have a process in common with the contender's.
    pub(crate) fn sharers(&self, contender: usize) -> Vec<usize> {
        let others = (0..self.contenders.len()).filter(|other| *other != contender);
        others.filter(|other| cost::shared(&self.question.sharing, contender, *other)).collect()
    }

    /// The launch of this round if launches are judged as a whole: their replies together give its
    /// quantiles. Journals of earlier versions have the mean of the rounds.
    fn launch_of(&self, round: u32) -> Option<u32> {
        self.pilot.as_ref()?.launches?;
        self.question.launch_of(round)
    }

    /// Rounds per launch, if the launch is the replicate.
    pub(crate) fn rounds_of_a_launch(&self) -> Option<u32> {
        self.question.rounds_of_a_launch()
    }

    /// The share of time that the generator's threads were idle while they drove the contender:
    /// neither running nor waiting for a core.
    pub(crate) fn generator_idle(&self, contender: usize) -> Option<f64> {
        let time = self.generator_time(contender)?;
        Some((1.0 - time.busy - time.kept).max(0.0))
    }

    /// How the generator's threads spent their time while they drove the contender.
    pub(crate) fn generator_time(&self, contender: usize) -> Option<GeneratorTime> {
        let driven = self.contenders.get(contender)?;
        let available = driven.took_ns as f64 * f64::from(self.question.workers.max(1));
        let share = |ns: u64| ns as f64 / available;
        // It is not known whose core was stolen; it is assumed to be the generator's.
        let kept = share(driven.waited_ns + driven.steal_ns);
        (available > 0.0).then(|| GeneratorTime { busy: share(driven.generator_cpu_ns), kept })
    }

    /// CPU of the generator on cores that the contender's target may use as well, as a share of the
    /// target's cores: the target cannot use that time. The generator's threads, one on each of its
    /// cores, are assumed to be equally busy.
    pub(crate) fn generator_on_targets_cores(&self, contender: usize) -> f64 {
        let question = &self.question;
        let (own, theirs) = (&question.generator_cores, self.cores_of(contender));
        let Some(time) = self.generator_time(contender) else { return 0.0 };
        let elsewhere =
            self.contender_question(contender).is_some_and(|question| question.machine != 0);
        if own.is_empty() || theirs.is_empty() || elsewhere {
            return 0.0;
        }
        let both = own.iter().filter(|core| theirs.contains(core)).count() as f64;
        time.busy * both / theirs.len() as f64
    }

    /// The cores that the contender's target may use. Empty if they are not known.
    pub(crate) fn cores_of(&self, contender: usize) -> &[u32] {
        self.contender_question(contender).map_or(&[], |question| question.target_cores.as_slice())
    }

    /// Whether the contender is a program that starts in every turn, and no server of its own runs longer.
    pub(crate) fn starts_anew(&self, contender: u32) -> bool {
        let driven = self.contenders.get(contender as usize);
        driven.is_some_and(|of| of.judged.programs.runs > 0 && of.target.launches == 0)
    }

    /// Whether the two of a pair are ways to reach one target.
    pub(crate) fn is_one_target(&self, pair: Pair) -> bool {
        let both = |group: &Vec<u32>| group.contains(&pair.a) && group.contains(&pair.b);
        self.question.one_target.iter().any(both)
    }

    /// Whether the client's cost is part of what is compared in this pair, because every
    /// application pays it: the two are ways to reach one target, or client libraries drive both.
    pub(crate) fn client_counts(&self, pair: Pair) -> bool {
        let library = |of: u32| {
            self.contender_question(of as usize).is_some_and(|question| question.by_library)
        };
        (library(pair.a) && library(pair.b)) || self.is_one_target(pair)
    }

    /// Whether this holds in every pair that contains the contender.
    pub(crate) fn client_counts_for(&self, contender: u32) -> bool {
        let has = |pair: &&Pair| pair.a == contender || pair.b == contender;
        let mut pairs = self.question.pairs.iter().filter(has).peekable();
        pairs.peek().is_some() && pairs.all(|pair| self.client_counts(*pair))
    }
}

impl DriveSummary {
    /// The requested rate. None in closed loop, or if nothing was requested.
    pub(crate) fn rate(&self) -> Option<f64> {
        self.lane_orders.first()?.intensity.arrivals.rate()
    }

    /// Whether it was driven in closed loop.
    pub(crate) fn closed(&self) -> bool {
        self.lane_orders
            .first()
            .is_some_and(|question| question.intensity.arrivals == Arrivals::Closed)
    }
}
