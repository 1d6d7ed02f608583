//! `--sweep`: every target at several load points, as contenders of one run.

use crate::plan::RunSettings;
use crate::plan::contender::access::ContenderAccess;
use crate::plan::contender::gather::Inputs;
use crate::plan::length::rule;
use crate::plan::resolved::{self, Machine, Resolved, resolve};
use crate::plan::settings::declared::Declared;
use crate::plan::settings::sweep_settings::SweepSettings;
use crate::plan::{Command, Spec};
use crate::protocols::PROTOCOLS;
use protocol::address::resolver::Resolver;
use protocol::{Error, Protocol};
use record::limits::MOST_CONTENDERS;
use record::{Contender, Factor, RequestPlan, RunSweep, ValueBytes};
use text::shown::shown;

/// The load points that a spec asks for. No `Debug`: it holds secrets.
pub struct LoadPoints<'a> {
    /// The factor and its values.
    swept: SweepSettings,
    spec: &'a Spec,
    inputs: &'a Inputs,
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
pub fn load_points<'a>(
    spec: &'a Spec,
    inputs: &'a Inputs,
) -> Result<Option<LoadPoints<'a>>, Error> {
    let (file, targets) = (&inputs.run, inputs.contenders.len());
    let Some(swept) = spec.sweep.clone().or_else(|| file.sweep.clone()) else {
        check_rounds(spec, &file.settings)?;
        return Ok(None);
    };
    if spec.command == Command::Load {
        return match swept.factor {
            Factor::Value => Err(Error::usage(
                "a sweep of value loads different values at each point, but `tiebreak load` loads \
                 once: remove the sweep from the experiment file",
            )),
            // All load points read the same keys.
            _ => Ok(None),
        };
    }
    swept.check_alone(spec)?;
    if spec.agents > 0 {
        return Err(Error::usage("a sweep with --agents is not supported yet: leave one out"));
    }
    let kept = spec.of_file(&file.settings);
    if spec.run.rank || kept.rank {
        return Err(Error::usage(
            "contenders are ranked at one load point: leave out --sweep or --rank",
        ));
    }
    rule::refuse_in_sweep(&spec.run.clone().over(&kept))?;
    check_objectives(spec, &kept, in_words(spec, inputs).unwrap_or_default())?;
    let points = swept.values.len();
    if points * targets > MOST_CONTENDERS {
        return Err(Error::usage(format!(
            "{targets} contenders at {points} load points are {}, but one run can hold at most \
             {MOST_CONTENDERS}: leave out load points or contenders",
            points * targets
        )));
    }
    Ok(Some(LoadPoints { swept, spec, inputs }))
}

/// Where the sweep of a spec, or of what was read for it, is written. None if there is none.
pub fn in_words(spec: &Spec, inputs: &Inputs) -> Option<&'static str> {
    let in_file = inputs.run.sweep.as_ref().map(|_| "the sweep in the experiment file");
    spec.sweep.as_ref().map(|_| "--sweep").or(in_file)
}

/// Refuses objectives: they find the load by themselves.
fn check_objectives(spec: &Spec, in_file: &RunSettings, sweep: &str) -> Result<(), Error> {
    let slo = match (spec.run.slo.is_empty(), in_file.slo.is_empty()) {
        (true, true) => return Ok(()),
        (false, _) => "--slo",
        (true, false) => "slo in the experiment file",
    };
    Err(Error::usage(format!(
        "{slo} finds the load by itself, or checks one rate: leave out {sweep} or {slo}"
    )))
}

/// Refuses rounds of `run` without a sweep: then it drives once.
fn check_rounds(spec: &Spec, in_file: &RunSettings) -> Result<(), Error> {
    let keys = ["rounds", "round"];
    let in_file = in_file.first_given(&keys).map(|key| format!("{key} in the experiment file"));
    let given = spec.run.first_flag(&keys).or(in_file);
    match given.filter(|_| spec.command == Command::Run) {
        Some(given) => Err(Error::usage(format!(
            "{given} requires rounds, and `tiebreak run` has none: use --duration to set the \
             length, or --sweep to drive several load points in rounds"
        ))),
        None => Ok(()),
    }
}

