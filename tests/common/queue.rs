//! What queueing theory says about a queue with several workers, Poisson arrivals and exponential service times
//! (M/M/c), served in the order of arrival. Times are in seconds, rates are per second.

#![allow(dead_code, reason = "each test file uses a part of it")]

/// A queue in front of `workers`, each of which serves one request at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queue {
    pub(crate) workers: u32,
    pub(crate) mean_service: f64,
}

impl Queue {
    /// The rate at which all workers are always busy.
    pub(crate) fn saturation(&self) -> f64 {
        f64::from(self.workers) / self.mean_service
    }

    /// The probability that an arrival has to wait (Erlang C), from Erlang B by its recursion.
    pub(crate) fn share_waiting(&self, rate: f64) -> f64 {
        let load = rate * self.mean_service;
        let blocked =
            |blocked: f64, worker: u32| load * blocked / (f64::from(worker) + load * blocked);
        let blocked = (1..=self.workers).fold(1.0, blocked);
        let busy = load / f64::from(self.workers);
        blocked / (1.0 - busy * (1.0 - blocked))
    }

    /// The probability that a response takes longer than `time`: of those that wait, the wait is exponential with the
    /// rate saturation − `rate`, and the service time is added to it. 1 from saturation on.
    pub(crate) fn share_later(&self, rate: f64, time: f64) -> f64 {
        if rate >= self.saturation() {
            return 1.0;
        }
        let (service, wait) = (1.0 / self.mean_service, self.saturation() - rate);
        let served = (-service * time).exp();
        // Both rates the same: the limit of the general form.
        let waited_and_served = if (wait / service - 1.0).abs() < 1e-9 {
            (1.0 + service * time) * served
        } else {
            (wait * served - service * (-wait * time).exp()) / (wait - service)
        };
        let waiting = self.share_waiting(rate);
        (1.0 - waiting) * served + waiting * waited_and_served
    }

    /// The quantile of response time at a rate below saturation: `beyond` is 0.01 for the p99.
    pub(crate) fn quantile(&self, rate: f64, beyond: f64) -> f64 {
        let slowest = 1.0 / (self.saturation() - rate) + self.mean_service;
        // P(T > t) falls with t; 100 times the slower of the two means is beyond every quantile that is asked for.
        bisect(0.0, 100.0 * slowest, |time| self.share_later(rate, time) > beyond)
    }

    /// The highest rate at which at most the share `beyond` of responses takes longer than `time`. 0 if even the
    /// service alone takes longer.
    pub(crate) fn capacity(&self, time: f64, beyond: f64) -> f64 {
        bisect(0.0, self.saturation(), |rate| self.share_later(rate, time) <= beyond)
    }
}

/// Where `is_below` changes from true to false.
fn bisect(mut low: f64, mut high: f64, is_below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..100 {
        let middle = low.midpoint(high);
        if is_below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::Queue;

    fn queue(workers: u32, mean_service: f64) -> Queue {
        Queue { workers, mean_service }
    }

    /// Erlang C of tables: (workers, load, probability).
    #[test]
    fn the_share_that_waits_is_that_of_the_tables() {
        for (workers, load, share) in
            [(1, 0.5, 0.5), (2, 1.0, 1.0 / 3.0), (4, 3.0, 0.509_434), (10, 8.0, 0.409_180)]
        {
            let waiting = queue(workers, 1.0).share_waiting(load);
            assert!((waiting - share).abs() < 1e-6, "{workers} {load}: {waiting}");
        }
    }

    /// With one worker the response time is exponential with the rate saturation − rate.
    #[test]
    fn one_worker_has_exponential_response_times() {
        let one = queue(1, 200e-6);
        assert!((one.quantile(4000.0, 0.01) - 100f64.ln() / 1000.0).abs() < 1e-12);
        assert!((one.capacity(5e-3, 0.01) - (5000.0 - 100f64.ln() / 5e-3)).abs() < 1e-6);
        assert_eq!(one.share_later(5000.0, 1.0), 1.0);
        // The service alone is later than 100 µs in 61 %.
        assert!(one.capacity(100e-6, 0.01) < 1e-6);
    }

    /// Where waiting and service have the same rate, the general form is 0 ÷ 0.
    #[test]
    fn shares_are_continuous_where_the_two_rates_are_the_same() {
        let two = queue(2, 1.0);
        let [below, at, above] = [0.9999, 1.0, 1.0001].map(|rate| two.share_later(rate, 2.0));
        assert!(below < at && at < above && above - below < 1e-3, "{below} {at} {above}");
        // A third waits, for a time that is exponential like the service: (1 + t/3)·e^−t at t = 2.
        assert!((at - (1.0 + 2.0 / 3.0) * (-2f64).exp()).abs() < 1e-12, "{at}");
    }

    #[test]
    fn the_capacity_is_the_inverse_of_the_quantile() {
        for (workers, limit, beyond) in [(1, 0.02, 0.01), (4, 0.02, 0.01), (16, 0.03, 0.001)] {
            let of = queue(workers, 2e-3);
            let rate = of.capacity(limit, beyond);
            assert!(rate > 0.3 * of.saturation() && rate < of.saturation());
            assert!((of.quantile(rate, beyond) / limit - 1.0).abs() < 1e-9, "{workers}");
        }
    }
}
