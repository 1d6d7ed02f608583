use super::*;
use judge::verdict::{Bearing, OnlyIn, RequirementStatus, Suite, Weight, Word};
use record::ContenderQuestion;

fn question() -> Question {
    record::testing::question(&["old", "new", "a/b", "b", "a"], 10)
}

fn parse(text: &str) -> Result<Requirement, String> {
    Requirement::parse(text, &question())
}

fn good(text: &str) -> Requirement {
    parse(text).unwrap_or_else(|why| panic!("{why}"))
}

#[test]
fn what_can_be_required() {
    let new_old = Some(("new", "old"));
    let table = [
        ("new/old throughput >= 0.97", new_old, Metric::Throughput, Comparator::AtLeast, 0.97),
        (
            "old/new throughput>0.97x",
            Some(("old", "new")),
            Metric::Throughput,
            Comparator::MoreThan,
            0.97,
        ),
        ("  p99<=1.05× ", None, Metric::ResponseP99, Comparator::AtMost, 1.05),
        ("response_time.p50 < 2 x", None, Metric::ResponseP50, Comparator::LessThan, 2.0),
        ("new / old p99 ≤ 1", new_old, Metric::ResponseP99, Comparator::AtMost, 1.0),
        (
            "a/b/old throughput ≥ 1",
            Some(("a/b", "old")),
            Metric::Throughput,
            Comparator::AtLeast,
            1.0,
        ),
    ];
    for (text, pair, metric, sense, bound) in table {
        let expected = Requirement {
            text: text.trim().to_owned(),
            pairs: pair.map(|(b, a)| vec![Names { a: a.to_owned(), b: b.to_owned() }]),
            metric,
            part: None,
            cases: None,
            sense,
            bound,
            by: By::UnfavourableEnd,
        };
        assert_eq!(parse(text), Ok(expected));
    }
    for (text, by) in [
        ("p99 <= 1.05x by estimate", By::Estimate),
        ("p99 <= 1.05x by favourable end", By::FavourableEnd),
        ("p99 <= 1.05x by unfavourable end", By::UnfavourableEnd),
    ] {
        assert_eq!((good(text).by, good(text).text.as_str()), (by, text));
    }
}

#[test]
fn errors_teach() {
    let example = "write it like `new/old throughput >= 0.97` or `p99 <= 1.05x`";
    let table = [
        ("", format!("the comparison sign is missing; {example}")),
        ("p99", format!("the comparison sign is missing; {example}")),
        (">= 1", format!("the metric is missing; {example}")),
        ("new/old >= 0.97", format!("the metric is missing after the contenders; {example}")),
        (
            "p99 == 1",
            "a measured ratio never equals a bound exactly: use >= or <= instead of ==".to_owned(),
        ),
        ("p99 => 1", format!("`=>` is not a comparison sign; {example}")),
        ("p99 <=", format!("the ratio is missing after the comparison sign; {example}")),
        (
            "latency <= 1",
            "no metric is called `latency`: this run judges throughput, p50 and p99".to_owned(),
        ),
        (
            "throughputs >= 1",
            "no metric is called `throughputs`: this run judges throughput, p50 and p99; did you mean \
             `throughput`?"
                .to_owned(),
        ),
        (
            "p99.9 <= 1",
            "this run does not judge p99.9, only throughput, p50 and p99: require one of these"
                .to_owned(),
        ),
        (
            "next/old p99 <= 1",
            "`next/old` does not name two contenders: write B/A with two of old, new, a/b, b and a"
                .to_owned(),
        ),
        (
            "new p99 <= 1",
            "`new` does not name two contenders: write B/A with two of old, new, a/b, b and \
             a".to_owned(),
        ),
        ("old/old p99 <= 1", "old is not compared with itself".to_owned()),
        (
            "new/b p99 <= 1",
            "b and new are not compared with each other: --all-pairs compares all".to_owned(),
        ),
        (
            "p99 < 5ms",
            "`5ms` is a figure of one contender, which depends on the machine as much as on the \
             program: require a ratio to another contender, such as 1.05x"
                .to_owned(),
        ),
        (
            "throughput >= 5k/s",
            "`5k/s` is a figure of one contender, which depends on the machine as much as on the \
             program: require a ratio to another contender, such as 1.05x"
                .to_owned(),
        ),
        (
            "p99 <= 5 %",
            "`5%` is ambiguous: write the ratio, such as 1.05x for 5 % more or 0.95x for 5 % less"
                .to_owned(),
        ),
        ("p99 <= 0", "a ratio must be above 0; 1 means equal".to_owned()),
        ("p99 <= -1x", format!("`-1x` is not a ratio; {example}")),
        ("p99 <= nan", format!("`nan` is not a ratio; {example}")),
        (
            "p99 <= 1 by luck",
            "`by` must be followed by `estimate`, `favourable end` or `unfavourable end` (the \
             default)"
                .to_owned(),
        ),
        ("p99 <= \u{1b}[31m", format!("`\\u{{1b}}[31m` is not a ratio; {example}")),
    ];
    for (text, why) in table {
        let shown = text::shown::shown(text);
        assert_eq!(parse(text), Err(format!("--require `{shown}`: {why}")));
    }
}

