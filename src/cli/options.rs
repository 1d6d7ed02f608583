//! Options that several subcommands share. No `Debug`: they hold secrets.
//!
//! What can be secret (addresses, headers, bodies, `--set`) is read after
//! clap, as plain text: clap's own messages quote the value.

use crate::exit::Error;
use crate::plan::commands::{self, OwnCommand};
use crate::plan::own::OwnAsked;
use crate::plan::settings::{self, Spread};
use crate::plan::workload::{self, WorkloadAsked};
use crate::plan::{Settings, Spec, units};
use crate::runner::Telling;
use crate::secrets;
use crate::shown::shown;
use crate::targets::tls::Trust;
use clap::ValueHint;
use record::{Distribution, Reuse, Share, ValueBytes, Verify};
use std::path::PathBuf;
use std::time::Duration;

#[derive(clap::Args)]
#[command(next_help_heading = "Load")]
pub(super) struct LoadOptions {
    /// Connections to each contender [default: 64]
    #[arg(short, long, value_name = "N", value_parser = settings::connections)]
    connections: Option<u32>,
    /// Requests per second (5k/s, 1000/s, 250); without it as fast as replies come
    ///
    /// Without --rate every connection sends its next request when it has the reply
    /// (closed loop), and contenders are compared by throughput. With it requests are
    /// due by a schedule that no slow reply can stop (open loop); response times count
    /// from when a request was due, and contenders are compared by their p99.
    #[arg(long, value_name = "RATE", value_parser = units::rate)]
    rate: Option<f64>,
    /// Operations in flight on each connection, of stores [default: 1]
    #[arg(long, value_name = "N", value_parser = settings::depth)]
    depth: Option<u32>,
    /// How the requests of --rate are spread: constant or poisson [default: constant]
    #[arg(long, value_name = "HOW", value_parser = settings::spread)]
    arrivals: Option<Spread>,
    /// When connections end: always (persistent), never (a fresh one for each request,
    /// its connect measured too), or after N requests [default: always]
    #[arg(long, value_name = "WHEN", value_parser = settings::reuse)]
    reuse: Option<Reuse>,
    /// Give a request up after this long, 10m at most; recorded as at least that [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = settings::timeout)]
    timeout: Option<Duration>,
    /// Drive each contender this long before anything counts [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    warm_up: Option<Duration>,
    /// Fixes the operations, the arrivals and the order of slices [default: drawn for each run]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Cores that generate load [default: half, the last ones, at most 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    cores: Option<u32>,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Request")]
pub(super) struct RequestOptions {
    /// Method [default: GET; POST with -d]
    #[arg(short = 'X', long = "method", value_name = "METHOD")]
    method: Option<String>,
    /// Send this header; may be given several times. Its value is never recorded
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    headers: Vec<String>,
    /// Send this body, or the file behind @; never recorded
    #[arg(
        short,
        long,
        value_name = "@FILE|TEXT",
        allow_hyphen_values = true,
        value_hint = ValueHint::FilePath
    )]
    data: Option<String>,
    /// Ask databases (postgres://, mysql://) this statement, in place of a workload. It is
    /// recorded: no place for a secret
    // The message quotes nothing of it.
    #[arg(long, value_name = "STATEMENT", value_parser = settings::query)]
    query: Option<String>,
    /// Statuses that count as success, such as 200,304 [default: 200 to 299]
    // Behind a type of its own: clap takes a `Vec` for an option given often.
    #[arg(long, value_name = "STATUS,…", value_parser = statuses)]
    expect: Option<Statuses>,
}

