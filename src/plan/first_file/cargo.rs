//! A project of Cargo.

use super::Draft;
use super::source::Source;
use toml::de::{DeTable, DeValue};

/// Crates that make a program a server.
const SERVERS: [&str; 9] =
    ["axum", "actix-web", "hyper", "warp", "rocket", "tide", "poem", "salvo", "tiny_http"];

pub(super) fn draft(source: &Source) -> Option<Draft> {
    let text = source.text("Cargo.toml");
    let manifest = DeTable::parse(&text).ok()?;
    let manifest = manifest.get_ref();
    let package = table(manifest, "package").and_then(|package| word(package, "name"));
    let locked: &[&str] = if source.has("Cargo.lock") { &["--locked"] } else { &[] };
    let depends =
        |kind: &str, name: &str| table(manifest, kind).is_some_and(|all| all.contains_key(name));
    let benches = benches(source, manifest);
    if depends("dev-dependencies", "criterion") && !benches.is_empty() {
        let draft =
            Draft::new(&package.unwrap_or_else(|| source.name()), "benchmarks of criterion");
        let build = [&["cargo", "bench", "--no-run"], locked].concat();
        let named: String = benches.iter().map(|name| format!(" --bench {name}")).collect();
        let command = format!("cargo bench --quiet --offline{named} -- --noplot {{case}}");
        return Some(draft.build(&[&build]).suite(&command, "\"criterion\""));
    }
    // Benchmarks that no kind of figures reads are not run, and that is said.
    let start = |name: &str, found: &str| {
        let draft = Draft::new(name, found);
        if benches.is_empty() {
            return draft;
        }
        draft.unknown(&format!(
            "what its benchmarks measure ({}): they are not of criterion. If they print figures that `tiebreak help \
             suites` names, write their command into `url` and add `figures`",
            benches.join(", ")
        ))
    };
    let Some(package) = package else {
        let draft = start(&source.name(), "a workspace");
        let build = [&["cargo", "build", "--release"], locked].concat();
        let draft = draft.build(&[&build]).unknown(
            "which program of the workspace is compared: write its name for NAME, and for a server `launch`, \
             `env` and an address",
        );
        return Some(draft.program(source, "./target/release/NAME"));
    };
    let binary = names(manifest, "bin").into_iter().next();
    if binary.is_none() && !source.has("src/main.rs") {
        let draft = start(&package, "a library without benchmarks of criterion").unknown(
            "what is measured: add benchmarks with criterion and run `tiebreak init` again, or name a program",
        );
        let build = [&["cargo", "build", "--release", "--examples"], locked].concat();
        return Some(draft.build(&[&build]).program(source, "./target/release/examples/NAME"));
    }
    let program = format!("./target/release/{}", binary.unwrap_or_else(|| package.clone()));
    let build = [&["cargo", "build", "--release"], locked].concat();
    if SERVERS.iter().any(|name| depends("dependencies", name)) {
        return Some(start(&package, "a server").build(&[&build]).service(source, &[&program]));
    }
    Some(start(&package, "a program").build(&[&build]).program(source, &program))
}

/// The names of its benchmarks.
fn benches(source: &Source, manifest: &DeTable<'_>) -> Vec<String> {
    let declared = names(manifest, "bench");
    if !declared.is_empty() {
        return declared;
    }
    let files = source.files.iter().filter(|file| {
        file.parent().is_some_and(|parent| parent.ends_with("benches"))
            && file.extension().is_some_and(|extension| extension == "rs")
    });
    files.filter_map(|file| Some(file.file_stem()?.to_string_lossy().into_owned())).collect()
}

/// The names of the tables of an array, such as `[[bench]]`.
fn names(manifest: &DeTable<'_>, key: &str) -> Vec<String> {
    let Some(DeValue::Array(tables)) = manifest.get(key).map(|tables| tables.get_ref()) else {
        return Vec::new();
    };
    let name = |value: &DeValue<'_>| match value {
        DeValue::Table(table) => word(table, "name"),
        _ => None,
    };
    tables.iter().filter_map(|table| name(table.get_ref())).collect()
}

pub(super) fn table<'a, 'b>(of: &'a DeTable<'b>, key: &str) -> Option<&'a DeTable<'b>> {
    match of.get(key)?.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

pub(super) fn word(of: &DeTable<'_>, key: &str) -> Option<String> {
    match of.get(key)?.get_ref() {
        DeValue::String(text) => Some(text.to_string()),
        _ => None,
    }
}
