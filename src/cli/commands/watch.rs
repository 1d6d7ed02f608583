//! `tiebreak watch`: reads the CPU time and memory of a target for a tiebreak on another machine.

use crate::cli::{conduct, outputs};
use crate::plan::WATCH_TOKEN_VARIABLE;
use crate::system::remote::Token;
use crate::targets::watch::{Limits, WatchedTarget, serve};
use protocol::Error;
use record::DialPolicy;
use std::fmt::Write;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use text::shown::shown;

const EXAMPLES: &str = "\
Examples:
  tiebreak watch --listen 10.0.0.5:9310 --pid 4711
      on the machine of the server; prints a token
  tiebreak compare a=http://10.0.0.5:8080/ b=http://10.0.0.6:8080/ \\
      --set a.watch=10.0.0.5:9310 --set b.watch=10.0.0.6:9310
      on the machine of the load, with the token in TIEBREAK_WATCH_TOKEN
  tiebreak watch --listen 10.0.0.6:9310 --cgroup /sys/fs/cgroup/system.slice/nginx.service \\
      --token-file token.txt
      all processes of a service, with a token that several watchers share";

/// Read the CPU time and memory of a server for a tiebreak on another machine
///
/// Run it on the server's machine. It reads one process with all its descendants, or one control
/// group, and the stolen time and load of its machine; it changes nothing, and nothing else can be
/// asked of it. It answers clients that prove that they know its token, until SIGINT or SIGTERM. The token
/// itself is never sent.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct WatchArgs {
    /// Address to listen on; with port 0 the system chooses a port
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: SocketAddr,
    /// Watch this process and all its descendants
    #[arg(long, value_name = "PID", value_parser = clap::value_parser!(u32).range(1..=0x7fff_ffff))]
    #[arg(required_unless_present = "cgroup", conflicts_with = "cgroup")]
    pid: Option<u32>,
    /// Watch all processes of this control group, such as
    /// /sys/fs/cgroup/system.slice/nginx.service
    #[arg(long, value_name = "PATH")]
    cgroup: Option<PathBuf>,
    /// Use the token in this file instead of making one
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Allow an address that is neither loopback nor private
    #[arg(long)]
    allow_public: bool,
}

pub(in crate::cli) fn perform(args: &WatchArgs) -> Result<(), Error> {
    check_address(args)?;
    let token = token(args)?;
    let watched = match (&args.pid, &args.cgroup) {
        (Some(pid), _) => WatchedTarget::process(*pid),
        (None, Some(path)) => WatchedTarget::cgroup(path),
        (None, None) => unreachable!("clap requires one of them"),
    };
    let watched = watched.map_err(|why| Error::target(why.to_string()))?;
    let stop = conduct::catch_signals()?;
    // If this fails, the default limit is still high enough for our own limits of connections.
    let _ = sys::limits::raise_descriptors();
    let (listener, address) = listen(args.listen)
        .map_err(|error| Error::failed(format!("--listen {}: {error}", args.listen)))?;
    outputs::print(&announcement(&watched, address, &token, args.token_file.as_deref()))?;
    serve(&listener, watched, token, Limits::default(), &stop)
        .map_err(|error| Error::failed(format!("the watcher cannot continue: {error}")))
}

fn check_address(args: &WatchArgs) -> Result<(), Error> {
    let ip = args.listen.ip();
    if DialPolicy::new(args.allow_public).allows(ip) {
        return Ok(());
    }
    Err(Error::usage(format!(
        "--listen {}: {ip} is neither a loopback nor a private address: choose one, or confirm with \
         --allow-public that others may reach the watcher",
        args.listen
    )))
}

fn token(args: &WatchArgs) -> Result<Token, Error> {
    match &args.token_file {
        Some(file) => Token::in_file(file).map_err(Error::usage),
        None => Token::new().map_err(Error::failed),
    }
}

fn listen(address: SocketAddr) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(address)?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// What is watched, and how the other machine is told so.
fn announcement(
    watched: &WatchedTarget,
    address: SocketAddr,
    token: &Token,
    file: Option<&Path>,
) -> String {
    let mut text = format!(
        "watching {}, by the {}\nlistening on {address}\n",
        watched.description().name,
        watched.source()
    );
    let set = match file {
        Some(file) => {
            let file = shown(file.display().to_string());
            writeln!(text, "token: the one in {file}").expect("a string");
            format!("  export {WATCH_TOKEN_VARIABLE}=\"$(cat {file})\"")
        }
        None => {
            writeln!(text, "token: {}", token.reveal()).expect("a string");
            format!("  export {WATCH_TOKEN_VARIABLE}={}", token.reveal())
        }
    };
    text += &format!(
        "On the machine of the load:\n{set}\n  tiebreak compare … --set NAME.watch={address}\n"
    );
    text
}
