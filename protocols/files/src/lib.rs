//! Files in a directory, used as a cache.
#![forbid(unsafe_code)]

mod directories;
mod errors;
mod facts;
mod lane;
mod name;
#[cfg(test)]
#[path = "../../../tests/common/scratch.rs"]
mod scratch;
mod settings;
mod side_channel;
mod store;
mod system;
mod verified;

pub use facts::facts;
pub use lane::{Action, Answer, FileWork, Judged, Request, file_lanes};
pub use store::{FileLookup, Guard, Settings, Store, Stored};
pub use verified::{FilesAccess, lacks};

use engine::{EngineError, MakeLane, Numbers, grouped};
use protocol::side_channel::SideChannel;
use protocol::{
    Access, Examples, Family, Files, Login, NullLane, Own, Path, Protocol, Query, ReadyRequest,
    Scheme, TargetKind,
};
use record::{Address, DriveOrder, Workload};
use settings::settings;
use std::sync::Arc;

/// Its properties.
pub static ROW: Protocol = Protocol {
    name: "file",
    title: "files",
    schemes: &[Scheme::local("file", TargetKind::Directory)],
    example: "file:///dev/shm/cache",
    login: Login::Never,
    path: Path::Nothing,
    query: Query::Words(&[]),
    family: Family::Files(Files {
        // Its 256 directories stay open.
        descriptors: 300,
        refuses: empty_values,
        open,
        facts: |root, own| facts(root, &settings(own)),
    }),
    own: &settings::OWN,
    ready: ReadyRequest::NoServer,
    no_depth: Some("files have one operation in flight per connection: leave out depth"),
    lacks,
    examples: Examples {
        compare: &[],
        load: &[(
            "file:///dev/shm/cache --workload ycsb-b",
            "files, as `tiebreak compare` with the same arguments would load them",
        )],
        setup: &[],
    },
    ..Protocol::USUAL
};

fn open(
    root: &std::path::Path,
    own: &Own,
    numbers: Numbers,
) -> Result<Box<dyn Access>, EngineError> {
    let store = Arc::new(Store::new(root, settings(own))?);
    Ok(Box::new(FilesAccess { store, numbers }))
}

/// Refuses empty values: an empty file does not count as a value.
fn empty_values(workload: &Workload) -> Option<&'static str> {
    (workload.value.least() == 0)
        .then_some("stores values in files, which must have at least 1 byte: change --value")
}

impl Access for FilesAccess {
    fn lanes(&self, order: &DriveOrder, contender: usize) -> Vec<MakeLane> {
        grouped(order, contender, |order| FilesAccess::lanes(self, order, contender))
    }

    /// Returns None, because the null server does not speak this protocol.
    fn null_lane(&self) -> Option<NullLane> {
        None
    }

    fn side_channel(
        &self,
        address: &Address,
        _table: Option<&str>,
    ) -> Option<Box<dyn SideChannel>> {
        let Address::Directory(root) = address else { return None };
        Some(Box::new(side_channel::Directory::new(root, self.store.settings())))
    }
}
