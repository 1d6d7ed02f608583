//! The costs of targets in words: CPU, memory, and where both were read.

use crate::View;
use judge::audit::addresses;
use judge::verdict::{ContenderSummary, TargetSummary};
use text::lists;
use text::shown::{shown, shown_sentence};
use text::units;

/// Whether anything is known about any target, even if only why its CPU cannot be read.
pub(crate) fn known(view: &View) -> bool {
    view.contenders.iter().any(|of| of.target != TargetSummary::default() || of.store.is_some())
}

/// Whether there is a figure for any target.
pub(crate) fn figures(view: &View) -> bool {
    view.contenders.iter().any(|of| {
        let target = &of.target;
        target.cpu_per_operation.or(target.cpu_at_rest).or(target.busy).is_some()
            || target.peak_memory_bytes.is_some()
    })
}

/// CPU at rest: `0.3 % of a core`.
pub(crate) fn at_rest(target: &TargetSummary) -> Option<String> {
    target.cpu_at_rest.map(|share| format!("{} of a core", units::percent(share)))
}

/// CPU while driven: `97 % of core 0`.
pub(crate) fn busy(view: &View, of: &ContenderSummary) -> Option<String> {
    let share = units::percent(of.target.busy?);
    let its = if is_elsewhere(view, of) { " of its machine" } else { "" };
    Some(match cores(view, of) {
        [] => share,
        [core] => format!("{share} of core {core}{its}"),
        cores => format!("{share} of cores {}{its}", ranges(cores)),
    })
}

/// Whether its target runs on another machine than the generator.
fn is_elsewhere(view: &View, of: &ContenderSummary) -> bool {
    let question = &view.plan().question;
    let number = question.number_of(&of.name);
    number.is_some_and(|number| question.contenders[number].machine != 0)
}

/// How a watcher read it, and what it reported of its machine: `watched: process 4711 (nginx), 804
/// readings of 0.11 ms in the median and 1.2 ms at most; …`. Returns None if it had no watcher.
pub(crate) fn watched(target: &TargetSummary) -> Option<String> {
    let watch = target.watch.as_ref()?;
    let mut sentence = format!("watched: {}", shown(&watch.what));
    if let (Some(median), Some(longest)) = (watch.median, watch.longest) {
        sentence += &format!(
            ", {} of {} in the median and {} at most",
            units::counted(watch.questions, "reading"),
            units::seconds(Some(median)),
            units::seconds(Some(longest))
        );
    }
    let load = watch.load.map(|load| format!("a load of {load:.2} in the last minute"));
    let stolen = watch.stolen.map(|cores| format!("{} of a core stolen", units::percent(cores)));
    let machine: Vec<String> = load.into_iter().chain(stolen).collect();
    if !machine.is_empty() {
        sentence += &format!("; its machine had {}", machine.join(" and "));
    }
    Some(sentence)
}

/// Cores that its target may use. Returns an empty slice if they are not known.
pub(crate) fn cores<'a>(view: &View<'a>, of: &ContenderSummary) -> &'a [u32] {
    let question = &view.plan().question;
    let number = question.number_of(&of.name);
    number.map_or(&[], |number| question.contenders[number].target_cores.as_slice())
}

/// The source of its figures: `CPU of its own control group; memory as the sum of its
/// processes' peaks`.
pub(crate) fn sources(target: &TargetSummary) -> Option<String> {
    let cpu = target.cpu_source.as_deref().map(|source| match source {
        "cgroup_v2" | "cgroup_v1" => "CPU of its own control group".to_owned(),
        "process_clocks" => "CPU from the clocks of its processes".to_owned(),
        "wait4" => "CPU as wait4 reports it when the process ends".to_owned(),
        "wait4_and_servers" => {
            "CPU as wait4 reports it when the process ends, and that of its servers".to_owned()
        }
        other => format!("CPU by {}", shown(other)),
    });
    let memory = target.memory_source.as_deref().filter(|source| !source.is_empty());
    let memory = memory.map(|source| match source {
        "cgroup" => "memory of its control group, including cached files".to_owned(),
        "processes" => "memory as the sum of its processes' peaks".to_owned(),
        "wait4" => "memory as the peak of its largest process".to_owned(),
        "wait4_and_servers" => {
            "memory as the sum of the peak of its largest process and that of its servers"
                .to_owned()
        }
        other => format!("memory by {}", shown(other)),
    });
    match (cpu, memory) {
        (None, None) => None,
        (one, other) => Some([one, other].into_iter().flatten().collect::<Vec<_>>().join("; ")),
    }
}

