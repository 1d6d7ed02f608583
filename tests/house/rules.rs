//! The import rule, and the few habits that the compiler cannot see.
//!
//! `breaches` looks at a house that may be made up: so it can be shown that a
//! planted breach is found.

use crate::manifest::{Dependency, dependencies, shared_dependencies};
use crate::source::{Token, paths, test_only_modules, tokens, without_tests};
use std::collections::BTreeMap;
use std::path::Path;

/// A crate of ours: its folder, the name that source uses, whom it may import.
struct Room {
    folder: &'static str,
    name: &'static str,
    may: &'static [&'static str],
}

/// The whole rule. A room that does not exist yet breaks nothing.
const ROOMS: [Room; 6] = [
    Room { folder: "crates/wire", name: "wire", may: &[] },
    Room { folder: "crates/record", name: "record", may: &[] },
    Room { folder: "crates/judge", name: "judge", may: &["record"] },
    Room { folder: "crates/engine", name: "engine", may: &["wire", "record"] },
    Room { folder: "crates/drivers", name: "drivers", may: &["record", "engine"] },
    Room { folder: "", name: "tiebreak", may: &["wire", "record", "judge", "engine", "drivers"] },
];

/// Lines of `src/main.rs`, at most: everything else can be tested as a library.
const MAIN_LINES: usize = 40;

/// The files of a house: path from the root, text.
#[derive(Clone)]
pub(crate) struct House {
    files: BTreeMap<String, String>,
}

impl House {
    /// Every `Cargo.toml` and `.rs` file of the workspace.
    pub(crate) fn read(root: &Path) -> House {
        let mut files = BTreeMap::new();
        for part in ["Cargo.toml", "src", "tests", "crates"] {
            collect(root, part, &mut files);
        }
        House { files }
    }

    /// The same house with this text added to a file, which may be new.
    pub(crate) fn with(&self, file: &str, text: &str) -> House {
        let mut house = self.clone();
        house.files.entry(file.to_owned()).or_default().push_str(text);
        house
    }

    /// The same house without a piece of text in a file.
    pub(crate) fn without(&self, file: &str, text: &str) -> House {
        let mut house = self.clone();
        let old = house.files.get_mut(file).expect("a file of the house");
        assert!(old.contains(text), "{file} does not hold `{text}`");
        *old = old.replace(text, "");
        house
    }

    fn text(&self, file: &str) -> &str {
        self.files.get(file).map_or("", String::as_str)
    }

    /// The source files in a folder: (path, tokens).
    fn sources(&self, folder: &str) -> Vec<(&str, Vec<Token>)> {
        let inside = self
            .files
            .iter()
            .filter(|(path, _)| path.ends_with(".rs") && path.starts_with(&format!("{folder}/")));
        inside.map(|(path, text)| (path.as_str(), tokens(text))).collect()
    }

    /// The same, without what only tests compile.
    fn shipped(&self, folder: &str) -> Vec<(&str, Vec<Token>)> {
        let all = self.sources(folder);
        let modules: Vec<String> =
            all.iter().flat_map(|(path, tokens)| test_modules(path, tokens)).collect();
        let only_tests = |path: &str| {
            modules.iter().any(|module| {
                path.strip_prefix(module.as_str())
                    .is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
            })
        };
        let shipped = all.iter().filter(|(path, _)| !only_tests(path));
        shipped.map(|(path, tokens)| (*path, without_tests(tokens))).collect()
    }
}

/// The modules that a file declares for tests only, as paths without `.rs`.
fn test_modules(path: &str, tokens: &[Token]) -> Vec<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let folder = match name {
        "mod.rs" | "lib.rs" | "main.rs" => folder.to_owned(),
        _ => path.trim_end_matches(".rs").to_owned(),
    };
    test_only_modules(tokens).iter().map(|module| format!("{folder}/{module}")).collect()
}

