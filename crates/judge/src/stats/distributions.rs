//! Quantiles of the normal, t and chi-square distributions.
//!
//! All three come from series whose terms are all positive, so nothing cancels and no table of
//! approximation constants is needed. Degrees of freedom are whole numbers here, which makes the
//! series finite or short.

use std::f64::consts::{FRAC_2_PI, PI};

/// z with P(|Z| > z) = `level` for a standard normal Z: 1.96 at 0.05.
pub fn normal_two_sided(level: f64) -> f64 {
    // Z² is chi-square with one degree of freedom.
    chi_square_quantile(1.0 - level, 1).sqrt()
}

/// t with P(|T| > t) = `level` for Student's T with `freedom` ≥ 1 degrees of
/// freedom: 2.262 at 0.05 and 9.
pub fn t_two_sided(level: f64, freedom: usize) -> f64 {
    solve(1.0 - level, |t| t_within(t, freedom))
}

/// x with P(X ≤ x) = `p` for chi-square X with `freedom` ≥ 1 degrees of
/// freedom: 4.168 at 0.1 and 9.
pub fn chi_square_quantile(p: f64, freedom: usize) -> f64 {
    solve(p, |x| chi_square_at_most(x, freedom))
}

/// P(|T| ≤ t): Abramowitz and Stegun, 26.7.3 and 26.7.4.
fn t_within(t: f64, freedom: usize) -> f64 {
    let angle = (t / (freedom as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let odd = freedom % 2 == 1;
    let mut term = if odd { cosine } else { 1.0 };
    let mut sum = if freedom == 1 { 0.0 } else { term };
    // Odd: the factors are 2/3, 4/5, … up to (ν−3)/(ν−2); even: 1/2, 3/4, ….
    let first = if odd { 2 } else { 1 };
    for above in (first..freedom.saturating_sub(2)).step_by(2) {
        term *= cosine * cosine * above as f64 / (above + 1) as f64;
        sum += term;
    }
    if odd { FRAC_2_PI * (angle + sine * sum) } else { sine * sum }
}

/// P(X ≤ x): the power series of the regularised lower incomplete gamma
/// function (Abramowitz and Stegun, 6.5.29).
fn chi_square_at_most(x: f64, freedom: usize) -> f64 {
    let (half, x) = (freedom as f64 / 2.0, x / 2.0);
    if x <= 0.0 {
        return 0.0;
    }
    let mut term = (half * x.ln() - x - ln_gamma_of_halves(freedom + 2)).exp();
    let mut sum = term;
    let mut divisor = half;
    while term > sum * f64::EPSILON / 4.0 || divisor < x {
        divisor += 1.0;
        term *= x / divisor;
        sum += term;
    }
    sum.min(1.0)
}

/// ln Γ(`halves` / 2), by Γ(a) = (a − 1) Γ(a − 1).
fn ln_gamma_of_halves(halves: usize) -> f64 {
    let start = if halves % 2 == 1 { PI.sqrt().ln() } else { 0.0 };
    let first = if halves % 2 == 1 { 1 } else { 2 };
    (first..halves.saturating_sub(1)).step_by(2).map(|a| (a as f64 / 2.0).ln()).sum::<f64>() + start
}

/// Returns the x ≥ 0 at which the rising function `share` reaches `wanted`, by bisection until the
/// two ends are neighbours. Newton's method would be quicker, but needs the densities, and speed
/// does not matter here.
fn solve(wanted: f64, share: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while share(high) < wanted && high < 1e9 {
        (low, high) = (high, 2.0 * high);
    }
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return high;
        }
        if share(middle) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From 30-digit arithmetic: (level, freedom, t).
    const T: [(f64, usize, f64); 14] = [
        (0.05, 1, 12.706204736175),
        (0.05, 2, 4.3026527297495),
        (0.05, 3, 3.1824463052837),
        (0.05, 9, 2.2621571627982),
        (0.05, 10, 2.2281388519863),
        (0.05, 59, 2.0009953780883),
        (0.05, 199, 1.9719565442518),
        (0.05, 999, 1.9623414611334),
        (0.0125, 5, 3.8100046998446),
        (0.0125, 9, 3.1109348231795),
        (0.01, 9, 3.2498355415921),
        (0.001, 1, 636.61924876872),
        (0.001, 2, 31.599054576444),
        (0.001, 19, 3.8834058525921),
    ];

    /// From 30-digit arithmetic: (p, freedom, x).
    const CHI_SQUARE: [(f64, usize, f64); 10] = [
        (0.1, 1, 0.015790774093431),
        (0.1, 2, 0.21072103131565),
        (0.1, 9, 4.1681590081461),
        (0.1, 19, 11.650910032127),
        (0.1, 199, 173.89952613734),
        (0.1, 999, 942.16123439269),
        (0.5, 3, 2.3659738843753),
        (0.5, 10, 9.341817765592),
        (0.95, 5, 11.070497693516),
        (0.95, 999, 1073.6426506574),
    ];

    fn close(got: f64, wanted: f64) -> bool {
        (got / wanted - 1.0).abs() < 1e-11
    }

    #[test]
    fn t_quantiles_are_those_of_the_tables() {
        for (level, freedom, wanted) in T {
            let got = t_two_sided(level, freedom);
            assert!(close(got, wanted), "{level} {freedom}: {got} and not {wanted}");
        }
    }

    #[test]
    fn chi_square_quantiles_are_those_of_the_tables() {
        for (p, freedom, wanted) in CHI_SQUARE {
            let got = chi_square_quantile(p, freedom);
            assert!(close(got, wanted), "{p} {freedom}: {got} and not {wanted}");
        }
    }

    #[test]
    fn normal_quantiles_are_those_of_the_tables() {
        let table = [
            (0.5, 0.67448975019608),
            (0.05, 1.9599639845401),
            (0.0125, 2.4977054744124),
            (0.001, 3.2905267314919),
        ];
        for (level, wanted) in table {
            assert!(close(normal_two_sided(level), wanted), "{level}");
        }
    }

    #[test]
    fn the_ends_are_finite() {
        assert!(normal_two_sided(1.0) < 1e-100);
        assert!(t_two_sided(0.0, 1).is_finite());
    }
}
