//! What is peculiar to one tool: the figure that a line means, and what may not be concluded from
//! it. All printouts were written for these tests, with figures of our own.

use judge::verdict::Weight;
use published::key::{Key, Label};
use published::{Audit, Scan};

fn audit(text: &str) -> Audit {
    let mut scan = Scan::new(0);
    scan.feed(text.as_bytes());
    Audit::of([("file".to_owned(), scan)])
}

fn figure(audit: &Audit, run: usize, key: Key) -> Option<f64> {
    audit.runs[run].figure(key).map(|at| at.value)
}

fn figures(audit: &Audit, key: Key) -> Vec<Option<f64>> {
    (0..audit.runs.len()).map(|run| figure(audit, run, key)).collect()
}

fn weight(audit: &Audit, rule: &str) -> Option<Weight> {
    audit.objections.iter().filter(|of| of.rule == rule).map(|of| of.weight).max()
}

/// The runs that a rule objects to.
fn runs_of(audit: &Audit, rule: &str) -> Vec<usize> {
    let objections = audit.objections.iter().filter(|of| of.rule == rule);
    objections.flat_map(|of| of.runs.clone()).collect()
}

fn approves(audit: &Audit) -> bool {
    audit.conclusion().contains("may be concluded that the printed")
        && !audit.conclusion().contains("may not be concluded that")
}

const FORTIO: &str = "\
Fortio 1.60.3 running at 400 queries per second, 4->4 procs, for 10000 calls: http://10.0.0.7:8080/
Starting at 400 qps with 5 thread(s) [gomax 4] for exactly 10000 calls (2000 per thread + 0)
Ended after 25.002s : 10000 calls. qps=399.97
Aggregated Sleep Time : count 9995 avg 0.0101 +/- 0.002 min -0.001 max 0.0124 sum 100.9
# range, mid point, percentile, count
< 0 , 0 , 0.10, 10
# target 50% 0.00021
WARNING 0.10% of sleep were falling behind
Aggregated Function Time : count 10000 avg 0.0024 +/- 0.0011 min 0.0011 max 0.0193 sum 24
# range, mid point, percentile, count
>= 0.0011 <= 0.0193 , 0.0102 , 100.00, 10000
# target 50% 0.0022
# target 99% 0.0071
Error cases : count 120 avg 0.0009 +/- 0.0001 min 0.0008 max 0.0013 sum 0.108
# target 50% 0.00085
# Socket and IP used for each connection:
[0]   25 socket used, resolved to 10.0.0.7:8080, connection timing : count 25 avg 0.0001 +/- 0 min 0.0001 max 0.0001 sum 0.0025
Connection time (s) : count 125 avg 0.0001 +/- 0 min 0.0001 max 0.0001 sum 0.0125
# target 50% 0.00011
Sockets used: 125 (for perfect keepalive, would be 5)
Code 200 : 9880 (98.8 %)
Code 503 : 120 (1.2 %)
Response Header Sizes : count 10000 avg 140 +/- 0 min 140 max 140 sum 1400000
Response Body/Total Sizes : count 10000 avg 260 +/- 0 min 260 max 260 sum 2600000
All done 10000 calls (plus 0 warmup) 2.400 ms avg, 400.0 qps
";

#[test]
fn fortio_is_read_to_its_end() {
    for text in [FORTIO.to_owned(), each(FORTIO, "2026-11-20 10:00:00 ")] {
        let found = audit(&text);
        assert_eq!(found.runs.len(), 1, "{text}");
        assert_eq!(figure(&found, 0, Key::Status(503)), Some(120.0), "{text}");
        assert_eq!(figure(&found, 0, Key::Percentile(500_000)), Some(0.0022), "{text}");
        assert_eq!(weight(&found, "bad_status"), Some(Weight::Void), "{text}");
    }
    let sound = FORTIO.replace("9880 (98.8 %)", "10000 (100.0 %)").replace("Code 503", "Nothing");
    assert!(approves(&audit(&sound)), "{}", audit(&sound).conclusion());
    let without = without(&sound, "Code 200");
    assert!(!approves(&audit(&without)), "{}", audit(&without).conclusion());
    let empty = sound.replace("avg 260 ", "avg 0 ");
    assert_eq!(weight(&audit(&empty), "empty_reply"), Some(Weight::Void));
}

#[test]
fn fortio_in_its_short_forms_is_read() {
    let quiet = without(&without(FORTIO, "Ended after"), "Starting at");
    let command =
        "$ kubectl exec deploy/load -c fortio -- fortio load -quiet -c 5 -qps 400 http://x/";
    let found = audit(&format!("{command}\n{quiet}"));
    let keys = [Key::Rate, Key::Operations, Key::Connections, Key::Mean];
    let all = keys.map(|key| figure(&found, 0, key));
    assert_eq!(all, [Some(400.0), Some(10_000.0), Some(5.0), Some(0.0024)]);
    // Each last line alone is a run, and an author may quote a line again.
    let last =
        "tcp OK : 60000 (100.0 %)\nAll done 60000 calls (plus 0 warmup) 0.150 ms avg, 4000.0 qps\n";
    let other = last.replace("0.150", "0.250").replace("4000", "3000");
    let found = audit(&format!("The first:\n{last}\nThe second:\nError cases : no data\n{other}"));
    assert_eq!(figures(&found, Key::Rate), [Some(4000.0), Some(3000.0)]);
    assert_eq!(figures(&found, Key::Mean), [Some(0.00015), Some(0.00025)]);
    let quoted = audit(&format!("{FORTIO}\nOf these failed:\n\nCode 503 : 120 (1.2 %)\n"));
    assert_eq!(quoted.runs.len(), 1);
}

