//! A run belongs to the tool that printed it, and holds what this tool printed of this run.

use judge::verdict::Weight;
use published::key::Key;
use published::run::PublishedRun;
use published::{Audit, Scan};

const WRK: &str = include_str!("layouts/wrk-2-a.txt");
const WRK2: &str = include_str!("data/wrk2-sound.txt");
const AB: &str = include_str!("data/ab-sound.txt");
const HEY: &str = include_str!("data/hey-sound.txt");
const PGBENCH: &str = include_str!("layouts/pgbench-13-a.txt");

fn audit_files(texts: &[&str]) -> Audit {
    Audit::of(texts.iter().enumerate().map(|(at, text)| {
        let mut scan = Scan::new(at);
        scan.feed(text.as_bytes());
        (format!("{at}.txt"), scan)
    }))
}

fn audit(text: &str) -> Audit {
    audit_files(&[text])
}

fn tools(audit: &Audit) -> Vec<&'static str> {
    audit.runs.iter().map(|run| run.tool.name).collect()
}

fn figure(audit: &Audit, run: usize, key: Key) -> Option<f64> {
    audit.runs[run].figure(key).map(|at| at.value)
}

fn weight(audit: &Audit, rule: &str) -> Option<Weight> {
    audit.objections.iter().filter(|of| of.rule == rule).map(|of| of.weight).max()
}

fn approves(audit: &Audit) -> bool {
    audit.conclusion().contains("It may be concluded that the printed rate was reached")
}

/// Tools that print some lines of a known one are not known.
#[test]
fn other_tools_are_not_taken_for_known_ones() {
    for text in [
        // go-wrk
        "Running 10s test @ http://127.0.0.1:3100/\n  80 goroutine(s) running concurrently\n\
         142470 requests in 4.949028953s, 19.57MB read\nRequests/sec:\t\t28787.47\n\
         Transfer/sec:\t\t3.95MB\nAvg Req Time:\t\t0.0347ms\nNumber of Errors:\t2412\n",
        // ghz
        "Summary:\n  Count:\t2000\n  Total:\t345.52 ms\n  Slowest:\t15.41 ms\n  Fastest:\t0.66 ms\n  \
         Average:\t6.83 ms\n  Requests/sec:\t5788.35\n\nStatus code distribution:\n  [OK]   2000 \
         responses\n",
        // weighttp
        "starting benchmark...\nspawning thread #1: 20 concurrent requests, 200000 total requests\n\
         finished in 2 sec, 111 millisec and 8 microsec, 94737 req/s, 23450 kbyte/s\n\
         requests: 200000 total, 200000 started, 200000 done, 200000 succeeded, 0 failed, 0 errored\n\
         status codes: 200000 2xx, 0 3xx, 0 4xx, 0 5xx\n",
        // Prose
        "nginx: 12000 requests per second, and Apache: 9000 requests per second\n",
        "Requests per second: 6131.19\nTime taken for tests: a minute\n",
    ] {
        let found = audit(text);
        assert_eq!(tools(&found), [""; 0], "{text}");
        assert!(!approves(&found));
    }
}

#[test]
fn nothing_is_concluded_from_a_figure_that_is_not_printed() {
    for (text, without) in [
        (AB, "Requests per second"),
        (AB, "Failed requests"),
        (WRK, "Requests/sec"),
        (WRK, "requests in"),
        (include_str!("layouts/siege-a.txt"), "Failed transactions"),
        (include_str!("layouts/siege-a.txt"), "Transaction rate"),
        (include_str!("data/memtier-sound.txt"), "Totals"),
    ] {
        assert!(approves(&audit(text)));
        let cut: String = text
            .lines()
            .filter(|line| !line.contains(without))
            .map(|line| format!("{line}\n"))
            .collect();
        let found = audit(&cut);
        let sums_up = without == "Totals";
        assert_eq!(approves(&found), sums_up, "without {without}: {}", found.conclusion());
    }
}

