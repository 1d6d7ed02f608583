//! Servers under test: where they are, what they cost.

pub mod cpu;
pub mod find;
pub mod process;

#[cfg(test)]
mod child;
