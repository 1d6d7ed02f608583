//! `tiebreak testserver`: runs the server of known behaviour as a process.

use crate::cli::{output_file, outputs};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use sys::signals::SignalFd;
use testserver::behaviour::DEFAULT_BODY_BYTES;
use testserver::{
    Behaviour, Body, Deferred, Delay, Framing, Freeze, PathService, Report, Slow, SlowBody, Stall,
    TestServer, Workers,
};
use text::quantities::duration;

const EXAMPLES: &str = "\
Examples:
  tiebreak testserver --listen 127.0.0.1:8080 --delay 1ms
      sends every reply after 1 ms, without using the CPU
  tiebreak testserver --listen 127.0.0.1:8080 --service 100us
      sends at most 10,000 replies a second
  tiebreak testserver --listen 127.0.0.1:8080 --workers 4 --service-distribution exponential:2ms
      is a queue with four workers, whose response times can be computed
  tiebreak testserver --listen 127.0.0.1:8080 --freeze 1s --every 10s
      freezes for 1 s of every 10 s: does a load generator notice?
  tiebreak testserver --listen 127.0.0.1:8080 --status-nth 100:503
      every 100th reply is an error";

/// A server of exactly known behaviour, on loopback. SIGINT and SIGTERM stop it, and it
/// prints its counts. Times are written with their unit: 100us, 1.5ms
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct TestserverArgs {
    /// Address to listen on, loopback only; with port 0 the system chooses a port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Also listen on this unix socket
    #[arg(long, value_name = "PATH")]
    unix: Option<PathBuf>,
    /// Core to run on
    #[arg(long, value_name = "N")]
    core: Option<u32>,
    /// Seed of delays, of the services of --workers and of random bodies
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Never sleep: times of arrival are then exact, but a core is busy all the time
    #[arg(long)]
    awake: bool,
    /// Write the time of each arrival to this file when the server stops
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    #[command(flatten)]
    times: Times,
    #[command(flatten)]
    page: Page,
    #[command(flatten)]
    faults: Faults,
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "When it answers")]
struct Times {
    /// CPU work for each reply, by spinning, one reply after the other: the maximum
    /// throughput is 1/TIME
    #[arg(long, value_name = "TIME", value_parser = duration)]
    service: Option<Duration>,
    /// Service time of requests for this path, in place of that of --service; repeatable
    #[arg(long, value_name = "PATH=TIME", value_parser = path_service)]
    path: Vec<PathService>,
    /// Linear growth of --service per second since the first request, e.g. 10%/s
    #[arg(long, value_name = "PERCENT", value_parser = percent_per_second)]
    #[arg(requires = "service", allow_hyphen_values = true)]
    service_drift: Option<f64>,
    /// Compound growth of --service: 50%/s makes it 1.5 times as long after one second,
    /// and 2.25 times after two
    #[arg(long, value_name = "PERCENT", value_parser = percent_per_second)]
    #[arg(requires = "service", allow_hyphen_values = true)]
    service_growth: Option<f64>,
    /// Serve by this many workers behind one queue, each one request at a time, by timers
    /// and without using the CPU
    #[arg(long, value_name = "N", requires = "service_distribution")]
    workers: Option<NonZeroU32>,
    /// How long a worker serves a request: constant:TIME, exponential:MEAN,
    /// lognormal:MEDIAN,SIGMA or uniform:LOW,HIGH
    #[arg(long, value_name = "DISTRIBUTION", requires = "workers")]
    service_distribution: Option<Delay>,
    /// CPU work that every reply adds to the next flush
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "flush_every")]
    deferred: Option<Duration>,
    /// Interval at which the --deferred work is done, by spinning
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "deferred")]
    flush_every: Option<Duration>,
    /// Measure work with the CPU clock: it takes longer if the core is shared
    #[arg(long)]
    by_cpu_clock: bool,
    /// Wait this long after arrival, without using the CPU
    #[arg(long, value_name = "TIME", value_parser = duration)]
    delay: Option<Duration>,
    /// Wait a random time: constant:TIME, exponential:MEAN, lognormal:MEDIAN,SIGMA or uniform:LOW,HIGH
    #[arg(long, value_name = "DISTRIBUTION", conflicts_with = "delay")]
    delay_distribution: Option<Delay>,
    /// Delay every n-th reply of the server by --slow-by
    #[arg(long, value_name = "N", requires = "slow_by")]
    slow_nth: Option<NonZeroU64>,
    /// Delay of the replies that --slow-nth selects
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "slow_nth")]
    slow_by: Option<Duration>,
    /// Regularly accept, read and answer nothing for this long
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "every")]
    freeze: Option<Duration>,
    /// Time from the start of one freeze to the start of the next
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "freeze")]
    every: Option<Duration>,
    /// Start of the first freeze after the first request [default: half of --every]
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "freeze")]
    freeze_at: Option<Duration>,
    /// Accept, read and answer nothing for --stall-for after every n-th request of the server
    #[arg(long, value_name = "N", requires = "stall_for")]
    stall_nth: Option<NonZeroU64>,
    /// Length of the pauses that --stall-nth selects
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "stall_nth")]
    stall_for: Option<Duration>,
    /// Accept connections and read requests, but never answer
    #[arg(long)]
    never_reply: bool,
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "What it answers")]
struct Page {
    /// Length of the page in bytes
    #[arg(long, value_name = "N", default_value_t = DEFAULT_BODY_BYTES)]
    body_bytes: usize,
    /// Answer with the content of this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["body_bytes", "empty", "body_random"])]
    body: Option<PathBuf>,
    /// Answer with an empty body
    #[arg(long, conflicts_with_all = ["body_bytes", "body_random"])]
    empty: bool,
    /// Answer with different random letters each time
    #[arg(long)]
    body_random: bool,
    /// Send the body in chunks
    #[arg(long, conflicts_with = "http10")]
    chunked: bool,
    /// Answer in HTTP/1.0: the end of the connection is the end of the body
    #[arg(long)]
    http10: bool,
    /// Status of all replies
    #[arg(long, value_name = "CODE", default_value_t = 200)]
    status: u16,
    /// Another status for every n-th reply
    #[arg(long, value_name = "N:CODE", value_parser = nth_status)]
    status_nth: Option<(NonZeroU64, u16)>,
    /// Send the body in this many pieces, with a pause of GAP between them
    #[arg(long, value_name = "PIECES,GAP", value_parser = slow_body)]
    slow_body: Option<SlowBody>,
    /// The n-th reply of a connection says `Connection: close` and is its last
    #[arg(long, value_name = "N")]
    close_every: Option<NonZeroU64>,
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "How it fails")]
struct Faults {
    /// Answer every n-th request with a TCP reset
    #[arg(long, value_name = "N")]
    reset_nth: Option<NonZeroU64>,
    /// Truncate every n-th reply
    #[arg(long, value_name = "N")]
    truncate_nth: Option<NonZeroU64>,
    /// Send every n-th reply as bytes that are not HTTP
    #[arg(long, value_name = "N")]
    garbage_nth: Option<NonZeroU64>,
    /// Reset every n-th connection after accepting it
    #[arg(long, value_name = "N")]
    refuse_nth: Option<NonZeroU64>,
}

