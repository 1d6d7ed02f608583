//! Asks a server that sends any bytes in the place of its replies, through the client libraries that open
//! their sockets themselves. Whatever it sends, the question ends, and so does nothing else.

use ::cassandra::{CassandraAccess, CassandraSettings, Sending};
use ::mysql::MysqlAccess;
use drivers::Database;
use protocol::testing::serve;
use record::{Address, Consistency, SqlProtocol};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

/// Longer than any answer takes: what ends a question sooner is an end of its own.
const TIMEOUT: Duration = Duration::from_millis(300);

/// Operations of frames of CQL.
const ERROR: u8 = 0x00;
const STARTUP: u8 = 0x01;
const READY: u8 = 0x02;
const OPTIONS: u8 = 0x05;
const SUPPORTED: u8 = 0x06;
const RESULT: u8 = 0x08;
const REGISTER: u8 = 0x0b;

const GREETING: &[u8] = b"\x0a5.7.0-fake\0\x01\0\0\0abcdefgh\0\x0d\xa2\x21\x02\0\x08\0\x15\
                          \0\0\0\0\0\0\0\0\0\0abcdefghijkl\0mysql_native_password\0";
const OK: &[u8] = b"\0\0\0\x02\0\0\0";

/// What the servers send.
static BYTES: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static SERVERS: LazyLock<[SocketAddr; 2]> =
    LazyLock::new(|| [serve(|client| _ = cassandra(client)), serve(|client| _ = mysql(client))]);

fn bytes() -> Vec<u8> {
    BYTES.lock().expect("no panic").clone()
}

/// The session begins as it should; then each request has these bytes as its result.
fn cassandra(mut client: TcpStream) -> Option<()> {
    let (mut head, mut body) = ([0; 9], Vec::new());
    loop {
        client.read_exact(&mut head).ok()?;
        body.resize(u32::from_be_bytes(head[5..].try_into().expect("four bytes")) as usize, 0);
        client.read_exact(&mut body).ok()?;
        let (operation, answer) = match head[4] {
            OPTIONS => (SUPPORTED, vec![0, 0]),
            STARTUP | REGISTER => (READY, Vec::new()),
            // ScyllaDB's tables, which other servers do not have.
            _ if body.windows(7).any(|text| text == b"scylla_") => {
                (ERROR, b"\0\0\x22\0\0\0".to_vec())
            }
            _ => (RESULT, bytes()),
        };
        let length = (answer.len() as u32).to_be_bytes();
        let reply = [&[0x84, 0, head[2], head[3], operation], &length[..], &answer].concat();
        client.write_all(&reply).ok()?;
    }
}

/// The login is accepted; then everything is answered by these bytes.
fn mysql(mut client: TcpStream) -> Option<()> {
    let mut piece = vec![0; 4096];
    let packet = |number, body: &[u8]| [&[body.len() as u8, 0, 0, number], body].concat();
    client.write_all(&packet(0, GREETING)).ok()?;
    let _log_in = client.read(&mut piece).ok()?;
    client.write_all(&packet(2, OK)).ok()?;
    while client.read(&mut piece).ok()? > 0 {
        client.write_all(&bytes()).ok()?;
    }
    Some(())
}

/// Asks both servers.
pub(crate) fn check(bytes: &[u8]) {
    *BYTES.lock().expect("no panic") = bytes.to_vec();
    let sending = Sending {
        prepares: false,
        consistency: Consistency::One,
        replication: 1,
        settings: CassandraSettings::default(),
    };
    let cassandra = CassandraAccess::cheapest(sending);
    let mysql = MysqlAccess::without_log_in(SqlProtocol::Text);
    let databases: [&dyn Database; 2] = [&cassandra, &mysql];
    for (database, server) in databases.into_iter().zip(*SERVERS) {
        // An answer or an error.
        let _ = database.ask(&Address::Tcp(server), &["SELECT 1".to_owned()], TIMEOUT);
    }
}
