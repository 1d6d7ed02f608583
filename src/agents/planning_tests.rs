//! What 25 agents would measure on networks that are not available here: the real clock model and
//! the real lead, over simulated delays. docs/guide.md has the table.

use super::clock_model::{ClockModel, Exchange};
use super::lead::Lead;

const AGENTS: u64 = 25;
const SLICES: u64 = 600;
const SLICE_NS: u64 = 100_000_000;
/// What the coordinator needs to send or take in one message.
const MESSAGE_NS: u64 = 10_000;
/// By how much an agent starts too late, on average: it spins before the start.
const WAKING_NS: f64 = 2_000.0;
/// The default of `--matters`: a tenth of it is the limit of the caution.
const MATTERS: f64 = 0.01;

/// How long a message is on its way: at least `way_ns`, and on average `jitter_ns` more.
struct Network {
    name: &'static str,
    way_ns: u64,
    jitter_ns: f64,
}

const NETWORKS: [Network; 3] = [
    Network { name: "one switch", way_ns: 25_000, jitter_ns: 5_000.0 },
    Network { name: "one data centre", way_ns: 100_000, jitter_ns: 20_000.0 },
    Network { name: "busy virtual machines", way_ns: 250_000, jitter_ns: 100_000.0 },
];

/// Uniform numbers between 0 and 1, which are both excluded.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Exponential with this mean.
    fn exponential(&mut self, mean: f64) -> u64 {
        (-mean * self.uniform().ln()).round() as u64
    }

    fn way(&mut self, network: &Network) -> u64 {
        network.way_ns + self.exponential(network.jitter_ns)
    }
}

/// One agent, and what the coordinator knows of its clock.
struct Agent {
    offset_ns: i64,
    drift: f64,
    model: ClockModel,
    sent: u64,
    received: u64,
}

impl Agent {
    fn new(random: &mut Random) -> Agent {
        Agent {
            // Machines that were started within a day, with usual oscillators.
            offset_ns: (86_400e9 * (random.uniform() - 0.5)) as i64,
            drift: 60e-6 * (random.uniform() - 0.5),
            model: ClockModel::default(),
            sent: 0,
            received: 0,
        }
    }

    fn clock(&self, at: u64) -> u64 {
        at.wrapping_add_signed(self.offset_ns + (self.drift * at as f64).round() as i64)
    }

    /// The true time when its clock shows this.
    fn true_time(&self, shown: u64) -> u64 {
        let since = shown.wrapping_sub(self.offset_ns as u64) as f64;
        (since / (1.0 + self.drift)).round() as u64
    }

    /// Adds the answer to the last message, which left at `left` and arrived at `arrival`.
    fn answered(&mut self, left: u64, arrival: u64) {
        let (received, answered) = (self.clock(self.received), self.clock(left));
        self.model.add(&Exchange { sent: self.sent, received, answered, back: arrival });
    }
}

/// What a run on one network shows, in nanoseconds.
struct Shown {
    bound: u64,
    spread: u64,
    pause: u64,
    late: u64,
}

/// All agents on one network, and the coordinator, whose clock shows the true time.
struct Group<'a> {
    network: &'a Network,
    random: Random,
    agents: Vec<Agent>,
    /// The time, in nanoseconds.
    now: u64,
}

impl<'a> Group<'a> {
    fn new(network: &'a Network) -> Group<'a> {
        let mut random = Random(17);
        let agents = (0..AGENTS).map(|_| Agent::new(&mut random)).collect();
        Group { network, random, agents, now: 86_400_000_000_000 }
    }

    /// The exchanges before the first slice.
    fn synchronise(&mut self) {
        for agent in &mut self.agents {
            for _ in 0..32 {
                agent.sent = self.now;
                agent.received = self.now + self.random.way(self.network);
                let arrival = agent.received + self.random.way(self.network);
                agent.answered(agent.received, arrival);
                self.now = arrival + MESSAGE_NS;
            }
        }
    }

    /// Announces a slice that starts at this time. Returns when each agent starts, and whether it
    /// was announced too late to one of them. Checks that no clock is off by more than its bound.
    fn start(&mut self, at: u64) -> (Vec<u64>, bool) {
        let (mut starts, mut was_late) = (Vec::new(), false);
        for agent in &mut self.agents {
            let start_on_its_clock = agent.model.theirs(at);
            agent.sent = self.now;
            self.now += MESSAGE_NS;
            agent.received = self.now + self.random.way(self.network);
            let due = agent.true_time(start_on_its_clock);
            was_late |= agent.received > due;
            starts.push(due.max(agent.received) + self.random.exponential(WAKING_NS));
            let off = agent.model.theirs(at).abs_diff(agent.clock(at));
            let bound = agent.model.bound_ns(at);
            assert!(Some(off) <= bound, "{}: off by {off} ns", self.network.name);
        }
        (starts, was_late)
    }

    /// Every agent answers when its own slice has ended. The messages are processed one by one.
    fn answers(&mut self, starts: &[u64]) {
        let ends = starts.iter().map(|start| start + SLICE_NS);
        let arrivals = ends.map(|end| end + self.random.way(self.network));
        let mut arrivals: Vec<(u64, usize)> =
            arrivals.enumerate().map(|(at, arrival)| (arrival, at)).collect();
        arrivals.sort_unstable();
        for (arrival, at) in arrivals {
            self.agents[at].answered(starts[at] + SLICE_NS, arrival);
            self.now = self.now.max(arrival) + MESSAGE_NS;
        }
    }
}

fn simulated(network: &Network) -> Shown {
    let (mut group, mut lead) = (Group::new(network), Lead::new());
    group.synchronise();
    let mut shown = Shown { bound: 0, spread: 0, pause: 0, late: 0 };
    let (mut ended, mut paused) = (group.now, 0);
    for _ in 0..SLICES {
        let round_trips = group.agents.iter().filter_map(|agent| agent.model.round_trip_ns());
        let at = group.now + lead.ns() + round_trips.max().unwrap_or(0);
        let (starts, was_late) = group.start(at);
        lead.adjust(was_late);
        shown.late += u64::from(was_late);
        let (first, last) = (starts.iter().min(), starts.iter().max());
        let (first, last) = (*first.expect("agents"), *last.expect("agents"));
        shown.spread += last - first;
        paused += first - ended;
        ended = last + SLICE_NS;
        group.answers(&starts);
    }
    let bounds = group.agents.iter().filter_map(|agent| agent.model.bound_ns(group.now));
    shown.bound = bounds.max().expect("agents");
    shown.spread /= SLICES;
    shown.pause = paused / SLICES;
    shown
}

fn row(network: &Network) -> String {
    let shown = simulated(network);
    let micros = |ns: u64| format!("{} µs", (ns as f64 / 1e3).round());
    let slice_ms = (shown.bound + shown.spread) as f64 / (0.1 * MATTERS) / 1e6;
    format!(
        "| {} | {} and {} more | {} | {} | {} ms | {} | {:.0} % |",
        network.name,
        micros(network.way_ns),
        micros(network.jitter_ns as u64),
        micros(shown.bound),
        micros(shown.spread),
        slice_ms.round(),
        micros(shown.pause),
        100.0 * shown.late as f64 / SLICES as f64
    )
}

#[test]
fn the_guide_has_the_figures_of_the_simulation() {
    let guide = include_str!("../../docs/guide.md");
    let rows: Vec<String> = NETWORKS.iter().map(row).collect();
    assert!(guide.contains(&rows.join("\n")), "docs/guide.md must have\n{}", rows.join("\n"));
}
