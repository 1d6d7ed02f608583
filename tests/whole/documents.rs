//! What README, the guide and the experiments' READMEs show works: every command in them is tried,
//! so is every experiment file of the guide, and every link between documents leads somewhere.

use crate::against::git;
use crate::common::not_tested::Lack;
use crate::common::{TestDirectory, errors, serve, url};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Output;
use testserver::Behaviour;
use text::shell_words;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Documents whose commands are tried, beside the READMEs of published experiments.
const TRIED: [&str; 3] = ["README.md", "docs/guide.md", "docs/audit-of-published-output.md"];

/// How the made-up run is driven: briefly.
const SHORT: [&str; 11] = [
    "--rounds",
    "6",
    "--round",
    "50ms",
    "--slice",
    "25ms",
    "--pilot",
    "100ms",
    "--warm-up",
    "0s",
    "-q",
];

/// A fenced block of a document.
struct Block {
    /// Document and line of its first line, such as `README.md:20`.
    directory: String,
    /// What follows the fence, such as `toml`.
    language: String,
    lines: Vec<String>,
}

fn blocks(document: &str) -> Vec<Block> {
    let text = std::fs::read_to_string(Path::new(ROOT).join(document)).expect(document);
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for (number, line) in text.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(_) if open => open = false,
            Some(language) => {
                let directory = format!("{document}:{}", number + 2);
                blocks.push(Block { directory, language: language.to_owned(), lines: Vec::new() });
                open = true;
            }
            None if open => blocks.last_mut().expect("a block").lines.push(line.to_owned()),
            None => {}
        }
    }
    assert!(!open, "{document}: the last block is not closed");
    blocks
}

/// The command of a line as a reader would type it, without prompt, comment, pipe and
/// redirection; None if the line is not a command of tiebreak.
fn command(line: &str) -> Option<Vec<String>> {
    let line = line.trim_start_matches("$ ").replace("cargo run --release -- ", "tiebreak ");
    if !line.starts_with("tiebreak ") {
        return None;
    }
    let mut quote = None;
    let mut end = line.len();
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, '#' | '|' | '>') => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    let words = shell_words::split(&line[..end]);
    Some(words.unwrap_or_else(|error| panic!("`{line}` is no plain command: {error:?}")))
}

/// All commands of a document, each with its place.
fn commands(document: &str) -> Vec<(String, Vec<String>)> {
    let blocks = blocks(document).into_iter().filter(|block| block.language != "toml");
    let found = blocks.flat_map(|block| {
        let joined = block.lines.join("\n").replace("\\\n", " ");
        let words: Vec<_> = joined.lines().filter_map(command).collect();
        words.into_iter().map(move |words| (block.directory.clone(), words))
    });
    found.collect()
}

/// A directory in which the commands find what they name.
struct WorkDirectory {
    directory: TestDirectory,
    /// Exit code of a report of its run: what the run's own was.
    of_the_run: Option<i32>,
}

impl WorkDirectory {
    fn new() -> WorkDirectory {
        let directory = TestDirectory::new();
        symlink(Path::new(ROOT).join("experiments"), directory.file("experiments"))
            .expect("a link");
        let data = Path::new(ROOT).join("crates/published/tests/data");
        let printed = std::fs::read_to_string(data.join("ab-sound.txt")).expect("output of ab");
        let article = format!("<h2>nginx</h2>\n<pre>\n{printed}\n</pre>\n");
        let board = data.with_file_name("boards").join("web-frameworks.json");
        let board = std::fs::read_to_string(board).expect("a leaderboard");
        let experiment = Path::new(ROOT).join("docs/ci/tiebreak.toml");
        let experiment = std::fs::read_to_string(experiment).expect("an experiment");
        for (name, text) in [
            ("ab-output.txt", printed.as_str()),
            ("article.html", &article),
            ("data.json", &board),
            ("tiebreak.toml", &experiment),
            ("experiment.toml", &experiment),
            ("users.csv", "name,mail\nAda,ada@example.test\n"),
        ] {
            std::fs::write(directory.file(name), text).expect("a file");
        }
        // A repository for comparisons of revisions.
        let one = "[contender.app]\nbuild = [['true']]\nlaunch = ['./app']\n";
        std::fs::write(directory.file("one.toml"), one).expect("a file");
        let suite = "[contender.app]\nurl = 'exec:./app'\nfigures = 'go'\n";
        std::fs::write(directory.file("suite.toml"), suite).expect("a file");
        for script in [
            "init --quiet",
            "add one.toml",
            "commit --quiet --message x",
            "tag v1.3",
            "tag v1.4",
            "commit --quiet --allow-empty --message x",
            "update-ref refs/remotes/origin/main HEAD~1",
        ] {
            git(directory.path(), &script.split(' ').collect::<Vec<_>>());
        }
        for name in ["old", "new", "man"] {
            std::fs::create_dir(directory.file(name)).expect("a directory");
        }
        WorkDirectory { directory, of_the_run: None }
    }

