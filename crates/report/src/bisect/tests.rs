use super::*;
use crate::tests::validator;
use crate::{Style, bisect_html as html, bisect_terminal as terminal};
use serde_json::Value;

const SCHEMA_FILE: &str = include_str!("../../../../schema/bisect.v1.json");

fn commit(number: usize, subject: &str) -> Commit {
    Commit {
        id: format!("{number:040x}"),
        short: format!("{number:07x}"),
        subject: subject.to_owned(),
        author: "A <script>".to_owned(),
        authored: "2026-05-02T10:00:00+02:00".to_owned(),
        parents: if number > 0 { vec![format!("{:040x}", number - 1)] } else { Vec::new() },
        left_out: 0,
    }
}

fn ratio(ratio: f64, low: f64, high: f64) -> Ratio {
    Ratio { ratio, low: Some(low), high: Some(high) }
}

fn line(answer: Ended) -> Line {
    let commits = (0..9).map(|number| commit(number, &format!("change {number}"))).collect();
    let found = |against, of| Found { against, of, ratio: ratio(1.08, 1.05, 1.11), units: 8 };
    let probe = |run: &str, purpose, places: &[usize], state, found| Probe {
        run: run.to_owned(),
        purpose,
        places: places.to_vec(),
        units: 8,
        state,
        why: None,
        failed: None,
        found,
        bracket: Some([3, 5]),
        took: 12.5,
    };
    let probes = vec![
        probe("probes/001", Purpose::Whole, &[0, 8], State::Measured, vec![found(0, 8)]),
        probe("probes/002", Purpose::Side, &[0, 4], State::Unusable(4), Vec::new()),
        probe("probes/003", Purpose::Naming, &[0, 4, 5, 8], State::Measured, vec![found(4, 5)]),
    ];
    Line { merge: None, commits, seed: 7, probes, answer: Some(answer) }
}

fn search(lines: Vec<Line>) -> Bisection {
    let mut of = Bisection {
        schema: SCHEMA.to_owned(),
        asked: Asked {
            build: "0.1.0 (0)".to_owned(),
            machine: "A CPU with 2 cores, Linux".to_owned(),
            file: "tiebreak.toml".to_owned(),
            file_hash: "0".to_owned(),
            contender: "app".to_owned(),
            good: "v1".to_owned(),
            bad: "main".to_owned(),
            ids: [format!("{:040x}", 0), format!("{:040x}", 8)],
            metric: "throughput".to_owned(),
            matters: 0.03,
            plan: "0".to_owned(),
            ..Asked::default()
        },
        started: "2026-05-03T00:00:00Z".to_owned(),
        lines,
        answer: None,
        next: None,
    };
    of.answer = answer(&of);
    of
}

fn shown(first: usize, last: usize) -> Shown {
    Shown {
        first,
        last,
        commit: ratio(1.08, 1.05, 1.11),
        before: Some(ratio(1.0, 0.99, 1.012)),
        after: Some(ratio(1.0, 0.99, 1.018)),
    }
}

fn said(answer: Ended) -> String {
    search(vec![line(answer)]).answer.expect("it has ended")
}

#[test]
fn each_answer_says_no_more_than_was_found() {
    assert_eq!(
        said(Ended::Named(shown(5, 5))),
        "0000005 (change 5, 2026-05-02) with 95 %: 1.08x (1.05x to 1.11x) against its parent"
    );
    assert_eq!(
        said(Ended::Named(shown(4, 5))),
        "one of 0000004 or 0000005 with 95 % (0000004 does not build or start): 1.08x (1.05x to 1.11x) against \
         0000003"
    );
    assert_eq!(
        said(Ended::NoRegression { whole: ratio(1.0, 0.99, 1.01) }),
        "no regression of 3 % or more between 0000000 and 0000008: 1.00x (0.99x to 1.01x)"
    );
    let whole = ratio(1.02, 0.98, 1.06);
    assert_eq!(
        said(Ended::Undecided { whole }),
        "undecided: whether there is a regression between 0000000 and 0000008 stays open: 1.02x (0.98x to 1.06x)"
    );
    assert_eq!(
        said(Ended::Between { first: 3, last: 5, weight: 0.967, whole }),
        "between 0000002 and 0000005 (change 5, 2026-05-02): 3 commits, of which none was confirmed (96 % of the \
         weight of the search, without an interval)"
    );
    let after = Some(ratio(1.05, 1.02, 1.07));
    assert_eq!(
        said(Ended::Spread(Shown { after, ..shown(3, 3) })),
        "spread over several commits between 0000000 and 0000008, with 95 %: 1.08x (1.05x to 1.11x) in 0000003 \
         (change 3, 2026-05-02) and 1.05x (1.02x to 1.07x) from 0000003 to 0000008"
    );
}

