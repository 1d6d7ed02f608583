//! A contender with all that is known of it before its target is contacted.

use crate::address::Url;
use crate::plan::Settings;
use crate::plan::contenders::TargetLocation;
use crate::plan::group_given::GroupGiven;
use record::Work;

/// A contender that is to be resolved. No `Debug`: settings hold secrets.
pub(super) struct Candidate {
    pub(super) name: String,
    /// Its address. Of a target that is not launched yet, the ports are placeholders.
    pub(super) url: Url,
    pub(super) location: TargetLocation,
    pub(super) settings: Settings,
    pub(super) groups: Vec<GroupGiven>,
    /// None if all of its operations are the same.
    pub(super) work: Option<Work>,
}
