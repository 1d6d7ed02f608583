//! Leaderboards: made by hand in the form of the known boards, with invented names and figures.

use published::board::{Answer, Board, BoardList, BoardMetric, Unit};
use published::{Audit, Scan};
use std::fmt::Write as _;

fn audit(files: &[&str]) -> Audit {
    let scans = files.iter().enumerate().map(|(at, text)| {
        let mut scan = Scan::new(at);
        // Pieces of a prime length, so that no token is whole by luck.
        text.as_bytes().chunks(997).for_each(|piece| scan.feed(piece));
        (format!("file-{at}.json"), scan)
    });
    Audit::of(scans.collect::<Vec<_>>())
}

fn error(text: &str) -> String {
    let audit = audit(&[text]);
    assert!(audit.lists.is_empty(), "{text}");
    audit.board_error.unwrap_or_else(|| panic!("no error: {text}")).message(&audit.files)
}

/// One metric of `data.json`.
fn metric(level: u32, label: &str, id: u32, value: &str) -> String {
    format!(
        "{{\"level\": {level}, \"label\": \"{label}\", \"value\": {value}, \"framework_id\": {id}}}"
    )
}

fn web_frameworks(metrics: &[String]) -> String {
    let frameworks = ["birch", "cedar", "oak", "oak"].iter().zip(["c", "go", "go", "ruby"]);
    let frameworks = frameworks.enumerate().map(|(at, (label, language))| {
        format!(
            "{{\"id\": {}, \"label\": \"{label}\", \"language\": \"{language}\", \"version\": 1.0}}",
            at + 1
        )
    });
    let frameworks = frameworks.collect::<Vec<String>>().join(",\n");
    format!(
        "{{\"metrics\": [\n{}\n], \"frameworks\": [{frameworks}], \"version\": 1}}",
        metrics.join(",\n")
    )
}

/// Throughputs of the four frameworks at one level, and their p99.
fn level(level: u32, of: [(&str, &str); 4]) -> Vec<String> {
    let each = (1..).zip(of).flat_map(|(id, (rate, p99))| {
        [
            metric(level, "percentile_99", id, p99),
            metric(level, "http_errors", id, "-1.0"),
            metric(level, "total_requests_per_s", id, rate),
        ]
    });
    each.collect()
}

/// An entry of HttpArena.
fn arena(name: &str, rps: &str, p99: &str, more: &str) -> String {
    format!(
        "{{\"framework\": \"{name}\", \"language\": \"C\", \"rps\": {rps}, \"avg_latency\": \"1.00ms\", \
         \"p99_latency\": \"{p99}\", \"connections\": 512, \"threads\": 8, \"duration\": \"5s\"{more}}}"
    )
}

fn arena_list(entries: &[String]) -> String {
    format!("[\n{}\n]\n", entries.join(",\n"))
}

fn names(list: &BoardList) -> Vec<&str> {
    list.entries.iter().map(|of| of.name.as_str()).collect()
}

