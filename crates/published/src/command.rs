//! The command line of a tool, pasted above its output: it contains what the output does not.

use crate::key::{Fact, Key, Label};
use crate::numbers::{Number, number, seconds};
use crate::tools::{Facts, TOOLS, Tool};

/// A command line that calls a tool.
#[derive(Clone, Debug)]
pub(crate) struct CommandLine {
    pub(crate) tool: &'static Tool,
    pub(crate) facts: Facts,
    /// The call, from the tool's name on.
    pub(crate) text: String,
}

/// Longest prompt, in bytes.
const LONGEST_PROMPT: usize = 100;

/// Programs and words that call others.
const CALLERS: &[&str] = &[
    "bash",
    "cargo",
    "cat",
    "cd",
    "chrt",
    "date",
    "do",
    "docker",
    "docker-compose",
    "echo",
    "env",
    "exec",
    "export",
    "for",
    "go",
    "ip",
    "java",
    "jq",
    "kubectl",
    "nice",
    "node",
    "nohup",
    "npx",
    "numactl",
    "oc",
    "perf",
    "podman",
    "printf",
    "repeat",
    "run",
    "set",
    "sh",
    "ssh",
    "stdbuf",
    "sudo",
    "sync",
    "taskset",
    "time",
    "timeout",
    "ulimit",
    "while",
    "yarn",
    "npm",
    "pnpm",
];

/// Other names of tools.
const NAMES: &[(&str, &str)] = &[
    ("boom", "hey"),
    ("autocannon.js", "autocannon"),
    ("memtier", "memtier_benchmark"),
    ("valkey-benchmark", "redis-benchmark"),
    ("keydb-benchmark", "redis-benchmark"),
    ("ycsb", "YCSB"),
    ("ycsb.sh", "YCSB"),
    ("site.ycsb.Client", "YCSB"),
    ("com.yahoo.ycsb.Client", "YCSB"),
    ("jmeter", "JMeter"),
    ("jmeter.sh", "JMeter"),
    ("wrk2", "wrk2"),
    ("apachebench", "ab"),
    ("memtier-benchmark", "memtier_benchmark"),
];

/// Reads a line that calls a tool. Returns None if the line is not a command.
pub(crate) fn parse(line: &str) -> Option<CommandLine> {
    let marked = prompt(line);
    if marked.is_none() && !line.contains(" -") {
        return None;
    }
    let call = marked.unwrap_or(line).trim_matches('`');
    let words: Vec<&str> = call.split_whitespace().collect();
    // A container can have the name of the tool: `kubectl exec x -c fortio -- fortio load`.
    let is_call = |at: &usize| tool_of(words[*at]).is_some() && words.get(at + 1) != Some(&"--");
    let at = (0..words.len().min(40)).find(is_call)?;
    let called = tool_of(words[at])?;
    let has_flag = words[at + 1..].iter().any(|word| word.starts_with('-'));
    let before = &words[..at];
    let by_caller = before.first().is_some_and(|word| {
        CALLERS.contains(word) || word.contains('=') && word.starts_with(char::is_alphabetic)
    });
    let is_command = match (before.is_empty(), marked.is_some()) {
        (true, true) => true,
        (true, false) => has_flag && !call.ends_with(['.', ':']),
        (false, true) => by_caller || before.iter().any(|word| joins(word)),
        (false, false) => by_caller && has_flag,
    };
    if !is_command {
        return None;
    }
    let rest = &words[at..];
    let end = rest.iter().position(|word| joins(word)).unwrap_or(rest.len());
    let rest = &rest[..end];
    let asks_rate =
        called.name == "wrk" && (value(rest, "-R").or_else(|| value(rest, "--rate"))).is_some();
    let tool = if asks_rate { named("wrk2")? } else { called };
    Some(CommandLine { tool, facts: facts(tool, rest, &words), text: words.join(" ") })
}

/// Whether a line begins with the prompt of a shell.
pub(crate) fn has_prompt(line: &str) -> bool {
    prompt(line).is_some()
}

/// Whether a word stands between two calls.
fn joins(word: &str) -> bool {
    matches!(word, "|" | "&&" | "||" | ";" | ">" | ">>" | "2>&1" | "&" | "--")
        || word.ends_with(';')
}

fn named(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name).copied()
}

/// The tool whose program, package or image a word names.
fn tool_of(word: &str) -> Option<&'static Tool> {
    let word = word.trim_matches(['"', '\'', '(', ')', '`']);
    let name = word.rsplit(['/', '\\']).next()?;
    let name = name.split([':', '@']).next()?;
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let other = NAMES.iter().find(|(other, _)| *other == name).map_or(name, |(_, tool)| tool);
    named(other).or_else(|| {
        // `bombardier-linux-amd64`, `hey_linux_amd64`
        let (name, system) = name.split_once(['-', '_'])?;
        let is_system = ["linux", "darwin", "windows"].iter().any(|of| system.starts_with(of));
        named(name).filter(|_| is_system)
    })
}

