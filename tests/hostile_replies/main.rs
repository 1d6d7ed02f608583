//! No bytes of a server end or freeze the process through a client library. `fuzz/` has a target that
//! looks for others.

mod check;

use engine::clock;

/// Ten times the longest computing that is allowed.
const PATIENCE_NS: u64 = 60_000_000_000;

/// The beginning of a result with rows of so many columns, in CQL.
fn rows(columns: u32) -> Vec<u8> {
    [&[2, 1, columns].map(u32::to_be_bytes).concat()[..], b"\0\x01k\0\x01t"].concat()
}

/// Replies that once ended the process.
fn replies() -> Vec<Vec<u8>> {
    vec![
        rows(i32::MAX as u32),
        rows(40_000_000),
        [rows(1), b"\0\x01c".to_vec(), [0, 0x20].repeat(100_000)].concat(),
        [b"\0\0\0\x04\0\x08prepared".to_vec(), [1, 1, i32::MAX].map(i32::to_be_bytes).concat()]
            .concat(),
        // MySQL: the number of columns, in eight bytes.
        [&b"\x09\0\0\x01\xfe"[..], &(1u64 << 40).to_le_bytes()].concat(),
        [&b"\x09\0\0\x01\xfe"[..], &(1u64 << 62).to_le_bytes()].concat(),
    ]
}

#[test]
fn whatever_a_server_sends_a_question_ends() {
    for reply in replies() {
        let began = clock::now();
        check::check(&reply);
        // One byte after the other has its highest and its lowest bit changed.
        for at in (0..reply.len()).take(24) {
            let mut changed = reply.clone();
            changed[at] ^= 0x81;
            check::check(&changed);
        }
        assert!(clock::now() - began < PATIENCE_NS, "{:?}", &reply[..24.min(reply.len())]);
    }
}
