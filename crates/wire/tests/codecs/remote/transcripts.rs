//! The bytes that both sides prove that they can sign.

use wire::remote::Purpose;
use wire::remote::handshake::{Role, transcript};

const ROLES: [Role; 5] =
    [Role::FirstProof, Role::ClientProof, Role::ServerProof, Role::ClientKey, Role::ServerKey];

#[test]
fn the_transcript_is_as_documented() {
    let letters = [b'h', b'c', b's', b'C', b'S'];
    for (role, letter) in ROLES.into_iter().zip(letters) {
        let bytes = transcript(role, Purpose::Watch, &[1; 32], &[2; 32]);
        let start = [&b"tiebreak remote\x03"[..], &[letter, 1]].concat();
        assert_eq!(bytes, [&start[..], &[1; 32], &[2; 32]].concat().as_slice());
    }
}

#[test]
fn every_part_changes_it() {
    let mut all = Vec::new();
    for role in ROLES {
        for purpose in [Purpose::Watch, Purpose::Agent] {
            for (client, server) in [(1, 2), (2, 1), (1, 1)] {
                all.push(transcript(role, purpose, &[client; 32], &[server; 32]));
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 30);
}
