//! What a session knows of its stores.

use protocol::side_channel::{About, ServerStart};

/// What a session knows of its stores.
#[derive(Debug, Default)]
pub(super) struct Stores {
    /// Whether they are loaded regardless of their fingerprints.
    pub(super) reload: bool,
    /// Whether they are only loaded: nothing is written to them afterwards.
    pub(super) only_load: bool,
    /// The current launch.
    pub(super) launch: u32,
    /// The server's start in this launch, by contender.
    starts: Vec<Option<ServerStart>>,
    /// Why the load points of a sweep have their data in the stores one after the other. None if all are there.
    pub(super) apart: Option<String>,
    /// The contenders whose data must be removed before those of another load point are loaded.
    pub(super) crowded: Vec<usize>,
    /// Whether what tiebreak launches starts anew for each load point, because a store's memory stays divided among
    /// the sizes of values that were there first.
    pub(super) starts_anew: bool,
    /// The load point whose data are there, if they are there one after the other.
    pub(super) point: Option<usize>,
}

impl Stores {
    /// For a session that only loads. `reload` loads regardless of existing data.
    pub(super) fn only_loaded(reload: bool) -> Stores {
        Stores { reload, only_load: true, ..Stores::default() }
    }

    /// Records that they were launched for the `launch`-th time.
    pub(super) fn launched(&mut self, launch: u32, contenders: usize) {
        self.launch = launch;
        self.point = None;
        self.starts = vec![None; contenders];
    }

    /// The lowest contender that has the same server.
    pub(super) fn server(&mut self, contender: usize, about: &About) -> Option<u32> {
        let start = about.start.as_ref()?;
        self.starts[contender] = Some(start.clone());
        let known = self
            .starts
            .iter()
            .position(|known| known.as_ref().is_some_and(|known| known.is(start)));
        known.map(|known| known as u32)
    }
}
