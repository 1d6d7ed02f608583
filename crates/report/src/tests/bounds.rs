//! Times that are bounds are marked in every report that shows them.

use super::super::{html, json, markdown, samples, terminal};
use super::PLAIN;
use super::validator::wrong;
use serde_json::Value;

#[test]
fn all_reports_say_which_times_are_upper_bounds() {
    let mut input = samples::faster();
    let reports = |input: &samples::Parts| {
        let view = input.view();
        [terminal::report(&view, PLAIN), html::page(&view), markdown::summary(&view)]
            .map(|report| report.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let bounds = "eplies that were read while the contender was not driven, so that their times \
                  are upper bounds: ";
    assert!(reports(&input).iter().all(|report| !report.contains(bounds)));
    input.contenders[1].read_at_rest = 123;
    let wanted = format!("{bounds}{} 123", input.contenders[1].name);
    for report in reports(&input) {
        assert!(report.contains(&wanted), "{report}");
    }
    let report: Value = serde_json::from_str(&json::report(&input.view())).expect("JSON");
    assert_eq!(wrong(&report), Vec::<String>::new());
    assert!(report["contenders"][0].get("read_at_rest").is_none());
    assert_eq!(report["contenders"][1]["read_at_rest"], 123);
}

#[test]
fn quantiles_of_the_long_report_say_that_they_are_lower_bounds() {
    let mut input = samples::groups();
    let many = |input: &samples::Parts| {
        let text = terminal::report(&input.view(), PLAIN);
        text.matches('≥').count()
    };
    assert_eq!(many(&input), 0);
    // The p99, the p99.9 and the maximum of a contender, and of one of its groups.
    let contender = &mut input.contenders[0];
    contender.response_time.at_least_from = Some(0.6);
    contender.groups[0].response_time.at_least_from = Some(0.6);
    assert_eq!(many(&input), 6);
}
