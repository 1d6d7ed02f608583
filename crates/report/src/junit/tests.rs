use super::*;
use crate::samples;
use crate::tests::Snapshot;
use judge::verdict::NotRanked;

/// The samples whose file is kept.
const KEPT: [&str; 7] = ["undecided", "void", "run", "required", "loads", "loads-noisy", "suite"];

pub(crate) fn files() -> Vec<Snapshot> {
    let all = samples::all().into_iter().filter(|input| KEPT.contains(&input.0));
    all.map(|(name, input)| (format!("{name}.xml"), file(&input.view()))).collect()
}

/// Checks that every tag is opened and closed in order, and that text is escaped.
#[track_caller]
fn assert_well_formed(xml: &str) {
    let mut open: Vec<&str> = Vec::new();
    let body = xml.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").expect("a head");
    for piece in body.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').expect("a tag ends");
        assert!(!text.contains('>'), "{text}");
        let name = tag.split_whitespace().next().expect("a name").trim_end_matches('/');
        match tag {
            closing if closing.starts_with('/') => assert_eq!(open.pop(), Some(&closing[1..])),
            empty if empty.ends_with('/') => {}
            _ => open.push(name),
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
    }
    assert_eq!(open, [""; 0]);
    let entities = ["amp;", "lt;", "gt;", "quot;", "apos;"];
    let mut after_and = body.split('&').skip(1);
    assert!(after_and.all(|rest| entities.iter().any(|entity| rest.starts_with(entity))));
}

#[test]
fn every_story_is_well_formed() {
    for (name, input) in samples::all() {
        let xml = file(&input.view());
        assert_well_formed(&xml);
        let allowed = |c: char| c == '\n' || (c >= ' ' && !"\u{fffe}\u{ffff}".contains(c));
        assert!(xml.chars().all(allowed), "{name}");
    }
}

#[test]
fn characters_that_xml_cannot_represent() {
    assert_eq!(xml("a<b>&\"'\u{0}\u{ffff}\u{1b}"), r"a&lt;b&gt;&amp;&quot;&apos;\u{0}�\u{1b}");
}

#[test]
fn only_what_was_required_fails() {
    let mut input = samples::faster();
    input.comparisons[0].verdict = Word::Slower;
    input.checked.clear();
    let xml = file(&input.view());
    assert!(xml.contains("<testsuites name=\"tiebreak\" tests=\"4\" failures=\"0\" errors=\"0\""));
    assert!(!xml.contains("requirements"), "a suite without tests is not written");
}

#[test]
fn each_rank_is_a_case_and_one_that_is_not_ranked_is_an_error() {
    let mut input = samples::ranked();
    let mut ranking = input.ranking.take().expect("ranked");
    let last = ranking.ranked.pop().expect("four contenders");
    let why = "it left in round 3: it was killed".to_owned();
    ranking.not_ranked.push(NotRanked { name: last.name, rule: "withdrawn".to_owned(), why });
    input.ranking = Some(ranking);
    let xml = file(&input.view()).replace('\u{a0}', " ");
    let suite = xml.split("<testsuite name=\"ranks\"").nth(1).expect("a suite");
    assert!(suite.starts_with(" tests=\"4\" failures=\"0\" errors=\"1\" skipped=\"0\""), "{suite}");
    let first = "<testcase classname=\"tiebreak.ranks\" name=\"rank of nginx\">\n      \
                 <system-out>1 to 2: 151 k/s, 1.00x</system-out>";
    assert!(suite.contains(first), "{suite}");
    let left = "name=\"rank of node\">\n      <error type=\"not_ranked\" message=\"withdrawn: it left in round 3: \
                it was killed\"/>";
    assert!(suite.contains(left), "{suite}");
}

#[test]
fn each_capacity_is_a_case_and_one_that_was_not_found_is_skipped() {
    let xml = |input: samples::Parts| file(&input.view()).replace('\u{a0}', " ");
    let found = xml(samples::capacity_alone());
    let case = "<testcase classname=\"tiebreak.capacities\" name=\"capacity of old\">\n      \
                <system-out>old takes 4.12 k/s (4.03 k/s to 4.21 k/s) with p99 &lt;= 5 ms";
    assert!(found.contains(case), "{found}");
    let others = xml(samples::capacities_without_ratios());
    let suite = others.split("<testsuite name=\"capacities\"").nth(1).expect("a suite");
    assert!(suite.starts_with(" tests=\"7\" failures=\"0\" errors=\"0\" skipped=\"3\""), "{suite}");
    assert!(suite.contains(
        "name=\"capacity of flat\">\n      <skipped message=\"flat has no capacity here"
    ));
}
