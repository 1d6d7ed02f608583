//! Rules about the sources: which crate may use which, and what the hot path may not use. `ARCHITECTURE.md`
//! gives the reasons. Also: which version of Rust the files name.

mod circles;
mod examples;
mod msrv;
mod rules;
#[path = "../common/scratch.rs"]
mod scratch;
#[path = "../common/scratch_tests.rs"]
mod scratch_tests;
mod snapshots;
mod source;
mod texts;

use rules::{Workspace, breaches};
use std::path::Path;

/// One test, since nextest runs each in a process of its own, and reading the sources takes longer than checking them.
#[test]
fn the_workspace_keeps_its_rules_and_every_planted_breach_is_found() {
    let sound = Workspace::read(Path::new(env!("CARGO_MANIFEST_DIR")));
    let found = breaches(&sound);
    assert!(found.is_empty(), "{}", found.join("\n"));
    what_is_allowed_is_no_breach(&sound);
    a_wire_that_may_use_std_or_unsafe_is_found(&sound);
    a_protocol_that_is_not_optimised_in_tests_is_found(&sound);
    every_planted_breach_is_found(&sound);
}

/// (file, what is added to it, the breach that must be found).
const PLANTED: [(&str, &str, &str); 31] = [
    (
        "crates/record/Cargo.toml",
        "\n[target.'cfg(unix)'.dependencies]\nx = { package = \"tiebreak-wire\", path = \"../wire\" }\n",
        "crates/record/Cargo.toml: record depends on wire",
    ),
    (
        "crates/judge/Cargo.toml",
        "\n[build-dependencies]\nengine = { path = \"../engine\", package = \"tiebreak-engine\" }\n",
        "crates/judge/Cargo.toml: judge depends on engine",
    ),
    (
        "crates/report/Cargo.toml",
        "\n[build-dependencies.x]\npath = \"../engine\"\npackage = \"tiebreak-engine\"\n",
        "crates/report/Cargo.toml: report depends on engine",
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
        "\n[build-dependencies.tokio-util]\nversion = \"0.7\"\n",
        "Cargo.toml: tiebreak depends on tokio-util",
    ),
    (
        "crates/published/Cargo.toml",
        "\n[build-dependencies]\nengine = { path = \"../engine\", package = \"tiebreak-engine\" }\n",
        "crates/published/Cargo.toml: published depends on engine",
    ),
    (
        "crates/published/src/rules/forgotten.rs",
        "pub(super) const RULE: Rule = Rule {};\n",
        "crates/published/src/rules/forgotten.rs: its RULE is not in the table RULES",
    ),
    (
        "protocols/redis/Cargo.toml",
        "\n[build-dependencies]\nhttp = { path = \"../http\", package = \"tiebreak-protocol-http\" }\n",
        "protocols/redis/Cargo.toml: protocol-redis depends on protocol-http",
    ),
    (
        "protocols/redis/src/lane.rs",
        "\nfn f(x: &dyn Fn()) {}\n",
        "protocols/redis/src/lane.rs: names dyn",
    ),
    ("src/plan/spec.rs", "\nuse redis::RespAccess;\n", "src/plan/spec.rs: names the crate redis"),
    (
        "crates/judge/src/verdict.rs",
        "\nconst HINT: &str = r\"as Redis does\";\n",
        "crates/judge/src/verdict.rs: names the protocol redis",
    ),
    (
        "crates/engine/src/lane_schedule/mod.rs",
        "\nstruct ForMemcached;\n",
        "crates/engine/src/lane_schedule/mod.rs: names the protocol memcached",
    ),
    (
        "src/plan/contender/request.rs",
        "\nuse http::ROW;\n",
        "src/plan/contender/request.rs: names the crate http",
    ),
    ("src/plan/spec.rs", "\nenum Way { OverHttp }\n", "src/plan/spec.rs: names the protocol http"),
    (
        "crates/report/src/printed.rs",
        "\nfn f(scheme: &str) -> bool { scheme == \"http\" }\n",
        "crates/report/src/printed.rs: names the protocol http",
    ),
    ("crates/useful/Cargo.toml", "[package]\n", "crates/useful/Cargo.toml: unknown crate"),
    (
        "crates/wire/src/http1/new.rs",
        "extern crate std;\n",
        "crates/wire/src/http1/new.rs: links std",
    ),
    (
        "crates/engine/src/event_loop/socket.rs",
        "\nfn f() { unsafe { libc::abort() } }\n",
        "crates/engine/src/event_loop/socket.rs: names unsafe",
    ),
    ("src/system/exit.rs", "\nunsafe fn f() {}\n", "src/system/exit.rs: names unsafe"),
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
    (
        "crates/engine/src/lane_schedule/mod.rs",
        "\nfn f(x: &dyn Fn()) {}\n",
        "crates/engine/src/lane_schedule/mod.rs: names dyn",
    ),
    ("src/system/exit.rs", "\nuse crate::plan::Spec;\n", "src: plan -> system -> plan"),
    (
        "src/system/cache.rs",
        "fn f() {}\n",
        "src/system/cache.rs: is beside its directory, and not its mod.rs",
    ),
    // No circle, since agents use no plan.
    (
        "src/plan/spec.rs",
        "\nfn f() { super::super::agents::hosts(); }\n",
        "src/plan/spec.rs: plan uses agents",
    ),
    (
        "src/tools/mod.rs",
        "fn f() {}\n",
        "src/tools/mod.rs: tools has no place in the order of directories",
    ),
    (
        "crates/judge/src/stats/mod.rs",
        "\nfn f() { crate::audit::nothing(); }\n",
        "crates/judge/src: audit",
    ),
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

fn every_planted_breach_is_found(sound: &Workspace) {
    for (file, text, wanted) in PLANTED {
        let found = breaches(&sound.with(file, text));
        assert!(found.iter().any(|breach| breach.starts_with(wanted)), "{wanted}: {found:?}");
    }
}

fn a_wire_that_may_use_std_or_unsafe_is_found(sound: &Workspace) {
    for attribute in ["#![no_std]", "#![forbid(unsafe_code)]"] {
        let found = breaches(&sound.without("crates/wire/src/lib.rs", attribute));
        assert_eq!(found, [format!("crates/wire/src/lib.rs: lacks {attribute}")]);
    }
}

fn what_is_allowed_is_no_breach(sound: &Workspace) {
    let allowed = [
        ("crates/wire/src/new.rs", "#[cfg(test)] extern crate std;\n"),
        ("src/system/exit.rs", "#[cfg(test)] mod tests { use crate::plan::Spec; }\n"),
        ("src/system/exit.rs", "// crate::plan::Spec in words\n"),
        ("src/plan/mod.rs", "use self::spec::Spec;\n"),
    ];
    let before = breaches(sound);
    for (file, text) in allowed {
        assert_eq!(breaches(&sound.with(file, text)), before, "{file}: {text}");
    }
}

#[test]
fn no_doc_comment_has_an_example_that_nothing_runs() {
    let mut texts = texts::read(Path::new(env!("CARGO_MANIFEST_DIR")));
    assert_eq!(examples::in_rust(&texts), [""; 0]);
    let planted = "/// ```toml\n/// a = 1\n/// ```\n//!\n//! ```\n//! f();\n//! ```\n";
    texts.insert("crates/text/src/new.rs".to_owned(), planted.to_owned());
    assert_eq!(examples::in_rust(&texts), ["crates/text/src/new.rs:5"]);
}

#[test]
fn all_files_name_the_same_oldest_rust() {
    let found = msrv::deviations(&texts::read(Path::new(env!("CARGO_MANIFEST_DIR"))));
    assert!(found.is_empty(), "Cargo.toml has the right one:\n{}", found.join("\n"));
}

#[test]
fn another_oldest_rust_is_found() {
    let sound = texts::read(Path::new(env!("CARGO_MANIFEST_DIR")));
    let planted = [
        ("README.md", "You need Rust 1.70 or newer."),
        ("docs/new.md", "Install Rust\n1.70."),
        ("docs/new.md", "It requires Rust (1.70, with cargo)."),
        ("contenders/kassandra/Cargo.toml", "rust-version = \"1.70\""),
    ];
    for (file, text) in planted {
        let mut texts = sound.clone();
        texts.entry(file.to_owned()).or_default().push_str(text);
        assert_eq!(msrv::deviations(&texts), [format!("{file}: Rust 1.70")]);
    }
    let mut texts = sound.clone();
    texts.insert("CONTRIBUTING.md".to_owned(), "You need Rust and a C compiler.".to_owned());
    assert_eq!(msrv::deviations(&texts), ["CONTRIBUTING.md: names no version of Rust"]);
}

fn a_protocol_that_is_not_optimised_in_tests_is_found(sound: &Workspace) {
    let profile = "[profile.dev.package.tiebreak-protocol-redis]\nopt-level = 1\n";
    let found = breaches(&sound.without("Cargo.toml", profile));
    assert!(
        found.contains(&"Cargo.toml: lacks a dev profile for protocol-redis".to_owned()),
        "{found:?}"
    );
}
