//! Which crate may use which, and other rules that the compiler cannot check.
//!
//! `breaches` takes the files of a workspace, which may have been changed, so that tests can show
//! that a planted breach is found.

use crate::circles::{circles, module_of};
use crate::source::{Token, paths, test_only_modules, tokens, without_tests};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;
use toml::de::{DeTable, DeValue};

/// A crate of ours: its directory, and which others it may use.
struct Crate {
    directory: &'static str,
    name: &'static str,
    may: &'static [&'static str],
}

/// The whole rule. A crate that is not in it breaks a rule by being there.
const CRATES: [Crate; 25] = [
    Crate { directory: "crates/sys", name: "sys", may: &[] },
    Crate { directory: "crates/wire", name: "wire", may: &[] },
    Crate { directory: "crates/record", name: "record", may: &[] },
    Crate { directory: "crates/text", name: "text", may: &[] },
    Crate { directory: "crates/judge", name: "judge", may: &["record", "text"] },
    Crate { directory: "crates/figures", name: "figures", may: &["record", "text"] },
    Crate { directory: "crates/published", name: "published", may: &["judge", "text"] },
    Crate {
        directory: "crates/report",
        name: "report",
        may: &["record", "judge", "published", "text"],
    },
    Crate { directory: "crates/engine", name: "engine", may: &["sys", "wire", "record"] },
    Crate {
        directory: "crates/protocol",
        name: "protocol",
        may: &["sys", "wire", "record", "text", "engine", "testserver"],
    },
    Crate {
        directory: "crates/drivers",
        name: "drivers",
        may: &["sys", "record", "text", "engine", "testserver", "protocol"],
    },
    Crate { directory: "crates/keeper", name: "keeper", may: &["sys", "text"] },
    Crate {
        directory: "crates/testserver",
        name: "testserver",
        may: &["sys", "engine", "record", "text"],
    },
    Crate { directory: "protocols/http", name: "protocol-http", may: &PROTOCOL_MAY },
    Crate { directory: "protocols/websocket", name: "protocol-websocket", may: &PROTOCOL_MAY },
    Crate { directory: "protocols/memcached", name: "protocol-memcached", may: &PROTOCOL_MAY },
    Crate { directory: "protocols/redis", name: "protocol-redis", may: &PROTOCOL_MAY },
    Crate { directory: "protocols/cassandra", name: "protocol-cassandra", may: &PROTOCOL_MAY },
    Crate { directory: "protocols/thrift", name: "protocol-thrift", may: &PROTOCOL_MAY },
    Crate { directory: "protocols/postgres", name: "protocol-postgres", may: &PROTOCOL_MAY },
    Crate { directory: "protocols/mysql", name: "protocol-mysql", may: &PROTOCOL_MAY },
    Crate { directory: "protocols/oracle", name: "protocol-oracle", may: &PROTOCOL_MAY },
    Crate { directory: "protocols/files", name: "protocol-files", may: &PROTOCOL_MAY },
    Crate { directory: "protocols/program", name: "protocol-program", may: &PROTOCOL_MAY },
    Crate {
        directory: "",
        name: "tiebreak",
        may: &[
            "sys",
            "wire",
            "record",
            "text",
            "judge",
            "figures",
            "published",
            "report",
            "engine",
            "drivers",
            "keeper",
            "testserver",
            "protocol",
            "protocol-http",
            "protocol-websocket",
            "protocol-memcached",
            "protocol-redis",
            "protocol-cassandra",
            "protocol-thrift",
            "protocol-postgres",
            "protocol-mysql",
            "protocol-oracle",
            "protocol-files",
            "protocol-program",
        ],
    },
];

/// What the crate of a protocol may use; no protocol uses another.
const PROTOCOL_MAY: [&str; 8] =
    ["sys", "wire", "record", "text", "engine", "testserver", "protocol", "drivers"];

/// Protocols by the names of their crates. Only the table of protocols names them.
const IN_THE_TABLE: [&str; 9] = [
    "memcached",
    "redis",
    "cassandra",
    "thrift",
    "postgres",
    "mysql",
    "oracle",
    "http",
    "websocket",
];
/// The table of protocols.
const TABLE: &str = "src/protocols/mod.rs";

