//! Every message, whole, byte by byte, cut short, with trailing bytes and with bad bytes.

use super::check::{check, check_as, decode_stream};
use proptest::prelude::*;
use std::fmt::Debug;
use wire::Fault;
use wire::remote::agents::{
    FromAgent, FromCoordinator, Hello, LATEST_NS, MOST_PIECE_BYTES, Stamps,
};
use wire::remote::frame::{self, FrameError};
use wire::remote::handshake::{FromClient, FromServer, Refusal};
use wire::remote::watch::{
    Answer, Description, MOST_CORES, MOST_PIDS, MOST_TEXT_BYTES, Reading, WatchQuestion,
};
use wire::remote::{
    BAD_VALUE, HEAD_BYTES, Message, Purpose, SIGNATURE_BYTES, Signature, TOO_LONG, TOO_SHORT,
    UNKNOWN_KIND, VERSION, decode, decode_signed, encode, encode_signed,
};

fn bytes<M: Message>(message: &M) -> Vec<u8> {
    let mut out = Vec::new();
    encode(message, &mut out);
    out
}

fn from_client() -> Vec<FromClient> {
    vec![
        FromClient::Hello { purpose: Purpose::Watch, nonce: [7; 32], proof: [8; 32] },
        FromClient::Hello { purpose: Purpose::Agent, nonce: [0; 32], proof: [255; 32] },
        FromClient::Proof([255; 32]),
    ]
}

fn from_server() -> Vec<FromServer> {
    let refusals = [Refusal::Version, Refusal::Purpose, Refusal::Token, Refusal::Busy];
    let refused = refusals.into_iter().map(FromServer::Refused);
    [FromServer::Challenge([1; 32]), FromServer::Welcome([2; 32])]
        .into_iter()
        .chain(refused)
        .collect()
}

fn questions() -> Vec<WatchQuestion> {
    vec![
        WatchQuestion::Describe,
        WatchQuestion::Read { number: 0, fully: false },
        WatchQuestion::Read { number: u32::MAX, fully: true },
    ]
}

fn answers() -> Vec<Answer> {
    let longest = Description {
        machine: [9; 16],
        source: "s".repeat(MOST_TEXT_BYTES),
        name: "n".repeat(MOST_TEXT_BYTES),
        cores: (0..MOST_CORES as u32).collect(),
        pids: (0..MOST_PIDS as u32).collect(),
    };
    let short = Description { name: "process 4711 (größer)".into(), ..Description::default() };
    let full = Reading {
        number: 3,
        at_ns: 1,
        cpu_ns: Some(2),
        steal_ns: Some(u64::MAX),
        peak_memory_bytes: Some(4),
        memory_of_cgroup: true,
        load_milli: Some(1500),
    };
    vec![
        Answer::Description(longest),
        Answer::Description(short),
        Answer::Reading(full),
        Answer::Reading(Reading::default()),
    ]
}

fn from_agents() -> Vec<FromAgent> {
    let stamps = Stamps { received_ns: 1, answered_ns: LATEST_NS };
    let hello = Hello {
        rank: 1,
        size: 5,
        workers: 2,
        version: "1.0".into(),
        journal: "j/3".into(),
        plan_hash: "0".into(),
        machine: "größer".into(),
        clock: String::new(),
    };
    vec![
        FromAgent::Hello(hello),
        FromAgent::Ready { index: 3, stamps, started_ns: 4, stops: true },
        FromAgent::Pong(stamps),
        FromAgent::Done { stamps, started_ns: 5, trials: 6 },
        FromAgent::Failed { lane: None, why: "why".into() },
        FromAgent::Failed { lane: Some(1), why: "why".into() },
        FromAgent::Piece(vec![255; MOST_PIECE_BYTES]),
        FromAgent::PiecesEnd { bytes: 7, digest: [8; 32] },
    ]
}

fn from_coordinators() -> Vec<FromCoordinator> {
    vec![
        FromCoordinator::Accepted,
        FromCoordinator::Rejected("why".into()),
        FromCoordinator::Ping,
        FromCoordinator::Order(b"{}".to_vec()),
        FromCoordinator::Start { index: u64::MAX, at_ns: 9 },
        FromCoordinator::End,
        FromCoordinator::Send { trials: 2 },
        FromCoordinator::Bye,
        FromCoordinator::Renew,
    ]
}