#[test]
fn a_pair_that_can_be_read_in_two_ways() {
    let mut question = question();
    question.contenders = ["a", "b/c", "a/b", "c"].map(ContenderQuestion::named).to_vec();
    let error = Requirement::parse("a/b/c p99 <= 1", &question).expect_err("two ways");
    assert!(error.ends_with("`a/b/c` can be read in two ways: rename a contender"), "{error}");
}

fn comparison(metric: Metric, ratio: (f64, f64, f64), verdict: Word) -> Comparison {
    Comparison {
        ratio: Some(ratio.0),
        low: Some(ratio.1),
        high: Some(ratio.2),
        replicates: 10,
        verdict,
        ..Comparison::undecided("old", "new", metric, 0.95)
    }
}

#[track_caller]
fn checked(
    text: &str,
    comparison: &Comparison,
    findings: &[Finding],
) -> (RequirementStatus, String) {
    let checked = good(text).check(std::slice::from_ref(comparison), findings, None);
    let [one] = &checked[..] else { panic!("{checked:?}") };
    assert_eq!(one.requirement, text);
    (one.status, one.why.clone())
}

#[test]
fn a_requirement_is_decided_if_all_or_nothing_of_an_interval_meets_it() {
    let of = |ratio| comparison(Metric::Throughput, ratio, Word::Slower);
    let is_decided = |text: &str, all: &[Comparison]| good(text).is_decided(all);
    for (text, decided) in [
        ("throughput >= 0.9", true),
        ("throughput >= 0.96", false),
        ("throughput >= 0.96 by estimate", false),
        ("throughput >= 0.96 by favourable end", false),
        ("throughput >= 0.99", true),
        ("old/new throughput <= 1.2", true),
        ("old/new throughput <= 1.04", false),
    ] {
        assert_eq!(is_decided(text, &[of((0.96, 0.95, 0.97))]), decided, "{text}");
    }
    // Of several pairs, all must be decided.
    let both = [of((0.96, 0.95, 0.97)), of((0.9, 0.88, 0.91))];
    assert!(is_decided("throughput >= 0.8", &both) && !is_decided("throughput >= 0.9", &both));
    let unknown = Comparison { low: None, high: None, ..of((0.96, 0.0, 0.0)) };
    assert!(!is_decided("throughput >= 0.9", &[unknown]));
    assert!(!is_decided("throughput >= 0.9", &[]), "it was not compared");
}

