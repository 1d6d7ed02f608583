//! User-defined operations through the binary: a server receives what the file says, each name
//! has its latencies, and private content is in no file of the run.

use crate::common::{TestDirectory, errors};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a web server received: heads and bodies.
type Received = Arc<Mutex<Vec<(String, String)>>>;

/// Answers every request in a millisecond, and records it.
fn web_server() -> (SocketAddr, Received) {
    let received = Received::default();
    let all = received.clone();
    (protocol::testing::serve(move |stream| _ = serve(stream, &all)), received)
}

/// Ends with the connection.
fn serve(stream: TcpStream, received: &Mutex<Vec<(String, String)>>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut writer = stream;
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).ok()? == 0 {
                return None;
            }
        }
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
        let mut body = vec![0; length.map_or(0, |length| length.parse().expect("a number"))];
        reader.read_exact(&mut body).ok()?;
        received.lock().ok()?.push((head, String::from_utf8(body).expect("UTF-8")));
        std::thread::sleep(Duration::from_millis(1));
        writer.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").ok()?;
    }
}

/// The operations of the first contender by name, with how many there were.
fn by_name(report: &Value) -> Vec<(String, u64)> {
    let kinds = report["contenders"][0]["kinds"].as_array().expect("kinds").iter();
    let kind = |of: &Value| {
        (
            of["operation"].as_str().expect("a name").to_owned(),
            of["operations"].as_u64().unwrap_or(0),
        )
    };
    kinds.map(kind).collect()
}

/// Checks that no file of the run contains this.
fn is_nowhere(directory: &TestDirectory, text: &str) {
    let run = directory.file("run");
    let files = std::fs::read_dir(&run).expect("a run").flatten();
    let files = files.filter(|file| file.path().is_file());
    for file in files {
        let bytes = std::fs::read(file.path()).expect("a file");
        let found = String::from_utf8_lossy(&bytes).contains(text);
        assert!(!found, "{text} is in {}", file.path().display());
    }
}

#[test]
fn a_web_server_receives_the_requests_of_the_file() {
    let (address, received) = web_server();
    let directory = TestDirectory::new();
    std::fs::write(directory.file("u.csv"), "name,mail\n\"Ann, B\",secret-a\nÜ,secret-b\n")
        .expect("a file");
    let text = format!(
        "contender.a.url = 'http://{address}/'\n[workload.feeds]\nu = 'u.csv'\n\
         [[workload.requests]]\nname = 'look'\nweight = 3\npath = '/of/{{u.name}}'\n\
         query = {{ n = '{{number}}' }}\nheaders = {{ X-Token = '${{TOKEN}}' }}\n\
         [[workload.requests]]\nname = 'order'\npath = '/order'\n\
         body = '{{\"mail\":\"{{u.mail}}\",\"id\":{{id}}}}'\n\
         parameters = {{ id = 'uniform(5, 700)' }}\n"
    );
    std::fs::write(directory.file("e.toml"), text).expect("a file");
    let run = directory.file("run").display().to_string();
    let words = ["run", "e.toml", "-n", "400", "--connections", "2", "--cores", "1", "--out", &run];
    let mut command = directory.command(&[&words[..], &["--json", "-", "--quiet"]].concat());
    let output = command.env("TOKEN", "CANARY-7").output().expect("it runs");
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("no report: {}", errors(&output)));
    let names = by_name(&report);
    let [(look, looks), (order, orders)] = &names[..] else { panic!("{names:?}") };
    assert_eq!((look.as_str(), order.as_str(), looks + orders), ("look", "order", 400));
    assert!(*looks > 2 * orders && *orders > 50, "{names:?}");
    let received = received.lock().expect("no thread panicked");
    let all =
        |of: &str| received.iter().filter(|(head, _)| head.starts_with(of)).collect::<Vec<_>>();
    // This includes the warm-up.
    assert!(all("GET /of/").len() as u64 >= *looks && all("POST /order ").len() as u64 >= *orders);
    for (head, body) in all("GET /of/") {
        let line = head.lines().next().expect("a line");
        let number: u64 = line[line.find("?n=").expect(line) + 3..]
            .split(' ')
            .next()
            .and_then(|n| n.parse().ok())
            .expect(line);
        let name = ["Ann%2C%20B", "%C3%9C"][number as usize % 2];
        assert_eq!(line, format!("GET /of/{name}?n={number} HTTP/1.1"));
        assert!(head.contains("\r\nX-Token: CANARY-7\r\n") && body.is_empty(), "{head}");
    }
    for (head, body) in all("POST /order ") {
        let body: Value = serde_json::from_str(body).expect("JSON");
        assert!(["secret-a", "secret-b"].contains(&body["mail"].as_str().expect("a text")));
        assert!((5..=700).contains(&body["id"].as_u64().expect("a number")), "{body}");
        assert!(!head.contains("X-Token"), "{head}");
    }
    for private in ["CANARY-7", "secret-a", "Ann, B"] {
        is_nowhere(&directory, private);
    }
}

