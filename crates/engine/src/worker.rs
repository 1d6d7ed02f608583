//! One core, which drives its lanes in the interleaved order.

use crate::barrier::{Barrier, BrokenBarrier};
use crate::gate::Gate;
use crate::health::{Health, Reading};
use crate::lane_schedule::SPIN_NS;
use crate::random::Random;
use crate::readings::note_targets;
use crate::sync::{Mutex, Sender};
use crate::warm_up::{WarmSlice, WarmUpTest};
use crate::{
    Driving, Ending, EngineError, Lane, LaneSet, LeftOut, MakeLane, Opened, Seat, TargetClock,
    TargetReading, Turn, clock,
    interleaving::{self, RoundOf, Sequence, SliceOf},
};
use record::{DriveOrder, Histogram, Phase, Recorder, Seen, SliceStart};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::Duration;
use sys::affinity;

/// How long a slice may take beyond sending time and timeout before it is given up in any case.
const GRACE_NS: u64 = 1_000_000_000;
/// A contender with few replies is waited for at least as long, however short the plan is.
const SHORTEST_LIMIT_NS: u64 = 1_000_000_000;
/// The time from the workers' meeting to the start of the slice, long enough for all to be
/// awake.
const LEAD_NS: u64 = 20_000;
/// The random stream that the order of renewals is drawn from; the round is added.
const RENEWAL: u64 = 0x4E4E_0000_0000;
/// The random stream that the order of the first connections is drawn from; the number of the first round
/// is added.
const OPENING: u64 = 0x4E4F_0000_0000;
/// How many connections of one lane are opened before those of another lane.
const OPENED_AT_ONCE: usize = 2;
/// How long all resting lanes together are serviced between two slices.
const REST_NS: u64 = 200_000;
/// How long after its beginning an operation that the last slice left is waited for: ten times the ordinary drain. On a
/// busy machine a reply may take longer than that drain, which is no failure of the target.
const LAST_REPLIES_NS: u64 = 500_000_000;
/// The pause between two looks for the last replies.
const LAST_REPLIES_PAUSE: Duration = Duration::from_millis(1);

/// What the workers of one run share. It is accessed only between slices.
pub(crate) struct Shared {
    pub(crate) barrier: Barrier,
    pub(crate) started: u64,
    /// What one worker decided at the last meeting, such as the start of the next slice; 0 means
    /// that the run ends.
    decided: AtomicU64,
    /// A worker has failed, so the run ends at the next meeting.
    broken: AtomicBool,
    /// Decides when slices start, if other processes drive the same contenders.
    gate: Option<Arc<dyn Gate>>,
    ending: Ending,
    driving: Driving,
    left_out: LeftOut,
    /// The lanes that are left out, as of the last meeting: the same for all workers.
    left_out_now: AtomicU64,
    /// What all workers measured in the warm-up, if it ends by a test.
    warm_up: Mutex<WarmUpTest>,
    /// How many units wait at the end of a round: of each lane, by worker.
    waiting: Vec<Vec<AtomicU32>>,
}

impl Shared {
    pub(crate) fn new(
        order: &DriveOrder,
        workers: usize,
        gate: Option<Arc<dyn Gate>>,
        (ending, driving, left_out): (Ending, Driving, LeftOut),
    ) -> Shared {
        Shared {
            warm_up: Mutex::new(WarmUpTest::new(order)),
            waiting: order.lanes.iter().map(|_| counters(workers)).collect(),
            barrier: Barrier::new(workers),
            started: clock::now(),
            decided: AtomicU64::new(0),
            broken: AtomicBool::new(false),
            gate,
            ending,
            driving,
            left_out,
            left_out_now: AtomicU64::new(0),
        }
    }

    /// Whether the run ends at this meeting.
    fn ends(&self, seat: &Seat) -> bool {
        seat.stop.raised() || self.broken.load(Ordering::Relaxed)
    }

    /// Decides when the slice at `index` starts. Returns 0 if the run ends.
    fn decide(&self, index: u64, seat: &Seat) -> u64 {
        if self.ends(seat) {
            return 0;
        }
        self.ending.forget();
        self.left_out_now.store(self.left_out.lanes().bits(), Ordering::Relaxed);
        match &self.gate {
            Some(gate) => gate.next(index).unwrap_or(0),
            None if seat.workers > 1 => clock::now() + LEAD_NS,
            None => clock::now(),
        }
    }
}

