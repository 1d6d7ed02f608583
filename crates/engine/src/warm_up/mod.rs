//! When lanes are warm. They are driven in short slices, one of each contender after another, until the
//! throughput of each has levelled (closed loop), or its median response time (open loop). Pure: the
//! workers say what they measured.

use record::{Arrivals, DriveOrder};

/// Sending time of a slice, and of the slices of targets that reply slowly or rarely.
const SLICE_NS: u64 = 50_000_000;
const LONGEST_SLICE_NS: u64 = 500_000_000;
/// In open loop a slice is long enough for this many operations.
const OPERATIONS: f64 = 20.0;
/// The slices of the last quarter are compared with those of the quarter before it; both last at least
/// this long and have at least this many slices. A window that grows with the warm-up notices what
/// changes slowly.
const QUARTER: usize = 4;
const WINDOW_NS: u64 = 350_000_000;
const FEWEST_SLICES: usize = 2;
/// A figure has levelled if its mean changed by less than this share.
const SHARE: f64 = 0.03;
/// It has also levelled if its mean changed by less than this many standard errors.
const STANDARD_ERRORS: f64 = 2.0;

/// What was measured in one slice of one contender, by one worker or by all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct WarmSlice {
    /// Operations that ended.
    pub(crate) operations: u64,
    /// From the start to the last reply, or to the end of sending if that was later.
    pub(crate) took_ns: u64,
    /// How many of the operations have a response time, and the sum over the workers of the medians of
    /// these, each multiplied by their number.
    pub(crate) replies: u64,
    pub(crate) medians_ns: u64,
}

impl WarmSlice {
    fn merge(&mut self, other: &WarmSlice) {
        self.operations += other.operations;
        self.took_ns = self.took_ns.max(other.took_ns);
        self.replies += other.replies;
        self.medians_ns = self.medians_ns.saturating_add(other.medians_ns);
    }

    fn throughput(&self) -> f64 {
        self.operations as f64 / self.took_ns.max(1) as f64
    }

    fn median(&self) -> Option<f64> {
        (self.replies > 0).then(|| self.medians_ns as f64 / self.replies as f64)
    }
}

/// The warm-up of all lanes of one order.
#[derive(Debug, Hash)]
pub(crate) struct WarmUpTest {
    least_ns: u64,
    most_ns: u64,
    lanes: Vec<WarmingLane>,
    /// Sending time of the slices that come next.
    sending_ns: u64,
}

#[derive(Debug, Hash)]
struct WarmingLane {
    open: bool,
    slices: Vec<WarmSlice>,
    levelled: bool,
}

impl WarmUpTest {
    pub(crate) fn new(order: &DriveOrder) -> WarmUpTest {
        let arrivals = || order.lanes.iter().map(|lane| lane.intensity.arrivals);
        let lane = |arrivals: Arrivals| WarmingLane {
            open: arrivals.rate().is_some(),
            slices: Vec::new(),
            levelled: false,
        };
        let rate = arrivals().filter_map(|arrivals| arrivals.rate()).fold(f64::INFINITY, f64::min);
        WarmUpTest {
            least_ns: order.warm_up.least_ns,
            most_ns: order.warm_up.most_ns,
            lanes: arrivals().map(lane).collect(),
            sending_ns: ((OPERATIONS / rate * 1e9) as u64).clamp(SLICE_NS, LONGEST_SLICE_NS),
        }
    }

    /// Adds what one worker measured of a contender in the block at this index. A block has one slice of
    /// each contender.
    pub(crate) fn add(&mut self, contender: u32, block: usize, slice: &WarmSlice) {
        let slices = &mut self.lanes[contender as usize].slices;
        match slices.get_mut(block) {
            Some(whole) => whole.merge(slice),
            None => slices.push(*slice),
        }
    }

    /// Returns the sending time of the slices of the next block. Returns None if the warm-up is over.
    /// Call it between two blocks.
    pub(crate) fn next_block(&mut self) -> Option<u64> {
        let blocks = self.lanes.first().map_or(0, |lane| lane.slices.len());
        let longest_ns = self.lanes.iter().map(WarmingLane::took_ns).max().unwrap_or(0);
        self.lengthen(blocks);
        if longest_ns >= self.least_ns {
            self.test(window(blocks, longest_ns));
        }
        let warm = self.lanes.iter().all(|lane| lane.levelled);
        (!warm && longest_ns < self.most_ns).then_some(self.sending_ns)
    }

    /// A program that is interpreted until it is compiled is level before it gets faster, so lanes are not
    /// tested before the least time has passed.
    fn test(&mut self, window: usize) {
        for lane in &mut self.lanes {
            lane.levelled |= has_levelled(&lane.values(), window);
        }
    }

    /// Whether the contender has levelled.
    pub(crate) fn has_levelled(&self, contender: u32) -> bool {
        self.lanes[contender as usize].levelled
    }

    /// Makes the slices as long as the slowest target took for its last replies, so that the others are
    /// not driven for a small part of the time only. The first replies of a target, which may have to
    /// load its program, do not count.
    fn lengthen(&mut self, blocks: usize) {
        if blocks > 1 {
            let took = self.lanes.iter().filter_map(|lane| Some(lane.slices.last()?.took_ns));
            let drain_ns = took.max().unwrap_or(0).saturating_sub(self.sending_ns);
            self.sending_ns = self.sending_ns.max(drain_ns.min(LONGEST_SLICE_NS));
        }
    }
}

impl WarmingLane {
    fn took_ns(&self) -> u64 {
        self.slices.iter().map(|slice| slice.took_ns).sum()
    }

    /// The figure that must level, by slice.
    fn values(&self) -> Vec<f64> {
        if self.open {
            self.slices.iter().filter_map(WarmSlice::median).collect()
        } else {
            self.slices.iter().map(WarmSlice::throughput).collect()
        }
    }
}

/// How many slices are compared with as many before them, if the longest lane took so long for all of its
/// slices.
fn window(slices: usize, took_ns: u64) -> usize {
    let fewest = (slices as u64 * WINDOW_NS).div_ceil(took_ns.max(1));
    (slices / QUARTER).max(fewest as usize).max(FEWEST_SLICES)
}

/// Whether the mean of the last values, this many, is that of as many before them: within [`SHARE`], or
/// within [`STANDARD_ERRORS`] of what the values scatter by. The scatter is that from one value to the
/// next, which a trend hardly raises.
fn has_levelled(values: &[f64], window: usize) -> bool {
    let Some(first) = values.len().checked_sub(2 * window) else { return false };
    let compared = &values[first..];
    let mean = |part: &[f64]| part.iter().sum::<f64>() / window as f64;
    let (before, last) = (mean(&compared[..window]), mean(&compared[window..]));
    let steps = compared.windows(2).map(|pair| (pair[1] - pair[0]).powi(2));
    let variance = steps.sum::<f64>() / (2 * (compared.len() - 1)) as f64;
    let error = (2.0 * variance / window as f64).sqrt();
    (last - before).abs() <= (SHARE * before).max(STANDARD_ERRORS * error)
}

#[cfg(test)]
mod tests;
