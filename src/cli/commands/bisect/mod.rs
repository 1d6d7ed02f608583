//! `tiebreak bisect`.

mod again;
mod comparisons;
mod duration;

use crate::cli::flags::{COMPARE, Flags};
use crate::cli::options::TargetOptions;
use crate::cli::{conduct, outputs};
use crate::plan::against::{Against, RevisionExperiment};
use crate::plan::question::hash;
use crate::plan::{Command, Spec};
use crate::run::bisect::{Keeping, RECORD, Searching, below_the_top, skipped};
use crate::run::runner;
use crate::system::utc;
use clap::ValueHint;
use comparisons::Comparisons;
use protocol::Error;
use record::{Host, Metric, Plan};
use report::bisect::{Asked, Bisection, Line, SCHEMA};
use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;
use text::fnv::fnv1a;
use text::shown::shown;

const EXAMPLES: &str = "\
Examples:
  tiebreak bisect v1.4 HEAD
      which commit after v1.4 made the contender of tiebreak.toml slower
  tiebreak bisect v1.4 HEAD --by p99 --rate 2k/s --out since-1.4
      by the p99 at a given rate; because of --out, the same command goes on after it was interrupted
  tiebreak bisect v1.4 HEAD --dry-run -- src/parser
      what would be searched, if only commits that change src/parser are suspected";

/// Settings that the search chooses itself.
const CHOSEN: [&str; 11] = [
    "rounds",
    "control",
    "confidence",
    "all_pairs",
    "rank",
    "slo",
    "launches",
    "until_decided",
    "see",
    "within",
    "require",
];

/// Find the commit that made a contender slower
///
/// Compares GOOD with BAD, both built from the repository, then commits between them, and names one only after a
/// fresh comparison with its parent, or with the one before it that can be measured and touches the paths: what is named
/// is wrong in 5 % of all searches at most. Commits that do not build or start, tried twice, are skipped. Only first
/// parents of BAD are searched; a merge that is found is opened. Ends early if GOOD and BAD do not differ by what matters
/// (3 % unless --matters says otherwise). Exit code 0 for any answer, 3 if the audit refused a comparison, 4 if GOOD or
/// BAD does not build or start, or a target failed while it was driven.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct BisectArgs {
    /// The revision that was fast
    #[arg(value_name = "GOOD")]
    good: String,
    /// A later revision that is slow
    #[arg(value_name = "BAD")]
    bad: String,
    /// The experiment file [default: tiebreak.toml at the top of the repository]
    #[arg(value_name = "FILE.toml", value_hint = ValueHint::FilePath)]
    file: Option<String>,
    /// Only commits that change something at these paths are searched
    ///
    /// The answer then also names how many commits before the found one were not searched, as the difference may come
    /// from them.
    #[arg(last = true, value_name = "PATH")]
    paths: Vec<String>,
    /// The contender of the file, if it has several
    #[arg(long, value_name = "NAME")]
    contender: Option<String>,
    /// Search by this case of a suite
    ///
    /// The last part of its name in parentheses, such as the package of a benchmark in Go, may be left out if no other
    /// case is then meant.
    #[arg(long, value_name = "NAME")]
    case: Option<String>,
    /// Search for the commit that made it faster
    #[arg(long)]
    improvement: bool,
    /// Do not measure this commit; may be given several times
    #[arg(long, value_name = "REV")]
    skip: Vec<String>,
    /// Print what would be searched and how long it takes, and build nothing
    #[arg(long)]
    dry_run: bool,
    /// Directory of the search [default: a new one under tiebreak-runs/]
    ///
    /// If it holds an earlier search of the same command, that one goes on: finished comparisons are kept. It
    /// is refused if the file, the machine or tiebreak has changed.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Show no progress on standard error
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    flags: Flags<COMPARE>,
    #[command(flatten)]
    target: TargetOptions,
}