#[test]
fn what_belongs_to_one_run_never_goes_to_another() {
    let stray = "Requests/sec:  99999.99\nTransfer/sec:     99.12MB\n";
    let other = AB.lines().filter(|line| line.starts_with("Failed")).collect::<String>();
    for between in [stray, "Totals  9 9 9\n", &other] {
        let alone = audit(WRK);
        let found = audit(&format!("{WRK}{between}"));
        assert_eq!(figure(&found, 0, Key::Rate), figure(&alone, 0, Key::Rate), "{between}");
        assert_eq!(figure(&found, 0, Key::Failed), None, "{between}");
    }
    // The rate of the first run is missing; that of the second is not its own.
    let cut: String = WRK.lines().take(6).map(|line| format!("{line}\n")).collect();
    for between in ["$ ls\n", "# nginx\n", "$ wrk -c 10 http://127.0.0.1:1/\n"] {
        let found = audit(&format!("{cut}{between}{stray}"));
        assert_eq!(figure(&found, 0, Key::Rate), None, "{between}");
    }
    let both = audit(&format!("{AB}\n{HEY}\n{WRK}{WRK2}{WRK}"));
    assert_eq!(tools(&both), ["ab", "hey", "wrk", "wrk2", "wrk"]);
    // Two printouts without their first lines.
    let head = AB.find("Concurrency Level").expect("a line");
    let two = format!("{}{}", &AB[head..], AB[head..].replace("Level:      32", "Level:      64"));
    let found = audit(&two);
    let connections: Vec<_> = (0..2).map(|run| figure(&found, run, Key::Connections)).collect();
    assert_eq!(connections, [Some(32.0), Some(64.0)]);
}

#[test]
fn files_of_one_address_are_repetitions_and_names_are_unique() {
    let found = audit_files(&[WRK, WRK, WRK]);
    assert_eq!((found.groups.len(), found.groups[0].runs.len()), (1, 3));
    assert_eq!(weight(&found, "no_repetition"), None);
    let other = WRK.replace("40 connections", "80 connections");
    let found = audit_files(&[WRK, &other]);
    assert_eq!(found.groups.len(), 2);
    assert_ne!(found.groups[0].name, found.groups[1].name);
    // Files of tools that do not print the address are different contenders.
    assert_eq!(audit_files(&[HEY, HEY]).groups.len(), 2);
}

#[test]
fn more_requests_in_flight_than_connections_are_void_and_far_fewer_are_a_caution() {
    let oha = include_str!("data/oha-sound.txt");
    let with = |command: &str, text: &str| audit(&format!("$ {command}\n{text}"));
    let ratio = figure(&audit(HEY), 0, Key::Rate).expect("a rate")
        * figure(&audit(HEY), 0, Key::Mean).expect("a mean");
    assert!((15.0..20.0).contains(&ratio), "{ratio}");
    let law = |found: &Audit| weight(found, "littles_law");
    assert_eq!(law(&with("hey -z 11s -c 20 http://127.0.0.1:18190/", HEY)), None);
    assert_eq!(law(&with("hey -z 11s -c 10 http://127.0.0.1:18190/", HEY)), Some(Weight::Void));
    assert_eq!(law(&with("hey -z 11s -c 60 http://127.0.0.1:18190/", HEY)), Some(Weight::Caution));
    assert_eq!(law(&with("hey -z 11s -q 9 -c 60 http://127.0.0.1:18190/", HEY)), None);
    assert_eq!(law(&with("oha -z 11s -c 5 http://127.0.0.1:18190/", oha)), Some(Weight::Void));
    // Ten times as fast with the same times.
    let faster = PGBENCH.replace("tps = ", "tps = 9");
    assert_eq!(law(&audit(&faster)), Some(Weight::Void));
    // A pipeline explains it, where the output shows none.
    let redis = include_str!("layouts/redis-summary-a.txt");
    let redis = format!("====== SET ======\n  4 parallel clients\n{redis}");
    assert_eq!(law(&audit(&redis)), Some(Weight::Caution));
    assert_eq!(law(&with("redis-benchmark -c 4 -t set", &redis)), Some(Weight::Void));
    assert_eq!(law(&with("redis-benchmark -c 4 -P 16 -t set", &redis)), None);
}