#[test]
fn a_requirement_between_launches_says_so() {
    let launches = |launch_of_a, launch_of_b| Comparison {
        launch_of_a,
        launch_of_b,
        ..comparison(Metric::Throughput, (0.985, 0.972, 0.998), Word::Slower)
    };
    let says = |text, comparison: Comparison, begins: &str| {
        let (_, why) = checked(text, &comparison, &[]);
        assert!(why.starts_with(begins), "{why}");
    };
    let both = "throughput of this launch of new is 0.985x that of this launch of old (";
    says("throughput >= 0.97", launches(true, true), both);
    let inverted = "throughput of this launch of old is 1.015x that of new (";
    says("old/new throughput <= 1.1", launches(true, false), inverted);
    says("throughput >= 0.97", launches(false, false), "throughput of new is 0.985x that of old (");
}

#[test]
fn the_unfavourable_end_decides() {
    use RequirementStatus::{Met, NotMet};
    let throughput = (0.985, 0.972, 0.998);
    let table = [
        ("throughput >= 0.97", throughput, Met),
        ("throughput >= 0.972", throughput, Met),
        ("throughput > 0.972", throughput, NotMet),
        ("throughput >= 0.98", throughput, NotMet),
        ("throughput >= 1", throughput, NotMet),
        ("throughput <= 0.998", throughput, Met),
        ("throughput < 0.998", throughput, NotMet),
        ("throughput <= 0.99", throughput, NotMet),
        ("throughput >= 0.98 by estimate", throughput, Met),
        ("throughput >= 0.99 by estimate", throughput, NotMet),
        ("throughput >= 0.99 by favourable end", throughput, Met),
        ("throughput >= 1 by favourable end", throughput, NotMet),
        // Inverted: 1.002 to 1.029.
        ("old/new throughput <= 1.03", throughput, Met),
        ("old/new throughput <= 1.02", throughput, NotMet),
        ("old/new throughput >= 1.001", throughput, Met),
    ];
    for (text, ratio, status) in table {
        let seen = comparison(Metric::Throughput, ratio, Word::Undecided);
        assert_eq!(checked(text, &seen, &[]).0, status, "{text}");
    }
}

#[test]
fn sentences_give_the_figures_that_decided() {
    let seen = comparison(Metric::ResponseP99, (1.02, 0.97, 1.0804), Word::Undecided);
    let figures = "p99 of new is 1.020x that of old (0.970x to 1.080x at 95 %)";
    let table = [
        ("p99 <= 1.1x", "the whole interval is <= 1.100x"),
        ("p99 <= 1.05x", "not shown to be <= 1.050x, it may be as high as 1.080x"),
        ("p99 < 0.9x", "no part of the interval is < 0.900x"),
        ("p99 <= 1.05x by estimate", "the estimate is <= 1.050x"),
        ("p99 <= 1.01x by estimate", "the estimate is not <= 1.010x"),
        ("p99 <= 1.01x by favourable end", "not shown to violate <= 1.010x"),
        ("p99 >= 1.2x by favourable end", "no part of the interval is >= 1.200x"),
    ];
    for (text, reason) in table {
        assert_eq!(checked(text, &seen, &[]).1, format!("{figures}: {reason}"));
    }
    let (status, why) = checked("p99 <= 1.08x", &seen, &[]);
    assert_eq!(status, RequirementStatus::NotMet);
    assert!(why.ends_with("it may be as high as 1.0804x"), "{why}");
}

fn finding(rule: &str, weight: Weight, contender: Option<&str>) -> Finding {
    Finding {
        rule: rule.to_owned(),
        weight,
        contender: contender.map(str::to_owned),
        evidence: String::new(),
        remedy: String::new(),
        short: String::new(),
        figure: None,
        hint: String::new(),
        bearing: Bearing::default(),
    }
}

