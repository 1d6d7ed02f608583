//! Real stores, each in a separate process on a separate port.

use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tiebreak::targets::ports;

/// A store that runs until it is dropped.
pub(crate) struct Store {
    pub(crate) address: SocketAddr,
    scheme: &'static str,
    program: Vec<String>,
    child: Child,
}

pub(crate) fn redis() -> Store {
    redis_with(&[])
}

pub(crate) fn redis_with(more: &[&str]) -> Store {
    let words = ["redis-server", "--bind", "127.0.0.1", "--save", "", "--port"];
    Store::start("redis", &words, more)
}

pub(crate) fn memcached() -> Store {
    memcached_with(&[])
}

pub(crate) fn memcached_with(more: &[&str]) -> Store {
    let words = ["memcached", "-l", "127.0.0.1", "-U", "0", "-u", "nobody", "-p"];
    Store::start("memcached", &words, more)
}

impl Store {
    fn start(scheme: &'static str, words: &[&str], more: &[&str]) -> Store {
        let port = ports::free().expect("a port");
        let port_word = port.to_string();
        let program = [words, &[&port_word], more].concat();
        let program: Vec<String> = program.iter().map(|word| (*word).to_owned()).collect();
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let child = start(&program, address);
        Store { address, scheme, program, child }
    }

    pub(crate) fn url(&self) -> String {
        self.url_at(self.address)
    }

    /// Returns the same protocol at another address.
    pub(crate) fn url_at(&self, address: SocketAddr) -> String {
        format!("{}://{address}", self.scheme)
    }

    /// Kills it and restarts it on its port; its content is gone.
    pub(crate) fn restart(&mut self) {
        self.kill();
        self.child = start(&self.program, self.address);
    }

    fn kill(&mut self) {
        self.child.kill().expect("our child");
        self.child.wait().expect("our child");
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.kill();
    }
}

fn start(program: &[String], address: SocketAddr) -> Child {
    let mut command = Command::new(&program[0]);
    command.args(&program[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("./test installs it");
    let gives_up = Instant::now() + Duration::from_secs(30);
    while TcpStream::connect(address).is_err() {
        assert!(child.try_wait().expect("our child").is_none(), "{program:?} ended");
        assert!(Instant::now() < gives_up, "{program:?} does not listen");
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}
