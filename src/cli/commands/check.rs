//! `tiebreak check`.

use super::compare::{self, CompareArgs};
use crate::cli::{conduct, outputs};
use crate::plan;
use crate::plan::against::{RevisionExperiment, commands, describe};
use crate::plan::experiment::{self, FileText};
use crate::plan::length::launches;
use crate::plan::question::hash;
use crate::plan::sweep::load_points;
use crate::plan::{Command, ContenderAccess, Observed, Resolved, Spec};
use crate::run::runner;
use crate::targets::launch;
use crate::targets::launch::{File, Launch};
use judge::capacity::TURNS;
use judge::objectives;
use protocol::{Error, secrets};
use record::{
    Address, Arrivals, Contender, CustomOperation, Interleave, LengthRule, OperationText, Plan,
    RequestPlan, RequestSettings, Reuse,
};
use report::words;
use std::fmt::Write;
use text::shown::{shown_sentence, shown_whole};
use text::units::{show_ns, show_percent, show_rate};

const EXAMPLES: &str = "\
Examples:
  tiebreak check experiments/http-servers.toml
      every command, every file and every setting of an experiment
  tiebreak check nginx node --connections 500
      what `tiebreak compare` would do with the same arguments";

/// Print the plan of a comparison without launching anything
///
/// Takes the arguments of `tiebreak compare`, and also a sweep of one contender, which is
/// for `tiebreak run`. For an experiment file it first prints every variable, file and
/// socket that the file uses, and all of its keys. These are printed even if no plan can
/// follow because a variable is not set. Values that are never recorded (logins, headers,
/// bodies) are shown only if the file is outside the current directory. Names are resolved,
/// and the processes that serve addresses on this machine are looked up; nothing is sent.
/// `tiebreak plan` drives a pilot to find out how long a comparison must be.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct CheckArgs {
    #[command(flatten)]
    compare: CompareArgs,
}

pub(in crate::cli) fn perform(args: &CheckArgs) -> Result<(), Error> {
    let mut spec = compare::spec(&args.compare)?;
    // `check` runs nothing of the file, so the permissions are not needed here.
    spec.allow_file = true;
    spec.allow_destructive = true;
    if !spec.against.revisions.is_empty() {
        return of_revisions(&spec);
    }
    // Printed first, because what follows fails if a variable is not set.
    let mut files = Vec::new();
    for named in plan::files(&spec.contenders) {
        let named = named?;
        outputs::print(&secrets::hidden(&of_file(&named.file)?))?;
        files.push(named);
    }
    if let Some(file) = &spec.trust.cacert {
        let file = shown_whole(file.display().to_string());
        outputs::print(&format!("file     {file} (--cacert)\n\n"))?;
    }
    let inputs = plan::read_with(&spec, files)?;
    if load_points(&spec, &inputs)?.is_some_and(|points| points.is_of_one()) {
        // One contender cannot be compared: its sweep is for `tiebreak run`.
        spec.command = Command::Run;
    }
    let output = text(&conduct::settle_read(&spec, inputs)?);
    outputs::print(&secrets::hidden(&output))
}

/// What a comparison of revisions would build and do.
fn of_revisions(spec: &Spec) -> Result<(), Error> {
    let experiment = RevisionExperiment::read(spec)?;
    outputs::print(&secrets::hidden(&of_file(experiment.file())?))?;
    let sides = experiment.sides(&spec.against.revisions)?;
    let mut builds = "builds, each in a snapshot of its own:\n".to_owned();
    for side in &sides {
        let _ = writeln!(builds, "  {}  {}", describe(side), shown_sentence(&side.commit.subject));
        for command in commands(&experiment.contender.target) {
            let _ = writeln!(builds, "    {}", shown_sentence(command.to_string()));
        }
    }
    let rebuilds = spec.against.rebuilds;
    let times = rebuilds.map_or(String::new(), |times| format!("  each side {times} times\n"));
    outputs::print(&secrets::hidden(&format!("{builds}{times}\n")))?;
    let resolved = conduct::settle_read(spec, experiment.unbuilt(&sides, rebuilds)?)?;
    outputs::print(&secrets::hidden(&text(&resolved)))
}

