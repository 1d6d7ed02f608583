//! The machine that the generator ran on.

use serde::{Deserialize, Serialize};

/// Facts about the machine. Every field is what the system reports, or empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Kernel name and release.
    pub kernel: String,
    /// Model of the processor.
    pub cpu: String,
    /// Cores that this process is allowed to use.
    pub cores: Vec<u32>,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Clock source of the kernel.
    pub clock: String,
    /// Soft limit of file descriptors, after it was raised.
    pub descriptors: u64,
    /// First and last port that the kernel assigns to clients.
    pub client_ports: (u16, u16),
}
