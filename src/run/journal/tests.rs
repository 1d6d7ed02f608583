use super::{Reader, Writer};
use crate::plan::example;
use protocol::Exit;
use record::limits::NUMBERS_BELOW;
use record::{
    Address, Arrivals, End, EndReason, Event, Header, Intensity, LaneOrder, Phase, Reuse, Seen,
    TrialRecord,
};
use std::io::{self, Write};
use text::fnv::fnv1a;

fn header() -> Event {
    Event::Header(Box::new(Header {
        plan_hash: "0123456789abcdef".to_owned(),
        started: "2026-11-22T00:06:49Z".to_owned(),
        ..record::testing::header(example::plan(|spec| spec.common.rate = Some(0.1 + 0.2)))
    }))
}

fn trial(round: u32) -> Event {
    let mut seen = Seen { operations: 3, ..Seen::default() };
    seen.response_time.record(1_234_567);
    let lane_order = LaneOrder {
        address: Address::Unix("/run/x.sock".to_owned()),
        intensity: Intensity { connections: 64, depth: 1, arrivals: Arrivals::Poisson(1.0 / 3.0) },
        reuse: Reuse::Times(7),
        timeout_ns: 5,
        burn_in_ns: 6,
        ..example::lane_order()
    };
    let trial = example::trial(Phase::Round, round % 2, seen);
    Event::Trial(Box::new(TrialRecord { round, lane_order, ..trial }))
}

fn end() -> Event {
    Event::End(End { reason: EndReason::Complete, detail: String::new() })
}

fn written(events: &[Event]) -> Vec<u8> {
    let mut bytes = Vec::new();
    {
        let mut writer = Writer::new(&mut bytes, |_| Ok(()));
        for event in events {
            writer.write(event).expect("memory");
        }
    }
    bytes
}

/// A line of any event, as the writer makes it.
fn line(seq: u64, event: &str) -> String {
    format!("{{\"seq\":{seq},\"sum\":\"{:016x}\",\"event\":{event}}}\n", fnv1a(event.as_bytes()))
}

type Read = (Vec<Event>, Vec<String>);

fn read(bytes: &[u8]) -> Result<Read, String> {
    let mut reader = Reader::new(bytes, "J".to_owned());
    let mut events = Vec::new();
    loop {
        match reader.next_event() {
            Ok(Some(event)) => events.push(event),
            Ok(None) => return Ok((events, reader.notes())),
            Err(error) => {
                assert_eq!(error.exit, Exit::Failed);
                return Err(error.text);
            }
        }
    }
}

#[test]
fn what_is_written_is_read_back_exactly() {
    let events = [header(), trial(1), trial(2), end()];
    assert_eq!(read(&written(&events)), Ok((events.to_vec(), Vec::new())));
}

#[test]
fn a_journal_cut_anywhere_loses_its_last_line_at_most() {
    let events = [header(), trial(1), trial(2), end()];
    let whole = written(&events);
    let ends: Vec<usize> =
        whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect();
    // Cutting everywhere would take half a minute, so only line ends and a sample are tried.
    let near_end = |cut: &usize| ends.iter().any(|end| end.abs_diff(*cut) < 3);
    for cut in (0..whole.len()).filter(|cut| near_end(cut) || cut % 61 == 0) {
        let result = read(&whole[..cut]);
        if cut < ends[0] {
            assert!(result.is_err(), "cut at {cut}");
            continue;
        }
        // A line that lacks only its line end is whole.
        let lines = ends.iter().filter(|end| cut >= **end).count();
        let torn = !ends.iter().any(|end| cut == *end || cut == end + 1);
        let (read, notes) = result.expect("readable");
        assert_eq!(read, events[..lines], "cut at {cut}");
        let message = format!(
            "line {} of the journal, the last one, is incomplete and was ignored",
            lines + 1
        );
        assert_eq!(notes, if torn { vec![message] } else { Vec::new() }, "cut at {cut}");
    }
}

#[test]
fn a_damaged_line_elsewhere_is_an_error_with_its_number() {
    let whole = String::from_utf8(written(&[header(), trial(1), trial(2), end()])).expect("text");
    let damaged = whole.replacen("\"round\":1", "\"round\":9", 1);
    assert_eq!(
        read(damaged.as_bytes()),
        Err("J: line 2 is damaged: its checksum does not match".to_owned())
    );
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let missing = [lines[0], lines[2], lines[3]].concat();
    assert_eq!(
        read(missing.as_bytes()),
        Err("J: line 2 has the number 2, not 1: lines are missing".to_owned())
    );
    let garbage = [lines[0], "garbage\n", lines[2]].concat();
    let message = read(garbage.as_bytes()).unwrap_err();
    assert!(message.starts_with("J: line 2 is not an event: "), "{message}");
    let two_headers =
        [lines[0], &lines[0].replacen("\"seq\":0", "\"seq\":1", 1), lines[2]].concat();
    let message = read(two_headers.as_bytes()).unwrap_err();
    assert_eq!(message, "J: line 2 is a header, but only line 1 may be one");
}

