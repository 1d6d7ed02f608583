//! Who this process is among those that drive together, as a launcher tells it in environment
//! variables.

use super::announce::Announce;
use crate::system::remote::Token;
use protocol::address::resolver::{LookUp, Resolver};
use protocol::{Error, Exit};
use record::limits::MOST_AGENTS;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use text::shown::shown;

const COORDINATOR: &str = "TIEBREAK_COORDINATOR";
const TOKEN_FILE: &str = "TIEBREAK_TOKEN_FILE";

const SLURM: [(&str, &str); 1] = [("SLURM_PROCID", "SLURM_NTASKS")];
/// The variables that say which process this is and how many there are, in order of precedence.
const RANKS: [(&str, &str); 4] = [
    ("TIEBREAK_RANK", "TIEBREAK_SIZE"),
    // Before Slurm: within an allocation, processes of mpirun also inherit the variables of the
    // batch step.
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    SLURM[0],
    // Kubernetes sets only the rank.
    ("JOB_COMPLETION_INDEX", "TIEBREAK_SIZE"),
];

/// Who this process is. No `Debug`: it holds the token.
#[derive(Clone)]
pub(crate) struct Membership {
    /// Process 0 coordinates, the others drive.
    pub(crate) rank: u32,
    /// How many processes there are.
    pub(crate) size: u32,
    pub(crate) coordinator: SocketAddr,
    pub(crate) token: Token,
    /// How long to wait until all processes are there.
    pub(crate) gather: Duration,
    /// How the coordinator says where it listens. None if all know it.
    pub(crate) announce: Option<Announce>,
}

impl Membership {
    /// Reads it from the environment, as `variable` returns it. `look_up` finds the coordinator.
    ///
    /// # Errors
    /// If a variable is missing or invalid; the message names it.
    pub(crate) fn of_environment(
        variable: &dyn Fn(&str) -> Option<String>,
        allow_public: bool,
        gather: Duration,
        look_up: LookUp<'_>,
    ) -> Result<Membership, Error> {
        let (rank, size) = rank_and_size(variable, false).map_err(Error::usage)?;
        let given = |name: &str| {
            let missing = || Error::usage(format!("--agents env requires the variable {name}"));
            variable(name).ok_or_else(missing)
        };
        let coordinator = given(COORDINATOR)?;
        let (host, port) = host_and_port(&coordinator).ok_or_else(|| {
            Error::usage(format!(
                "{COORDINATOR} must be HOST:PORT, such as 10.0.0.5:9311, not `{}`",
                shown(&coordinator)
            ))
        })?;
        let file = PathBuf::from(given(TOKEN_FILE)?);
        let token =
            Token::in_file(&file).map_err(|why| Error::usage(format!("{TOKEN_FILE}: {why}")))?;
        // The last step, since it may wait.
        let coordinator = address(host, port, allow_public, look_up)?;
        Ok(Membership { rank, size, coordinator, token, gather, announce: None })
    }

    /// How many agents drive.
    pub(crate) fn agents(&self) -> u32 {
        self.size - 1
    }
}

pub(super) fn number_of(
    variable: &dyn Fn(&str) -> Option<String>,
    name: &str,
) -> Result<u32, String> {
    let text = variable(name).ok_or_else(|| format!("the variable {name} is not set"))?;
    let bad = |_| format!("{name} must be a number, not `{}`", shown(&text));
    text.trim().parse().map_err(bad)
}