#[test]
fn without_a_verdict_nothing_can_be_concluded() {
    let seen = comparison(Metric::Throughput, (1.2, 1.1, 1.3), Word::Void);
    let refused = [finding("non_success", Weight::Void, Some("new"))];
    let (status, why) = checked("throughput >= 0.97", &seen, &refused);
    assert_eq!(
        (status, why.as_str()),
        (RequirementStatus::Undetermined, "the audit refused the run")
    );

    let mut few = comparison(Metric::Throughput, (1.2, 1.1, 1.3), Word::Undecided);
    (few.low, few.high) = (None, None);
    few.because = vec!["4 rounds cannot support 1 comparison".to_owned()];
    assert_eq!(
        checked("throughput >= 0.97", &few, &[]),
        (
            RequirementStatus::Undetermined,
            "there is no interval to judge by: 4 rounds cannot support 1 comparison".to_owned()
        )
    );

    let mut withheld = comparison(Metric::ResponseP99, (1.0, 0.99, 1.01), Word::Undecided);
    withheld.because = vec!["old: 400 samples, at least 1000".to_owned()];
    let (status, why) = checked("p99 <= 1.05x", &withheld, &[]);
    assert_eq!(status, RequirementStatus::Undetermined);
    assert_eq!(why, "the interval cannot be relied on: old: 400 samples, at least 1000");
    // An interval that more rounds could decide is relied on.
    withheld.fresh_rounds = Some((20, 40));
    assert_eq!(checked("p99 <= 1.05x", &withheld, &[]).0, RequirementStatus::Met);
}

#[test]
fn a_generator_that_was_the_slower_part_hides_what_could_turn_the_answer() {
    use RequirementStatus::{Met, NotMet, Undetermined};
    let seen = (1.0, 0.99, 1.01);
    let table = [
        // A better `old` could change the result, a better `new` could not.
        ("throughput >= 0.97", "old", Undetermined),
        ("throughput >= 0.97", "new", Met),
        ("throughput >= 1.2", "old", NotMet),
        ("throughput >= 1.2", "new", Undetermined),
        ("throughput <= 1.05", "new", Undetermined),
        ("throughput <= 1.05", "old", Met),
        ("p99 <= 1.05x", "old", Undetermined),
        ("p99 <= 1.05x", "new", Met),
        ("p99 <= 0.9x", "new", Undetermined),
        ("old/new throughput >= 0.97", "new", Undetermined),
        ("old/new throughput >= 0.97", "old", Met),
    ];
    for (text, held, status) in table {
        let seen = comparison(good(text).metric, seen, Word::Undecided);
        let findings = [finding(check::BOTTLENECK, Weight::Caution, Some(held))];
        let (found, why) = checked(text, &seen, &findings);
        assert_eq!(found, status, "{text}, {held}");
        assert_eq!(
            why.contains(&format!("may have limited {held}, ")),
            status == Undetermined,
            "{why}"
        );
    }
    assert!(judge::audit::RULES.iter().any(|rule| rule.name == check::BOTTLENECK));
}

#[test]
fn every_pair_of_the_metric_is_checked() {
    let throughput = |b: &str, ratio| Comparison {
        b: b.to_owned(),
        ..comparison(Metric::Throughput, ratio, Word::Undecided)
    };
    let comparisons = [
        throughput("new", (1.0, 0.99, 1.01)),
        comparison(Metric::ResponseP99, (1.0, 0.9, 1.1), Word::Undecided),
        throughput("b", (0.9, 0.89, 0.91)),
    ];
    let all = good("throughput >= 0.97").check(&comparisons, &[], None);
    let seen: Vec<_> = all.iter().map(|it| (it.b.as_str(), it.status)).collect();
    assert_eq!(seen, [("new", RequirementStatus::Met), ("b", RequirementStatus::NotMet)]);
    let none = good("p50 <= 1").check(&comparisons, &[], None);
    assert_eq!((none.len(), none[0].status), (1, RequirementStatus::Undetermined));
    assert_eq!(none[0].why, "the run did not compare p50");
}

fn of_cases() -> Question {
    Question {
        is_suite: true,
        primary: Metric::Cost,
        secondary: Vec::new(),
        ..record::testing::question(&["old", "new"], 14)
    }
}

fn by_request() -> Question {
    let requests = ["home", "search"].map(str::to_owned).to_vec();
    Question { requests, ..record::testing::question(&["old", "new"], 14) }
}

