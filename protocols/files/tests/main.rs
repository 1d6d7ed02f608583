//! Files in a directory: the store itself, and its lane, in memory and on a disk.

mod groups;
mod lane;
mod scratch;
mod store;
mod workload;
