//! Options of a comparison that several machines drive.

use super::options::OutputOptions;
use super::{conduct, outputs};
use crate::address::{AwaitedName, resolver};
use crate::agents::{Membership, SimulatedClock, membership_in_slurm, rank_and_size};
use crate::exit::{Error, Exit};
use crate::plan::Spec;
use crate::runner;
use std::time::Duration;
use text::quantities;

#[derive(clap::Args)]
#[command(next_help_heading = "Several machines")]
pub(super) struct AgentOptions {
    /// Share the load among several processes: env (their environment says who is who) or slurm
    ///
    /// The same command is started once for each process. TIEBREAK_COORDINATOR is the
    /// HOST:PORT where the process of rank 0 listens, TIEBREAK_TOKEN_FILE a file with a
    /// token that all know. The rank and the number of processes are TIEBREAK_RANK and
    /// TIEBREAK_SIZE, or those of Slurm, of Open MPI or of an indexed job of Kubernetes, which
    /// `tiebreak agents` prints. A name of the coordinator may appear later (--gather).
    /// Rank 0 coordinates and judges, the others drive. With slurm, srun starts the
    /// processes in a directory that their machines share, and nothing else is to be set.
    #[arg(long, value_name = "HOW", value_parser = ["env", SLURM], hide_short_help = true)]
    agents: Option<String>,
    /// How long to wait until all processes are there [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = quantities::duration, requires = "agents", hide_short_help = true)]
    gather: Option<Duration>,
    /// What the clock of agent *n* simulates, for tests: OFFSET_NS,DRIFT_PPM,SKEW_NS, each times *n*
    #[arg(long, hide = true, requires = "agents", value_parser = simulated)]
    simulate_clock: Option<SimulatedClock>,
}

const GATHER: Duration = Duration::from_secs(60);
const SLURM: &str = "slurm";

impl AgentOptions {
    /// How many agents drive. Returns 0 if this process drives alone.
    ///
    /// # Errors
    /// If the environment does not say it.
    pub(super) fn count(&self) -> Result<u32, Error> {
        match &self.agents {
            None => Ok(0),
            Some(how) => {
                let (_, size) = rank_and_size(&variable, how == SLURM).map_err(Error::usage)?;
                Ok(size - 1)
            }
        }
    }

    /// Who this process is. Returns None if it drives alone. Long waits are reported on standard
    /// error unless `quiet`.
    ///
    /// # Errors
    /// If the environment does not say it, or the coordinator's name does not exist in time.
    pub(super) fn membership(
        &self,
        allow_public: bool,
        quiet: bool,
    ) -> Result<Option<Membership>, Error> {
        let Some(how) = &self.agents else { return Ok(None) };
        let gather = self.gather.unwrap_or(GATHER);
        let mut this = if how == SLURM {
            membership_in_slurm(&variable, allow_public, gather)?
        } else {
            let report = |line: &str| {
                if !quiet {
                    outputs::complain(line);
                }
            };
            let look_up = &resolver::look_up;
            let name = AwaitedName { look_up, patience: gather, report: &report };
            let look_up = |host: &str, port| name.look_up(host, port);
            Membership::of_environment(&variable, allow_public, gather, &look_up)?
        };
        this.simulated = self.simulate_clock.unwrap_or_default().times(this.rank);
        Ok(Some(this))
    }
}

/// Coordinates the agents and reports the comparison, or drives as one of them.
pub(super) fn perform(
    spec: &Spec,
    output: &OutputOptions,
    membership: &Membership,
) -> Result<Exit, Error> {
    if spec.sweep.is_some() {
        return Err(Error::usage("--sweep with --agents is not supported yet: leave one out"));
    }
    let resolved = conduct::settle(spec)?;
    if membership.rank > 0 {
        let stop = conduct::catch_signals()?;
        runner::assist(&resolved, &stop, output.out.as_deref(), membership)?;
        return Ok(Exit::Sound);
    }
    let copies = output.copies()?;
    let (directory, judged) = conduct::measure(&resolved, output.reporting(), Some(membership))?;
    outputs::publish(&directory, &judged, &copies, outputs::detail(output.verbose))?;
    Ok(judged.exit())
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn simulated(text: &str) -> Result<SimulatedClock, String> {
    let read = || {
        let mut parts = text.split(',');
        let read = SimulatedClock {
            offset_ns: parts.next()?.parse().ok()?,
            drift_ppm: parts.next()?.parse().ok()?,
            skew_ns: parts.next()?.parse().ok()?,
        };
        parts.next().is_none().then_some(read)
    };
    read().ok_or_else(|| "it must be three numbers".to_owned())
}
