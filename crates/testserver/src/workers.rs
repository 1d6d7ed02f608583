//! Workers behind one queue: each takes the request that has waited longest, and serves one at a time.
//!
//! A request that arrives goes to the worker that is free first, so the end of its service is known when it arrives.
//! The server then only needs a timer, and no worker uses the CPU. The next service of a worker starts at the
//! *scheduled* end of the one before, as in `timeline`.

use super::behaviour::Workers;
use super::delay::Delay;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Separates the random numbers of services from those of delays, which have the same seed.
const STREAM_OF_SERVICES: u64 = 0x5e55_1ce5_0f00_0001;

/// The queue. Times are nanoseconds of one clock.
#[derive(Debug)]
pub(super) struct WorkerQueue {
    service: Delay,
    seed: u64,
    /// When each worker has served all that has arrived for it.
    free_at: BinaryHeap<Reverse<u64>>,
}

impl WorkerQueue {
    pub(super) fn new(workers: Workers, seed: u64) -> WorkerQueue {
        let free_at = (0..workers.count.get()).map(|_| Reverse(0)).collect();
        WorkerQueue { service: workers.service, seed: seed ^ STREAM_OF_SERVICES, free_at }
    }

    /// The end of the service of request `number`, which arrived at `at`. `at` never decreases.
    pub(super) fn arrive(&mut self, at: u64, number: u64) -> u64 {
        let service = self.service.of(self.seed, number);
        let Some(mut first) = self.free_at.peek_mut() else { return at };
        first.0 = first.0.max(at).saturating_add(service);
        first.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU32;
    use std::time::Duration;

    fn queue(count: u32, service: Delay, seed: u64) -> WorkerQueue {
        let count = NonZeroU32::new(count).expect("not zero");
        WorkerQueue::new(Workers { count, service }, seed)
    }

    #[test]
    fn each_worker_serves_one_request_at_a_time_in_the_order_of_arrival() {
        let mut queue = queue(2, Delay::Fixed(Duration::from_nanos(100)), 1);
        let arrivals = [1000, 1010, 1020, 1050, 1300, 1301];
        let ends = arrivals.map(|at| queue.arrive(at, 1));
        assert_eq!(ends, [1100, 1110, 1200, 1210, 1400, 1401]);
    }

    /// Of 20 000 services the mean has a standard error of 0.7 %.
    #[test]
    fn services_are_exponential_with_their_mean_and_independent_of_delays() {
        let exponential = Delay::Exponential(Duration::from_millis(2));
        let mut queue = queue(1, exponential, 7);
        let mut end = 0;
        let services: Vec<f64> = (1..=20_000)
            .map(|number| {
                let before = std::mem::replace(&mut end, queue.arrive(0, number));
                (end - before) as f64 / 2e6
            })
            .collect();
        let mean = services.iter().sum::<f64>() / 20_000.0;
        assert!((mean - 1.0).abs() < 4.0 * 0.0071, "{mean}");
        let beyond = services.iter().filter(|service| **service > 100f64.ln()).count();
        // 1 % of 20 000, and four standard errors.
        assert!((200 - 57..=200 + 57).contains(&beyond), "{beyond}");
        let delays = (1..=20_000).map(|number| exponential.of(7, number) as f64 / 2e6 - 1.0);
        let products = services.iter().zip(delays).map(|(service, delay)| (service - 1.0) * delay);
        let correlation = products.sum::<f64>() / 20_000.0;
        assert!(correlation.abs() < 4.0 * 0.0071, "{correlation}");
    }
}