/// What is done to the data of stores (memcached://, redis://, postgres://, mysql://,
/// file:///).
#[derive(clap::Args)]
#[command(next_help_heading = "Workload of stores")]
pub(super) struct WorkloadOptions {
    /// What is done: kv, or ycsb-a to ycsb-f; of databases also point-select and
    /// tpcb-like; ycsb-e is for databases alone [default: kv]
    ///
    /// kv: 100k keys, values of 32 B, get 90 %, set 10 %, uniform. Each contender has
    /// keys of its own (tiebreak00:…, tiebreak01:…); they are written before the run.
    #[arg(long, value_name = "NAME", value_parser = workload::named)]
    workload: Option<String>,
    /// How many keys [default: the workload's]
    #[arg(long, value_name = "N", value_parser = workload::keys)]
    keys: Option<u64>,
    /// Bytes of a value: 32B, 4kB, from..to, or lengths with weights, such as
    /// 32B=70,1kB=25,64kB=5 [default: the workload's]
    #[arg(long, value_name = "BYTES", value_parser = workload::value)]
    value: Option<ValueBytes>,
    /// Values that shrink to about half when compressed; else not at all
    #[arg(long)]
    compressible: bool,
    /// Operations and their weights: get=0.9,set=0.1; also multi-get:N, add, replace,
    /// append, delete, incr, decr, touch, read-modify-write, and cas (memcached)
    /// [default: the workload's]
    ///
    /// A read-modify-write and a cas are a read and a write on one connection, and one
    /// operation. Numbers of incr and decr are loaded under keys of their own.
    // Behind a type of its own: clap takes a `Vec` for an option given often.
    #[arg(long, value_name = "KIND=WEIGHT,…", value_parser = mix)]
    mix: Option<Mix>,
    /// A command of your own, for Redis: 'LPUSH {key} {value}'; may be given several
    /// times, all equally often, in place of the workload's operations or beside --mix
    ///
    /// Words are split as in a shell. {key} is a key of the contender's own, at which
    /// nothing is loaded (what else a command names, contenders on one server share),
    /// {value} a value, {number} the operation's number. An error reply is an error, a
    /// nil a miss; else replies are not verified. Commands are recorded: no place for a
    /// secret.
    #[arg(long = "command", value_name = "COMMAND", value_parser = commands::own)]
    commands: Vec<OwnCommand>,
    /// How often each key is asked for: uniform, sequential, zipf(0.99),
    /// hotspot(20%,80%), latest, ycsb-zipfian [default: the workload's]
    #[arg(long, value_name = "HOW", value_parser = workload::distribution)]
    distribution: Option<Distribution>,
    /// Reads stay within this part of the keys, such as 10% [default: 100%]
    #[arg(long, value_name = "PERCENT", value_parser = units::percent)]
    hot: Option<f64>,
    /// Compare what is read with what was written: sample (key and version of every
    /// value, all bytes of one in a hundred), all or off [default: sample]
    #[arg(long, value_name = "HOW", value_parser = workload::verify)]
    verify: Option<Verify>,
}

#[derive(Clone)]
struct Mix(Vec<Share>);

fn mix(text: &str) -> Result<Mix, String> {
    workload::mix(text).map(Mix)
}

#[derive(Clone)]
struct Statuses(Vec<u16>);

fn statuses(text: &str) -> Result<Statuses, String> {
    settings::expect(text).map(Statuses)
}

#[derive(clap::Args)]
#[command(next_help_heading = "Targets")]
pub(super) struct TargetOptions {
    /// Set one contender's own settings, such as fresh.reuse=never; see --help for all keys
    #[arg(long = "set", value_name = "NAME.KEY=VALUE")]
    sets: Vec<String>,
    /// Dial HOST2:PORT2 in place of HOST1:PORT1, as curl does; parts may be empty
    #[arg(long, value_name = "HOST1:PORT1:HOST2:PORT2")]
    connect_to: Vec<String>,
    /// Load addresses outside this machine and private networks, too
    #[arg(long)]
    allow_public: bool,
    /// Send Redis commands that reach beyond the contender's own keys: EVAL, CONFIG,
    /// MODULE, SAVE, FLUSHALL and their like
    #[arg(long)]
    allow_destructive: bool,
    /// Do what an experiment file says that lies outside the current directory
    ///
    /// Such a file is like a Makefile: it can start programs, send files and variables of
    /// your environment, change databases and speak to sockets. `tiebreak check FILE`
    /// shows all that it says, and does nothing of it.
    #[arg(long, visible_alias = "allow-launch")]
    allow_file: bool,
    /// The variable NAME of the environment holds a secret: no report, journal, log or
    /// message shows its value; may be given several times
    ///
    /// It is blotted out wherever it appears. What stands for ${NAME} in an experiment
    /// file or in an address, such as 'http://127.0.0.1/${TOKEN}/x', is a secret without
    /// this. A secret has at least 4 bytes: a shorter one would be blotted out of every
    /// word and number that happens to hold it.
    #[arg(long = "secret-env", value_name = "NAME")]
    secret_variables: Vec<String>,
    /// The same for a value, such as a token in the path of an address. All users of this
    /// machine can see arguments while tiebreak runs: --secret-env or ${NAME} in the
    /// address keep it from them
    #[arg(long = "secret", value_name = "VALUE", allow_hyphen_values = true)]
    secrets: Vec<String>,
    /// Don't verify certificates
    #[arg(long)]
    insecure: bool,
    /// Trust the authorities in this file (PEM), not the system's
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    cacert: Option<PathBuf>,
    /// Resume TLS sessions: fresh connections then skip the costly handshake
    #[arg(long)]
    tls_resume: bool,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Output")]
pub(super) struct OutputOptions {
    /// Folder of this run [default: a new one under tiebreak-runs/]
    ///
    /// It is made for your eyes alone (0700, its files 0600). One that is there already
    /// must hold nothing of a run, and must be no symbolic link.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) out: Option<PathBuf>,
    /// Write a copy of the report as JSON; - is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) json: Option<PathBuf>,
    /// Write a copy of the report as a web page; - is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) html: Option<PathBuf>,
    /// Write a summary for a pull request, as Markdown; - is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) markdown: Option<PathBuf>,
    /// Write audit, verdicts and requirements as JUnit's XML, for CI; - is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) junit: Option<PathBuf>,
    /// Measure anew what the generator costs by itself, and do not keep it
    ///
    /// Else a figure of the last 24 hours is used, where there is one of the same lane: it
    /// is kept in $XDG_CACHE_HOME/tiebreak, or ~/.cache/tiebreak. The report tells its age.
    #[arg(long)]
    pub(super) no_cache: bool,
    /// Tell all on the terminal, not only what fits on one screen
    #[arg(long)]
    pub(super) verbose: bool,
    /// No progress on standard error
    #[arg(short, long)]
    pub(super) quiet: bool,
}

impl OutputOptions {
    /// How a run, or a sweep, is to be recorded and told.
    pub(super) fn telling(&self) -> Telling<'_> {
        let (quiet, no_cache) = (self.quiet, self.no_cache);
        Telling { out: self.out.as_deref(), quiet, no_cache, part: "" }
    }
}