impl LoadPoints<'_> {
    /// Whether there is one target, and so nothing to compare.
    pub fn is_of_one(&self) -> bool {
        self.inputs.contenders.len() == 1
    }

    /// Settles one run that drives every target at every load point in each of its rounds.
    ///
    /// # Errors
    /// Those of `resolve`, with the name of the load point, so that an impossible one is refused before anything is
    /// launched.
    pub fn settle(
        &self,
        machine: &Machine,
        resolver: &mut Resolver<'_>,
    ) -> Result<Resolved, Error> {
        let points = self.each(machine, resolver)?;
        let first = &points[0];
        let names = first.plan.contenders.iter().map(|of| of.name.clone()).collect();
        let SweepSettings { factor, values } = self.swept.clone();
        let swept = RunSweep { factor, values, targets: names };
        let spec = Spec { sweep: Some(self.swept.clone()), ..first.spec.clone() };
        check_length(&spec)?;
        let secrets = first.secrets.clone();
        let most_cores = points.iter().map(|of| of.plan.generator_cores.len()).max().unwrap_or(1);
        let (mut contenders, mut accesses, mut cautions) = (Vec::new(), Vec::new(), Vec::new());
        for (point, label) in points.into_iter().zip(swept.names()) {
            for caution in point.cautions {
                if !cautions.contains(&caution) {
                    cautions.push(caution);
                }
            }
            contenders.extend(point.plan.contenders.into_iter().map(|contender| {
                let name = RunSweep::contender(&contender.name, &label, swept.width());
                Contender { name, ..contender }
            }));
            accesses.extend(point.accesses);
        }
        let (mut plan, cores) = resolved::plan(&spec, machine, Some(swept), contenders, &accesses)?;
        keep_data(&mut plan, &mut accesses);
        if cores.generator.len() < most_cores {
            // More cores at higher points would be a second factor, which could cause the bend.
            cautions.push(format!(
                "every load point uses {} generator core(s), the most that the load point with \
                 the fewest connections can use: leave out the lowest points to use more",
                cores.generator.len()
            ));
        }
        let (target_cores, own_cores) = (cores.others, cores.own);
        // Targets at load points are not contenders of an article.
        let method = None;
        Ok(Resolved { plan, accesses, cautions, secrets, method, target_cores, own_cores, spec })
    }

    fn each(&self, machine: &Machine, resolver: &mut Resolver<'_>) -> Result<Vec<Resolved>, Error> {
        let mut points = Vec::with_capacity(self.swept.values.len());
        let mut inputs = self.inputs.clone();
        inputs.run.settings = self.spec.of_file(&inputs.run.settings);
        for value in &self.swept.values {
            let spec = self.swept.at(self.spec, *value);
            let resolved = resolve(&spec, inputs.clone(), machine, resolver);
            let resolved = resolved.and_then(|it| self.check_swept(&it).map(|()| it));
            points.push(resolved.map_err(|error| Error {
                text: format!("at {} {value}: {}", self.swept.factor.name(), error.text),
                ..error
            })?);
        }
        Ok(points)
    }

    /// Only stores have values. Only they and servers of messages have more than one operation on a
    /// connection. A program has no load that could be set.
    fn check_swept(&self, resolved: &Resolved) -> Result<(), Error> {
        let (factor, all) = (self.swept.factor, &resolved.plan.contenders);
        if let Some(program) = all.iter().find(|of| of.asks == RequestPlan::Program) {
            let name = &program.name;
            return Err(Error::usage(format!(
                "`{name}` is a program (exec:), whose load cannot be set: leave out --sweep"
            )));
        }
        if !matches!(factor, Factor::Value | Factor::Depth) {
            return Ok(());
        }
        let is_value = factor == Factor::Value;
        let can = |asks: &RequestPlan| asks.is_store() || !is_value && asks.messages().is_some();
        let can_sweep = |row: &Protocol| row.is_store() && (is_value || row.no_depth.is_none());
        match all.iter().find(|contender| !can(&contender.asks)) {
            Some(other) => Err(Error::usage(format!(
                "`{}` is not a store, and {} can be swept only for stores ({}): sweep connections \
                 or rate",
                other.name,
                factor.name(),
                PROTOCOLS.written_as(can_sweep)
            ))),
            None => Ok(()),
        }
    }
}

/// Gives each contender the keys and the table that it uses.
fn keep_data(plan: &mut record::Plan, accesses: &mut [ContenderAccess]) {
    for (number, contender_access) in accesses.iter_mut().enumerate() {
        let data = plan.data_of(number);
        let contender = &mut plan.contenders[number];
        contender.asks.keep_keys_of(data);
        if let ContenderAccess::Attached { access, .. } = contender_access {
            resolved::give_table(data, contender, &mut **access);
        }
    }
}

/// Refuses other limits of `run`: the length of a sweep follows from its rounds.
fn check_length(spec: &Spec) -> Result<(), Error> {
    let given = match (spec.run.duration, spec.run.operations) {
        (Some(_), _) => "--duration",
        (None, Some(_)) => "-n",
        (None, None) => return Ok(()),
    };
    Err(Error::usage(format!(
        "{given} applies only to a run without rounds: for a sweep set --rounds, and --round for \
         how long each load point is driven per round"
    )))
}

#[cfg(test)]
mod tests;
