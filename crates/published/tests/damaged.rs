//! Output that is cut, wrapped, translated, mixed or not text: what can be concluded is reported,
//! no figure is made up, and nothing grows without bound.

use judge::verdict::Weight;
use proptest::prelude::*;
use published::compare::Word;
use published::key::Key;
use published::{Audit, MOST_RUNS, Scan};

const AB: &str = include_str!("data/ab-sound.txt");
const ALL: &[&str] = &[
    AB,
    include_str!("data/wrk-slow.txt"),
    include_str!("data/wrk2-sound.txt"),
    include_str!("data/hey-failing.txt"),
    include_str!("data/h2load-sound.txt"),
    include_str!("data/oha-cut-off.txt"),
    include_str!("data/oha-cut-off.json"),
    include_str!("data/k6-failing.txt"),
    include_str!("data/k6-failing.json"),
    include_str!("data/vegeta-failing.txt"),
    include_str!("data/vegeta-failing.json"),
    include_str!("data/redis-csv.txt"),
    include_str!("data/memtier-sound.txt"),
    include_str!("data/pgbench-sound.txt"),
    include_str!("data/sysbench-short.txt"),
    include_str!("data/cassandra-read.txt"),
];

fn audit(bytes: &[u8]) -> Audit {
    let mut scan = Scan::new(0);
    scan.feed(bytes);
    Audit::of([("article".to_owned(), scan)])
}

/// Tool and figures of each run, without their lines.
fn figures(audit: &Audit) -> Vec<(&'static str, Vec<(Key, f64)>)> {
    let of = |run: &published::run::PublishedRun| {
        run.figures().map(|(key, at)| (key, at.value)).collect()
    };
    audit.runs.iter().map(|run| (run.tool.name, of(run))).collect()
}

fn has(audit: &Audit, rule: &str) -> bool {
    audit.objections.iter().any(|objection| objection.rule == rule)
}

#[test]
fn line_ends_escapes_and_markup_change_nothing() {
    for text in ALL {
        let plain = figures(&audit(text.as_bytes()));
        assert!(!plain.is_empty());
        let coloured = text.lines().map(|line| format!("\u{1b}[1;32m{line}\u{1b}[0m\n"));
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let escaped = escaped.replace('"', "&quot;");
        let article = format!("<html><body><p>We ran it:</p><pre>{escaped}</pre></body></html>");
        let broken = escaped.lines().map(|line| format!("{line}<br/>")).collect::<String>();
        for wrapped in [text.replace('\n', "\r\n"), coloured.collect(), article, broken] {
            assert_eq!(figures(&audit(wrapped.as_bytes())), plain, "{wrapped}");
        }
    }
}

#[test]
fn a_file_is_read_the_same_in_any_pieces() {
    let all = ALL.concat();
    let whole = figures(&audit(all.as_bytes()));
    for size in [1, 7, 4096] {
        let mut scan = Scan::new(0);
        all.as_bytes().chunks(size).for_each(|piece| scan.feed(piece));
        assert_eq!(figures(&Audit::of([("a".to_owned(), scan)])), whole, "{size}");
    }
}

#[test]
fn several_tools_in_one_file_are_distinguished() {
    let one_by_one: Vec<_> = ALL.iter().flat_map(|text| figures(&audit(text.as_bytes()))).collect();
    let together = ALL.join("\n\nThen we tried another tool, which said:\n\n");
    assert_eq!(figures(&audit(together.as_bytes())), one_by_one);
}