const BOMBARDIER: &str = "\
Statistics        Avg      Stdev        Max
  Reqs/sec        41.20      90.10    1200.00
  Latency       40.00ms    20.00ms   300.00ms
  Latency Distribution (Total)
     50%    35.00ms
     99%   210.00ms
  Latency Distribution (2xx)
     50%   290.00ms
     99%   299.00ms
  HTTP codes:
    1xx - 0, 2xx - 150, 3xx - 0, 4xx - 0, 5xx - 0
    others - 0
  Throughput:    10.00KB/s
";

/// Its rate is the mean of samples, which is far from operations ÷ duration in a short run.
#[test]
fn bombardiers_rate_is_not_operations_by_duration() {
    let found = audit(&format!("$ bombardier -n 150 -c 1 -l http://10.0.0.7:8080/\n{BOMBARDIER}"));
    assert_eq!(weight(&found, "littles_law"), Some(Weight::Caution));
    assert_eq!(weight(&found, "too_short"), None);
    assert_eq!(found.runs[0].duration(), None);
    assert_eq!(figure(&found, 0, Key::Percentile(500_000)), Some(0.035));
    assert!(!found.void());
}

const AUTOCANNON: &str = "\
Running 10s test @ http://10.0.0.7:3000/items (with the cache)
20 connections

Stat         Avg     Stdev     Max
Latency (ms) 4.1     2.1       31
Req/Sec      100     4.2       120
Bytes/Sec    30 kB   1 kB      36 kB

41k requests in 10s, 300 kB read
40k errors (0 timeouts)
";

#[test]
fn autocannon_counts_errors_as_requests_and_rounds_to_thousands() {
    let found = audit(AUTOCANNON);
    assert_eq!(weight(&found, "failed_requests"), Some(Weight::Void));
    assert_eq!(weight(&found, "sums_differ"), None);
    assert_eq!(found.groups[0].name, "http://10.0.0.7:3000/items");
    let wrong = audit(&AUTOCANNON.replace("40k errors", "20k errors"));
    assert_eq!(weight(&wrong, "sums_differ"), Some(Weight::Void));
    let statuses = AUTOCANNON
        .replace("40k errors (0 timeouts)", "7 2xx responses, 41371 non 2xx responses")
        .replace(" 100   ", " 4137  ");
    assert_eq!(figure(&audit(&statuses), 0, Key::Operations), Some(41_378.0));
    // A sentence is no line of the tool.
    let prose =
        audit(&format!("{AUTOCANNON}- Before, it had 29k requests in 31.5s, 6.5 MB read.\n"));
    assert_eq!(figure(&prose, 0, Key::Duration), Some(10.0));
    assert_eq!(weight(&prose, "unclear_figures"), None);
}

#[test]
fn autocannons_rate_of_one_connection_is_a_requested_rate() {
    let idle = without(&without(AUTOCANNON, "errors"), "responses").replace("41k", "1k");
    assert_eq!(weight(&audit(&idle), "littles_law"), Some(Weight::Caution));
    for command in [
        "$ autocannon -c 20 -r 5 http://10.0.0.7:3000/items",
        "Macbook:bench user$ ./autocannon.js -c 20 --connectionRate 5 http://10.0.0.7:3000/items",
    ] {
        let found = audit(&format!("{command}\n{idle}"));
        assert_eq!(figure(&found, 0, Key::AskedRate), Some(100.0), "{command}");
        assert_eq!(weight(&found, "littles_law"), None, "{command}");
    }
}

/// A rate of 0.1 per second can be anything from 0.05 to 0.15.
#[test]
fn a_rate_may_be_half_of_its_last_digit_off() {
    let with = |count: u32| {
        format!(
            "summary = {count:>6} in 00:08:20 =    0.1/s Avg: 16000 Min:   100 Max: 20000 Err:     \
             0 (0.00%)\n"
        )
    };
    assert_eq!(weight(&audit(&with(30)), "sums_differ"), None);
    assert_eq!(weight(&audit(&with(150)), "sums_differ"), Some(Weight::Void));
}

