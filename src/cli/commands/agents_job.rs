//! `tiebreak agents`: prints what another program needs to launch a comparison on several machines.

use crate::agents::{Image, Name, manifest};
use crate::cli::outputs;
use protocol::Error;
use record::limits::MOST_AGENTS;

const EXAMPLES: &str = "\
Examples:
  tiebreak agents --kubernetes 8 > job.yaml
      9 processes on 9 nodes; the first lines of the file say what to create before it
  tiebreak agents --kubernetes 8 --image registry.example.org/tiebreak:0.1.0 --cores 4
      with an image that the nodes of the cluster can download, and 4 cores for each process
  tiebreak agents --kubernetes 2 --name nightly > nightly.yaml
      under a name of its own, so that several comparisons can exist in one namespace";

/// Print a manifest with which Kubernetes launches a comparison on several nodes
///
/// It describes an Indexed Job, whose index 0 coordinates and judges while the other processes
/// drive, and a headless Service. The experiment file comes from a ConfigMap and the token from a
/// Secret; the manifest contains neither, and its first lines are the commands that create them.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct AgentsArgs {
    /// How many agents drive; the coordinator is an additional process
    #[arg(long, value_name = "AGENTS")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=MOST_AGENTS as i64))]
    kubernetes: u32,
    /// Name of the Job, the Service, the Secret and the ConfigMap
    #[arg(long, default_value = "tiebreak", value_parser = Name::of)]
    name: Name,
    /// Image that the nodes run; the Dockerfile of tiebreak makes it
    #[arg(long, default_value = concat!("tiebreak:", env!("CARGO_PKG_VERSION")), value_parser = Image::of)]
    image: Image,
    /// Cores that each process gets: one that drives, and others for the kernel and for writing
    #[arg(long, value_name = "N", default_value_t = 2)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1024))]
    cores: u32,
}

pub(in crate::cli) fn perform(args: &AgentsArgs) -> Result<(), Error> {
    let AgentsArgs { kubernetes: agents, name, image, cores } = args;
    outputs::print(&manifest(*agents, name, image, *cores))
}