/// The directories of `src`. Each uses only those before it.
const DIRECTORIES: [&str; 7] = ["protocols", "system", "targets", "plan", "agents", "run", "cli"];

/// Names of protocols, of which each belongs into its own crate. (Others are everyday words; for `http` see
/// [`names_http`].)
const NAMES: [&str; 10] = [
    "memcached",
    "redis",
    "valkey",
    "cassandra",
    "thrift",
    "postgres",
    "mysql",
    "mariadb",
    "oracle",
    "websocket",
];

/// Shipped files, and directories of them, that name a protocol: codecs, what other tools print, and
/// old journals.
const NAMING: [&str; 3] =
    ["crates/wire/src/", "crates/published/src/", "src/run/journal/version_2.rs"];

/// What else may name HTTP: the test server, which speaks it.
const NAMING_HTTP: [&str; 2] = ["crates/testserver/src/", "src/cli/commands/testserver.rs"];

/// Shipped files outside of `crates/sys` that may contain `unsafe`, and why.
const UNSAFE: [&str; 1] = [
    // The promise that tokio asks for about a descriptor.
    "crates/drivers/src/pace.rs",
];

/// What protocols that the event loop drives do for each operation.
const LANES: [&str; 9] = [
    "protocols/http/src/lane.rs",
    "protocols/http/src/requests.rs",
    "protocols/websocket/src/lane.rs",
    "protocols/websocket/src/chat.rs",
    "protocols/websocket/src/copies.rs",
    "protocols/websocket/src/messages.rs",
    "protocols/memcached/src/lane.rs",
    "protocols/redis/src/lane.rs",
    "protocols/thrift/src/lane.rs",
];

/// Lines of `src/main.rs`, at most: everything else can be tested as a library.
const MAIN_LINES: usize = 40;

/// A file, which is read for each purpose once: copies of a workspace share it.
#[derive(Default)]
struct Source {
    /// From the root.
    path: String,
    text: String,
    tokens: OnceCell<Vec<Token>>,
    shipped: OnceCell<Vec<Token>>,
    test_modules: OnceCell<Vec<String>>,
    used_modules: OnceCell<BTreeSet<Vec<String>>>,
    protocol: OnceCell<Option<&'static str>>,
}

impl Source {
    fn of(path: &str, text: String) -> Rc<Source> {
        Rc::new(Source { path: path.to_owned(), text, ..Source::default() })
    }

    fn tokens(&self) -> &[Token] {
        self.tokens.get_or_init(|| tokens(&self.text))
    }

    fn shipped(&self) -> &[Token] {
        self.shipped.get_or_init(|| without_tests(self.tokens()))
    }

    /// The modules that it declares for tests only, as paths without `.rs`.
    fn test_modules(&self) -> &[String] {
        self.test_modules.get_or_init(|| test_modules(&self.path, self.tokens()))
    }

    /// What it names of its own crate, as paths from the crate's root.
    fn used_modules(&self) -> &BTreeSet<Vec<String>> {
        self.used_modules.get_or_init(|| {
            let (directory, _) = self.path.split_once("src/").expect("the source of a crate");
            let all = paths(self.shipped(), &module_of(&format!("{directory}src"), &self.path));
            let own = all.into_iter().filter(|path| path.first().is_some_and(|of| of == "crate"));
            own.map(|path| path[1..].to_vec()).collect()
        })
    }

    /// The first of [`NAMES`] that its code or its texts name, comments aside.
    fn protocol(&self) -> Option<&'static str> {
        let names_one = |token: &Token| match token {
            Token::Word(text) | Token::Text(text) => {
                let text = text.to_lowercase();
                NAMES.into_iter().find(|name| text.contains(name))
            }
            Token::Colons | Token::Sign(_) => None,
        };
        *self.protocol.get_or_init(|| self.shipped().iter().find_map(names_one))
    }
}

/// The files of a workspace by their path from the root.
#[derive(Clone)]
pub(crate) struct Workspace {
    files: BTreeMap<String, Rc<Source>>,
}

impl Workspace {
    /// Every `Cargo.toml` and `.rs` file of the workspace.
    pub(crate) fn read(root: &Path) -> Workspace {
        let mut files = BTreeMap::new();
        for part in ["Cargo.toml", "src", "tests", "crates", "protocols"] {
            collect(root, part, &mut files);
        }
        Workspace { files }
    }