#[test]
fn totals_of_jmeter_that_begin_again_are_another_run() {
    let line = |mark: char, count: u32, time: u32, rate: f64| {
        format!(
            "summary {mark} {count:>6} in 00:00:{time:02} = {rate:>8.1}/s Avg:    20 Min:     1 \
             Max:   300 Err:     0 (0.00%)\n"
        )
    };
    let first = line('+', 3000, 20, 150.0) + &line('=', 3000, 20, 150.0);
    let second = line('+', 1000, 10, 100.0)
        + &line('+', 3000, 30, 100.0)
        + &line('=', 4000, 40, 100.0)
        + &line('+', 1000, 10, 100.0)
        + &line('=', 5000, 50, 100.0);
    let found = audit(&format!("{first}\nMore users:\n\n{second}"));
    assert_eq!(figures(&found, Key::Operations), [Some(3000.0), Some(5000.0)]);
    let named = audit(&format!("{first}{second}").replace("summary", "Generate Summary Results"));
    assert_eq!(figures(&named, Key::Operations), figures(&found, Key::Operations));
}

const HEAD: &str =
    " Name         # reqs      # fails     Avg     Min     Max  |  Median   req/s\n----------\n";

#[test]
fn a_newer_table_of_locust_counts_more_than_an_older_one() {
    let total = |count: u32| format!("----------\n Total  {count}  0(0.00%)   0.00\n\n");
    let row = " GET /a  120  2(1.67%)  50  34  97  |  45  0.00\n";
    let found = audit(&format!("{HEAD}{}{HEAD}{row}", total(0)));
    assert_eq!(figures(&found, Key::Operations), [Some(120.0)]);
    assert_eq!(figures(&found, Key::Failed), [Some(2.0)]);
    // Before the first seconds are over it prints a rate of 0.
    assert_eq!(figures(&found, Key::Rate), [None]);
    // The rows of a table belong to the run of its last row.
    let found = audit(&format!("{HEAD}{}{HEAD}{row}{}", total(500), total(120)));
    assert_eq!(figures(&found, Key::Operations), [Some(500.0), Some(120.0)]);
}

#[test]
fn the_list_of_errors_of_locust_does_not_name_the_next_run() {
    let locust = include_str!("layouts/locust-b.txt");
    let errors =
        "Error report\n# occurrences      Error\n------------------|-----\n9   GET /a: 503\n";
    let found = audit(&format!("{locust}{errors}\n{locust}"));
    assert_eq!(found.runs.len(), 2);
    assert!(found.runs[1].heading.is_none());
}

const YCSB: &str = "\
[OVERALL], RunTime(ms), 20000
[OVERALL], Throughput(ops/sec), 1000.0
[READ], Operations, 12000
[READ], AverageLatency(us), 900.0
[READ], Return=OK, 12000
[UPDATE], Operations, 8000
[UPDATE], AverageLatency(us), 950.0
[UPDATE], Return=OK, 8000
";

#[test]
fn each_kind_of_operations_of_ycsb_needs_its_results() {
    assert!(approves(&audit(YCSB)));
    let cut = without(YCSB, "[UPDATE], Return");
    assert!(!approves(&audit(&cut)), "{}", audit(&cut).conclusion());
    let one_kind = without(YCSB, "[UPDATE]").replace("], ", "],");
    let found = audit(&one_kind);
    assert_eq!(figure(&found, 0, Key::Duration), Some(20.0));
    assert_eq!(weight(&found, "sums_differ"), None);
    let too_many = audit(&YCSB.replace("12000", "22000"));
    assert_eq!(weight(&too_many, "sums_differ"), Some(Weight::Void));
    // Each of these is a read and an update, which have lines of their own.
    let modified = YCSB.replace("12000", "20000") + "[READ-MODIFY-WRITE], Operations, 8000\n";
    assert_eq!(figure(&audit(&modified), 0, Key::Operations), Some(20_000.0));
    assert!(approves(&audit(&modified)), "{}", audit(&modified).conclusion());
}

#[test]
fn operations_of_ycsb_that_always_failed_have_no_times() {
    let failed = "\
[OVERALL], RunTime(ms), 20000.0
[OVERALL], Throughput(ops/sec), 100.0
[READ], Operations, 0.0
[READ], MinLatency(us), 9.2E18
[READ], MaxLatency(us), 0.0
[READ], Return=ERROR, 2000
[READ-FAILED], Operations, 2000.0
";
    let found = audit(failed);
    assert_eq!(figure(&found, 0, Key::Min), None);
    assert_eq!(weight(&found, "sums_differ"), None);
    assert_eq!(weight(&found, "failed_requests"), Some(Weight::Void));
}

#[test]
fn hyperfine_measures_programs() {
    let program = |name: &str, mean: &str, runs: &str| {
        format!(
            "Benchmark #1: {name}\n  Time (mean ± σ):  {mean} ±  0.1 ms\n  Range (min … max):  \
             {mean} … 18.4 ms{runs}\n\n"
        )
    };
    let both = program("a", "12.0 ms", "") + &program("b", "14.0 ms", "");
    let found = audit(&both);
    assert_eq!(figures(&found, Key::Operations), [None, None]);
    let one = audit(&program("a", "12.0 ms", "")).conclusion();
    assert!(one.contains("a time was measured") && one.contains("programs"), "{one}");
    let quick = program("a", "0.0 ms", "   10 runs") + &program("b", "1.0 ms", "   10 runs");
    let quick = audit(&quick).conclusion();
    assert!(quick.contains("a mean response time is 0"), "{quick}");
}

