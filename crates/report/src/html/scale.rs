//! Maps figures to positions along an axis, and chooses ticks.

/// One axis: which figures it spans, and whether it is logarithmic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Scale {
    /// Equal steps for equal differences.
    pub(super) fn linear(low: f64, high: f64) -> Scale {
        let (low, high) = widened(low, high, |low| low - 0.5, |high| high + 0.5);
        Scale { low, high, logarithmic: false }
    }

    /// Equal steps for equal ratios. Figures must be above zero.
    pub(super) fn logarithmic(low: f64, high: f64) -> Scale {
        let (low, high) = widened(low, high, |low| low * 0.9, |high| high * 1.1);
        Scale { low, high, logarithmic: true }
    }

    /// Adds this share of its length at both ends.
    pub(super) fn padded(self, share: f64) -> Scale {
        let pad = |from: f64, to: f64| (to - from) * share;
        if self.logarithmic {
            let pad = pad(self.low.ln(), self.high.ln()).exp();
            Scale { low: self.low / pad, high: self.high * pad, ..self }
        } else {
            let pad = pad(self.low, self.high);
            Scale { low: self.low - pad, high: self.high + pad, ..self }
        }
    }

    /// Whether equal steps mean equal ratios.
    pub(super) fn is_logarithmic(&self) -> bool {
        self.logarithmic
    }

    /// The position of a figure: 0 at the low end or below, 1 at the high end or above.
    pub(super) fn position(&self, value: f64) -> f64 {
        let position = if self.logarithmic {
            (value.ln() - self.low.ln()) / (self.high.ln() - self.low.ln())
        } else {
            (value - self.low) / (self.high - self.low)
        };
        if position.is_nan() { 0.0 } else { position.clamp(0.0, 1.0) }
    }

    /// About `wanted` round figures inside the span.
    pub(super) fn ticks(&self, wanted: usize) -> Vec<f64> {
        // A logarithmic axis that spans less than a factor of 3 is easiest to read with equal
        // differences: 0.96, 0.98, 1, 1.02.
        if self.logarithmic && self.high / self.low > 3.0 {
            self.ticks_of_decades(wanted)
        } else {
            self.ticks_of_differences(wanted)
        }
    }

    fn ticks_of_differences(&self, wanted: usize) -> Vec<f64> {
        let rough = (self.high - self.low) / wanted.max(1) as f64;
        let power = 10f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
        let step = steps.into_iter().find(|step| *step >= rough * 0.999).unwrap_or(steps[3]);
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        // Divided if the step is a fraction, because 3 × 0.1 is not 0.3.
        let tick =
            |n: i64| if step < 1.0 { n as f64 / (1.0 / step).round() } else { n as f64 * step };
        (first..=last).map(tick).collect()
    }

    fn ticks_of_decades(&self, wanted: usize) -> Vec<f64> {
        let decades = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        let ticks = |steps: &[f64]| -> Vec<f64> {
            let all = decades.clone().flat_map(|decade| {
                let ticks = steps.iter().map(move |step| step * 10f64.powi(decade));
                ticks.collect::<Vec<f64>>()
            });
            let inside = |tick: &f64| *tick >= self.low * 0.999 && *tick <= self.high * 1.001;
            all.filter(inside).collect()
        };
        let dense = ticks(&[1.0, 2.0, 5.0]);
        let sparse = ticks(&[1.0]);
        if dense.len() <= 2 * wanted || sparse.len() < 2 {
            dense
        } else {
            let every = sparse.len().div_ceil(wanted + 2).max(1);
            sparse.into_iter().step_by(every).collect()
        }
    }
}

/// Gives an axis a length even if all figures are the same.
fn widened(low: f64, high: f64, down: fn(f64) -> f64, up: fn(f64) -> f64) -> (f64, f64) {
    if low < high { (low, high) } else { (down(low), up(low)) }
}

/// The smallest and the largest figure. Returns None if there are no figures.
pub(super) fn span(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.filter(|value| value.is_finite()).fold(None, |span, value| match span {
        None => Some((value, value)),
        Some((low, high)) => Some((value.min(low), value.max(high))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_by_difference_or_by_ratio() {
        assert_eq!(Scale::linear(0.0, 10.0).position(2.5), 0.25);
        assert!((Scale::logarithmic(1.0, 100.0).position(10.0) - 0.5).abs() < 1e-12);
        assert_eq!(Scale::linear(0.0, 1.0).position(7.0), 1.0);
        assert_eq!(Scale::logarithmic(1.0, 2.0).position(0.0), 0.0);
        assert_eq!(Scale::linear(3.0, 3.0).position(3.0), 0.5);
    }

    #[test]
    fn ticks_are_round() {
        let table: &[(Scale, &[f64])] = &[
            (Scale::linear(0.0, 10.0), &[0.0, 2.0, 4.0, 6.0, 8.0, 10.0]),
            (Scale::linear(21_000.0, 33_000.0), &[25_000.0, 30_000.0]),
            (Scale::logarithmic(0.95, 1.04), &[0.96, 0.98, 1.0, 1.02, 1.04]),
            (Scale::logarithmic(0.001, 0.03), &[0.001, 0.002, 0.005, 0.01, 0.02]),
            (Scale::logarithmic(1e-5, 10.0), &[1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0]),
            (Scale::logarithmic(0.4, 1.6), &[0.5, 1.0]),
        ];
        for (scale, expected) in table {
            let ticks = scale.ticks(5);
            assert_eq!(ticks.len(), expected.len(), "{scale:?}: {ticks:?}");
            for (tick, expected) in ticks.iter().zip(*expected) {
                assert!((tick / expected - 1.0).abs() < 1e-9 || tick == expected, "{ticks:?}");
            }
        }
    }

    #[test]
    fn span_ignores_missing_figures() {
        assert_eq!(span([2.0, f64::NAN, 1.0, f64::INFINITY].into_iter()), Some((1.0, 2.0)));
        assert_eq!(span([f64::NAN].into_iter()), None);
    }
}
