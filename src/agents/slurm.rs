//! Processes that Slurm's `srun` started: they find each other through a file in the directory in
//! which all of them run, which the cluster's machines share.

use super::announce::Announce;
use super::membership::{Membership, number_of, rank_and_size};
use crate::system::remote::Token;
use keeper::user;
use protocol::Error;
use record::DialPolicy;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use text::shown::shown;
use text::units::{nanoseconds, show_ns};

const PAUSE: Duration = Duration::from_millis(50);
/// The largest size of the file in bytes: an address and a token are shorter.
const MOST_BYTES: u64 = 1024;

/// Reads who this process is from Slurm's variables. An agent waits until the coordinator has said
/// where it listens.
///
/// # Errors
/// If a variable is missing, or the coordinator does not appear in time.
pub(crate) fn membership(
    variable: &dyn Fn(&str) -> Option<String>,
    allow_public: bool,
    gather: Duration,
) -> Result<Membership, Error> {
    let (rank, size) = rank_and_size(variable, true).map_err(Error::usage)?;
    let id = |name: &str| number_of(variable, name).map_err(Error::usage);
    let (job, step) = (id("SLURM_JOB_ID")?, id("SLURM_STEP_ID")?);
    // A job that was requeued has the same number; a file of its first attempt may be left.
    let restarts = variable("SLURM_RESTART_COUNT").and_then(|text| text.parse::<u32>().ok());
    let attempt = restarts.unwrap_or(0);
    let file = PathBuf::from(format!("tiebreak-{job}.{step}.{attempt}.rendezvous"));
    if rank == 0 {
        let ip = own_address(variable)?;
        if !DialPolicy::new(allow_public).allows(ip) {
            return Err(Error::usage(format!(
                "this machine is {ip} in the cluster, a public address: confirm with \
                 --allow-public that the coordinator may listen there"
            )));
        }
        let token = Token::new().map_err(Error::failed)?;
        let coordinator = SocketAddr::new(ip, 0);
        let announce = Some(Announce::File(file));
        return Ok(Membership { rank, size, coordinator, token, gather, announce });
    }
    let (coordinator, token) = found(&file, gather)?;
    if !DialPolicy::new(allow_public).allows(coordinator.ip()) {
        return Err(Error::usage(format!(
            "the coordinator is at {coordinator}, a public address: confirm it with --allow-public"
        )));
    }
    Ok(Membership { rank, size, coordinator, token, gather, announce: None })
}

/// The address of this machine in the network of the cluster: the one from which packets to the
/// machine where `srun` runs are sent. No packet is sent.
fn own_address(variable: &dyn Fn(&str) -> Option<String>) -> Result<IpAddr, Error> {
    const LAUNCHER: &str = "SLURM_LAUNCH_NODE_IPADDR";
    let launcher = variable(LAUNCHER).and_then(|text| text.trim().parse::<IpAddr>().ok());
    let Some(launcher) = launcher else {
        return Err(Error::usage(format!(
            "--agents slurm requires the variable {LAUNCHER}, which srun sets: start tiebreak by \
             srun"
        )));
    };
    let any: IpAddr = match launcher {
        IpAddr::V4(_) => std::net::Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => std::net::Ipv6Addr::UNSPECIFIED.into(),
    };
    let local_address = UdpSocket::bind((any, 0)).and_then(|socket| {
        socket.connect((launcher, 9))?;
        socket.local_addr()
    });
    local_address.map(|address| address.ip()).map_err(|error| {
        Error::failed(format!("no route to {launcher} ({LAUNCHER}) was found: {error}"))
    })
}

/// Waits for the file of the coordinator.
fn found(file: &Path, timeout: Duration) -> Result<(SocketAddr, Token), Error> {
    let until = Instant::now() + timeout;
    loop {
        match read(file) {
            Ok(Some(found)) => return Ok(found),
            Ok(None) if Instant::now() < until => std::thread::sleep(PAUSE),
            Ok(None) => {
                return Err(Error::failed(format!(
                    "the coordinator did not write {} within {}: all processes must run in a \
                     directory that their machines share",
                    shown(file.display().to_string()),
                    show_ns(nanoseconds(timeout))
                )));
            }
            Err(why) => {
                let file = shown(file.display().to_string());
                return Err(Error::failed(format!("{file}: {why}")));
            }
        }
    }
}

/// Reads the file of the coordinator. Returns None while it does not exist or is not complete. A
/// file is accepted only if it belongs to the same user and nobody else can read it.
fn read(file: &Path) -> Result<Option<(SocketAddr, Token)>, String> {
    // So that a link is not followed, and a pipe does not block.
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let opened = match OpenOptions::new().read(true).custom_flags(flags).open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let about = opened.metadata().map_err(|error| error.to_string())?;
    if !about.is_file() || about.uid() != user::ours() || about.mode() & 0o077 != 0 {
        return Err(
            "it is not a plain file, belongs to another user, or others can read it".to_owned()
        );
    }
    let mut text = String::new();
    opened.take(MOST_BYTES).read_to_string(&mut text).map_err(|error| error.to_string())?;
    let Some(line) = text.strip_suffix('\n') else { return Ok(None) };
    let bad = || "it does not contain an address and a token".to_owned();
    let (at, token) = line.split_once(' ').ok_or_else(bad)?;
    let at = at.parse().map_err(|_| bad())?;
    Ok(Some((at, Token::of(token).map_err(|_| bad())?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::announce::Announced;
    use crate::scratch::Scratch;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn an_agent_reads_what_the_coordinator_wrote_and_believes_no_other_file() {
        let scratch = Scratch::new();
        let file = scratch.path().join("rendezvous");
        assert!(matches!(read(&file), Ok(None)));
        let token = Token::new().expect("random");
        let at: SocketAddr = "10.0.0.5:9311".parse().expect("an address");
        let announced = Announced::write(&file, at, &token).expect("new");
        let (found_at, found_token) = read(&file).expect("good").expect("there");
        assert!(found_at == at && found_token == token);
        assert!(Announced::write(&file, at, &token).is_err(), "an existing one is not touched");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("ours");
        assert!(read(&file).expect_err("refused").contains("others can read it"));
        drop(announced);
        assert!(!file.exists());
        fs::write(&file, "10.0.0.5:9311 half a li").expect("scratch");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("ours");
        assert!(matches!(read(&file), Ok(None)), "not complete");
        fs::write(&file, "nonsense\n").expect("scratch");
        assert!(
            read(&file).expect_err("refused").contains("does not contain an address and a token")
        );
    }

    #[test]
    fn the_address_is_that_of_the_way_to_the_launcher() {
        let at = |ip: &'static str| own_address(&move |_| Some(ip.to_owned()));
        assert_eq!(at("127.0.0.1").map_err(|error| error.text), Ok([127, 0, 0, 1].into()));
        let why = own_address(&|_| None).expect_err("missing").text;
        assert!(why.contains("SLURM_LAUNCH_NODE_IPADDR"), "{why}");
    }
}
