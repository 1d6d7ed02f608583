//! `--sweep`: the same comparison at several load points.

use crate::exit::Error;
use crate::near;
use crate::plan::contenders;
use crate::plan::resolved::{Machine, Resolved, resolve};
use crate::plan::spec::{Command, Spec};
use crate::plan::{settings, units, workload};
use crate::shown::shown;
use crate::targets::attached::Resolver;
use record::{Factor, ValueBytes};

/// Load points of a sweep: one is none, and more than these nobody waits for.
const POINTS: std::ops::RangeInclusive<usize> = 2..=16;

/// Which factor, and at which values, ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepAsked {
    /// What is swept.
    pub factor: Factor,
    /// Its values.
    pub values: Vec<f64>,
}

/// A sweep, each load point as a spec of its own. No `Debug`: it holds secrets.
pub struct LoadPoints {
    /// What is swept.
    pub factor: Factor,
    /// By ascending value.
    pub points: Vec<(f64, Spec)>,
}

/// The plans of a sweep. No `Debug`: it holds secrets.
pub struct Settled {
    /// By ascending value.
    pub points: Vec<(f64, Resolved)>,
    /// What was given up so that nothing but the factor differs, in sentences.
    pub cautions: Vec<String>,
}

/// `--sweep`: `connections=1,8,32,128`.
///
/// # Errors
/// When it is no factor with 2 to 16 different values of its kind.
pub fn parse(text: &str) -> Result<SweepAsked, String> {
    let (factor, values) = text
        .split_once('=')
        .ok_or("write the factor and its load points, such as connections=1,8,32,128".to_owned())?;
    let values: Vec<&str> = values.split(',').map(str::trim).collect();
    let factor = self::factor(factor.trim())?;
    let values = values.into_iter().map(|text| value(factor, text));
    SweepAsked::new(factor, values.collect::<Result<_, _>>()?)
}

/// The factor of this name.
///
/// # Errors
/// When it cannot be swept.
pub fn factor(name: &str) -> Result<Factor, String> {
    Factor::ALL.into_iter().find(|factor| factor.name() == name).ok_or_else(|| {
        let known = Factor::ALL.map(Factor::name);
        let meant = near::did_you_mean(name, known);
        format!("`{}` cannot be swept: {}{meant}", shown(name), known.join(", "))
    })
}

/// One value of the factor.
///
/// # Errors
/// When it is none.
pub fn value(factor: Factor, text: &str) -> Result<f64, String> {
    match factor {
        Factor::Connections => settings::connections(text).map(f64::from),
        Factor::Depth => settings::depth(text).map(f64::from),
        Factor::Rate => units::rate(text),
        Factor::Value => match workload::value(text)? {
            ValueBytes::Fixed(bytes @ 1..) => Ok(f64::from(bytes)),
            _ => Err(format!("`{text}` is no load point: each has values of one size above 0")),
        },
    }
}

impl SweepAsked {
    /// These load points, put in order.
    ///
    /// # Errors
    /// When there are too few or too many, or two are the same.
    pub fn new(factor: Factor, mut values: Vec<f64>) -> Result<SweepAsked, String> {
        if !POINTS.contains(&values.len()) {
            let (least, most) = POINTS.into_inner();
            let count = values.len();
            return Err(format!("a sweep has {least} to {most} load points, and here are {count}"));
        }
        values.sort_by(f64::total_cmp);
        if let Some(twice) = values.windows(2).find(|two| two[0] == two[1]) {
            return Err(format!("the load point {} stands here twice", twice[0]));
        }
        Ok(SweepAsked { factor, values })
    }

    /// The spec at one load point: the factor is set for all contenders, and wins over
    /// an experiment file as a flag does.
    fn at(&self, spec: &Spec, value: f64) -> Spec {
        let mut spec = Spec { sweep: None, ..spec.clone() };
        match self.factor {
            Factor::Connections => spec.common.connections = Some(value as u32),
            Factor::Depth => spec.common.depth = Some(value as u32),
            Factor::Rate => spec.common.rate = Some(value),
            Factor::Value => spec.workload.value = Some(ValueBytes::Fixed(value as u32)),
        }
        spec
    }