#[test]
fn what_was_not_measured_is_told_as_that() {
    let answer = Ended::Named(shown(3, 6));
    let mut of = search(vec![line(answer)]);
    of.asked.skipped = vec![of.lines[0].commits[4].id.clone()];
    let text = super::answer(&of).expect("an answer");
    let lead = "one of 0000003, 0000004, 0000005 or 0000006 with 95 % (0000003 and 0000005 do not build or start; \
                0000004 was not measured): 1.08x";
    assert!(text.starts_with(lead), "{text}");
    of.asked.skipped = of.lines[0].commits[3..6].iter().map(|commit| commit.id.clone()).collect();
    let text = super::answer(&of).expect("an answer");
    assert!(text.contains("(0000003, 0000004 and 0000005 were not measured): "), "{text}");
}

/// Where only some commits are searched, a difference may come from those between them.
#[test]
fn commits_that_were_left_out_for_their_paths_are_part_of_the_answer() {
    let of = |answer: Ended| {
        let mut line = line(answer);
        (line.commits[4].left_out, line.commits[5].left_out) = (1, 2);
        line.commits[5].parents = vec!["another".to_owned()];
        search(vec![line])
    };
    let with = |answer: Ended| of(answer).answer.expect("it has ended");
    assert_eq!(
        with(Ended::Named(shown(5, 5))),
        "0000005 (change 5, 2026-05-02) or one of the 2 commits before it that touch none of the paths, with 95 %: \
         1.08x (1.05x to 1.11x) against 0000004"
    );
    let named = of(Ended::Named(shown(5, 5)));
    let [before, last] = [4, 5].map(|place| &named.lines[0].commits[place]);
    assert_eq!(next(&named), Some(Next::AllBetween(before, last)));
    let page = html(&named);
    let row = "2 commits that touch none of the paths</bdi></th><td></td><td>not searched</td><td>the answer, too</td>";
    assert!(page.contains(row), "{page}");
    let one = with(Ended::Named(shown(4, 4)));
    let lead = "0000004 (change 4, 2026-05-02) or the commit before it that touches none of the paths, with 95 %: ";
    assert!(one.starts_with(lead), "{one}");
    let several = with(Ended::Named(shown(4, 5)));
    let lead = "0000004, 0000005 or one of the 3 commits before them that touch none of the paths, with 95 % (";
    assert!(several.starts_with(lead), "{several}");
    let after = Some(ratio(1.05, 1.02, 1.07));
    let spread = with(Ended::Spread(Shown { after, ..shown(5, 5) }));
    assert!(spread.contains("1.08x (1.05x to 1.11x) from 0000004 to 0000005"), "{spread}");
    let whole = ratio(1.02, 0.98, 1.06);
    let between = with(Ended::Between { first: 4, last: 5, weight: 0.967, whole });
    assert!(between.contains("5 commits, of which none"), "{between}");
}

#[test]
fn improvements_are_ratios_below_one() {
    let difference = Difference { estimate: 0.08, low: 0.05, high: 0.11 };
    let of = Ratio::of(difference, true);
    assert!((of.ratio - (-0.08f64).exp()).abs() < 1e-12 && of.low < Some(of.ratio), "{of:?}");
    let mut search = search(vec![line(Ended::NoRegression { whole: ratio(1.0, 0.99, 1.01) })]);
    search.asked.improvement = true;
    assert!(answer(&search).is_some_and(|text| text.starts_with("no improvement of 3 % or more")));
}