#[test]
fn one_figure_of_each_entry_separates_no_neighbours() {
    let mut metrics = level(256, [("900.5", "8"), ("1", "9"), ("2", "7"), ("3", "6")]);
    metrics.extend(level(64, [("1000.0", "30"), ("990.0", "20"), ("500", "40"), ("-1.0", "null")]));
    let audit = audit(&[&web_frameworks(&metrics)]);
    assert_eq!(audit.board_error, None);
    let heads: Vec<(&str, BoardMetric, bool)> =
        audit.lists.iter().map(|of| (of.name.as_str(), of.metric, of.primary)).collect();
    assert_eq!(
        heads,
        [
            ("64 connections", BoardMetric::Throughput, true),
            ("64 connections", BoardMetric::P99, false),
            ("256 connections", BoardMetric::Throughput, true),
            ("256 connections", BoardMetric::P99, false),
        ]
    );
    let [rate, p99, ..] = &audit.lists[..] else { panic!("four lists") };
    assert_eq!(
        (rate.board, rate.unit, p99.unit),
        (Board::WebFrameworks, Unit::PerSecond, Unit::Unknown)
    );
    // Larger rates and smaller times are better; two frameworks have one label.
    assert_eq!(names(rate), ["birch", "cedar", "oak (go)"]);
    assert_eq!(names(p99), ["cedar", "birch", "oak (go)"]);
    assert_eq!((&rate.without[..], rate.close()), (&["oak (ruby)".to_owned()][..], 2));
    assert_eq!(rate.entries[1].lead, Some(1.98));
    assert_eq!(p99.entries[0].lead, Some(1.5));
    assert_eq!(rate.entries[2].lead, None);
    assert!(audit.lists.iter().all(|of| of.answer == Answer::OneRun));
    // 4 entries are 6 pairs: by the table of fewest rounds 8.
    let conclusion = audit.conclusion();
    for part in [
        "Which of two neighbours is faster cannot be said: 256 connections by throughput (larger is \
         better) has 4 entries with one figure each",
        "0 of 4 entries lie within 1.5 % of a neighbour",
        "this is no test",
        "at least 8 runs of each would have to be published, interleaved",
        "for all 6 pairs together; one pair that is chosen before the runs needs 6.",
        "The same is true of the other 3 lists.",
    ] {
        assert!(conclusion.contains(part), "{part}: {conclusion}");
    }
    assert!(!audit.void());
}

#[test]
fn a_board_without_rates_is_ranked_by_its_times() {
    let times = [metric(64, "percentile99", 1, "9"), metric(64, "percentile99", 2, "8")];
    let conclusion = audit(&[&web_frameworks(&times)]).conclusion();
    assert!(conclusion.contains("64 connections by p99 (smaller is better)"), "{conclusion}");
}

#[test]
fn an_entry_close_to_either_neighbour_counts_once() {
    let rates = [1015.0, 1000.0, 985.3, 900.0];
    let entries = rates.iter().zip(["a", "b", "c", "d"]);
    let entries: Vec<String> =
        entries.map(|(rate, name)| arena(name, &rate.to_string(), "1ms", "")).collect();
    let audit = audit(&[&arena_list(&entries)]);
    let list = &audit.lists[0];
    let close: Vec<bool> = list.entries.iter().map(|of| of.is_close).collect();
    assert_eq!((close, list.close()), (vec![true, true, true, false], 3));
}

#[test]
fn a_list_at_a_target_rate_is_ranked_by_p99_and_null_or_0_is_none() {
    let at = |rate: &str| {
        arena_list(&[
            arena("fir", "1999.0", "2.5ms", &format!(", \"target_rate\": {rate}")),
            arena("elm", "2000.0", "900us", &format!(", \"target_rate\": {rate}")),
        ])
    };
    for (rate, name, by) in [
        ("2000", "512 connections at 2 k/s", BoardMetric::P99),
        ("null", "512 connections", BoardMetric::Throughput),
        ("0", "512 connections", BoardMetric::Throughput),
    ] {
        let audit = audit(&[&at(rate)]);
        let primary: Vec<&BoardList> = audit.lists.iter().filter(|of| of.primary).collect();
        assert_eq!(primary.len(), 1, "{rate}");
        assert_eq!((primary[0].name.as_str(), primary[0].metric), (name, by));
        assert_eq!(names(primary[0]), ["elm", "fir"]);
        assert!(audit.conclusion().contains(&format!("{name} by {}", by.name())));
    }
    let unread = at("2000").replace("2.5ms", "1st");
    assert_eq!(audit(&[&unread]).lists[0].without, ["fir"]);
    let audit = audit(&[&at("2000")]);
    let p99 = audit.lists.iter().find(|of| of.metric == BoardMetric::P99).expect("p99");
    assert_eq!((p99.unit, p99.entries[0].figure), (Unit::Seconds, 900.0 * 1e-6));
}

