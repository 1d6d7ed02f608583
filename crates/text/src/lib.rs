//! Texts that people read and write: no I/O, no clock, no other crate of ours.
#![forbid(unsafe_code)]
#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

pub mod blot;
pub mod entities;
pub mod escapes;
pub mod fnv;
pub mod glob;
pub mod hex;
pub mod lists;
pub mod near;
pub mod percent;
pub mod quantities;
pub mod shell_words;
pub mod shown;
pub mod units;