impl TestserverArgs {
    /// The behaviour that the flags ask for.
    ///
    /// # Errors
    /// If the file of `--body` cannot be read, or if the flags contradict each other.
    pub fn behaviour(&self) -> Result<Behaviour, String> {
        let Times { service, service_drift, service_growth, deferred, flush_every, .. } =
            self.times;
        let Times { slow_nth, slow_by, freeze, every, freeze_at, .. } = self.times;
        let Times { stall_nth, stall_for, workers, service_distribution, .. } = self.times;
        let behaviour = Behaviour {
            listen: self.listen,
            unix: self.unix.clone(),
            seed: self.seed,
            service: service.unwrap_or_default(),
            paths: self.times.path.clone(),
            service_drift: service_drift.unwrap_or_default(),
            service_growth: service_growth.unwrap_or_default(),
            workers: workers
                .zip(service_distribution)
                .map(|(count, service)| Workers { count, service }),
            deferred: deferred
                .zip(flush_every)
                .map(|(work, flush_every)| Deferred { work, flush_every }),
            by_cpu_clock: self.times.by_cpu_clock,
            delay: self.times.delay(),
            slow: slow_nth.zip(slow_by).map(|(nth, by)| Slow { nth, by }),
            freeze: freeze.zip(every).map(|(lasts, every)| Freeze {
                lasts,
                every,
                first: freeze_at.unwrap_or(every / 2),
            }),
            stall: stall_nth.zip(stall_for).map(|(nth, lasts)| Stall { nth, lasts }),
            body: self.page.body()?,
            status: self.page.status,
            status_nth: self.page.status_nth,
            header_bytes: 0,
            framing: self.page.framing(),
            slow_body: self.page.slow_body,
            close_every: self.page.close_every,
            reset_nth: self.faults.reset_nth,
            truncate_nth: self.faults.truncate_nth,
            garbage_nth: self.faults.garbage_nth,
            refuse_nth: self.faults.refuse_nth,
            never_reply: self.times.never_reply,
            awake: self.awake,
            log: self.log.is_some(),
        };
        behaviour.check().map(|()| behaviour)
    }
}

