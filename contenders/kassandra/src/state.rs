//! What lives as long as the process: its connections, as PHP's module globals.

use ext_php_rs::zend::{ModuleGlobal, ModuleGlobals};
use kassandra_client::{Columns, Consistency, Error, Kind, Link, Operation, Row, Settings};
use std::cell::RefCell;

pub(crate) static STATE: ModuleGlobals<State> = ModuleGlobals::new();

/// Connections with different settings that a process keeps, at most.
const MOST_LINKS: usize = 16;

#[derive(Default)]
pub(crate) struct State {
    links: RefCell<Links>,
}

impl ModuleGlobal for State {}

#[derive(Default)]
struct Links {
    /// The one that was used last is the last one.
    all: Vec<Link>,
    /// Whether this request has chosen the last one.
    chosen: bool,
}

impl State {
    pub(crate) fn connect(&self, settings: Settings) -> Result<bool, Error> {
        let mut links = self.links.borrow_mut();
        let known = links.all.iter().position(|link| *link.settings() == settings);
        let mut link = match known {
            Some(at) => links.all.remove(at),
            None => Link::new(settings),
        };
        let result = link.connect();
        links.chosen = true;
        links.all.push(link);
        if links.all.len() > MOST_LINKS {
            links.all.remove(0);
        }
        result
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.links.borrow_mut().chosen().is_some_and(Link::is_connected)
    }

    pub(crate) fn disconnect(&self) {
        let mut links = self.links.borrow_mut();
        if let Some(link) = links.chosen() {
            link.disconnect();
        }
        links.chosen = false;
    }

    pub(crate) fn run(
        &self,
        row: &Row<'_>,
        level: Consistency,
        operation: &Operation<'_>,
    ) -> Result<Columns, Error> {
        let mut links = self.links.borrow_mut();
        let link = links.chosen().ok_or_else(|| {
            Error::new(Kind::Connection, "not connected: call kassandra_connect first")
        })?;
        link.run(row, level, operation)
    }
}

impl Links {
    fn chosen(&mut self) -> Option<&mut Link> {
        if self.chosen { self.all.last_mut() } else { None }
    }
}

/// Called by PHP at the end of a request.
pub(crate) extern "C" fn end_request(_type: i32, _module: i32) -> i32 {
    let mut links = STATE.get().links.borrow_mut();
    links.chosen = false;
    links.all.retain(|link| link.settings().persistent);
    SUCCESS
}

/// What PHP expects of a function that cannot fail.
pub(crate) const SUCCESS: i32 = 0;