/// The rank of this process and the number of processes, from the variables of Slurm or from the
/// first pair of variables that is set.
///
/// # Errors
/// If none is set, or if they contradict each other.
pub(crate) fn rank_and_size(
    variable: &dyn Fn(&str) -> Option<String>,
    in_slurm: bool,
) -> Result<(u32, u32), String> {
    let names = if in_slurm { &SLURM[..] } else { &RANKS[..] };
    let set = names.iter().find(|(rank, _)| variable(rank).is_some());
    let Some((rank_name, size_name)) = set else {
        return Err(format!(
            "--agents requires the variables {}, which say which process this is and how many \
             there are; launchers such as srun and mpirun set variables of their own",
            names.first().map_or(String::new(), |(rank, size)| format!("{rank} and {size}"))
        ));
    };
    if variable(size_name).is_none() {
        return Err(format!("{rank_name} is set, but {size_name} is not"));
    }
    let (rank, size) = (number_of(variable, rank_name)?, number_of(variable, size_name)?);
    if !(2..=MOST_AGENTS as u32 + 1).contains(&size) {
        return Err(format!(
            "{size_name} is {size}; it must be from 2 (a coordinator and an agent) to {}",
            MOST_AGENTS + 1
        ));
    }
    if rank >= size {
        return Err(format!("{rank_name} is {rank}; it must be below {size_name}, {size}"));
    }
    Ok((rank, size))
}

fn host_and_port(text: &str) -> Option<(&str, u16)> {
    let (host, port) = text.trim().rsplit_once(':').filter(|(host, _)| !host.is_empty())?;
    let port = port.parse().ok().filter(|port| *port > 0)?;
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    Some((host, port))
}