#[test]
fn all_forms_of_the_arena_are_read() {
    let round = format!(
        "{{\"machine\": {{\"cpu\": \"x\"}}, \"static-512\": {}, \"json-512\": {}}}",
        arena_list(&[arena("elm", "10", "1.5s", ""), arena("fir", "20", "2ms", "")]),
        arena_list(&[])
    );
    let archived = audit(&[&round]);
    assert_eq!((archived.lists.len(), archived.lists[0].name.as_str()), (2, "static-512"));
    assert_eq!(names(&archived.lists[0]), ["fir", "elm"]);
    // A file for each framework: together they are one board.
    let one = |name: &str, rps: &str| {
        format!(
            "{{\"framework\": \"{name}\", \"results\": {{\"json-512\": {}}}}}",
            arena(name, rps, "1ms", "")
        )
    };
    let both = audit(&[&one("elm", "10"), &one("fir", "20")]);
    assert_eq!((both.board_files.as_slice(), both.lists.len()), (&[0, 1][..], 2));
    assert_eq!(names(&both.lists[0]), ["fir", "elm"]);
    let alone = audit(&[&one("elm", "10")]);
    assert_eq!(alone.lists[0].answer, Answer::Alone);
    assert!(alone.conclusion().contains("There is nothing to compare"));
    // Lists of several files are told apart by them.
    let lists = [arena_list(&[arena("elm", "1", "1ms", "")]), round];
    let several = audit(&[&lists[0], &lists[1]]);
    let names: Vec<&str> = several.lists.iter().map(|of| of.name.as_str()).collect();
    let expected = ["file-0.json: 512 connections", "file-1.json: static-512"];
    assert_eq!([names[0], names[2]], expected);
    let twice = audit(&[&one("elm", "10"), &one("elm", "20")]);
    let error = twice.board_error.expect("one is too many").message(&twice.files);
    assert!(error.starts_with("file-1.json: the results of elm are in several"), "{error}");
}

/// Runs of several entries around their figures, none equal to another.
fn repeated(figures: &[(&str, f64)], runs: usize) -> String {
    let mut entries = Vec::new();
    for run in 0..runs {
        for (at, (name, figure)) in figures.iter().enumerate() {
            let spread = 1.0 + ((run * 7 + at * 3) % 11) as f64 / 2000.0;
            entries.push(arena(name, &(figure * spread).to_string(), "1ms", ""));
        }
    }
    arena_list(&entries)
}

#[test]
fn several_runs_of_each_are_ranked_with_ties_and_called_unpaired() {
    let figures = [("elm", 1000.0), ("fir", 1000.4), ("yew", 500.0)];
    let audit = audit(&[&repeated(&figures, 8)]);
    let list = &audit.lists[0];
    let Answer::Ranked(ranking) = &list.answer else { panic!("{:?}", list.answer) };
    let mut places: Vec<(&str, u32, u32)> =
        ranking.ranked.iter().map(|of| (of.name.as_str(), of.best, of.worst)).collect();
    places.sort_unstable();
    assert_eq!(places, [("elm", 1, 2), ("fir", 1, 2), ("yew", 3, 3)]);
    assert_eq!((ranking.pairs, ranking.separated), (3, 2));
    let conclusion = audit.conclusion();
    for part in [
        "may be the first, and 2 of 3 pairs are separated",
        "has 3 entries with 8 runs each, which were judged as unpaired",
        "hold together with 95 % if the runs were made in random order",
        "cannot exclude that runs at different times met a different machine",
    ] {
        assert!(conclusion.contains(part), "{part}: {conclusion}");
    }
}

/// Only what is the same in every respect was run again.
#[test]
fn variants_of_one_framework_are_contenders_of_their_own() {
    let mut entries = Vec::new();
    for run in 0..6 {
        let rate = |figure: u32| (figure + run).to_string();
        entries.push(arena("elm", &rate(1000), "1ms", ", \"pipeline\": 1"));
        entries.push(arena("elm", &rate(5000), "1ms", ", \"pipeline\": 16"));
        let go = arena("elm", &rate(3000), "1ms", ", \"pipeline\": 1");
        entries.push(go.replace("\"C\"", "\"Go\""));
        entries.push(arena("fir", &rate(2000), "1ms", ""));
    }
    let audit = audit(&[&arena_list(&entries)]);
    assert_eq!(
        names(&audit.lists[0]),
        ["elm (C, pipeline 16)", "elm (Go, pipeline 1)", "fir", "elm (C, pipeline 1)"]
    );
    assert!(matches!(audit.lists[0].answer, Answer::Ranked(_)));
    let once = &entries[..4];
    assert_eq!(audit_answer(&arena_list(once)), Answer::OneRun);
}