/// The comparison of a case with this ratio of cost.
fn case(name: &str, ratio: (f64, f64, f64), verdict: Word) -> Comparison {
    let case = Some(name.to_owned());
    let fresh_rounds = (verdict == Word::Undecided).then_some((30, 60));
    Comparison { case, fresh_rounds, ..comparison(Metric::Cost, ratio, verdict) }
}

/// The results of a requirement of a suite.
#[track_caller]
fn of_suite(text: &str, cases: &[Comparison]) -> (RequirementStatus, String) {
    let requirement = Requirement::parse(text, &of_cases()).unwrap_or_else(|why| panic!("{why}"));
    let checked = requirement.check(cases, &[], None);
    let [one] = &checked[..] else { panic!("{checked:?}") };
    assert_eq!((one.requirement.as_str(), one.a.as_str(), one.b.as_str()), (text, "old", "new"));
    (one.status, one.why.clone())
}

#[test]
fn cases_are_required_by_their_whole_interval() {
    use RequirementStatus::{Met, NotMet, Undetermined};
    let cases = [
        case("parse/large", (1.12, 1.08, 1.15), Word::Slower),
        case("parse/small", (1.0, 0.98, 1.02), Word::Equivalent),
        case("write", (1.01, 0.96, 1.05), Word::Undecided),
    ];
    let table = [
        ("every case <= 1.2x", Met, "the whole interval of each of 3 cases is <= 1.200x"),
        (
            "every case <= 1.03x",
            NotMet,
            "2 of 3 cases are not shown to be <= 1.030x: parse/large 1.120x (1.080x to 1.150x) and \
             write 1.010x (0.960x to 1.050x)",
        ),
        (
            "every case <= 1.03x by favourable end",
            NotMet,
            "1 of 3 cases is shown not to be <= 1.030x: parse/large 1.120x (1.080x to 1.150x)",
        ),
        (
            "case \"w*\" <= 1.03x",
            NotMet,
            "1 of 1 case is not shown to be <= 1.030x: write 1.010x (0.960x to 1.050x)",
        ),
        (
            "case \"w*\" <= 1.03x by favourable end",
            Met,
            "none of 1 case was shown not to be <= 1.030x",
        ),
        ("case 'w*' <= 1.03x by estimate", Met, "the estimate of each of 1 case is <= 1.030x"),
        (
            "new/old case \"*small\" <= 1.03x",
            Met,
            "the whole interval of each of 1 case is <= 1.030x",
        ),
        ("every case >= 0.9x by estimate", Met, "the estimate of each of 3 cases is >= 0.900x"),
        ("case \"none\" <= 1", Undetermined, "the run did not compare such a case"),
    ];
    for (text, status, why) in &table[..8] {
        assert_eq!(of_suite(text, &cases), (*status, (*why).to_owned()), "{text}");
    }
    let (text, status, why) = table[8];
    let none =
        Requirement::parse(text, &of_cases()).expect("it is known later").check(&cases, &[], None);
    assert_eq!((none[0].status, none[0].why.as_str()), (status, why));
}

#[test]
fn a_case_that_failed_leaves_a_requirement_undetermined_even_by_its_favourable_end() {
    let mut failed = case("sort", (1.0, 1.0, 1.0), Word::Undecided);
    (failed.ratio, failed.low, failed.high, failed.fresh_rounds) = (None, None, None, None);
    failed.because = vec!["new: no figure in round 3".to_owned()];
    let cases = [case("write", (1.0, 0.99, 1.01), Word::Equivalent), failed];
    for text in ["every case <= 1.03x", "every case <= 1.03x by favourable end"] {
        let why = "nothing can be said of 1 of 2 cases: sort: there is no interval to judge by: new: \
                   no figure in round 3";
        assert_eq!(of_suite(text, &cases), (RequirementStatus::Undetermined, why.to_owned()));
    }
}

