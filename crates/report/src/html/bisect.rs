//! The page of a search over commits: the answer, the way through the history, and each probe with its interval.

use super::chart::share;
use super::forest::{self, Mark};
use super::node::{Node, el, foreign};
use super::scale::Scale;
use super::{document, parts};
use crate::bisect::words::{answer, basis, commit_of, in_figures, titled};
use crate::bisect::{Bisection, Commit, Ended, Found, Line, Probe, Purpose, State, json};
use text::shown::shown;
use text::units;

/// The page of a search.
pub fn page(of: &Bisection) -> String {
    let answer = answer(of).unwrap_or_else(|| "the search has no answer yet".to_owned());
    let range = format!("{} to {}", shown(&of.asked.good), shown(&of.asked.bad));
    let main = el("main")
        .class("sound")
        .with(parts::masthead(&range, 60, &format!("search over commits · {}", shown(&of.started))))
        .with(verdict(of, &answer))
        .with_all(of.lines.iter().flat_map(|line| [way(of, line), commits(of, line)]))
        .with(plan(of));
    document(format!("{range} · tiebreak bisect"), main, json(of))
}

fn verdict(of: &Bisection, answer: &str) -> Node {
    let next = of.next.as_ref().map(|next| format!("Next: {next}"));
    let remarks = basis(of).into_iter().map(|sentence| parts::sentence(&sentence));
    el("section")
        .class("verdict")
        .with(el("p").class("claim").with(foreign(answer)))
        .with_all(next.map(|next| el("p").class("remark").with(foreign(next))))
        .with_all(remarks)
}

/// Every probe of a line: which commits, how much each costs relative to the other, and what is left.
fn way(of: &Bisection, line: &Line) -> Node {
    let axis = axis(of, line);
    let rows = line.probes.iter().flat_map(|probe| rows(of, line, probe, &axis));
    let figure = el("div").class("forest").with_all(rows);
    let figure = figure.with(el("div").class("row axis").with(forest::labels(&axis)));
    let matters = units::percent(of.asked.matters);
    let caption = format!(
        "Each probe in order: the cost of a commit relative to an earlier one, with its interval where its units \
         allow one. A probe that adds to earlier ones shows all of their units. Shaded: differences within ±{matters}. \
         The line below each name is the history from {} to {}; its thick part is where the difference probably is.",
        of_place(line, 0),
        of_place(line, line.commits.len() - 1)
    );
    parts::section(&heading(of, line)).with(parts::caption(&caption)).with(figure)
}

fn heading(of: &Bisection, line: &Line) -> String {
    match line.merge.as_ref().and_then(|merge| commit_of(of, merge)) {
        Some(merge) => format!("The side branch of the merge {}", shown(&merge.short)),
        None => "The way through the history".to_owned(),
    }
}

fn axis(of: &Bisection, line: &Line) -> Scale {
    let found = line.probes.iter().flat_map(|probe| &probe.found);
    let ratios = found.flat_map(|found| {
        let ratio = found.ratio;
        [Some(ratio.ratio), ratio.low, ratio.high].into_iter().flatten()
    });
    forest::axis_of(of.asked.matters, ratios)
}

fn rows(of: &Bisection, line: &Line, probe: &Probe, axis: &Scale) -> Vec<Node> {
    if probe.found.is_empty() {
        return vec![unmeasured(line, probe)];
    }
    let found = probe.found.iter().enumerate();
    found.map(|(at, found)| row(of, line, probe, found, at == 0, axis)).collect()
}

/// A probe without figures, and why it has none.
fn unmeasured(line: &Line, probe: &Probe) -> Node {
    let why = match probe.state {
        State::Unusable(place) => format!("{} does not build or start", of_place(line, place)),
        State::Void => "the audit refused it".to_owned(),
        State::Abandoned => "it was interrupted or failed".to_owned(),
        State::Begun | State::Measured => "it has no figures".to_owned(),
    };
    let why = probe.why.as_ref().map_or(why.clone(), |more| format!("{why}: {}", shown(more)));
    let what = el("div").class("what").with(el("div").text(purpose(probe.purpose)));
    el("div").class("row").with(what).with(el("p").class("note").with(foreign(why)))
}

fn row(
    of: &Bisection,
    line: &Line,
    probe: &Probe,
    found: &Found,
    is_first: bool,
    axis: &Scale,
) -> Node {
    let names = format!("{} against {}", of_place(line, found.of), of_place(line, found.against));
    let run = is_first.then(|| el("div").class("quiet").with(foreign(shown(&probe.run))));
    let what = el("div")
        .class("what")
        .with(el("div").with(foreign(&names)))
        .with(history(line, probe, found))
        .with_all(run);
    let figures = in_figures(&found.ratio, of.asked.matters);
    let bounds = found.ratio.bounds();
    let class = match bounds {
        Some((low, _)) if low > 1.0 => "slower",
        Some((_, high)) if high < 1.0 => "faster",
        _ => "undecided",
    };
    let mark = Mark { class, ratio: Some(found.ratio.ratio), bounds, radius: 4.5 };
    let strip = forest::marked(of.asked.matters, format!("{names}: {figures}"), &mark, axis);
    let units = units::show_counted(found.units as u64, "unit");
    let outcome = el("div")
        .class("outcome")
        .with(el("div").text(figures))
        .with(el("div").class("quiet").text(format!("{} · {units}", purpose(probe.purpose))));
    el("div").class("row").with(what).with(strip).with(outcome)
}