/// Which of its figures are missing and why, and which contenders share its process.
pub(crate) fn reservations(target: &TargetSummary) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(why) = &target.cpu_unavailable {
        let lost = target.watch.as_ref().is_some_and(|watch| watch.lost_from.is_some());
        let what = if lost { "CPU time not visible " } else { "CPU cannot be read: " };
        all.push(format!("{what}{}", shown_sentence(why)));
    }
    if !target.shares_process_with.is_empty() {
        let others: Vec<String> = target.shares_process_with.iter().map(shown).collect();
        let unknown = match target.cpu_at_rest {
            Some(_) => "",
            None => ", so its CPU at rest is not known",
        };
        all.push(format!("shares its process with {}{unknown}", others.join(", ")));
    }
    all.extend(not_included(target));
    all
}

/// What is behind it: `CPU and memory do not include postgres (127.0.0.1:5432)`. Returns None if
/// nothing was seen there, or if it has no such figures.
pub(crate) fn not_included(target: &TargetSummary) -> Option<String> {
    if target.behind.is_empty() || target.cpu_source.is_none() {
        return None;
    }
    let behind: Vec<String> = target.behind.iter().map(shown).collect();
    Some(format!("CPU and memory do not include {}", lists::listed(&behind)))
}

/// What it reports about itself: `nginx -v: nginx version: nginx/1.22.1`.
pub(crate) fn facts(target: &TargetSummary) -> Vec<String> {
    let facts = target.facts.iter().map(|fact| {
        let line = fact.line.as_ref().map_or_else(|| "no output".to_owned(), shown);
        format!("{}: {line}", shown(&fact.command))
    });
    let driven = target.nodes.iter().map(|nodes| &nodes.driven).filter(|driven| !driven.is_empty());
    facts.chain(driven.map(|driven| format!("driven nodes: {}", addresses(driven)))).collect()
}

/// How many times it was launched. Returns None if tiebreak did not launch it.
pub(crate) fn launches(target: &TargetSummary) -> Option<String> {
    match target.launches {
        0 => None,
        1 => Some("launched once".to_owned()),
        n => Some(format!("launched {} times", units::count(n.into()))),
    }
}

/// What one run of a program cost: `12 runs in the rounds; each 1.03 s, CPU 0.98 s
/// in user mode and 0.04 s in the kernel, 20 B of output`.
pub(crate) fn runs(target: &TargetSummary) -> Option<String> {
    let all = &target.programs;
    let runs = Some(all.runs).filter(|runs| *runs > 0)?;
    let of_one = |sum: u64| sum as f64 / runs as f64;
    let seconds = |ns: u64| units::seconds(Some(of_one(ns) / 1e9));
    let count = |count: u64, one: &str, more: &str| {
        format!("{} {}", units::count(count), if count == 1 { one } else { more })
    };
    let mut sentence = format!(
        "{} in the rounds; each {}, CPU {} in user mode and {} in the kernel, {} of output",
        count(runs, "run", "runs"),
        seconds(all.wall_ns),
        seconds(all.user_ns),
        seconds(all.system_ns),
        units::bytes(of_one(all.output_bytes).round() as u64)
    );
    if all.failed > 0 {
        sentence += &format!("; {} failed", count(all.failed, "run", "runs"));
    }
    if all.outlived > 0 {
        sentence += &format!("; left {} running", count(all.outlived, "process", "processes"));
    }
    Some(sentence)
}

/// The origin of its figures, one sentence each.
pub(crate) fn origin(target: &TargetSummary) -> impl Iterator<Item = String> {
    let first = launches(target).into_iter().chain(runs(target)).chain(sources(target));
    first.chain(watched(target)).chain(reservations(target))
}

/// Everything about the origin of its figures, and what it reports about itself.
pub(crate) fn sentences(target: &TargetSummary) -> Vec<String> {
    origin(target).chain(facts(target)).collect()
}