fn counters(workers: usize) -> Vec<AtomicU32> {
    std::iter::repeat_with(AtomicU32::default).take(workers).collect()
}

/// One worker's part of one trial.
pub(crate) struct TrialPart {
    /// Running number of the trial's round (warm-up: 0).
    pub(crate) trial: u64,
    pub(crate) phase: Phase,
    pub(crate) round: u32,
    pub(crate) contender: u32,
    pub(crate) cut_short: bool,
    /// Whether the contender has levelled, after a warm-up by test.
    pub(crate) levelled: Option<bool>,
    pub(crate) seen: Seen,
}

/// Why a worker ends before the last round.
enum EarlyEnd {
    /// The end was requested.
    Stopped,
    Broken(EngineError),
}

impl From<BrokenBarrier> for EarlyEnd {
    fn from(_: BrokenBarrier) -> EarlyEnd {
        EarlyEnd::Stopped
    }
}

impl From<EngineError> for EarlyEnd {
    fn from(broken: EngineError) -> EarlyEnd {
        EarlyEnd::Broken(broken)
    }
}

/// Releases the other workers when this one ends, for whatever reason.
struct ReleaseOnDrop<'a>(&'a Barrier);

impl Drop for ReleaseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.break_it();
    }
}

struct Driven {
    lane: Box<dyn Lane>,
    seen: Recorder,
    /// Operations that this worker may still start in the rounds.
    left: Option<u64>,
    /// What the warm-up's test needs of the last slice.
    warmed: Warmed,
}

/// The last slice of a warm-up by test.
#[derive(Default)]
struct Warmed {
    /// Whether response times are needed.
    open: bool,
    /// The response times of all slices so far.
    response_times: Histogram,
    slice: WarmSlice,
}

impl Warmed {
    /// Notes what was recorded since the last slice.
    fn note(&mut self, seen: &mut Recorder) {
        let operations = seen.ended_in_slice();
        let slice = seen.slice_mut();
        let took_ns = slice.took_ns.max(slice.sending_ns);
        self.slice = WarmSlice { operations, took_ns, ..WarmSlice::default() };
        if self.open {
            let all = seen.response_times();
            let (replies, median_ns) = all.median_since(&self.response_times).unwrap_or_default();
            self.slice.replies = replies;
            self.slice.medians_ns = replies.saturating_mul(median_ns);
            self.response_times = all;
        }
    }
}

impl Driven {
    fn open(&mut self) -> Result<(), EngineError> {
        let opened = self.lane.open(&mut self.seen)?;
        self.note(opened);
        Ok(())
    }

    /// Opens at most `most` connections. Returns true once all that can be opened are open.
    fn open_some(&mut self, most: usize) -> Result<bool, EngineError> {
        let opened = self.lane.open_some(most, &mut self.seen)?;
        if let Some(opened) = opened {
            self.note(opened);
        }
        Ok(opened.is_some())
    }

    fn note(&mut self, Opened { requested, established }: Opened) {
        self.seen.connections(requested, established);
    }
}

/// What one worker is started with.
pub(crate) struct WorkerSetup {
    /// Its core. None if it is not pinned.
    pub(crate) core: Option<u32>,
    /// Whether it reads what concerns the whole machine.
    pub(crate) reads_machine: bool,
    pub(crate) lanes: Vec<MakeLane>,
    pub(crate) targets: Vec<TargetClock>,
}

pub(crate) struct Worker<'a> {
    order: &'a DriveOrder,
    seat: Seat,
    shared: &'a Shared,
    parts: &'a Sender<Result<TrialPart, EngineError>>,
    health: Health,
    /// Time stolen from the machine until the end of the previous slice.
    stolen_ns: u64,
    lanes: Vec<Driven>,
    targets: Vec<TargetClock>,
    index: u64,
    after: Option<u32>,
    /// Lanes that are not driven any more. They are closed.
    left_out: LaneSet,
}

