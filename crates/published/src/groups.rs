//! Determines which runs belong to one contender, and which can be compared.

use crate::key::{At, Key, Label};
use crate::run::PublishedRun;
use crate::tools::ToolKind;

/// Runs of one contender under one load.
#[derive(Clone, Debug)]
pub struct RunGroup {
    /// The contender according to the runs, escaped.
    pub name: String,
    /// Indices of the runs, in their order.
    pub runs: Vec<usize>,
    /// Whether the runs name their contender. If not, each run is a separate group.
    pub named: bool,
}

/// Groups runs of the same tool, target, server, subject and load, whatever their files.
pub fn groups(runs: &[PublishedRun], files: &[String]) -> Vec<RunGroup> {
    let mut groups: Vec<(Identity, RunGroup)> = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        let identity = Identity::of(run);
        let known =
            identity.is_known().then(|| groups.iter_mut().find(|(of, _)| of.is_of(&identity)));
        match known.flatten() {
            Some((_, group)) => group.runs.push(at),
            None => {
                let named = identity.named();
                let taken = |name: &String| groups.iter().any(|(_, group)| group.name == *name);
                let mut name = name(run, files);
                if taken(&name) {
                    let file = files.get(run.file).map_or("", String::as_str);
                    name = format!("{name} at {file}:{}", run.first);
                }
                groups.push((identity, RunGroup { name, runs: vec![at], named }));
            }
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

struct Identity {
    file: usize,
    tool: &'static str,
    /// Whether the run names its target.
    target: bool,
    about: String,
    heading: Option<String>,
    command: Option<String>,
    part: u32,
    load: Load,
}

impl Identity {
    fn of(run: &PublishedRun) -> Identity {
        Identity {
            file: run.file,
            tool: run.tool.name,
            target: names_target(run),
            about: run.about(),
            heading: run.heading.as_ref().map(|at| at.value.clone()),
            command: run.text(Label::Command).map(|at| at.value.clone()),
            part: run.part,
            load: Load::of(run),
        }
    }

    /// Whether a repetition can be known as such.
    fn is_known(&self) -> bool {
        self.target || self.heading.is_some() || self.command.is_some()
    }

    /// Whether the run names its contender. Prose below a heading may have named another one.
    fn named(&self) -> bool {
        self.target || self.heading.is_some() && self.part == 0
    }

    /// Whether another run is a repetition. A heading or a command without a target names its run
    /// only within the file, and up to a text that may name another contender.
    fn is_of(&self, other: &Identity) -> bool {
        let alike = |a: &Identity, b: &Identity| {
            (a.file, a.part, &a.command) == (b.file, b.part, &b.command)
        };
        (self.target || alike(self, other))
            && (self.tool, self.target, &self.about, &self.heading, &self.load)
                == (other.tool, other.target, &other.about, &other.heading, &other.load)
    }
}

/// The load of a run, as far as its output shows it.
#[derive(Clone, Debug, PartialEq)]
struct Load {
    connections: Option<f64>,
    threads: Option<f64>,
    keeps_alive: Option<bool>,
    asked_rate: Option<f64>,
    mode: Option<String>,
    scale: Option<f64>,
    pipeline: Option<f64>,
}

impl Load {
    fn of(run: &PublishedRun) -> Load {
        let figure = |key| run.figure(key).map(|at: At<f64>| at.value);
        Load {
            connections: run.connections().map(|at| at.value),
            threads: figure(Key::Threads),
            keeps_alive: (run.tool.name == "ab").then(|| figure(Key::KeptAlive).is_some()),
            asked_rate: figure(Key::AskedRate),
            mode: run.text(Label::Mode).map(|at| at.value.clone()),
            scale: figure(Key::Scale),
            pipeline: figure(Key::Pipeline),
        }
    }
}

fn subject(run: &PublishedRun) -> Option<&str> {
    run.text(Label::Subject).map(|at| at.value.as_str())
}

/// Whether two runs do the same kind of work: redis-benchmark prints a run for each kind of
/// command, and different kinds are not compared.
pub(crate) fn comparable(a: &PublishedRun, b: &PublishedRun) -> bool {
    a.tool.kind == b.tool.kind && subject(a) == subject(b)
}

/// Returns in words how two loads differ. A setting that one of them does not show is not a
/// difference.
pub(crate) fn differences(a: &PublishedRun, b: &PublishedRun) -> Vec<String> {
    let (of_a, of_b) = (Load::of(a), Load::of(b));
    let mut words = Vec::new();
    if a.tool.name != b.tool.name {
        words.push(format!("the tool ({} and {})", a.tool.name, b.tool.name));
    }
    for (what, a, b) in [
        ("connections", of_a.connections, of_b.connections),
        ("threads", of_a.threads, of_b.threads),
        ("the requested rate", of_a.asked_rate, of_b.asked_rate),
        ("the scale", of_a.scale, of_b.scale),
        ("operations in flight per connection", of_a.pipeline, of_b.pipeline),
    ] {
        if let (Some(a), Some(b)) = (a, b)
            && a != b
        {
            words.push(format!("{what} ({a} and {b})"));
        }
    }
    if of_a.keeps_alive.zip(of_b.keeps_alive).is_some_and(|(a, b)| a != b) {
        words.push("keep-alive".to_owned());
    }
    if of_a.mode.zip(of_b.mode).is_some_and(|(a, b)| a != b) {
        words.push("the query mode".to_owned());
    }
    words
}

fn name(run: &PublishedRun, files: &[String]) -> String {
    let about = run.about();
    let file = files.get(run.file).map_or("", String::as_str);
    let heading = run.heading.as_ref();
    match heading.filter(|heading| about.is_empty() || !is_general(&heading.value)) {
        Some(heading) if about.is_empty() => text::shown::shown(&heading.value),
        Some(heading) => format!("{} ({about})", text::shown::shown(&heading.value)),
        None if about.is_empty() => format!("{} at {file}:{}", run.tool.name, run.first),
        None if !names_target(run) && files.len() > 1 => format!("{about} in {file}"),
        None => about,
    }
}

/// Headings that say nothing of the contender.
const GENERAL: &[&str] = &[
    "benchmark",
    "benchmark results",
    "benchmarks",
    "output",
    "performance",
    "result",
    "results",
    "summary",
    "test result",
    "test results",
];

fn is_general(heading: &str) -> bool {
    GENERAL.contains(&heading.trim_end_matches(':').to_lowercase().as_str())
}

fn names_target(run: &PublishedRun) -> bool {
    run.text(Label::Target).is_some() || run.text(Label::Server).is_some()
}

/// The figure by which contenders are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Operations per second.
    Rate,
    /// The p99, if the tool sends at a fixed rate.
    P99,
    /// The mean response time in that case, if no p99 is shown.
    Mean,
}

impl Measure {
    /// The measure for runs of this tool.
    pub fn of(run: &PublishedRun) -> Measure {
        let by_rate = run.tool.closed && run.tool.kind != ToolKind::Program;
        match (by_rate, run.figure(Key::Percentile(990_000))) {
            (true, _) => Measure::Rate,
            (false, Some(_)) => Measure::P99,
            (false, None) => Measure::Mean,
        }
    }

    /// The figure of a run.
    pub fn figure(self, run: &PublishedRun) -> Option<At<f64>> {
        run.figure(match self {
            Measure::Rate => Key::Rate,
            Measure::P99 => Key::Percentile(990_000),
            Measure::Mean => Key::Mean,
        })
    }

    /// The name of the measure.
    pub fn words(self) -> &'static str {
        match self {
            Measure::Rate => "rate",
            Measure::P99 => "p99",
            Measure::Mean => "mean response time",
        }
    }
}