pub(in crate::cli) fn perform(args: &BisectArgs) -> Result<(), Error> {
    let mut spec = spec(args)?;
    let metric = metric(args, spec.run.by.take())?;
    let matters = spec.run.matters.unwrap_or(judge::bisect::MATTERS);
    let experiment = RevisionExperiment::read(&spec)?;
    let repository = &experiment.repository;
    let [good, bad] = [&args.good, &args.bad].map(|revision| repository.commit(revision));
    let (good, bad) = (good?, bad?);
    let seed = spec.run.seed.map_or_else(conduct::draw_seed, Ok)?;
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
    let paths = below_the_top(repository, &here, &args.paths)?;
    let line = Searching::first_line(repository, [&good.id, &bad.id], &paths, seed)?;
    let plan = whole_plan(&spec, &experiment, &line)?;
    check_case(args, &plan)?;
    check_figure(metric, &plan, &experiment)?;
    let ids = [good.id.clone(), bad.id.clone()];
    let what = Asked { ids, paths, matters, ..asked(args, &experiment, &plan, metric)? };
    skipped(&what, &line.commits)?;
    let search = Searched { args, metric, is_good: line.commits[0].id == good.id };
    if args.dry_run {
        return outputs::print(
            &search.plan(&line, &duration::of(&spec, &experiment, &line, &plan)?),
        );
    }
    let keeping = search.directory()?;
    let (stop, file) = (conduct::catch_signals()?, keeping.directory().join(RECORD));
    let record = match keeping.earlier(&what)? {
        Some(record) => record,
        None => {
            search.say(&search.plan(&line, &duration::of(&spec, &experiment, &line, &plan)?));
            Bisection {
                schema: SCHEMA.to_owned(),
                asked: what,
                started: utc::rfc3339(SystemTime::now()),
                lines: vec![line],
                answer: None,
                next: None,
            }
        }
    };
    search.say(&format!("search: {}", shown(file.display().to_string())));
    let mut comparisons =
        Comparisons { experiment: &experiment, spec, metric, stop: &stop, is_quiet: args.quiet };
    let typed = again::Typed::of(args)?;
    let searching = Searching {
        keeping: &keeping,
        commits: repository,
        measuring: &mut comparisons,
        record,
        command: typed.with(keeping.directory()),
        next: &|record| typed.next(record),
    };
    let record = searching.finish()?;
    outputs::print(&report::bisect_terminal(&record, outputs::style()))?;
    if let Some(next) = &record.next {
        outputs::print(&format!("  next     {next}\n"))?;
    }
    let page = shown(file.with_extension("html").display().to_string());
    outputs::print(&format!("  page     {page}\n"))
}

/// The settings of every run of the search.
fn spec(args: &BisectArgs) -> Result<Spec, Error> {
    let mut spec = Spec::new(Command::Compare, args.file.iter().cloned().collect());
    args.flags.fill(&mut spec)?;
    args.target.fill(&mut spec)?;
    if let Some(flag) = spec.run.first_flag(&CHOSEN) {
        return Err(Error::usage(format!(
            "{flag}: a search chooses this itself, so that its answer keeps 95 %: leave it out"
        )));
    }
    spec.case.clone_from(&args.case);
    spec.against = Against { contender: args.contender.clone(), ..Against::default() };
    Ok(spec)
}

/// The figure that is compared.
///
/// # Errors
/// If a case and another figure are asked for.
fn metric(args: &BisectArgs, by: Option<Metric>) -> Result<Metric, Error> {
    match (&args.case, by) {
        (Some(_), Some(_)) => Err(Error::usage(
            "--case searches by what a case costs, and --by by another figure: leave one of them out",
        )),
        (Some(_), None) => Ok(Metric::Cost),
        (None, by) => Ok(by.unwrap_or(Metric::Throughput)),
    }
}

/// Refuses a suite without a case, and a case without a suite.
///
/// # Errors
/// If that is so.
fn check_case(args: &BisectArgs, plan: &Plan) -> Result<(), Error> {
    match (plan.question.is_suite, &args.case) {
        (true, None) => Err(Error::usage(
            "a search needs one figure, and this contender has several: name one of its cases with --case",
        )),
        (false, Some(case)) => Err(Error::usage(format!(
            "--case {}: only contenders with `figures` have cases",
            shown(case)
        ))),
        _ => Ok(()),
    }
}

/// Refuses a figure that runs of this plan do not have, before anything is built.
///
/// # Errors
/// If that is so; the message says why.
fn check_figure(by: Metric, plan: &Plan, experiment: &RevisionExperiment) -> Result<(), Error> {
    let question = &plan.question;
    // Each run of a program has a peak of its own, and so has each launch of a server.
    let has_peaks = experiment.is_program_alone() && !question.is_suite || question.restarts > 0;
    let has = by == question.primary
        || question.secondary.contains(&by)
        || by == Metric::PeakMemory && has_peaks;
    if has {
        return Ok(());
    }
    Err(Error::usage(match by {
        Metric::TargetCpu => {
            "--by cpu: the CPU time of the target is not visible; `tiebreak check` says why"
        }
        Metric::PeakMemory => {
            "--by memory: a program with servers has no peak of its own in each run: a search compares the peaks of \
             launched services, and of programs without servers (exec:)"
        }
        Metric::ResponseP999 => {
            "--by p99.9 is compared only at a given rate of which a round holds enough replies: add --rate"
        }
        _ => "--by: this contender has no such figure; leave it out to compare throughput",
    }))
}

