//! Stores are asked about themselves: before and after their load, before the
//! first round and after the last.

use super::session::Session;
use super::stage::Halt;
use crate::shown::shown_sentence;
use crate::targets::store::{About, Start};
use record::{Event, StoreMoment, StoreSaid, Workload};
use std::io::Write;

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

    /// All of them are (about to be) launched, which is the `launch`-th time.
    pub(super) fn launched(&mut self, launch: u32, contenders: usize) {
        self.launch = launch;
        self.starts = vec![None; contenders];
    }

    /// The lowest contender that has the same server.
    fn server(&mut self, contender: usize, about: &About) -> Option<u32> {
        let start = about.start.as_ref()?;
        self.starts[contender] = Some(start.clone());
        let known = self
            .starts
            .iter()
            .position(|known| known.as_ref().is_some_and(|known| known.is(start)));
        known.map(|known| known as u32)
    }
}

impl<W: Write> Session<'_, W> {
    /// The launch of this contender's target, as the journal counts them.
    pub(super) fn launch_of(&self, contender: usize) -> u32 {
        match self.plan.contenders[contender].launch.is_empty() {
            true => 0,
            false => self.stores.launch,
        }
    }

    /// Asks all stores, and writes what they say into the journal.
    pub(super) fn ask_stores(&mut self, when: StoreMoment) -> Result<(), Halt> {
        for contender in 0..self.plan.contenders.len() {
            if self.plan.contenders[contender].is_store() {
                self.ask_store(contender, when)?;
            }
        }
        Ok(())
    }

    fn writes(&self, contender: usize) -> bool {
        let workload = self.plan.contenders[contender].workload.as_ref();
        workload.is_some_and(Workload::writes)
    }

    /// Asks one store; none where it says nothing.
    pub(super) fn ask_store(
        &mut self,
        contender: usize,
        when: StoreMoment,
    ) -> Result<Option<About>, Halt> {
        let Some(answer) = self.stage.about_store(contender) else { return Ok(None) };
        let (about, silent) = match answer {
            Ok(about) => (Some(about), None),
            Err(why) => (None, Some(shown_sentence(why))),
        };
        let known = about.clone().unwrap_or_default();
        let said = StoreSaid {
            contender: contender as u32,
            launch: self.launch_of(contender),
            when,
            items: known.items,
            bytes: known.bytes,
            evictions: known.evictions,
            server: self.stores.server(contender, &known),
            durable: known.durable.filter(|_| self.writes(contender)),
            silent,
        };
        self.book.write_and_sync(&Event::Store(said))?;
        Ok(about)
    }
}
