//! Queries the stores about themselves: before and after their load, before the first round and
//! after the last.

use super::environment::Halt;
use super::session::RunSession;
use protocol::side_channel::About;
use record::{Event, StoreMoment, StoreReport, Workload};
use std::io::Write;
use text::shown::shown_sentence;

impl<W: Write> RunSession<'_, W> {
    /// The launch of this contender's target, as the journal counts them.
    pub(super) fn launch_of(&self, contender: usize) -> u32 {
        if self.plan.contenders[contender].launch.is_empty() { 0 } else { self.stores.launch }
    }

    /// Queries all stores whose data are loaded, and writes their answers into the journal.
    pub(super) fn ask_stores(&mut self, when: StoreMoment) -> Result<(), Halt> {
        for contender in 0..self.plan.contenders.len() {
            if self.plan.contenders[contender].asks.is_store() && self.is_present(contender) {
                self.ask_store(contender, when)?;
            }
        }
        Ok(())
    }

    fn writes(&self, contender: usize) -> bool {
        let workload = self.plan.contenders[contender].asks.workload();
        workload.is_some_and(Workload::writes)
    }

    /// Queries one store. Returns None if it does not answer.
    pub(super) fn ask_store(
        &mut self,
        contender: usize,
        when: StoreMoment,
    ) -> Result<Option<About>, Halt> {
        let answer = self.environment.store(contender).map(|store| store.about());
        let Ok(answer) = answer else { return Ok(None) };
        let (about, unreachable) = match answer {
            Ok(about) => (Some(about), None),
            Err(why) => (None, Some(shown_sentence(why))),
        };
        let known = about.clone().unwrap_or_default();
        let report = StoreReport {
            contender: contender as u32,
            launch: self.launch_of(contender),
            when,
            items: known.items,
            bytes: known.bytes,
            evictions: known.evictions,
            server: self.stores.server(self.plan.target_of(contender), &known),
            durable: known.durable.filter(|_| self.writes(contender)),
            unreachable,
        };
        self.writer.write_and_sync(&Event::Store(report))?;
        Ok(about)
    }
}