/// Where a probe is in the history, and what is left after it.
fn history(line: &Line, probe: &Probe, found: &Found) -> Node {
    let last = (line.commits.len() - 1).max(1) as f64;
    let at = |place: usize| share(place as f64 / last);
    let across = |from: String, to: String, class: &str| {
        let line = el("line").class(class).at("x1", from).at("x2", to);
        line.at("y1", "50%").at("y2", "50%")
    };
    let bracket = probe.bracket.map(|[from, to]| {
        across(at(from.saturating_sub(1)), at(to), "interval").at("stroke-width", 4)
    });
    let dots = [found.against, found.of]
        .map(|place| el("circle").class("estimate").at("cx", at(place)).at("cy", "50%").at("r", 3));
    let left = probe.bracket.map_or(String::new(), |[from, to]| {
        format!(
            "{} left, from {} to {}",
            units::show_counted((to + 1 - from) as u64, "commit"),
            of_place(line, from),
            of_place(line, to)
        )
    });
    let svg = el("svg")
        .class("undecided")
        .at("role", "img")
        .at("width", "100%")
        .at("height", 12)
        .with(el("title").text(left))
        .with(across("0%".to_owned(), "100%".to_owned(), "grid"));
    el("div").with(svg.with_all(bracket).with_all(dots))
}

fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Whole => "is there a difference",
        Purpose::Side => "on which side",
        Purpose::Naming => "fresh comparison",
    }
}

fn of_place(line: &Line, place: usize) -> String {
    line.commits.get(place).map_or_else(String::new, |commit| shown(&commit.short))
}

/// All commits of a line.
fn commits(of: &Bisection, line: &Line) -> Node {
    let answered = match &line.answer {
        Some(Ended::Named(parts) | Ended::Spread(parts)) => Some((parts.first, parts.last)),
        Some(Ended::Between { first, last, .. }) => Some((*first, *last)),
        _ => None,
    };
    let units = |place: usize| -> usize {
        let measured = line.probes.iter().filter(|probe| probe.state == State::Measured);
        measured.filter(|probe| probe.places.contains(&place)).map(|probe| probe.units).sum()
    };
    let unusable = |place: usize| {
        line.probes.iter().any(|probe| probe.state == State::Unusable(place))
            || of.asked.skipped.contains(&line.commits[place].id)
    };
    let is_answer =
        |place: usize| answered.is_some_and(|(first, last)| (first..=last).contains(&place));
    let row = |place: usize, commit: &Commit| {
        let part = match is_answer(place) {
            _ if unusable(place) => "not measured",
            true => "the answer",
            false => "",
        };
        let units = match units(place) {
            0 => String::new(),
            some => units::show_counted(some as u64, "unit"),
        };
        vec![
            parts::row_name(&titled(commit)),
            el("td").with(foreign(shown(&commit.author))),
            parts::cell(units),
            parts::cell(part),
        ]
    };
    let left_out = |place: usize, commit: &Commit| {
        let number = units::show_counted(commit.left_out as u64, "commit");
        let part = if is_answer(place) { "the answer, too" } else { "" };
        let cells = [String::new(), "not searched".to_owned(), part.to_owned()].map(parts::cell);
        let name = parts::row_name(&format!("{number} that touch none of the paths"));
        (commit.left_out > 0).then(|| std::iter::once(name).chain(cells).collect())
    };
    let rows = line.commits.iter().enumerate().flat_map(|(place, commit)| {
        left_out(place, commit).into_iter().chain([row(place, commit)])
    });
    parts::folded(
        &units::show_counted(line.commits.len() as u64, "commit"),
        parts::table(&["commit", "author", "measured in", ""], rows),
    )
}

fn plan(of: &Bisection) -> Node {
    let asked = &of.asked;
    let list = |words: &[String]| words.iter().map(shown).collect::<Vec<_>>().join(" ");
    let mut facts = vec![
        ("file", shown(&asked.file)),
        ("contender", shown(&asked.contender)),
        ("figure", crate::bisect::words::figure(of)),
        ("smallest difference that matters", units::percent(asked.matters)),
        ("tiebreak", shown(&asked.build)),
        ("machine", shown(&asked.machine)),
    ];
    facts.extend((!asked.paths.is_empty()).then(|| ("paths", list(&asked.paths))));
    parts::section("What was asked").with(parts::facts(facts))
}
