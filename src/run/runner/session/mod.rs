//! Conducts one run: checks the targets, drives the pilot and the rounds, and writes each trial
//! into the journal when it ends.

mod blocks;
mod capacities;
mod stages;
mod suite;

use super::environment::{Environment, Halt};
use super::first_replies::{self, FirstReply};
use super::own_costs::OwnCosts;
use super::said::make_harmless;
use super::segments::{self, Segment};
use super::silence::Silence;
use super::stores_known::Stores;
use super::{lane_numbers, null, orders};
use crate::plan::length::pilot_length::PilotLength;
use crate::plan::length::{launches, warm_up};
use crate::plan::pilot;
use crate::protocols::PROTOCOLS;
use crate::run::journal::Writer;
use crate::run::progress::Progress;
use crate::targets::ready::{self, Answer, ExpectedReply};
use engine::interleaving::{Sequence, sequence};
use engine::{EngineError, LeftOut};
use judge::{Judge, audit, capacity};
use protocol::Error;
use protocol::address::tls::NoTls;
use record::{
    DriveOrder, End, EndReason, Event, Failure, LaneOrder, LengthRule, OwnCost, Phase, PilotChoice,
    Plan, Question, StoreMoment, TargetReady, TrialRecord, own_cost,
};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use text::units::{nanoseconds, show_counted, show_ns, show_whole, show_whole_seconds};

/// Rounds that take at most so many times as long as planned are not announced anew.
const AS_PLANNED: f64 = 1.25;

/// What a run needs from outside.
pub(super) struct RunSession<'a, W> {
    pub(super) plan: &'a Plan,
    pub(super) writer: TrialWriter<'a, W>,
    pub(super) environment: &'a mut dyn Environment,
    /// What is known of the stores among the targets.
    pub(super) stores: Stores,
    pub(super) own_costs: OwnCosts,
    /// The lanes that the engine leaves out of the rounds that follow.
    pub(super) left_out: LeftOut,
    pub(super) stopped: &'a dyn Fn() -> bool,
    /// Waits, unless the end is requested.
    pub(super) pause: &'a dyn Fn(Duration),
    /// Whether the run ends after its first stage: it only finds out how long a run must be.
    pub(super) only_first_stage: bool,
    /// When the run began.
    pub(super) began: Instant,
}

/// Where trials are written.
pub(super) struct TrialWriter<'a, W> {
    journal: Writer<W>,
    pub(super) progress: &'a Progress,
    pub(super) plan: &'a Plan,
    /// Trials of the current round, to sync once a round.
    in_round: usize,
    /// How many trials a round has that holds more than one of each contender.
    pub(super) trials_a_round: Option<usize>,
    /// Whether a connection was refused in a round.
    refused: bool,
    silence: Silence,
    /// Checks whether the run is decided, if looks are planned.
    judge: Option<Judge>,
    /// Trials and who left that the judge has not seen yet, in the journal's form: nothing is judged during the
    /// measurement, and as text they take a hundredth of the memory.
    unjudged: Vec<String>,
    /// Index and start of the first slice of this segment, since the engine counts from 0 in each
    /// segment.
    segment: RunPosition,
    /// Where the next segment begins.
    end: RunPosition,
    /// What the first launch of each contender cost, with its load and, once it is warm, its warm-up.
    launch_costs_ns: Vec<u64>,
    /// Whether these costs are complete.
    costs_are_known: bool,
    /// The launch that is under way, counted from 1.
    pub(super) launch: u32,
    /// Who left the ranking or the sweep, by number.
    pub(super) has_left: Vec<bool>,
    /// Whose target is not up, by number, because the launch that is under way does not hold it.
    pub(super) is_away: Vec<bool>,
}

/// Whether something is judged while the run lasts: at a look, or after a first stage.
fn is_judged_in_between(question: &Question) -> bool {
    !question.interim_looks.is_empty() || question.length.see().is_some()
}

/// A point between two slices of the rounds.
#[derive(Clone, Copy, Debug, Default)]
struct RunPosition {
    index: u64,
    ns: u64,
}

impl<'a, W: Write> TrialWriter<'a, W> {
    /// `only_first_stage` is that of the [`RunSession`].
    pub(super) fn new(
        journal: Writer<W>,
        progress: &'a Progress,
        plan: &'a Plan,
        only_first_stage: bool,
    ) -> Self {
        let question = &plan.question;
        let may_get_looks = matches!(question.length, LengthRule::ShortRounds { .. });
        let judge = (only_first_stage || may_get_looks || is_judged_in_between(question))
            .then(|| Judge::new(question));
        let (segment, end) = (RunPosition::default(), RunPosition::default());
        let unjudged = Vec::new();
        TrialWriter {
            journal,
            progress,
            plan,
            in_round: 0,
            trials_a_round: None,
            refused: false,
            silence: Silence::new(plan),
            judge,
            unjudged,
            segment,
            end,
            launch_costs_ns: vec![0; plan.contenders.len()],
            costs_are_known: false,
            launch: 1,
            has_left: vec![false; plan.contenders.len()],
            is_away: vec![false; plan.contenders.len()],
        }
    }