    /// The same workspace with this text added to a file, which may be new.
    pub(crate) fn with(&self, file: &str, text: &str) -> Workspace {
        let mut workspace = self.clone();
        let text = workspace.text(file).to_owned() + text;
        workspace.files.insert(file.to_owned(), Source::of(file, text));
        workspace
    }

    /// The same workspace without a piece of text in a file.
    pub(crate) fn without(&self, file: &str, text: &str) -> Workspace {
        let mut workspace = self.clone();
        let old = workspace.text(file);
        assert!(old.contains(text), "{file} does not hold `{text}`");
        let new = old.replace(text, "");
        workspace.files.insert(file.to_owned(), Source::of(file, new));
        workspace
    }

    fn text(&self, file: &str) -> &str {
        self.files.get(file).map_or("", |source| &source.text)
    }

    /// The source files in a directory by their paths.
    fn sources(&self, directory: &str) -> Vec<(&str, &Source)> {
        let inside = self.below(format!("{directory}/"));
        inside.filter(|(path, _)| path.ends_with(".rs")).collect()
    }

    /// The files whose paths begin with this.
    fn below(&self, prefix: String) -> impl Iterator<Item = (&str, &Source)> {
        let from = self.files.range(prefix.clone()..);
        let below = from.take_while(move |(path, _)| path.starts_with(&prefix));
        below.map(|(path, source)| (path.as_str(), &**source))
    }

    /// Their tokens, without what only tests compile: (path, tokens).
    fn shipped(&self, directory: &str) -> Vec<(&str, &[Token])> {
        let sources = self.shipped_sources(directory).into_iter();
        sources.map(|(path, source)| (path, source.shipped())).collect()
    }

    /// Those of them that not only tests compile.
    fn shipped_sources(&self, directory: &str) -> Vec<(&str, &Source)> {
        let all = self.sources(directory);
        let modules = all.iter().flat_map(|(_, source)| source.test_modules());
        let modules: BTreeSet<&Path> = modules.map(Path::new).collect();
        let only_tests = |path: &str| {
            let module = Path::new(path.trim_end_matches(".rs"));
            module.ancestors().any(|of| modules.contains(of))
        };
        all.iter().filter(|(path, _)| !only_tests(path)).copied().collect()
    }
}

/// The modules that a file declares for tests only, as paths without `.rs`.
fn test_modules(path: &str, tokens: &[Token]) -> Vec<String> {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let directory = match name {
        "mod.rs" | "lib.rs" | "main.rs" => directory.to_owned(),
        _ => path.trim_end_matches(".rs").to_owned(),
    };
    test_only_modules(tokens).iter().map(|module| format!("{directory}/{module}")).collect()
}

fn collect(root: &Path, part: &str, files: &mut BTreeMap<String, Rc<Source>>) {
    let path = root.join(part);
    if path.is_dir() {
        let entries = std::fs::read_dir(&path).expect("a readable directory");
        for entry in entries {
            let name = entry.expect("a readable entry").file_name();
            let name = name.to_str().expect("names are UTF-8");
            if name != "target" {
                collect(root, &format!("{part}/{name}"), files);
            }
        }
    } else if part.ends_with(".rs") || part.ends_with("Cargo.toml") {
        let text = std::fs::read_to_string(&path).expect("a text file");
        files.insert(part.to_owned(), Source::of(part, text));
    }
}

/// Everything that breaks a rule, one sentence each.
pub(crate) fn breaches(workspace: &Workspace) -> Vec<String> {
    let rules = [
        only_known_crates,
        crates_depend_as_allowed,
        client_libraries_are_in_crates_of_databases,
        wire_has_no_std,
        unsafe_code_is_in_one_crate,
        health_reads_one_clock,
        the_hot_path_is_plain,
        modules_make_no_circle,
        modules_have_one_form,
        directories_use_those_before_them,
        main_is_short,
        only_the_table_names_a_protocol_crate,
        a_protocol_is_named_in_its_crate,
        http_is_one_of_several,
        every_protocol_is_optimised_in_tests,
        every_audit_rule_is_in_the_table,
    ];
    rules.iter().flat_map(|rule| rule(workspace)).collect()
}

