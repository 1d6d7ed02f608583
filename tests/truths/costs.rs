//! Known truths about what targets cost: work at rest, and a generator that is
//! the slower part.

use crate::common::{TestDirectory, number, serve, url};
use crate::compared::in_words;
use crate::driver::{figure, truths};
use serde_json::Value;
use std::process::{Child, Command};
use std::time::Duration;
use testserver::{Behaviour, Deferred};

truths! {
    All: deferred_work_is_found_and_charged,
    Calibration: a_garbage_heavy_server_takes_turns_with_a_lean_one,
    Changed: a_costlier_server_is_not_called_equivalent_where_the_generator_is_slower,
}

/// Writes an experiment and compares it; gives exit code and report.
fn compare(directory: &TestDirectory, text: &str, more: &[&str]) -> (i32, Value) {
    let file = directory.file("experiment.toml");
    std::fs::write(&file, text).expect("a file");
    let mut arguments = vec!["compare", "experiment.toml", "--warm-up", "500ms"];
    arguments.extend(more);
    directory.report(&arguments)
}

/// The comparison of the two contenders by this metric.
fn comparison<'a>(report: &'a Value, metric: &str) -> &'a Value {
    let all = report["comparisons"].as_array().expect("comparisons");
    let found = all.iter().find(|comparison| comparison["metric"] == metric);
    found.unwrap_or_else(|| panic!("no comparison by {metric} in {all:#?}"))
}

fn weights<'a>(report: &'a Value, rule: &str) -> Vec<(&'a str, &'a str)> {
    let all = report["findings"].as_array().expect("findings").iter();
    let of_rule = all.filter(|finding| finding["rule"] == rule);
    let text = |finding: &'a Value, key: &str| finding[key].as_str().unwrap_or("");
    of_rule.map(|finding| (text(finding, "contender"), text(finding, "weight"))).collect()
}

/// The charged ratio is an approximation: its ln is within this of the truth.
const CHARGED_IS_OFF_BY: f64 = 0.025;

/// A ratio and its interval.
struct Ratio {
    ratio: f64,
    low: f64,
    high: f64,
}

impl Ratio {
    fn of(found: &Value) -> Ratio {
        let [ratio, low, high] = ["ratio", "low", "high"].map(|key| number(&found[key]));
        Ratio { ratio, low, high }
    }

    /// Both intervals have a value in common, or would if the charged ratio were
    /// moved by what METHOD says it may be off.
    fn agrees_with(&self, truth: &Ratio) -> bool {
        let off = CHARGED_IS_OFF_BY.exp();
        self.low <= truth.high * off && truth.low <= self.high * off
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{:.3} ({:.3} to {:.3})", self.ratio, self.low, self.high)
    }
}

/// In turns each contender pays for its own work: the truth to measure by. The
/// pilot must choose them by itself, and say why.
fn turns(directory: &TestDirectory, text: &str, restless: &str) -> Ratio {
    let (code, report) = compare(directory, text, &["--rounds", "6"]);
    assert_eq!(code, 0, "{report:#}");
    assert!(weights(&report, "carry_over").is_empty(), "{:#}", report["findings"]);
    let pilot = &report["plan"]["pilot"];
    assert_eq!(pilot["interleave"], "turns", "{pilot:#}");
    let why = pilot["why"].to_string();
    assert!(
        why.contains(&format!("`{restless}` used")) && why.contains("while it rested"),
        "{why}"
    );
    Ratio::of(comparison(&report, "throughput"))
}

/// In slices the bias is there (ln 0.19 of the test server and 0.35 of node were measured,
/// and the assertion wants the direction alone), the caution names the CPU at rest, and the
/// charged ratio agrees with the turns, which what was measured does not.
fn slices(directory: &TestDirectory, text: &str, restless: &str, truth: &Ratio) {
    let forced = ["--interleave", "slices", "--slice", "50ms", "--round", "500ms"];
    // The pilot has nothing left to choose.
    let (_, report) = compare(directory, text, &[&forced[..], &["--pilot", "200ms"]].concat());
    assert_eq!(weights(&report, "cpu_at_rest"), [(restless, "caution")]);
    let throughput = comparison(&report, "throughput");
    let (seen, charged) = (Ratio::of(throughput), Ratio::of(&throughput["charged"]));
    let message = format!("turns {truth}, slices {seen}, charged {charged}");
    figure(format!("{restless}: {message}"), format!("charged agrees within {CHARGED_IS_OFF_BY}"));
    assert!(charged.ratio < seen.ratio, "the restless one is charged: {message}");
    assert!(charged.agrees_with(truth), "{message}");
}

