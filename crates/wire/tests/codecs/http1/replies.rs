//! Replies that are understood.

use crate::http1::table::{Case, run};

#[test]
fn to_get() {
    run(false, BODIES);
    run(false, CHUNKS);
    run(false, HEADS);
    run(false, CONNECTIONS);
    run(false, INFORMATIONAL);
}

#[test]
fn to_head() {
    run(true, TO_HEAD);
}

const EMPTY: &str = "began | ok 200, 0 bytes | Ready | end";
const EMPTY_LAST: &str = "began | ok 200, 0 bytes | Closing | end";
const HI: &str = "began | body hi | ok 200, 2 bytes | Ready | end";
const HI_LAST: &str = "began | body hi | ok 200, 2 bytes | Closing | end";
const HI_AND_MORE: &str = "began | body hi! | ok 200, 3 bytes | Ready | end";
const AB: &str = "began | body ab | ok 200, 2 bytes | Ready | end";
const HELLO: &str = "began | body hello | ok 200, 5 bytes | Ready | end";
const NO_CONTENT: &str = "began | ok 204, 0 bytes | Ready | end";
const NOT_MODIFIED: &str = "began | error 304, 0 bytes | Ready | end";

const BODIES: &[Case] = &[
    ("a length", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", HELLO),
    ("a length of nothing", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", EMPTY),
    (
        "a length with leading zeros",
        b"HTTP/1.1 200 OK\r\nContent-Length: 0003\r\n\r\nabc",
        "began | body abc | ok 200, 3 bytes | Ready | end",
    ),
    (
        "the same length in two headers",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab",
        AB,
    ),
    ("the same length twice in a list", b"HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nab", AB),
    (
        "until the server closes",
        b"HTTP/1.1 200 OK\r\nServer: old\r\n\r\nall there is",
        "began | body all there is | ok 200, 12 bytes | Closing | end",
    ),
    ("nothing until the server closes", b"HTTP/1.1 200 OK\r\n\r\n", EMPTY_LAST),
    (
        "a body that looks like a head",
        b"HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        "began | body HTTP/1.1 200 OK\\r\\n\\r\\n | ok 200, 19 bytes | Ready | end",
    ),
    ("204", b"HTTP/1.1 204 No Content\r\n\r\n", NO_CONTENT),
    (
        "204 that announces a body all the same",
        b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
        NO_CONTENT,
    ),
    (
        "304 with the length of what it stands for",
        b"HTTP/1.1 304 Not Modified\r\nContent-Length: 87\r\n\r\n",
        NOT_MODIFIED,
    ),
    (
        "304 with the coding of what it stands for",
        b"HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
        NOT_MODIFIED,
    ),
    (
        "205 has a body like any other",
        b"HTTP/1.1 205 Reset Content\r\nContent-Length: 1\r\n\r\n!",
        "began | body ! | ok 205, 1 bytes | Ready | end",
    ),
];

const CHUNKS: &[Case] = &[
    (
        "one chunk",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        HELLO,
    ),
    (
        "no chunk",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        EMPTY,
    ),
    (
        "coding in capitals, sizes in both cases",
        b"HTTP/1.1 200 OK\r\ntransfer-ENCODING: CHUNKED\r\n\r\n\
          a\r\n0123456789\r\nB\r\nabcdefghijk\r\n0\r\n\r\n",
        "began | body 0123456789abcdefghijk | ok 200, 21 bytes | Ready | end",
    ),
    (
        "line ends inside the data",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n\r\n\r\n\r\n3\r\n0\r\n\r\n0\r\n\r\n",
        "began | body \\r\\n\\r\\n0\\r\\n | ok 200, 7 bytes | Ready | end",
    ),
    (
        "extensions",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
          2;a\r\nhi\r\n1 ; b=\"c;d\"\r\n!\r\n0;last\r\n\r\n",
        HI_AND_MORE,
    ),
    (
        "sizes padded with blanks and zeros",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
          2   \r\nhi\r\n00000000000000000001\r\n!\r\n000\t\r\n\r\n",
        HI_AND_MORE,
    ),
    (
        "trailers",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Sum\r\n\r\n\
          2\r\nhi\r\n0\r\nSum: 1\r\nEmpty:\r\nContent-Length: 9\r\n\r\n",
        HI,
    ),
    (
        "chunks, then the server closes",
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n!\r\n0\r\n\r\n",
        "began | body ! | ok 200, 1 bytes | Closing | end",
    ),
];

const HEADS: &[Case] = &[
    (
        "404",
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone",
        "began | body gone | error 404, 4 bytes | Ready | end",
    ),
    (
        "a redirection is not followed",
        b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n",
        "began | error 302, 0 bytes | Ready | end",
    ),
    (
        "300 is no success",
        b"HTTP/1.1 300 Multiple Choices\r\nContent-Length: 0\r\n\r\n",
        "began | error 300, 0 bytes | Ready | end",
    ),
    (
        "299 is one",
        b"HTTP/1.1 299 Fine\r\nContent-Length: 0\r\n\r\n",
        "began | ok 299, 0 bytes | Ready | end",
    ),
    (
        "a status that nobody defined",
        b"HTTP/1.1 999 Go Away\r\nContent-Length: 0\r\n\r\n",
        "began | error 999, 0 bytes | Ready | end",
    ),
    ("no reason", b"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", EMPTY),
    ("an empty reason", b"HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", EMPTY),
    (
        "a reason that is not ASCII",
        b"HTTP/1.1 200 D\xe9j\xe0 vu\r\nContent-Length: 0\r\n\r\n",
        EMPTY,
    ),
    ("lines that end with LF alone", b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", HI),
    ("an LF line, then a CR LF blank line", b"HTTP/1.1 200 OK\nContent-Length: 2\n\r\nhi", HI),
    ("a CR LF line, then an LF blank line", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\nhi", HI),
    (
        "names in any case, blanks around values",
        b"HTTP/1.1 200 OK\r\ncOnTeNt-LeNgTh: \t 2 \t \r\nX:\r\nY: \r\n\r\nhi",
        HI,
    ),
    (
        "names as long as ours",
        b"HTTP/1.1 200 OK\r\nConnectiom: close\r\nContent-Lengtg: 7\r\n\
          Transfer-Encodinf: gzip\r\nContent-Length: 1\r\n\r\n!",
        "began | body ! | ok 200, 1 bytes | Ready | end",
    ),
];

const CONNECTIONS: &[Case] = &[
    (
        "close",
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi",
        HI_LAST,
    ),
    (
        "close in a list, in capitals",
        b"HTTP/1.1 200 OK\r\nCONNECTION: x,Keep-Alive ,\tCLOSE\r\nContent-Length: 0\r\n\r\n",
        EMPTY_LAST,
    ),
    (
        "close in the second of two",
        b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        EMPTY_LAST,
    ),
    (
        "an option that only starts like close",
        b"HTTP/1.1 200 OK\r\nConnection: closed, clos, e\r\nContent-Length: 0\r\n\r\n",
        EMPTY,
    ),
    (
        "close on 204",
        b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
        "began | ok 204, 0 bytes | Closing | end",
    ),
    (
        "HTTP/1.0",
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        HI_LAST,
    ),
    (
        "HTTP/1.0 that keeps the connection",
        b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nhi",
        HI,
    ),
    (
        "HTTP/1.0 that keeps the connection, among other options",
        b"HTTP/1.0 200 OK\r\nConnection: keep-alive, x\r\nContent-Length: 0\r\n\r\n",
        EMPTY,
    ),
    (
        "HTTP/1.0 that says both",
        b"HTTP/1.0 200 OK\r\nConnection: close, keep-alive\r\nContent-Length: 0\r\n\r\n",
        EMPTY_LAST,
    ),
    (
        "HTTP/1.0 that keeps the connection, but gives no length",
        b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nhi",
        HI_LAST,
    ),
];

const INFORMATIONAL: &[Case] = &[
    ("100", b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", HI),
    (
        "103 twice",
        b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n\
          HTTP/1.1 103 Early Hints\r\nLink: </b.css>\r\n\r\n\
          HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        "began | error 404, 0 bytes | Ready | end",
    ),
    (
        "headers of a 1xx say nothing about the reply",
        b"HTTP/1.1 102 Processing\r\nContent-Length: 99\r\nConnection: close\r\n\
          Transfer-Encoding: gzip\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
        NO_CONTENT,
    ),
    (
        "100 and no more",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        "Ready | end: closed in the middle of a reply",
    ),
];

const TO_HEAD: &[Case] = &[
    ("a length", b"HTTP/1.1 200 OK\r\nContent-Length: 87\r\n\r\n", EMPTY),
    ("a coding", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", EMPTY),
    ("neither: the connection stays", b"HTTP/1.1 200 OK\r\n\r\n", EMPTY),
    (
        "close",
        b"HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n",
        "began | error 404, 0 bytes | Closing | end",
    ),
    (
        "103 first",
        b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 87\r\n\r\n",
        EMPTY,
    ),
    (
        "a body all the same",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        "began | ok 200, 0 bytes | fault: bytes that do not belong to any request",
    ),
];
