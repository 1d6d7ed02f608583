//! A small server to launch, with the faults that real ones have.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;
use std::time::Duration;

pub(crate) const ARGUMENT: &str = "__server";

/// `PORT` and then `KEY=VALUE`: `status`, `bytes`, `say` (a line), `up` (ms
/// before it listens), `die` (ms until it ends with status 3), `needs` (a port
/// that must take connections at the start), `host` (where it listens), `waits` (HOST:PORT
/// of another, which it waits for before it listens).
pub(crate) fn serve() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    let value = |key: &str| {
        let mut all = arguments.iter().filter_map(|argument| argument.split_once('='));
        all.find(|(name, _)| *name == key).map(|(_, value)| value.to_owned())
    };
    let number = |key: &str| value(key).map(|text| text.parse::<u64>().expect("a number"));
    if let Some(line) = value("say") {
        println!("{line}");
    }
    if let Some(port) = number("needs") {
        TcpStream::connect(("127.0.0.1", port as u16)).expect("the one that it needs is ready");
    }
    std::thread::sleep(Duration::from_millis(number("up").unwrap_or(0)));
    if let Some(ms) = number("die") {
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(ms));
            std::process::exit(3);
        });
    }
    let port: u16 = arguments[0].parse().expect("a port");
    if let Some(other) = value("waits") {
        while TcpStream::connect(&other).is_err() {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    let host = value("host").unwrap_or_else(|| "127.0.0.1".to_owned());
    let listener = TcpListener::bind((host, port)).expect("the port");
    println!("listening on {port}");
    let body = "x".repeat(number("bytes").unwrap_or(2) as usize);
    let status = number("status").unwrap_or(200);
    for stream in listener.incoming() {
        let mut stream = stream.expect("a client");
        let mut request = [0; 1000];
        let _ = stream.read(&mut request);
        let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n", body.len());
        let _ = stream.write_all(format!("{head}{body}").as_bytes());
    }
    ExitCode::SUCCESS
}
