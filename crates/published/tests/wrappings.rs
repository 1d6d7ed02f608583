//! Two printouts for each tool and each of its layouts, one sound and one not, in everything that
//! terminals, continuous integration and articles put around them: the figures and the conclusion
//! stay the same.
//!
//! `layouts/` has printouts that were written after the layout of the tools, with figures of our
//! own; `data/` has captured ones.

use judge::verdict::Weight;
use published::key::Key;
use published::run::PublishedRun;
use published::{Audit, Scan};

macro_rules! layouts {
    ($($name:literal $tool:literal;)*) => {
        &[$(($tool, include_str!(concat!("layouts/", $name, "-a.txt")),
             include_str!(concat!("layouts/", $name, "-b.txt")))),*]
    };
}

macro_rules! captured {
    ($($tool:literal $sound:literal $other:literal;)*) => {
        &[$(($tool, include_str!(concat!("data/", $sound)),
             include_str!(concat!("data/", $other)))),*]
    };
}

type Printouts = (&'static str, &'static str, &'static str);

const LAYOUTS: &[Printouts] = layouts! {
    "autocannon" "autocannon";
    "autocannon-1" "autocannon";
    "bombardier" "bombardier";
    "cassandra-2.0" "cassandra-stress";
    "cassandra-2.1" "cassandra-stress";
    "fortio" "fortio";
    "hyperfine" "hyperfine";
    "jmeter" "JMeter";
    "jmeter-2" "JMeter";
    "latte" "latte";
    "locust" "locust";
    "locust-0" "locust";
    "memtier-1" "memtier_benchmark";
    "pgbench-13" "pgbench";
    "redis-5" "redis-benchmark";
    "redis-summary" "redis-benchmark";
    "siege" "siege";
    "siege-json" "siege";
    "sysbench-0.4" "sysbench";
    "vegeta-2" "vegeta";
    "wrk-2" "wrk";
    "ycsb" "YCSB";
};

const CAPTURED: &[Printouts] = captured! {
    "ab" "ab-sound.txt" "ab-failing.txt";
    "wrk" "wrk-sound.txt" "wrk-failing.txt";
    "wrk2" "wrk2-sound.txt" "wrk2-behind.txt";
    "hey" "hey-sound.txt" "hey-failing.txt";
    "h2load" "h2load-sound.txt" "h2load-failing.txt";
    "oha" "oha-sound.txt" "oha-failing.txt";
    "oha" "oha-sound.json" "oha-cut-off.json";
    "k6" "k6-sound.txt" "k6-failing.txt";
    "k6" "k6-sound.json" "k6-failing.json";
    "vegeta" "vegeta-sound.json" "vegeta-failing.json";
    "vegeta" "vegeta-sound.txt" "vegeta-failing.txt";
    "redis-benchmark" "redis-sound.txt" "redis-default.txt";
    "redis-benchmark" "redis-quiet.txt" "redis-csv.txt";
    "memtier_benchmark" "memtier-sound.txt" "memtier-misses.txt";
    "pgbench" "pgbench-sound.txt" "pgbench-contended.txt";
    "sysbench" "sysbench-sound.txt" "sysbench-short.txt";
    "cassandra-stress" "cassandra-read.txt" "cassandra-write.txt";
};

fn audit(text: &str) -> Audit {
    let mut scan = Scan::new(0);
    scan.feed(text.as_bytes());
    Audit::of([("file".to_owned(), scan)])
}

/// What must not depend on the wrapping: tool, figures and their objections.
fn seen(audit: &Audit) -> String {
    let figures = |run: &PublishedRun| {
        run.figures().map(|(key, at)| (key, at.value)).collect::<Vec<(Key, f64)>>()
    };
    let runs: Vec<_> = audit.runs.iter().map(|run| (run.tool.name, figures(run))).collect();
    let objections: Vec<_> = audit.objections.iter().map(|of| (of.rule, of.weight)).collect();
    let conclusion = audit.conclusion();
    format!("{runs:?}\n{objections:?}\n{}", conclusion.contains("may be concluded that"))
}

/// A text in which each line is changed.
fn each(text: &str, line: impl Fn(&str) -> String) -> String {
    text.lines().map(|of| line(of) + "\n").collect()
}

type Wrapping = (&'static str, fn(&str) -> String);

const WRAPPINGS: &[Wrapping] = &[
    ("a code block", |text| format!("It printed:\n\n```text\n{text}```\n\nThat is all.\n")),
    ("indented", |text| each(text, |line| format!("        {line}"))),
    ("a quotation", |text| each(text, |line| format!("> {line}"))),
    ("quoted twice", |text| each(text, |line| format!("> > {line}"))),
    ("Windows", |text| text.replace('\n', "\r\n")),
    ("colours", |text| each(text, |line| format!("\u{1b}[32m{line}\u{1b}[0m"))),
    ("HTML", |text| {
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        format!("<p>It printed:</p><pre><code>{text}</code></pre><p>That is all.</p>\n")
    }),
    ("bold", |text| {
        each(
            text,
            |line| if line.trim().is_empty() { String::new() } else { format!("**{line}**") },
        )
    }),
    ("a continuous integration", |text| {
        each(text, |line| format!("2026-11-20T10:00:00.1234567Z {line}"))
    }),
    ("gh run view", |text| {
        each(text, |line| format!("bench\tRun it\t2026-11-20T10:00:00.1234567Z {line}"))
    }),
    ("Jenkins", |text| each(text, |line| format!("[10:00:00] {line}"))),
    ("Docker Compose", |text| each(text, |line| format!("bench-1  | {line}"))),
    ("kubectl", |text| each(text, |line| format!("[pod/bench-4x7/bench] {line}"))),
    ("the system's log", |text| {
        each(text, |line| format!("Nov 20 10:00:00 host bench[812]: {line}"))
    }),
    ("a list of text", |text| each(text, |line| format!("- {line}"))),
    ("a comment", |text| each(text, |line| format!("// {line}"))),
    ("a comment of a shell", |text| {
        each(text, |line| if line.is_empty() { "#".to_owned() } else { format!("# {line}") })
    }),
    ("a cell", |text| each(text, |line| format!("| {line} |"))),
    ("a prefix of a process", |text| each(text, |line| format!("[bench] {line}"))),
    ("numbered lines", |text| {
        let lines = text.lines().enumerate();
        lines.map(|(at, line)| format!("{:>6}\t{line}\n", at + 1)).collect()
    }),
    ("prompts around it", |text| {
        format!("user@host:~/bench$ cd /tmp\n{text}user@host:~/bench$ exit\n")
    }),
];

#[test]
fn figures_and_conclusion_do_not_depend_on_what_is_around_a_printout() {
    for (tool, sound, other) in LAYOUTS.iter().chain(CAPTURED) {
        for text in [sound, other] {
            let plain = audit(text);
            assert!(!plain.runs.is_empty(), "{text}");
            assert!(plain.runs.iter().all(|run| run.tool.name == *tool), "{text}");
            let plain = seen(&plain);
            for (name, wrap) in WRAPPINGS {
                let wrapped = wrap(text);
                assert_eq!(seen(&audit(&wrapped)), plain, "{tool} in {name}:\n{wrapped}");
            }
        }
    }
}

#[test]
fn of_each_layout_the_sound_printout_is_approved_and_the_other_one_is_not() {
    for (tool, sound, other) in LAYOUTS {
        let found = audit(sound);
        let heavy: Vec<_> =
            found.objections.iter().filter(|of| of.weight == Weight::Void).collect();
        assert!(heavy.is_empty(), "{tool}: {heavy:?}");
        let missing = found.runs[0].missing();
        assert!(missing.is_empty() || sound.starts_with("Summary:"), "{tool}: {missing:?}");
        let unclear: Vec<_> =
            found.objections.iter().filter(|of| of.rule == "unclear_figures").collect();
        assert!(unclear.is_empty(), "{tool}: {unclear:?}");
        assert!(audit(other).void(), "{tool}: {}", audit(other).conclusion());
    }
}

/// The command line is found in every form, and belongs to the run below it.
#[test]
fn command_lines_are_found_in_every_form() {
    let wrk = include_str!("layouts/wrk-2-a.txt");
    for command in [
        "$ wrk -t2 -c40 -R20600 http://127.0.0.1:3100/items",
        "user@host:~$ wrk -t2 -c40 -R20600 http://127.0.0.1:3100/items",
        "[root@host bench]# ./wrk -t2 -c40 -R20600 http://127.0.0.1:3100/items",
        "$ sudo wrk -t2 -c40 -R20600 http://127.0.0.1:3100/items",
        "$ time wrk -t2 -c40 -R20600 http://127.0.0.1:3100/items",
        "$ docker run --rm --net host bench/wrk -t2 -c40 -R20600 http://127.0.0.1:3100/items",
        "$ wrk -t2 -c40 \\\n    -R20600 \\\n    http://127.0.0.1:3100/items",
        "2026-11-20T10:00:00.1Z + wrk -t2 -c40 -R20600 http://127.0.0.1:3100/items",
        "bench-1  | $ wrk -t2 -c40 -R20600 http://127.0.0.1:3100/items",
    ] {
        let found = audit(&format!("{command}\n{wrk}"));
        let rate = found.runs[0].figure(Key::AskedRate).map(|at| at.value);
        assert_eq!((found.runs[0].tool.name, rate), ("wrk2", Some(20600.0)), "{command}");
    }
}

/// Figures of each run, without what tells that a file begins or ends there.
fn figures(audit: &Audit) -> Vec<String> {
    let of = |run: &PublishedRun| {
        let all: Vec<_> = run.figures().map(|(key, at)| (key, at.value)).collect();
        format!("{} {all:?}", run.tool.name)
    };
    audit.runs.iter().map(of).collect()
}

/// Neither a heading nor a command line separates the two, and the first lines of both may be missing.
#[test]
fn two_printouts_one_after_the_other_are_read_as_each_alone() {
    for (tool, sound, other) in LAYOUTS.iter().chain(CAPTURED) {
        for (first, second) in [(sound, other), (other, sound), (sound, sound)] {
            for cut in 0..4 {
                // locust before version 1 prints the same table again when it ends; without the
                // first lines the same could be true of others.
                if first == second && (cut > 0 || sound.starts_with(" Name ")) {
                    continue;
                }
                let [first, second] = [first, second].map(|text| without_first(text, cut));
                let alone = [figures(&audit(&first)), figures(&audit(&second))].concat();
                for between in ["", "\n", "```\n\nAfter the change:\n\n```\n"] {
                    let text = format!("{first}{between}{second}");
                    assert_eq!(figures(&audit(&text)), alone, "{tool}:\n{text}");
                }
            }
        }
    }
}

/// A printout without its first lines. A document stays whole.
fn without_first(text: &str, lines: usize) -> String {
    let lines = if text.contains("{\n") || text.starts_with('{') { 0 } else { lines };
    text.lines().skip(lines).map(|line| format!("{line}\n")).collect()
}