#[test]
fn names_of_many_cases_are_counted_and_hostile_ones_are_escaped() {
    let cases: Vec<Comparison> = (0..8)
        .map(|at| case(&format!("case\u{202e}{at}"), (1.2, 1.1, 1.3), Word::Slower))
        .collect();
    let (_, why) = of_suite("every case <= 1.03x", &cases);
    assert!(why.starts_with("8 of 8 cases are not shown to be <= 1.030x: case\\u{202e}0 1.200x"));
    assert!(why.ends_with("case\\u{202e}4 1.200x (1.100x to 1.300x) and 3 others"), "{why}");
}

#[test]
fn a_pattern_may_leave_out_the_last_part_in_parentheses() {
    let names = ["Sum (slug)", "Sum/8 (slug)", "Summary (slug)", "Max", "Max (slug)"];
    let cases = names.map(|name| case(name, (1.2, 1.1, 1.3), Word::Slower));
    for (pattern, many) in [("Sum", 1), ("Sum*", 3), ("*/8", 1), ("Max", 1), ("M*", 2)] {
        let (_, why) = of_suite(&format!("case \"{pattern}\" <= 1.03x"), &cases);
        let begin = format!("{many} of {many} case");
        assert!(why.starts_with(&begin), "{pattern}: {why}");
    }
}

/// What was not compared is said, and cases that were left out leave the requirement open.
#[test]
fn cases_that_were_not_compared_are_said() {
    use RequirementStatus::{Met, NotMet, Undetermined};
    let cases = [
        case("parse/large", (1.0, 0.98, 1.02), Word::Equivalent),
        case("parse/small", (1.0, 0.98, 1.02), Word::Equivalent),
    ];
    let only_in = |contender: &str, cases: &[&str]| OnlyIn {
        contender: contender.to_owned(),
        cases: cases.iter().map(|name| (*name).to_owned()).collect(),
    };
    let mut suite = Suite {
        cases: Vec::new(),
        pairs: Vec::new(),
        only_in: vec![only_in("old", &["sort", "parse/odd"]), only_in("third", &["x"])],
        left_out: Vec::new(),
        control: None,
    };
    let check = |text: &str, suite: &Suite| {
        let requirement =
            Requirement::parse(text, &of_cases()).unwrap_or_else(|why| panic!("{why}"));
        let checked = requirement.check(&cases, &[], Some(suite))[0].clone();
        (checked.status, checked.why)
    };
    let (status, why) = check("every case <= 1.1x", &suite);
    let whole = "the whole interval of each of 2 cases is <= 1.100x";
    assert_eq!((status, why), (Met, format!("{whole}; 2 are only in old")));
    suite.left_out = vec!["write".to_owned()];
    let (status, why) = check("every case <= 1.1x", &suite);
    let rest = "1 was left out to fit into the time, 2 are only in old";
    assert_eq!((status, why), (Undetermined, format!("{whole}; {rest}")));
    let (status, why) = check("every case <= 1.01x", &suite);
    assert_eq!(status, NotMet, "{why}");
    assert!(why.ends_with(rest), "{why}");
    let (status, why) = check("case \"parse/*\" <= 1.1x", &suite);
    assert_eq!((status, why), (Met, format!("{whole}; 1 is only in old")));
}

/// A contender may be called `case` or `every`.
#[test]
fn names_of_contenders_are_no_words_of_a_requirement() {
    let named =
        |is_suite| Question { is_suite, ..record::testing::question(&["every", "case"], 14) };
    for text in ["case/every throughput >= 0.9", "every/case throughput >= 0.9"] {
        let parsed = Requirement::parse(text, &named(false));
        assert_eq!(parsed.map(|of| of.cases), Ok(None), "{text}");
    }
    let suite = Question { primary: Metric::Cost, secondary: Vec::new(), ..named(true) };
    for (text, which) in [
        ("case/every every case <= 1.1x", cases::Which::Every),
        ("case/every case 'a' <= 1.1x", cases::Which::Fitting("a".to_owned())),
    ] {
        let parsed = Requirement::parse(text, &suite);
        assert_eq!(parsed.map(|of| of.cases), Ok(Some(which)), "{text}");
    }
}