impl<'a> Worker<'a> {
    /// Runs a worker from start to end.
    pub(crate) fn work(
        order: &'a DriveOrder,
        seat: Seat,
        setup: WorkerSetup,
        shared: &'a Shared,
        parts: &'a Sender<Result<TrialPart, EngineError>>,
    ) {
        let _let_go = ReleaseOnDrop(&shared.barrier);
        let heartbeat = seat.heartbeat.clone();
        let result = settle(setup.core).and_then(|()| {
            let health = Health::of_this_thread(setup.reads_machine);
            let lanes = make(order, &seat, setup.lanes)?;
            let (targets, index, after, stolen_ns) = (setup.targets, 0, None, 0);
            Ok(Worker {
                order,
                seat,
                shared,
                parts,
                health,
                stolen_ns,
                lanes,
                targets,
                index,
                after,
                left_out: LaneSet::default(),
            })
        });
        let result = match result {
            Ok(mut worker) => {
                let result = worker.open().and_then(|()| worker.drive());
                worker.close();
                result
            }
            Err(broken) => Err(broken.into()),
        };
        if let Err(EarlyEnd::Broken(broken)) = result {
            shared.broken.store(true, Ordering::Relaxed);
            // The receiver outlives all workers.
            let _ = parts.send(Err(broken.at_lane(heartbeat.lane())));
        }
    }

    fn open(&mut self) -> Result<(), EarlyEnd> {
        if let [lane] = self.lanes.as_mut_slice() {
            return Ok(lane.open()?);
        }
        let all = (0..self.lanes.len()).collect();
        self.open_in_turn(all, OPENING + u64::from(self.order.first_round))
    }

    /// Reopens the persistent connections of all lanes, in an order drawn for this round.
    ///
    /// Where the kernel places a socket in memory changes the cost of an operation over it, by
    /// up to 2 % in the sum of a lane's sockets. If the sockets were kept for a whole run, that
    /// would be a difference between two lanes of one server which no number of rounds averages
    /// out. A single lane is not compared, so it keeps its connections.
    fn renew(&mut self, round: u32) -> Result<(), EarlyEnd> {
        let is_driven = |lane: &usize| !self.left_out.has(*lane as u32);
        let mut renewed: Vec<usize> = (0..self.lanes.len()).filter(is_driven).collect();
        if renewed.len() < 2 {
            return Ok(());
        }
        let waiting = self.waiting()?;
        renewed.retain(|lane| self.lanes[*lane].lane.end_connections(waiting[*lane]));
        self.rest()?;
        self.open_in_turn(renewed, RENEWAL + u64::from(round))
    }

    /// Waits for all workers. Returns how many units of each lane wait on all of them.
    fn waiting(&self) -> Result<Vec<u32>, EarlyEnd> {
        // The workers of a process are those whose numbers are apart by the number of processes.
        let processes = self.seat.workers / self.shared.ending.workers();
        let own = self.seat.worker / processes.max(1);
        for (driven, all) in self.lanes.iter().zip(&self.shared.waiting) {
            all[own].store(driven.lane.waiting(), Ordering::Relaxed);
        }
        self.shared.barrier.wait()?;
        let sum = |all: &Vec<AtomicU32>| all.iter().map(|one| one.load(Ordering::Relaxed)).sum();
        Ok(self.shared.waiting.iter().map(sum).collect())
    }

    /// Opens the connections of these lanes. The lanes take turns with a few connections each, in an order
    /// drawn from this random stream: otherwise what the sockets of one lane have in common would appear as
    /// scatter between rounds.
    fn open_in_turn(&mut self, mut lanes: Vec<usize>, stream: u64) -> Result<(), EarlyEnd> {
        let mut random = Random::new(self.order.seed, stream);
        while !lanes.is_empty() {
            random.shuffle(&mut lanes);
            let mut left = Vec::with_capacity(lanes.len());
            for lane in lanes {
                self.seat.heartbeat.at_lane(lane);
                if !self.lanes[lane].open_some(OPENED_AT_ONCE)? {
                    left.push(lane);
                }
            }
            lanes = left;
        }
        Ok(())
    }