const SHORT: [&str; 12] = [
    "compare",
    "e.toml",
    "--round",
    "100ms",
    "--slice",
    "25ms",
    "--pilot",
    "100ms",
    "--warm-up",
    "50ms",
    "--connections",
    "4",
];

/// Writes an experiment that compares this server with itself on three requests, with this line in
/// `[workload]`.
fn write_requests(directory: &TestDirectory, address: SocketAddr, workload: &str) {
    let request = |name: &str| {
        format!("[[workload.requests]]\nname = '{name}'\npath = '/{name}/{{number}}'\n")
    };
    let text = format!(
        "[workload]\n{workload}\n{}[contender.a]\nurl = 'http://{address}/'\n[contender.b]\nurl = \
         'http://{address}/?b'\n",
        ["home", "search", "order"].map(request).concat()
    );
    std::fs::write(directory.file("e.toml"), text).expect("a file");
}

fn text<'a>(of: &'a Value, key: &str) -> &'a str {
    of[key].as_str().unwrap_or_default()
}

#[test]
fn each_request_is_also_driven_alone_and_compared() {
    let (address, received) = web_server();
    let directory = TestDirectory::new();
    write_requests(&directory, address, "");
    let (code, report) = directory.report(&SHORT);
    assert!(code <= 1, "{report:#}");
    let comparisons = report["comparisons"].as_array().expect("a list");
    let of_requests: Vec<&Value> =
        comparisons.iter().filter(|of| of["request"].is_string()).collect();
    let names: Vec<&str> = of_requests.iter().map(|of| text(of, "request")).collect();
    assert_eq!(names, ["home", "search", "order"]);
    for of in &of_requests {
        assert_eq!((text(of, "metric"), of["primary"].as_bool()), ("throughput", Some(false)));
        // 5 % over three comparisons, which eleven launches or rounds can decide.
        let confidence = of["confidence"].as_f64().expect("a level");
        assert!((confidence - (1.0 - 0.05 / 3.0)).abs() < 1e-9, "{confidence}");
        assert!(of["low"].is_number() && of["replicates"] == 10, "{of:#}");
    }
    let received = received.lock().expect("no thread panicked");
    let heads = |path: &str| received.iter().filter(|(head, _)| head.contains(path)).count() as u64;
    let mut driven = 0;
    for contender in report["contenders"].as_array().expect("a list") {
        let alone = contender["requests"].as_array().expect("a list");
        let sum = alone.iter().map(|of| of["operations"].as_u64().expect("a number")).sum::<u64>();
        let mix = contender["operations"].as_u64().expect("a number");
        assert!(alone.iter().all(|of| of["operations"].as_u64() > Some(0)), "{alone:?}");
        let sent = contender["sent"]["operations"].as_u64().expect("a number");
        assert!(sent >= mix + sum, "{sent} sent, {mix} and {sum} judged");
        driven += sent;
    }
    assert!(heads("/home/") + heads("/search/") + heads("/order/") >= driven);
    assert_eq!(heads("GET /?b"), heads("GET / "), "only whether they are ready");
}

