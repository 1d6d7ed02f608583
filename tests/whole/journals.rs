//! Journals that were damaged by the disk or by somebody.

use crate::common::{TestDirectory, errors, serve, stdout, unhurried, url};
use serde_json::Value;
use std::fs;
use std::process::{Command, Output};

/// A short comparison of one server with itself, in the directory `run`.
fn finished() -> TestDirectory {
    let directory = TestDirectory::new();
    let server = serve(unhurried());
    let url = url(&server);
    let (a, b) = (format!("a={url}"), format!("b={url}"));
    let output = directory.tiebreak(&[
        "compare",
        &a,
        &b,
        "--rounds",
        "6",
        "--round",
        "50ms",
        "--warm-up",
        "0s",
        "--pilot",
        "200ms",
        "--quiet",
        "--connections",
        "4",
        "--out",
        "run",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    directory
}

/// Returns what `report` says about the journal's damaged lines.
fn spoilt(directory: &TestDirectory, spoil: impl FnOnce(&mut Vec<String>)) -> Output {
    let file = directory.file("run/journal.jsonl");
    let whole = fs::read_to_string(&file).expect("a journal");
    let mut lines: Vec<String> = whole.lines().map(|line| format!("{line}\n")).collect();
    spoil(&mut lines);
    fs::create_dir_all(directory.file("spoilt")).expect("a directory");
    fs::write(directory.file("spoilt/journal.jsonl"), lines.concat()).expect("writes");
    directory.tiebreak(&["report", "spoilt"])
}

#[test]
fn a_torn_last_line_is_dropped_and_named_and_the_rest_is_judged() {
    let directory = finished();
    let output = spoilt(&directory, |lines| {
        lines.pop();
        let last = lines.last_mut().expect("lines");
        last.truncate(last.len() / 2);
    });
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let stderr = stdout(&output) + &errors(&output);
    let ended = "the journal does not say how the run ended";
    assert!(stderr.contains("incomplete and was ignored") && stderr.contains(ended), "{stderr}");
}

#[test]
fn a_bad_line_elsewhere_is_an_error_with_its_number() {
    let directory = finished();
    let changed =
        spoilt(&directory, |lines| lines[4] = lines[4].replacen("\"sent\":", "\"sent\":1", 1));
    assert_eq!(changed.status.code(), Some(5), "{}", errors(&changed));
    assert!(errors(&changed).contains("journal.jsonl: line 5"), "{}", errors(&changed));
    let missing = spoilt(&directory, |lines| drop(lines.remove(4)));
    assert_eq!(missing.status.code(), Some(5), "{}", errors(&missing));
    assert!(errors(&missing).contains("journal.jsonl: line 5"), "{}", errors(&missing));
}

#[test]
fn another_major_version_is_refused_by_name() {
    let directory = finished();
    for (schema, why) in [
        ("tiebreak.journal/4", "use the version that wrote it"),
        ("tiebreak.journal/1", "of an earlier, unreleased version of tiebreak"),
    ] {
        let output = spoilt(&directory, |lines| {
            // The checksum is right: each version writes its own.
            lines[0] = resummed(&lines[0].replacen("tiebreak.journal/3", schema, 1));
        });
        let stderr = errors(&output);
        assert_eq!(output.status.code(), Some(5), "{stderr}");
        assert!(stderr.contains("journal.jsonl") && stderr.contains(schema), "{stderr}");
        assert!(stderr.contains(why), "{stderr}");
    }
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

/// Address space that `report` may take of a journal of some hundred kB, in kB. Without
/// a load its program and libraries take a third of it.
const ADDRESS_SPACE_KB: u64 = 512 << 10;

/// `report` of these lines, in little memory and time.
fn report_in_little_memory(directory: &TestDirectory, lines: &[String]) -> Output {
    fs::create_dir_all(directory.file("spoilt")).expect("a directory");
    fs::write(directory.file("spoilt/journal.jsonl"), lines.concat()).expect("writes");
    let script = format!(
        "ulimit -v {ADDRESS_SPACE_KB} && exec timeout 60 {} report spoilt",
        env!("CARGO_BIN_EXE_tiebreak")
    );
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(directory.path());
    command.output().expect("a shell runs")
}

/// Checks that it was judged or refused: no crash, no hang, no lack of memory.
fn ended_well(output: &Output, what: &str) {
    let stderr = errors(output);
    let code = output.status.code();
    assert!(matches!(code, Some(0..=5)), "{what}: {:?} {stderr}", output.status);
    assert!(
        !stderr.contains("panicked") && !stderr.contains("bug in tiebreak"),
        "{what}: {stderr}"
    );
}

/// A line of the journal with its event changed.
pub(crate) fn changed(line: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut whole: Value = serde_json::from_str(line).expect("a line of a journal");
    change(&mut whole["event"]);
    let (seq, event) = (&whole["seq"], &whole["event"]);
    resummed(&format!("{{\"seq\":{seq},\"sum\":\"\",\"event\":{event}}}\n"))
}

fn lines_of(directory: &TestDirectory) -> Vec<String> {
    let whole = fs::read_to_string(directory.file("run/journal.jsonl")).expect("a journal");
    whole.lines().map(|line| format!("{line}\n")).collect()
}

#[test]
fn small_numbers_in_a_journal_make_neither_large_memory_nor_long_loops() {
    let directory = finished();
    let lines = lines_of(&directory);
    let trial = lines.iter().rposition(|line| line.contains("\"trial\"")).expect("a trial");
    let with = |at: usize, change: &dyn Fn(&mut Value)| {
        let mut lines = lines.clone();
        lines[at] = changed(&lines[at], change);
        report_in_little_memory(&directory, &lines)
    };
    let refused = |output: Output, why: &str| {
        ended_well(&output, why);
        assert_eq!(output.status.code(), Some(5), "{why}: {}", errors(&output));
        assert!(errors(&output).contains(why), "{why}: {}", errors(&output));
    };
    let histogram = announced(u32::MAX);
    refused(
        with(trial, &|event| event["trial"]["seen"]["service_time"] = histogram.clone().into()),
        "histogram: tiebreak does not write this form",
    );
    // 5000 pairs of 5000 metrics: a header of 200 kB, and 25 million comparisons.
    let question = |event: &mut Value, key: &str, one: Value| {
        event["header"]["plan"]["question"][key] = vec![one; 5000].into();
    };
    let pair = serde_json::json!({ "a": 0, "b": 1 });
    refused(with(0, &|event| question(event, "pairs", pair.clone())), "5000 pairs; at most 4 are");
    refused(with(0, &|event| question(event, "secondary", "throughput".into())), "5000 metrics");
    refused(with(0, &|event| question(event, "interim_looks", 6.into())), "5000 looks");
    let other = serde_json::json!({
        "name": "a", "cpu_in_sight": false, "bodiless": false, "port_limit": null
    });
    refused(
        with(0, &|event| question(event, "contenders", other.clone())),
        "2 contenders, but its question is about a different number",
    );
    refused(
        with(0, &|event| event["header"]["plan"]["rounds"] = u32::MAX.into()),
        "4294967295 rounds; at most 10000 are",
    );
    // 2000 groups or kinds with their histograms: 300 kB, which would take 700 MB.
    let seen = |event: &mut Value, what: &str| {
        let item = match what {
            "groups" => event["trial"]["seen"].clone(),
            _ => serde_json::json!({
                "kind": "get", "operations": 1, "ok": 1,
                "response_time": event["trial"]["seen"]["response_time"]
            }),
        };
        event["trial"]["seen"][what] = vec![item; 2000].into();
    };
    refused(with(trial, &|event| seen(event, "groups")), "more than 8 groups");
    refused(with(trial, &|event| seen(event, "kinds")), "more than 256 kinds of operation");
    let nested = |event: &mut Value| {
        let mut group = event["trial"]["seen"].clone();
        group["groups"] = vec![group.clone()].into();
        event["trial"]["seen"]["groups"] = vec![group].into();
    };
    refused(with(trial, &nested), "one of the groups has parts of its own");
}

/// Such a histogram with one sample.
fn announced(counts_bytes: u32) -> String {
    use base64::{Engine as _, prelude::BASE64_STANDARD};
    let mut plain = 0x1c84_9313u32.to_be_bytes().to_vec();
    [counts_bytes, 0, 3].iter().for_each(|number| plain.extend(number.to_be_bytes()));
    [1, 86_400_000_000_000u64].iter().for_each(|bound| plain.extend(bound.to_be_bytes()));
    plain.extend(1f64.to_be_bytes());
    plain.push(2);
    // zlib, stored and not compressed.
    let length = plain.len() as u16;
    let mut packed = vec![0x78, 0x01, 1];
    packed.extend([length.to_le_bytes(), (!length).to_le_bytes()].concat());
    packed.extend(&plain);
    let (mut a, mut b) = (1u32, 0u32);
    for byte in &plain {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    packed.extend((b << 16 | a).to_be_bytes());
    let mut bytes = 0x1c84_9314u32.to_be_bytes().to_vec();
    bytes.extend((packed.len() as u32).to_be_bytes());
    bytes.extend(packed);
    BASE64_STANDARD.encode(bytes)
}

#[test]
fn a_journal_that_was_changed_at_random_is_judged_or_refused() {
    let directory = finished();
    let lines = lines_of(&directory);
    let mut dice = Dice(0x1234_5678_9abc_def1);
    for number in 0..120 {
        let mut lines = lines.clone();
        // Half of them in the header: what it says steers the rest.
        let at = if dice.below(2) == 0 { 0 } else { dice.below(lines.len()) };
        let mut what = String::new();
        lines[at] = changed(&lines[at], |event| {
            // Of a trial mostly what was seen: the rest is short.
            let seen = event.pointer_mut("/trial/seen").filter(|_| dice.below(4) > 0);
            what = match seen {
                Some(seen) => mutate(seen, &mut dice),
                None => mutate(event, &mut dice),
            };
        });
        let output = report_in_little_memory(&directory, &lines);
        ended_well(&output, &format!("change {number}, line {}: {what}", at + 1));
    }
}

/// xorshift64*: the same changes in every run of the test.
struct Dice(u64);

impl Dice {
    fn below(&mut self, many: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % many.max(1)
    }
}

/// Changes one value somewhere below this one. Returns how.
fn mutate(value: &mut Value, dice: &mut Dice) -> String {
    let inside = |dice: &mut Dice| dice.below(8) > 0;
    match value {
        Value::Object(map) if !map.is_empty() && inside(dice) => {
            let at = dice.below(map.len());
            let (key, below) = map.iter_mut().nth(at).expect("below its length");
            format!(".{key}{}", mutate(below, dice))
        }
        Value::Array(list) if !list.is_empty() && inside(dice) => {
            let at = dice.below(list.len());
            if dice.below(4) == 0 {
                let one = list[at].clone();
                list.extend(vec![one; 1000]);
                return format!("[{at}] 1000 times");
            }
            format!("[{at}]{}", mutate(&mut list[at], dice))
        }
        other => {
            let old = other.to_string();
            *other = strange(other, dice);
            let (old, new) = (&old[..old.len().min(60)], other.to_string());
            format!(": {old} is now {}", &new[..new.len().min(60)])
        }
    }
}

fn strange(value: &Value, dice: &mut Dice) -> Value {
    let numbers = [0, 1, 7, 1000, 1 << 31, u64::from(u32::MAX), 1 << 40, 1 << 53, u64::MAX];
    match value {
        Value::Number(_) | Value::Null if dice.below(6) > 0 => {
            numbers[dice.below(numbers.len())].into()
        }
        Value::String(_) if dice.below(3) == 0 => announced(u32::MAX).into(),
        Value::String(text) if dice.below(3) > 0 => {
            let mut bytes = text.clone().into_bytes();
            let at = dice.below(bytes.len());
            if let Some(byte) = bytes.get_mut(at) {
                *byte = b' ' + dice.below(94) as u8;
            }
            String::from_utf8_lossy(&bytes).into_owned().into()
        }
        _ => {
            let others = [Value::Null, Value::from("x"), 1e308.into(), (-1).into(), true.into()];
            others[dice.below(others.len())].clone()
        }
    }
}

#[test]
fn the_message_of_a_library_reaches_the_terminal_escaped() {
    const RED: &str = "\u{1b}[31m\u{202e}";
    let directory = finished();
    let output = spoilt(&directory, |lines| {
        let trial = lines.iter().rposition(|line| line.contains("\"trial\"")).expect("a trial");
        lines[trial] = changed(&lines[trial], |event| event["trial"]["phase"] = RED.into());
    });
    fs::write(directory.file("e.toml"), "\"\\u001b[31m\\u202e\" = 1\n").expect("writes");
    let file = directory.tiebreak(&["check", "e.toml"]);
    let arguments = directory.tiebreak(&["compare", "--rounds", RED]);
    for (output, code) in [(output, 5), (file, 2), (arguments, 2)] {
        let stderr = errors(&output);
        assert_eq!(output.status.code(), Some(code), "{stderr}");
        assert!(stderr.contains(r"\u{1b}[31m\u{202e}"), "{stderr}");
        assert!(!stderr.contains(['\u{1b}', '\u{202e}']), "{stderr:?}");
    }
}