fn cassandra(kind: &str, rate: u32, end: &str) -> String {
    format!(
        "### Running {kind} with 6 threads for 30000 iteration\n\nResults:{end}\nOp rate    :   \
         {rate} op/s  [{kind}: {rate} op/s]{end}\nLatency mean   :    0.6 ms [{kind}: 0.6 ms]{end}\n\
         Latency 99th percentile   :    3.0 ms [{kind}: 3.0 ms]{end}\nLatency max   :   12.0 ms \
         [{kind}: 12.0 ms]{end}\nTotal partitions  :  30000 [{kind}: 30000]{end}\nTotal errors      \
         :      0 [{kind}: 0]{end}\nTotal operation time : 00:00:03{end}\n"
    )
}

#[test]
fn kinds_of_operations_of_cassandra_stress_are_not_compared() {
    for end in ["", "\\"] {
        let (write, read) = (cassandra("WRITE", 9500, end), cassandra("READ", 9600, end));
        let found = audit(&format!("{write}{read}"));
        assert_eq!(figures(&found, Key::Duration), [Some(3.0), Some(3.0)]);
        assert_eq!(figures(&found, Key::Connections), [Some(6.0), Some(6.0)]);
        assert!(found.comparisons.is_empty());
        assert_eq!(audit(&format!("{write}{write}")).comparisons.len(), 1);
    }
}

/// Its clock has steps of one second.
#[test]
fn a_duration_below_the_step_of_the_clock_follows_from_the_rate() {
    let found = audit(&cassandra("WRITE", 60_000, "").replace("00:00:03", "00:00:00"));
    assert_eq!(found.runs[0].duration().map(|at| at.value), Some(0.5));
    assert_eq!(weight(&found, "hidden_stall"), None);
    assert_eq!(weight(&found, "too_short"), Some(Weight::Caution));
}

const QUIET: &str = "\
PING_INLINE: 60000.00 requests per second
SET: 50000.00 requests per second
GET: 55000.00 requests per second
";

#[test]
fn a_command_of_redis_benchmark_counts_for_all_of_its_tests() {
    let command = "$ redis-benchmark -h 10.0.0.7 -P 6379 -n 500 -c 10 -P 4 -q -t ping,set,get";
    let found = audit(&format!("{command}\n{QUIET}"));
    assert_eq!(figures(&found, Key::Connections), [Some(10.0); 3]);
    assert_eq!(figures(&found, Key::Pipeline), [Some(4.0); 3], "the last of two");
    assert_eq!(runs_of(&found, "few_per_connection"), [0, 1, 2]);
    assert_eq!(runs_of(&found, "single_key"), [1, 2], "PING has no key");
    // The second printout has no command of its own.
    let found = audit(&format!("{command}\n{QUIET}{QUIET}"));
    let connections = figures(&found, Key::Connections);
    assert_eq!(connections, [[Some(10.0); 3], [None; 3]].concat());
}

#[test]
fn an_option_of_another_tool_is_not_a_script() {
    let memtier = include_str!("data/memtier-sound.txt");
    let slow = memtier.replace(" 0.46751 ", " 99.46751 ");
    for (command, weight_of) in [
        ("$ memtier_benchmark -s 10.0.0.7 -c 2 -t 2", Some(Weight::Void)),
        ("$ memtier_benchmark -s 10.0.0.7 -c 2 -t 2 --pipeline=900000", None),
    ] {
        let text = format!("{command}\n{slow}");
        let found = audit(&text);
        assert_eq!(weight(&found, "littles_law"), weight_of, "{text}");
    }
}

#[test]
fn a_line_of_siege_is_no_heading_and_no_bytes_are_empty_replies() {
    let siege = include_str!("layouts/siege-a.txt");
    let found = audit(&siege.replace("Lifting the", "# Lifting the"));
    assert!(found.runs.iter().all(|run| run.heading.is_none()));
    let empty = siege.replace("82.40 MB", "0.00 MB");
    assert_eq!(weight(&audit(&empty), "empty_reply"), Some(Weight::Void));
    let few = empty.replace("412000", "412").replace("20600.00", "20.60");
    assert_eq!(weight(&audit(&few), "empty_reply"), None, "412 short replies round to 0.00 MB");
    let json = include_str!("layouts/siege-json-a.txt").replace("82.40", "0.00");
    assert_eq!(weight(&audit(&json), "empty_reply"), Some(Weight::Void), "{json}");
}

#[test]
fn a_bold_line_between_two_printouts_is_a_heading() {
    let with = |name: &str| format!("**{name}**\n\n```\n{QUIET}```\n\n");
    let found = audit(&(with("Over TCP") + &with("Over a socket")));
    let headings: Vec<_> = found.runs.iter().filter_map(|run| run.heading.as_ref()).collect();
    let names: Vec<&str> = headings.iter().map(|at| at.value.as_str()).collect();
    assert_eq!(names, [["Over TCP"; 3], ["Over a socket"; 3]].concat());
}

