//! Several processes on this machine drive together over loopback, through the binary.

#[path = "../common/mod.rs"]
mod common;
mod ends;
mod group;
mod kubernetes;
mod slurm;
mod ssh;
mod strangers;
mod together;
