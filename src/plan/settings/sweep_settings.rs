//! `--sweep`, as the user gave it.

use crate::plan::settings;
use crate::plan::settings::workload;
use record::{Factor, ValueBytes};
use text::near;
use text::quantities;
use text::shown::shown;

/// The number of load points of a sweep: one point is not a sweep, and more take too long.
const POINTS: std::ops::RangeInclusive<usize> = 2..=16;

/// Which factor, and at which values, ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepSettings {
    /// What is swept.
    pub factor: Factor,
    /// Its values.
    pub values: Vec<f64>,
}

/// `--sweep`: `connections=1,8,32,128`.
///
/// # Errors
/// When it is not a factor with 2 to 16 different values of its kind.
pub fn parse(text: &str) -> Result<SweepSettings, String> {
    let (factor, values) = text
        .split_once('=')
        .ok_or("write the factor and its load points, such as connections=1,8,32,128".to_owned())?;
    let values: Vec<&str> = values.split(',').map(str::trim).collect();
    let factor = self::factor(factor.trim())?;
    let values = values.into_iter().map(|text| value(factor, text));
    SweepSettings::new(factor, values.collect::<Result<_, _>>()?)
}

/// The factor of this name.
///
/// # Errors
/// When it cannot be swept.
pub fn factor(name: &str) -> Result<Factor, String> {
    Factor::ALL.into_iter().find(|factor| factor.name() == name).ok_or_else(|| {
        let problem = format!("`{}` cannot be swept", shown(name));
        near::unknown(problem, name, &Factor::ALL.map(Factor::name))
    })
}

/// One value of the factor.
///
/// # Errors
/// When it is not a valid value.
pub fn value(factor: Factor, text: &str) -> Result<f64, String> {
    match factor {
        Factor::Connections => settings::connections(text).map(f64::from),
        Factor::Depth => settings::depth(text).map(f64::from),
        Factor::Rate => Ok(quantities::rate(text)?),
        Factor::Value => match workload::value(text)? {
            ValueBytes::Fixed(bytes @ 1..) => Ok(f64::from(bytes)),
            _ => Err(format!("`{text}` is not a load point: it must be one size above 0")),
        },
    }
}

impl SweepSettings {
    /// These load points, put in order.
    ///
    /// # Errors
    /// When there are too few or too many, or two are the same.
    pub fn new(factor: Factor, mut values: Vec<f64>) -> Result<SweepSettings, String> {
        if !POINTS.contains(&values.len()) {
            let (least, most) = POINTS.into_inner();
            let count = values.len();
            return Err(format!("a sweep must have {least} to {most} load points, not {count}"));
        }
        values.sort_by(f64::total_cmp);
        if let Some(twice) = values.windows(2).find(|two| two[0] == two[1]) {
            return Err(format!("the load point {} is given twice", twice[0]));
        }
        Ok(SweepSettings { factor, values })
    }
}