/// The rest of a line behind a prompt: `$ `, `user@host:~$ `, `[root@host ~]# `, `C:\> `.
fn prompt(line: &str) -> Option<&str> {
    let bytes = line.as_bytes().iter().take(LONGEST_PROMPT).enumerate();
    let ends = bytes.filter(|(_, byte)| b"$#%>".contains(byte)).map(|(at, _)| at);
    for at in ends {
        let (before, rest) = (&line[..at], &line[at + 1..]);
        let of_shell = before.is_empty()
            || before.contains(['@', '~', '\\', '[', '/'])
            || ["PS ", "bash", "sh-", "mysql"].iter().any(|shell| before.starts_with(shell))
            || line[at..].starts_with("$ ") && is_host_and_user(before);
        let is_url = before.contains("://");
        if of_shell
            && !is_url
            && rest.starts_with(|c: char| c.is_whitespace() || c.is_ascii_alphabetic() || c == '.')
        {
            return Some(rest.trim_start());
        }
    }
    if let Some(rest) = line.strip_prefix('➜') {
        // The directory, and the state of its repository.
        let (_, rest) = rest.trim_start().split_once(' ')?;
        let rest = rest.trim_start();
        let rest =
            rest.strip_prefix("git:(").map_or(Some(rest), |of| Some(of.split_once(' ')?.1))?;
        return Some(rest.trim_start_matches(['✗', ' ']));
    }
    ["❯", "λ", "+ ", "Run ", "»"].iter().find_map(|mark| line.strip_prefix(mark)).map(str::trim)
}

/// `Macbook:bench user`, which macOS prints before `$ `.
fn is_host_and_user(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    matches!(words[..], [place, user] if !user.is_empty()
    && place.split_once(':').is_some_and(|(host, directory)| {
        !host.is_empty() && !directory.is_empty()
    }))
}

fn facts(tool: &Tool, words: &[&str], all: &[&str]) -> Facts {
    let mut facts = Facts::default();
    facts.text(Label::Command, &words.join(" "));
    let url = words.iter().chain(all).find(|word| word.contains("://"));
    if let Some(url) = url {
        facts.text(Label::Target, url.trim_matches(['"', '\'', ';']));
    }
    for (tools, flags, key, read) in FLAGS {
        if tools.contains(&tool.name)
            && let Some(text) = flags.iter().find_map(|flag| value(words, flag))
            && let Number::Clear(value) = read(text)
        {
            facts.0.push(Fact::Figure(*key, value));
        }
    }
    for (name, key, value) in DEFAULTS {
        if *name == tool.name && figure(&facts, *key).is_none() {
            facts.0.push(Fact::Figure(*key, *value));
        }
    }
    let reconnects = |word: &&str| word.starts_with("-C") || *word == "--connect";
    if tool.name == "pgbench" && words.iter().any(reconnects) {
        facts.0.push(Fact::Figure(Key::KeptAlive, 0.0));
    }
    if tool.name == "autocannon" {
        facts.0.extend(rate_of_all(words, &facts));
    }
    facts
}

/// What a tool does if the flag is not given, and does not print in its short form.
const DEFAULTS: &[(&str, Key, f64)] = &[
    ("autocannon", Key::Connections, 10.0),
    ("redis-benchmark", Key::Connections, 50.0),
    ("redis-benchmark", Key::Pipeline, 1.0),
    ("memtier_benchmark", Key::Threads, 4.0),
    ("memtier_benchmark", Key::ConnectionsPerThread, 50.0),
];

fn figure(facts: &Facts, key: Key) -> Option<f64> {
    facts.0.iter().find_map(|fact| match fact {
        Fact::Figure(of, value) if *of == key => Some(*value),
        _ => None,
    })
}

/// The rate of all connections, if autocannon was given that of one.
fn rate_of_all(words: &[&str], facts: &Facts) -> Option<Fact> {
    let each = value(words, "-r").or_else(|| value(words, "--connectionRate"))?;
    match (number(each), figure(facts, Key::Connections)) {
        (Number::Clear(each), Some(connections)) => {
            Some(Fact::Figure(Key::AskedRate, each * connections))
        }
        _ => None,
    }
}

/// Tools, their flags, and what the value of a flag is.
type Flag = (&'static [&'static str], &'static [&'static str], Key, fn(&str) -> Number);