impl Times {
    fn delay(&self) -> Delay {
        match (self.delay, self.delay_distribution) {
            (Some(delay), _) => Delay::Fixed(delay),
            (None, Some(distribution)) => distribution,
            (None, None) => Delay::None,
        }
    }
}

impl Page {
    fn body(&self) -> Result<Body, String> {
        match &self.body {
            Some(path) => {
                let read = std::fs::read(path);
                let bytes = read.map_err(|error| format!("--body {}: {error}", path.display()))?;
                Ok(Body::Bytes(bytes.into()))
            }
            None if self.empty => Ok(Body::Page(0)),
            None if self.body_random => Ok(Body::Random(self.body_bytes)),
            None => Ok(Body::Page(self.body_bytes)),
        }
    }

    fn framing(&self) -> Framing {
        match (self.chunked, self.http10) {
            (true, _) => Framing::Chunked,
            (_, true) => Framing::Http10,
            _ => Framing::Length,
        }
    }
}

/// Parses `10%/s` or `10%`, a share per second.
fn percent_per_second(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix("/s").unwrap_or(text).strip_suffix('%');
    let percent = number.and_then(|number| number.parse::<f64>().ok()).filter(|p| p.is_finite());
    percent
        .map(|percent| percent / 100.0)
        .ok_or_else(|| format!("`{text}` is not a rate of growth, such as 10%/s"))
}

/// Parses `/b=110us`.
fn path_service(text: &str) -> Result<PathService, String> {
    let (path, service) = text
        .rsplit_once('=')
        .ok_or_else(|| format!("`{text}` must be a path and its service time, such as /b=110us"))?;
    Ok(PathService { path: path.to_owned(), service: duration(service)? })
}

fn nth_status(text: &str) -> Result<(NonZeroU64, u16), String> {
    let parts = text.split_once(':');
    let parsed = parts.and_then(|(nth, code)| Some((nth.parse().ok()?, code.parse().ok()?)));
    parsed.ok_or_else(|| {
        format!("`{text}` must be such as 10:503, for status 503 in every 10th reply")
    })
}

fn slow_body(text: &str) -> Result<SlowBody, String> {
    let wrong = || format!("`{text}` must be such as 4,10ms, for 4 pieces with pauses of 10 ms");
    let (pieces, gap) = text.split_once(',').ok_or_else(wrong)?;
    Ok(SlowBody { pieces: pieces.parse().map_err(|_| wrong())?, gap: duration(gap)? })
}

/// Serves until SIGINT or SIGTERM, then prints the counts as one line of JSON.
/// Exit code 0; 2 if the flags are invalid; 5 if it could not listen or write.
pub fn run(args: &TestserverArgs) -> ExitCode {
    let behaviour = match args.behaviour() {
        Ok(behaviour) => behaviour,
        Err(error) => return failed(&error, 2),
    };
    match serve(args, behaviour) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error.to_string(), 5),
    }
}