/// The plan by which GOOD and BAD are compared first.
fn whole_plan(spec: &Spec, experiment: &RevisionExperiment, line: &Line) -> Result<Plan, Error> {
    let last = line.commits.len() - 1;
    duration::plan(spec, experiment, line, &[0, last], judge::bisect::LOOKS[0] as u32)
}

fn asked(
    args: &BisectArgs,
    experiment: &RevisionExperiment,
    plan: &Plan,
    metric: Metric,
) -> Result<Asked, Error> {
    let ids = |revision: &String| Ok(experiment.repository.commit(revision)?.id);
    let file = experiment.file();
    let hash = |text: &str| format!("{:016x}", fnv1a(text.as_bytes()));
    Ok(Asked {
        build: build()?,
        machine: machine(&plan.host),
        file: experiment.file_below_the_top(),
        file_hash: hash(&file.text),
        contender: experiment.contender.name.clone(),
        good: args.good.clone(),
        bad: args.bad.clone(),
        metric: metric.path().to_owned(),
        case: args.case.clone(),
        improvement: args.improvement,
        plan: hash::of(plan),
        skipped: args.skip.iter().map(ids).collect::<Result<_, Error>>()?,
        ..Asked::default()
    })
}

/// This build of tiebreak: what it measures, and how, may differ from that of another one.
fn build() -> Result<String, Error> {
    let binary = fs::read("/proc/self/exe")
        .map_err(|error| Error::failed(format!("/proc/self/exe: {error}")))?;
    Ok(format!("{} ({:016x})", env!("CARGO_PKG_VERSION"), fnv1a(&binary)))
}

fn machine(host: &Host) -> String {
    let cores: Vec<String> = host.cores.iter().map(u32::to_string).collect();
    format!("{}, cores {}, {}", host.cpu, cores.join(","), host.kernel)
}

/// What was typed, and what follows from it.
struct Searched<'a> {
    args: &'a BisectArgs,
    metric: Metric,
    /// Whether GOOD itself is the first commit of the line.
    is_good: bool,
}

impl Searched<'_> {
    /// The directory of the search: a new one, or one that has its record.
    fn directory(&self) -> Result<Keeping, Error> {
        let started = SystemTime::now();
        let earlier = self.args.out.as_ref().filter(|out| out.join(RECORD).is_file());
        let directory = match earlier {
            Some(out) => out.clone(),
            None => runner::new_folder(self.args.out.as_deref(), started, "bisect")?,
        };
        Keeping::take(&directory)
    }

    /// What is searched, in words.
    fn plan(&self, line: &Line, takes: &str) -> String {
        let commits = line.commits.len() - 1;
        let (first, last) = (&line.commits[0], &line.commits[commits]);
        let (begin, end) = (shown(&first.short), shown(&last.short));
        let from_elsewhere = if self.is_good {
            String::new()
        } else {
            format!(
                "GOOD is no first parent of BAD: {begin}, from which both come, stands for it, and what was changed \
                 between {begin} and GOOD is not searched\n"
            )
        };
        format!(
            "{from_elsewhere}{} between {begin} and {end}: which one made it {}?\n{takes}\n",
            text::units::show_counted(commits as u64, "commit"),
            self.suspected(),
        )
    }

    /// What a commit is suspected of, in words.
    fn suspected(&self) -> String {
        let [more, less] = match self.metric {
            metric if metric.is_use() => ["use more", "use less"],
            _ => ["slower", "faster"],
        };
        let what = if self.args.improvement { less } else { more };
        let by = match &self.args.case {
            Some(case) => format!("the case {}", shown(case)),
            None => self.metric.path().replace('_', " "),
        };
        format!("{what} (by {by})")
    }

    fn say(&self, sentence: &str) {
        if !self.args.quiet {
            outputs::complain(sentence.trim_end());
        }
    }
}