fn manifest_of(member: &Crate) -> String {
    match member.directory {
        "" => "Cargo.toml".to_owned(),
        directory => format!("{directory}/Cargo.toml"),
    }
}

fn only_known_crates(workspace: &Workspace) -> Vec<String> {
    let manifests = workspace.files.keys().filter(|path| path.ends_with("Cargo.toml"));
    let unknown =
        manifests.filter(|path| !CRATES.iter().any(|member| manifest_of(member) == **path));
    unknown.map(|path| format!("{path}: unknown crate")).collect()
}

/// The packages that a manifest names, for whatever purpose: a test of `judge` that needs
/// `engine` would be a breach as well.
fn packages(manifest: &str) -> Vec<String> {
    let all = DeTable::parse(manifest).expect("Cargo has read it").into_inner();
    let platforms = table(&all, "target").into_iter().flat_map(|platforms| platforms.values());
    let tables = platforms.filter_map(|of| as_table(of.get_ref())).chain([&all]);
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    let tables = tables.flat_map(|of| kinds.iter().filter_map(|kind| table(of, kind)));
    let package = |name: &str, of: &DeValue<'_>| {
        let package = as_table(of).and_then(|of| of.get("package")?.get_ref().as_str());
        package.unwrap_or(name).to_owned()
    };
    let entries = tables.flat_map(|of| of.iter());
    entries.map(|(name, of)| package(name.get_ref(), of.get_ref())).collect()
}

fn table<'a, 'i>(of: &'a DeTable<'i>, name: &str) -> Option<&'a DeTable<'i>> {
    as_table(of.get(name)?.get_ref())
}

