//! A plain blocking client, written only for these tests.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

pub const GET: &str = "GET / HTTP/1.1\r\nHost: test\r\n\r\n";

/// A test that waits longer than this has failed.
const PATIENCE: Duration = Duration::from_secs(30);

trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

pub struct Client {
    stream: Box<dyn Stream>,
    read: Vec<u8>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn says(&self, line: &str) -> bool {
        self.head.lines().any(|text| text == line)
    }
}

impl Client {
    pub fn dial(address: SocketAddr) -> Client {
        Client::over(Client::stream(address))
    }

    /// For tests that need the socket itself.
    pub fn stream(address: SocketAddr) -> TcpStream {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time above zero");
        stream.set_nodelay(true).expect("an open socket");
        stream
    }

    pub fn dial_unix(path: &Path) -> Client {
        let stream = UnixStream::connect(path).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time above zero");
        Client::over(stream)
    }

    fn over(stream: impl Stream + 'static) -> Client {
        Client { stream: Box::new(stream), read: Vec::new() }
    }

    pub fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).expect("the server reads");
    }

    pub fn get(&mut self) -> Reply {
        self.ask().expect("a reply")
    }

    /// The same where the server may end the connection.
    pub fn ask(&mut self) -> io::Result<Reply> {
        self.stream.write_all(GET.as_bytes())?;
        self.reply()
    }

    /// Returns the next reply, to a request that was not HEAD.
    pub fn reply(&mut self) -> io::Result<Reply> {
        let (status, head) = self.head()?;
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
        let body = if let Some(length) = length {
            self.take(length.parse().expect("a length"))?
        } else if head.contains("Transfer-Encoding: chunked") {
            self.chunks()?
        } else if status == 204 {
            Vec::new()
        } else {
            self.rest()?
        };
        Ok(Reply { status, head, body })
    }

    /// Returns the head of the next reply, and its status.
    pub fn head(&mut self) -> io::Result<(u16, String)> {
        let head = self.until(b"\r\n\r\n")?;
        let head = String::from_utf8(head).expect("text");
        let status = head.get(9..12).and_then(|code| code.parse().ok());
        Ok((status.ok_or(io::ErrorKind::InvalidData)?, head))
    }

    /// Returns everything until the server closes.
    pub fn rest(&mut self) -> io::Result<Vec<u8>> {
        self.stream.read_to_end(&mut self.read)?;
        Ok(std::mem::take(&mut self.read))
    }

    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = String::from_utf8(self.until(b"\r\n")?).expect("text");
            let length = usize::from_str_radix(line.trim_end(), 16).expect("a length in hex");
            body.extend(self.take(length)?);
            assert_eq!(self.take(2)?, b"\r\n");
            if length == 0 {
                return Ok(body);
            }
        }
    }

    fn until(&mut self, end: &[u8]) -> io::Result<Vec<u8>> {
        loop {
            let found = self.read.windows(end.len()).position(|bytes| bytes == end);
            if let Some(at) = found {
                return self.take(at + end.len());
            }
            self.more()?;
        }
    }

    fn take(&mut self, length: usize) -> io::Result<Vec<u8>> {
        while self.read.len() < length {
            self.more()?;
        }
        Ok(self.read.drain(..length).collect())
    }

    fn more(&mut self) -> io::Result<()> {
        let mut buffer = [0; 64 * 1024];
        match self.stream.read(&mut buffer)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            length => {
                self.read.extend_from_slice(&buffer[..length]);
                Ok(())
            }
        }
    }
}

/// Sends `request` and nothing else. Returns everything that comes back.
pub fn say_and_finish(address: SocketAddr, request: &str) -> Vec<u8> {
    let mut stream = Client::stream(address);
    stream.write_all(request.as_bytes()).expect("the server reads");
    stream.shutdown(Shutdown::Write).expect("an open socket");
    let mut all = Vec::new();
    stream.read_to_end(&mut all).expect("the server closes");
    all
}