/// A summary may stand without its banner, and an author may write a remark behind it.
#[test]
fn a_summary_of_redis_benchmark_alone_is_a_run() {
    let command = "redis-benchmark -t set -n 400000 -c 25";
    for (rate, remark) in
        [("80000.00", "  ##as of May"), ("80000.00", ", which is enough"), ("80000.00", "")]
    {
        let text = format!(
            "{command}\n...\nSummary:\n  throughput summary: {rate} requests per second{remark}\n  \
             latency summary (msec):\n          avg       min       p50       p95       p99       \
             max\n        0.211     0.032     0.207     0.311     0.415     2.199\n"
        );
        let found = audit(&text);
        let keys = [Key::Rate, Key::Connections, Key::Operations, Key::Percentile(990_000)];
        let all = keys.map(|key| figure(&found, 0, key));
        assert_eq!(all, [Some(80_000.0), Some(25.0), Some(400_000.0), Some(0.000415)], "{text}");
    }
    let older = "  20000 requests completed in 0.25 seconds\n  40 parallel clients\n  3 bytes payload\n  \
                 keep alive: 1\n\n99.50% <= 1 milliseconds\n80000.00 requests per second\n";
    let found = audit(&format!("{older}\nAnd once more:\n\n{older}"));
    assert_eq!(figures(&found, Key::Duration), [Some(0.25); 2]);
    assert_eq!(figures(&found, Key::Connections), [Some(40.0); 2]);
    let prose = audit("All 20000 requests completed in less than 3 seconds.\n");
    assert!(prose.runs.is_empty());
}

#[test]
fn a_rate_that_was_rounded_to_0_is_operations_by_duration() {
    let line = |count: u32, rate: &str| {
        format!(
            "summary = {count:>6} in 00:05:00 = {rate:>6}/s Avg: 31000 Min:  2000 Max: 90000 Err:     0 (0.00%)\n"
        )
    };
    let found = audit(&line(9, "0.0"));
    assert_eq!(
        (figure(&found, 0, Key::Rate), weight(&found, "nothing_executed")),
        (Some(0.03), None)
    );
    let siege =
        include_str!("layouts/siege-a.txt").replace("412000", "4").replace("20600.00", "0.00");
    assert_eq!(
        weight(&audit(&siege.replace("20.00 secs", "900.00 secs")), "nothing_executed"),
        None
    );
    let none = audit(&line(0, "0.0"));
    assert_eq!(weight(&none, "nothing_executed"), Some(Weight::Void));
    // The two contradict each other.
    let wrong = audit(&line(9000, "0.0"));
    assert_eq!(weight(&wrong, "nothing_executed"), Some(Weight::Void));
}

#[test]
fn the_first_lines_of_jmeter_begin_a_run() {
    let run = |count: u32| {
        format!(
            "$ jmeter -n -t plan.jmx\nWARNING: a package is missing\nCreating summariser <summary>\nCreated \
             the tree successfully using plan.jmx\nStarting standalone test @ 2026 Nov 3 10:00:00\nWaiting for \
             possible messages on port 4445\nWARNING: one\nWARNING: two\nWARNING: three\nsummary = {count:>6} \
             in 00:00:20 = {:>8.1}/s Avg:     9 Min:     1 Max:    80 Err:     0 (0.00%)\nTidying up ...\n",
            f64::from(count) / 20.0
        )
    };
    let found = audit(&format!("## Before\n{}\n## After\n{}", run(20_000), run(24_000)));
    assert_eq!(figures(&found, Key::Operations), [Some(20_000.0), Some(24_000.0)]);
    let names: Vec<&str> = found.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["Before", "After"]);
    assert!(found.runs.iter().all(|run| run.text(Label::Command).is_some()));
}

#[test]
fn a_requested_rate_of_0_is_none() {
    let found =
        audit(&FORTIO.replace("400 queries", "0 queries").replace("at 400 qps", "at 0 qps"));
    assert_eq!(figure(&found, 0, Key::AskedRate), None);
    assert_eq!(weight(&found, "closed_loop_rate"), None);
    assert_eq!(figure(&audit(FORTIO), 0, Key::AskedRate), Some(400.0));
    let hey = include_str!("data/hey-sound.txt");
    let found = audit(&format!("$ hey -q 0 -c 20 http://127.0.0.1:18190/\n{hey}"));
    assert_eq!(figure(&found, 0, Key::AskedRate), None);
}

#[test]
fn fortio_without_http_shows_its_load_in_other_lines() {
    let text = "\
Fortio dev running at 0 queries per second, 4->4 procs, for 20s: tcp://10.0.0.7:7000
Aggregated Function Time : count 400000 avg 0.0025 +/- 0.0011 min 0.0011 max 0.0193 sum 1000
# target 99% 0.0071
Sockets used: 52 (for perfect no error run, would be 50)
tcp OK : 400000 (100.0 %)
All done 400000 calls (plus 50 warmup) 2.500 ms avg, 20000.0 qps
";
    let found = audit(text);
    let keys = [Key::AskedDuration, Key::Connections, Key::Rate];
    assert_eq!(keys.map(|key| figure(&found, 0, key)), [Some(20.0), Some(50.0), Some(20_000.0)]);
    assert_eq!(found.groups[0].name, "tcp://10.0.0.7:7000");
}