/// A message is decoded whole and byte by byte, not before its last byte, and not together with a
/// byte that does not belong to it.
fn holds<M: Message + Debug + PartialEq + Clone>(messages: &[M]) {
    let stream: Vec<u8> = messages.iter().flat_map(bytes).collect();
    for piece in [usize::MAX, 1, 3] {
        let decoded = decode_stream::<M>(&stream, piece);
        assert_eq!((decoded.messages.as_slice(), decoded.error, decoded.left), (messages, None, 0));
    }
    for message in messages {
        let whole = bytes(message);
        let some = whole.len().min(200);
        for length in (0..some).chain(whole.len() - some..whole.len()) {
            assert_eq!(decode::<M>(&whole[..length]), Ok(None), "{length} bytes of {message:?}");
        }
        let behind = [whole.as_slice(), b"t"].concat();
        assert_eq!(decode(&behind), Ok(Some((message.clone(), whole.len()))));
        let body = &whole[HEAD_BYTES..];
        let (kind, extra) = (message.kind(), [body, b"\0"].concat());
        assert_eq!(M::from_body(kind, &extra), Err(TOO_LONG), "{message:?}");
        if let Some(shorter) = body.len().checked_sub(1) {
            assert_eq!(M::from_body(kind, &body[..shorter]), Err(TOO_SHORT), "{message:?}");
        }
        assert_eq!(M::from_body(0, body), Err(UNKNOWN_KIND));
    }
}

#[test]
fn every_message_is_decoded_as_it_was_encoded() {
    holds(&from_client());
    holds(&from_server());
    holds(&questions());
    holds(&answers());
    holds(&from_agents());
    holds(&from_coordinators());
}

#[test]
fn kinds_belong_to_one_message_each() {
    let mut kinds: Vec<u8> = from_client().iter().map(Message::kind).collect();
    kinds.extend(from_server().iter().map(Message::kind));
    kinds.extend(questions().iter().map(Message::kind));
    kinds.extend(answers().iter().map(Message::kind));
    kinds.extend(from_agents().iter().map(Message::kind));
    kinds.extend(from_coordinators().iter().map(Message::kind));
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(
        kinds,
        [1, 2, 3, 4, 5].into_iter().chain(16..20).chain(32..39).chain(48..57).collect::<Vec<u8>>()
    );
}

#[test]
fn the_head_is_as_documented() {
    let read = bytes(&WatchQuestion::Read { number: 0x0102_0304, fully: true });
    assert_eq!(read, b"tb\x03\x11\0\0\0\x05\x01\x02\x03\x04\x01");
    assert_eq!(read[2], VERSION);
}

#[test]
fn bad_heads_are_refused_before_a_body_comes() {
    let table: [(&[u8], FrameError); 6] = [
        (b"G", FrameError::NotThisFormat),
        (b"GET / HTTP/1.1\r\n", FrameError::NotThisFormat),
        (b"tB", FrameError::NotThisFormat),
        (b"tb\x01", FrameError::OtherVersion(1)),
        (b"tb\0", FrameError::OtherVersion(0)),
        (b"tb\x03\x10\0\0\0\x06", FrameError::TooLong(6)),
    ];
    for (head, error) in table {
        assert_eq!(decode::<WatchQuestion>(head), Err(error), "{}", head.escape_ascii());
        check(head);
    }
    let most = decode::<WatchQuestion>(b"tb\x03\x10\xff\xff\xff\xff");
    assert_eq!(most, Err(FrameError::TooLong(u32::MAX)));
}

#[test]
fn values_that_are_not_allowed_are_refused() {
    let bad = |kind: u8, body: &[u8]| Answer::from_body(kind, body).expect_err("a bad value");
    assert_eq!(FromClient::from_body(1, &[3; 65]), Err(BAD_VALUE), "an unknown purpose");
    assert_eq!(FromServer::from_body(5, &[0]), Err(BAD_VALUE), "an unknown refusal");
    assert_eq!(
        WatchQuestion::from_body(17, &[0, 0, 0, 0, 2]),
        Err(BAD_VALUE),
        "neither true nor false"
    );
    let head = [0; 16];
    let longer_than_allowed = [&head[..], &513_u32.to_be_bytes()].concat();
    assert_eq!(bad(18, &longer_than_allowed), BAD_VALUE);
    let not_utf8 = [&head[..], b"\0\0\0\x01\xff"].concat();
    assert_eq!(bad(18, &not_utf8), BAD_VALUE);
    let core_out_of_range = [&head[..], &[0; 8], b"\0\0\0\x01\0\0\x10\0"].concat();
    assert_eq!(bad(18, &core_out_of_range), BAD_VALUE);
    let many_cores = [&head[..], &[0; 8], b"\xff\xff\xff\xff"].concat();
    assert_eq!(bad(18, &many_cores), BAD_VALUE, "and no memory is reserved for them");
    let too_late = (LATEST_NS + 1).to_be_bytes();
    let start = [&[0; 8][..], &too_late].concat();
    assert_eq!(FromCoordinator::from_body(52, &start), Err(BAD_VALUE));
    for stamps in [[too_late, [0; 8]].concat(), [[0; 8], too_late].concat()] {
        assert_eq!(FromAgent::from_body(34, &stamps), Err(BAD_VALUE));
        let ready = [&[0; 8][..], &stamps, &[0; 9]].concat();
        assert_eq!(FromAgent::from_body(33, &ready), Err(BAD_VALUE));
    }
    let started_too_late = [&[0; 16][..], &too_late, &[0; 8]].concat();
    assert_eq!(FromAgent::from_body(35, &started_too_late), Err(BAD_VALUE));
}

