//! Connections that end when they are dropped, without further work.
//!
//! When a connection is dropped, the library passes it to a task of its own that reads the rest of
//! its reply. That must not happen with an abandoned operation: a reply of 100 MB would be read
//! during the operations that follow, and a server that hangs would be waited for. So the library
//! gets a runtime that has ended, where tasks are dropped at once.

use engine::EngineError;
use std::ops::{Deref, DerefMut};
use tokio::runtime::{Builder, Handle};

/// A runtime that has ended.
#[derive(Clone)]
pub(crate) struct Ended(Handle);

impl Ended {
    /// Must be created outside of a runtime.
    pub(crate) fn new() -> Result<Ended, EngineError> {
        let runtime = Builder::new_current_thread().build();
        let runtime =
            runtime.map_err(|error| EngineError::system("cannot create a runtime", error))?;
        Ok(Ended(runtime.handle().clone()))
    }
}

/// A connection that is dropped as it is.
pub(crate) struct Abrupt<T> {
    /// Some until it is dropped, or taken out.
    held: Option<T>,
    ended: Ended,
}

impl<T> Abrupt<T> {
    pub(crate) fn new(held: T, ended: &Ended) -> Abrupt<T> {
        Abrupt { held: Some(held), ended: ended.clone() }
    }

    /// Takes it out, to close it in good order.
    pub(crate) fn into_inner(mut self) -> T {
        self.held.take().expect("held until now")
    }
}

impl<T> Deref for Abrupt<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.held.as_ref().expect("held until now")
    }
}

impl<T> DerefMut for Abrupt<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.held.as_mut().expect("held until now")
    }
}

impl<T> Drop for Abrupt<T> {
    fn drop(&mut self) {
        let _inside = self.ended.0.enter();
        drop(self.held.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// What is dropped spawns a task, as the library does.
    struct SpawnsOnDrop(Option<Arc<()>>);

    impl Drop for SpawnsOnDrop {
        fn drop(&mut self) {
            let kept = self.0.take();
            Handle::current().spawn(async move {
                std::future::pending::<()>().await;
                drop(kept);
            });
        }
    }

    #[test]
    fn what_is_spawned_when_it_is_dropped_is_dropped_with_it() {
        let ended = Ended::new().expect("a runtime");
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let (mine, held) = (Arc::new(()), |of: &Arc<()>| SpawnsOnDrop(Some(of.clone())));
        runtime.block_on(async {
            drop(Abrupt::new(held(&mine), &ended));
            assert_eq!(Arc::strong_count(&mine), 1);
            // Otherwise the task continues.
            drop(held(&mine));
            assert_eq!(Arc::strong_count(&mine), 2);
        });
    }
}