#[test]
fn the_target_rate_is_read_where_it_is_printed() {
    let sysbench = include_str!("data/sysbench-sound.txt");
    let printed = sysbench
        .replace("Number of threads:", "Target transaction rate: 900000/sec\nNumber of threads:");
    assert_eq!(figure(&audit(&printed), 0, Key::AskedRate), Some(900_000.0));
    assert_eq!(weight(&audit(&printed), "unsent"), Some(Weight::Void));
}

#[test]
fn with_c_before_version_14_the_rate_of_pgbench_is_the_one_with_connecting() {
    let reconnecting = include_str!("layouts/pgbench-13-b.txt");
    assert_eq!(figure(&audit(reconnecting), 0, Key::Rate), Some(240.0));
    assert_eq!(weight(&audit(reconnecting), "connect_inside"), Some(Weight::Caution));
    assert_eq!(weight(&audit(PGBENCH), "connect_inside"), None);
}

/// hey keeps a million replies.
#[test]
fn hey_above_a_million_replies_is_not_void() {
    let text = "Summary:\n  Total:\t20.0000 secs\n  Slowest:\t0.0400 secs\n  Fastest:\t0.0001 secs\n  \
                Average:\t0.0030 secs\n  Requests/sec:\t75000.0000\n\n  Total data:\t315000000 bytes\n  \
                Size/request:\t315 bytes\n\nLatency distribution:\n  50% in 0.0010 secs\n  99% in 0.0040 \
                secs\n\nStatus code distribution:\n  [200]\t1000000 responses\n";
    let found = audit(text);
    assert!(!found.void(), "{}", found.conclusion());
    assert_eq!(figure(&found, 0, Key::Operations), Some(1_500_000.0));
    assert_eq!((figure(&found, 0, Key::Mean), figure(&found, 0, Key::ReplyBytes)), (None, None));
    assert_eq!(weight(&found, "broken_off"), Some(Weight::Caution));
}

/// A server that ends each reply by closing causes a read or a write error for each.
#[test]
fn closing_servers_are_not_failing_ones() {
    let with = |errors: &str| {
        WRK.replace("Requests/sec", &format!("  Socket errors: {errors}\nRequests/sec"))
    };
    for errors in [
        "connect 0, read 412000, write 0, timeout 0",
        "connect 0, read 220000, write 191000, timeout 0",
    ] {
        assert_eq!(weight(&audit(&with(errors)), "failed_requests"), Some(Weight::Caution));
    }
    for errors in
        ["connect 0, read 9000, write 0, timeout 0", "connect 0, read 412000, write 0, timeout 9"]
    {
        assert_eq!(weight(&audit(&with(errors)), "failed_requests"), Some(Weight::Void));
    }
}

#[test]
fn marks_of_k6_are_read() {
    let k6 = include_str!("data/k6-legacy.txt");
    let crossed = k6.replace("     http_req_duration", "   ✗ http_req_duration");
    assert_eq!(weight(&audit(&crossed), "crossed_thresholds"), Some(Weight::Caution));
    assert_eq!(figure(&audit(&crossed), 0, Key::Mean), figure(&audit(k6), 0, Key::Mean));
    let older = k6.replace("100.00% 10344 out of 10344", "99.00% ✓ 10241 ✗ 103");
    assert_eq!(figure(&audit(&older), 0, Key::FailedChecks), Some(103.0));
    assert_eq!(weight(&audit(&older), "failed_checks"), Some(Weight::Void));
    assert_eq!(weight(&audit(k6), "crossed_thresholds"), None);
}

#[test]
fn a_table_without_its_last_row_is_summed_up() {
    for (text, last, tolerance) in [
        (include_str!("data/memtier-sound.txt"), "Totals", 1.0),
        (include_str!("layouts/locust-a.txt"), "Aggregated", 0.01),
    ] {
        let rate = figure(&audit(text), 0, Key::Rate).expect("a rate");
        let cut: String = text
            .lines()
            .filter(|line| !line.contains(last))
            .map(|line| format!("{line}\n"))
            .collect();
        let sum = figure(&audit(&cut), 0, Key::Rate).expect("a sum");
        assert!((rate - sum).abs() < tolerance, "{rate} {sum}");
    }
}