    pub(super) fn trial(&mut self, mut trial: TrialRecord) -> Result<TrialRecord, Halt> {
        make_harmless(&mut trial.seen);
        if trial.phase == Phase::Round {
            self.number_slices(&mut trial);
            self.refused |= trial.seen.outcomes.failed.contains_key(&Failure::Refused);
        }
        let event = Event::Trial(Box::new(trial));
        self.note_for_judge(&event)?;
        let Event::Trial(trial) = event else { unreachable!("just made") };
        self.progress.trial(&trial);
        if trial.phase == Phase::Round {
            self.in_round += 1;
            if self.in_round >= self.trials_in(trial.round) {
                self.in_round = 0;
                self.journal.sync()?;
            }
        }
        Ok(*trial)
    }

    /// The judge, with all that was written so far. Returns None if no look was planned.
    /// Call it between two segments.
    fn judge(&mut self) -> Option<&mut Judge> {
        let judge = self.judge.as_mut()?;
        for written in self.unjudged.drain(..) {
            match serde_json::from_str(&written) {
                Ok(Event::Trial(trial)) => judge.add(&trial),
                Ok(Event::Withdrawn(of)) => judge.withdrawn(&of),
                _ => unreachable!("one of these was written"),
            }
        }
        Some(judge)
    }

    /// Keeps the judge only if this question, after the pilot, needs it before the end: what it is to see would fill
    /// the memory for nothing.
    fn keep_judge_for(&mut self, question: &Question) {
        if !is_judged_in_between(question) {
            self.judge = None;
            self.unjudged = Vec::new();
        }
    }

    /// Writes something that the judge needs at a look.
    pub(super) fn note_for_judge(&mut self, event: &Event) -> Result<(), Halt> {
        let written = self.journal.write(event)?;
        if self.judge.is_some() {
            self.unjudged.push(written);
        }
        Ok(())
    }

    /// Writes what an earlier run measured of a lane: the audit is a function of the journal.
    fn own_cost(&mut self, kept: OwnCost) -> Result<(), Halt> {
        if let Some(judge) = self.judge() {
            judge.own_cost(&kept);
        }
        self.journal.write(&Event::OwnCost(kept))?;
        Ok(())
    }

    /// Numbers the slices of a trial so that they continue where the previous segment ended.
    fn number_slices(&mut self, trial: &mut TrialRecord) {
        let seen = &mut trial.seen;
        let alone = seen.requests.iter_mut().flat_map(|request| &mut request.slices);
        for slice in seen.slices.iter_mut().chain(alone) {
            slice.index += self.segment.index;
            slice.starts_ns += self.segment.ns;
            self.end.index = self.end.index.max(slice.index + 1);
            self.end.ns = self.end.ns.max(slice.starts_ns + slice.took_ns);
        }
    }

    /// Adds what belongs to the first launch of a contender to its cost.
    fn count_cost(&mut self, event: &Event) {
        let (contender, cost_ns) = match event {
            _ if self.costs_are_known => return,
            Event::Target(ready) if ready.launch <= 1 => (ready.contender, ready.took_ns),
            Event::Loaded(loaded) => (loaded.contender, loaded.whole_ns()),
            _ => return,
        };
        if let Some(cost) = self.launch_costs_ns.get_mut(contender as usize) {
            *cost = cost.saturating_add(cost_ns);
        }
    }

    /// What a launch of each contender that has not left costs, in nanoseconds.
    fn costs_ns(&self) -> impl Iterator<Item = u64> {
        self.remaining().into_iter().map(|at| self.launch_costs_ns[at])
    }

    /// What a launch of all of them costs, in nanoseconds.
    fn launch_ns(&self) -> u64 {
        self.costs_ns().fold(0, u64::saturating_add)
    }

    pub(super) fn write_and_sync(&mut self, event: &Event) -> Result<(), Halt> {
        self.count_cost(event);
        self.journal.write(event)?;
        Ok(self.journal.sync()?)
    }
}

