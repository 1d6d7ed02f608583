//! The reports compared as text, and what no report may do.

mod page;
mod printed;
mod schema;
mod snapshots;
pub(super) mod validator;

pub(super) use snapshots::Snapshot;

use super::{Style, html, json, samples, terminal};
use text::shown::is_hidden;

/// A terminal without colours, 100 columns wide.
const PLAIN: Style = Style { colour: false, width: 100 };

#[test]
fn hostile_text_is_always_escaped() {
    let input = samples::hostile();
    let view = input.view();
    let (_, sweep) = samples::sweeps().pop().expect("the hostile one is the last");
    let sweep = sweep.view();
    let outputs = [
        terminal::report(&view, PLAIN),
        terminal::short::report(&view, PLAIN),
        terminal::short::sweep::report(&sweep, PLAIN),
        json::report(&view),
        html::page(&view),
        terminal::sweep::report(&sweep, PLAIN),
        json::sweep::report(&sweep),
        html::sweep::page(&sweep),
    ];
    let hidden = outputs.map(|output| {
        output
            .chars()
            .filter(|c| is_hidden(*c) && *c != '\n')
            .map(|c| c.escape_default().to_string())
            .collect::<Vec<String>>()
    });
    assert_eq!(hidden, [const { Vec::<String>::new() }; 8]);
}

/// Both forms of the terminal's report of each sample, and of each sweep.
fn for_terminals(style: Style) -> Vec<(String, String)> {
    let mut reports = Vec::new();
    for (name, input) in samples::all() {
        let view = input.view();
        reports.push((name.to_owned(), terminal::report(&view, style)));
        reports.push((format!("{name}, short"), terminal::short::report(&view, style)));
    }
    for (name, input) in samples::sweeps() {
        let view = input.view();
        reports.push((name.to_owned(), terminal::sweep::report(&view, style)));
        reports.push((format!("{name}, short"), terminal::short::sweep::report(&view, style)));
    }
    reports
}

#[test]
fn no_line_but_a_path_is_wider_than_the_terminal() {
    use unicode_width::UnicodeWidthStr;
    let is_path = |line: &str| line.contains("/report.") || line.contains("tiebreak audit ");
    for width in [40, 60, 80, 100] {
        for (name, report) in for_terminals(Style { colour: false, width }) {
            let lines = report.lines().filter(|line| !is_path(line));
            let widest = lines.max_by_key(|line| line.width()).unwrap_or_default();
            assert!(widest.width() <= width, "{name} at {width}: {widest}");
        }
    }
}

#[test]
fn misses_are_their_own_figure_and_no_errors() {
    let reports = |misses: u64| {
        let mut input = samples::faster();
        let outcomes = &mut input.contenders[1].outcomes;
        outcomes.ok = 10_000 - misses;
        outcomes.miss = misses;
        let view = input.view();
        assert_eq!(crate::words::errors(&view.contenders[1]), 0);
        [
            terminal::report(&view, PLAIN),
            terminal::short::report(&view, PLAIN),
            html::page(&view),
            crate::markdown::figures(&view),
        ]
    };
    for (with, without) in reports(1234).into_iter().zip(reports(0)) {
        let with = with.replace('\u{a0}', " ");
        assert!(with.contains("1234 (12.3 %)"), "{with}");
        assert!(with.contains("misses") && !without.contains("misses"), "{without}");
    }
}

#[test]
fn the_answer_about_two_contenders_fits_on_one_screen() {
    let mut seen = 0;
    for (name, input) in samples::all() {
        let view = input.view();
        if view.contenders.len() > 2 {
            continue;
        }
        let report = terminal::short::report(&view, PLAIN);
        // Names of 200 wide characters fill lines of their own.
        if name != "hostile" {
            assert!(report.lines().count() <= terminal::short::SCREEN, "{name}:\n{report}");
            seen += 1;
        }
        assert!(report.contains("audit: ") && report.contains("report   "), "{name}:\n{report}");
    }
    assert!(seen >= 12, "{seen}");
}

#[test]
fn each_further_contender_costs_its_verdict_and_its_row() {
    let height = |input: samples::Parts| {
        let mut input = input;
        input.findings.clear();
        terminal::short::report(&input.view(), PLAIN).lines().count()
    };
    let (twelve, mut two) = (samples::twelve(), samples::twelve());
    two.contenders.truncate(2);
    two.comparisons.truncate(1);
    // With long names: a claim and its basis, and a row, here a paragraph of two lines.
    assert!(height(twelve) - height(two) <= 10 * (3 + 2));
}

#[test]
fn a_crowd_of_findings_leaves_out_the_lightest_and_says_so() {
    let input = samples::crowded(true);
    let report = terminal::short::report(&input.view(), PLAIN);
    let starts = |label: &str| report.lines().filter(|line| line.starts_with(label)).count();
    assert!(starts("  void ") > 0 && starts("  note ") == 0, "{report}");
    assert!(report.contains(" more findings"), "{report}");
    assert!(report.contains("(old 12.3 %, new 12.3 %)"), "{report}");
    let caution = report.find("  caution ").unwrap_or(report.len());
    assert!(report.rfind("  void ").is_some_and(|void| void < caution), "{report}");
}

#[test]
fn colours_add_nothing_but_colours() {
    let plain = for_terminals(PLAIN);
    for ((name, coloured), (_, plain)) in
        for_terminals(Style { colour: true, ..PLAIN }).into_iter().zip(plain)
    {
        assert!(coloured.contains("\x1b["), "{name}");
        let mut without = coloured;
        for code in ["0", "1", "33", "1;31", "1;32"] {
            without = without.replace(&format!("\x1b[{code}m"), "");
        }
        assert_eq!(without, plain, "{name}");
    }
}

#[test]
fn the_same_story_gives_the_same_bytes() {
    for (name, input) in samples::all() {
        let again = input.clone();
        assert_eq!(json::report(&input.view()), json::report(&again.view()), "{name}");
    }
}
