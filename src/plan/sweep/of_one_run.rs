//! `run --sweep`: the load points of one target are the contenders of one run.

use crate::plan::contender::access::ContenderAccess;
use crate::plan::resolved::{self, Machine, Resolved};
use crate::plan::settings::sweep_settings::SweepSettings;
use crate::plan::spec::Spec;
use crate::plan::sweep::{LoadPoints, Settled};
use protocol::Error;
use protocol::address::resolver::Resolver;
use record::Contender;

impl LoadPoints<'_> {
    /// Settles one run that drives every load point in each of its rounds.
    ///
    /// # Errors
    /// Those of `resolve`, with the name of the load point; and when the run has a duration or a
    /// number of operations.
    pub fn in_one_run(
        &self,
        machine: &Machine,
        resolver: &mut Resolver<'_>,
    ) -> Result<Resolved, Error> {
        let Settled { points, mut cautions } = self.settle(machine, resolver)?;
        let values: Vec<f64> = points.iter().map(|(value, _)| *value).collect();
        let points: Vec<Resolved> = points.into_iter().map(|(_, resolved)| resolved).collect();
        let sweep = SweepSettings { factor: self.factor, values };
        let spec = Spec { sweep: Some(sweep.clone()), ..points[0].spec.clone() };
        check_length(&spec)?;
        let secrets = points[0].secrets.clone();
        let (mut contenders, mut accesses) = (Vec::new(), Vec::new());
        for (point, value) in points.into_iter().zip(sweep.values) {
            for caution in point.cautions {
                if !cautions.contains(&caution) {
                    cautions.push(caution);
                }
            }
            let name = self.factor.directory(value);
            contenders.extend(
                point
                    .plan
                    .contenders
                    .into_iter()
                    .map(|contender| Contender { name: name.clone(), ..contender }),
            );
            accesses.extend(point.accesses);
        }
        let (mut plan, cores) = resolved::plan(&spec, machine, contenders, &accesses)?;
        for (number, contender_access) in accesses.iter_mut().enumerate() {
            let data = plan.data_of(number);
            let contender = &mut plan.contenders[number];
            contender.asks.keep_keys_of(data);
            if let ContenderAccess::Attached { access, .. } = contender_access {
                resolved::give_table(data, contender, &mut **access);
            }
        }
        let (target_cores, own_cores) = (cores.others, cores.own);
        // Load points of one target are not contenders of an article.
        let method = None;
        Ok(Resolved { plan, accesses, cautions, secrets, method, target_cores, own_cores, spec })
    }
}

/// Refuses other limits: the length of a sweep follows from its rounds.
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