impl<W: Write> RunSession<'_, W> {
    /// Drives the whole run and writes its end.
    ///
    /// # Errors
    /// If the journal cannot be written. Any other failure becomes the reason of the end.
    pub(super) fn conduct(mut self) -> Result<End, Error> {
        let outcome = self.introduce_agents();
        let outcome = if outcome.is_err() {
            outcome
        } else if self.stores.only_load {
            self.launch_targets(1)
        } else {
            self.phases()
        };
        // Whatever happened, nothing is left running; the first error is reported.
        let lowered = self.stop_targets(&|_| true);
        let refused = match &outcome {
            Err(Halt::Usage(why)) => Some(Error::usage(why.clone())),
            _ => None,
        };
        let (reason, detail) = match outcome.and(lowered) {
            Ok(()) => (EndReason::Complete, String::new()),
            Err(Halt::Stopped) => (EndReason::Stopped, "stopped by a signal".to_owned()),
            Err(Halt::Target(detail)) => (EndReason::TargetFailed, detail),
            Err(Halt::Broken(detail)) => (EndReason::Failed, detail),
            Err(Halt::Usage(detail)) => (EndReason::Stopped, detail),
            Err(Halt::Disk(error)) => return Err(disk(&error)),
        };
        let end = End { reason, detail };
        match self.writer.write_and_sync(&Event::End(end.clone())) {
            Err(Halt::Disk(error)) => Err(disk(&error)),
            _ => refused.map_or(Ok(end), Err),
        }
    }

    fn introduce_agents(&mut self) -> Result<(), Halt> {
        let Some(coordinator) = self.environment.coordinator() else { return Ok(()) };
        let agents = coordinator.agents();
        self.writer.progress.say(&format!("{} agents drive", agents.len()));
        self.writer.write_and_sync(&Event::Agents(agents))
    }

    fn phases(&mut self) -> Result<(), Halt> {
        self.launch_targets(1)?;
        self.check_statements()?;
        self.alone()?;
        let question = &self.plan.question;
        if question.is_suite {
            self.suite()
        } else if question.pairs.is_empty() && !question.seeks_capacity() {
            self.one()
        } else {
            self.interleaved_pilot()
        }
    }

    /// Ends the run if a statement of an experiment file cannot work. This is checked after the
    /// load, when the tables exist that it creates.
    fn check_statements(&mut self) -> Result<(), Halt> {
        let everyone = everyone(self.plan);
        self.each_remaining(everyone, |this, contender| {
            match this.environment.why_not_driven(contender) {
                Some(why) => Err(this.not_ready(contender, &why)),
                None => Ok(()),
            }
        })
    }

    /// Measures what the lanes cost by themselves, against the null server.
    fn alone(&mut self) -> Result<(), Halt> {
        let (mut who, mut lanes) = (Vec::new(), Vec::new());
        for (contender, lane) in null::lanes(self.plan) {
            if self.writer.has_left[contender] {
                continue;
            }
            match self.kept_cost(contender, &lane) {
                Some(kept) => self.writer.own_cost(kept)?,
                None => {
                    who.push(contender);
                    lanes.push(lane);
                }
            }
        }
        if lanes.is_empty() {
            return Ok(());
        }
        let order = null::order(self.plan, lanes);
        self.writer.progress.phase("measuring the cost of the generator itself", length(&order), 0);
        let trials = self.drive(Drive::NullServer, &order, &who)?;
        let whole = |trial: &&TrialRecord| !trial.cut_short && own_cost::may_be_kept(&trial.seen);
        for trial in trials.iter().filter(whole) {
            if let Some(cost) = own_cost::cheapest(&trial.seen) {
                self.own_costs.keep(trial.contender, cost);
            }
        }
        Ok(())
    }

    /// What an earlier run measured of this contender's lane.
    fn kept_cost(&mut self, contender: usize, lane: &LaneOrder) -> Option<OwnCost> {
        let protocol = self.environment.plain_protocol(contender)?;
        self.own_costs.find(contender as u32, &protocol, lane)
    }

    /// Launches all targets in random order, and checks that each is ready.
    fn launch_targets(&mut self, launch: u32) -> Result<(), Halt> {
        self.launch_those(launch, &|_| true)
    }

    /// Launches the targets of these contenders, and checks that each is ready.
    pub(super) fn launch_those(
        &mut self,
        launch: u32,
        which: &dyn Fn(usize) -> bool,
    ) -> Result<(), Halt> {
        if self.plan.launches() {
            self.writer.progress.phase("launching", Duration::ZERO, 0);
        }
        self.writer.launch = launch;
        self.stores.launched(launch, self.plan.contenders.len());
        let mut order = self.drawn(Sequence::Launches);
        // A target of several contenders is launched for the first of them.
        order.sort_by_key(|contender| self.plan.target_of(*contender) != *contender);
        order.retain(|contender| which(*contender));
        // The first load point launches the target for all, also after it has left.
        let plan = self.plan;
        let is_needed = |writer: &TrialWriter<'_, W>, at: usize| {
            let has_driven = plan.target_of(at) == at && writer.is_driven(at);
            !writer.is_away[at] && (!writer.has_left[at] || has_driven)
        };
        self.each_that(is_needed, order, |this, contender| {
            let ready = this.environment.launch_target(launch, contender)?;
            this.show_nodes(&ready);
            this.writer.write_and_sync(&Event::Target(ready))
        })?;
        // Of a suite, the run that lists its cases shows whether it works.
        if self.plan.question.is_suite {
            return Ok(());
        }
        self.ready(which)?;
        self.load()
    }

    /// Says which nodes of a target are driven, and which are not, at its first launch.
    fn show_nodes(&self, ready: &TargetReady) {
        let Some(nodes) = ready.nodes.as_ref().filter(|_| ready.launch <= 1) else { return };
        let name = &self.plan.contenders[ready.contender as usize].name;
        let progress = self.writer.progress;
        if !nodes.driven.is_empty() {
            progress.say(&format!("nodes of `{name}`: {}", audit::addresses(&nodes.driven)));
        }
        if let Some(what) = audit::not_dialled(nodes) {
            progress.say_always(&format!("caution: `{name}`: {what}; {}", audit::DIAL_THEM));
        }
    }

    /// Ends the targets of these contenders, if they were launched.
    pub(super) fn stop_targets(&mut self, which: &dyn Fn(usize) -> bool) -> Result<(), Halt> {
        for done in self.environment.stop_targets(which) {
            for trouble in &done.log_troubles {
                self.writer.progress.say_always(&format!("caution: {trouble}"));
            }
            self.writer.write_and_sync(&Event::TargetDone(done))?;
        }
        Ok(())
    }

    /// The contenders in the order in which this is done to them in the launch that is under way.
    pub(super) fn drawn(&self, kind: Sequence) -> Vec<usize> {
        let contenders = self.plan.contenders.len() as u32;
        let order = sequence(kind, self.plan.seed, self.writer.launch, contenders);
        order.into_iter().map(|contender| contender as usize).collect()
    }

    fn ready(&mut self, which: &dyn Fn(usize) -> bool) -> Result<(), Halt> {
        self.writer.progress.phase("checking whether the targets are ready", Duration::ZERO, 0);
        let replies = self.answering(which)?;
        if self.writer.launch == 1 {
            for objection in first_replies::objections(self.plan, &replies) {
                self.writer.progress.say(&format!("caution: {objection}"));
            }
        }
        Ok(())
    }

    /// Checks that these contenders answer. Returns the first reply of each.
    fn answering(&mut self, which: &dyn Fn(usize) -> bool) -> Result<Vec<FirstReply>, Halt> {
        let plan = self.plan;
        let mut replies = vec![FirstReply::default(); plan.contenders.len()];
        let order = self.drawn(Sequence::Readiness).into_iter();
        let order = order.filter(|at| which(*at)).collect();
        self.each_remaining(order, |this, contender| {
            replies[contender] = this.first_reply(contender)?;
            Ok(())
        })?;
        Ok(replies)
    }

    /// Asks a contender until it answers.
    pub(super) fn first_reply(&mut self, contender: usize) -> Result<FirstReply, Halt> {
        let mut pauses = ready::PAUSES_MS.iter();
        loop {
            let wrong = match self.ask(contender)? {
                Ok(reply) => return Ok(reply),
                Err(wrong) => wrong,
            };
            let Some(pause) = pauses.next() else { return Err(self.not_ready(contender, &wrong)) };
            (self.pause)(Duration::from_millis(*pause));
            if (self.stopped)() {
                return Err(Halt::Stopped);
            }
        }
    }

    /// Sends one request. Returns the reply, or what was wrong if another attempt may succeed.
    fn ask(&mut self, contender: usize) -> Result<Result<FirstReply, String>, Halt> {
        let order = orders::ready(self.plan, contender);
        let trials = self.drive(Drive::FirstRequests, &order, &[contender])?;
        let answer = trials.last().map(|trial| {
            let known = &self.plan.contenders[contender];
            let protocol = PROTOCOLS.of_recorded(&known.target);
            ready::answer(&trial.seen, ExpectedReply::of(&known.asks), protocol)
        });
        let reason = trials.last().and_then(|trial| ready::in_words(&trial.seen.reasons));
        let with = |wrong: &str, why: Option<String>| {
            why.map_or(wrong.to_owned(), |why| format!("{wrong}: {why}"))
        };
        match answer.unwrap_or(Answer::NotYet("no request was sent to it")) {
            Answer::Ready => {
                Ok(Ok(trials.last().map(|trial| FirstReply::of(&trial.seen)).unwrap_or_default()))
            }
            Answer::NotYet(wrong) => Ok(Err(with(wrong, reason))),
            Answer::Never(wrong) => {
                let why = self.environment.why_refused(contender).or(reason);
                Err(self.not_ready(contender, &with(wrong, why)))
            }
            Answer::NoTls => {
                let wrong = self.no_tls(contender);
                Err(self.not_ready(contender, &wrong))
            }
            Answer::Ours(wrong) => Err(Halt::Broken(format!("cannot ask a target: {wrong}"))),
        }
    }

    fn no_tls(&self, contender: usize) -> String {
        let why = match self.environment.why_no_tls(contender) {
            Some(NoTls::NotSpoken) => {
                let protocol = PROTOCOLS.of_recorded(&self.plan.contenders[contender].target);
                let plain = protocol.map(|protocol| protocol.schemes[0].name);
                let remedy =
                    plain.map(|plain| format!(": write {plain}:// for a connection without it"));
                return format!("it does not speak TLS there{}", remedy.unwrap_or_default());
            }
            Some(NoTls::Failed(why)) => format!(" ({why})"),
            None => String::new(),
        };
        format!(
            "the TLS handshake failed{why}; use --cacert FILE to trust another authority or \
             --insecure to accept any certificate"
        )
    }

    fn not_ready(&mut self, contender: usize, wrong: &str) -> Halt {
        if let Some(ended_target) = self.ended(contender) {
            return Halt::Target(ended_target);
        }
        let program_error = self.environment.program_error(contender);
        let contender = &self.plan.contenders[contender];
        let (name, target) = (&contender.name, &contender.target);
        Halt::Target(match program_error {
            Some(program_error) => format!("`{name}`: {program_error}"),
            None => format!("`{name}` ({target}) is not ready: {wrong}"),
        })
    }

    /// Drives the pilot and the rounds with the settings that it chose.
    fn interleaved_pilot(&mut self) -> Result<(), Halt> {
        let plan = self.plan;
        let (warm_ups, pilot) = self.driven_pilot()?;
        self.writer.costs_are_known = true;
        for warmed in &warm_ups {
            self.writer.launch_costs_ns[warmed.contender as usize] += warmed.driven_ns();
        }
        let dearest_ns = self.writer.costs_ns().max().unwrap_or(0);
        let (chosen, why) = launches::chosen(plan, dearest_ns).unzip();
        let plan = &launches::settled(plan, chosen);
        let (warm_up_ns, warmed) = warm_up::found(plan, &warm_ups).unzip();
        let mut choice = pilot::decide(plan, &pilot);
        if plan.question.seeks_capacity() {
            choice = capacities::chosen(plan, choice);
        }
        (choice.launches, choice.warm_up_ns) = (chosen, warm_up_ns);
        choice.load_points_apart = self.stores.apart.is_some();
        choice.load_point_orders = self.load_point_orders(plan);
        choice.why.extend(why.flatten().into_iter().chain(self.stores.apart.clone()));
        self.fit_into_time(plan, &mut choice);
        let plan = &plan.clone().with_choice(&choice);
        // Synced now, so that a full disk is noticed early.
        self.writer.write_and_sync(&Event::Pilot(choice.clone()))?;
        for sentence in warmed.iter().chain(&choice.why) {
            self.writer.progress.say(&format!("pilot: {sentence}"));
        }
        if !self.only_first_stage {
            self.writer.keep_judge_for(&plan.question);
        }
        if let Some(judge) = self.writer.judge() {
            judge.pilot(&choice);
        }
        let outcome = if plan.question.seeks_capacity() {
            self.capacities(plan, &choice)
        } else {
            self.rounds(plan, &choice)
        };
        self.with_final_store_reports(outcome)?;
        self.single_runs()
    }

    /// Drives the warm-up and the pilot: of all together, or of one load point after the other. Returns their trials.
    fn driven_pilot(&mut self) -> Result<(Vec<TrialRecord>, Vec<TrialRecord>), Halt> {
        if self.stores.apart.is_none() {
            return self.driven_pilot_of_present();
        }
        let (mut warm_ups, mut pilots) = (Vec::new(), Vec::new());
        for point in 0..self.plan.question.load_points.len() {
            self.load_point(point)?;
            if !self.present().is_empty() {
                let (warm_up, pilot) = self.driven_pilot_of_present()?;
                warm_ups.extend(warm_up);
                pilots.extend(pilot);
            }
        }
        Ok((warm_ups, pilots))
    }

    /// Drives them, and the pilot again if it saw too few replies.
    fn driven_pilot_of_present(&mut self) -> Result<(Vec<TrialRecord>, Vec<TrialRecord>), Halt> {
        let plan = self.plan;
        let is_warm_up = |trial: &TrialRecord| trial.phase == Phase::WarmUp;
        let by_test = plan.warm_up().is_by_test();
        let mut warm_ups = if by_test {
            self.drive_pilot("warm-up", |who| orders::warm_up(plan, who))?
        } else {
            Vec::new()
        };
        let mut length = PilotLength::after(plan, &warm_ups).shortened(plan);
        // A warm-up of a fixed length needs no look at what it measured.
        let mut warm_up = (!by_test).then(|| plan.warm_up());
        loop {
            let label = if warm_up.is_some() { "warm-up and pilot" } else { "pilot" };
            let trials =
                self.drive_pilot(label, |who| orders::pilot(plan, length, warm_up, who))?;
            let (first, mut pilot): (Vec<_>, Vec<_>) = trials.into_iter().partition(is_warm_up);
            pilot.retain(|trial| !self.writer.has_left[trial.contender as usize]);
            if warm_up.take().is_some() {
                warm_ups = first;
            }
            let Some(longer) = length.again(plan, &pilot) else {
                if !length.is_shortened(plan) || !pilot::decide(plan, &pilot).looks.is_empty() {
                    return Ok((warm_ups, pilot));
                }
                self.writer.progress.say("pilot: rounds must be longer; again for their slices");
                length = PilotLength::after(plan, &warm_ups);
                continue;
            };
            self.writer.progress.say(&format!(
                "pilot: too few replies in slices of {}; again with slices of {}",
                show_ns(length.slice_ns),
                show_ns(longer.slice_ns)
            ));
            length = longer;
        }
    }

    /// Drives those who have not left by an order for them.
    fn drive_pilot(
        &mut self,
        label: &str,
        order: impl Fn(&[usize]) -> DriveOrder,
    ) -> Result<Vec<TrialRecord>, Halt> {
        let who = self.present();
        let order = order(&who);
        self.writer.progress.phase(label, length(&order), 0);
        self.drive_together(Drive::Pilot, &order, &who)
    }

    /// Runs the method of the article that the experiment file repeats. It comes after the rounds,
    /// so that it does not affect them.
    fn single_runs(&mut self) -> Result<(), Halt> {
        let contenders = if self.only_first_stage { 0 } else { self.plan.contenders.len() };
        for contender in 0..contenders {
            if let Some(run) = self.environment.single_run(contender) {
                self.writer.progress.say(&format!("the article's method: {}", run.command));
                self.writer.write_and_sync(&Event::SingleRun(run))?;
            }
            if (self.stopped)() {
                return Err(Halt::Stopped);
            }
        }
        Ok(())
    }

    /// Records what the stores report after the last round, whatever the reason for the end.
    fn with_final_store_reports(&mut self, outcome: Result<(), Halt>) -> Result<(), Halt> {
        match outcome {
            Err(Halt::Disk(error)) => Err(Halt::Disk(error)),
            outcome => self.ask_stores(StoreMoment::RoundsEnd).and(outcome),
        }
    }

    /// Drives the rounds: those of the plan, until the last one or until the run is decided, and those of a
    /// second stage.
    fn rounds(&mut self, plan: &Plan, choice: &PilotChoice) -> Result<(), Halt> {
        if self.only_first_stage {
            return self.first_stage(plan, choice);
        }
        self.segments(plan, choice, segments::of(&plan.question))?;
        match self.second_stage(plan)? {
            Some(longer) => {
                let rest = segments::after(&longer.question, plan.rounds);
                self.segments(&longer, choice, rest)
            }
            None => Ok(()),
        }
    }

    fn segments(
        &mut self,
        plan: &Plan,
        choice: &PilotChoice,
        segments: Vec<Segment>,
    ) -> Result<(), Halt> {
        let first = segments.first().map_or(1, |segment| segment.first_round);
        let is_apart = self.stores.apart.is_some();
        for segment in segments {
            if segment.launch.is_some() && !is_apart && self.is_too_small(plan, &segment) {
                continue;
            }
            self.begin_launch(&plan.question, &segment)?;
            let who = self.writer.contenders_of(&plan.question, segment.first_round);
            if is_apart {
                if let Some(of) = who.first() {
                    self.load_point(of / plan.question.width())?;
                    self.ask_stores(StoreMoment::RoundsBegin)?;
                }
            } else if segment.launch.is_some() || segment.first_round == 1 {
                self.ask_stores(StoreMoment::RoundsBegin)?;
            }
            if is_apart || segment.launch.is_some() || segment.first_round == first {
                let left = self.time_left(plan, choice, &segment, &who);
                if segment.first_round == first {
                    self.announce(plan, &segment, left);
                }
                self.writer.progress.phase("round", left, plan.rounds);
            }
            if self.is_too_small(plan, &segment) {
                continue;
            }
            self.writer.segment = self.writer.end;
            let order = orders::rounds(plan, choice, &segment, &who);
            self.drive_together(Drive::Rounds, &order, &who)?;
            if is_apart {
                self.ask_stores(StoreMoment::RoundsEnd)?;
            }
            if self.is_decided(plan) {
                break;
            }
        }
        Ok(())
    }

    /// Says how long the rounds take, if that was not known before.
    fn announce(&self, plan: &Plan, first: &Segment, left: Duration) {
        let launches = segments::launches_after(&plan.question, first);
        let planned_ns = self.plan.driven_in_rounds_ns();
        let left_ns = nanoseconds(left);
        let is_second_stage = first.first_round > 1;
        if !is_second_stage && launches == 0 && left_ns as f64 <= AS_PLANNED * planned_ns as f64 {
            return;
        }
        let most = match plan.question.length {
            LengthRule::See(_) if !is_second_stage => "at least",
            _ if plan.question.interim_looks.is_empty() => "about",
            _ => "at most",
        };
        let of_each = if plan.question.blocks.is_empty() { " of each" } else { "" };
        let launches = match launches {
            0 => String::new(),
            some => format!(", with {}{of_each}", show_counted(some.into(), "more launch")),
        };
        let left = show_whole_seconds(left_ns);
        self.writer.progress.say(&format!("{most} {left} from here on{launches}"));
    }

    /// How long the rounds from this segment on take, with the last replies of their slices and the launches
    /// between them.
    fn time_left(
        &self,
        plan: &Plan,
        choice: &PilotChoice,
        from: &Segment,
        who: &[usize],
    ) -> Duration {
        let left = Segment { rounds: plan.rounds + 1 - from.first_round, ..*from };
        let launches_ns = self.writer.later_launches_ns(&plan.question, from);
        stages::driven(plan, choice, &left, who) + Duration::from_nanos(launches_ns)
    }

    /// Drives a warm-up and one round without interleaving.
    fn one(&mut self) -> Result<(), Halt> {
        let order = orders::run(self.plan);
        let counted = self.plan.contenders.iter().any(|contender| contender.operations.is_some());
        let planned = if counted { Duration::ZERO } else { length(&order) };
        self.ask_stores(StoreMoment::RoundsBegin)?;
        self.writer.progress.phase("driving", planned, order.rounds);
        let outcome = self.drive_together(Drive::Rounds, &order, &everyone(self.plan));
        self.with_final_store_reports(outcome.map(drop))?;
        self.check_targets()
    }

    /// A single long turn does not show that its target died, so the target is checked again if
    /// connections were refused. One server of several may die: its failures are counted.
    fn check_targets(&mut self) -> Result<(), Halt> {
        let plan = self.plan;
        let alone = |at: usize| plan.contenders[at].sharding.is_none();
        if self.writer.refused {
            self.answering(&alone).map(drop).map_err(|halt| match halt {
                Halt::Target(wrong) => {
                    Halt::Target(format!("a target died during the run: {wrong}",))
                }
                other => other,
            })
        } else {
            Ok(())
        }
    }

    /// Drives these targets in the pilot or the rounds.
    fn drive_together(
        &mut self,
        what: Drive,
        order: &DriveOrder,
        who: &[usize],
    ) -> Result<Vec<TrialRecord>, Halt> {
        let driven = self.drive(what, order, who);
        let coordinator = self.environment.coordinator();
        if let Some(of) = coordinator.filter(|_| !matches!(driven, Err(Halt::Disk(_)))) {
            self.writer.write_and_sync(&Event::Clocks(of.clocks()))?;
        }
        driven
    }

    /// Drives one order; every trial goes into the journal under the plan's
    /// number for its contender, and with the phase that it belongs to.
    fn drive(
        &mut self,
        what: Drive,
        order: &DriveOrder,
        who: &[usize],
    ) -> Result<Vec<TrialRecord>, Halt> {
        self.left_out.clear();
        let left_out = &self.left_out;
        let mut taking = TrialSink {
            writer: &mut self.writer,
            who,
            what,
            left_out,
            kept: Vec::new(),
            halt: None,
        };
        let each = &mut |trial| taking.take(trial);
        let driven = match what {
            Drive::FirstRequests | Drive::Search | Drive::Turn => {
                self.environment.drive(order, who, each)
            }
            Drive::NullServer => self.environment.drive_null(order, who, each),
            Drive::Pilot | Drive::Rounds => {
                self.environment.drive_together(order, who, what == Drive::Pilot, each)
            }
        };
        let (halt, kept) = (taking.halt, taking.kept);
        // A cluster that loses a node during the rounds shows the effect; before the rounds, it is
        // not the cluster that was to be measured.
        if matches!(what, Drive::Rounds | Drive::Turn) {
            for lost in self.environment.continue_without_ended_nodes() {
                self.writer.progress.say_always(&format!("caution: {lost}"));
            }
        }
        if let None | Some(Halt::Target(_)) = halt {
            match what {
                Drive::FirstRequests => {
                    let ended = who.first().and_then(|at| self.ended(*at));
                    ended.map_or(Ok(()), |how| Err(Halt::Target(how)))?;
                }
                _ => self.let_ended_ones_leave(who)?,
            }
        }
        match (halt, driven) {
            (Some(Halt::Target(wrong)), _) => {
                let program_error = who.iter().find_map(|at| self.environment.program_error(*at));
                let why = program_error.map(|why| format!(": {why}")).unwrap_or_default();
                Err(Halt::Target(wrong + &why))
            }
            (Some(halt), _) => Err(halt),
            (None, Err(EngineError::Lane { lane: Some(lane), why })) => {
                // An agent may name any number.
                Err(match who.get(lane as usize) {
                    Some(at) => Halt::cannot_be_driven(&self.plan.contenders[*at], &why),
                    None => Halt::Broken(why),
                })
            }
            (None, Err(error)) => Err(Halt::Broken(error.to_string())),
            (None, Ok(())) if (self.stopped)() => Err(Halt::Stopped),
            (None, Ok(())) => Ok(kept),
        }
    }
}

