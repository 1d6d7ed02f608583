//! Which command asks.

/// Which command asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Two contenders or more.
    Compare,
    /// One contender, driven without a break.
    Run,
    /// A comparison of embedded targets.
    Demo,
    /// Stores, loaded and not driven.
    Load,
}
