//! The numbers of a lane's operations: those of the whole mix, and those of each request that is driven
//! alone.

use crate::workload::alone;

/// Counts the operations of one lane.
#[derive(Clone, Debug)]
pub(crate) struct Numbering {
    /// The next operation of the mix.
    mix: u64,
    /// The next operation of each request.
    requests: Vec<u64>,
    first: u64,
    step: u64,
    /// The request whose slice is driven. None in a slice of the mix.
    request: Option<u32>,
}

impl Numbering {
    /// `first` is the number of the lane's first operation, and `step` the distance to the next one.
    pub(crate) fn new(first: u64, step: u64) -> Numbering {
        Numbering { mix: first, requests: Vec::new(), first, step, request: None }
    }

    /// Starts a slice of the mix or of one request.
    pub(crate) fn start(&mut self, request: Option<u32>) {
        self.request = request;
        for next in self.requests.len() as u32..request.map_or(0, |request| request + 1) {
            self.requests.push(alone(next, self.first));
        }
    }

    /// Returns the number of the next operation, and counts it.
    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        let next = match self.request {
            None => &mut self.mix,
            Some(request) => &mut self.requests[request as usize],
        };
        let number = *next;
        *next += self.step;
        number
    }

    /// Returns the number of the next operation of the mix.
    pub(crate) fn of_mix(&self) -> u64 {
        self.mix
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_request_counts_its_own_operations() {
        let mut numbering = Numbering::new(1, 2);
        let mut slice = |request| {
            numbering.start(request);
            [numbering.next(), numbering.next()]
        };
        assert_eq!(slice(None), [1, 3]);
        assert_eq!(slice(Some(1)), [alone(1, 1), alone(1, 3)]);
        assert_eq!(slice(Some(0)), [alone(0, 1), alone(0, 3)]);
        assert_eq!(slice(Some(1)), [alone(1, 5), alone(1, 7)]);
        assert_eq!(slice(None), [5, 7]);
        assert_eq!(numbering.of_mix(), 9);
    }
}