/// What an order drives, and what for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Drive {
    /// The targets, to see whether they answer.
    FirstRequests,
    /// The null server.
    NullServer,
    /// The targets in the warm-up and the pilot: on all agents, if there are agents.
    Pilot,
    /// The targets in the warm-up and the rounds: on all agents, if there are agents.
    Rounds,
    /// One target at one rate, in the search for its capacity.
    Search,
    /// One target at one rate, in a round.
    Turn,
}

impl Drive {
    /// The phase of a trial that the engine drove in this one.
    fn phase(self, driven: Phase) -> Phase {
        match (self, driven) {
            (Drive::FirstRequests, _) => Phase::Ready,
            (Drive::NullServer, _) => Phase::Null,
            (Drive::Pilot | Drive::Search, Phase::Round) => Phase::Pilot,
            (Drive::Pilot | Drive::Rounds | Drive::Search | Drive::Turn, driven) => driven,
        }
    }
}

/// Takes the trials of one order.
struct TrialSink<'t, 'a, W> {
    writer: &'t mut TrialWriter<'a, W>,
    who: &'t [usize],
    what: Drive,
    left_out: &'t LeftOut,
    /// The trials outside the rounds, or of one turn; those of all rounds would fill the memory.
    kept: Vec<TrialRecord>,
    halt: Option<Halt>,
}

