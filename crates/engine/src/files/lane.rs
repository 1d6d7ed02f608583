//! Files in a blocking lane: its threads are an application's processes.

use super::store::{Found, Store, Stored};
use crate::blocking::{Answer, Deed, Heard, Request, Tool, Work, blocking_lanes};
use crate::{Broken, MakeLane, Numbers, Seat};
use record::{Asked, Failure, LaneAsked, Reuse};

impl Tool for Store {
    const NAME: &'static str = "files";
    // Nobody is to be told.
    const GOODBYE_NS: u64 = 0;

    fn another(&self) -> Store {
        self.handle()
    }

    fn open(&mut self, _heard: &mut Heard) -> bool {
        true
    }

    #[inline]
    fn perform<'a>(
        &mut self,
        request: &Request,
        gives_up: u64,
        buffer: &'a mut Vec<u8>,
        _heard: &mut Heard,
    ) -> Result<Answer<'a>, Failure> {
        self.gives_up_at(gives_up);
        let Request { deed, key, value, .. } = request;
        Ok(match deed {
            Deed::Get => match self.get(key, buffer)? {
                Found::Hit => Answer::Value(buffer),
                Found::Miss => Answer::Absent,
            },
            Deed::Set => self.set(key, value).map(|()| Answer::Done)?,
            Deed::Add => match self.add(key, value)? {
                Stored::New => Answer::Done,
                Stored::Held => Answer::Held,
            },
            Deed::Delete => match self.delete(key)? {
                Found::Hit => Answer::Done,
                Found::Miss => Answer::Absent,
            },
        })
    }

    #[inline]
    fn settles_within(&self) -> Option<u64> {
        None
    }

    fn settle(&mut self) {}
}

/// The lanes of one contender of the order: see [`blocking_lanes`].
///
/// # Panics
/// When the order has no such contender.
pub fn file_lanes<S: Send + 'static, M: Default + Send + 'static>(
    order: &Asked,
    contender: usize,
    store: &Store,
    numbers: &Numbers,
    work: impl Fn(&Seat) -> Result<Work<S, M>, Broken> + Clone + Send + 'static,
) -> Vec<MakeLane> {
    let asked = order.lanes[contender].clone();
    blocking_lanes(order, contender, store.handle(), numbers, move |seat| {
        check(&asked)?;
        work(seat)
    })
}

/// Whether files can be driven so.
fn check(asked: &LaneAsked) -> Result<(), Broken> {
    let why = match asked {
        _ if asked.reuse != Reuse::Always => {
            "files have no connections to open anew; leave out reuse"
        }
        _ if asked.depth > 1 => {
            "a file is read or written at once; leave out depth, or ask for connections"
        }
        _ => return Ok(()),
    };
    Err(Broken(why.to_owned()))
}