fn collect(root: &Path, part: &str, files: &mut BTreeMap<String, String>) {
    let path = root.join(part);
    if path.is_dir() {
        let entries = std::fs::read_dir(&path).expect("a readable folder");
        for entry in entries {
            let name = entry.expect("a readable entry").file_name();
            let name = name.to_str().expect("names are UTF-8");
            if name != "target" {
                collect(root, &format!("{part}/{name}"), files);
            }
        }
    } else if part.ends_with(".rs") || part.ends_with("Cargo.toml") {
        let text = std::fs::read_to_string(&path).expect("a text file");
        files.insert(part.to_owned(), text);
    }
}

/// Everything that breaks a rule, one sentence each.
pub(crate) fn breaches(house: &House) -> Vec<String> {
    let rules = [
        only_known_rooms,
        crates_depend_as_allowed,
        source_names_as_allowed,
        wire_has_no_std,
        record_and_judge_have_no_world,
        the_engine_is_blind_and_lean,
        client_libraries_are_in_one_room,
        epoll_is_in_one_file,
        clocks_are_read_in_one_place,
        the_hot_path_is_plain,
        report_sees_records_and_verdicts,
        main_is_short,
        every_audit_rule_is_in_the_table,
    ];
    rules.iter().flat_map(|rule| rule(house)).collect()
}

fn exists(house: &House, room: &Room) -> bool {
    house.files.contains_key(&manifest_of(room))
}

fn manifest_of(room: &Room) -> String {
    match room.folder {
        "" => "Cargo.toml".to_owned(),
        folder => format!("{folder}/Cargo.toml"),
    }
}

fn only_known_rooms(house: &House) -> Vec<String> {
    let manifests = house.files.keys().filter(|path| path.ends_with("Cargo.toml"));
    let unknown = manifests.filter(|path| !ROOMS.iter().any(|room| manifest_of(room) == **path));
    unknown.map(|path| format!("{path}: no room of the house")).collect()
}

fn crates_depend_as_allowed(house: &House) -> Vec<String> {
    let shared = shared_dependencies(house.text("Cargo.toml"));
    let mut found = Vec::new();
    for room in ROOMS.iter().filter(|room| exists(house, room)) {
        let manifest = manifest_of(room);
        for mut dependency in dependencies(house.text(&manifest)) {
            if dependency.workspace {
                let same = shared.iter().find(|shared| shared.name == dependency.name);
                dependency = same.cloned().unwrap_or(dependency);
            }
            let Some(of_ours) = ours(&dependency) else { continue };
            if !room.may.contains(&of_ours.as_str()) {
                found.push(format!("{manifest}: {} depends on {of_ours}", room.name));
            }
        }
    }
    found
}

/// The crate of ours that a dependency is: by its package's name, or because
/// it has a path.
fn ours(dependency: &Dependency) -> Option<String> {
    let package = dependency.package();
    let short = package.strip_prefix("tiebreak-").unwrap_or(package);
    let known = ROOMS.iter().any(|room| room.name == short);
    let folder = dependency.path.as_deref().and_then(|path| path.rsplit('/').next());
    if known && (folder.is_some() || short != package || package == "tiebreak") {
        return Some(short.to_owned());
    }
    folder.map(str::to_owned)
}

fn source_names_as_allowed(house: &House) -> Vec<String> {
    let mut found = Vec::new();
    // The root may import all; what its report may not is a rule of its own.
    for room in ROOMS.iter().filter(|room| !room.folder.is_empty()) {
        for (file, tokens) in house.sources(room.folder) {
            for name in crates_named(&tokens) {
                if name != room.name && !room.may.contains(&name.as_str()) {
                    found.push(format!("{file}: {} names {name}", room.name));
                }
            }
        }
    }
    found
}

/// Crates of ours that a source names.
fn crates_named(tokens: &[Token]) -> Vec<String> {
    let first = paths(tokens, &[]).into_iter().filter_map(|path| path.into_iter().next());
    let mut names: Vec<String> =
        first.filter(|name| ROOMS.iter().any(|room| room.name == name)).collect();
    names.sort();
    names.dedup();
    names
}

