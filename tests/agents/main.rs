//! Several processes on this machine drive together over loopback, through the binary.

#[path = "../common/mod.rs"]
mod common;

mod cluster;
mod ends;
mod faults;
mod group;
mod kubernetes;
mod machine;
mod mpi;
mod network;
mod relay;
mod slurm;
mod ssh;
mod strangers;
mod together;
mod waiting;
mod watched;