#[test]
fn markdown_may_have_taken_the_stars_of_siege() {
    let siege = include_str!("layouts/siege-a.txt");
    let lines = siege.lines().skip_while(|line| !line.contains("Transactions"));
    let list: String = lines.map(|line| format!("- {line}\n")).collect();
    let run = format!(
        "** SIEGE 2.70\n** Preparing 30 concurrent users for battle.\nThe server is now under siege...\n{list}"
    );
    let found =
        audit(&format!("$ siege -c30 -t1M http://10.0.0.7/\n\n{run}\n\nOnce more\n\n{run}"));
    assert_eq!(figures(&found, Key::Connections), [Some(30.0); 2]);
    assert_eq!(found.groups[0].name, "http://10.0.0.7/");
}

#[test]
fn a_table_of_locust_behind_one_that_was_cut_off_is_another_run() {
    let row =
        |count: u32, rate: &str| format!(" GET /a  {count}  3(0.10%)  50  34  97  |  45  {rate}\n");
    let total = "----------\n Total  90  0(0.00%)   0.45\n";
    let found = audit(&format!(
        "{HEAD}{}{}{HEAD}{}{total}",
        row(3000, "9.00"),
        row(1000, "3.00"),
        row(90, "0.45")
    ));
    assert_eq!(figures(&found, Key::Operations), [Some(4000.0), Some(90.0)]);
    assert_eq!(figures(&found, Key::Rate), [Some(12.0), Some(0.45)]);
}

#[test]
fn hyperfine_shows_its_runs_in_several_ways() {
    let text = "Benchmark 1: a\n* Time (mean ± σ): 12.1 ms ± 1.8 ms \\[User: 5.7 ms, System: 11.7 ms]\n\
                * Range (min … max): 10.7 ms … 24.8 ms (120 runs)\n";
    assert_eq!(figure(&audit(text), 0, Key::Operations), Some(120.0));
    let rest = text.replacen("1: a", "1: a                 0", 1);
    assert_eq!(audit(&rest).groups[0].name, "a");
    let single = |name: &str, time: &str| {
        format!(
            "Benchmark 1: {name}\n  Time (abs ≡):         {time} ms               [User: 5.8 ms, System: 6.6 ms]\n \n"
        )
    };
    let found = audit(&(single("a", "64.6") + &single("b", "70.1")));
    assert_eq!(figures(&found, Key::Operations), [Some(1.0); 2]);
    assert_eq!(figures(&found, Key::Mean), [Some(0.0646), Some(0.0701)]);
    assert_eq!(weight(&found, "cut_short"), None);
    assert_eq!(weight(&found, "no_repetition"), Some(Weight::Caution));
}

/// With pipelining it sends all of a pipeline again after an error.
#[test]
fn requests_of_autocannon_with_errors_are_those_that_it_sent() {
    let text = AUTOCANNON
        .replace("20 connections", "20 connections with 10 pipelining factor")
        .replace("4.1     2.1 ", "9000    2.1 ");
    let text = text.replace("31\n", "9900\n");
    for (errors, weight_of) in [("400 errors", None), ("0 errors", Some(Weight::Void))] {
        let found = audit(&text.replace("40k errors", errors));
        assert_eq!(weight(&found, "littles_law"), weight_of, "{errors}");
        assert_eq!(weight(&found, "sums_differ"), weight_of, "{errors}");
    }
}

#[test]
fn quoted_lines_about_the_load_are_no_run() {
    let quoted = "Running 10s test @ http://10.0.0.7:3000/items\n20 connections\n";
    let found = audit(&format!("{AUTOCANNON}\nThese lines are the load:\n\n```\n{quoted}```\n"));
    assert_eq!(found.runs.len(), 1);
    // Alone, or with another load, they are a run that was cut off.
    assert_eq!(audit(quoted).runs.len(), 1);
    let other = quoted.replace("20 conn", "40 conn");
    assert_eq!(audit(&format!("{AUTOCANNON}\n\n{other}")).runs.len(), 2);
}

fn pgbench(operations: u32, with: f64, without: f64) -> String {
    format!(
        "starting vacuum...end.\ntransaction type: <builtin: TPC-B (sort of)>\nscaling factor: 50\nquery mode: \
         simple\nnumber of clients: 5\nnumber of threads: 1\nduration: 60 s\nnumber of transactions actually \
         processed: {operations}\nlatency average = 25.0 ms\ntps = {with:.6} (including connections \
         establishing)\ntps = {without:.6} (excluding connections establishing)\n"
    )
}