#[test]
fn too_few_runs_say_how_many_would_do() {
    let figures = [("elm", 1000.0), ("fir", 800.0), ("yew", 500.0)];
    let audit = audit(&[&repeated(&figures, 3)]);
    assert_eq!(audit.lists[0].answer, Answer::TooFewRuns);
    // Five of each: 2/252 is at most 5 %/3, and 2/70 is not. Paired, 7 rounds.
    let conclusion = audit.conclusion();
    assert!(conclusion.contains("At least 5 runs of each would do"), "{conclusion}");
    assert!(conclusion.contains("at least 7 runs of each"), "{conclusion}");
    assert_eq!(audit_answer(&repeated(&figures, 4)), Answer::TooFewRuns);
    assert!(matches!(audit_answer(&repeated(&figures, 5)), Answer::Ranked(_)));
}

fn audit_answer(text: &str) -> Answer {
    audit(&[text]).lists.remove(0).answer
}

#[test]
fn repeated_metrics_are_runs_and_copies_are_one_run() {
    let mut metrics = Vec::new();
    for run in 0..6 {
        let rate = |figure: f64| (figure + f64::from(run)).to_string();
        let (birch, cedar) = (rate(1000.0), rate(700.0));
        metrics.extend(level(64, [(&birch, "1"), (&cedar, "2"), ("300", "3"), ("-1", "4")]));
    }
    let audit = audit(&[&web_frameworks(&metrics)]);
    let list = &audit.lists[0];
    let Answer::Ranked(ranking) = &list.answer else { panic!("{:?}", list.answer) };
    let places: Vec<(&str, u32, u32)> =
        ranking.ranked.iter().map(|of| (of.name.as_str(), of.best, of.worst)).collect();
    // The third has the same figure six times, so nothing shows how much its runs differ.
    assert_eq!(places, [("birch", 1, 2), ("cedar", 2, 3), ("oak (go)", 1, 3)]);
    let says = "All runs of 1 entry have the same figure, as copies have";
    assert!(audit.conclusion().contains(says), "{}", audit.conclusion());
}

#[test]
fn what_is_wrong_is_named_with_file_line_and_key() {
    let wrong = |text: String, says: &str| {
        let error = error(&text);
        assert!(error.contains(says), "{error} and not {says}");
    };
    let one = |metric: String| web_frameworks(&[metric]);
    wrong(one(metric(64, "percentile_99", 9, "1")), "file-0.json:2: metrics[0].framework_id is 9");
    wrong(
        one(metric(64, "percentile_99", 1, "\"1\"")),
        "metrics[0].value must be a number or null",
    );
    wrong(one(metric(64, "percentile_99", 1, "-2")), "metrics[0].value must not be negative");
    wrong(one(metric(64, "percentile_99", 1, "1e999")), "1e999 is too large");
    wrong(one(metric(64, "percentile_99", 1, "NaN")), "not valid JSON: NaN is not a value");
    wrong(one("7".to_owned()), "metrics[0] must be an object");
    wrong(one("{\"label\": 5}".to_owned()), "metrics[0].label must be a text");
    wrong(one("{}".to_owned()), "metrics[0].label is missing");
    wrong(one(metric(64, "total_requests", 1, "1")), "metrics has no total_requests_per_s");
    wrong(web_frameworks(&[]), "metrics is empty");
    wrong("{\"metrics\": 1, \"frameworks\": 2}".to_owned(), "frameworks must be a list");
    let twice = "{\"metrics\": [{}], \"frameworks\": [{\"id\": 1, \"label\": \"a\"},\n\
                 {\"id\": 1, \"label\": \"b\"}]}";
    wrong(twice.to_owned(), "file-0.json:2: frameworks[1].id is 1, as that of another one");
    let entry = |rps: &str, p99: &str, more: &str| arena_list(&[arena("elm", rps, p99, more)]);
    wrong(entry("\"5\"", "1ms", ""), "file-0.json:2: entry[0].rps must be a number");
    wrong(entry("-5", "1ms", ""), "entry[0].rps must be a number that is not negative");
    let number = entry("5", "1ms", "").replace("\"1ms\"", "5");
    wrong(number, "entry[0].p99_latency must be a text such as \"1.25ms\"");
    wrong(entry("5", "1ms", ", \"target_rate\": \"5\""), "entry[0].target_rate must be a number");
    wrong(entry("5", "1ms", ", \"rps\": 6"), "the key \"rps\" is there twice in one object");
    wrong(
        arena_list(&[arena("", "5", "1ms", "")]),
        "entry[0].framework must be a text that is not",
    );
    wrong("{\"framework\": \"elm\", \"results\": {}}".to_owned(), "results must be an object that");
    let whole = entry("5", "1ms", "");
    wrong(whole[..whole.len() - 4].to_owned(), "the document is incomplete");
    let deep = format!("[{{\"framework\": 1, \"rps\": {}1", "[".repeat(100_000));
    wrong(deep, "more than 32 deep");
    let hidden = arena_list(&[arena(
        "elm",
        "5",
        "1ms",
        ", \"\\u001b[31m\\u202e\": 1, \"\\u001b[31m\\u202e\": 2",
    )]);
    let error = error(&hidden);
    assert!(!error.chars().any(text::shown::is_hidden), "{error:?}");
}