/// Everything that an experiment file says, as it is written.
fn of_file(file: &FileText) -> Result<String, Error> {
    let current = std::env::current_dir().unwrap_or_default();
    let outside = experiment::is_outside(&file.path, &current);
    let leave = if outside {
        " lies outside the current directory: `tiebreak compare` requires --allow-file"
    } else {
        ""
    };
    let name = shown_whole(file.path.display().to_string());
    let lines = experiment::contents(file, outside)?.join("\n  ");
    Ok(format!("file {name}{leave}\n  {lines}\n\n"))
}

/// What is swept, and how.
fn of_sweep(plan: &Plan) -> Option<String> {
    let sweep = plan.sweep.as_ref()?;
    let of_one = if plan.sweeps_one_target() { " of one target (`tiebreak run`)" } else { "" };
    Some(format!(
        "sweep of {}{of_one}: {}; every round drives all of them, in random order",
        sweep.factor.name(),
        listed(&sweep.values)
    ))
}

/// The plan as text.
fn text(resolved: &Resolved) -> String {
    let plan = &resolved.plan;
    let seed = resolved.spec.run.seed;
    let seed = seed.map_or("a seed drawn for each run".to_owned(), |seed| format!("seed {seed}"));
    let mut lines = Vec::from_iter(of_sweep(plan));
    lines.push(format!("experiment {}, {seed}", hash::of(plan)));
    lines.extend(run(plan, &resolved.target_cores).into_iter().map(|line| format!("  {line}")));
    for (contender, contender_access) in plan.contenders.iter().zip(&resolved.accesses) {
        lines.push(String::new());
        lines.push(format!("{}  {}", contender.name, contender.target));
        let pace = if plan.question.seeks_capacity() {
            "rates around its capacity (poisson)".to_owned()
        } else {
            pace(contender)
        };
        let more = load_lines(contender, &pace).into_iter().chain(own_requests(contender));
        let more = more.chain(target(contender, contender_access));
        lines.extend(more.map(|line| format!("  {line}")));
    }
    lines.push(String::new());
    lines.extend(resolved.cautions.iter().map(|caution| format!("caution: {caution}")));
    lines.push("nothing was launched and nothing was sent".to_owned());
    lines.join("\n") + "\n"
}

/// The part of the plan that is the same for all contenders.
fn run(plan: &Plan, target_cores: &[u32]) -> Vec<String> {
    let question = &plan.question;
    let metrics = question.secondary.iter().map(|metric| metric.path()).collect::<Vec<_>>();
    let mut lines = vec![length(plan)];
    lines.extend(words::blocks(plan));
    lines.extend(launches::in_words(plan));
    lines.push(format!("takes {}", runner::foreseen_of_one(plan)));
    lines.push(format!("load from cores {}", listed(&plan.generator_cores)));
    if !target_cores.is_empty() {
        lines.push(format!("launched targets on cores {}", listed(target_cores)));
    }
    let also =
        if metrics.is_empty() { String::new() } else { format!("; also {}", metrics.join(", ")) };
    let sought = if plan.sweeps_one_target() {
        "where the curve bends".to_owned()
    } else if question.seeks_capacity() {
        let objectives = question.objectives.iter().map(|of| objectives::show(*of));
        format!("the highest rate with {}", objectives.collect::<Vec<_>>().join(" and "))
    } else if question.is_suite {
        "verdict on the cost of each case".to_owned()
    } else {
        format!("verdict on {}", question.primary.path())
    };
    lines.push(format!(
        "{sought}, confidence {}, at least {} matters{also}",
        show_percent(1.0 - question.alpha),
        show_percent(question.matters)
    ));
    if !question.requests.is_empty() {
        lines
            .push(format!("each request also alone: throughput of {}", listed(&question.requests)));
    }
    for group in &question.groups {
        let metrics = group.metrics.iter().map(|metric| metric.path()).collect::<Vec<_>>();
        lines.push(format!("metrics of group {}: {}", group.name, metrics.join(", ")));
    }
    lines.extend(plan.requirements.iter().map(|text| format!("required: {text}")));
    lines
}

