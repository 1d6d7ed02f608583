//! The command that makes a plan.

/// The command that makes a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Command {
    /// Two contenders or more.
    #[default]
    Compare,
    /// One contender, driven without interruption.
    Run,
    /// A comparison of embedded targets.
    Demo,
    /// Stores, which are loaded but not driven.
    Load,
}
