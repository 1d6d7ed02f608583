//! Files in a directory, used as a cache.

use super::{Family, Login, Path, Protocol, Query, Ready};
use crate::protocol::schemes::{Scheme, TargetKind};
use engine::files;

pub(super) static ROW: Protocol = Protocol {
    name: "file",
    title: "files",
    schemes: &[Scheme::local("file", TargetKind::Directory)],
    example: "file:///dev/shm/cache",
    login: Login::Never,
    path: Path::Nothing,
    query: Query::Words(&[]),
    family: Family::Files,
    ready: Ready::NoServer,
    no_depth: Some("files have one operation in flight per connection: leave out depth"),
    no_groups: None,
    consistency: &[],
    lacks: files::lacks,
    codes: Vec::new,
    null: None,
    null_variants: &[],
};
