//! The gate for continuous integration, end to end: `--require` and its exit codes, and
//! the files of `--junit` and `--markdown`, read by parsers that are not ours.

use crate::common::{TestDirectory, errors, serve, url};
use pulldown_cmark::{Event, Options, Parser, Tag};
use roxmltree::{Document, Node};
use std::process::Output;
use std::time::Duration;
use testserver::{Behaviour, Delay};

/// Of six rounds one that a busy machine spoils decides the interval; of ten it does not.
const SHORT: [&str; 11] = [
    "--rounds",
    "10",
    "--round",
    "100ms",
    "--slice",
    "50ms",
    "--pilot",
    "200ms",
    "--warm-up",
    "0s",
    "-q",
];

/// `slow` takes four times as long for a reply as `fast`. Both only wait, so that a busy
/// machine adds little to either.
fn compare(directory: &TestDirectory, more: &[&str]) -> Output {
    let of = |ms| {
        let delay = Delay::Fixed(Duration::from_millis(ms));
        Behaviour { delay, ..Behaviour::default() }
    };
    let (fast, slow) = (serve(of(4)), serve(of(16)));
    let (fast, slow) = (format!("fast={}", url(&fast)), format!("slow={}", url(&slow)));
    let words = ["compare", &fast, &slow, "--connections", "8"];
    let files = ["--junit", "tiebreak.xml", "--markdown", "summary.md"];
    directory.tiebreak(&[&words[..], &SHORT, &files, more].concat())
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).replace('\u{a0}', " ")
}

fn read(directory: &TestDirectory, name: &str) -> String {
    std::fs::read_to_string(directory.file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// One test case of a JUnit file.
struct Case {
    suite: String,
    name: String,
    /// `failure`, `error`, `skipped`; empty: it passed.
    end: String,
    kind: String,
    message: String,
    says: String,
}

/// All cases, if the file is one that a CI service can count by.
fn cases(xml: &str) -> Vec<Case> {
    let document = Document::parse(xml).unwrap_or_else(|error| panic!("{error}\n{xml}"));
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    assert_counted(root);
    let suites = root.children().filter(Node::is_element);
    suites
        .flat_map(|suite| {
            assert_eq!(suite.tag_name().name(), "testsuite");
            assert_counted(suite);
            elements(suite, "testcase").into_iter().map(move |node| case(suite, node))
        })
        .collect()
}

fn elements<'a>(of: Node<'a, 'a>, name: &str) -> Vec<Node<'a, 'a>> {
    of.descendants().filter(|node| node.has_tag_name(name)).collect()
}

/// The counts in the attributes are those of the elements below.
fn assert_counted(of: Node<'_, '_>) {
    let attributes = [
        ("tests", "testcase"),
        ("failures", "failure"),
        ("errors", "error"),
        ("skipped", "skipped"),
    ];
    for (attribute, name) in attributes {
        let count = of.descendants().filter(|node| node.has_tag_name(name)).count().to_string();
        assert_eq!(of.attribute(attribute), Some(count.as_str()), "{attribute} of {of:?}");
    }
}

fn case(suite: Node<'_, '_>, node: Node<'_, '_>) -> Case {
    let text = |node: Node<'_, '_>, name| node.attribute(name).unwrap_or_default().to_owned();
    let suite = text(suite, "name");
    assert_eq!(text(node, "classname"), format!("tiebreak.{suite}"));
    let mut case = Case {
        suite,
        name: text(node, "name"),
        end: String::new(),
        kind: String::new(),
        message: String::new(),
        says: String::new(),
    };
    for child in node.children().filter(Node::is_element) {
        match child.tag_name().name() {
            "system-out" => case.says = child.text().unwrap_or_default().to_owned(),
            end => {
                assert_eq!(case.end, "", "one end at most");
                case.end = end.to_owned();
                (case.kind, case.message) = (text(child, "type"), text(child, "message"));
            }
        }
    }
    case
}

/// The requirement's case.
fn required(cases: &[Case]) -> &Case {
    let required: Vec<&Case> = cases.iter().filter(|case| case.suite == "requirements").collect();
    let [only] = required[..] else { panic!("{} requirements", required.len()) };
    only
}

/// What GitHub would show of a summary.
struct Shown {
    /// All text, without marks.
    text: String,
    /// Whether each item of a task list is ticked.
    ticked: Vec<bool>,
    tables: usize,
}

/// Reads it as Markdown. What could only come from foreign text (links, images, other
/// HTML than ours) fails.
fn shown(markdown: &str) -> Shown {
    const OURS: [&str; 11] = [
        "<!-- -->",
        "<details>",
        "</details>",
        "<summary>",
        "</summary>",
        "<sub>",
        "</sub>",
        "<code>",
        "</code>",
        "\n",
        "",
    ];
    let mut shown = Shown { text: String::new(), ticked: Vec::new(), tables: 0 };
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Text(text) | Event::Code(text) => shown.text.push_str(&text),
            Event::SoftBreak | Event::HardBreak => shown.text.push('\n'),
            Event::InlineHtml(html) => assert!(OURS.contains(&&*html), "{html}"),
            Event::Html(html) => {
                // A line such as `<details><summary>1 note</summary>`.
                let tags = html.split_inclusive('>').map(|piece| match piece.find('<') {
                    Some(at) => piece[at..].trim_end(),
                    None => "",
                });
                tags.for_each(|tag| assert!(OURS.contains(&tag), "{html}"));
                shown.text.push_str(&html);
            }
            Event::TaskListMarker(ticked) => shown.ticked.push(ticked),
            Event::Start(Tag::Table(_)) => shown.tables += 1,
            Event::Start(tag @ (Tag::Link { .. } | Tag::Image { .. } | Tag::Strikethrough)) => {
                panic!("{tag:?}\n{markdown}")
            }
            Event::Start(tag @ (Tag::CodeBlock(_) | Tag::BlockQuote(Some(_)))) => {
                panic!("{tag:?}\n{markdown}")
            }
            Event::Start(_) | Event::End(_) => {}
            other => panic!("{other:?}\n{markdown}"),
        }
    }
    shown
}