/// Each request's work, and what of it is put off and done for all requests of a while.
const WORK: Duration = Duration::from_micros(100);
const DEFERRED: Duration = Duration::from_micros(30);
const FLUSH_EVERY: Duration = Duration::from_millis(100);

/// How far the ln of the ratio in turns may be from ln(100 / 130). Where ln of a round scatters by 0.03
/// or less, the estimate of six rounds scatters by 0.0125 (the Hodges-Lehmann estimator by 1.023 times as
/// much as the mean), and 0.05 is four times that: a right tool fails 1 of 15 000 runs. At 0.06 it fails 5
/// of 100; such hours have stolen time, and the truth is tried again. The effect is five times the bound.
const MOST_OFF: f64 = 0.05;

fn deferred_work_is_found_and_charged() {
    let server = |more: &str| {
        format!(
            "launch = ['{}', 'testserver', '--listen', '127.0.0.1:{{port}}', '--by-cpu-clock', '--service', '{}us'{more}]\n",
            env!("CARGO_BIN_EXE_tiebreak"),
            WORK.as_micros()
        )
    };
    let (deferred, flush) = (DEFERRED.as_micros(), FLUSH_EVERY.as_millis());
    let deferring =
        server(&format!(", '--deferred', '{deferred}us', '--flush-every', '{flush}ms'"));
    let text = format!(
        "[defaults]\nconnections = 8\n[contender.plain]\n{}[contender.defers]\n{deferring}",
        server("")
    );
    let directory = TestDirectory::new();
    let truth = turns(&directory, &text, "defers");
    // Every request costs its own work and the deferred work.
    let planted = WORK.as_secs_f64() / (WORK + DEFERRED).as_secs_f64();
    let off = (truth.ratio / planted).ln();
    figure(format!("turns {truth}, ln off by {off:.3}"), format!("{planted:.3} within {MOST_OFF}"));
    assert!(off.abs() < MOST_OFF, "turns {truth} instead of {planted:.3}");
    slices(&TestDirectory::new(), &text, "defers", &truth);
    unseen_work_may_have_been_carried_over();
}

/// In slices the CPU time of servers that tiebreak did not launch is not seen. Then the report says that
/// the deferred work may have been missed.
fn unseen_work_may_have_been_carried_over() {
    let deferred = Some(Deferred { work: DEFERRED, flush_every: FLUSH_EVERY });
    let clean = serve(Behaviour { service: WORK, ..Behaviour::default() });
    let heavy = serve(Behaviour { service: WORK, deferred, ..Behaviour::default() });
    let addresses = [format!("clean={}", url(&clean)), format!("heavy={}", url(&heavy))];
    let mut words = vec!["compare", &addresses[0], &addresses[1], "--connections", "8"];
    words.extend([
        "--interleave",
        "slices",
        "--slice",
        "50ms",
        "--rounds",
        "6",
        "--round",
        "200ms",
    ]);
    words.extend(["--pilot", "200ms", "--warm-up", "200ms"]);
    let (_, report) = TestDirectory::new().report(&words);
    assert!(!weights(&report, "carry_over").is_empty(), "{:#}", report["findings"]);
}

/// A server of one page that makes so many rows of garbage for each request,
/// and keeps some of them for a while.
fn node(name: &str, rows: u32) -> String {
    format!(
        "[contender.{name}]\nlaunch = ['node', '{{temp}}/server.js', '{{port}}', '{rows}']\n\
         [contender.{name}.files]\n'server.js' = '''{NODE}'''\n"
    )
}

const NODE: &str = "
const [port, rows] = process.argv.slice(2).map(Number);
const page = 'x'.repeat(87);
const kept = new Array(1000).fill(null);
let next = 0;
require('http').createServer((request, response) => {
  const made = [];
  for (let i = 0; i < rows; i++) made.push({ id: i, name: 'row ' + i, tags: [i, i + 1] });
  kept[next++ % kept.length] = made;
  response.setHeader('Content-Length', page.length);
  response.end(page);
}).listen(port, '127.0.0.1');
";