fn failed(error: &str, code: u8) -> ExitCode {
    outputs::complain(&format!("tiebreak testserver: {error}"));
    ExitCode::from(code)
}

fn serve(args: &TestserverArgs, behaviour: Behaviour) -> io::Result<()> {
    // Done before the thread of the server starts, so that it inherits the signal mask.
    let signals = SignalFd::block(&[libc::SIGINT, libc::SIGTERM])?;
    // The default limit of 1024 is too low for 4096 connections. If it cannot be raised,
    // the counts show the connections that were not accepted.
    let _ = sys::limits::raise_descriptors();
    // Opened now, so that an error shows at once and not after an hour.
    let log = match args.log.as_deref() {
        Some(path) => Some((path, output_file::create(path).map_err(of(path))?)),
        None => None,
    };
    let server = TestServer::start(behaviour, args.core)?;
    announce(args, server.address())?;
    signals.wait();
    print_report(&server.stop(), log)
}

fn announce(args: &TestserverArgs, address: SocketAddr) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "listening on {address}")?;
    if let Some(path) = &args.unix {
        writeln!(out, "listening on {}", path.display())?;
    }
    out.flush()
}

fn print_report(report: &Report, log: Option<(&Path, File)>) -> io::Result<()> {
    report.write_counts(&mut io::stdout().lock())?;
    if let Some((path, file)) = log {
        let mut file = BufWriter::new(file);
        report.write_log(&mut file).and_then(|()| file.flush()).map_err(of(path))?;
    }
    Ok(())
}

