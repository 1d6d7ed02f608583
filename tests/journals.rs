//! Journals that the disk, or somebody, has spoilt.

mod common;

use common::{Place, errors, serve, url};
use std::fs;
use std::process::{Command, Output};
use tiebreak::testserver::Behaviour;

/// A short comparison of one server with itself, in the folder `run`.
fn finished() -> Place {
    let place = Place::new();
    let server = serve(Behaviour::default());
    let url = url(&server);
    let (a, b) = (format!("a={url}"), format!("b={url}"));
    let output = place.tiebreak(&[
        "compare",
        &a,
        &b,
        "--rounds",
        "6",
        "--round",
        "200ms",
        "--warm-up",
        "0s",
        "--quiet",
        "--connections",
        "4",
        "--out",
        "run",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    place
}

/// The journal's lines, spoilt, and what `report` says of it.
fn spoilt(place: &Place, spoil: impl FnOnce(&mut Vec<String>)) -> Output {
    let file = place.file("run/journal.jsonl");
    let whole = fs::read_to_string(&file).expect("a journal");
    let mut lines: Vec<String> = whole.lines().map(|line| format!("{line}\n")).collect();
    spoil(&mut lines);
    fs::create_dir_all(place.file("spoilt")).expect("a folder");
    fs::write(place.file("spoilt/journal.jsonl"), lines.concat()).expect("writes");
    place.tiebreak(&["report", "spoilt"])
}

#[test]
fn a_torn_last_line_is_dropped_and_named_and_the_rest_is_judged() {
    let place = finished();
    let output = spoilt(&place, |lines| {
        lines.pop();
        let last = lines.last_mut().expect("lines");
        last.truncate(last.len() / 2);
    });
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &errors(&output);
    assert!(said.contains("torn") && said.contains("interrupted"), "{said}");
}

#[test]
fn a_bad_line_elsewhere_is_an_error_with_its_number() {
    let place = finished();
    let changed =
        spoilt(&place, |lines| lines[4] = lines[4].replacen("\"sent\":", "\"sent\":1", 1));
    assert_eq!(changed.status.code(), Some(5), "{}", errors(&changed));
    assert!(errors(&changed).contains("journal.jsonl: line 5"), "{}", errors(&changed));
    let missing = spoilt(&place, |lines| drop(lines.remove(4)));
    assert_eq!(missing.status.code(), Some(5), "{}", errors(&missing));
    assert!(errors(&missing).contains("journal.jsonl: line 5"), "{}", errors(&missing));
}

#[test]
fn a_higher_major_version_is_refused_by_name() {
    let place = finished();
    let output = spoilt(&place, |lines| {
        // The checksum is right: a future version writes its own.
        let line = lines[0].replacen("tiebreak.journal/1", "tiebreak.journal/2", 1);
        lines[0] = resummed(&line);
    });
    assert_eq!(output.status.code(), Some(5), "{}", errors(&output));
    assert!(errors(&output).contains("tiebreak.journal/2"), "{}", errors(&output));
}

/// The line with the checksum of its event: 64-bit FNV-1a of the event's text.
fn resummed(line: &str) -> String {
    let (head, event) = line.trim_end().split_once(",\"event\":").expect("an event");
    let event = event.strip_suffix('}').expect("the end of the line");
    let sum = event.bytes().fold(0xCBF2_9CE4_8422_2325u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    });
    let (seq, _) = head.split_once(",\"sum\"").expect("a checksum");
    format!("{seq},\"sum\":\"{sum:016x}\",\"event\":{event}}}\n")
}

#[test]
fn a_full_disk_under_the_journal_is_our_failure_and_nothing_hangs() {
    let place = Place::new();
    let server = serve(Behaviour::default());
    fs::create_dir_all(place.file("small")).expect("a folder");
    // A file system of 64 kB, seen by this one process only.
    let script = format!(
        "mount -t tmpfs -o size=64k tmpfs small && exec {} compare a={url} b={url} --rounds 20 \
         --round 200ms --warm-up 0s --connections 4 --out small/run",
        env!("CARGO_BIN_EXE_tiebreak"),
        url = url(&server)
    );
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script])
        .current_dir(place.path())
        .output()
        .expect("unshare runs");
    assert_eq!(output.status.code(), Some(5), "{}", errors(&output));
    assert!(errors(&output).contains("No space left"), "{}", errors(&output));
}