fn wire_has_no_std(house: &House) -> Vec<String> {
    let mut found = Vec::new();
    let head = tokens(house.text("crates/wire/src/lib.rs"));
    for attribute in ["#![no_std]", "#![forbid(unsafe_code)]"] {
        let wanted = tokens(attribute);
        if !head.windows(wanted.len()).any(|some| some == wanted) {
            found.push(format!("crates/wire/src/lib.rs: lacks {attribute}"));
        }
    }
    for (file, tokens) in house.shipped("crates/wire/src") {
        let linked = tokens
            .windows(3)
            .any(|some| some[0].is("extern") && some[1].is("crate") && some[2].is("std"));
        if linked {
            found.push(format!("{file}: links std"));
        }
    }
    found
}

/// No I/O and no clock: what is recorded can be judged again anywhere.
fn record_and_judge_have_no_world(house: &House) -> Vec<String> {
    // Addresses of std::net are plain values; what dials them is not.
    const MODULES: [&str; 4] = ["fs", "process", "env", "thread"];
    const WORDS: [&str; 13] = [
        "Instant",
        "SystemTime",
        "TcpStream",
        "TcpListener",
        "UdpSocket",
        "ToSocketAddrs",
        "stdin",
        "stdout",
        "stderr",
        "println",
        "eprintln",
        "print",
        "dbg",
    ];
    let mut found = Vec::new();
    for (file, tokens) in
        ["crates/record/src", "crates/judge/src"].map(|f| house.shipped(f)).concat()
    {
        for path in paths(&tokens, &[]) {
            if let [root, module, ..] = path.as_slice()
                && root == "std"
                && MODULES.contains(&module.as_str())
            {
                found.push(format!("{file}: uses std::{module}"));
            }
        }
        found.extend(named(file, &tokens, |word| WORDS.contains(&word)));
    }
    found
}

/// The engine never sees a contender's name, and links nothing that is not
/// needed to measure.
fn the_engine_is_blind_and_lean(house: &House) -> Vec<String> {
    const NAMES: [&str; 8] =
        ["Contender", "Plan", "Question", "Header", "Event", "plan", "question", "journal"];
    let mut found = Vec::new();
    for dependency in dependencies(house.text("crates/engine/Cargo.toml")) {
        let package = dependency.package();
        if ["tokio", "clap", "toml"].contains(&package) || package.contains("html") {
            found.push(format!("crates/engine/Cargo.toml: engine depends on {package}"));
        }
    }
    for (file, tokens) in house.sources("crates/engine/src") {
        for path in paths(&tokens, &[]) {
            if let [root, name, ..] = path.as_slice()
                && root == "record"
                && NAMES.contains(&name.as_str())
            {
                found.push(format!("{file}: names record::{name}"));
            }
        }
    }
    found
}

/// An async runtime, and what is written for one, compiles in one room: elsewhere
/// it would turn up in somebody's measurement.
fn client_libraries_are_in_one_room(house: &House) -> Vec<String> {
    let mut found = Vec::new();
    for room in ROOMS.iter().filter(|room| room.name != "drivers" && exists(house, room)) {
        let manifest = manifest_of(room);
        for dependency in dependencies(house.text(&manifest)) {
            let package = dependency.package();
            let needs_one = ["tokio", "futures"].iter().any(|of| package.starts_with(of))
                || ["mysql", "postgres"].iter().any(|of| package.contains(of));
            if needs_one {
                found.push(format!("{manifest}: {} depends on {package}", room.name));
            }
        }
    }
    found
}

fn epoll_is_in_one_file(house: &House) -> Vec<String> {
    let sources = house.sources("crates/engine/src").into_iter();
    sources
        .filter(|(file, _)| !file.ends_with("event_loop/poll.rs"))
        .flat_map(|(file, tokens)| {
            named(file, &tokens, |word| word.to_lowercase().contains("epoll"))
        })
        .collect()
}