/// What `--help` ends with where --set is taken: the examples, and its keys.
pub(super) fn with_keys(examples: &str) -> String {
    let keys = settings::KEYS.map(|(key, example)| format!("  {key:<12} {example}\n"));
    format!("{examples}\n\nKeys of --set NAME.KEY=VALUE:\n{}", keys.concat().trim_end())
}

impl LoadOptions {
    pub(super) fn fill(&self, spec: &mut Spec) {
        spec.common.connections = self.connections;
        spec.common.depth = self.depth;
        spec.common.rate = self.rate;
        spec.common.arrivals = self.arrivals;
        spec.common.reuse = self.reuse;
        spec.common.timeout = self.timeout;
        spec.warm_up = self.warm_up;
        spec.seed = self.seed;
        spec.cores = self.cores;
    }
}

impl WorkloadOptions {
    pub(super) fn fill(&self, spec: &mut Spec) {
        spec.workload = WorkloadAsked {
            preset: self.workload.clone(),
            keys: self.keys,
            value: self.value.clone(),
            compressible: self.compressible,
            mix: self.mix.as_ref().map(|mix| mix.0.clone()),
            commands: self.commands.clone(),
            own: OwnAsked::default(),
            distribution: self.distribution,
            hot: self.hot,
            verify: self.verify,
        };
    }
}

impl RequestOptions {
    pub(super) fn fill(&self, common: &mut Settings) -> Result<(), Error> {
        common.method.clone_from(&self.method);
        common.databases.query.clone_from(&self.query);
        common.expect = self.expect.as_ref().map(|statuses| statuses.0.clone());
        for (at, header) in self.headers.iter().enumerate() {
            let header = settings::header(header)
                .map_err(|message| Error::usage(format!("-H, number {}: {message}", at + 1)))?;
            common.headers.push(header);
        }
        if let Some(data) = &self.data {
            let body = settings::data(data);
            common.body = Some(body.map_err(|message| Error::usage(format!("-d: {message}")))?);
        }
        Ok(())
    }
}

impl TargetOptions {
    pub(super) fn fill(&self, spec: &mut Spec) -> Result<(), Error> {
        spec.sets.clone_from(&self.sets);
        spec.connect_to.clone_from(&self.connect_to);
        spec.trust =
            Trust { insecure: self.insecure, cacert: self.cacert.clone(), resume: self.tls_resume };
        spec.allow_public = self.allow_public;
        spec.allow_destructive = self.allow_destructive;
        spec.allow_file = self.allow_file;
        self.declare_secrets()
    }

    /// The messages quote no value.
    fn declare_secrets(&self) -> Result<(), Error> {
        for name in &self.secret_variables {
            let told = format!("--secret-env {}: the variable", shown(name));
            let Some(value) = std::env::var_os(name) else {
                return Err(Error::usage(format!("{told} is not set")));
            };
            let Ok(value) = value.into_string() else {
                return Err(Error::usage(format!("{told} is not UTF-8")));
            };
            secrets::check(&value).map_err(|why| Error::usage(format!("{told} {why}")))?;
            secrets::declare(&value);
        }
        for (at, value) in self.secrets.iter().enumerate() {
            let which = format!("--secret, number {}: the value", at + 1);
            secrets::check(value).map_err(|why| Error::usage(format!("{which} {why}")))?;
            secrets::declare(value);
        }
        Ok(())
    }
}