#[test]
fn the_command_tells_which_rate_of_pgbench_counts() {
    let (text, inside) = (pgbench(12_000, 200.0, 205.0), Some(Weight::Caution));
    for (command, rate, weight_of) in [
        ("$ pgbench -C -c 5 -T 60 shop", 200.0, inside),
        ("$ pgbench --connect -c 5 -T 60 shop", 200.0, inside),
        ("", 200.0, None),
    ] {
        let found = audit(&format!("{command}\n{text}"));
        assert_eq!(figure(&found, 0, Key::Rate), Some(rate), "{command}");
        assert_eq!(weight(&found, "connect_inside"), weight_of, "{command}");
    }
    let found = audit(&format!("$ pgbench -C -c 5 -T 60 shop\n{text}"));
    let connect = figure(&found, 0, Key::ConnectMean).expect("a time to connect");
    assert!((connect - 5.0 * (1.0 / 200.0 - 1.0 / 205.0)).abs() < 1e-9, "{connect}");
    let found = audit(&pgbench(12_300, 200.0, 205.0));
    assert_eq!(figure(&found, 0, Key::Rate), Some(205.0));
}

#[test]
fn equal_commands_of_pgbench_are_repetitions() {
    let call = "root@0a1b:/# pgbench -C -c 5 -T 60 shop\n";
    let session: String =
        (0..3).map(|at| call.to_owned() + &pgbench(12_000 + at, 200.0, 205.0)).collect();
    let groups = |text: &str| audit(text).groups.iter().map(|of| of.runs.len()).collect::<Vec<_>>();
    for above in ["", "## shop\n\nThis is the session.\n\n"] {
        assert_eq!(groups(&format!("{above}```\n{session}```\n")), [3], "{above}");
    }
    // Prose may name another contender, and so may another command.
    let hey = include_str!("data/hey-sound.txt");
    for label in ["Go", "Rust", "With C++:"] {
        assert_eq!(
            groups(&format!("## all\n{label}\n```\n{hey}```\n{label}\n```\n{hey}```\n")),
            [1, 1]
        );
        assert_eq!(groups(&format!("## all\n```\n{label}\n{hey}\n{label}\n{hey}```\n")), [1, 1]);
    }
    assert_eq!(groups(&format!("## nginx\n```\n{hey}\n{hey}```\n```\n{hey}```\n")), [3]);
    let below = "```\n".to_owned() + &pgbench(12_000, 200.0, 205.0) + "```\n";
    let prose = format!("## shop\n{below}With one index:\n{below}With two:\n{below}");
    assert_eq!(groups(&prose), [1, 1, 1]);
    assert_eq!(weight(&audit(&prose), "contenders_unnamed"), Some(Weight::Note));
    assert_eq!(
        groups(&format!("## shop\n```\n{session}```\nAfter the change\n```\n{session}```\n")),
        [3, 3]
    );
    assert_eq!(
        groups(&format!("```\n{session}{}```\n", session.replace("60 shop", "60 store"))),
        [3, 3]
    );
}

#[test]
fn one_row_of_memtier_is_the_total() {
    let head = "Type         Ops/sec     Hits/sec   Misses/sec    Avg. Latency     p50 Latency     p99 Latency       KB/sec\n";
    let row = |kind: &str, rate: &str, time: &str| {
        format!(
            "{kind}      {rate}          ---          ---         {time}         0.37500         0.68700    4000.00\n"
        )
    };
    let command =
        "`memtier_benchmark -s 10.0.0.7 --ratio 1:0 -t 6 -c 20 -n 5000`\n\nIt ended so:\n\n";
    let found = audit(&format!("{command}```\n{head}{}```\n", row("Sets", "300000.00", "0.39000")));
    let keys = [Key::Rate, Key::Mean, Key::Percentile(990_000)];
    assert_eq!(
        keys.map(|key| figure(&found, 0, key)),
        [Some(300_000.0), Some(0.00039), Some(0.000687)]
    );
    let run = &found.runs[0];
    assert_eq!(run.connections().map(|at| at.value), Some(120.0));
    assert_eq!(run.operations().map(|at| at.value), Some(600_000.0));
    // An unused kind has no times, and two kinds have no common ones.
    let (get, end) = (row("Gets", "9000.00", "0.39000"), "That is all of it.\n");
    let unused = audit(&format!("{head}{}{get}{end}", row("Sets", "0.00", "0.00000")));
    assert_eq!(figure(&unused, 0, Key::Mean), Some(0.00039));
    let both = audit(&format!("{head}{}{get}{end}", row("Sets", "1000.00", "0.50000")));
    assert_eq!(keys.map(|key| figure(&both, 0, key)), [Some(10_000.0), None, None]);
    // Rows may be missing at the end of a file.
    assert_eq!(figure(&audit(&format!("{head}{get}")), 0, Key::Mean), None);
}