fn length(plan: &Plan) -> String {
    let (question, round) = (&plan.question, show_ns(plan.round_ns));
    if question.is_suite {
        let rounds = match question.length {
            LengthRule::Fixed => format!("{} rounds", plan.rounds),
            _ => format!("at least {} rounds, by the number of cases", plan.rounds),
        };
        return format!("one run of each program, which lists the cases, then {rounds}");
    }
    if question.seeks_capacity() {
        let turns = TURNS as u64;
        let anew = if question.restarts > 0 { ", each with a launch of its own" } else { "" };
        return format!(
            "a search of each capacity, then {} rounds of {turns} turns of {} for each contender{anew}",
            plan.rounds,
            show_ns(plan.round_ns / turns)
        );
    }
    let how = match (plan.interleave, plan.slice_ns) {
        (Interleave::Turns, _) => "in turns".to_owned(),
        (_, Some(slice)) => format!("in slices of {}", show_ns(slice)),
        (Interleave::Slices, None) => "in slices".to_owned(),
        (Interleave::Auto, None) => "in slices or turns, as the pilot chooses".to_owned(),
    };
    let rounds_of_a_launch = question.rounds_of_a_launch();
    let unit =
        rounds_of_a_launch.map_or("rounds".to_owned(), |each| format!("launches of {each} rounds"));
    if let Some(see) = question.length.see() {
        return format!(
            "as many {unit} of {round} as see {}, after a first stage of {}, {how}",
            show_percent(see),
            question.replicates()
        );
    }
    if let Some(within_ns) = question.length.within_ns() {
        return format!("as many {unit} of {round} as fit into {}, {how}", show_ns(within_ns));
    }
    if let LengthRule::ShortRounds { round_ns, looks } = &question.length {
        let looks: Vec<u32> = looks.iter().map(|look| look.replicates).collect();
        return format!(
            "rounds of {}, {how}, looks after {}; {} rounds of {round} where slices or replies need longer ones",
            show_ns(*round_ns),
            listed(&looks),
            plan.rounds
        );
    }
    if rounds_of_a_launch.is_some() {
        let until = match question.interim_looks.as_slice() {
            [] => String::new(),
            looks => format!(", until decided: looks after {} launches", listed(looks)),
        };
        let number = question.restarts;
        return format!("{number} {unit} of {round}, {how}{until}");
    }
    if !question.interim_looks.is_empty() {
        let looks = listed(&question.interim_looks);
        return format!("rounds of {round}, {how}, until decided: looks after {looks} rounds");
    }
    format!("{} rounds of {round}, {how}", plan.rounds)
}

fn request_line(request: &RequestSettings, target: &str) -> String {
    let head = format!("request {} {}", request.method, path(target));
    let line = with_head_and_body(head, &request.header_names, request.body_bytes);
    let expect =
        if request.expect.is_empty() { "200 to 299".to_owned() } else { listed(&request.expect) };
    line + &format!("; success is {expect}")
}

fn with_head_and_body(mut line: String, header_names: &[String], body_bytes: u64) -> String {
    if !header_names.is_empty() {
        let _ = write!(line, ", headers {}", header_names.join(", "));
    }
    if body_bytes > 0 {
        let _ = write!(line, ", {body_bytes} bytes of body");
    }
    line
}

fn path(address: &str) -> &str {
    let authority = address.split_once("://").map_or(address, |(_, rest)| rest);
    authority.find('/').map_or("/", |at| &authority[at..])
}

/// Each request of a workload.
fn own_requests(contender: &Contender) -> Vec<String> {
    let work = contender.asks.work().into_iter();
    let operations = work.flat_map(|work| &work.workload.custom.operations);
    let line = |operation: &CustomOperation| match &operation.says {
        OperationText::Request { method, target, header_names, body_bytes } => {
            let target = if target.is_empty() { path(&contender.target) } else { target.as_str() };
            let head = format!("request {}: {method} {}", operation.name, shown_sentence(target));
            Some(with_head_and_body(head, header_names, *body_bytes))
        }
        OperationText::Sql(_) | OperationText::Command(_) => None,
    };
    operations.filter_map(line).collect()
}

