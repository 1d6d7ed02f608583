//! Which revisions of one contender are compared.

/// What was typed beside the contenders. Empty if revisions are not compared.
#[derive(Clone, Debug, Default)]
pub struct Against {
    /// The revisions that the working tree is compared with.
    pub revisions: Vec<String>,
    /// The contender of the file. None if it has only one.
    pub contender: Option<String>,
    /// Whether each revision has its own file.
    pub is_their_experiment: bool,
    /// How often each side is built. None means once, without replicates of builds.
    pub rebuilds: Option<u32>,
}
