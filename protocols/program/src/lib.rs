//! Whole programs.
#![forbid(unsafe_code)]

use protocol::{
    Examples, Family, Login, NotReady, Path, Protocol, Query, ReadyRequest, Scheme, TargetKind,
};

const WHY: &str = "a program (exec:) generates its own load: groups, depth and workloads are not \
                   supported";

/// Its properties.
pub static ROW: Protocol = Protocol {
    name: "exec",
    title: "a program",
    schemes: &[Scheme::local("exec", TargetKind::Program)],
    not_supported: &[],
    client: "",
    memory_setting: "",
    example: "exec:php check.php",
    login: Login::Never,
    path: Path::Nothing,
    query: Query::Words(&[]),
    family: Family::Program,
    own: &[],
    ready: ReadyRequest::NoServer,
    not_ready: |_| NotReady::ERROR,
    full: &[],
    no_depth: Some(WHY),
    no_groups: Some(WHY),
    consistency: &[],
    lacks: |_| Some(WHY),
    codes: Vec::new,
    null: None,
    programs: None,
    chapter: None,
    examples: Examples::NONE,
    recipes: &[],
    software: &[],
    null_variants: &[],
};
