//! What servers send and print is shown but has no effect: neither terminal escapes nor HTML,
//! wherever they come from.

use crate::case::{Case, Ended, LONG, SHORT};
use crate::experiment::Program;
use crate::{Test, test};

/// Turns red, sets the title, clears the screen, and the same by a single
/// character of Latin-1.
const ESCAPES: &str = "\x1b[31m\x1b]0;title\x07\x1b[2J\u{9b}2J\u{202e}";

const HTML: &str = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'--></title>";

/// The parts that a page must not contain.
const ALIVE: [&str; 3] = ["<script>alert", "<img src=x", "--></title>"];

pub(crate) fn cases() -> Vec<Test> {
    vec![
        test("shown::html_in_status_line_and_headers", html),
        test("shown::escapes_in_bodies_facts_and_logs", bodies),
        test("shown::escapes_in_a_status_line", || refused_head(&format!("200 {ESCAPES}"), "")),
        test("shown::escapes_in_a_header", || refused_head("200 OK", ESCAPES)),
        test("shown::last_words_of_a_target_that_dies", last_words),
        test("shown::last_words_of_a_target_that_was_never_ready", never_ready),
    ]
}

fn reply(status: &str, header: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nX-Server: {header}\r\nContent-Length: {length}\r\n\r\n{body}")
}

/// Writes a comparison with a server that answers `reply` and first prints everything harmful.
fn experiment(case: &Case, reply: &str, order: &str) {
    case.write("reply", reply);
    case.write("say", format!("{ESCAPES}{HTML}\n"));
    let orders = [
        format!("reply={}", case.path("reply")),
        format!("say={}", case.path("say")),
        order.to_owned(),
    ];
    let facts = format!("facts = [['cat', '{}']]\n", case.path("say"));
    let right = Program::testserver("").contender("right", "");
    let wrong = Program::habits(&orders).contender("wrong", &facts);
    case.write("e.toml", format!("expect_different = true\n{right}{wrong}"));
}

fn run<'a>(case: &'a Case, length: &str, code: i32, says: &[&str]) -> Ended<'a> {
    let ended = case.run(&format!("compare e.toml {length}"));
    ended.expect(code, says);
    case.left_nothing(true);
    ended
}

fn html() {
    let case = Case::new();
    experiment(&case, &reply(&format!("200 {HTML}"), HTML, HTML), "");
    let ended = run(&case, SHORT, 0, &[]);
    assert_eq!(ended.counts(1).failures(), 0);
    does_nothing(&ended);
    assert!(fact(&ended).contains(HTML), "recorded as it was: {}", fact(&ended));
}

fn bodies() {
    let case = Case::new();
    experiment(&case, &reply("200 OK", "plain", &format!("{ESCAPES}{HTML}")), "");
    let ended = run(&case, SHORT, 0, &[]);
    assert_eq!(ended.counts(1).failures(), 0);
    does_nothing(&ended);
    assert!(fact(&ended).starts_with(r"\u{1b}[31m"), "{}", fact(&ended));
    assert!(case.read("run/logs/wrong.log").contains(ESCAPES), "it did print them");
}

/// Returns the first line that the target's version command printed.
fn fact(ended: &Ended<'_>) -> String {
    let journal = ended.journal();
    let mut targets = journal.iter().filter(|(kind, _)| kind == "target");
    let (_, wrong) = targets.find(|(_, target)| target["contender"] == 1).expect("it was ready");
    wrong["facts"][0]["line"].as_str().expect("a line").to_owned()
}

/// A head with control characters is not HTTP.
fn refused_head(status: &str, header: &str) {
    let case = Case::new();
    experiment(&case, &reply(status, header, "ok"), "");
    let ended =
        run(&case, LONG, 4, &["`wrong` (", "is not ready: it does not speak this protocol there"]);
    does_nothing(&ended);
}

fn last_words() {
    let case = Case::new();
    experiment(&case, &reply("200 OK", "plain", "ok"), "die=3000");
    let ended = run(&case, LONG, 4, &["`wrong`: it exited with status 3; ", HTML, r"\u{1b}[31m"]);
    does_nothing(&ended);
    let page = case.read("run/report.html");
    assert!(page.contains("&lt;script&gt;alert(1)"), "shown in the page, and dead");
}

fn never_ready() {
    let case = Case::new();
    experiment(&case, &reply("200 OK", "plain", "ok"), "exit=9");
    let ended =
        run(&case, LONG, 4, &["`wrong`: it exited with status 9 before", HTML, r"\u{1b}[31m"]);
    does_nothing(&ended);
}

/// Checks that neither the terminal nor a file that people open contains a control character,
/// and that the page contains no markup of the server's.
fn does_nothing(ended: &Ended<'_>) {
    let mut texts =
        vec![("standard output", ended.out.clone()), ("standard error", ended.err.clone())];
    for file in ["run/journal.jsonl", "run/report.json", "run/report.html"] {
        if ended.case.file(file).exists() {
            texts.push((file, ended.case.read(file)));
        }
    }
    let harmful = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    for (directory, text) in &texts {
        if let Some(at) = text.find(harmful) {
            let line = &text[text[..at].rfind('\n').map_or(0, |n| n + 1)..];
            panic!("{directory}: {:?}", line.lines().next());
        }
    }
    let page = texts.iter().find(|(directory, _)| directory.ends_with("html"));
    for alive in ALIVE {
        assert!(!page.is_some_and(|(_, page)| page.contains(alive)), "`{alive}` lives in the page");
    }
}
