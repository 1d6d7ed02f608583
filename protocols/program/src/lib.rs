//! Whole programs.
#![forbid(unsafe_code)]

use protocol::{Family, Login, Path, Protocol, Query, ReadyRequest, Scheme, TargetKind};

const WHY: &str = "a program (exec:) generates its own load: groups, depth and workloads are not \
                   supported";

/// Its properties.
pub static ROW: Protocol = Protocol {
    name: "exec",
    title: "a program",
    schemes: &[Scheme::local("exec", TargetKind::Program)],
    example: "exec:php check.php",
    login: Login::Never,
    path: Path::Nothing,
    query: Query::Words(&[]),
    family: Family::Program,
    ready: ReadyRequest::NoServer,
    no_depth: Some(WHY),
    no_groups: Some(WHY),
    lacks: |_| Some(WHY),
    ..Protocol::USUAL
};
