//! Frames, good and bad.

use super::*;
use proptest::prelude::*;

const NAME_OF_LOCAL: &str = "SELECT key FROM system.local";

fn frame(operation: u8, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32).to_be_bytes();
    [&[REQUEST, 0, 0, 7, operation], &length[..], body].concat()
}

/// A request with a statement, followed by consistency and flags.
fn asks(operation: u8, text: &str) -> Vec<u8> {
    let length = (text.len() as u32).to_be_bytes();
    frame(operation, &[&length[..], text.as_bytes(), b"\0\x01\0"].concat())
}

fn executes(id: &[u8]) -> Vec<u8> {
    frame(EXECUTE, &[&(id.len() as u16).to_be_bytes(), id, b"\0\x01\0"].concat())
}

/// The outcome of these bytes, and the operation and the body of the reply.
fn answer_to(cql: &mut Cql, input: &[u8]) -> (Consumed, u8, Vec<u8>) {
    let mut out = Vec::new();
    let consumed = cql.answer(input, &mut out);
    if out.is_empty() {
        return (consumed, 0, out);
    }
    let length = u32::from_be_bytes(out[5..HEAD].try_into().expect("four bytes"));
    assert_eq!((&out[..4], length as usize), (&[REPLY, 0, 0, 7][..], out.len() - HEAD));
    (consumed, out[4], out.split_off(HEAD))
}

fn of(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    result::of(&Statement::read(text), &mut out);
    out
}

#[test]
fn a_session_is_answered_frame_by_frame() {
    let mut cql = Cql::default();
    let prepared = answer_to(&mut cql, &asks(PREPARE, NAME_OF_LOCAL)).2;
    assert_eq!(prepared[..6], [0, 0, 0, 4, 0, ID as u8]);
    let row = of(NAME_OF_LOCAL);
    assert!(row.ends_with(b"\0\x03key\0\x0d\0\0\0\x01\0\0\0\x011"), "{}", row.escape_ascii());
    for (input, operation, body) in [
        (frame(OPTIONS, b""), SUPPORTED, OPTIONS_THERE),
        (frame(STARTUP, b"\0\0"), READY, b""),
        (frame(REGISTER, b"\0\0"), READY, b""),
        (asks(QUERY, "USE \"app\""), RESULT, b"\0\0\0\x03\0\x03app"),
        (asks(QUERY, NAME_OF_LOCAL), RESULT, &row),
        (asks(PREPARE, NAME_OF_LOCAL), RESULT, &prepared),
        (executes(&id(NAME_OF_LOCAL)), RESULT, &row),
        (frame(BATCH, b"\0\0\0\0\x01\0"), RESULT, result::VOID),
    ] {
        let answered = (Consumed::Bytes(input.len()), operation, body.to_vec());
        // Bytes after a frame do not belong to it.
        let two = [&input[..], &input].concat();
        assert_eq!(answer_to(&mut cql, &two), answered, "{}", input.escape_ascii());
        for cut in 1..input.len() {
            assert_eq!(answer_to(&mut cql, &input[..cut]), (Consumed::NotAll, 0, vec![]), "{cut}");
        }
    }
}

#[test]
fn a_statement_that_is_not_known_is_to_be_prepared_anew() {
    let mut cql = Cql::default();
    for id in [&b"short"[..], &[1; ID]] {
        let (_, operation, body) = answer_to(&mut cql, &executes(id));
        assert_eq!(operation, ERROR);
        assert!(body.starts_with(UNPREPARED) && body.ends_with(id), "{}", body.escape_ascii());
    }
    for number in 0..3 * MOST_PREPARED {
        answer_to(&mut cql, &asks(PREPARE, &format!("SELECT a{number} FROM t")));
        assert!(cql.prepared.len() <= MOST_PREPARED);
    }
}

#[test]
fn what_no_lane_says_is_refused() {
    let too_long = [REQUEST, 0, 0, 0, QUERY, 0, 0x10, 0, 1];
    let compressed = [REQUEST, 1, 0, 0, OPTIONS, 0, 0, 0, 0];
    let without_its_end = frame(QUERY, b"\0\0\0\x09SELECT");
    let no_text = frame(PREPARE, b"\0\0\0\x01\xff");
    let cases = [
        &too_long[..],
        &compressed,
        b"GET / HTTP/1.1\r\n",
        b"\x05",
        &frame(QUERY, b"\0"),
        &without_its_end,
        &no_text,
        &frame(EXECUTE, b"\0\x10short"),
        &frame(0x0f, b""),
    ];
    for input in cases {
        let (consumed, _, body) = answer_to(&mut Cql::default(), input);
        assert_eq!((consumed, body.len()), (Consumed::Unknown, 0), "{}", input.escape_ascii());
    }
}

proptest! {
    /// Whatever a statement contains, its answer is as long as its head says, which `answer_to`
    /// checks.
    #[test]
    fn any_statement_is_answered(text in "\\PC{0,60}|SELECT [a-z,()'\" ]{0,30} FROM [a-z.?]{0,20}") {
        let mut cql = Cql::default();
        for operation in [QUERY, PREPARE] {
            let input = asks(operation, &text);
            let (consumed, replied, _) = answer_to(&mut cql, &input);
            prop_assert_eq!((consumed, replied), (Consumed::Bytes(input.len()), RESULT));
        }
    }

    /// Whatever bytes arrive, no more are consumed than there are.
    #[test]
    fn any_bytes_are_survived(operation in 0u8..17, body in prop::collection::vec(any::<u8>(), 0..60)) {
        for input in [&frame(operation, &body)[..], &[&[REQUEST][..], &body].concat()] {
            if let (Consumed::Bytes(consumed), ..) = answer_any(input) {
                prop_assert!(consumed <= input.len());
            }
        }
    }
}

/// Answers bytes on any stream. Returns the outcome, and the length of the reply.
fn answer_any(input: &[u8]) -> (Consumed, usize) {
    let mut out = Vec::new();
    (Cql::default().answer(input, &mut out), out.len())
}
