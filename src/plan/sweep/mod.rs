//! `--sweep`: the same comparison at several load points.

pub(super) mod of_one_run;

use crate::plan::RunSettings;
use crate::plan::contender::gather::Inputs;
use crate::plan::resolved::{Machine, Resolved, resolve};
use crate::plan::settings::sweep_settings::SweepSettings;
use crate::plan::{Command, Spec};
use crate::protocols::PROTOCOLS;
use protocol::address::resolver::Resolver;
use protocol::{Error, Protocol};
use record::{Factor, RequestPlan, ValueBytes};
use text::shown::shown;

/// A sweep, with one spec per load point. No `Debug`: it holds secrets.
pub struct LoadPoints<'a> {
    /// What is swept.
    pub factor: Factor,
    /// Whether there is only one contender, and so nothing to compare.
    pub of_one: bool,
    /// By ascending value.
    pub points: Vec<(f64, Spec)>,
    inputs: &'a Inputs,
}

/// The plans of a sweep. No `Debug`: it holds secrets.
pub struct Settled {
    /// By ascending value.
    pub points: Vec<(f64, Resolved)>,
    /// What was given up so that only the factor differs, in sentences.
    pub cautions: Vec<String>,
}

impl SweepSettings {
    /// Returns the spec of one load point. The factor is set for all contenders and takes
    /// precedence over an experiment file, as a flag does.
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

    /// Refuses other settings of the factor.
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

/// Returns the load points that a spec, or what was read for it, asks for, or None if it is not a
/// sweep.
///
/// # Errors
/// When the sweep is not valid.
pub fn load_points<'a>(spec: &Spec, inputs: &'a Inputs) -> Result<Option<LoadPoints<'a>>, Error> {
    let (file, of_one) = (&inputs.run, inputs.contenders.len() == 1);
    let Some(sweep) = spec.sweep.clone().or_else(|| file.sweep.clone()) else {
        check_rounds(spec, &file.settings)?;
        return Ok(None);
    };
    sweep.check_alone(spec)?;
    if spec.run.rank || file.settings.rank {
        return Err(Error::usage(
            "contenders are ranked at one load point: leave out --sweep or --rank",
        ));
    }
    let points = sweep.values.iter().map(|value| (*value, sweep.at(spec, *value))).collect();
    Ok(Some(LoadPoints { factor: sweep.factor, of_one, points, inputs }))
}

/// Refuses rounds of `run` without a sweep: then it drives once.
fn check_rounds(spec: &Spec, in_file: &RunSettings) -> Result<(), Error> {
    let flag = |given: bool, name| given.then(|| format!("--{name}"));
    let key = |given: bool, name| given.then(|| format!("{name} in the experiment file"));
    let given = flag(spec.run.rounds.is_some(), "rounds")
        .or(flag(spec.run.round.is_some(), "round"))
        .or(key(in_file.rounds.is_some(), "rounds"))
        .or(key(in_file.round.is_some(), "round"));
    match given.filter(|_| spec.command == Command::Run) {
        Some(given) => Err(Error::usage(format!(
            "{given} requires rounds, and `tiebreak run` has none: use --duration to set the \
             length, or --sweep to drive several load points in rounds"
        ))),
        None => Ok(()),
    }
}

impl LoadPoints<'_> {
    /// Resolves every load point, so that an impossible one is refused before anything is launched.
    ///
    /// # Errors
    /// Those of `resolve`, with the name of the load point.
    pub fn settle(&self, machine: &Machine, resolver: &mut Resolver<'_>) -> Result<Settled, Error> {
        let points = self.with_cores(None, machine, resolver)?;
        let workers = |point: &(f64, Resolved)| point.1.plan.generator_cores.len() as u32;
        let fewest = points.iter().map(workers).min().unwrap_or(1);
        if points.iter().all(|point| workers(point) == fewest) {
            return Ok(Settled { points, cautions: Vec::new() });
        }
        // More cores at higher points would be a second factor, which could cause the bend.
        let points = self.with_cores(Some(fewest), machine, resolver)?;
        let cautions = vec![format!(
            "every load point uses {fewest} generator core(s), the most that the load point with \
             the fewest connections can use: leave out the lowest points to use more"
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
            let run = RunSettings { cores: cores.or(spec.run.cores), ..spec.run.clone() };
            let spec = Spec { run, ..spec.clone() };
            let resolved = resolve(&spec, self.inputs.clone(), machine, resolver);
            let resolved = resolved.and_then(|it| self.check_stores(&it).map(|()| it));
            let resolved = resolved.map_err(|error| Error {
                text: format!("at {} {value}: {}", self.factor.name(), error.text),
                ..error
            })?;
            points.push((*value, resolved));
        }
        Ok(points)
    }

    /// Only stores have values. Only they and servers of messages have more than one operation on a
    /// connection.
    fn check_stores(&self, resolved: &Resolved) -> Result<(), Error> {
        if !matches!(self.factor, Factor::Value | Factor::Depth) {
            return Ok(());
        }
        let is_value = self.factor == Factor::Value;
        let can = |asks: &RequestPlan| {
            asks.is_store() || self.factor == Factor::Depth && asks.messages().is_some()
        };
        let can_sweep = |row: &Protocol| row.is_store() && (is_value || row.no_depth.is_none());
        match resolved.plan.contenders.iter().find(|contender| !can(&contender.asks)) {
            Some(other) => Err(Error::usage(format!(
                "`{}` is not a store, and {} can be swept only for stores ({}): sweep connections \
                 or rate",
                other.name,
                self.factor.name(),
                PROTOCOLS.written_as(can_sweep)
            ))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