/// Names the file in an error.
fn of(path: &Path) -> impl Fn(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("--log {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, FromArgMatches};

    fn parsed(line: &str) -> Result<Behaviour, String> {
        let command = TestserverArgs::augment_args(clap::Command::new("testserver"));
        let words = std::iter::once("testserver").chain(line.split_whitespace());
        let matches = command.try_get_matches_from(words).map_err(|error| error.to_string())?;
        let args = TestserverArgs::from_arg_matches(&matches).map_err(|error| error.to_string())?;
        args.behaviour()
    }

    fn shown(behaviour: &Behaviour) -> String {
        format!("{behaviour:?}")
    }

    #[test]
    fn flags() {
        let nth = |n| NonZeroU64::new(n).expect("not zero");
        let count = |n| NonZeroU32::new(n).expect("not zero");
        let (us, ms, s) = (Duration::from_micros, Duration::from_millis, Duration::from_secs);
        let base = Behaviour::default;
        let freeze = |first| Some(Freeze { lasts: s(1), every: s(10), first });
        let exponential = Delay::Exponential(ms(2));
        let lognormal = Delay::Lognormal { median: ms(3), sigma: 0.5 };
        let slow = Some(Slow { nth: nth(10), by: s(3) });
        let path = |path: &str, service| PathService { path: path.to_owned(), service };
        let deferred = Some(Deferred { work: us(30), flush_every: ms(100) });
        let slow_body = Some(SlowBody { pieces: nth(4), gap: ms(10) });
        #[rustfmt::skip]
        let cases = [
            ("", base()),
            ("--listen [::1]:80 --unix /tmp/x --seed 9 --awake --log /dev/null",
                Behaviour { listen: "[::1]:80".parse().unwrap(), unix: Some("/tmp/x".into()),
                    seed: 9, awake: true, log: true, ..base() }),
            ("--service 100us --service-drift 10%/s",
                Behaviour { service: us(100), service_drift: 0.1, ..base() }),
            ("--service 100us --service-drift -1%",
                Behaviour { service: us(100), service_drift: -0.01, ..base() }),
            ("--service 100us --service-growth 50%/s",
                Behaviour { service: us(100), service_growth: 0.5, ..base() }),
            ("--service 100us --path /b=110us --path /c=d=0s",
                Behaviour { service: us(100), paths: vec![path("/b", us(110)), path("/c=d", us(0))],
                    ..base() }),
            ("--delay 50ms", Behaviour { delay: Delay::Fixed(ms(50)), ..base() }),
            ("--delay-distribution exponential:2ms", Behaviour { delay: exponential, ..base() }),
            ("--delay-distribution lognormal:3ms,0.5", Behaviour { delay: lognormal, ..base() }),
            ("--freeze 1s --every 10s", Behaviour { freeze: freeze(s(5)), ..base() }),
            ("--freeze 1s --every 10s --freeze-at 3s",
                Behaviour { freeze: freeze(s(3)), ..base() }),
            ("--workers 4 --service-distribution exponential:2ms",
                Behaviour { workers: Some(Workers { count: count(4), service: exponential }),
                    ..base() }),
            ("--slow-nth 10 --slow-by 3s", Behaviour { slow, ..base() }),
            ("--deferred 30us --flush-every 100ms --by-cpu-clock",
                Behaviour { deferred, by_cpu_clock: true, ..base() }),
            ("--reset-nth 2 --truncate-nth 3 --garbage-nth 4 --refuse-nth 5",
                Behaviour { reset_nth: Some(nth(2)), truncate_nth: Some(nth(3)),
                    garbage_nth: Some(nth(4)), refuse_nth: Some(nth(5)), ..base() }),
            ("--status 404 --status-nth 3:503 --close-every 7 --never-reply",
                Behaviour { status: 404, status_nth: Some((nth(3), 503)),
                    close_every: Some(nth(7)), never_reply: true, ..base() }),
            ("--slow-body 4,10ms --chunked --empty",
                Behaviour { slow_body, framing: Framing::Chunked, body: Body::Page(0), ..base() }),
            ("--body-bytes 100 --body-random --http10",
                Behaviour { body: Body::Random(100), framing: Framing::Http10, ..base() }),
            ("--body /dev/null", Behaviour { body: Body::Bytes([].into()), ..base() }),
        ];
        for (line, expected) in cases {
            let got = parsed(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(shown(&got), shown(&expected), "{line}");
        }
    }

    #[test]
    fn the_examples_can_be_typed() {
        let lines = EXAMPLES.lines().filter_map(|line| line.strip_prefix("  tiebreak testserver "));
        for line in lines {
            parsed(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        }
    }

    #[test]
    fn nonsense_is_refused_and_named() {
        let cases = [
            ("--listen 10.0.0.1:80", "loopback"),
            ("--listen localhost", "--listen"),
            ("--service 5", "5"),
            ("--service-drift 10%/s", "--service"),
            ("--service-growth 10%/s", "--service"),
            ("--service 1ms --service-drift 10", "10%/s"),
            ("--path /b", "/b=110us"),
            ("--path /b=110", "110"),
            ("--path /b=1ms --path /b=2ms", "/b"),
            ("--workers 4", "--service-distribution"),
            ("--workers 0 --service-distribution exponential:2ms", "--workers"),
            ("--service-distribution exponential:2ms", "--workers"),
            ("--workers 4 --service-distribution 2ms", "constant:TIME"),
            ("--workers 4 --service-distribution exponential:2ms --service 1ms", "workers"),
            ("--freeze 1s", "--every"),
            ("--freeze 2s --every 1s", "period"),
            ("--freeze-at 1s", "--freeze"),
            ("--slow-nth 3", "--slow-by"),
            ("--slow-nth 0 --slow-by 1s", "--slow-nth"),
            ("--deferred 1us", "--flush-every"),
            ("--deferred 1us --flush-every 0s", "flush"),
            ("--delay 1s --delay-distribution exponential:1s", "--delay"),
            ("--body /nonexistent/page", "/nonexistent/page"),
            ("--body /dev/null --empty", "--empty"),
            ("--body-bytes 3 --empty", "--empty"),
            ("--chunked --http10", "--http10"),
            ("--status 99", "status 99"),
            ("--status-nth 503", "10:503"),
            ("--slow-body 0,1ms", "4,10ms"),
            ("--http10 --truncate-nth 3", "HTTP/1.0"),
        ];
        for (line, named) in cases {
            let error = parsed(line).map(|behaviour| shown(&behaviour)).expect_err(line);
            assert!(error.contains(named), "{line}: {error}");
        }
    }
}
