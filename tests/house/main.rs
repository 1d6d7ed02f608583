//! The rules of the house: who may import whom, and the few habits that keep
//! the rooms what they are. `ARCHITECTURE.md` says why.

mod manifest;
mod rules;
mod source;

use rules::{House, breaches};
use std::path::Path;

fn house() -> House {
    House::read(Path::new(env!("CARGO_MANIFEST_DIR")))
}

#[test]
fn the_house_keeps_its_rules() {
    let found = breaches(&house());
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// (file, what is added to it, the breach that must be found).
const PLANTED: [(&str, &str, &str); 26] = [
    (
        "crates/wire/Cargo.toml",
        "\n[dependencies.record]\npath = \"../record\"\n",
        "crates/wire/Cargo.toml: wire depends on record",
    ),
    (
        "crates/record/Cargo.toml",
        "\n[target.'cfg(unix)'.dependencies]\nx = { package = \"tiebreak-wire\", path = \"../wire\" }\n",
        "crates/record/Cargo.toml: record depends on wire",
    ),
    (
        "crates/judge/Cargo.toml",
        "\n[build-dependencies]\nengine.path = \"../engine\"\n",
        "crates/judge/Cargo.toml: judge depends on engine",
    ),
    (
        "crates/engine/Cargo.toml",
        "\n[build-dependencies]\njudge = { path = \"../judge\", package = \"tiebreak-judge\" }\n",
        "crates/engine/Cargo.toml: engine depends on judge",
    ),
    (
        "crates/engine/Cargo.toml",
        "\n[build-dependencies]\ntokio = \"1\"\n",
        "crates/engine/Cargo.toml: engine depends on tokio",
    ),
    (
        "crates/engine/Cargo.toml",
        "\n[build-dependencies]\npages = { version = \"1\", package = \"fast_html\" }\n",
        "crates/engine/Cargo.toml: engine depends on fast_html",
    ),
    (
        "Cargo.toml",
        "\n[dev-dependencies.tokio-util]\nversion = \"0.7\"\n",
        "Cargo.toml: tiebreak depends on tokio-util",
    ),
    ("crates/useful/Cargo.toml", "[package]\n", "crates/useful/Cargo.toml: no room of the house"),
    (
        "crates/drivers/src/lib.rs",
        "use judge::Judge;\n",
        "crates/drivers/src/lib.rs: drivers names judge",
    ),
    (
        "crates/judge/src/stats/new.rs",
        "fn f() { ::engine::clock::now(); }\n",
        "crates/judge/src/stats/new.rs: judge names engine",
    ),
    (
        "crates/wire/tests/new.rs",
        "use {record::Seen, wire::Tag};\n",
        "crates/wire/tests/new.rs: wire names record",
    ),
    (
        "crates/wire/src/http1/new.rs",
        "extern crate std;\n",
        "crates/wire/src/http1/new.rs: links std",
    ),
    (
        "crates/record/src/new.rs",
        "use std::{fmt, fs::File};\n",
        "crates/record/src/new.rs: uses std::fs",
    ),
    (
        "crates/judge/src/new.rs",
        "fn f() { let t = std::time::Instant::now(); }\n",
        "crates/judge/src/new.rs: names Instant",
    ),
    (
        "crates/engine/src/new.rs",
        "use record::{Asked, Contender};\n",
        "crates/engine/src/new.rs: names record::Contender",
    ),
    (
        "crates/engine/src/event_loop/new.rs",
        "fn f() { unsafe { libc::epoll_create1(0) }; }\n",
        "crates/engine/src/event_loop/new.rs: names epoll_create1",
    ),
    (
        "crates/engine/src/new.rs",
        "use std::time::{Duration, Instant as T};\n",
        "crates/engine/src/new.rs: names Instant",
    ),
    (
        "crates/engine/src/health.rs",
        "\nconst WRONG: i32 = libc::CLOCK_REALTIME;\n",
        "crates/engine/src/health.rs: names CLOCK_REALTIME",
    ),
    (
        "crates/engine/src/event_loop/new.rs",
        "fn f(x: &dyn Fn()) {}\n",
        "crates/engine/src/event_loop/new.rs: names dyn",
    ),
    (
        "crates/engine/src/event_loop/new.rs",
        "use std::sync::atomic::AtomicU64;\n",
        "crates/engine/src/event_loop/new.rs: names AtomicU64",
    ),
    ("src/report/new.rs", "use engine::Stop;\n", "src/report/new.rs: report names engine"),
    ("src/report/new.rs", "use crate::journal::FILE;\n", "src/report/new.rs: report names journal"),
    (
        "src/report/html/new.rs",
        "use super::super::super::runner;\n",
        "src/report/html/new.rs: report names runner",
    ),
    ("src/shown.rs", "\nuse crate::exit::Exit;\n", "src/shown.rs: shown names exit"),
    (
        "src/main.rs",
        "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
        "src/main.rs: ",
    ),
    (
        "crates/judge/src/audit/forgotten.rs",
        "pub(super) const RULE: Rule = Rule {};\n",
        "crates/judge/src/audit/forgotten.rs: its RULE is not in the table RULES",
    ),
];

#[test]
fn every_planted_breach_is_found() {
    let sound = house();
    for (file, text, wanted) in PLANTED {
        let found = breaches(&sound.with(file, text));
        assert!(found.iter().any(|breach| breach.starts_with(wanted)), "{wanted}: {found:?}");
    }
}

#[test]
fn a_wire_that_may_use_std_or_unsafe_is_found() {
    for attribute in ["#![no_std]", "#![forbid(unsafe_code)]"] {
        let found = breaches(&house().without("crates/wire/src/lib.rs", attribute));
        assert_eq!(found, [format!("crates/wire/src/lib.rs: lacks {attribute}")]);
    }
}

#[test]
fn what_is_allowed_is_no_breach() {
    let allowed = [
        ("crates/engine/src/new.rs", "use record::{Asked, Seen}; use wire::Codec;\n"),
        ("crates/engine/src/new.rs", "// epoll and Instant::now in words\n"),
        ("crates/engine/src/new.rs", "fn f() { note(\"epoll, Instant, clock_gettime\"); }\n"),
        ("crates/judge/src/new.rs", "#[cfg(test)] mod tests { use std::fs::read; }\n"),
        ("crates/wire/src/new.rs", "#[cfg(test)] extern crate std;\n"),
        ("crates/wire/tests/new.rs", "use std::vec::Vec; use wire::Out;\n"),
        (
            "src/report/json/new.rs",
            "use super::{units, super::shown::shown}; use judge::Verdict;\n",
        ),
        ("src/runner/new.rs", "use engine::run; use judge::Judge; use crate::report;\n"),
        (
            "crates/drivers/Cargo.toml",
            "[dependencies]\nengine = { path = \"../engine\" }\ntokio = \"1\"\n",
        ),
    ];
    let before = breaches(&house());
    for (file, text) in allowed {
        assert_eq!(breaches(&house().with(file, text)), before, "{file}: {text}");
    }
    let in_a_file = house()
        .with("crates/judge/src/lib.rs", "\n#[cfg(test)] mod told;\n")
        .with("crates/judge/src/told.rs", "use std::fs::read;\n");
    assert_eq!(breaches(&in_a_file), before);
}