#[test]
fn names_are_escaped() {
    let audit = audit(&[&arena_list(&[
        arena("\\u202eevil\\u0007", "5", "1ms", ""),
        arena("elm", "0", "0us", ""),
    ])]);
    assert_eq!(audit.lists[0].entries[0].name, r"\u{202e}evil\u{7}");
    assert_eq!(
        (&audit.lists[0].without[..], audit.lists[0].answer.clone()),
        (&["elm".to_owned()][..], Answer::Alone)
    );
    assert!(audit.conclusion().contains("1 more entry has no figure."));
}

#[test]
fn other_documents_go_the_old_way() {
    for text in [
        "[]",
        "{\"framework\": \"elm\"}",
        "{\"framework\": {\"rps\": 1}}",
        "{\"a\": {\"framework\": \"elm\", \"rps\": 1}}",
        "[{\"framework\": \"elm\"}, {\"rps\": 1}]",
        "# \"metrics\" and \"frameworks\"",
    ] {
        let audit = audit(&[text]);
        assert!(audit.lists.is_empty() && audit.board_files.is_empty(), "{text}");
        assert_eq!(audit.board_error, None, "{text}");
    }
    // The output of a tool in a log that begins like a list and names the keys of a board.
    let wrk = include_str!("data/wrk-sound.txt");
    let log = format!("[\"framework\" \"rps\"]\n{wrk}");
    let both = audit(&[&log, &arena_list(&[arena("elm", "5", "1ms", "")])]);
    assert_eq!((both.runs.len(), both.lists.len()), (audit(&[wrk]).runs.len(), 2));
    assert_eq!((both.board_files.as_slice(), both.board_error), (&[1][..], None));
}

/// The work grows no faster than the file.
#[test]
fn large_files_are_read_or_refused() {
    let mut entries = String::from("[");
    for at in 0..10_000 {
        let _ = write!(
            entries,
            "{}{}",
            if at == 0 { "" } else { "," },
            arena(&format!("e{at}"), "5", "1ms", "")
        );
    }
    let audit = audit(&[&format!("{entries}]")]);
    assert_eq!((audit.lists[0].entries.len(), audit.lists[0].close()), (10_000, 10_000));
    assert!(error(&format!("{entries}{}", " ".repeat(16 << 20))).contains("more than 16 MiB"));
    let runs = |entries: usize, runs: usize| {
        let all = (0..runs).flat_map(|run| {
            (0..entries).map(move |at| arena(&format!("e{at}"), &(run + 1).to_string(), "1ms", ""))
        });
        arena_list(&all.collect::<Vec<String>>())
    };
    let says = "512 connections: more than 40 runs of one entry are not supported";
    assert!(error(&runs(2, 41)).contains(says));
    assert!(error(&runs(1001, 2)).contains("more than 1000 entries with several runs"));
    assert!(error(&runs(400, 13)).contains("more than 5000 runs"));
}