#[test]
fn what_was_required_and_shown_passes() {
    let directory = TestDirectory::new();
    let both = ["slow/fast throughput <= 0.8", "fast/slow throughput >= 1.2"];
    let output = compare(&directory, &["--require", both[0], "--require", both[1]]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), errors(&output));
    let cases = cases(&read(&directory, "tiebreak.xml"));
    let required: Vec<&Case> = cases.iter().filter(|case| case.suite == "requirements").collect();
    assert_eq!(required.iter().map(|case| case.name.as_str()).collect::<Vec<_>>(), both);
    for case in required {
        assert!(
            case.end.is_empty() && case.says.contains("the whole interval is"),
            "{}",
            case.says
        );
    }
    let verdict = cases.iter().find(|case| case.name == "throughput of slow against fast");
    let verdict = verdict.expect("the primary comparison");
    assert!(verdict.end.is_empty() && verdict.says.starts_with("slower: "), "{}", verdict.says);
    let shown = shown(&read(&directory, "summary.md"));
    assert_eq!((shown.ticked, shown.tables > 0), (vec![true, true], true), "{}", shown.text);
    let claim = "this launch of slow was slower than this launch of fast";
    assert!(shown.text.contains(claim), "{}", shown.text);
}

#[test]
fn what_was_required_and_is_not_so_fails() {
    let directory = TestDirectory::new();
    let output = compare(&directory, &["--require", "slow/fast throughput >= 0.97"]);
    assert_eq!(output.status.code(), Some(1), "{}{}", stdout(&output), errors(&output));
    assert!(stdout(&output).to_lowercase().contains("not met"), "{}", stdout(&output));
    let cases = cases(&read(&directory, "tiebreak.xml"));
    let case = required(&cases);
    assert_eq!((case.end.as_str(), case.kind.as_str()), ("failure", "not_met"), "{}", case.message);
    assert!(case.message.contains("no part of the interval is >= 0.97"), "{}", case.message);
    let shown = shown(&read(&directory, "summary.md"));
    assert_eq!(shown.ticked, [false]);
    assert!(shown.text.contains("not met: slow/fast throughput >= 0.97"), "{}", shown.text);
}

