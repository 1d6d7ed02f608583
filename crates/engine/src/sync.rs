//! What the threads of a run share. In tests, a schedule can decide the order of their steps.

#[cfg(test)]
pub(crate) use crate::schedules::{Condvar, Mutex, Receiver, Sender, channel};
#[cfg(not(test))]
pub(crate) use std::sync::{
    Condvar, Mutex,
    mpsc::{Receiver, Sender, channel},
};