#[test]
fn sysbench_1_1_prints_the_duration_under_another_name() {
    let sysbench = include_str!("data/sysbench-sound.txt");
    let of = audit(sysbench);
    let rate = figure(&of, 0, Key::Rate).expect("a rate");
    let newer = sysbench
        .replace("General statistics:", &format!("Throughput:\n    events/s (eps):   {rate}"))
        .replace("total time:", "time elapsed:");
    let found = audit(&newer);
    assert_eq!(figures(&found, Key::Duration), figures(&of, Key::Duration), "{newer}");
    assert_eq!(figures(&found, Key::Rate), [Some(rate)]);
    let alone = without(&newer, "transactions:");
    assert_eq!(figure(&audit(&alone), 0, Key::Rate), Some(rate));
}

#[test]
fn wrk2_counts_its_samples_without_a_list_of_percentiles() {
    let text = "\
Running 20s test @ http://10.0.0.7:8080/
  2 threads and 30 connections
  Thread calibration: mean lat.: 0.489ms, rate sampling interval: 10ms
  Thread Stats   Avg      Stdev     99%   +/- Stdev
    Latency     0.91ms  192.65us   4.04ms   74.72%
    Req/Sec     1.05k    86.32     1.22k    82.25%
#[Mean    =        0.910, StdDeviation   =        0.721]
#[Max     =        8.448, Total count    =        20100]
#[Buckets =           27, SubBuckets     =         2048]
----------------------------------------------------------
  40200 requests in 20.00s, 9.37MB read
Requests/sec:   2010.00
Transfer/sec:    479.74KB
";
    let found = audit(text);
    let keys = [Key::Samples, Key::Max, Key::Percentile(990_000)];
    assert_eq!(
        keys.map(|key| figure(&found, 0, key)),
        [Some(20_100.0), Some(0.008448), Some(0.00404)]
    );
    assert_eq!(weight(&found, "broken_off"), Some(Weight::Caution));
}

/// The command of one `-q` counts for each repetition that an author numbered.
#[test]
fn a_command_of_redis_benchmark_counts_for_numbered_repetitions() {
    let command = "command: redis-benchmark -t ping,set,get -c 20 -q\n```\nREAD_DEADLINE = 60\nMOST_CLIENTS = 900\nMOST_BYTES = 1000\n```\n";
    for label in ["iteration2:", "Run 2", "2nd run"] {
        let found = audit(&format!("## baseline\n{command}Run 1\n{QUIET}{label}\n{QUIET}"));
        assert_eq!(figures(&found, Key::Connections), [Some(20.0); 6], "{label}");
        assert_eq!(found.groups.len(), 3, "{label}: {:?}", found.groups);
        assert_eq!(weight(&found, "not_interleaved"), None, "different kinds are not compared");
    }
    let found = audit(&format!("{command}{QUIET}Redis 6:\n{QUIET}"));
    assert_eq!(figures(&found, Key::Connections)[3..], [None; 3]);
}

/// An author may quote no more than these lines.
#[test]
fn lines_with_the_rate_alone_are_a_run() {
    for (text, tool, rate) in [
        (
            "tps = 820.5 (including connections establishing)\ntps = 821.0 (excluding connections \
          establishing)\n",
            "pgbench",
            821.0,
        ),
        ("tps = 820.5 (without initial connection time)\n", "pgbench", 820.5),
        ("transactions:                        6000   (100.00 per sec.)\n", "sysbench", 100.0),
        ("  Reqs/sec      7300.00     510.20    9100.00\n", "bombardier", 7300.0),
        (
            "Stat         Avg     Stdev     Max\nReq/Sec      100     4.2       120\n",
            "autocannon",
            100.0,
        ),
        ("\"SET\",\"34000.50\"\n", "redis-benchmark", 34000.5),
        ("  throughput summary: 9000.00 requests per second <- good\n", "redis-benchmark", 9000.0),
    ] {
        for times in 1..3 {
            let found = audit(&text.repeat(times));
            assert!(found.runs.iter().all(|run| run.tool.name == tool), "{text}");
            assert_eq!(figures(&found, Key::Rate), vec![Some(rate); times], "{text}");
        }
    }
}

/// The first line of all may be missing, and the load is in the second one.
#[test]
fn a_line_with_the_load_begins_a_run() {
    let siege = include_str!("layouts/siege-a.txt");
    let sysbench = include_str!("data/sysbench-sound.txt");
    for (text, first) in
        [(FORTIO, "Starting at"), (siege, "** Preparing"), (sysbench, "Running the test with")]
    {
        let connections = figure(&audit(text), 0, Key::Connections);
        let lines = text.lines().skip_while(|line| !line.starts_with(first));
        let cut: String = lines.map(|line| format!("{line}\n")).collect();
        assert!(connections.is_some() && !cut.is_empty(), "{first}");
        assert_eq!(figures(&audit(&cut), Key::Connections), [connections], "{cut}");
        assert_eq!(figures(&audit(&cut.repeat(2)), Key::Connections), [connections; 2], "{cut}");
    }
}

fn each(text: &str, prefix: &str) -> String {
    text.lines().map(|line| format!("{prefix}{line}\n")).collect()
}

/// A text without the lines that contain some words.
fn without(text: &str, words: &str) -> String {
    text.lines().filter(|line| !line.contains(words)).map(|line| format!("{line}\n")).collect()
}