/// A round of 100 ms has 200 replies of `fast` at most, and a quarter as many of `slow`: too
/// few for a p99.
#[test]
fn what_was_required_and_cannot_be_said_fails_and_says_so() {
    let directory = TestDirectory::new();
    let output = compare(&directory, &["--require", "slow/fast p99 <= 3x"]);
    assert_eq!(output.status.code(), Some(1), "{}{}", stdout(&output), errors(&output));
    assert!(stdout(&output).to_lowercase().contains("undetermined"), "{}", stdout(&output));
    let cases = cases(&read(&directory, "tiebreak.xml"));
    let case = required(&cases);
    assert_eq!((case.end.as_str(), case.kind.as_str()), ("error", "undetermined"));
    assert!(case.message.contains("replies per round; at least"), "{}", case.message);
    let shown = shown(&read(&directory, "summary.md"));
    assert_eq!(shown.ticked, [false]);
    assert!(shown.text.contains("undetermined: slow/fast p99 <= 3x"), "{}", shown.text);
}

/// What a server writes into its log before it dies: marks of XML, HTML, Markdown and
/// of GitHub, and an escape sequence of terminals.
const HOSTILE: &str = "</system-out>]]><x y='z'> &amp; \"q\" | @team #1 [x](http://evil.example) \
                       `c` **b** ~~s~~ </details><script>1</script>";

/// Two servers whose names and last words mean something elsewhere. One dies.
fn hostile_experiment(directory: &TestDirectory) {
    let us = env!("CARGO_BIN_EXE_tiebreak");
    let script = "\"$0\" testserver --listen 127.0.0.1:$1 --delay 1ms & server=$!; sleep 4; \
                  printf '%s\\033[31m\\n' \"$2\" >&2; kill -9 $server; exit 3";
    let launch: Vec<String> =
        ["sh", "-c", script, us, "{port}", HOSTILE].map(|word| format!("{word:?}")).to_vec();
    let text = format!(
        "contenders = ['www.example.org', '__b__']\n\
         [contender.'www.example.org']\nlaunch = ['{us}', 'testserver', '--listen', \
         '127.0.0.1:{{port}}', '--delay', '1ms']\nfacts = [['printf', '%s', {HOSTILE:?}]]\n\
         [contender.__b__]\nlaunch = [{}]\n",
        launch.join(", ")
    );
    std::fs::write(directory.file("e.toml"), text).expect("a file");
}

#[test]
fn text_of_servers_and_names_stays_text() {
    let directory = TestDirectory::new();
    hostile_experiment(&directory);
    let words = ["compare", "e.toml", "--launches", "6", "--rounds", "60", "--round", "100ms"];
    let more = [
        "--slice",
        "25ms",
        "--pilot",
        "200ms",
        "--warm-up",
        "0s",
        "--connections",
        "4",
        "--quiet",
        "--junit",
        "tiebreak.xml",
    ];
    let last = ["--markdown", "summary.md", "--require", "__b__/www.example.org throughput >= 5"];
    let output = directory.tiebreak(&[&words[..], &more, &last].concat());
    assert_eq!(output.status.code(), Some(4), "{}{}", stdout(&output), errors(&output));

    let xml = read(&directory, "tiebreak.xml");
    let cases = cases(&xml);
    let audit = &cases[0];
    let escaped = format!("{HOSTILE}\\u{{1b}}[31m");
    assert!(audit.says.contains(&escaped), "{}", audit.says);
    assert_eq!(required(&cases).name, "__b__/www.example.org throughput >= 5");
    let names = ["audit", "comparisons", "requirements"];
    assert!(cases.iter().all(|case| names.contains(&case.suite.as_str())), "{xml}");

    let shown = shown(&read(&directory, "summary.md"));
    assert_eq!(shown.ticked, [false]);
    // In the log's last line, and as what a command of the file printed.
    assert!(shown.text.matches(HOSTILE).count() >= 2, "{}", shown.text);
    assert!(shown.text.contains(&escaped), "{}", shown.text);
    assert!(shown.text.contains("__b__ against www.example.org"), "{}", shown.text);
    for output in [stdout(&output), errors(&output)] {
        assert!(!output.contains('\u{1b}'), "{output}");
    }
}
