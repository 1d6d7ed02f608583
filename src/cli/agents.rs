//! Options of a comparison that several machines drive.

use super::options::OutputOptions;
use super::{agents_over_ssh, conduct, outputs};
use crate::agents::{Membership, SimulatedClock, hosts, membership_in_slurm, rank_and_size};
use crate::plan::Spec;
use crate::run::runner;
use protocol::address::{AwaitedName, resolver};
use protocol::{Error, Exit};
use std::time::Duration;
use text::quantities;

#[derive(clap::Args)]
#[command(next_help_heading = "Several machines")]
pub(super) struct AgentOptions {
    /// Share the load among several processes: env (their environment says which is which), slurm,
    /// or ssh:HOST,HOST,…
    ///
    /// The same command is started once for each process. TIEBREAK_COORDINATOR is the
    /// HOST:PORT where the process of rank 0 listens, TIEBREAK_TOKEN_FILE a file with a
    /// token that all know. The rank and the number of processes are TIEBREAK_RANK and
    /// TIEBREAK_SIZE, or those of Slurm, of Open MPI or of an indexed job of Kubernetes, which
    /// `tiebreak agents` prints. A name of the coordinator may appear later (--gather).
    /// Rank 0 coordinates and judges, the others drive. With slurm, srun starts the
    /// processes in a directory that their machines share, and nothing else needs to be set.
    /// With ssh:HOST,HOST,… this process coordinates, copies itself and the experiment file
    /// to each host, and starts one agent there. TIEBREAK_SSH names another command than ssh.
    #[arg(long, value_name = "HOW", value_parser = how, hide_short_help = true)]
    agents: Option<How>,
    /// How long to wait until all processes are there [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = quantities::duration, requires = "agents", hide_short_help = true)]
    gather: Option<Duration>,
    /// What the clock of agent *n* simulates, for tests: OFFSET_NS,DRIFT_PPM,SKEW_NS, each times
    /// *n*, and a step of it: STEP_NS, times *n*, AFTER_NS, counted from the end of its first round
    #[arg(long, hide = true, requires = "agents", value_parser = simulated)]
    simulate_clock: Option<SimulatedClock>,
}

const GATHER: Duration = Duration::from_secs(60);

/// How the processes of a group are started.
#[derive(Clone)]
enum How {
    Env,
    Slurm,
    /// By this process, on these hosts.
    Ssh(Vec<String>),
}

impl AgentOptions {
    /// How many agents drive. Returns 0 if this process drives alone.
    ///
    /// # Errors
    /// If the environment does not say it.
    pub(super) fn count(&self) -> Result<u32, Error> {
        let in_slurm = match &self.agents {
            None => return Ok(0),
            Some(How::Ssh(hosts)) => return Ok(hosts.len() as u32),
            Some(How::Env) => false,
            Some(How::Slurm) => true,
        };
        let (_, size) = rank_and_size(&variable, in_slurm).map_err(Error::usage)?;
        Ok(size - 1)
    }

    /// Whether several processes share the load.
    pub(super) fn share(&self) -> bool {
        self.agents.is_some()
    }
}

/// Coordinates the agents and reports the comparison, or drives as one of them.
pub(super) fn perform(
    spec: &Spec,
    options: &AgentOptions,
    output: &OutputOptions,
) -> Result<Exit, Error> {
    if spec.sweep.is_some() {
        return Err(Error::usage("--sweep with --agents is not supported yet: leave one out"));
    }
    let gather = options.gather.unwrap_or(GATHER);
    let this = match &options.agents {
        Some(How::Ssh(hosts)) => return agents_over_ssh::perform(spec, hosts, gather, output),
        Some(How::Slurm) => membership_in_slurm(&variable, spec.allow_public, gather)?,
        Some(How::Env) | None => in_environment(spec.allow_public, gather, output.quiet)?,
    };
    if this.rank > 0 {
        let resolved = conduct::settle_for_agent(spec)?;
        agents_over_ssh::remove_sent_experiment();
        let stop = conduct::catch_signals()?;
        let clock = options.simulate_clock.unwrap_or_default().times(this.rank);
        runner::assist(&resolved, &stop, output.out.as_deref(), &this, clock)?;
        return Ok(Exit::Sound);
    }
    let resolved = conduct::settle(spec)?;
    let copies = output.copies()?;
    let measured = conduct::measure(&resolved, output.reporting(), Some(&this))?;
    outputs::publish(&measured, &copies, output.verbose)
}

/// Reads from the environment who this process is. Waits until the name of the coordinator exists,
/// and reports a long wait on standard error unless `quiet`.
fn in_environment(allow_public: bool, gather: Duration, quiet: bool) -> Result<Membership, Error> {
    let report = |line: &str| {
        if !quiet {
            outputs::complain(line);
        }
    };
    let name = AwaitedName { look_up: &resolver::look_up, timeout: gather, report: &report };
    let look_up = |host: &str, port| name.look_up(host, port);
    Membership::of_environment(&variable, allow_public, gather, &look_up)
}

fn how(text: &str) -> Result<How, String> {
    match text {
        "env" => Ok(How::Env),
        "slurm" => Ok(How::Slurm),
        _ => match text.strip_prefix("ssh:") {
            Some(list) => hosts(list).map(How::Ssh),
            None => Err("it must be env, slurm or ssh:HOST,HOST,…".to_owned()),
        },
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn simulated(text: &str) -> Result<SimulatedClock, String> {
    let read = || {
        let mut parts = text.split(',').peekable();
        let mut read = SimulatedClock {
            offset_ns: parts.next()?.parse().ok()?,
            drift_ppm: parts.next()?.parse().ok()?,
            skew_ns: parts.next()?.parse().ok()?,
            ..SimulatedClock::default()
        };
        if parts.peek().is_some() {
            read.step_ns = parts.next()?.parse().ok()?;
            read.step_after_ns = parts.next()?.parse().ok()?;
        }
        parts.next().is_none().then_some(read)
    };
    read().ok_or_else(|| "it must be three numbers, or five".to_owned())
}
