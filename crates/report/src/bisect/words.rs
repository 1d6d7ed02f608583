//! The answer of a search over commits in words. Subjects and names of commits are strangers' text and are escaped.

use super::next::{Next, next};
use super::{Bisection, Commit, Ended, Line, Ratio, Shown};
use text::lists;
use text::shown::shown;
use text::units;

/// The answer of the whole search: that of the innermost line that named a commit, else that of the line around it.
/// Returns None while the search lasts.
pub fn answer(of: &Bisection) -> Option<String> {
    let line = of.answering_line()?;
    let mut sentence = of_line(of, line)?;
    if let Some(Next::OtherDirection) = next(of) {
        let bad = shown(&line.commits.last()?.short);
        let (is, how) =
            if of.asked.improvement { ("dearer", "without") } else { ("cheaper", "with") };
        sentence += &format!(", so {bad} is {is}: search {how} --improvement for what made it so");
    }
    if let Some(merge) = line.merge.as_ref().and_then(|merge| commit_of(of, merge)) {
        sentence += &format!("; it came with the merge {}", titled(merge));
    } else if let Some((merge, inside)) = of.lines.get(1).and_then(|side| {
        let merge = commit_of(of, side.merge.as_ref()?)?;
        Some((merge, of_line(of, side)?))
    }) {
        sentence += &format!("; inside the merge {}: {inside}", shown(&merge.short));
    }
    Some(sentence)
}

/// A commit that was searched.
pub(crate) fn commit_of<'a>(of: &'a Bisection, id: &str) -> Option<&'a Commit> {
    of.lines.iter().flat_map(|line| &line.commits).find(|commit| commit.id == id)
}

/// The answer of one line.
fn of_line(of: &Bisection, line: &Line) -> Option<String> {
    let (first, last) = (line.commits.first()?, line.commits.last()?);
    let ends = format!("{} and {}", shown(&first.short), shown(&last.short));
    let ratio = |ratio: &Ratio| in_figures(ratio, of.asked.matters);
    let what = if of.asked.improvement { "improvement" } else { "regression" };
    let matters = units::show_percent(of.asked.matters);
    Some(match line.answer.as_ref()? {
        Ended::NoRegression { whole } => {
            format!("no {what} of {matters} or more between {ends}: {}", ratio(whole))
        }
        Ended::Undecided { whole } => format!(
            "undecided: whether there is a {what} between {ends} stays open: {}",
            ratio(whole)
        ),
        Ended::Named(shown) => named(of, line, shown),
        Ended::Spread(shown) => spread(of, line, shown),
        Ended::Between { first, last, weight, .. } => format!(
            "between {} and {}: {}, of which none was confirmed ({} of the weight of the search, without an \
             interval)",
            shown(&line.commits[first - 1].short),
            titled(&line.commits[*last]),
            units::show_counted((last + 1 - first + line.left_out(*first, *last)) as u64, "commit"),
            in_percent(*weight)
        ),
    })
}

fn named(of: &Bisection, line: &Line, shown_parts: &Shown) -> String {
    let Shown { first, last, commit, .. } = shown_parts;
    let ratio = in_figures(commit, of.asked.matters);
    let before = &line.commits[first - 1];
    let of_commits = &line.commits[*first..=*last];
    let (mut names, it, why) = match of_commits {
        [one] => (vec![titled(one)], "it", String::new()),
        several => {
            let why = why_not_measured(of, &several[..several.len() - 1]);
            let names = several.iter().map(|commit| shown(&commit.short)).collect();
            (names, "them", format!(" ({why})"))
        }
    };
    let more = match line.left_out(*first, *last) {
        0 => None,
        1 => Some(format!("the commit before {it} that touches none of the paths")),
        several => {
            Some(format!("one of the {several} commits before {it} that touch none of the paths"))
        }
    };
    let one_of = if of_commits.len() > 1 && more.is_none() { "one of " } else { "" };
    let comma = if more.is_some() { "," } else { "" };
    names.extend(more);
    let list = lists::either(&names);
    let is_parent = line.commits[*first].parents.first() == Some(&before.id);
    let against = match of_commits {
        [_] if is_parent => "its parent".to_owned(),
        _ => shown(&before.short),
    };
    format!("{one_of}{list}{comma} with 95 %{why}: {ratio} against {against}")
}