/// The address of the coordinator. Others connect to it, so a public address requires permission.
fn address(
    host: &str,
    port: u16,
    allow_public: bool,
    look_up: LookUp<'_>,
) -> Result<SocketAddr, Error> {
    // It does not matter whether something listens there yet.
    let mut resolver = Resolver::new(allow_public, look_up, &|_| true);
    resolver.dial(host, port).map_err(|error| {
        // The coordinator is not a target.
        let exit = if error.exit == Exit::TargetFailed { Exit::Failed } else { error.exit };
        Error { exit, text: format!("{COORDINATOR}: {}", error.text) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::io;

    fn read(variables: &[(&str, &str)]) -> Result<Membership, String> {
        let no_name = |_: &str, _: u16| Err(io::Error::other("no such host"));
        read_with(variables, &no_name).map_err(|error| error.text)
    }

    fn read_with(variables: &[(&str, &str)], look_up: LookUp<'_>) -> Result<Membership, Error> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Membership::of_environment(&variable, false, Duration::from_secs(1), look_up)
    }

    /// Variables, and the rank and size that they give.
    type Row<'a> = (&'a [(&'a str, &'a str)], (u32, u32));

    #[test]
    fn launchers_say_who_a_process_is() {
        let scratch = Scratch::new();
        let file = scratch.path().join("token");
        std::fs::write(&file, "a-token-of-22-letters-\n").expect("scratch");
        let file = file.to_str().expect("UTF-8");
        let table: [Row<'_>; 6] = [
            (&[("TIEBREAK_RANK", "1"), ("TIEBREAK_SIZE", "3")], (1, 3)),
            (&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")], (0, 4)),
            (&[("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "3")], (2, 3)),
            (&[("JOB_COMPLETION_INDEX", "5"), ("TIEBREAK_SIZE", "9")], (5, 9)),
            (
                &[
                    ("SLURM_PROCID", "0"),
                    ("SLURM_NTASKS", "1"),
                    ("OMPI_COMM_WORLD_RANK", "2"),
                    ("OMPI_COMM_WORLD_SIZE", "3"),
                ],
                (2, 3),
            ),
            (
                &[
                    ("SLURM_PROCID", "3"),
                    ("SLURM_NTASKS", "4"),
                    ("TIEBREAK_RANK", "1"),
                    ("TIEBREAK_SIZE", "2"),
                ],
                (1, 2),
            ),
        ];
        for (ranks, wanted) in table {
            let more = [("TIEBREAK_COORDINATOR", "127.0.0.1:9311"), ("TIEBREAK_TOKEN_FILE", file)];
            let this = read(&[ranks, &more].concat()).unwrap_or_else(|why| panic!("{why}"));
            assert_eq!((this.rank, this.size, this.agents()), (wanted.0, wanted.1, wanted.1 - 1));
            assert_eq!(this.coordinator.to_string(), "127.0.0.1:9311");
        }
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let with = |rank, size, more: &[(&'static str, &'static str)]| {
            read(&[&[("TIEBREAK_RANK", rank), ("TIEBREAK_SIZE", size)], more].concat())
        };
        let why = |read: Result<Membership, String>| read.err().expect("an error");
        assert!(why(read(&[])).contains("requires the variables TIEBREAK_RANK and TIEBREAK_SIZE"));
        assert!(why(read(&[("SLURM_PROCID", "1")])).ends_with("but SLURM_NTASKS is not"));
        assert!(why(with("x", "3", &[])).starts_with("TIEBREAK_RANK must be a number"));
        assert!(why(with("0", "1", &[])).starts_with("TIEBREAK_SIZE is 1; it must be from 2"));
        assert!(why(with("3", "3", &[])).contains("must be below TIEBREAK_SIZE, 3"));
        assert!(why(with("1", "3", &[])).ends_with("requires the variable TIEBREAK_COORDINATOR"));
        for bad in ["127.0.0.1", ":1", "h:0", "h:x"] {
            let why = why(with("1", "3", &[("TIEBREAK_COORDINATOR", bad)]));
            assert!(why.contains("TIEBREAK_COORDINATOR"), "{bad}: {why}");
        }
        let no_token = why(with("0", "3", &[("TIEBREAK_COORDINATOR", "127.0.0.1:9311")]));
        assert!(no_token.ends_with("requires the variable TIEBREAK_TOKEN_FILE"), "{no_token}");
    }

    #[test]
    fn the_name_of_the_coordinator_is_looked_up_last_and_must_be_private() {
        let scratch = Scratch::new();
        let file = scratch.path().join("token");
        std::fs::write(&file, "a-token-of-22-letters-\n").expect("scratch");
        let at = |coordinator, look_up: LookUp<'_>| {
            let file = file.to_str().expect("UTF-8");
            let variables = [
                ("TIEBREAK_RANK", "0"),
                ("TIEBREAK_SIZE", "3"),
                ("TIEBREAK_COORDINATOR", coordinator),
                ("TIEBREAK_TOKEN_FILE", file),
            ];
            let read = read_with(&variables, look_up);
            read.map(|this| this.coordinator.to_string()).map_err(|error| (error.exit, error.text))
        };
        let private = |_: &str, port: u16| Ok(vec![SocketAddr::from(([10, 0, 0, 5], port))]);
        assert_eq!(at("t-0.t:9311", &private), Ok("10.0.0.5:9311".to_owned()));
        assert_eq!(at("[::1]:9311", &private), Ok("[::1]:9311".to_owned()));
        let public = |_: &str, port: u16| Ok(vec![SocketAddr::from(([8, 8, 8, 8], port))]);
        for coordinator in ["t-0.t:9311", "0.0.0.0:9311"] {
            let (exit, why) = at(coordinator, &public).expect_err("it is public");
            assert_eq!(exit, Exit::Usage);
            assert!(why.contains("--allow-public"), "{why}");
        }
        let missing = |_: &str, _: u16| Err(io::Error::other("no such host"));
        let (exit, why) = at("t-0.t:9311", &missing).expect_err("it does not exist");
        assert_eq!(exit, Exit::Failed);
        let wanted = "TIEBREAK_COORDINATOR: the name `t-0.t` cannot be resolved: no such host";
        assert_eq!(why, wanted);
        let never = |_: &str, _: u16| panic!("looked up without a token");
        let missing = [("TIEBREAK_TOKEN_FILE", "no-such-file"), ("TIEBREAK_COORDINATOR", "t:1")];
        let ranks = [("TIEBREAK_RANK", "0"), ("TIEBREAK_SIZE", "3")];
        assert!(read_with(&[ranks, missing].concat(), &never).is_err());
    }
}