impl<W: Write> TrialSink<'_, '_, W> {
    fn take(&mut self, mut trial: TrialRecord) -> ControlFlow<()> {
        if let Some(Halt::Disk(_)) = self.halt {
            // A line after an incomplete one would hide it.
            return ControlFlow::Break(());
        }
        let lane = trial.contender;
        lane_numbers::number_by_contender(&mut trial, self.who, self.writer.plan.contenders.len());
        trial.phase = self.what.phase(trial.phase);
        if trial.phase != Phase::Round {
            trial.round = 0;
        }
        match self.writer.trial(trial) {
            Ok(trial) => {
                let at = trial.contender as usize;
                let silent = self.writer.silence.add(self.writer.plan, &trial);
                if let Some(why) = silent.filter(|_| !self.writer.has_left[at]) {
                    self.left_out.add(lane);
                    let left = self.writer.withdraw(at, trial.round, why);
                    self.halt = self.halt.take().or(left.err());
                }
                if trial.phase != Phase::Round || self.what == Drive::Turn {
                    self.kept.push(trial);
                }
            }
            Err(halt) => self.halt = Some(halt),
        }
        match self.halt {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }
}

fn everyone(plan: &Plan) -> Vec<usize> {
    (0..plan.contenders.len()).collect()
}

/// How long an order drives, without drains.
fn length(order: &DriveOrder) -> Duration {
    let each = order.warm_up.least_ns + u64::from(order.rounds) * order.driven_in_round_ns();
    Duration::from_nanos(each.saturating_mul(order.lanes.len() as u64))
}

fn disk(error: &io::Error) -> Error {
    Error::failed(format!(
        "the journal cannot be written: {error}. The run was aborted; `tiebreak report` shows \
         what was written before"
    ))
}

/// The approximate duration of runs that follow one another, in whole seconds, without drains. The search for a
/// capacity may take longer if the target is slow.
pub(crate) fn foreseen<'a>(plans: impl IntoIterator<Item = &'a Plan> + Clone) -> String {
    let ends_early = |plan: &Plan| {
        let counted = plan.contenders.iter().any(|contender| contender.operations.is_some());
        let has_short_rounds = matches!(plan.question.length, LengthRule::ShortRounds { .. });
        counted || has_short_rounds || !plan.question.interim_looks.is_empty()
    };
    let grows = |plan: &Plan| plan.question.length.see().is_some();
    let most = if plans.clone().into_iter().any(grows) {
        "at least"
    } else if plans.clone().into_iter().any(ends_early) {
        "at most"
    } else {
        "about"
    };
    let several = plans.clone().into_iter().any(|plan| plan.question.restarts > 1);
    let launches = if several { " and the launches" } else { "" };
    let takes = |plan: &Plan| {
        let search_ns =
            if plan.question.seeks_capacity() { capacity::length::ABOUT_SEARCH_NS } else { 0 };
        let searches_ns = search_ns.saturating_mul(plan.contenders.len() as u64);
        let least_ns = plan.least_ns().saturating_add(searches_ns);
        plan.question.length.within_ns().unwrap_or(least_ns)
    };
    let all = plans.into_iter().map(takes).fold(0, u64::saturating_add);
    format!("{most} {}{launches}", show_whole_seconds(all))
}

/// How long one run takes, and what makes it longer: nothing is known of the replies before the pilot.
pub(crate) fn foreseen_of_one(plan: &Plan) -> String {
    if plan.question.is_suite {
        let within_ns = plan.question.length.within_ns();
        return within_ns.map_or(
            "a time that is known once one run of each program has listed the cases".to_owned(),
            |ns| format!("about {}", show_whole_seconds(ns)),
        );
    }
    let question = &plan.question;
    let each = question.rounds_of_a_launch().filter(|_| !question.blocks.is_empty());
    let launches = each.map_or(String::new(), |each| {
        let launched = question.turns() / u64::from(each);
        format!(" ({} of one contender, each with a warm-up)", show_whole(launched))
    });
    let longer = pilot::lengthens_above_ns(plan)
        .map_or(String::new(), |ns| format!("; longer if replies take more than {}", show_ns(ns)));
    foreseen([plan]) + &launches + &longer
}

#[cfg(test)]
mod tests;
