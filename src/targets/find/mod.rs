//! Finds the processes that serve an address of this machine, for targets that tiebreak did not
//! launch.
//!
//! The search goes from the address to the listening sockets, from there to the processes that hold
//! them, and up to the topmost of these: nginx's master listens for its workers. Only this
//! machine's own network and process namespaces are searched; for anything else the error says why
//! it cannot be seen.

mod behind;
mod holders;
mod listeners;
mod sockets;
mod tcp;

#[cfg(test)]
mod tests;

pub use behind::Behind;

use holders::Processes;
use keeper::process::{Identity, NotVisible};
use record::Address;
use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr, UdpSocket};

/// The processes of a target: each root, and all its descendants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessTrees {
    /// Usually one; several if servers share a port and no listening process is above them.
    pub roots: Vec<Root>,
}

/// The topmost process of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Which process.
    pub process: Identity,
    /// Name of its program, as the kernel keeps it: at most 15 bytes, chosen
    /// by the program. Pass it through `shown` before a person sees it.
    pub name: String,
    /// Its parent, the parent's parent, and so on.
    pub ancestors: Vec<Identity>,
}

impl ProcessTrees {
    /// The numbers of the roots, as a meter takes them.
    pub fn pids(&self) -> Vec<u32> {
        self.roots.iter().map(|root| root.process.pid).collect()
    }

    /// Whether the two have a process in common.
    pub fn shares_process_with(&self, other: &ProcessTrees) -> bool {
        let within = |mine: &Root, theirs: &Root| {
            mine.process == theirs.process || mine.ancestors.contains(&theirs.process)
        };
        let pairs = self.roots.iter().flat_map(|mine| other.roots.iter().map(move |it| (mine, it)));
        pairs.into_iter().any(|(mine, theirs)| within(mine, theirs) || within(theirs, mine))
    }
}

/// The processes that serve this address.
///
/// # Errors
/// If they cannot be seen: the address belongs to another machine, nothing listens in this
/// namespace, this user may not look, or the listening process only forwards to another server.
pub fn serving(address: &Address) -> Result<ProcessTrees, NotVisible> {
    let shown = text::shown::shown(address.to_string());
    let listening = match address {
        Address::Tcp(socket) if !is_here(socket.ip()) => return Err(elsewhere(socket.ip())),
        Address::Tcp(socket) => sockets::listening_on(*socket),
        Address::Nodes(nodes) => return serving_nodes(nodes),
        Address::Unix(path) => sockets::listening_at(path),
        Address::Directory(_) | Address::Program => {
            return Err(NotVisible("no server is asked".to_owned()));
        }
    };
    if listening.is_empty() {
        return Err(NotVisible(format!(
            "nothing listens on {shown} in this network namespace: the server runs in a container \
             or is stopped; name its process with pid"
        )));
    }
    holders::topmost(&shown, &listening)
}

/// The processes that serve the nodes of one target; an error if one of them cannot be seen, since
/// its share of the sum would be missing.
fn serving_nodes(nodes: &[SocketAddr]) -> Result<ProcessTrees, NotVisible> {
    let mut roots: Vec<Root> = Vec::new();
    for node in nodes {
        for root in serving(&Address::Tcp(*node))?.roots {
            if !roots.contains(&root) {
                roots.push(root);
            }
        }
    }
    Ok(ProcessTrees { roots })
}

/// Whether one of these processes, and not another one, listens on this TCP port. Returns None if
/// nothing listens or if it is not known.
pub(crate) fn listens(port: u16, pids: &[i32]) -> Option<bool> {
    let listening = sockets::listening_on_port(port);
    if listening.is_empty() {
        return None;
    }
    let mut unseen = false;
    for pid in pids {
        match holders::holds(*pid as u32, &listening.inodes) {
            Ok(true) => return Some(true),
            Ok(false) => {}
            Err(_) => unseen = true,
        }
    }
    (!unseen).then_some(false)
}

/// The TCP ports on which these processes listen.
pub(crate) fn listening_ports(pids: &[i32]) -> BTreeSet<u16> {
    let inodes = pids.iter().flat_map(|pid| holders::inodes_of(*pid as u32)).collect();
    sockets::ports_of(&inodes)
}

/// A process that the user names, instead of letting it be found by the address of its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedProcess {
    /// By its number.
    Pid(u32),
    /// By the name of its program.
    Program(String),
}

/// The trees of these processes.
///
/// # Errors
/// If one of them does not exist or cannot be seen, or if a name does not say which one is meant.
pub fn named(processes: &[NamedProcess]) -> Result<ProcessTrees, NotVisible> {
    let now = Processes::now();
    let mut roots: Vec<Root> = Vec::new();
    for process in processes {
        let pid = match process {
            NamedProcess::Pid(pid) => *pid,
            NamedProcess::Program(name) => now.called(name, std::process::id())?,
        };
        let root = now.root(pid).ok_or_else(|| not_there(pid))?;
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    Ok(ProcessTrees { roots })
}

/// The tree of a process with this ID.
///
/// # Errors
/// If the process does not exist, or this user may not see it.
pub fn process(pid: u32) -> Result<ProcessTrees, NotVisible> {
    named(&[NamedProcess::Pid(pid)])
}

fn not_there(pid: u32) -> NotVisible {
    NotVisible(format!("process {pid} does not exist, or this user may not see it"))
}

/// Groups contenders, by number, whose targets have a process in common: its CPU time cannot be
/// attributed, so the target rests only while no contender of the group is driven. Contenders whose
/// target cannot be seen are in no group. `share` says whether two have a process in common.
pub fn groups<T>(found: &[Option<T>], share: impl Fn(&T, &T) -> bool) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (number, this) in found.iter().enumerate() {
        let Some(this) = this else { continue };
        let shares = |other: &usize| found[*other].as_ref().is_some_and(|other| share(this, other));
        // It may join two groups that were separate so far.
        let (joined, apart): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.iter().any(shares));
        let mut group: Vec<usize> = joined.into_iter().flatten().chain([number]).collect();
        group.sort_unstable();
        groups = apart;
        groups.push(group);
    }
    groups.sort();
    groups
}

/// Whether an address belongs to this machine: one can listen only on those.
fn is_here(ip: IpAddr) -> bool {
    ip.to_canonical().is_loopback() || (UdpSocket::bind((ip, 0)).is_ok() && !binds_anywhere(ip))
}

/// Whether the system allows sockets to be bound to any address, as on machines that take over
/// addresses of others. Then a successful bind proves nothing.
fn binds_anywhere(ip: IpAddr) -> bool {
    let family = if ip.is_ipv4() { "ipv4" } else { "ipv6" };
    let setting = std::fs::read_to_string(format!("/proc/sys/net/{family}/ip_nonlocal_bind"));
    setting.is_ok_and(|text| text.trim() != "0")
}

fn elsewhere(ip: IpAddr) -> NotVisible {
    if binds_anywhere(ip) {
        return NotVisible(format!(
            "{ip} may or may not be an address of this machine (net.ipv4.ip_nonlocal_bind or its \
             IPv6 counterpart is set): name the target's process with pid if it runs here"
        ));
    }
    NotVisible(format!(
        "{ip} is not an address of this machine, so the processes of the target cannot be seen"
    ))
}
