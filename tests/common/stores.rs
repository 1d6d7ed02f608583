//! Real stores, each in a process of its own on a port of its own.

use protocol::testing::{Server, free_port, reply};
use record::Address;
use std::net::SocketAddr;
use std::process::Command;

/// A store that runs until it is dropped.
pub(crate) struct Store {
    server: Server,
    pub(crate) address: SocketAddr,
    scheme: &'static str,
    program: Vec<String>,
}

impl Store {
    pub(crate) fn memcached(more: &[&str]) -> Store {
        let words = ["memcached", "-l", "127.0.0.1", "-U", "0", "-u", "nobody", "-p"];
        Store::start("memcached", &words, more)
    }

    pub(crate) fn redis(more: &[&str]) -> Store {
        let words = ["redis-server", "--bind", "127.0.0.1", "--save", "", "--port"];
        Store::start("redis", &words, more)
    }

    /// The port follows the words of the program.
    fn start(scheme: &'static str, words: &[&str], more: &[&str]) -> Store {
        let address = free_port();
        let port = address.port().to_string();
        let program = [words, &[&port], more].concat();
        let program: Vec<String> = program.iter().map(|word| (*word).to_owned()).collect();
        Store { server: run(&program, address), address, scheme, program }
    }

    pub(crate) fn url(&self) -> String {
        self.url_at(self.address)
    }

    /// Returns the same protocol at another address.
    pub(crate) fn url_at(&self, address: SocketAddr) -> String {
        format!("{}://{address}", self.scheme)
    }

    /// Its reply to a command, as the protocol frames it.
    pub(crate) fn says(&self, command: &str) -> String {
        reply(self.address, command)
    }

    /// What its fingerprint says, as the protocol frames it.
    pub(crate) fn fingerprint(&self) -> String {
        self.says("get tiebreak00:loaded\r\n")
    }

    pub(crate) fn kill(&mut self) {
        self.server.kill();
    }

    /// Kills it and starts it again on its port. What it had in memory is gone.
    pub(crate) fn restart(&mut self) {
        self.kill();
        self.server = run(&self.program, self.address);
    }
}

fn run(program: &[String], address: SocketAddr) -> Server {
    let mut command = Command::new(&program[0]);
    command.args(&program[1..]);
    Server::start(Address::Tcp(address), command)
}