fn as_table<'a, 'i>(of: &'a DeValue<'i>) -> Option<&'a DeTable<'i>> {
    match of {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

fn crates_depend_as_allowed(workspace: &Workspace) -> Vec<String> {
    let mut found = Vec::new();
    for member in &CRATES {
        let manifest = manifest_of(member);
        for package in packages(workspace.text(&manifest)) {
            let Some(of_ours) = package.strip_prefix("tiebreak-") else { continue };
            if !member.may.contains(&of_ours) {
                found.push(format!("{manifest}: {} depends on {of_ours}", member.name));
            }
        }
    }
    found
}

/// Crates that may have an async runtime: what all client libraries share, and the databases.
const ASYNC: [&str; 5] =
    ["drivers", "protocol-cassandra", "protocol-postgres", "protocol-mysql", "protocol-oracle"];

/// An async runtime, and what is written for one, compiles in few crates: elsewhere
/// it would turn up in somebody's measurement. The engine has no text formats either.
fn client_libraries_are_in_crates_of_databases(workspace: &Workspace) -> Vec<String> {
    let mut found = Vec::new();
    for member in CRATES.iter().filter(|member| !ASYNC.contains(&member.name)) {
        let manifest = manifest_of(member);
        for package in packages(workspace.text(&manifest)) {
            if package.starts_with("tiebreak-") {
                continue;
            }
            let needs_one = ["tokio", "futures"].iter().any(|of| package.starts_with(of))
                || ["mysql", "postgres"].iter().any(|of| package.contains(of));
            let has_format = ["clap", "toml", "serde_json"].contains(&package.as_str())
                || package.contains("html");
            if needs_one || member.name == "engine" && has_format {
                found.push(format!("{manifest}: {} depends on {package}", member.name));
            }
        }
    }
    found
}

fn wire_has_no_std(workspace: &Workspace) -> Vec<String> {
    let mut found = Vec::new();
    let head = tokens(workspace.text("crates/wire/src/lib.rs"));
    for attribute in ["#![no_std]", "#![forbid(unsafe_code)]"] {
        let wanted = tokens(attribute);
        if !head.windows(wanted.len()).any(|some| some == wanted) {
            found.push(format!("crates/wire/src/lib.rs: lacks {attribute}"));
        }
    }
    for (file, tokens) in workspace.shipped("crates/wire/src") {
        let linked = tokens
            .windows(3)
            .any(|some| some[0].is("extern") && some[1].is("crate") && some[2].is("std"));
        if linked {
            found.push(format!("{file}: links std"));
        }
    }
    found
}

/// What can be unsound is in one place, where it can be read at once.
fn unsafe_code_is_in_one_crate(workspace: &Workspace) -> Vec<String> {
    let others = CRATES.iter().filter(|member| member.name != "sys");
    let directories = others.map(|member| format!("{}/src", member.directory));
    let sources = directories.flat_map(|directory| {
        let found = workspace.shipped(directory.trim_start_matches('/'));
        let found = found.into_iter().filter(|(file, _)| !UNSAFE.contains(file));
        found.flat_map(|(file, tokens)| named(file, tokens, |word| word == "unsafe"))
    });
    sources.collect()
}

/// What our own thread cost is health; what time it is, is not.
fn health_reads_one_clock(workspace: &Workspace) -> Vec<String> {
    let file = "crates/engine/src/health.rs";
    let wrong = |word: &str| word.starts_with("CLOCK_") && word != "CLOCK_THREAD_CPUTIME_ID";
    named(file, &tokens(workspace.text(file)), wrong)
}

/// No virtual call, no lock, no shared atomic and no runtime where operations
/// are counted by the million. (That nothing allocates is measured, by a test
/// of the engine.)
fn the_hot_path_is_plain(workspace: &Workspace) -> Vec<String> {
    let is_hot = |file: &str| match file.strip_prefix("crates/engine/src/") {
        Some(module) => ["event_loop/", "lane_schedule"].iter().any(|hot| module.starts_with(hot)),
        None => LANES.contains(&file),
    };
    let directories = ["crates/engine/src", "protocols"];
    let sources = directories.into_iter().flat_map(|directory| workspace.shipped(directory));
    let sources = sources.filter(|(file, _)| is_hot(file));
    let heavy = |word: &str| {
        ["dyn", "Mutex", "RwLock", "Condvar", "tokio"].contains(&word) || word.starts_with("Atomic")
    };
    sources.flat_map(|(file, tokens)| named(file, tokens, heavy)).collect()
}

/// A module with modules below it is the `mod.rs` of their directory, so that everything of it is in one place.
fn modules_have_one_form(workspace: &Workspace) -> Vec<String> {
    let files = workspace.files.keys().filter(|file| file.contains("src/"));
    let has_below = |file: &&String| {
        let directory = file.strip_suffix(".rs").map(|directory| format!("{directory}/"));
        directory.is_some_and(|directory| workspace.below(directory).next().is_some())
    };
    let beside = files.filter(has_below);
    beside.map(|file| format!("{file}: is beside its directory, and not its mod.rs")).collect()
}

/// No module needs one that needs it, parent and child aside: each can be read and
/// tested after those that it needs.
fn modules_make_no_circle(workspace: &Workspace) -> Vec<String> {
    let mut found = Vec::new();
    for member in &CRATES {
        let directory = format!("{}/src", member.directory);
        let directory = directory.trim_start_matches('/');
        let sources = workspace.shipped_sources(directory).into_iter();
        let files: Vec<_> = sources.map(|(file, source)| (file, source.used_modules())).collect();
        let found_here = circles(directory, &files);
        found.extend(found_here.iter().map(|circle| format!("{directory}: {circle}")));
    }
    found
}

/// From its first directory on, `src` can be read in the order of [`DIRECTORIES`].
fn directories_use_those_before_them(workspace: &Workspace) -> Vec<String> {
    let place = |name: &str| DIRECTORIES.iter().position(|known| *known == name);
    let mut found = Vec::new();
    for (file, source) in workspace.shipped_sources("src") {
        let Some((directory, _)) = file.trim_start_matches("src/").split_once('/') else {
            continue;
        };
        let Some(own) = place(directory) else {
            found.push(format!("{file}: {directory} has no place in the order of directories"));
            continue;
        };
        let used = source.used_modules().iter().filter_map(|path| path.first());
        let wrong = used.filter(|used| place(used).is_some_and(|place| place > own));
        found.extend(wrong.map(|used| format!("{file}: {directory} uses {used}")));
    }
    found
}

/// Deleting the crate of a protocol with its line in the table leaves a program.
fn only_the_table_names_a_protocol_crate(workspace: &Workspace) -> Vec<String> {
    let sources = workspace.shipped("src").into_iter().filter(|(file, _)| *file != TABLE);
    let of_file = |(file, tokens): (&str, &[Token])| {
        let paths = tokens.windows(3).filter(|three| {
            three[0] != Token::Colons
                && three[2] == Token::Colons
                && three[1].word().is_some_and(|word| IN_THE_TABLE.contains(&word))
        });
        let word = |three: &[Token]| three[1].word().unwrap_or_default().to_owned();
        let found = paths.map(|three| format!("{file}: names the crate {}", word(three)));
        found.collect::<Vec<_>>()
    };
    sources.flat_map(|(file, tokens)| of_file((file, tokens))).collect()
}

/// The directories of what is shipped outside of the crates of protocols.
fn outside_of_protocols() -> Vec<String> {
    let members = CRATES.iter().filter(|member| !member.directory.starts_with("protocols/"));
    let directories = members.map(|member| match member.directory {
        "" => "src".to_owned(),
        directory => format!("{directory}/src"),
    });
    directories.collect()
}

/// What a protocol has of its own is in its crate, so that a newcomer finds it there and it can be left out.
fn a_protocol_is_named_in_its_crate(workspace: &Workspace) -> Vec<String> {
    let mut found = Vec::new();
    let directories = outside_of_protocols();
    for (file, source) in directories.iter().flat_map(|part| workspace.shipped_sources(part)) {
        let may = file == TABLE || NAMING.iter().any(|part| file.starts_with(part));
        match (may, source.protocol()) {
            (false, Some(name)) => found.push(format!("{file}: names the protocol {name}")),
            (true, None) if NAMING.contains(&file) => {
                found.push(format!(
                    "{file}: names no protocol, and is in the list of those that do"
                ));
            }
            _ => {}
        }
    }
    found
}

/// Another protocol of requests is planned and checked as HTTP is, so nothing distinguishes that one.
fn http_is_one_of_several(workspace: &Workspace) -> Vec<String> {
    let may = |file: &str| {
        let mut parts = NAMING.iter().chain(&NAMING_HTTP);
        file == TABLE || parts.any(|part| file.starts_with(part))
    };
    let directories = outside_of_protocols();
    let sources = directories.iter().flat_map(|part| workspace.shipped(part));
    let naming = sources
        .filter(|(file, tokens)| !may(file) && tokens.iter().any(names_http))
        .map(|(file, _)| format!("{file}: names the protocol http"));
    naming.collect()
}

/// Whether a word of the code distinguishes HTTP from other protocols of requests: a type or a variant such as
/// `HttpAccess`, or a text that is its name or one of its schemes. Messages may say HTTP.
fn names_http(token: &Token) -> bool {
    match token {
        Token::Word(word) => word.contains("Http"),
        Token::Text(text) => {
            ["http", "https", "http+unix", "http://", "https://"].contains(&text.trim_matches('"'))
        }
        Token::Colons | Token::Sign(_) => false,
    }
}

/// Tests count and compare what lanes do, and the crate of a protocol instantiates its lane.
fn every_protocol_is_optimised_in_tests(workspace: &Workspace) -> Vec<String> {
    let manifest = workspace.text("Cargo.toml");
    let protocols = CRATES.iter().filter(|member| member.directory.starts_with("protocols/"));
    let lacks = protocols.filter(|member| {
        !manifest.contains(&format!("[profile.dev.package.tiebreak-{}]", member.name))
    });
    lacks.map(|member| format!("Cargo.toml: lacks a dev profile for {}", member.name)).collect()
}

fn main_is_short(workspace: &Workspace) -> Vec<String> {
    let lines = workspace.text("src/main.rs").lines().count();
    let long = lines > MAIN_LINES;
    long.then(|| format!("src/main.rs: {lines} lines, at most {MAIN_LINES}")).into_iter().collect()
}

/// A rule that is never called would find nothing, silently.
fn every_audit_rule_is_in_the_table(workspace: &Workspace) -> Vec<String> {
    let directories = ["crates/judge/src/audit", "crates/published/src/rules"];
    directories.into_iter().flat_map(|directory| rules_out_of_table(workspace, directory)).collect()
}

fn rules_out_of_table(workspace: &Workspace, directory: &str) -> Vec<String> {
    let table = tokens(workspace.text(&format!("{directory}/mod.rs")));
    let mut found = Vec::new();
    for (file, tokens) in workspace.shipped(directory) {
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
