//! A contender with all that is known of it before its target is contacted.

use crate::plan::Settings;
use crate::plan::contender::gather::TargetLocation;
use crate::plan::settings::group_given::GroupGiven;
use protocol::address::Url;
use record::Work;

/// A contender that is to be resolved. No `Debug`: settings hold secrets.
#[derive(Clone)]
pub(in crate::plan) struct Candidate {
    pub(in crate::plan) name: String,
    /// Its address. Of a target that is not launched yet, the ports are placeholders.
    pub(in crate::plan) url: Url,
    pub(in crate::plan) location: TargetLocation,
    pub(in crate::plan) settings: Settings,
    pub(in crate::plan) groups: Vec<GroupGiven>,
    /// None if all of its operations are the same.
    pub(in crate::plan) work: Option<Work>,
}