    /// Makes a run whose directory is called RUN, as in the documents.
    fn with_run(mut self) -> WorkDirectory {
        let servers = [serve(Behaviour::default()), serve(Behaviour::default())];
        let [a, b] = [("a", &servers[0]), ("b", &servers[1])]
            .map(|(name, server)| format!("{name}={}", url(server)));
        let words = [&["compare", &a, &b, "--connections", "4", "--out", "RUN"][..], &SHORT];
        let output = self.directory.tiebreak(&words.concat());
        assert!(self.directory.file("RUN/journal.jsonl").exists(), "{}", errors(&output));
        self.of_the_run = output.status.code();
        self
    }

    fn tiebreak(&self, words: &[String]) -> Output {
        let mut command = self.directory.command(words);
        command.env("TOKEN", "a-token-of-the-test").env("MANPAGER", "cat");
        command.output().expect("the binary runs")
    }

    /// Tries a command as far as this can be done without servers.
    ///
    /// # Errors
    /// What tiebreak printed if the command cannot work.
    fn attempt(&self, words: &[String]) -> Result<(), String> {
        let (attempt, expected) = self.substitute(words);
        let output = self.tiebreak(&attempt);
        match output.status.code() {
            code if code == expected => Ok(()),
            code => Err(format!(
                "tried as `tiebreak {}`: exit code {code:?} instead of {expected:?}\n{}{}",
                attempt.join(" "),
                String::from_utf8_lossy(&output.stdout),
                errors(&output)
            )),
        }
    }

    /// The words that are really run for a command, and the exit code that shows that it
    /// can work.
    fn substitute(&self, words: &[String]) -> (Vec<String>, Option<i32>) {
        let mut attempt = words[1..].to_vec();
        let has_file = attempt.iter().any(|word| word.ends_with(".toml"));
        if attempt.iter().any(|word| word == "--against")
            && !has_file
            && attempt[0] != "conformance"
        {
            let is_suite = attempt.iter().any(|word| word.starts_with("every case"));
            attempt.insert(1, if is_suite { "suite.toml" } else { "one.toml" }.to_owned());
        }
        let expected = match attempt[0].as_str() {
            // Its plan is made as far as servers need not answer.
            "compare" | "plan" => {
                attempt[0] = "check".to_owned();
                0
            }
            "rank" => {
                attempt[0] = "check".to_owned();
                attempt.push("--rank".to_owned());
                0
            }
            "run" if attempt.iter().any(|word| word == "--sweep") => {
                attempt[0] = "check".to_owned();
                0
            }
            // A recipe: `check` has no other form for a single contender.
            "run" if !attempt[1].contains("://") => {
                let recipe = attempt.remove(1);
                attempt.splice(
                    0..1,
                    ["check".to_owned(), format!("a={recipe}"), format!("b={recipe}")],
                );
                0
            }
            // For real, where nothing listens: arguments and plan are right when the target's
            // absence is all that is wrong.
            "run" | "load" => {
                attempt[1] = unreachable(&attempt[1]);
                4
            }
            "report" | "audit" if attempt[1] == "RUN" => {
                return (attempt, self.of_the_run);
            }
            "agents" | "audit" | "check" | "completions" | "explain" | "help" | "recipes" => 0,
            "man" => {
                if let Some(at) = attempt.iter().position(|word| word == "--dir") {
                    attempt[at + 1] = "man".to_owned();
                }
                0
            }
            // It takes minutes and a repository; paths come after its options.
            "bisect" => {
                let end = attempt.iter().position(|word| word == "--").unwrap_or(attempt.len());
                attempt.insert(end, "--help".to_owned());
                0
            }
            // They take minutes or download software, so the arguments are only parsed.
            "clean" | "conformance" | "demo" | "init" | "setup" => {
                attempt.push("--help".to_owned());
                0
            }
            other => panic!("`tiebreak {other}` is not known to this test"),
        };
        (attempt, Some(expected))
    }
}

