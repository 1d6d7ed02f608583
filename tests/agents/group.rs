//! A coordinator and its agents, each a process of its own.

pub(crate) use crate::common::errors;
use crate::common::processes::wait_at_most;
use crate::common::running::Running;
use crate::common::{TestDirectory, assert_void_only_by, number, sent};
use serde_json::Value;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use testserver::delay::Delay;
use testserver::{Behaviour, TestServer};

/// Known by all processes of a group.
pub(crate) const TOKEN: &str = "a-token-that-is-only-for-this-test";

/// Differences below a half do not matter: these tests share the cores with others.
pub(crate) const QUICK: &str = "--rounds 6 --round 100ms --slice 25ms --warm-up 25ms --pilot 100ms \
    --connections 8 --matters 50% --cores 1 --gather 60s";

/// [`QUICK`] for a comparison that ends only by its fault.
pub(crate) fn endless() -> String {
    let words = QUICK.replace("--rounds 6", "--rounds 6000");
    assert_ne!(words, QUICK);
    words
}

/// Where a group lives: a directory and an address at which nothing else listens.
pub(crate) struct Group {
    pub(crate) directory: TestDirectory,
    pub(crate) coordinator: SocketAddr,
    size: u32,
}

impl Group {
    /// A group of this many agents.
    pub(crate) fn of(agents: u32) -> Group {
        static NEXT: AtomicU8 = AtomicU8::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let [.., high, low] = std::process::id().to_be_bytes();
        // Nobody else uses this address: so no port is taken.
        let ip = IpAddr::V4(Ipv4Addr::new(127, 64 | high & 63, low, number));
        let directory = TestDirectory::new();
        std::fs::write(directory.file("token"), TOKEN).expect("writes");
        Group { directory, coordinator: SocketAddr::new(ip, 9311), size: agents + 1 }
    }

    /// The command of one process, which writes to pipes.
    pub(crate) fn command(&self, rank: u32, words: &str) -> Command {
        let mut command = self.directory.command(&["compare", "--agents", "env", "--out", "run"]);
        command.args(words.split_whitespace()).args(["--quiet", "--json", "report.json"]);
        command.env("TIEBREAK_COORDINATOR", self.coordinator.to_string());
        command.env("TIEBREAK_TOKEN_FILE", self.directory.file("token"));
        command.env("TIEBREAK_RANK", rank.to_string());
        command.env("TIEBREAK_SIZE", self.size.to_string());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn start(&self, rank: u32, words: &str) -> Running {
        Running::new(self.command(rank, words).spawn().expect("tiebreak starts"))
    }

    /// Starts all processes, the coordinator first.
    pub(crate) fn start_all(&self, words: &str) -> Vec<Running> {
        (0..self.size).map(|rank| self.start(rank, words)).collect()
    }

    /// Starts all processes and waits for their ends.
    pub(crate) fn run(&self, words: &str) -> Vec<Output> {
        self.start_all(words).into_iter().map(Running::output).collect()
    }

    /// Runs a comparison in which everything goes well, and returns its report.
    pub(crate) fn driven(&self, words: &str) -> Value {
        let outputs = self.run(words);
        let report = judged(&outputs[0], &self.directory);
        for (rank, output) in outputs.iter().enumerate().skip(1) {
            assert_eq!(output.status.code(), Some(0), "{rank}: {}", errors(output));
            assert!(output.stdout.is_empty(), "agents report nothing");
        }
        report
    }

    pub(crate) fn report(&self) -> Value {
        self.directory.json("report.json")
    }

    /// The events of a journal: that of the coordinator (0), or of an agent.
    pub(crate) fn events(&self, rank: u32) -> Vec<Value> {
        let name = match rank {
            0 => PathBuf::from("run"),
            rank => PathBuf::from(format!("run.agent-{rank}")),
        };
        let text = std::fs::read_to_string(self.directory.path().join(name).join("journal.jsonl"));
        let line = |line: &str| -> Value { serde_json::from_str(line).expect("JSON") };
        let text = text.unwrap_or_default();
        // A process that was killed may leave half a line.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        whole.lines().map(|text| line(text)["event"].clone()).collect()
    }

    /// How many rounds of the first contender are in the coordinator's journal.
    pub(crate) fn rounds(&self) -> usize {
        let events = self.events(0);
        let trials = events.iter().map(|event| &event["trial"]);
        trials.filter(|trial| trial["phase"] == "round" && trial["contender"] == 0).count()
    }
}

/// A server whose replies take this long and no CPU time.
pub(crate) fn serve(reply: Duration) -> TestServer {
    serve_with(Behaviour { delay: Delay::Fixed(reply), ..Behaviour::default() })
}

pub(crate) fn serve_with(behaviour: Behaviour) -> TestServer {
    TestServer::start(behaviour, None).expect("the test server starts")
}

/// Two contenders: these servers.
pub(crate) fn contenders(a: &TestServer, b: &TestServer) -> String {
    format!("a=http://{}/ b=http://{}/", a.address(), b.address())
}

/// Checks that these servers counted what the report says of their contenders, which so many agents
/// drove. Stops the servers.
pub(crate) fn agree(report: &Value, servers: [TestServer; 2], agents: usize) {
    for (server, of) in servers.into_iter().zip(report["contenders"].as_array().expect("two")) {
        assert_eq!(server.stop().requests, sent(of), "{of}");
        let each = of["agents"].as_array().expect("figures of each agent");
        assert_eq!(each.len(), agents, "{of}");
        let sum: f64 = each.iter().map(|agent| number(&agent["operations"])).sum();
        // On a busy machine, a reply may be read while the other contender is driven: in no slice.
        let at_rest = of["read_at_rest"].as_f64().unwrap_or(0.0);
        assert_eq!(sum + at_rest, number(&of["operations"]));
        assert!(sum > 0.0, "{of}");
    }
}

/// Checks that a coordinator judged, and returns the report that it wrote into its directory. On a busy
/// machine an agent may start its slices so late that the audit refuses, rightly; nothing else is an
/// excuse.
pub(crate) fn judged(output: &Output, directory: &TestDirectory) -> Value {
    // Shown if the test fails.
    println!("{}: {}", output.status, errors(output));
    let run = (output.status.code().expect("no signal"), directory.json("report.json"));
    assert_void_only_by(&run, &["agents_out_of_step"]);
    run.1
}

/// Waits as long as a busy machine may take.
pub(crate) fn wait_for(what: &str, done: impl FnMut() -> bool) {
    wait_at_most(Duration::from_secs(60), what, done);
}