const FLAGS: &[Flag] = &[
    (&["hey", "oha"], &["-q"], Key::AskedRate, number),
    (&["h2load"], &["--rps"], Key::AskedRate, number),
    (&["wrk2"], &["-R", "--rate"], Key::AskedRate, number),
    (&["bombardier"], &["-r", "--rate"], Key::AskedRate, number),
    (&["autocannon"], &["-R", "--overallRate"], Key::AskedRate, number),
    (&["vegeta"], &["-rate", "--rate"], Key::AskedRate, per_second),
    (&["sysbench"], &["--rate"], Key::AskedRate, number),
    (&["pgbench"], &["-R", "--rate"], Key::AskedRate, number),
    (&["fortio"], &["-qps"], Key::AskedRate, number),
    (&["YCSB"], &["-target"], Key::AskedRate, number),
    (&["redis-benchmark"], &["-r"], Key::Keys, number),
    (&["redis-benchmark"], &["-P"], Key::Pipeline, number),
    (&["redis-benchmark"], &["-n"], Key::Operations, number),
    (&["memtier_benchmark"], &["--pipeline"], Key::Pipeline, number),
    (&["memtier_benchmark"], &["-t", "--threads"], Key::Threads, number),
    (&["memtier_benchmark"], &["-c", "--clients"], Key::ConnectionsPerThread, number),
    (&["memtier_benchmark"], &["-n", "--requests"], Key::PerClient, number),
    (&["h2load"], &["-m", "--max-concurrent-streams"], Key::Pipeline, number),
    (&["autocannon"], &["-p", "--pipelining"], Key::Pipeline, number),
    (CLIENTS, &["-c", "--connections", "--concurrent"], Key::Connections, number),
    (&["cassandra-stress"], &["threads="], Key::Connections, number),
    (&["YCSB"], &["-threads"], Key::Connections, number),
    (&["hey", "oha"], &["-z"], Key::AskedDuration, seconds),
];

/// Tools whose flag `-c` is the number of connections.
const CLIENTS: &[&str] = &[
    "ab",
    "wrk",
    "wrk2",
    "hey",
    "oha",
    "h2load",
    "siege",
    "bombardier",
    "autocannon",
    "fortio",
    "redis-benchmark",
];

/// vegeta's `-rate 50`, `50/s` and `50/1s`. 0 is as many as possible.
fn per_second(text: &str) -> Number {
    match text.split_once('/') {
        Some((rate, "s" | "1s")) => number(rate),
        Some(_) => Number::Unclear,
        None => number(text),
    }
}

/// The value of a flag, `-q 100`, `-q100`, `--rps=100`; the last one, if it is repeated.
fn value<'a>(words: &[&'a str], flag: &str) -> Option<&'a str> {
    words.iter().enumerate().rev().find_map(|(at, word)| {
        let rest = word.strip_prefix(flag)?;
        match rest.strip_prefix('=').unwrap_or(rest) {
            "" => words.get(at + 1).copied(),
            value => value.starts_with(|c: char| c.is_ascii_digit()).then_some(value),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_behind_prompts_and_callers() {
        for before in [
            "",
            "$ ",
            "# ",
            "% ",
            "user@host:~$ ",
            "user@host:~/bench (main)$ ",
            "[root@host ~]# ",
            "root@0a1b2c:/# ",
            "PS C:\\bench> ",
            "➜  ~ ",
            "+ ",
            "$ sudo -E ",
            "time ",
            "$ docker run --rm --network host williamyeh/",
            "$ taskset -c 2,3 ./",
            "$ ulimit -n 9999; ",
            "$ A=1 ",
        ] {
            let line = format!("{before}wrk -t2 -c64 -d10s http://127.0.0.1:8080/");
            let command = parse(&line);
            let tool = command.as_ref().map(|command| command.tool.name);
            assert_eq!(tool, Some("wrk"), "{line}");
            let facts = command.map(|command| command.facts.0).unwrap_or_default();
            assert!(facts.contains(&Fact::Figure(Key::Connections, 64.0)), "{line}: {facts:?}");
        }
        let name = |line: &str| parse(line).map(|command| command.tool.name);
        assert_eq!(name("$ wrk -R1000 -c10 http://x/"), Some("wrk2"));
        assert_eq!(
            name("PS C:\\> .\\bombardier-windows-amd64.exe -c 10 http://x/"),
            Some("bombardier")
        );
        assert_eq!(name("$ echo \"GET http://x/\" | vegeta attack -rate=50"), Some("vegeta"));
        for prose in [
            "I used wrk -t2 for this.",
            "wrk",
            "wrk prints this:",
            "The result of ab -k is:",
            "SET: 1000.00 requests per second",
            "50%     $ 12",
        ] {
            assert_eq!(name(prose), None, "{prose}");
        }
    }
}
