//! Both sides of a connection on loopback, and peers that do anything else.

use super::handshake::introduce;
use super::*;
use crate::scratch::Scratch;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::thread;
use std::time::Duration;
use wire::remote::handshake::{FromClient, FromServer, Refusal};
use wire::remote::{FrameError, Purpose, encode};

/// Longer than any answer takes on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The timeout with a peer that never answers.
const SHORT: Duration = Duration::from_millis(50);

fn token(text: &str) -> Token {
    Token::of(text).expect("a token")
}

fn first() -> Token {
    token("the-first-token-of-two")
}

fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let address = listener.local_addr().expect("bound");
    (listener, address)
}

/// The server's result for this client.
fn admitted(purpose: Purpose, client: impl FnOnce(SocketAddr)) -> Result<(), RemoteError> {
    let (listener, address) = listener();
    thread::scope(|scope| {
        let server = scope.spawn(move || {
            let (stream, peer) = listener.accept().expect("a client");
            let mut connection = Connection::of(stream).expect("a connection");
            let place = Places::new(1, 1).take(&connection, peer);
            admit(&mut connection, purpose, &first(), &place, TIMEOUT)
        });
        client(address);
        server.join().expect("no panic")
    })
}

fn introduced(address: SocketAddr, purpose: Purpose, token: &Token) -> Result<(), RemoteError> {
    connect(address, purpose, token, TIMEOUT).map(drop)
}

#[test]
fn both_sides_know_the_token() {
    let server = admitted(Purpose::Watch, |address| {
        assert_eq!(introduced(address, Purpose::Watch, &first()), Ok(()));
    });
    assert_eq!(server, Ok(()));
}

#[test]
fn another_token_and_another_purpose_are_refused_with_the_reason() {
    let server = admitted(Purpose::Watch, |address| {
        let error = introduced(address, Purpose::Watch, &token("another-token-of-two"));
        assert_eq!(error, Err(RemoteError::Refused(Refusal::Token)));
    });
    assert_eq!(server, Err(RemoteError::Refused(Refusal::Token)));
    let server = admitted(Purpose::Watch, |address| {
        let error = introduced(address, Purpose::Agent, &first());
        assert_eq!(error, Err(RemoteError::Refused(Refusal::Purpose)));
    });
    assert_eq!(server, Err(RemoteError::Refused(Refusal::Purpose)));
}

/// Sends bytes, and returns all that the server answers until it closes.
fn say(address: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.write_all(bytes).expect("sent");
    let mut answer = Vec::new();
    stream.set_read_timeout(Some(TIMEOUT)).expect("a socket");
    let _ = stream.read_to_end(&mut answer);
    answer
}

#[test]
fn a_client_of_another_version_learns_ours() {
    let server = admitted(Purpose::Watch, |address| {
        let answer = say(address, b"tb\x07");
        assert_eq!(answer, b"tb\x03\x05\0\0\0\x01\x01");
    });
    assert_eq!(server, Err(RemoteError::Message(FrameError::OtherVersion(7))));
    let (listener, address) = listener();
    let other = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        stream.write_all(b"tb\x07").expect("sent");
        stream.read_to_end(&mut Vec::new())
    });
    let error = introduced(address, Purpose::Watch, &first()).expect_err("another version");
    assert_eq!(
        error.to_string(),
        "it speaks version 7 of tiebreak's remote format, and this tiebreak speaks version 3: use \
         the same version of tiebreak on both machines"
    );
    let _ = other.join();
}

#[test]
fn garbage_and_messages_out_of_turn_end_the_connection() {
    let malformed = |error| matches!(error, Err(RemoteError::Message(_)));
    let table: [&[u8]; 4] = [
        b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        &[0xff; 9000],
        b"tb\x03\x01\xff\xff\xff\xff",
        b"tb\x03\x10\0\0\0\0",
    ];
    for bytes in table {
        let server = admitted(Purpose::Watch, |address| assert_eq!(say(address, bytes), b""));
        assert!(malformed(server), "{}", bytes.escape_ascii());
    }
    let mut proof = Vec::new();
    encode(&FromClient::Proof([0; 32]), &mut proof);
    assert!(malformed(admitted(Purpose::Watch, |address| assert_eq!(say(address, &proof), b""))));
    let closed = admitted(Purpose::Watch, |address| drop(TcpStream::connect(address)));
    assert_eq!(closed, Err(RemoteError::Closed));
}

/// A peer that answers with the client's own proof instead of an HMAC of the token.
#[test]
fn a_server_that_sends_the_proof_back_is_not_believed() {
    let (listener, address) = listener();
    let server = thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a client");
        let mut connection = Connection::of(stream).expect("a connection");
        let Ok(FromClient::Hello { nonce, .. }) = connection.receive(TIMEOUT) else { panic!() };
        connection.send(&FromServer::Challenge(nonce), TIMEOUT).expect("sent");
        let Ok(FromClient::Proof(proof)) = connection.receive(TIMEOUT) else { panic!() };
        connection.send(&FromServer::Welcome(proof), TIMEOUT).expect("sent");
    });
    let error = introduced(address, Purpose::Watch, &first());
    assert_eq!(error, Err(RemoteError::WrongServer));
    server.join().expect("no panic");
}

#[test]
fn a_silent_peer_is_given_up() {
    let (listener, address) = listener();
    let mut connection = Connection::open(address, TIMEOUT).expect("it listens");
    let error = introduce(&mut connection, Purpose::Watch, &first(), SHORT);
    assert_eq!(error, Err(RemoteError::TimedOut(SHORT)));
    let (stream, _) = listener.accept().expect("it connected");
    let mut silent = Connection::of(stream).expect("a connection");
    assert!(matches!(silent.receive::<FromClient>(TIMEOUT), Ok(FromClient::Hello { .. })));
    assert_eq!(silent.receive::<FromClient>(SHORT), Err(RemoteError::TimedOut(SHORT)));
}

#[test]
fn tokens_are_random_words_of_some_length() {
    let (one, two) = (Token::new().expect("random"), Token::new().expect("random"));
    assert!(one != two && one.reveal().len() == 32);
    let word = |text: &str| Token::of(text).map(|token| token.reveal().to_owned());
    assert_eq!(word(" 0123456789abcdef\n"), Ok("0123456789abcdef".to_owned()));
    for bad in ["", "short", "0123456789 abcdef", "0123456789abcdefé", &"x".repeat(257)] {
        let why = word(bad).expect_err(bad);
        assert!(why.starts_with("a token must") && (bad.is_empty() || !why.contains(bad)));
    }
}

#[test]
fn a_token_file_is_named_in_errors_and_not_quoted() {
    let scratch = Scratch::new();
    let path = scratch.path().join("token");
    let why = |path: &std::path::Path| Token::in_file(path).expect_err("no token");
    assert!(why(&path).contains("/token cannot be read: No such file"));
    std::fs::write(&path, "secret\n").expect("scratch");
    assert!(why(&path).ends_with("16 to 256 characters, but this one has 6"));
    std::fs::write(&path, "a secret of 23 characters\n").expect("scratch");
    assert!(why(&path).ends_with("must be one word of visible ASCII characters"));
    std::fs::write(&path, "a-secret-of-22-letters\n").expect("scratch");
    assert!(Token::in_file(&path).expect("a token") == token("a-secret-of-22-letters"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o606)).expect("ours");
    assert!(why(&path).ends_with("so it is no secret (chmod 600)"));
    std::fs::remove_file(&path).expect("ours");
    let made = std::process::Command::new("mkfifo").arg(&path).status().expect("coreutils");
    assert!(made.success() && why(&path).ends_with("/token is not a plain file"));
}
