//! Options that several subcommands share. They have no `Debug`, because they hold secrets.
//! Flags of settings are made from their table: see `flags.rs`.
//!
//! Values that can be secret (addresses, `--set`) are plain text for clap and are parsed
//! afterwards, because messages of clap quote the value.

use super::outputs::{Copies, Format};
use crate::plan::settings::declared::{Declared, Row};
use crate::plan::{Settings, Spec};
use crate::run::runner::Reporting;
use clap::ValueHint;
use protocol::Error;
use protocol::address::tls::Trust;
use protocol::secrets;
use std::path::PathBuf;
use text::shown::shown;

#[derive(clap::Args)]
#[command(next_help_heading = "Targets")]
pub(super) struct TargetOptions {
    /// Change one contender's setting, such as fresh.reuse=never; see --help
    #[arg(long = "set", value_name = "NAME.KEY=VALUE")]
    sets: Vec<String>,
    /// Use the sizes of [scale.NAME] of the experiment file, such as full
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    scale: Option<String>,
    /// Connect to HOST2:PORT2 instead of HOST1:PORT1, as curl does; parts may be empty
    #[arg(long, value_name = "HOST1:PORT1:HOST2:PORT2", hide_short_help = true)]
    connect_to: Vec<String>,
    /// Allow addresses outside this machine and private networks, given or announced by a server
    #[arg(long, hide_short_help = true)]
    allow_public: bool,
    /// Allow custom commands that affect more than the keys of the contender, such as EVAL,
    /// CONFIG, MODULE, SAVE and FLUSHALL
    #[arg(long, hide_short_help = true)]
    allow_destructive: bool,
    /// Allow an experiment file outside the current directory
    ///
    /// Such a file is like a Makefile: it can start programs, send files and variables of
    /// your environment, change databases and connect to sockets. `tiebreak check FILE`
    /// shows everything in it and runs nothing.
    #[arg(long, visible_alias = "allow-launch", hide_short_help = true)]
    allow_file: bool,
    /// The environment variable NAME contains a secret: no report, journal, log or message
    /// shows its value; may be given several times
    ///
    /// The value is redacted wherever it appears. The value of ${NAME} in an experiment
    /// file or in an address, such as 'http://127.0.0.1/${TOKEN}/x', is a secret without
    /// this option. A secret must have at least 4 bytes: a shorter one would be redacted
    /// in every word and number that happens to contain it.
    #[arg(long = "secret-env", value_name = "NAME", hide_short_help = true)]
    secret_variables: Vec<String>,
    /// VALUE is a secret, such as a token in the path of an address. All users of this
    /// machine can see the arguments of tiebreak while it runs; --secret-env and ${NAME}
    /// in the address prevent that
    #[arg(
        long = "secret",
        value_name = "VALUE",
        allow_hyphen_values = true,
        hide_short_help = true
    )]
    secrets: Vec<String>,
    /// Don't verify certificates
    #[arg(long, hide_short_help = true)]
    insecure: bool,
    /// Trust the authorities in this file (PEM) instead of those of the system
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    cacert: Option<PathBuf>,
    /// Resume TLS sessions: fresh connections then skip the costly handshake
    #[arg(long, hide_short_help = true)]
    tls_resume: bool,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Output")]
pub(super) struct OutputOptions {
    /// Directory of this run [default: a new one under tiebreak-runs/]
    ///
    /// It is created so that only you can read it (mode 0700, its files 0600). An existing
    /// directory must not contain a run and must not be a symbolic link.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) out: Option<PathBuf>,
    /// Write a copy of the report as JSON; - is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub(super) json: Option<PathBuf>,
    /// Write a copy of the report as a web page; - is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub(super) html: Option<PathBuf>,
    /// Write a summary for a pull request, as Markdown; - is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) markdown: Option<PathBuf>,
    /// Write audit, verdicts and requirements as JUnit XML, for CI; - is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub(super) junit: Option<PathBuf>,
    /// Measure again what the generator costs by itself, and do not store the figure
    ///
    /// Without this option a figure of the same lane is used if it is at most 24 hours old.
    /// It is stored in $XDG_CACHE_HOME/tiebreak or ~/.cache/tiebreak. The report shows its age.
    #[arg(long, hide_short_help = true)]
    pub(super) no_cache: bool,
    /// Print the full report, not only what fits on one screen
    #[arg(long)]
    pub(super) verbose: bool,
    /// Show no progress on standard error
    #[arg(short, long)]
    pub(super) quiet: bool,
}

impl OutputOptions {
    /// The copies of the report.
    pub(super) fn copies(&self) -> Result<Copies, Error> {
        Copies::checked([
            (Format::Json, self.json.as_deref()),
            (Format::Html, self.html.as_deref()),
            (Format::Markdown, self.markdown.as_deref()),
            (Format::Junit, self.junit.as_deref()),
        ])
    }

    /// How a run is to be recorded and shown.
    pub(super) fn reporting(&self) -> Reporting<'_> {
        let (out, quiet, no_cache) = (self.out.as_deref(), self.quiet, self.no_cache);
        Reporting { out, quiet, no_cache, ..Reporting::default() }
    }
}

/// The end of `--help` of commands with --set: the examples, and the keys of --set.
pub(super) fn with_keys(examples: &str) -> String {
    let key =
        |row: &Row<Settings>| format!("  {:<12} {}\n", row.setting.key, row.setting.full_example());
    let used = Settings::table().filter(|row| row.setting.is_used());
    let keys: String = used.map(key).collect();
    format!("{examples}\n\nKeys of --set NAME.KEY=VALUE:\n{}", keys.trim_end())
}

impl TargetOptions {
    pub(super) fn fill(&self, spec: &mut Spec) -> Result<(), Error> {
        spec.sets.clone_from(&self.sets);
        spec.scale.clone_from(&self.scale);
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
            let variable = format!("--secret-env {}: the variable", shown(name));
            let Some(value) = std::env::var_os(name) else {
                return Err(Error::usage(format!("{variable} is not set")));
            };
            let Ok(value) = value.into_string() else {
                return Err(Error::usage(format!("{variable} is not UTF-8")));
            };
            secrets::check(&value).map_err(|why| Error::usage(format!("{variable} {why}")))?;
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
