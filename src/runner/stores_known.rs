//! What a session knows of its stores.

use crate::targets::store::{About, Start};

/// What a session knows of its stores.
#[derive(Debug, Default)]
pub(super) struct Stores {
    /// Load them whatever their fingerprints say.
    reload: bool,
    /// Only load them: nothing is written to them afterwards.
    only_load: bool,
    /// The launch that they are in.
    launch: u32,
    /// By contender, in this launch: which start of a server it is.
    starts: Vec<Option<Start>>,
}

impl Stores {
    /// Of a session that does nothing but load; `reload`: whatever is there.
    pub(super) fn only_loaded(reload: bool) -> Stores {
        Stores { reload, only_load: true, ..Stores::default() }
    }

    pub(super) fn reload(&self) -> bool {
        self.reload
    }

    pub(super) fn only_load(&self) -> bool {
        self.only_load
    }

    /// The launch that they are in.
    pub(super) fn launch(&self) -> u32 {
        self.launch
    }

    /// All of them are (about to be) launched, which is the `launch`-th time.
    pub(super) fn launched(&mut self, launch: u32, contenders: usize) {
        self.launch = launch;
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