/// `0 to 3, 6`.
fn ranges(cores: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for core in cores {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *core => *last = *core,
            _ => runs.push((*core, *core)),
        }
    }
    let texts = runs.iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    });
    texts.collect::<Vec<String>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::verdict::WatchSummary;
    use record::Programs;

    #[test]
    fn figures_are_of_one_run() {
        let programs = Programs {
            runs: 4,
            failed: 1,
            wall_ns: 4_120_000_000,
            user_ns: 4_000_000_000,
            system_ns: 80_000_000,
            output_bytes: 81,
            outlived: 2,
            ..Programs::default()
        };
        let sentence = runs(&TargetSummary { programs, ..TargetSummary::default() });
        assert_eq!(
            sentence.map(|sentence| sentence.replace('\u{a0}', " ")).as_deref(),
            Some(
                "4 runs in the rounds; each 1.03 s, CPU 1.00 s in user mode and 20.0 ms in the \
                 kernel, 20 B of output; 1 run failed; left 2 processes running"
            )
        );
        assert_eq!(runs(&TargetSummary::default()), None);
    }

    #[test]
    fn cores_as_ranges() {
        let table: [(&[u32], &str); 4] =
            [(&[0, 1], "0, 1"), (&[0, 1, 2, 3, 6], "0 to 3, 6"), (&[2, 4], "2, 4"), (&[], "")];
        for (cores, expected) in table {
            assert_eq!(ranges(cores), expected);
        }
    }

    #[test]
    fn a_watcher_in_words() {
        let mut target = TargetSummary {
            cpu_unavailable: Some("from round 7 on: the watched process ended".to_owned()),
            watch: Some(WatchSummary {
                what: "process 4711 (nginx)".to_owned(),
                lost_from: Some(7),
                questions: 1804,
                median: Some(0.00011),
                longest: Some(0.0012),
                stolen: Some(0.02),
                load: Some(1.5),
                ..WatchSummary::default()
            }),
            ..TargetSummary::default()
        };
        let plain = |texts: Vec<String>| texts.join("\n").replace('\u{a0}', " ");
        assert_eq!(
            plain(watched(&target).into_iter().chain(reservations(&target)).collect()),
            "watched: process 4711 (nginx), 1804 readings of 110 µs in the median and 1.20 ms at \
             most; its machine had a load of 1.50 in the last minute and 2 % of a core stolen\n\
             CPU time not visible from round 7 on: the watched process ended"
        );
        target.watch = Some(WatchSummary { what: "x".to_owned(), ..WatchSummary::default() });
        assert_eq!(watched(&target).as_deref(), Some("watched: x"));
        target.watch = None;
        assert_eq!(watched(&target), None);
    }

    #[test]
    fn what_is_behind_a_proxy_is_named_where_there_are_figures() {
        let mut target = TargetSummary {
            behind: vec!["postgres (127.0.0.1:5432)".to_owned(), "x\u{1b}".to_owned()],
            ..TargetSummary::default()
        };
        assert_eq!(not_included(&target), None, "there is nothing that could include it");
        target.cpu_source = Some("process_clocks".to_owned());
        let sentence = r"CPU and memory do not include postgres (127.0.0.1:5432) and x\u{1b}";
        assert_eq!(not_included(&target).as_deref(), Some(sentence));
        assert_eq!(reservations(&target), [sentence]);
        target.behind = Vec::new();
        assert_eq!(not_included(&target), None);
    }

    #[test]
    fn sources_in_words_including_unknown_ones() {
        let target = |cpu: Option<&str>, memory: Option<&str>| TargetSummary {
            cpu_source: cpu.map(str::to_owned),
            memory_source: memory.map(str::to_owned),
            ..TargetSummary::default()
        };
        assert_eq!(sources(&target(None, None)), None);
        assert_eq!(sources(&target(None, Some(""))), None);
        let sentence = sources(&target(Some("cgroup_v2"), Some("processes")));
        assert_eq!(
            sentence.as_deref(),
            Some("CPU of its own control group; memory as the sum of its processes' peaks")
        );
        let sentence = sources(&target(Some("ebpf\u{1b}"), None));
        assert_eq!(sentence.as_deref(), Some(r"CPU by ebpf\u{1b}"));
    }
}