    fn drive(&mut self) -> Result<(), EarlyEnd> {
        self.stolen_ns = self.health.stolen_ns();
        let mut result = Ok(());
        if self.order.warm_up.most_ns > 0 {
            result = self.warm_up();
            let ends = result.is_err() || self.order.rounds == 0;
            self.hand_over(0, Phase::WarmUp, 0, (result.is_err(), ends));
        }
        for number in 0..self.order.rounds {
            result?;
            let round = self.order.first_round + number;
            if number > 0 {
                self.end_round()?;
                self.renew(round)?;
            }
            let slices = self.order.slices_per_round();
            let of = RoundOf {
                contenders: self.lanes.len() as u32,
                slices,
                requests: self.order.requests,
                slices_per_request: self.order.slices_per_request(),
                left_out: self.left_out,
            };
            let order = interleaving::order(self.order.seed, round, of);
            let sending_ns = self.order.round_ns / u64::from(slices);
            let is_last = number + 1 == self.order.rounds;
            result = self.slices(&order, sending_ns, true);
            if is_last && result.is_ok() {
                result = self.read_last_replies();
            }
            let ends = result.is_err() || is_last;
            self.hand_over(u64::from(round), Phase::Round, round, (result.is_err(), ends));
        }
        result
    }

    /// Drives every lane until it is warm.
    fn warm_up(&mut self) -> Result<(), EarlyEnd> {
        let (kind, number) = (Sequence::WarmUps, self.order.first_round);
        let contenders = self.lanes.len() as u32;
        let blocks = interleaving::sequences(kind, self.order.seed, number, contenders);
        let of_all = |contender| SliceOf { contender, request: None };
        let mut blocks = blocks.map(|order| order.into_iter().map(of_all).collect::<Vec<_>>());
        if !self.order.warm_up.is_by_test() {
            let order = blocks.next().unwrap_or_default();
            return self.slices(&order, self.order.warm_up.least_ns, false);
        }
        for (block, order) in blocks.enumerate() {
            let Some(sending_ns) = self.next_block()? else { break };
            self.slices(&order, sending_ns, false)?;
            let mut test = self.shared.warm_up.lock().unwrap_or_else(PoisonError::into_inner);
            for (contender, driven) in (0..).zip(&self.lanes) {
                test.add(contender, block, &driven.warmed.slice);
            }
        }
        Ok(())
    }

    /// Waits for all workers; one of them decides whether the warm-up goes on. Returns the sending time of
    /// the slices that come next, or None if all lanes are warm.
    fn next_block(&self) -> Result<Option<u64>, EarlyEnd> {
        const WARM: u64 = u64::MAX;
        let decided = self.decided_by_one(|| {
            if self.shared.ends(&self.seat) {
                return 0;
            }
            let test = self.shared.warm_up.lock();
            test.unwrap_or_else(PoisonError::into_inner).next_block().unwrap_or(WARM)
        })?;
        match decided {
            0 => Err(EarlyEnd::Stopped),
            WARM => Ok(None),
            sending_ns => Ok(Some(sending_ns)),
        }
    }

    /// Whether this contender has levelled. Returns None unless the warm-up ended by a test.
    fn levelled(&self, phase: Phase, contender: u32) -> Option<bool> {
        let tested = phase == Phase::WarmUp && self.order.warm_up.is_by_test();
        let test = || self.shared.warm_up.lock().unwrap_or_else(PoisonError::into_inner);
        tested.then(|| test().has_levelled(contender))
    }

    fn slices(
        &mut self,
        order: &[SliceOf],
        sending_ns: u64,
        limited: bool,
    ) -> Result<(), EarlyEnd> {
        for &of in order {
            self.recorder(of).make_ready();
            self.rest()?;
            let targets = self.read_targets();
            let before = self.health.read();
            let Some(starts) = self.meet()? else { return Err(EarlyEnd::Stopped) };
            self.slice(of, starts, sending_ns, limited)?;
            if !limited && self.order.warm_up.is_by_test() {
                let Driven { seen, warmed, .. } = &mut self.lanes[of.contender as usize];
                warmed.note(seen);
            }
            self.note(of, &before, &targets);
        }
        if self.seat.stop.raised() { Err(EarlyEnd::Stopped) } else { Ok(()) }
    }

