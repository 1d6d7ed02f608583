//! A server that repeats the password with which it was logged in to, in everything that it says.

use crate::common::{TestDirectory, errors, stdout};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

const PASSWORD: &str = "pw-that-is-repeated";

/// Answers as Redis does, on as many connections as come.
fn server() -> String {
    protocol::testing::serve(|connection| _ = answer(connection)).to_string()
}

fn answer(connection: TcpStream) -> std::io::Result<()> {
    let mut from = BufReader::new(connection.try_clone()?);
    let mut to = connection;
    let (mut gets, bulk) = (0, |text: &str| format!("${}\r\n{text}\r\n", text.len()));
    loop {
        let words = command(&mut from)?;
        let text = match words[0].to_ascii_uppercase().as_str() {
            "AUTH" | "SET" | "SELECT" => "+OK\r\n".to_owned(),
            "PING" => "+PONG\r\n".to_owned(),
            "EXISTS" | "DBSIZE" | "DEL" => ":0\r\n".to_owned(),
            "INFO" => bulk(&format!("redis_version:7.0 {PASSWORD}\r\nmaxmemory:0\r\n")),
            "CONFIG" => format!("*2\r\n{}{}", bulk(&words[2]), bulk(PASSWORD)),
            "GET" if gets % 2 == 0 => "$-1\r\n".to_owned(),
            other => format!("-ERR {other} is not for {PASSWORD}\r\n"),
        };
        gets += u32::from(words[0] == "GET");
        to.write_all(text.as_bytes())?;
    }
}

fn command(from: &mut impl BufRead) -> std::io::Result<Vec<String>> {
    let number = |from: &mut dyn BufRead| -> std::io::Result<usize> {
        let mut line = String::new();
        match from.read_line(&mut line)? {
            0 => Err(std::io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(line[1..].trim_end().parse().expect("a number")),
        }
    };
    let words = 0..number(from)?;
    let word = |_| {
        let mut bytes = vec![0; number(from)? + 2];
        from.read_exact(&mut bytes)?;
        bytes.truncate(bytes.len() - 2);
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    words.map(word).collect()
}

#[test]
fn the_password_of_an_address_is_in_no_report_journal_or_message() {
    let directory = TestDirectory::new();
    let url = format!("redis://:{PASSWORD}@{}/0", server());
    let files = ["--json", "o.json", "--html", "o.html", "--markdown", "o.md", "--junit", "o.xml"];
    let run = ["run", &url, "--duration", "200ms", "--keys", "10", "--out", "run"];
    let driven = directory.tiebreak(&[&run[..], &files].concat());
    let loaded = directory.tiebreak(&["load", &url, "--keys", "10"]);
    let mut texts = Vec::new();
    for output in [&driven, &loaded] {
        texts.extend([stdout(output), errors(output)]);
    }
    for file in ["run/journal.jsonl", "run/report.json", "o.json", "o.html", "o.md", "o.xml"] {
        texts.push(std::fs::read_to_string(directory.file(file)).expect(file));
    }
    for part in ["7.0 ****", "appendonly ****", "ERR GET is not for ****"] {
        assert!(texts[4].contains(part), "{part}: {}\n{}", errors(&driven), texts[4]);
    }
    for text in texts {
        assert!(!text.contains(PASSWORD), "{text}");
    }
}