#[test]
fn by_request_can_be_turned_off_and_a_rate_does_so() {
    let (address, _) = web_server();
    let directory = TestDirectory::new();
    for (workload, more) in [("by_request = false", &[][..]), ("", &["--rate", "500"])] {
        write_requests(&directory, address, workload);
        let (code, report) = directory.report(&[&SHORT[..], more].concat());
        assert!(code <= 1, "{report:#}");
        assert_eq!(report["plan"]["question"]["requests"], serde_json::json!([]));
        assert_eq!(report["contenders"][0]["requests"], serde_json::json!([]));
    }
    for (workload, more, why) in [
        ("", &["--rounds", "6"][..], "6 rounds cannot support 3 comparisons"),
        ("by_request = true", &["--rate", "500"], "by_request = true: with a rate"),
        (
            "",
            &["--require", "p99 of order <= 2x"],
            "this run does not judge p99 of order, only throughput",
        ),
        (
            "by_request = false",
            &["--require", "p99 of order <= 2x"],
            "no requests that are compared one by one: see [[groups]], and by_request",
        ),
    ] {
        write_requests(&directory, address, workload);
        let output = directory.tiebreak(&[&SHORT[..], more].concat());
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(errors(&output).contains(why), "{}", errors(&output));
    }
}

#[cfg(feature = "servers")]
#[test]
fn redis_is_given_the_commands_of_the_file() {
    let directory = TestDirectory::new();
    let contender = |name: &str| {
        format!(
            "[contender.{name}]\nurl = 'redis://127.0.0.1:{{port}}'\nlaunch = ['redis-server', \
             '--bind', '127.0.0.1', '--port', '{{port}}', '--dir', '{{temp}}', '--save', '']\n"
        )
    };
    let text = format!(
        "{}{}[workload]\nkeys = 50\n[[workload.statements]]\nname = 'score'\nweight = 2\n\
         command = 'ZADD board {{score}} {{key}}'\nparameters = {{ score = 'uniform(1, 9)' }}\n\
         [[workload.statements]]\ncommand = 'ZCARD board'\n",
        contender("a"),
        contender("b")
    );
    std::fs::write(directory.file("e.toml"), text).expect("a file");
    let (code, report) =
        directory.report(&[&["compare", "e.toml"][..], &crate::common::BRIEF].concat());
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let names = by_name(&report);
    let [(score, scores), (second, counts)] = &names[..] else { panic!("{names:?}") };
    assert_eq!((score.as_str(), second.as_str()), ("score", "statement 2"));
    let share = *scores as f64 / (scores + counts) as f64;
    assert!((share - 2.0 / 3.0).abs() < 0.05, "{names:?}");
    let outcomes = &report["contenders"][0]["outcomes"];
    assert_eq!(outcomes["ok"], report["contenders"][0]["operations"], "{outcomes}");
}

#[test]
fn what_a_contender_cannot_do_is_refused_by_name() {
    let directory = TestDirectory::new();
    for (url, words, message) in [
        (
            "redis://127.0.0.1:1/",
            "[[workload.statements]]\nsql = 'SELECT 1'",
            "`a` cannot run the workload: `statement 1` is an SQL statement, which requires a \
             database",
        ),
        (
            "memcached://127.0.0.1:1/",
            "[[workload.statements]]\ncommand = 'PING'",
            "`a` cannot run the workload: `statement 1` is a command, which requires redis://",
        ),
        (
            "redis://127.0.0.1:1/",
            "[[workload.requests]]\npath = '/'",
            "`a` cannot run the workload: `request 1` is a request, which requires http://",
        ),
        (
            "redis://127.0.0.1:1/",
            "[workload]\npreset = 'tpcb-like'",
            "`a` cannot run the workload: the table `branches` requires an SQL database",
        ),
        ("http://127.0.0.1:1/", "[workload]\nkeys = 5", "a workload requires stores"),
        (
            "http://127.0.0.1:1/",
            "defaults.method = 'HEAD'\n[[workload.requests]]\npath = '/'",
            "the requests of the workload define their own methods and bodies: leave out method",
        ),
    ] {
        let text = format!("contender.a.url = '{url}'\n{words}\n");
        std::fs::write(directory.file("e.toml"), text).expect("a file");
        let output = directory.tiebreak(&["run", "e.toml"]);
        assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
        assert!(errors(&output).contains(message), "{words}: {}", errors(&output));
    }
}