#[test]
fn errors_say_what_came() {
    let other = FrameError::OtherVersion(9).to_string();
    assert_eq!(other, "version 9 of tiebreak's format, while this is version 3");
    assert_eq!(FrameError::TooLong(70).to_string(), "a message of 70 bytes");
    assert_eq!(FrameError::Malformed(Fault("it is bad")).to_string(), "it is bad");
}

/// A signature for tests that every byte changes.
fn sign(bytes: &[u8]) -> Signature {
    let sum = |sum: u64, byte: &u8| sum.wrapping_mul(31).wrapping_add(u64::from(*byte) + 1);
    let mut signature = [0; SIGNATURE_BYTES];
    signature[..8].copy_from_slice(&bytes.iter().fold(7, sum).to_be_bytes());
    signature
}

fn decoded_signed(bytes: &[u8]) -> Result<Option<(FromCoordinator, usize)>, FrameError> {
    decode_signed(bytes, |frame, signature| sign(frame) == *signature)
}

#[test]
fn a_signed_frame_is_read_whole_and_unchanged_or_not_at_all() {
    for message in from_coordinators() {
        let mut frame = b"before".to_vec();
        encode_signed(&message, &mut frame, sign);
        let frame = &frame[6..];
        assert_eq!(frame.len(), bytes(&message).len() + SIGNATURE_BYTES);
        assert_eq!(decoded_signed(frame), Ok(Some((message.clone(), frame.len()))));
        let behind = [frame, b"t"].concat();
        assert_eq!(decoded_signed(&behind), Ok(Some((message, frame.len()))));
        for at in 0..frame.len() {
            assert_eq!(decoded_signed(&frame[..at]), Ok(None));
            let mut changed = frame.to_vec();
            changed[at] ^= 1;
            // A longer frame is not complete, and a shorter one ends with another signature.
            let decoded = decoded_signed(&changed);
            assert!(decoded == Ok(None) || decoded.is_err(), "byte {at}: {decoded:?}");
            if at >= HEAD_BYTES || at == 3 {
                assert_eq!(decoded, Err(FrameError::Forged), "byte {at}");
            }
        }
    }
    let too_short = bytes(&FromCoordinator::Ping);
    assert_eq!(decoded_signed(&too_short), Err(FrameError::Malformed(TOO_SHORT)));
}

proptest! {
    #[test]
    fn any_bytes(stream in proptest::collection::vec(any::<u8>(), 0..200)) {
        check(&stream);
    }

    /// Frames with good heads and random bodies.
    #[test]
    fn any_bodies(frames in proptest::collection::vec(
        (1..60_u8, proptest::collection::vec(any::<u8>(), 0..60)), 0..4,
    )) {
        let mut stream = Vec::new();
        for (kind, body) in frames {
            frame::encode(kind, &mut stream, |out| out.extend_from_slice(&body));
        }
        check(&stream);
    }

    /// Good streams in which one byte is another.
    #[test]
    fn one_byte_is_another(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        fn change<M: Message + Debug + PartialEq>(messages: &[M], at: usize, byte: u8) {
            let mut stream: Vec<u8> = messages.iter().flat_map(bytes).collect();
            let at = at % stream.len();
            stream[at] = byte;
            check_as::<M>(&stream);
        }
        let at = at.index(1 << 16);
        change(&from_client(), at, byte);
        change(&from_server(), at, byte);
        change(&questions(), at, byte);
        change(&answers()[1..], at, byte);
        change(&from_agents(), at, byte);
        change(&from_coordinators(), at, byte);
    }
}
