//! Manual pages as their readers see them, through groff.

use crate::common::{TestDirectory, errors};
use std::io::Write;
use std::process::{Command, Stdio};

/// The page as a reader sees it.
fn rendered(page: &str) -> String {
    let mut groff = Command::new("groff")
        .args(["-Kutf8", "-man", "-Tutf8", "-ww", "-P-c", "-P-b", "-P-u", "-rLL=100n"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("groff (./test installs it)");
    groff.stdin.take().expect("piped").write_all(page.as_bytes()).expect("it reads");
    let output = groff.wait_with_output().expect("it ends");
    assert_eq!(
        (output.status.code(), errors(&output)),
        (Some(0), String::new()),
        "groff complains"
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn manual_pages_can_be_read() {
    let directory = TestDirectory::new();
    for (words, command) in [(&["man"][..], "tiebreak"), (&["man", "compare"], "tiebreak compare")]
    {
        let page = directory.tiebreak(words);
        assert_eq!((page.status.code(), errors(&page)), (Some(0), String::new()));
        let page = String::from_utf8(page.stdout).expect("UTF-8");
        let source = page.replace("\\-", "-");
        assert!(source.contains(".SH EXAMPLES\n.nf\ntiebreak "), "{source}");
        let example = "tiebreak compare old=http://127.0.0.1:8080/ new=http://127.0.0.1:8081/";
        assert!(source.contains(&format!("\n{example}\n")), "{source}");
        let text = rendered(&page);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert!(lines.contains(&"EXAMPLES") && lines.contains(&example), "{text}");
        assert!(text.contains(&format!("{command} ")), "{text}");
    }
}
