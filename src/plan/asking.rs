//! Which command asks.

/// Which command asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Two contenders or more.
    Compare,
    /// One contender, driven without interruption.
    Run,
    /// A comparison of embedded targets.
    Demo,
    /// Stores, which are loaded but not driven.
    Load,
}