/// What a request costs is the inverse of its throughput.
#[test]
fn requests_that_are_judged_apart_are_cases_too() {
    let of = |name: &str, ratio| Comparison {
        request: Some(name.to_owned()),
        ..comparison(Metric::Throughput, ratio, Word::Slower)
    };
    let comparisons = [
        comparison(Metric::Throughput, (0.5, 0.4, 0.6), Word::Slower),
        of("home", (0.8, 0.75, 0.9)),
    ];
    let checked = |text| {
        let requirement = Requirement::parse(text, &by_request());
        requirement.unwrap_or_else(|why| panic!("{why}")).check(&comparisons, &[], None)[0].clone()
    };
    let met = checked("every case <= 1.4x");
    assert_eq!(met.status, RequirementStatus::Met, "{}", met.why);
    let not = checked("case \"home\" <= 1.3x");
    let why = "1 of 1 case is not shown to be <= 1.300x: home 1.250x (1.111x to 1.333x)";
    assert_eq!((not.status, not.why.as_str()), (RequirementStatus::NotMet, why));
    assert_eq!(checked("throughput of home >= 0.7").status, RequirementStatus::Met);
    assert_eq!(
        Requirement::parse("case \"hone\" <= 1", &by_request()).map(|_| ()),
        Err("--require `case \"hone\" <= 1`: no case fits `hone`: the nearest names are home and \
             search"
            .to_owned())
    );
}

#[test]
fn errors_about_cases_teach() {
    let example =
        "write it like `every case <= 1.03x` or `case \"parse/*\" <= 1.03x by favourable end`";
    let suite = of_cases();
    let of_metric = "the figures of a suite are required by their cases: write it like `every case <= \
                     1.03x` or `case \"parse/*\" <= 1.03x`";
    let table = [
        ("case parse/* <= 1", format!("the name of a case must be in quotes; {example}")),
        ("case \"a <= 1", format!("the quote after the name of the case is missing; {example}")),
        ("case \"\" <= 1", format!("the name of the case is empty; {example}")),
        ("every case soon <= 1", format!("the comparison sign must follow the case; {example}")),
        (
            "next/old every case <= 1",
            "`next/old` does not name two contenders: write B/A with two of old and new".to_owned(),
        ),
        (
            "every case <= 5%",
            "`5%` is ambiguous: write the ratio, such as 1.05x for 5 % more or 0.95x for 5 % less"
                .to_owned(),
        ),
        ("throughput >= 1", of_metric.to_owned()),
    ];
    for (text, why) in table {
        assert_eq!(
            Requirement::parse(text, &suite).map(|_| ()),
            Err(format!("--require `{text}`: {why}"))
        );
    }
    // A sign in the name of a case is not the comparison sign.
    let with_sign = Requirement::parse("case \"sort<int>/n=1*\" <= 1.03x", &suite);
    let with_sign = with_sign.unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(with_sign.refuse_without_case(["sort<int>/n=10"].into_iter()), Ok(()));
    let known = ["sort<long>/n=10", "write"].into_iter();
    let why = with_sign.refuse_without_case(known).expect_err("nothing fits");
    assert!(
        why.ends_with(
            "no case fits `sort<int>/n=1*`: the nearest names are sort<long>/n=10 and write"
        ),
        "{why}"
    );
    let of_sum = Requirement::parse("case \"Sum\" <= 1.03x", &suite).expect("a requirement");
    let fits = |names: &[&'static str]| of_sum.refuse_without_case(names.iter().copied());
    assert_eq!(fits(&["Sum (slug)", "Summary (slug)"]), Ok(()));
    assert_eq!(fits(&["Sum", "Sum (a)", "Sum (b)"]), Ok(()), "a whole name comes first");
    assert_eq!(
        fits(&["Sum (a)", "Sum (b)"]),
        Err("--require `case \"Sum\" <= 1.03x`: `Sum` fits `Sum (a)` and `Sum (b)`: write the whole name of one"
            .to_owned())
    );
    let none = parse("every case <= 1.03x").expect_err("no cases");
    assert!(none.contains("this run has no cases"), "{none}");
}
