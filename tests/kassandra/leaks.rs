//! Whether the memory of a process goes on growing with its requests.

/// The memory of a process when it had answered this many requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) requests: u64,
    pub(crate) memory_kb: u64,
}

/// How many parts in a row must be calm.
const CALM: usize = 4;

/// The growth for each request that is no leak yet, in kilobytes.
const MOST_PER_REQUEST: f64 = 0.1;

/// Four pages, which a process may touch for other reasons.
const SLACK_KB: f64 = 16.0;

/// Whether the memory was steady over the last [`CALM`] parts. The largest step is left out: PHP's
/// allocator takes memory in chunks of 2 MB, and a single one of them is no leak. A leak grows in all
/// parts alike.
pub(crate) fn is_steady(samples: &[Sample]) -> bool {
    let Some(first) = samples.len().checked_sub(CALM + 1) else { return false };
    let steps = samples[first..].windows(2).map(|pair| {
        let grown_kb = pair[1].memory_kb as f64 - pair[0].memory_kb as f64;
        (grown_kb, (pair[1].requests - pair[0].requests) as f64)
    });
    let mut steps: Vec<(f64, f64)> = steps.collect();
    steps.sort_by(|a, b| a.0.total_cmp(&b.0));
    steps.pop();
    let grown_kb: f64 = steps.iter().map(|step| step.0).sum();
    let requests: f64 = steps.iter().map(|step| step.1).sum();
    grown_kb <= MOST_PER_REQUEST * requests + SLACK_KB
}

/// A process that answers so many requests in each part, loses so much with each, and takes one chunk
/// more in one of the parts. Its memory is whole pages, and spreads over the first chunk of its
/// allocator within 1500 requests.
fn process(each_part: u64, lost_bytes: u64, chunk_in: Option<u64>) -> Vec<Sample> {
    let of = |part: u64| {
        let requests = part * each_part;
        let spread_kb = (requests * 2048 / 1500).min(2048);
        let chunk_kb = if chunk_in.is_some_and(|at| part >= at) { 2048 } else { 0 };
        let memory_kb = (20_000 + spread_kb + requests * lost_bytes / 1024) / 4 * 4 + chunk_kb;
        Sample { requests, memory_kb }
    };
    (1..=32).map(of).collect()
}

#[test]
fn a_leak_of_a_quarter_of_a_kilobyte_a_request_is_never_steady() {
    for each_part in [62, 125, 1250] {
        for lost_bytes in [256, 512, 4096] {
            for chunk_in in [None, Some(20), Some(32)] {
                let samples = process(each_part, lost_bytes, chunk_in);
                let steady = (0..=samples.len()).find(|end| is_steady(&samples[..*end]));
                assert_eq!(steady, None, "{each_part} {lost_bytes} {chunk_in:?}: {samples:?}");
            }
        }
    }
}

#[test]
fn memory_that_was_spread_is_steady_even_if_a_chunk_is_added() {
    for chunk_in in [None, Some(14), Some(18)] {
        let samples = process(125, 0, chunk_in);
        // 1500 requests are over in the 12th part, which is the largest step of the next four.
        let steady = (0..=samples.len()).find(|end| is_steady(&samples[..*end]));
        assert!(steady.is_some_and(|parts| (14..=18).contains(&parts)), "{chunk_in:?}: {steady:?}");
    }
}
