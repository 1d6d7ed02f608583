//! Pushes are passed on as they came, and answer nothing.

use crate::resp::check::{ANY, GET, MGET, SET};
use crate::resp::table::{Case, run};

#[test]
fn between_replies() {
    run(PUSHES);
}

const PUSHES: &[Case] = &[
    (
        "before any operation",
        &[],
        b">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\na\r\n",
        "pushed >2\\r\\n$10\\r\\ninvalidate\\r\\n*1\\r\\n$1\\r\\na\\r\\n | Ready | end",
    ),
    (
        "behind a reply",
        &[SET],
        b"+OK\r\n>2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\na\r\n",
        "began | ok, 0 bytes, 0 items | \
         pushed >2\\r\\n$10\\r\\ninvalidate\\r\\n*1\\r\\n$1\\r\\na\\r\\n | Ready | end",
    ),
    (
        "before a reply, to PUBLISH",
        &[ANY],
        b">3\r\n$7\r\nmessage\r\n$2\r\nch\r\n$1\r\nm\r\n:1\r\n",
        "pushed >3\\r\\n$7\\r\\nmessage\\r\\n$2\\r\\nch\\r\\n$1\\r\\nm\\r\\n | \
         began | body 1 | ok, 1 bytes | Ready | end",
    ),
    (
        "in the middle of a pipeline",
        &[SET, GET, MGET],
        b"+OK\r\n>1\r\n$4\r\npush\r\n>1\r\n:2\r\n$1\r\n1\r\n>1\r\n_\r\n*3\r\n_\r\n_\r\n_\r\n",
        "began | ok, 0 bytes, 0 items | pushed >1\\r\\n$4\\r\\npush\\r\\n | pushed >1\\r\\n:2\\r\\n | \
         began#1 | body#1 1 | ok#1, 1 bytes | pushed >1\\r\\n_\\r\\n | \
         began#2 | miss#2, 0 bytes, 0 items | Ready | end",
    ),
    (
        "of errors and attributes (made up)",
        &[GET],
        b">3\r\n-ERR x\r\n|1\r\n+a\r\n:1\r\n!3\r\nOOM\r\n=5\r\ntxt:!\r\n$1\r\n1\r\n",
        "pushed >3\\r\\n-ERR x\\r\\n|1\\r\\n+a\\r\\n:1\\r\\n!3\\r\\nOOM\\r\\n=5\\r\\ntxt:!\\r\\n | \
         began | body 1 | ok, 1 bytes | Ready | end",
    ),
    ("of nothing (made up)", &[], b">0\r\n", "pushed >0\\r\\n | Ready | end"),
    (
        "cut short",
        &[],
        b">2\r\n$10\r\ninval",
        "pushed >2\\r\\n$10\\r\\ninval (cut) | Ready | end: closed in the middle of a reply",
    ),
    (
        "inside a reply (made up)",
        &[MGET],
        b"*3\r\n>1\r\n:1\r\n",
        "began | fault: a push in the middle of a reply",
    ),
    (
        "inside a push (made up)",
        &[],
        b">1\r\n>1\r\n:1\r\n",
        "pushed >1\\r\\n (cut) | fault: a push in the middle of a reply",
    ),
    ("streamed (made up)", &[], b">?\r\n:1\r\n.\r\n", "fault: malformed length"),
];