/// The same truth as that of the test server's deferred work, for a server whose work nobody planned.
fn a_garbage_heavy_server_takes_turns_with_a_lean_one() {
    let text = format!("[defaults]\nconnections = 16\n{}{}", node("lean", 0), node("garbage", 500));
    let directory = TestDirectory::new();
    let truth = turns(&directory, &text, "garbage");
    slices(&TestDirectory::new(), &text, "garbage", &truth);
}

/// Keeps a core busy until it is dropped.
struct Neighbour(Child);

impl Neighbour {
    fn on(core: u32) -> Neighbour {
        let spin = ["-c", &core.to_string(), "sh", "-c", "while :; do :; done"];
        Neighbour(Command::new("taskset").args(spin).spawn().expect("taskset"))
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        self.0.kill().expect("it runs");
        self.0.wait().expect("it ends");
    }
}

/// nginx with so many regular expressions to try before it finds its page.
fn nginx(name: &str, expressions: u32) -> String {
    let location = |n: u32| format!("location ~ ^/(a|b)*z{n}$ {{ return 404; }}\n");
    let locations: String = (0..expressions).map(location).collect();
    format!(
        "[contender.{name}]\nurl = 'http://127.0.0.1:{{port}}/abababababababab'\n\
         launch = ['nginx', '-c', '{{temp}}/nginx.conf', '-e', 'stderr']\n\
         [contender.{name}.files]\n'nginx.conf' = '''
         daemon off; pid {{temp}}/nginx.pid; worker_processes 1; error_log stderr;
         events {{ worker_connections 1024; }}
         http {{
           access_log off; keepalive_requests 1000000000;
           client_body_temp_path {{temp}}/b; proxy_temp_path {{temp}}/p;
           fastcgi_temp_path {{temp}}/f; uwsgi_temp_path {{temp}}/u; scgi_temp_path {{temp}}/s;
           server {{
             listen 127.0.0.1:{{port}};
             {locations}
             location / {{ return 200 '{}'; }}
           }}
         }}'''\n",
        "x".repeat(87)
    )
}

/// No noise makes this test fail of a right tool: a busier machine hides more, and then the
/// comparison is undecided all the more. A busy neighbour on the generator's core makes the
/// generator the slower part. The two then read alike, and one costs a third more CPU.
fn a_costlier_server_is_not_called_equivalent_where_the_generator_is_slower() {
    let cores = tiebreak::system::cores::Facts::read().expect("the system tells its cores");
    let shared = tiebreak::system::cores::share_out(&cores, Some(1)).expect("a core");
    let _neighbour = Neighbour::on(shared.generator[0]);
    let text =
        format!("[defaults]\nconnections = 256\n{}{}", nginx("plain", 0), nginx("regexes", 60));
    let directory = TestDirectory::new();
    std::fs::write(directory.file("e.toml"), text).expect("a file");
    // A nicer generator gets a tenth of its core beside the neighbour. With so
    // many connections its turn on the core ends before it runs out of replies.
    let mut nicer = Command::new("nice");
    nicer.args(["-n", "10", env!("CARGO_BIN_EXE_tiebreak"), "compare", "e.toml", "--quiet"]);
    nicer.args(["--cores", "1", "--rounds", "8", "--matters", "50%", "--json", "report.json"]);
    nicer.args(["--interleave", "slices", "--slice", "100ms", "--round", "500ms"]);
    nicer.args(["--pilot", "200ms"]);
    let output = nicer.current_dir(directory.path()).output().expect("nice");
    assert_eq!(output.status.code(), Some(0), "{}", crate::common::errors(&output));
    let report = directory.json("report.json");
    let throughput = comparison(&report, "throughput");
    let Ratio { low, high, .. } = Ratio::of(throughput);
    let cost = number(&comparison(&report, "target_cpu_per_operation")["ratio"]);
    let message = format!("{}, CPU per operation {cost:.2}", in_words(throughput));
    figure(message, "undecided");
    assert!(cost > 1.1, "sixty expressions cost something: {cost}");
    // The interval alone would say so: it lies inside ± 50 %.
    assert!(low > 1.0 / 1.5 && high < 1.5, "{throughput:#}");
    assert_eq!(throughput["verdict"], "undecided", "{throughput:#}");
    let held = weights(&report, "generator_bottleneck");
    assert_eq!(held, [("plain", "caution"), ("regexes", "caution")]);
}
