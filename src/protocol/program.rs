//! Whole programs.

use super::{Family, Login, Path, Protocol, Query, Ready};
use crate::protocol::schemes::{Scheme, TargetKind};

const WHY: &str = "a program (exec:) generates its own load: groups, depth and workloads are not \
                   supported";

pub(super) static ROW: Protocol = Protocol {
    name: "exec",
    title: "a program",
    schemes: &[Scheme::local("exec", TargetKind::Program)],
    example: "exec:php check.php",
    login: Login::Never,
    path: Path::Nothing,
    query: Query::Words(&[]),
    family: Family::Program,
    ready: Ready::NoServer,
    no_depth: Some(WHY),
    no_groups: Some(WHY),
    consistency: &[],
    lacks: |_| Some(WHY),
    codes: Vec::new,
    null: None,
    null_variants: &[],
};
