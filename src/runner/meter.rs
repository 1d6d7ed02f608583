//! Where the cost of a target is read: here, or through a watcher.

use crate::plan::{Observed, Watcher};
use crate::targets::cpu::Meter;
use crate::watch;
use engine::TargetReading;
use keeper::process::NotVisible;
use record::WatcherReport;
use text::shown::shown;

/// Reads the cost of one target.
pub(super) enum TargetMeter {
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
            Observed::Here(sight) => Meter::of_attached(&sight.found.pids()).map(TargetMeter::Here),
            Observed::Watched(watcher) => {
                let Watcher { address, token, description, .. } = &**watcher;
                let client = watch::Client::connect(*address, token, description.clone());
                Ok(TargetMeter::Watched(Box::new(client)))
            }
        }
    }

    /// CPU time so far. Returns None if it cannot be read any more.
    pub(super) fn read(&mut self) -> Option<TargetReading> {
        match self {
            TargetMeter::Here(meter) => Some(TargetReading::here(meter.read().cpu_ns)),
            TargetMeter::Watched(client) => client.read(),
        }
    }

    /// The name of its source in the journal.
    pub(super) fn source(&self) -> String {
        match self {
            TargetMeter::Here(meter) => meter.source().name().to_owned(),
            TargetMeter::Watched(client) => shown(&client.description().source),
        }
    }

    /// Bytes, and the name of their source.
    pub(super) fn peak_memory(&mut self) -> Option<(u64, &'static str)> {
        match self {
            TargetMeter::Here(meter) => {
                let peak = meter.peak_memory()?;
                Some((peak.bytes, peak.source.name()))
            }
            TargetMeter::Watched(client) => client.peak_memory(),
        }
    }

    /// Its processes. Empty if they do not run here.
    pub(super) fn pids(&self) -> Vec<u32> {
        match self {
            TargetMeter::Here(meter) => meter.pids(),
            TargetMeter::Watched(_) => Vec::new(),
        }
    }

    /// What a watcher watches, escaped. Returns None if there is none.
    pub(super) fn watched(&self) -> Option<String> {
        match self {
            TargetMeter::Here(_) => None,
            TargetMeter::Watched(client) => Some(shown(&client.description().name)),
        }
    }

    /// What is recorded about a watcher's readings. Returns None if there is none.
    pub(super) fn report(&self) -> Option<WatcherReport> {
        match self {
            TargetMeter::Here(_) => None,
            TargetMeter::Watched(client) => Some(client.report()),
        }
    }
}