/// The answer names the search that says more, and claims nothing of what was not asked for sure.
#[test]
fn a_difference_in_the_other_direction_names_the_search_for_it() {
    let (cheaper, dearer) = (ratio(0.8, 0.78, 0.83), ratio(1.25, 1.2, 1.3));
    let none = [ratio(0.98, 0.97, 0.99), ratio(0.9, 0.8, 1.01)];
    let with = |improvement: bool, whole: Ratio| {
        let mut of = search(vec![line(Ended::NoRegression { whole })]);
        of.asked.improvement = improvement;
        of
    };
    for (improvement, whole, more) in [
        (false, cheaper, ", so 0000008 is cheaper: search with --improvement for what made it so"),
        (true, dearer, ", so 0000008 is dearer: search without --improvement for what made it so"),
    ] {
        let of = with(improvement, whole);
        assert_eq!(next(&of), Some(Next::OtherDirection));
        let text = answer(&of).expect("an answer");
        assert!(text.ends_with(&format!("x){more}")), "{text}");
        assert!(html(&of).contains(more), "the page has it, too");
    }
    let nothing_more =
        none.map(|whole| with(false, whole)).into_iter().chain([with(true, cheaper)]);
    for of in nothing_more {
        assert_eq!(next(&of), None);
        assert!(answer(&of).is_some_and(|text| text.ends_with(')')));
    }
}

#[test]
fn a_commit_that_came_with_a_merge_is_named_with_it() {
    let outer = line(Ended::Named(shown(5, 5)));
    let mut inner = line(Ended::Named(shown(2, 2)));
    inner.merge = Some(outer.commits[5].id.clone());
    inner.commits = (20..23).map(|number| commit(number, "of the side")).collect();
    let text = search(vec![outer.clone(), inner.clone()]).answer.expect("an answer");
    assert!(text.starts_with("0000016 (of the side, 2026-05-02) with 95 %: 1.08x"), "{text}");
    assert!(text.ends_with("; it came with the merge 0000005 (change 5, 2026-05-02)"), "{text}");
    inner.answer = Some(Ended::NoRegression { whole: ratio(1.0, 0.99, 1.01) });
    let text = search(vec![outer, inner]).answer.expect("an answer");
    assert!(text.starts_with("0000005 (change 5"), "{text}");
    assert!(text.contains("; inside the merge 0000005: no regression"), "{text}");
}

#[test]
fn strangers_texts_are_harmless_everywhere() {
    let mut of = search(vec![line(Ended::Named(shown(5, 5)))]);
    of.lines[0].commits[5].subject = "</title><script>x\u{1b}[2J\u{202e}".to_owned();
    of.answer = answer(&of);
    of.next = Some("what it finds: `tiebreak bisect '<script>x' HEAD`".to_owned());
    let text = terminal(&of, Style { colour: false, width: 100 });
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text:?}");
    let page = html(&of);
    assert!(!page.contains("<script>x") && !page.contains('\u{1b}'), "{page}");
    let next = "Next: what it finds: `tiebreak bisect &#39;&lt;script&gt;x&#39; HEAD`</bdi>";
    assert!(page.contains(next), "{page}");
    roxmltree_of(&page);
    of.next = None;
    assert!(!html(&of).contains("Next: "), "no other search says more");
}

/// The page is well-formed: everything in it was written by the tree.
fn roxmltree_of(page: &str) {
    let body = page.strip_prefix("<!doctype html>\n").expect("a page");
    let closed = body.replace("<br>", "<br/>");
    let closed = closed.split("<meta").collect::<Vec<_>>();
    let closed: Vec<String> = closed
        .iter()
        .enumerate()
        .map(|(at, part)| if at == 0 { (*part).to_owned() } else { part.replacen('>', "/>", 1) })
        .collect();
    roxmltree::Document::parse(&closed.join("<meta")).expect("well-formed");
}

#[test]
fn the_record_fits_its_schema_and_is_read_back() {
    for answer in [
        Ended::Named(shown(5, 5)),
        Ended::Spread(Shown { before: None, ..shown(1, 1) }),
        Ended::Between { first: 3, last: 5, weight: 0.96, whole: ratio(1.1, 1.0, 1.2) },
        Ended::NoRegression { whole: ratio(1.1, 1.0, 1.2) },
        Ended::Undecided { whole: ratio(1.1, 1.0, 1.2) },
    ] {
        let of = search(vec![line(answer)]);
        let text = json(&of);
        let value: Value = serde_json::from_str(&text).expect("JSON");
        validator::assert_fits(SCHEMA_FILE, &value);
        assert_eq!(serde_json::from_str::<Bisection>(&text).expect("ours"), of);
    }
}