/// The same address at a port on which nothing listens.
fn unreachable(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").expect("an address");
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (host, _) = authority.rsplit_once(':').expect("an address with a port");
    format!("{scheme}://{host}:1{path}")
}

fn words(line: &str) -> Vec<String> {
    command(line).expect("a command of tiebreak's")
}

/// Documents whose commands are tried.
fn tried_documents() -> Vec<String> {
    let published = Path::new(ROOT).join("experiments/published");
    let directories = std::fs::read_dir(published).expect("a directory");
    let names = directories.map(|entry| entry.expect("an entry").file_name());
    let readmes = names.map(|name| {
        format!("experiments/published/{}/README.md", name.to_str().expect("a plain name"))
    });
    TRIED.iter().map(|&name| name.to_owned()).chain(readmes).collect()
}

#[test]
fn every_command_of_readme_and_guide_works() {
    let work = WorkDirectory::new().with_run();
    let mut wrong = Vec::new();
    let mut tried = BTreeSet::new();
    for document in tried_documents() {
        for (directory, words) in commands(&document) {
            // Several documents show the same command: its attempt depends on nothing but its words.
            if !tried.insert(words.join(" ")) {
                continue;
            }
            if let Err(error) = work.attempt(&words) {
                wrong.push(format!("{directory}: `{}`\n{error}", words.join(" ")));
            }
        }
    }
    assert!(tried.len() >= 80, "{} commands were found", tried.len());
    assert!(wrong.is_empty(), "{} commands cannot work:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn commands_that_cannot_work_are_noticed() {
    let work = WorkDirectory::new().with_run();
    for line in [
        "tiebreak compare a=http://127.0.0.1:8080/ b=http://127.0.0.1:8081/ --no-such-flag",
        "tiebreak compare a=http://127.0.0.1:8080/ b=http://127.0.0.1:8081/ --set a.reuse=seldom",
        "tiebreak compare nginx no-such-recipe",
        "tiebreak compare experiments/no-such-experiment.toml",
        "tiebreak run http://127.0.0.1:8080/ --duration soon",
        "tiebreak run redis://127.0.0.1:6379 --workload no-such-workload",
        "tiebreak run no-such-recipe --workload kv",
        "tiebreak load memcached://127.0.0.1:11211 --keys many",
        "tiebreak report RUN --no-such-format",
        "tiebreak audit no-such-file.txt",
        "tiebreak explain no_such_rule",
        "tiebreak man no-such-command",
        "tiebreak completions no-such-shell",
        "tiebreak agents --kubernetes none",
        "tiebreak bisect v1.4 HEAD --by luck",
        "tiebreak demo --no-such-flag",
        "tiebreak conformance self --against",
        "tiebreak conformance no-such-test",
    ] {
        assert!(work.attempt(&words(line)).is_err(), "`{line}` passes for a command that works");
    }
}

#[test]
fn commands_are_taken_out_of_blocks_as_a_reader_types_them() {
    assert_eq!(command("  tiebreak demo"), None, "output is indented");
    assert_eq!(command("rounds = 10"), None);
    assert_eq!(words("$ tiebreak demo   # no server"), ["tiebreak", "demo"]);
    assert_eq!(words("cargo run --release -- demo"), ["tiebreak", "demo"]);
    assert_eq!(words("tiebreak man compare | man -l -"), ["tiebreak", "man", "compare"]);
    assert_eq!(
        words("tiebreak report RUN --html > a.html"),
        ["tiebreak", "report", "RUN", "--html"]
    );
    assert_eq!(
        words("tiebreak compare tiebreak.toml --require 'p99 >= 1 # not a comment'"),
        ["tiebreak", "compare", "tiebreak.toml", "--require", "p99 >= 1 # not a comment"]
    );
}

/// Contenders for those experiment files of the guide that leave them out: a part of the file's
/// text, and the line that says what a contender is.
const CONTENDERS: [(&str, &str); 5] = [
    ("choices = {", "recipe = \"cassandra-cluster\""),
    ("[[workload.requests]]", "url = \"http://127.0.0.1:1/\""),
    ("command = ", "url = \"redis://127.0.0.1:1\""),
    ("sql = ", "url = \"mysql://me@127.0.0.1/app\""),
    ("[[groups]]", "url = \"redis://127.0.0.1:1\""),
];

/// The experiment file of a block, with contenders.
fn completed(block: &Block) -> String {
    let mut text = block.lines.join("\n") + "\n";
    if let Some((_, line)) = CONTENDERS.iter().find(|(sign, _)| text.contains(sign)) {
        text += &format!("\n[contender.a]\n{line}\n\n[contender.b]\n{line}\n");
    } else if text.matches("[contender.").count() == 1 {
        text += "\n[contender.other]\nurl = \"http://127.0.0.1:1/\"\n";
    }
    text
}

#[test]
fn every_experiment_file_of_the_guide_can_be_read() {
    let work = WorkDirectory::new();
    let blocks = blocks("docs/guide.md").into_iter().filter(|block| block.language == "toml");
    let mut count = 0;
    for block in blocks {
        std::fs::write(work.directory.file("shown.toml"), completed(&block)).expect("a file");
        let attempt = work.attempt(&words("tiebreak check shown.toml"));
        assert_eq!(attempt, Ok(()), "{}", block.directory);
        count += 1;
    }
    assert!(count >= 6, "{count} experiment files were found");
}

/// Documents of this project, but not those that tests compare reports with.
fn documents(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !path.is_symlink() {
            let skipped = ["target", "snapshots", "node_modules", "tiebreak-runs"];
            if !name.starts_with('.') && !skipped.contains(&name.as_str()) {
                documents(&path, found);
            }
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// Where the links of a document lead, and the anchors of its headings.
struct Outline {
    links: Vec<String>,
    anchors: BTreeSet<String>,
}

fn outline(text: &str) -> Outline {
    let mut outline = Outline { links: Vec::new(), anchors: BTreeSet::new() };
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                outline.links.push(dest_url.into_string());
            }
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                outline.anchors.extend(heading.take().map(|text| anchor(&text)));
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            _ => {}
        }
    }
    outline
}

