//! Where the cost of a target is read: here, or through a watcher.

use crate::plan::{Observed, Watcher};
use crate::targets::cpu::Meter;
use crate::targets::watch;
use engine::TargetReading;
use keeper::process::NotVisible;
use record::WatcherReport;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use text::shown::shown;

/// Reads the cost of one target. Clones share it: the workers' threads read, too.
#[derive(Clone)]
pub(super) struct TargetMeter(Arc<Mutex<Reads>>);

enum Reads {
    /// Its processes run here.
    Here(Meter),
    /// A watcher reads them.
    Watched(Box<watch::Client>),
}

impl TargetMeter {
    /// Begins to read a target that is already running.
    ///
    /// # Errors
    /// If it cannot be seen from here. A watcher that cannot be asked any more is lost at once.
    pub(super) fn of(observed: &Observed) -> Result<TargetMeter, NotVisible> {
        match observed {
            Observed::Here(sight) => Meter::of_attached(&sight.found.pids()).map(TargetMeter::here),
            Observed::Watched(watcher) => {
                let Watcher { address, token, description, .. } = &**watcher;
                let client = watch::Client::connect(*address, token, description.clone());
                Ok(TargetMeter::reads(Reads::Watched(Box::new(client))))
            }
        }
    }

    /// Reads processes that run here.
    pub(super) fn here(meter: Meter) -> TargetMeter {
        TargetMeter::reads(Reads::Here(meter))
    }

    fn reads(reads: Reads) -> TargetMeter {
        TargetMeter(Arc::new(Mutex::new(reads)))
    }

    fn lock(&self) -> MutexGuard<'_, Reads> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// CPU time so far. Returns None if it cannot be read any more.
    pub(super) fn read(&self) -> Option<TargetReading> {
        match &mut *self.lock() {
            Reads::Here(meter) => Some(TargetReading::here(meter.read())),
            Reads::Watched(client) => client.read(),
        }
    }

    /// The name of its source in the journal.
    pub(super) fn source(&self) -> String {
        match &mut *self.lock() {
            Reads::Here(meter) => meter.source().name().to_owned(),
            Reads::Watched(client) => shown(&client.description().source),
        }
    }

    /// Bytes, and the name of their source.
    pub(super) fn peak_memory(&self) -> Option<(u64, &'static str)> {
        match &mut *self.lock() {
            Reads::Here(meter) => {
                let peak = meter.peak_memory()?;
                Some((peak.bytes, peak.source.name()))
            }
            Reads::Watched(client) => client.peak_memory(),
        }
    }

    /// Its processes. Empty if they do not run here.
    pub(super) fn pids(&self) -> Vec<u32> {
        match &mut *self.lock() {
            Reads::Here(meter) => meter.pids(),
            Reads::Watched(_) => Vec::new(),
        }
    }

    /// What a watcher watches, escaped. Returns None if there is none.
    pub(super) fn watched(&self) -> Option<String> {
        match &mut *self.lock() {
            Reads::Here(_) => None,
            Reads::Watched(client) => Some(shown(&client.description().name)),
        }
    }

    /// What is recorded about a watcher's readings. Returns None if there is none.
    pub(super) fn report(&self) -> Option<WatcherReport> {
        match &mut *self.lock() {
            Reads::Here(_) => None,
            Reads::Watched(client) => Some(client.report()),
        }
    }
}