fn clocks_are_read_in_one_place(house: &House) -> Vec<String> {
    let mut found = Vec::new();
    let sources = ["crates/engine/src", "crates/drivers/src"].map(|f| house.shipped(f)).concat();
    for (file, tokens) in sources {
        found.extend(match file {
            "crates/engine/src/clock.rs" => Vec::new(),
            // What our own thread cost is health; what time it is, is not.
            "crates/engine/src/health.rs" => named(file, &tokens, |word| {
                word.starts_with("CLOCK_") && word != "CLOCK_THREAD_CPUTIME_ID"
            }),
            _ => named(file, &tokens, |word| {
                ["Instant", "SystemTime", "clock_gettime"].contains(&word)
            }),
        });
    }
    found
}

/// No virtual call, no lock, no shared atomic and no runtime where operations
/// are counted by the million. (That nothing allocates is measured, by a test
/// of the engine.)
fn the_hot_path_is_plain(house: &House) -> Vec<String> {
    let sources = house.shipped("crates/engine/src/event_loop").into_iter();
    let heavy = |word: &str| {
        ["dyn", "Mutex", "RwLock", "Condvar", "tokio"].contains(&word) || word.starts_with("Atomic")
    };
    sources.flat_map(|(file, tokens)| named(file, &tokens, heavy)).collect()
}

/// Inside the root, `report` imports `record`, `judge` and the one escaper;
/// and the escaper imports nothing, or the rule would be a sieve.
fn report_sees_records_and_verdicts(house: &House) -> Vec<String> {
    let mut found = Vec::new();
    for (file, tokens) in house.sources("src") {
        let module = module_of(file);
        let may: &[&str] = match module.first().map(String::as_str) {
            Some("report") => &["record", "judge", "report", "shown"],
            Some("shown") => &["shown"],
            _ => continue,
        };
        for path in paths(&tokens, &module) {
            let name = match path.as_slice() {
                [root, name, ..] if root == "crate" => name,
                [name, ..] if ROOMS.iter().any(|room| room.name == name) => name,
                _ => continue,
            };
            if !may.contains(&name.as_str()) {
                found.push(format!("{file}: {} names {name}", module[0]));
            }
        }
    }
    found
}

/// `src/report/json/plan.rs` is `["report", "json", "plan"]`.
fn module_of(file: &str) -> Vec<String> {
    let path = file.trim_start_matches("src/").trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    path.split('/').map(str::to_owned).collect()
}

fn main_is_short(house: &House) -> Vec<String> {
    let lines = house.text("src/main.rs").lines().count();
    let long = lines > MAIN_LINES;
    long.then(|| format!("src/main.rs: {lines} lines, at most {MAIN_LINES}")).into_iter().collect()
}

/// A rule that nobody calls would be the worst kind of silence.
fn every_audit_rule_is_in_the_table(house: &House) -> Vec<String> {
    let table = tokens(house.text("crates/judge/src/audit/mod.rs"));
    let mut found = Vec::new();
    for (file, tokens) in house.shipped("crates/judge/src/audit") {
        let module = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".rs");
        let defines = tokens.windows(2).any(|two| two[0].is("const") && two[1].is("RULE"));
        let entry = [Token::Word(module.to_owned()), Token::Colons, Token::Word("RULE".to_owned())];
        if defines && !table.windows(3).any(|three| three == entry) {
            found.push(format!("{file}: its RULE is not in the table RULES"));
        }
    }
    found
}

/// One breach for each word of this kind.
fn named(file: &str, tokens: &[Token], kind: impl Fn(&str) -> bool) -> Vec<String> {
    let words = tokens.iter().filter_map(Token::word).filter(|word| kind(word));
    words.map(|word| format!("{file}: names {word}")).collect()
}