    /// Waits until all processes have ended the round: renewing connections takes CPU time of the
    /// targets, which belongs to no slice.
    fn end_round(&self) -> Result<(), EarlyEnd> {
        let Some(gate) = &self.shared.gate else { return Ok(()) };
        let goes_on = || !self.shared.ends(&self.seat) && gate.round_ended(self.index);
        let goes_on = self.decided_by_one(|| u64::from(goes_on()))?;
        if goes_on != 0 { Ok(()) } else { Err(EarlyEnd::Stopped) }
    }

    /// Waits for all workers. One of them decides, and all return what it decided.
    fn decided_by_one(&self, decide: impl FnOnce() -> u64) -> Result<u64, EarlyEnd> {
        if self.shared.barrier.wait()? {
            self.shared.decided.store(decide(), Ordering::Relaxed);
        }
        self.shared.barrier.wait()?;
        Ok(self.shared.decided.load(Ordering::Relaxed))
    }

    /// Waits for all workers; one of them decides when the next slice starts.
    fn meet(&self) -> Result<Option<u64>, EarlyEnd> {
        let starts = self.decided_by_one(|| self.shared.decide(self.index, &self.seat))?;
        // A gate leaves time for its message to reach all processes.
        let sleeps = starts.saturating_sub(SPIN_NS).saturating_sub(clock::now());
        if sleeps > 0 {
            std::thread::sleep(Duration::from_nanos(sleeps));
        }
        Ok((starts != 0).then_some(starts))
    }

    /// The recorder of a slice.
    fn recorder(&mut self, of: SliceOf) -> &mut Recorder {
        self.lanes[of.contender as usize].seen.of_slice(of.request)
    }

    fn slice(
        &mut self,
        SliceOf { contender, request }: SliceOf,
        starts: u64,
        sending_ns: u64,
        limited: bool,
    ) -> Result<(), EarlyEnd> {
        let asked = &self.order.lanes[contender as usize];
        let driven = &mut self.lanes[contender as usize];
        let sends_until = starts + sending_ns;
        let turn = Turn {
            starts,
            sends_until,
            gives_up: sends_until + 2 * asked.timeout_ns + GRACE_NS,
            operations: driven.left.filter(|_| limited),
            request,
            longest_drain_ns: asked.timeout_ns.min(self.order.planned_ns().max(SHORTEST_LIMIT_NS)),
        };
        let seen = driven.seen.of_slice(request);
        seen.begin_slice(&SliceStart {
            index: self.index,
            after: self.after,
            engine_started: self.shared.started,
            starts,
            sends_until,
            // Response times of the warm-up show only whether it is over.
            burn_in_ns: if limited { asked.burn_in_ns } else { 0 },
        });
        self.shared.driving.begin(Some(contender as usize), sends_until);
        self.seat.heartbeat.at_lane(contender as usize);
        self.seat.heartbeat.gives_up(turn.gives_up);
        let end = driven.lane.slice(&turn, seen);
        self.seat.heartbeat.gives_up(0);
        self.shared.driving.end();
        let end = end?;
        end.note(starts, seen.slice_mut());
        if let Some(left) = driven.left.as_mut().filter(|_| limited) {
            *left = left.saturating_sub(seen.slice_mut().due);
        }
        self.index += 1;
        self.after = Some(contender);
        Ok(())
    }

    /// Reads the CPU time of every target so far.
    fn read_targets(&mut self) -> Vec<Option<TargetReading>> {
        self.targets.iter_mut().map(|read| read()).collect()
    }

    /// Adds to the slice what it cost and what the machine did to it.
    fn note(&mut self, of: SliceOf, before: &Reading, targets: &[Option<TargetReading>]) {
        let after = self.health.read();
        let stolen_ns = self.health.stolen_ns();
        let targets_after = self.read_targets();
        let before_stolen_ns = std::mem::replace(&mut self.stolen_ns, stolen_ns);
        let seen = self.recorder(of);
        let slice = seen.slice_mut();
        // Added and not set: a blocking lane has threads that are already counted.
        slice.generator_cpu_ns += after.cpu_ns - before.cpu_ns;
        slice.waited_ns = after.waited_ns.saturating_sub(before.waited_ns);
        note_targets(slice, targets, &targets_after);
        slice.steal_ns = stolen_ns.saturating_sub(before_stolen_ns);
        seen.end_slice();
    }