    /// Whatever else says what the factor is to be.
    fn check_alone(&self, spec: &Spec) -> Result<(), Error> {
        let name = self.factor.name();
        let given = match self.factor {
            Factor::Connections => spec.common.connections.is_some(),
            Factor::Depth => spec.common.depth.is_some(),
            Factor::Rate => spec.common.rate.is_some(),
            Factor::Value => spec.workload.value.is_some(),
        };
        let left = |set: &String| set.split_once('=').map(|(left, _)| left.to_owned());
        let of_one = |left: &String| left.rsplit_once('.').is_some_and(|(_, key)| key == name);
        let set = spec.sets.iter().filter_map(left).find(of_one);
        let other = match (given, set) {
            (true, _) => format!("--{name}"),
            (false, Some(left)) => format!("--set {}", shown(&left)),
            (false, None) => return Ok(()),
        };
        Err(Error::usage(format!(
            "{other} fixes what the sweep of {name} varies for all contenders: leave one of them \
             out"
        )))
    }
}

/// The load points that a spec or its experiment file asks for; none: it is no sweep.
///
/// # Errors
/// When the file cannot be read, or the sweep cannot be one.
pub fn load_points(spec: &Spec) -> Result<Option<LoadPoints>, Error> {
    let in_file = contenders::gather(spec)?.run.sweep;
    let Some(asked) = spec.sweep.clone().or(in_file) else { return Ok(None) };
    if spec.command == Command::Run {
        return Err(Error::usage(
            "`tiebreak run` drives one contender once and cannot tell a bend from noise; to sweep \
             a load use `tiebreak compare` (one server can be two contenders)",
        ));
    }
    asked.check_alone(spec)?;
    let points = asked.values.iter().map(|value| (*value, asked.at(spec, *value))).collect();
    Ok(Some(LoadPoints { factor: asked.factor, points }))
}

impl LoadPoints {
    /// Settles every load point, so that one that cannot work is refused before
    /// anything is launched.
    ///
    /// # Errors
    /// What `resolve` says of a load point, with its name.
    pub fn settle(&self, machine: &Machine, resolver: &mut Resolver<'_>) -> Result<Settled, Error> {
        let points = self.with_cores(None, machine, resolver)?;
        let workers = |of: &(f64, Resolved)| of.1.plan.generator_cores.len() as u32;
        let fewest = points.iter().map(workers).min().unwrap_or(1);
        if points.iter().all(|point| workers(point) == fewest) {
            return Ok(Settled { points, cautions: Vec::new() });
        }
        // More cores at higher points would be a second factor, of which the bend
        // could come.
        let points = self.with_cores(Some(fewest), machine, resolver)?;
        let cautions = vec![format!(
            "every load point uses {fewest} generator core(s), as many as the one with the fewest \
             connections can: leave out the lowest points to use more"
        )];
        Ok(Settled { points, cautions })
    }

    fn with_cores(
        &self,
        cores: Option<u32>,
        machine: &Machine,
        resolver: &mut Resolver<'_>,
    ) -> Result<Vec<(f64, Resolved)>, Error> {
        let mut points = Vec::with_capacity(self.points.len());
        for (value, spec) in &self.points {
            let spec = Spec { cores: cores.or(spec.cores), ..spec.clone() };
            let resolved = resolve(&spec, machine, resolver);
            let resolved = resolved.and_then(|it| self.check_stores(&it).map(|()| it));
            let resolved = resolved.map_err(|error| Error {
                text: format!("at {} {value}: {}", self.factor.name(), error.text),
                ..error
            })?;
            points.push((*value, resolved));
        }
        Ok(points)
    }

    /// Only stores have values, or more than one operation on a connection.
    fn check_stores(&self, resolved: &Resolved) -> Result<(), Error> {
        if !matches!(self.factor, Factor::Value | Factor::Depth) {
            return Ok(());
        }
        match resolved.plan.contenders.iter().find(|contender| !contender.is_store()) {
            Some(other) => Err(Error::usage(format!(
                "`{}` is no store, and {} is a factor of stores (memcached://, redis://): sweep \
                 connections or rate",
                other.name,
                self.factor.name()
            ))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
#[path = "sweep_tests.rs"]
mod tests;