/// The anchor of a heading, as sites that show Markdown make it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// Why a link leads nowhere, or None if it leads somewhere.
fn dead_link(
    link: &str,
    document: &Path,
    outlines: &BTreeMap<PathBuf, Outline>,
) -> Option<&'static str> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = match file {
        "" => document.to_owned(),
        _ => document.parent().expect("a directory").join(file),
    };
    let Ok(target) = target.canonicalize() else { return Some("there is no such file") };
    match outlines.get(&target) {
        Some(outline) if !anchor.is_empty() && !outline.anchors.contains(anchor) => {
            Some("there is no such heading")
        }
        _ => None,
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut paths = Vec::new();
    documents(Path::new(ROOT), &mut paths);
    let outlines: BTreeMap<PathBuf, Outline> = paths
        .iter()
        .map(|path| {
            let text = std::fs::read_to_string(path).expect("a document");
            (path.canonicalize().expect("a path"), outline(&text))
        })
        .collect();
    assert!(outlines.len() >= 15, "{} documents were found", outlines.len());
    let mut dead = Vec::new();
    for (document, outline) in &outlines {
        for link in &outline.links {
            if let Some(why) = dead_link(link, document, &outlines) {
                dead.push(format!("{}: {link}: {why}", document.display()));
            }
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));

    let readme = Path::new(ROOT).join("README.md").canonicalize().expect("README.md");
    for planted in ["docs/no-such-file.md", "docs/guide.md#no-such-chapter", "#no-such-chapter"] {
        assert!(dead_link(planted, &readme, &outlines).is_some(), "{planted}");
    }
    assert_eq!(dead_link("docs/guide.md#stores", &readme, &outlines), None);
}

#[test]
fn what_a_machine_may_lack_is_a_table_for_contributors() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/CONTRIBUTING.md"));
    let text = text.expect("it is there");
    let (_, table) = text.split_once("\n| lacking |").expect("the table");
    let (table, _) = table.split_once("\n\n").expect("its end");
    let names = table.lines().skip(2).filter_map(|row| row.split('|').nth(1)).map(str::trim);
    assert_eq!(names.collect::<Vec<_>>(), Lack::ALL.map(Lack::name));
}
