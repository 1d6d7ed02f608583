//! `tiebreak audit`.

use super::printed;
use crate::cli::outputs;
use crate::cli::outputs::{Copies, PageArgs};
use crate::cli::plain_text::wrapped;
use crate::run::judging::Judged;
use clap::ValueHint;
use judge::audit::RULES;
use judge::verdict::Comparison;
use protocol::{Error, Exit};
use report::words::findings::{FindingGroup, grouped};
use report::words::reasons::{about, given};
use report::words::weight;
use std::path::{Path, PathBuf};
use text::shown::{shown, shown_sentence};

const EXAMPLES: &str = "\
Examples:
  tiebreak audit tiebreak-runs/20261122T000649Z-1a2b3c4d
      every finding, why it matters, what to do, and why verdicts are missing or weaker
  tiebreak audit tiebreak-runs/20261122T000649Z-1a2b3c4d >/dev/null; echo $?
      3 where the audit refused the run
  tiebreak audit ab-output.txt article.html
      what may be concluded from the output of other tools, and what may not
  ab -k -t 10 http://127.0.0.1:8080/ | tiebreak audit - --html audit.html
      the same for standard input, as a web page
  tiebreak audit data.json
      which entries of a leaderboard can be told apart";

/// Show what the audit found in a run, or in the output of other load generators
///
/// RUN is a run of tiebreak itself. Every finding is shown with its evidence, why it
/// matters and what to do. The exit code is that of the run.
///
/// Any other FILE contains the printed output of one or several runs, alone or inside an
/// article, with prompts and the prefixes of logs. Supported are ab, wrk, wrk2, autocannon (also
/// JSON), bombardier, hey, h2load, oha (also JSON), k6 (also --summary-export), vegeta (also
/// JSON), siege (also JSON), fortio, locust, JMeter, redis-benchmark and valkey-benchmark (also
/// -q, --csv), memtier_benchmark, pgbench, sysbench, cassandra-stress, latte, YCSB and
/// hyperfine. Files with runs of one target are repetitions. The answer begins with what
/// may be concluded and what may not; each objection follows with the lines that show it.
/// Exit code 0: no objection is void; 3: at least one is void, and nothing follows from
/// that run or comparison; 2: no output of these tools was found. --json, --html and
/// --markdown write this audit, and are not for a run of tiebreak itself.
///
/// A FILE can also be a leaderboard whose format is known: data.json of
/// the-benchmarker/web-frameworks, or a file in site/data of MDA2AV/HttpArena (in
/// site/data/results, all files together are one board). With one figure for each entry it
/// cannot be said which of two neighbours is faster; the answer says what would have to be
/// published. Several runs of each entry are judged as unpaired, and ranked with ties.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct AuditArgs {
    /// Directory of a run, or files with printed output; - is standard input
    /// [default: the newest run in tiebreak-runs/]
    #[arg(value_name = "RUN|FILE", value_hint = ValueHint::AnyPath)]
    what: Vec<PathBuf>,
    #[command(flatten)]
    pages: PageArgs,
}

pub(in crate::cli) fn perform(args: &AuditArgs) -> Result<Exit, Error> {
    if args.what.is_empty() {
        return of_own(args, None);
    }
    let own: Vec<&PathBuf> = args.what.iter().filter(|path| printed::is_own(path)).collect();
    let [run] = own[..] else {
        if let Some(run) = own.first() {
            return Err(not_together(run));
        }
        let copies = Copies::checked(args.pages.formats())?;
        return printed::perform(args.what.iter().map(PathBuf::as_path), &copies);
    };
    if args.what.len() > 1 {
        return Err(not_together(run));
    }
    of_own(args, Some(run))
}

/// The audit of a run of tiebreak itself: of this one, or of the newest.
fn of_own(args: &AuditArgs, run: Option<&Path>) -> Result<Exit, Error> {
    if args.pages.formats().iter().any(|(_, file)| file.is_some()) {
        return Err(Error::usage(
            "--json, --html and --markdown of audit are for printed output; for a run, use `tiebreak \
             report`",
        ));
    }
    let judged = outputs::recorded(run)?;
    outputs::print(&answer(&judged, outputs::width()))?;
    Ok(judged.exit())
}

fn not_together(run: &Path) -> Error {
    let run = shown(run.display().to_string());
    if Path::new(&run).exists() {
        Error::usage(format!(
            "{run} is a run of tiebreak itself: audit one such run at a time, without other files"
        ))
    } else {
        Error::usage(format!("the file {run} does not exist"))
    }
}

fn answer(judged: &Judged, width: usize) -> String {
    let findings = judged.verdict().findings();
    let checked = judged.verdict().rules_checked();
    let mut out = match findings.len() {
        0 => format!("{checked} rules checked, nothing found\n"),
        1 => format!("{checked} rules checked, 1 finding\n"),
        many => format!("{checked} rules checked, {many} findings\n"),
    };
    for group in grouped(findings) {
        out += &one(&group, width);
    }
    out += &reasons(judged.verdict().comparisons(), width);
    if let Some(note) = &judged.note {
        out += &wrapped("\njournal: ", &shown_sentence(note), width);
    }
    out
}

/// Findings of several contenders with the same text: what was seen of each contender, and
/// the reason and the remedy once.
fn one(group: &FindingGroup<'_>, width: usize) -> String {
    let finding = group.first;
    let mut out = format!("\n{}: {}\n", weight(finding.weight), shown(&finding.rule));
    for (names, evidence) in group.evidence() {
        let who = if names.is_empty() { String::new() } else { format!("{}: ", names.join(", ")) };
        out += &wrapped("  seen: ", &format!("{who}{evidence}"), width);
    }
    if let Some(rule) = RULES.iter().find(|rule| rule.name == finding.rule) {
        out += &wrapped("  why:  ", rule.why, width);
    }
    out + &wrapped("  do:   ", &shown_sentence(&finding.remedy), width)
}

/// The reasons why verdicts are missing or weaker than their intervals.
fn reasons(comparisons: &[Comparison], width: usize) -> String {
    let answer = given(comparisons).into_iter().map(|reason| {
        let comparisons: Vec<String> = reason.of.iter().map(|one| about(one)).collect();
        let line = wrapped("  of:   ", &comparisons.join("; "), width);
        format!("\nverdict\n{line}{}", wrapped("  why:  ", &reason.text, width))
    });
    answer.collect()
}
