//! Distributions of times: how long a reply waits after its request, independently of all others, and how long a
//! worker serves it.

use engine::random::Random;
use std::f64::consts::TAU;
use std::str::FromStr;
use std::time::Duration;
use text::quantities::duration;
use text::units::nanoseconds;

/// A delay after arrival. Replies wait concurrently and take no CPU time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Delay {
    /// No delay.
    #[default]
    None,
    /// One delay for every reply.
    Fixed(Duration),
    /// Exponential with this mean.
    Exponential(Duration),
    /// Lognormal: exp(ln median + sigma × standard normal).
    Lognormal {
        /// Half of the replies wait longer.
        median: Duration,
        /// Standard deviation of the logarithm.
        sigma: f64,
    },
    /// Uniform between the two.
    Uniform(Duration, Duration),
}

impl Delay {
    /// The delay of request `number`, in nanoseconds: a function of the seed
    /// and the number.
    pub(super) fn of(&self, seed: u64, number: u64) -> u64 {
        // It does not depend on the connection.
        let mut random = Random::new(seed, number);
        let nanoseconds = match *self {
            Delay::None => return 0,
            Delay::Fixed(delay) => return nanoseconds(delay),
            Delay::Exponential(mean) => -(random.unit().ln()) * nanoseconds(mean) as f64,
            Delay::Lognormal { median, sigma } => {
                // Box-Muller; its second normal is not needed.
                let radius = (-2.0 * random.unit().ln()).sqrt();
                let normal = radius * (TAU * random.unit()).cos();
                nanoseconds(median) as f64 * (sigma * normal).exp()
            }
            Delay::Uniform(low, high) => {
                let (low, high) = (nanoseconds(low) as f64, nanoseconds(high) as f64);
                low + random.unit() * (high - low)
            }
        };
        // `as` saturates, so an absurd sigma gives a long delay and no panic.
        nanoseconds as u64
    }
}

impl FromStr for Delay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is not a distribution: write constant:TIME, exponential:MEAN, \
                 lognormal:MEDIAN,SIGMA or uniform:LOW,HIGH"
            )
        };
        let (name, parameters) = text.split_once(':').ok_or_else(wrong)?;
        let pair = || parameters.split_once(',').ok_or_else(wrong);
        match name {
            "constant" => Ok(Delay::Fixed(duration(parameters)?)),
            "exponential" => Ok(Delay::Exponential(duration(parameters)?)),
            "lognormal" => {
                let (median, sigma) = pair()?;
                let sigma = sigma.parse().ok().filter(|s: &f64| s.is_finite() && *s >= 0.0);
                Ok(Delay::Lognormal { median: duration(median)?, sigma: sigma.ok_or_else(wrong)? })
            }
            "uniform" => {
                let (low, high) = pair()?;
                let (low, high) = (duration(low)?, duration(high)?);
                if low > high {
                    return Err(format!("`{text}`: LOW is above HIGH"));
                }
                Ok(Delay::Uniform(low, high))
            }
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: f64 = 1e6;

    fn sorted(delay: &str, seed: u64) -> Vec<u64> {
        let delay: Delay = delay.parse().expect(delay);
        let mut drawn: Vec<u64> = (1..=20_001).map(|n| delay.of(seed, n)).collect();
        drawn.sort_unstable();
        drawn
    }

    /// Quantiles in milliseconds against the distributions' own formulas; the standard error of the
    /// sample quantile is below 2 % in all cases.
    #[test]
    fn quantiles_are_those_of_the_distribution() {
        let cases = [
            ("exponential:2ms", 0.5, 2.0 * std::f64::consts::LN_2),
            ("exponential:2ms", 0.99, 2.0 * 100f64.ln()),
            ("lognormal:3ms,0.5", 0.5, 3.0),
            ("lognormal:3ms,0.5", 0.977_249_87, 3.0 * 1f64.exp()),
            ("lognormal:3ms,0", 0.9, 3.0),
            ("constant:3ms", 0.99, 3.0),
            ("uniform:1ms,3ms", 0.25, 1.5),
            ("uniform:1ms,3ms", 0.9, 2.8),
        ];
        for (text, q, expected) in cases {
            for seed in [1, 2, 77] {
                let drawn = sorted(text, seed);
                let got = drawn[(q * drawn.len() as f64) as usize] as f64 / MS;
                assert!((got / expected - 1.0).abs() < 0.06, "{text} at {q}: {got} ms");
            }
        }
    }

    #[test]
    fn the_same_seed_draws_the_same_and_another_seed_does_not() {
        let delay = Delay::Exponential(Duration::from_secs(1));
        let draw = |seed| (1..50).map(move |n| delay.of(seed, n));
        assert!(draw(7).eq(draw(7)));
        assert!(draw(7).ne(draw(8)));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "2ms",
            "exponential",
            "constant:2",
            "exponential:2",
            "lognormal:2ms",
            "lognormal:2ms,x",
            "lognormal:2ms,-1",
            "lognormal:2ms,inf",
            "uniform:3ms,1ms",
            "normal:1ms,1",
        ] {
            assert!(text.parse::<Delay>().is_err(), "{text}");
        }
    }
}