#[test]
fn cut_after_any_line_every_figure_is_one_of_the_whole() {
    for text in ALL {
        let whole = figures(&audit(text.as_bytes()));
        let lines: Vec<&str> = text.lines().collect();
        for at in 0..lines.len() {
            for part in [&lines[..at], &lines[at..]] {
                for (tool, found) in figures(&audit(part.join("\n").as_bytes())) {
                    for (key, value) in found {
                        let known = whole.iter().any(|(of, all)| {
                            let same = |(k, v): &(Key, f64)| *k == key && *v >= value;
                            // The lines that tell wrk2 from wrk may be cut off.
                            (*of == tool || of.starts_with("wrk")) && all.iter().any(same)
                        });
                        assert!(known, "{tool} {key:?} {value} in\n{}", part.join("\n"));
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_missing_is_named() {
    let cut = AB.split("Complete requests").next().expect("a part");
    let found = audit(cut.as_bytes());
    assert!(has(&found, "cut_short"));
    let missing = found.runs[0].missing();
    for name in ["operations", "rate", "percentiles"] {
        assert!(missing.iter().any(|of| of == name), "{missing:?}");
    }
    assert!(found.unanswered.iter().any(|of| of.rule == "few_samples"));
    let without_head = AB.split_once("Concurrency").map(|(_, rest)| format!("Concurrency{rest}"));
    let found = audit(without_head.expect("a part").as_bytes());
    assert_eq!(found.runs.len(), 1);
    assert!(found.runs[0].figure(Key::Rate).is_some());
}

#[test]
fn decimal_commas_are_read_and_unclear_ones_are_not() {
    let german = AB.replace("12786.77", "12786,77").replace("23.462", "23,4620");
    let found = audit(german.as_bytes());
    assert_eq!(found.runs[0].figure(Key::Rate).map(|at| at.value), Some(12786.77));
    assert_eq!(found.runs[0].figure(Key::Duration).map(|at| at.value), Some(23.462));
    let unclear = AB.replace("23.462", "23,462");
    let found = audit(unclear.as_bytes());
    assert_eq!(found.runs[0].figure(Key::Duration), None);
    assert!(has(&found, "unclear_figures"));
    for grouped in ["12 786.77", "12 786,77"] {
        let found = audit(AB.replace("12786.77", grouped).as_bytes());
        assert_eq!(found.runs[0].figure(Key::Rate), None, "{grouped}");
    }
    let hard_space = AB.replace("12786.77", "12\u{a0}786,77");
    assert_eq!(figures(&audit(hard_space.as_bytes())), figures(&audit(AB.as_bytes())));
    let translated = AB.replace("Requests per second:", "Anfragen pro Sekunde:");
    let found = audit(translated.as_bytes());
    assert!(has(&found, "cut_short") && found.runs[0].figure(Key::Rate).is_none());
}

#[test]
fn figures_that_contradict_each_other_are_void() {
    for (from, to) in
        [("12786.77", "14786.77"), ("  99%     15", "  99%      9"), ("300000", "350000")]
    {
        assert!(AB.contains(from), "{from}");
        let found = audit(AB.replace(from, to).as_bytes());
        assert!(has(&found, "sums_differ") && found.void(), "{from} {to}");
    }
}

fn run(server: &str, rate: f64) -> String {
    let duration = 300_000.0 / rate;
    AB.replace("nginx/1.22.1", server)
        .replace("12786.77", &format!("{rate:.2}"))
        .replace("23.462", &format!("{duration:.3}"))
        .replace("Transfer rate:          4033.27 [Kbytes/sec] received\n", "")
}

fn words(article: &[(&str, f64)]) -> (Vec<Word>, Audit) {
    let text: String = article.iter().map(|(server, rate)| run(server, *rate)).collect();
    let found = audit(text.as_bytes());
    (found.comparisons.iter().map(|of| of.word).collect(), found)
}

#[test]
fn what_several_runs_can_show_depends_on_their_number_spread_and_order() {
    let (found, one) = words(&[("a", 12_000.0), ("b", 13_000.0)]);
    assert_eq!(found, [Word::OneRun]);
    assert!(one.conclusion().contains("may not be concluded"), "{}", one.conclusion());
    let (found, _) = words(&[("a", 12_000.0), ("b", 13_000.0), ("a", 13_100.0), ("b", 13_200.0)]);
    assert_eq!(found, [Word::Overlap]);
    let alternating: Vec<(&str, f64)> = (0..4)
        .flat_map(|n| [("a", 12_000.0 + f64::from(n)), ("b", 13_000.0 + f64::from(n))])
        .collect();
    let (found, all) = words(&alternating);
    assert!(matches!(found[..], [Word::Apart(chance)] if chance < 0.03));
    assert!(!has(&all, "no_repetition") && !has(&all, "not_interleaved"));
    assert!(
        all.conclusion()
            .contains("It may be concluded that 127.0.0.1:18190/index.html, b was faster")
    );
    let mut blocks = alternating.clone();
    blocks.sort_by(|a, b| a.0.cmp(b.0));
    assert!(has(&words(&blocks).1, "not_interleaved"));
}

#[test]
fn contenders_under_other_loads_or_with_other_replies_are_not_compared() {
    let b = run("b", 13_000.0);
    let other_load =
        format!("{}{}", run("a", 12_000.0), b.replace("Level:      32", "Level:      64"));
    let found = audit(other_load.as_bytes());
    assert_eq!(found.comparisons[0].word, Word::UnequalLoad);
    assert!(has(&found, "unequal_load") && !found.void());
    let other_page = b.replace("87 bytes", "20 bytes");
    let found = audit(format!("{}{other_page}", run("a", 12_000.0)).as_bytes());
    assert_eq!(found.comparisons[0].word, Word::Void);
    assert!(has(&found, "unequal_replies") && found.void());
    assert_eq!(found.weight(0), None, "the run itself is sound");
}

#[test]
fn a_command_line_tells_what_the_output_does_not() {
    let hey = include_str!("data/hey-sound.txt");
    let with = format!("$ hey -z 11s -q 100 -c 20 http://127.0.0.1:8080/\n{hey}");
    let found = audit(with.as_bytes());
    assert!(has(&found, "closed_loop_rate"));
    assert!(found.groups[0].name.contains("127.0.0.1:8080"));
    let wrk2 = include_str!("data/wrk2-behind.txt");
    let with = format!("$ wrk2 -t1 -c10 -d12s -R200000 http://127.0.0.1:18190/\n{wrk2}");
    assert!(has(&audit(with.as_bytes()), "unsent"));
    let redis = include_str!("data/redis-quiet.txt");
    let with = |flags: &str| format!("$ redis-benchmark {flags} -q\n{redis}");
    let heaviest = |text: String| {
        let found = audit(text.as_bytes());
        let of = found.objections.iter().filter(|of| of.rule == "single_key" && of.runs == [0]);
        of.map(|of| of.weight).max()
    };
    assert_eq!(heaviest(with("-n 1000")), Some(Weight::Caution));
    assert_eq!(heaviest(with("-r 100000")), None);
}

#[test]
fn k6_points_and_binary_files_are_named() {
    let point =
        r#"{"type":"Point","data":{"time":"2026-11-24T00:00:00Z","value":1},"metric":"http_reqs"}"#;
    let found = audit(format!("{point}\n{point}\n").as_bytes());
    assert!(found.runs.is_empty());
    assert_eq!(found.scan_notes[0].points, Some(1));
    let found = audit(b"\x7fELF\0\0\n\xff\xfe\0\n");
    assert_eq!((found.runs.len(), found.scan_notes[0].binary), (0, Some(1)));
}

#[test]
fn memory_does_not_grow_with_the_file() {
    let mut scan = Scan::new(0);
    let quiet = "SET: 1000.00 requests per second, p50=0.247 msec\n".repeat(1000);
    for _ in 0..20 {
        scan.feed(quiet.as_bytes());
    }
    // One line, one document and one string without an end.
    scan.feed(&vec![b'x'; 8 << 20]);
    scan.feed(b"\n{\"a\":\n");
    for _ in 0..200 {
        scan.feed("\"b\": [1, 2, 3],\n".repeat(4096).as_bytes());
    }
    let found = Audit::of([("a".to_owned(), scan)]);
    assert_eq!(found.runs.len(), MOST_RUNS);
    assert_eq!(found.scan_notes[0].left_out, Some(MOST_RUNS as u64 + 1));
    assert_eq!(found.scan_notes[0].long_line, Some(20_001));
}

/// Each character that means something to a reader, 2^20 times behind the beginning of a line of a
/// tool, and in JSON. A reader that looks at the rest of the line for each of them would take
/// hours.
#[test]
fn work_does_not_grow_with_the_square_of_a_line() {
    let characters = "<>&;{[\"':,.=*_`|│#$%@\\/-(0a \t\r\u{1b}";
    let beginnings = ALL.iter().filter_map(|text| text.lines().find(|line| line.len() > 20));
    let beginnings: Vec<&str> = beginnings.collect();
    for (at, character) in characters.chars().enumerate() {
        let many = character.to_string().repeat(1 << 20);
        let beginning = beginnings[at % beginnings.len()];
        let in_json = if "\"\\{[,:".contains(character) { &many } else { "" };
        let text = format!("{AB}{beginning}{many}\n{{\"a\": {in_json}\n{AB}");
        let found = audit(text.as_bytes());
        assert!(found.runs.iter().any(|run| run.tool.name == "ab"), "{character:?}");
        let longest = found.objections.iter().map(|of| of.evidence.len()).max();
        assert!(longest.is_some_and(|longest| longest < 5000), "{character:?}");
    }
}

/// Short lines, tags, keys and brackets: what is kept of each must be less than it is.
#[test]
fn many_small_parts_are_read_in_bounded_memory() {
    let key = "K".repeat(1 << 19);
    for text in [
        format!("{{\"a\":\n{}", "1\n".repeat(1 << 20)),
        "{\"a\":".repeat(1 << 18),
        format!("{{\"{key}\":\n{{\"{key}\":\n[{}", "1,".repeat(20_000)),
        "<a<b>".repeat(1 << 18),
        "\u{1b}[".repeat(1 << 19),
        "&lt".repeat(1 << 18),
        "> ".repeat(1 << 19),
    ] {
        let found = audit(format!("{text}\n{AB}").as_bytes());
        assert!(found.runs.iter().any(|run| run.tool.name == "ab"), "{}", &text[..20]);
    }
}

proptest! {
    #[test]
    fn damaged_output_is_audited(
        which in 0..ALL.len(), cuts in proptest::collection::vec((0..4000usize, any::<u8>()), 0..40)
    ) {
        let mut bytes = ALL[which].as_bytes().to_vec();
        for (at, byte) in cuts {
            let at = at % bytes.len();
            match byte % 3 {
                0 => bytes[at] = byte,
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, byte),
            }
        }
        let found = audit(&bytes);
        for (_, figures) in figures(&found) {
            prop_assert!(figures.iter().all(|(_, value)| value.is_finite() && *value >= 0.0));
        }
        prop_assert!(!found.conclusion().is_empty());
    }

    #[test]
    fn any_bytes_are_audited(bytes: Vec<u8>) {
        audit(&bytes);
    }
}
