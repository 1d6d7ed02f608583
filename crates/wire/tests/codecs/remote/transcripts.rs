//! The bytes that both sides prove that they can sign.

use wire::remote::Purpose;
use wire::remote::handshake::{Side, transcript};

#[test]
fn the_transcript_is_as_documented() {
    let bytes = transcript(Side::Client, Purpose::Watch, &[1; 32], &[2; 32]);
    let wanted = [&b"tiebreak remote\x01c\x01"[..], &[1; 32], &[2; 32]].concat();
    assert_eq!(bytes, wanted.as_slice());
}

#[test]
fn every_part_changes_it() {
    let mut all = Vec::new();
    for side in [Side::Client, Side::Server] {
        for purpose in [Purpose::Watch, Purpose::Agent] {
            for (client, server) in [(1, 2), (2, 1), (1, 1)] {
                all.push(transcript(side, purpose, &[client; 32], &[server; 32]));
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 12);
}