fn headings(text: &str) -> Vec<String> {
    let heading = |run: &PublishedRun| run.heading.as_ref().map_or("", |at| &at.value).to_owned();
    audit(text).runs.iter().map(heading).collect()
}

#[test]
fn a_heading_holds_until_another_one_comes() {
    let far =
        "This is a line about the machine and its kernel, and about nothing else.\n".repeat(20);
    let block = format!("```\n{WRK}```\n");
    let text = format!("## nginx\n\n{far}\n{block}{far}{block}\n## Caddy\n\n{block}");
    assert_eq!(headings(&text), ["nginx", "nginx", "Caddy"]);
    let too_far = format!("## nginx\n\n{}{block}", far.repeat(3));
    assert_eq!(headings(&too_far), [""]);
    for one in ["# nginx", "- #### nginx", "=== nginx ===", "**nginx**"] {
        assert_eq!(headings(&format!("{one}\n{block}")), ["nginx"], "{one}");
    }
    // In a block of code it is a comment, which says something of the next lines only.
    let comment = format!("```\n# with the new kernel\n$ ls\n{WRK}{WRK}```\n");
    assert_eq!(headings(&comment), ["with the new kernel", ""]);
}

#[test]
fn a_comment_is_no_heading() {
    for comment in [
        "# This says what the options mean:\n# c is the number of connections.\n# d is the duration.\n\n",
        "# 0 http://127.0.0.1:3100\n",
        "#{content}\"\n",
        "#!/bin/sh\n",
    ] {
        assert_eq!(headings(&format!("{comment}{WRK}")), [""], "{comment}");
    }
}

#[test]
fn a_command_holds_over_the_rest_of_its_block() {
    let hey = HEY.to_owned();
    let progress = "A line of progress that no reader knows and that is rather long.\n".repeat(30);
    let text = format!("```\n$ hey -z 11s -c 20 http://127.0.0.1:18190/\n{progress}{hey}```\n");
    assert_eq!(figure(&audit(&text), 0, Key::Connections), Some(20.0));
    let outside = text.replace("```\n", "");
    assert_eq!(figure(&audit(&outside), 0, Key::Connections), None);
    let below = text.replacen("18190/\n", "18190/\n```\n## Results\n```\n", 1);
    assert_eq!(figure(&audit(&below), 0, Key::Connections), None);
    let closed = format!("```\n$ hey -z 11s -c 20 http://127.0.0.1:18190/\n```\n{progress}{hey}");
    assert_eq!(figure(&audit(&closed), 0, Key::Connections), None);
}

#[test]
fn an_objection_quotes_the_first_line_of_a_run() {
    for (text, first) in [
        (include_str!("data/sysbench-sound.txt"), "SQL statistics:"),
        (include_str!("layouts/cassandra-2.0-a.txt"), "Averages from the middle 80% of values:"),
    ] {
        let cut: String = text
            .lines()
            .skip_while(|line| *line != first)
            .map(|line| format!("{line}\n"))
            .collect();
        let found = audit(&without(&cut, "avg:"));
        let cut_short = found.objections.iter().find(|of| of.rule == "cut_short").expect(first);
        assert_eq!(cut_short.source_lines[0].quote, first);
    }
}

/// A heading such as `Performance` does not name what a run names itself.
#[test]
fn a_general_heading_is_no_name() {
    let name = |heading: &str| audit(&format!("## {heading}\n\n{WRK}")).groups[0].name.clone();
    assert_eq!(name("Test results:"), name(""));
    assert!(name("nginx").starts_with("nginx ("));
}

fn without(text: &str, words: &str) -> String {
    text.lines().filter(|line| !line.contains(words)).map(|line| format!("{line}\n")).collect()
}
