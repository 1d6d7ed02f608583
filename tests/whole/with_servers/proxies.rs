//! What CPU time and memory of a proxy include: nginx in front of another nginx.

use super::requests::contender;
use crate::common::{TestDirectory, stdout};
use crate::web::nginx_with;
use serde_json::{Value, json};
use std::fs;

/// The warm-up, in which the looks come, is longer than a look lasts, also on a busy machine.
const SHORT: [&str; 10] = [
    "--rounds",
    "8",
    "--round",
    "50ms",
    "--slice",
    "25ms",
    "--pilot",
    "100ms",
    "--warm-up",
    "800ms",
];

#[test]
fn what_is_behind_a_proxy_is_named_unless_it_is_included() {
    let (directory, [behind, before]) =
        (TestDirectory::new(), [(); 2].map(|()| TestDirectory::new()));
    let server = nginx_with(&behind, "");
    // The proxy keeps its connections. Those of one request may be over before they are seen.
    let pass = format!(
        "location / {{ proxy_pass http://behind; proxy_http_version 1.1; \
         proxy_set_header Connection ''; }} }} \
         upstream behind {{ server 127.0.0.1:{}; keepalive 8;",
        server.port
    );
    let proxy = nginx_with(&before, &pass);
    let [direct, through] = [("direct", server.port), ("through", proxy.port)]
        .map(|(name, port)| format!("{name}=http://127.0.0.1:{port}/index.html"));
    let words = [&["compare", &direct, &through, "--out", "run", "--connections", "8"], &SHORT[..]]
        .concat();
    let (code, report) = directory.report(&words);
    assert_ne!(code, 2);
    let not_included =
        |report: &Value, name: &str| contender(report, name)["target_cost"]["not_included"].clone();
    let is_behind = format!("nginx (127.0.0.1:{})", server.port);
    assert_eq!(not_included(&report, "through"), json!([is_behind]));
    assert_eq!(not_included(&report, "direct"), Value::Null);
    let sentence = format!("through: CPU and memory do not include {is_behind}");
    let short = stdout(&directory.tiebreak(&["report", "run"]));
    assert!(short.contains(&format!("cost     {sentence}")), "{short}");
    let sentence = &sentence["through: ".len()..];
    for form in ["--verbose", "--markdown"] {
        let text = stdout(&directory.tiebreak(&["report", "run", form]));
        assert!(text.contains(sentence), "{form}: {text}");
    }
    assert!(directory.text("run/report.html").contains(sentence));

    // Both are named, so both are measured.
    let pids = [&before, &behind].map(|of| of.text("pid").trim().to_owned());
    let set = format!("through.pid={}", pids.join(","));
    let words =
        [&["compare", &direct, &through, "--set", &set, "--connections", "8"], &SHORT[..]].concat();
    let (_, report) = directory.report(&words);
    assert_eq!(not_included(&report, "through"), Value::Null);
    let shared = &contender(&report, "through")["target_cost"]["shares_process_with"];
    assert_eq!(*shared, json!(["direct"]));

    let file = format!(
        "[contender.direct]\nurl = 'http://127.0.0.1:{}/'\npid = [{}]\n\
         [contender.through]\nurl = 'http://127.0.0.1:{}/'\nprocess = ['nginx', 'no-such']\n",
        server.port, pids[1], proxy.port
    );
    fs::write(directory.file("e.toml"), file).expect("writes");
    let checked = stdout(&directory.tiebreak(&["check", "e.toml"]));
    assert!(checked.contains(&format!("process nginx {} on cores", pids[1])), "{checked}");
    assert!(checked.contains("several processes are called `nginx`"), "{checked}");
}