    fn rest(&mut self) -> Result<(), EarlyEnd> {
        let until = clock::now() + REST_NS;
        for (lane, driven) in self.lanes.iter_mut().enumerate() {
            if self.left_out.has(lane as u32) {
                continue;
            }
            self.seat.heartbeat.at_lane(lane);
            driven.lane.rest(until, &mut driven.seen)?;
        }
        Ok(())
    }

    /// Reads the replies that come soon after the last slice. Operations that have waited for longer are not waited for:
    /// a server with few threads starves them. No worker closes its connections before all have read their replies,
    /// because such a server would then serve the connections that wait.
    fn read_last_replies(&mut self) -> Result<(), EarlyEnd> {
        while !self.seat.stop.raised() && self.has_just_begun(clock::now()) {
            thread::sleep(LAST_REPLIES_PAUSE);
            self.rest()?;
        }
        self.shared.barrier.wait()?;
        Ok(())
    }

    /// Whether an operation waits for a reply that began so late that it may still come soon.
    fn has_just_begun(&self, now: u64) -> bool {
        let lanes = (0..).zip(self.lanes.iter().zip(&self.order.lanes));
        let mut waiting = lanes.filter(|(lane, _)| !self.left_out.has(*lane)).filter_map(
            |(_, (driven, order))| {
                Some(driven.lane.latest_waiting()? + LAST_REPLIES_NS.min(order.timeout_ns))
            },
        );
        waiting.any(|until| now < until)
    }

    /// Sends this worker's part of every contender's trial. `ends`: no other trial follows. Lanes that are left out
    /// from now on are closed.
    fn hand_over(&mut self, trial: u64, phase: Phase, round: u32, (cut_short, ends): (bool, bool)) {
        let left_out = LaneSet::from_bits(self.shared.left_out_now.load(Ordering::Relaxed));
        let contenders = 0..self.lanes.len() as u32;
        let levelled: Vec<_> = contenders.map(|lane| self.levelled(phase, lane)).collect();
        for ((contender, driven), levelled) in (0..).zip(&mut self.lanes).zip(levelled) {
            if self.left_out.has(contender) {
                continue;
            }
            self.seat.heartbeat.at_lane(contender as usize);
            driven.lane.note_waits(&mut driven.seen);
            if ends || left_out.has(contender) {
                // Operations in flight belong to this trial.
                driven.lane.close(&mut driven.seen);
            }
            let seen = driven.seen.take();
            let part = TrialPart { trial, phase, round, contender, cut_short, levelled, seen };
            // The receiver outlives all workers.
            let _ = self.parts.send(Ok(part));
        }
        self.left_out = left_out;
    }

    fn close(&mut self) {
        for (lane, driven) in self.lanes.iter_mut().enumerate() {
            self.seat.heartbeat.at_lane(lane);
            driven.lane.close(&mut driven.seen);
        }
    }
}

/// Pins the thread to its core and makes its timers precise.
fn settle(core: Option<u32>) -> Result<(), EngineError> {
    // The kernel's batching of timers must not delay operations that are due. Where it cannot be
    // turned off, they are late and are counted so.
    let _ = affinity::wake_precisely();
    let Some(core) = core else { return Ok(()) };
    let cores = affinity::set(&[core]).map_err(|core| {
        EngineError::Order(format!("core {core} is not supported: its number is too large"))
    })?;
    affinity::pin(0, &cores)
        .map_err(|error| EngineError::system(format!("cannot pin a worker to core {core}"), error))
}

fn make(order: &DriveOrder, seat: &Seat, lanes: Vec<MakeLane>) -> Result<Vec<Driven>, EngineError> {
    let mut made = Vec::with_capacity(lanes.len());
    for (make, asked) in lanes.into_iter().zip(&order.lanes) {
        let lane = make(seat)?;
        let left = asked.operations.map(|total| seat.share(total));
        let open = asked.intensity.arrivals.rate().is_some();
        let warmed = Warmed { open, ..Warmed::default() };
        made.push(Driven { lane, seen: Recorder::of_lane(asked), left, warmed });
    }
    Ok(made)
}