/// Why some commits were not measured, at least one.
fn why_not_measured(of: &Bisection, commits: &[Commit]) -> String {
    let (skipped, broken): (Vec<&Commit>, Vec<&Commit>) =
        commits.iter().partition(|commit| of.asked.skipped.contains(&commit.id));
    let clause = |commits: &[&Commit], one: &str, several: &str| {
        let names: Vec<String> = commits.iter().map(|commit| shown(&commit.short)).collect();
        let verb = if names.len() == 1 { one } else { several };
        (!names.is_empty()).then(|| format!("{} {verb}", lists::listed(&names)))
    };
    let clauses = [
        clause(&broken, "does not build or start", "do not build or start"),
        clause(&skipped, "was not measured", "were not measured"),
    ];
    clauses.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn spread(of: &Bisection, line: &Line, parts: &Shown) -> String {
    let Shown { first, last, commit, before, after } = parts;
    let of_place = |place: usize| shown(&line.commits[place].short);
    let end = line.commits.len() - 1;
    let sure = |ratio: &Ratio| {
        let (low, high) = ratio.bounds()?;
        let beyond = if of.asked.improvement { high < 1.0 } else { low > 1.0 };
        beyond.then(|| in_figures(ratio, of.asked.matters))
    };
    let part = |from: usize, to: usize, ratio: &Ratio| {
        Some(format!("{} from {} to {}", sure(ratio)?, of_place(from), of_place(to)))
    };
    let before = before.as_ref().and_then(|ratio| part(0, first - 1, ratio));
    let after = after.as_ref().and_then(|ratio| part(*last, end, ratio));
    let middle = sure(commit).map(|ratio| match last - first + line.left_out(*first, *last) {
        0 => format!("{ratio} in {}", titled(&line.commits[*last])),
        _ => format!("{ratio} from {} to {}", of_place(first - 1), of_place(*last)),
    });
    let parts: Vec<String> = [before, middle, after].into_iter().flatten().collect();
    format!(
        "spread over several commits between {} and {}, with 95 %: {}",
        of_place(0),
        of_place(end),
        lists::listed(&parts)
    )
}

/// A share of the weight in whole percent, rounded down.
pub fn in_percent(weight: f64) -> String {
    units::show_percent((weight * 100.0).floor() / 100.0)
}

/// `1.08x (1.05x to 1.11x)`.
pub(crate) fn in_figures(ratio: &Ratio, matters: f64) -> String {
    let all = units::ratios(ratio.ratio, ratio.bounds(), matters);
    match &all[..] {
        [ratio, low, high] => format!("{ratio}x ({low}x to {high}x)"),
        _ => format!("{}x", all[0]),
    }
}

/// `3f2a1c9 (subject, 2026-05-02)`.
pub(crate) fn titled(commit: &Commit) -> String {
    let date: String = commit.authored.chars().take(10).collect();
    format!("{} ({}, {})", shown(&commit.short), shown(&commit.subject), shown(date))
}

/// What holds of every answer: what its figures are, and what they rest on.
pub(crate) fn basis(of: &Bisection) -> Vec<String> {
    let mut sentences = vec![format!(
        "ratios are ratios of cost ({}): above 1 is dearer; each commit was built once, so the answer is about these \
         builds",
        figure(of)
    )];
    let named = of.lines.iter().rev().find_map(|line| match &line.answer {
        Some(Ended::Named(parts)) => Some(parts),
        _ => None,
    });
    let bounds = named.map_or(Vec::new(), |parts| bounds_around(of, parts));
    if !bounds.is_empty() {
        let most = if of.asked.improvement { "at least" } else { "at most" };
        sentences
            .push(format!("the other commits of this line: {most} {}", lists::listed(&bounds)));
    }
    sentences
}

/// How much the commits before and after a named one may have changed, at most.
fn bounds_around(of: &Bisection, parts: &Shown) -> Vec<String> {
    let bound = |ratio: &Ratio| if of.asked.improvement { ratio.low } else { ratio.high };
    let around = [("before it", &parts.before), ("after it", &parts.after)];
    let bounds = around
        .into_iter()
        .filter_map(|(at, ratio)| Some(format!("{:.2}x {at}", bound(ratio.as_ref()?)?)));
    bounds.collect()
}

/// The figure that is compared, in words.
pub(crate) fn figure(of: &Bisection) -> String {
    match (&of.asked.case, of.asked.metric.as_str()) {
        (Some(case), _) => format!("case {}", shown(case)),
        (None, "throughput") => "the inverse of throughput".to_owned(),
        (None, metric) => metric.to_owned(),
    }
}
