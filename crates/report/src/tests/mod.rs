//! The reports compared as text, and what no report may do.

mod bounds;
mod page;
mod printed;
mod schema;
mod snapshots;
pub(super) mod validator;

pub(super) use snapshots::Snapshot;

use super::{Style, html, json, markdown, samples, terminal};
use judge::verdict::{Middle, Word};
use text::shown::is_hidden;

/// A terminal without colours, 100 columns wide.
const PLAIN: Style = Style { colour: false, width: 100 };

#[test]
fn hostile_text_is_always_escaped() {
    let input = samples::hostile();
    let view = input.view();
    let mut all = samples::all().into_iter();
    let (_, sweep) = all.find(|(name, _)| *name == "sweep-hostile").expect("a sample");
    let sweep = sweep.view();
    let outputs = [
        terminal::report(&view, PLAIN),
        terminal::short::report(&view, PLAIN),
        terminal::short::report(&sweep, PLAIN),
        json::report(&view),
        html::page(&view),
        terminal::report(&sweep, PLAIN),
        json::report(&sweep),
        html::page(&sweep),
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

/// Both forms of the terminal's report of each sample.
fn for_terminals(style: Style) -> Vec<(String, String)> {
    let mut reports = Vec::new();
    for (name, input) in samples::all() {
        let view = input.view();
        reports.push((name.to_owned(), terminal::report(&view, style)));
        reports.push((format!("{name}, short"), terminal::short::report(&view, style)));
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
fn tables_of_load_points_have_misses_where_there_are_any() {
    let reports = |misses: u64| {
        let lose = |of: &mut judge::verdict::ContenderSummary| {
            (of.outcomes.ok, of.outcomes.miss) = (10_000 - misses, misses);
        };
        let mut all = samples::all().into_iter();
        let (_, mut loads) = all.find(|(name, _)| *name == "loads").expect("a sample");
        lose(&mut loads.contenders[1]);
        let (_, mut sweep) = all.find(|(name, _)| *name == "sweep").expect("a sample");
        lose(&mut sweep.contenders[3]);
        let (loads, sweep) = (loads.view(), sweep.view());
        [
            terminal::report(&loads, PLAIN),
            terminal::short::report(&loads, PLAIN),
            html::page(&loads),
            markdown::summary(&loads),
            terminal::report(&sweep, PLAIN),
            html::page(&sweep),
            markdown::summary(&sweep),
        ]
    };
    for (with, without) in reports(1234).into_iter().zip(reports(0)) {
        let with = with.replace('\u{a0}', " ");
        assert!(with.contains("1234 (12.3 %)"), "{with}");
        // The JSON within a page has misses in any case.
        let [columns, none] = [&with, &without].map(|report| report.matches("misses").count());
        assert!(columns > none, "{with}\n{without}");
    }
}

#[test]
fn reports_say_where_the_start_of_slices_is_included() {
    let reports = |burn_in_ns: u64| {
        let mut input = samples::faster();
        let pilot = input.pilot.as_mut().expect("compare has one");
        pilot.burn_in_ns.fill(burn_in_ns);
        let view = input.view();
        let all = [
            terminal::report(&view, PLAIN),
            terminal::short::report(&view, PLAIN),
            html::page(&view),
            markdown::summary(&view),
        ];
        all.map(|report| {
            let words = report.split_whitespace().collect::<Vec<_>>().join(" ");
            words.contains("response times include the start of each slice")
        })
    };
    assert_eq!((reports(0), reports(1)), ([true; 4], [false; 4]));
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

/// Of 2 000 cases the short form has the worst, and the long one a line for each.
#[test]
fn a_large_suite_stays_readable() {
    let input = samples::large_suite();
    let view = input.view();
    let short = terminal::short::report(&view, PLAIN);
    assert!(short.lines().count() <= 36, "{short}");
    let answer = "200 of 2000 slower (worst: group 0/case 0000 of a suite 1.20x, 1.10x to 1.30x), 1800 \
                  equivalent within 3 %";
    assert!(short.split_whitespace().collect::<Vec<_>>().join(" ").contains(answer), "{short}");
    assert!(short.contains("and 180 more: --verbose shows all"), "{short}");
    let long = terminal::report(&view, PLAIN);
    let cases = long.lines().filter(|line| line.contains("/case ")).count();
    assert_eq!(cases, 2001, "each case, and the worst in the answer");
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
fn of_a_crowd_of_findings_one_is_named_and_the_others_are_counted() {
    let input = samples::crowded(true);
    let report = terminal::short::report(&input.view(), PLAIN);
    let report = report.replace("\n  ", " ");
    let named = "audit: the headline does not stand: operations failed (old 12.3 %, new 12.3 %): see its \
                 log, or name the code (--expect) (19 checks, 26 other void, 53 cautions and 2 notes)";
    assert!(report.contains(named), "{report}");
    assert!(!report.contains("keys were not found"), "{report}");
}

/// A report of `faster`, in which each contender's figures over all rounds contradict the ratios.
fn contradicted(metric: usize) -> samples::Parts {
    let mut input = samples::faster();
    let comparison = &mut input.comparisons[metric];
    (comparison.low, comparison.high) = (Some(0.8), Some(0.9));
    comparison.ratio = Some(0.85);
    comparison.middle = Some(Middle { a: 0.01, b: 0.0085, of_launches: false });
    // Over all rounds, b has more of everything.
    input.contenders[1].response_time.p99 = Some(0.02);
    input
}

#[test]
fn figures_that_contradict_a_ratio_are_replaced_by_the_middle_of_the_rounds() {
    let input = contradicted(2);
    let beside = "p99 (middle of the rounds)  10.0 ms → 8.50 ms   0.85x (0.80 to 0.90)";
    let short = terminal::short::report(&input.view(), PLAIN);
    assert!(short.contains(beside), "{short}");
    let long = terminal::report(&input.view(), PLAIN);
    assert!(long.contains("p99 (middle of the rounds): 10.0 ms -> 8.50 ms, 0.85x"), "{long}");
    let markdown = markdown::summary(&input.view());
    assert!(markdown.contains("p99 (middle of the rounds) | 10.0"), "{markdown}");
    assert!(html::page(&input.view()).contains("8.50\u{a0}ms (middle of the rounds)"));
    assert!(!terminal::short::report(&samples::faster().view(), PLAIN).contains("middle of"));
}

#[test]
fn so_is_the_primary_metric_whose_figures_are_in_the_table() {
    let mut input = contradicted(0);
    input.comparisons[0].middle = Some(Middle { a: 20_000.0, b: 17_000.0, of_launches: true });
    let beside = "throughput (middle of the launches): 20.0 k/s → 17.0 k/s";
    for report in
        [terminal::short::report(&input.view(), PLAIN), terminal::report(&input.view(), PLAIN)]
    {
        assert!(report.contains(beside), "{report}");
    }
}

#[test]
fn undecided_beside_an_interval_with_a_verdict_has_its_reason() {
    let mut input = samples::groups();
    let of_writers = &mut input.comparisons[2];
    of_writers.verdict = Word::Undecided;
    of_writers.withheld = Some("redis: 99 replies in a round are too few".to_owned());
    let report = terminal::short::report(&input.view(), PLAIN);
    let lines: Vec<&str> = report.lines().collect();
    let at = lines.iter().position(|line| line.contains("p99 of writers")).expect("its line");
    assert!(lines[at].ends_with("UNDECIDED"), "{report}");
    assert_eq!(lines[at + 1], "    because redis: 99 replies in a round are too few");
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