/// When its operations are due.
fn pace(contender: &Contender) -> String {
    match contender.intensity.arrivals {
        Arrivals::Closed => "as fast as replies come".to_owned(),
        Arrivals::Constant(rate) => format!("{} at equal gaps", show_rate(rate)),
        Arrivals::Poisson(rate) => format!("{} at random gaps (poisson)", show_rate(rate)),
    }
}

fn load_lines(contender: &Contender, pace: &str) -> Vec<String> {
    let timeout = show_ns(contender.timeout_ns);
    if contender.address == Address::Program {
        return vec![format!("one run after the other; timeout {timeout} for each")];
    }
    let reuse = match contender.reuse {
        Reuse::Always => "persistent".to_owned(),
        Reuse::Never => "a fresh one for each request".to_owned(),
        Reuse::Times(times) => format!("a fresh one after {times} requests"),
        Reuse::Pool(pool) => {
            format!("one of a pool of {}{}", pool.max, words::for_each_group(contender))
        }
    };
    let what = match &contender.asks {
        RequestPlan::Request(request) => Some(request_line(request, &contender.target)),
        RequestPlan::Messages(messages) => Some(words::messages(messages)),
        asks => asks.workload().map(|of| words::workload(of, contender.intensity.depth)),
    };
    let what = what.into_iter().chain(words::database(&contender.asks));
    let mut lines = vec![
        format!("{}; timeout {timeout}", what.collect::<Vec<_>>().join("; ")),
        format!("load    {} connections, {reuse}; {pace}", contender.intensity.connections),
    ];
    if !contender.groups.is_empty() {
        lines[1] =
            format!("load    {} connections, {reuse}, in groups:", contender.intensity.connections);
        let groups = words::groups::loads(contender).into_iter();
        lines.extend(groups.map(|group| format!("  {group}")));
    }
    lines
}

fn target(contender: &Contender, contender_access: &ContenderAccess) -> Vec<String> {
    match contender_access {
        ContenderAccess::Attached { sight: Ok(Observed::Watched(watcher)), .. } => {
            let target = &watcher.description;
            let (name, cores) = (text::shown::shown(&target.name), listed(&target.cores));
            vec![format!("{name} on cores {cores}, read by the watcher at {}", watcher.address)]
        }
        ContenderAccess::Attached { sight: Ok(Observed::Here(sight)), .. } => {
            let root = |root: &crate::targets::find::Root| {
                format!("{} {}", text::shown::shown(&root.name), root.process.pid)
            };
            let roots: Vec<String> = sight.found.roots.iter().map(root).collect();
            vec![format!("process {} on cores {}", roots.join(", "), listed(&sight.cores))]
        }
        ContenderAccess::Attached { sight: Err(why), .. } => {
            vec![format!("process not visible: {}", shown_sentence(why.to_string()))]
        }
        ContenderAccess::Files(_) => {
            vec!["files, read and written by the generator itself".to_owned()]
        }
        ContenderAccess::Program { program } => {
            let mut lines = contender.launch.clone();
            lines.extend(program.servers.iter().flat_map(|servers| files(&servers.launch)));
            lines.extend(program.why_not().map(|why| format!("caution: {why}")));
            lines
        }
        ContenderAccess::Launched { launch, .. } => {
            let mut lines = contender.launch.clone();
            lines.extend(files(launch));
            lines.extend(launch::missing(launch).map(|why| format!("caution: {why}")));
            lines
        }
    }
}

/// The files that are written for a launch, as they are in the experiment.
fn files(launch: &Launch) -> Vec<String> {
    let mut lines = Vec::new();
    for File { path, text } in &launch.files {
        lines.push(format!("{{temp}}/{}:", text::shown::shown(path)));
        lines.extend(text.to_string().lines().map(|line| format!("  | {}", shown_sentence(line))));
    }
    lines
}

fn listed<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}