#[test]
fn what_is_no_journal_is_refused() {
    for (text, message) in [
        (String::new(), "J is empty: it must begin with a header"),
        (line(0, r#"{"end":{"reason":"complete"}}"#), "J: line 1 is not a header"),
        (
            line(0, r#"{"header":{"schema":"other/1"}}"#),
            "J: line 1 has the schema `other/1`, which is not that of a journal",
        ),
        (
            line(0, r#"{"header":{"schema":"tiebreak.journal/4.1","version":"3.4.5"}}"#),
            "J: line 1 has the schema tiebreak.journal/4.1, but this version of tiebreak reads \
             tiebreak.journal/3: use the version that wrote it (3.4.5)",
        ),
        // Another major version may compute the sum differently, too.
        (
            r#"{"seq":0,"sum":"","event":{"header":{"schema":"tiebreak.journal/4"}}}"#.to_owned(),
            "J: line 1 has the schema tiebreak.journal/4, but this version of tiebreak reads \
             tiebreak.journal/3: use the version that wrote it ()",
        ),
        (
            r#"{"seq":0,"sum":"","event":{"header":{"schema":"tiebreak.journal/1"}}}"#.to_owned(),
            "J: line 1 has the schema tiebreak.journal/1 of an earlier, unreleased version of \
             tiebreak, which can no longer be read; this version reads tiebreak.journal/3",
        ),
    ] {
        assert_eq!(read(text.as_bytes()).unwrap_err(), message);
    }
    assert!(read(b"\x00\x01\x02").is_err());
}

#[test]
fn unknown_fields_are_ignored_and_unknown_events_named() {
    let mut text = String::from_utf8(written(&[header(), trial(1)])).expect("text");
    text += &line(2, r#"{"restart":{"of":"\u001b[31m"}}"#);
    text += &line(3, r#"{"restart":{}}"#);
    text += &line(4, r#"{"end":{"reason":"complete","detail":"","mood":"good"}}"#);
    let (events, notes) = read(text.as_bytes()).expect("readable");
    assert_eq!(events, [header(), trial(1), end()]);
    assert_eq!(
        notes,
        ["2 events of kind `restart`, which this version of tiebreak does not know, were ignored"]
    );
}

/// Accepts `room` bytes; after that the disk is full.
struct Small {
    bytes: Vec<u8>,
    room: usize,
}

impl Write for Small {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match bytes.len().min(self.room - self.bytes.len()) {
            0 if !bytes.is_empty() => Err(io::ErrorKind::StorageFull.into()),
            fits => {
                self.bytes.extend_from_slice(&bytes[..fits]);
                Ok(fits)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error_and_what_was_written_reads_back() {
    let events = [header(), trial(1), end()];
    let whole = written(&events);
    let header_only = written(&events[..1]).len();
    for room in (header_only..whole.len()).step_by(7) {
        let mut small = Small { bytes: Vec::new(), room };
        let mut writer = Writer::new(&mut small, |_| Ok(()));
        let failed = events.iter().find_map(|event| writer.write(event).err());
        assert_eq!(failed.map(|error| error.kind()), Some(io::ErrorKind::StorageFull));
        let (read, _) = read(&small.bytes).expect("readable");
        assert_eq!(read, events[..read.len()]);
    }
    let synced = Writer::new(Vec::new(), |_| Err(io::ErrorKind::StorageFull.into())).sync();
    assert_eq!(synced.map_err(|error| error.kind()), Err(io::ErrorKind::StorageFull));
}

#[test]
fn a_line_that_does_not_end_does_not_fill_the_memory() {
    struct Endless;
    impl io::Read for Endless {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            into.fill(b'x');
            Ok(into.len())
        }
    }
    let endless = io::BufReader::with_capacity(1 << 20, Endless);
    let error = Reader::new(endless, "J".to_owned()).next_event().unwrap_err();
    assert_eq!(error.text, "J: line 1 is longer than 256 MiB");
}

#[test]
fn numbers_whose_sums_would_overflow_are_refused() {
    let message = |number: &str| {
        let event = format!("{{\"pilot\":{{\"slice_ns\":{number}}}}}");
        let sum = fnv1a(event.as_bytes());
        let line = format!("{{\"seq\":1,\"sum\":\"{sum:016x}\",\"event\":{event}}}\n");
        let mut written = Vec::new();
        Writer::new(&mut written, |_| Ok(())).write(&header()).expect("memory");
        // The last line may be torn: one more follows.
        written.extend(line.bytes().chain(*b"\n"));
        let mut reader = Reader::new(written.as_slice(), "j".to_owned());
        reader.next_event().expect("a header");
        reader.next_event().expect_err("no pilot").text
    };
    let large = "it contains a number that is too large";
    assert!(message("1000000000000000").contains(large));
    for number in ["999999999999999", "0.12345678901234567", "\"1234567890123456\"", "1e-7"] {
        assert!(!message(number).contains(large), "{number}");
    }
}

#[test]
fn what_could_not_be_read_again_is_not_written() {
    let mut too_large = trial(1);
    let Event::Trial(trial) = &mut too_large else { panic!("a trial") };
    trial.seen.operations = NUMBERS_BELOW;
    let mut journal = Vec::new();
    let mut writer = Writer::new(&mut journal, |_| Ok(()));
    writer.write(&header()).expect("memory");
    let error = writer.write(&too_large).expect_err("it is too large");
    assert_eq!(error.to_string(), "a number that is too large");
    writer.write(&end()).expect("memory");
    assert_eq!(read(&journal), Ok((vec![header(), end()], Vec::new())));
}

#[test]
fn errors_that_quote_a_line_show_it_as_text() {
    let mut journal = written(&[header(), trial(1)]);
    let text =
        serde_json::to_string(&trial(2)).expect("JSON").replace("times", "\\u001b[31m\u{202e}");
    journal.extend(line(2, &text).bytes().chain(*b"\n"));
    let why = read(&journal).expect_err("an unknown variant");
    assert!(
        why.contains("line 3 is not a valid `trial` event: unknown variant `\\u{1b}[31m"),
        "{why}"
    );
    assert!(why.chars().all(|c| !text::shown::is_hidden(c)), "{why}");
}
