//! Records, from outside.

mod histogram;
mod journal;
mod merge;
mod question;
