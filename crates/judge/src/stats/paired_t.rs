//! The paired t interval. It is printed beside the signed-rank interval, so that outliers show as a
//! disagreement of the two. It never decides.

use super::distributions::t_two_sided;

/// Mean of the numbers. None if there are none.
pub fn mean(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

/// Standard deviation with n − 1. None below two numbers.
pub fn standard_deviation(numbers: &[f64]) -> Option<f64> {
    let mean = mean(numbers)?;
    let freedom = numbers.len().checked_sub(1).filter(|n| *n > 0)?;
    let squares: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
    Some((squares / freedom as f64).sqrt())
}

/// Mean ± t·s/√n at `level` (0.05 for a 95 % interval). None below two differences or if one is not
/// finite.
pub fn interval(differences: &[f64], level: f64) -> Option<(f64, f64)> {
    let mean = mean(differences)?;
    let deviation = standard_deviation(differences).filter(|s| s.is_finite())?;
    let t = t_two_sided(level, differences.len() - 1);
    let half = t * deviation / (differences.len() as f64).sqrt();
    Some((mean - half, mean + half))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vector_of_the_procedure() {
        let ten = [0.031, -0.012, 0.024, 0.007, 0.018, -0.003, 0.042, 0.015, 0.001, 0.029];
        let (low, high) = interval(&ten, 0.05).expect("ten differences");
        assert!((low - 0.0030797).abs() < 5e-8, "{low}");
        assert!((high - 0.0273203).abs() < 5e-8, "{high}");
    }

    #[test]
    fn too_little_gives_none() {
        assert_eq!(interval(&[], 0.05), None);
        assert_eq!(interval(&[1.0], 0.05), None);
        assert_eq!(interval(&[1.0, f64::INFINITY], 0.05), None);
        assert_eq!(interval(&[2.0, 2.0], 0.05), Some((2.0, 2.0)));
    }
}
