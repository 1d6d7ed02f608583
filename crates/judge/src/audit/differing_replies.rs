//! Contenders whose replies differ.

use super::{Evidence, Rule, non_success::MOST};
use crate::{
    evidence::DriveSummary,
    verdict::{Finding, Weight},
};
use record::{Digests, Pair};
use std::collections::BTreeSet;
use text::lists;

/// A larger difference of the median lengths of bodies voids the run.
const MOST_LENGTHS_DIFFER: f64 = 0.05;
/// Medians are this many standard errors from the ends of their intervals. That the intervals of two
/// samples of one distribution are apart, has a probability of about 2 in 100,000.
const STANDARD_ERRORS: f64 = 3.0;

pub(super) const RULE: Rule = Rule {
    name: "differing_replies",
    short: "the replies differ",
    hint: "make them equal, or use --expect-different",
    weight: Weight::Void,
    threshold: "Compares the replies of the two contenders of a pair: the codes of successful \
                replies (those in more than 1 in 1000), and a digest of the body of 1 reply in \
                100. If the bodies of one contender differ among themselves, digests cannot be \
                compared: a note says so, and the median lengths of the bodies are compared \
                instead, within what their number allows (3 standard errors of each median). The same is done if no body was digested. For databases that run a \
                statement, the mean number of rows per operation is compared and no bytes, because \
                each protocol encodes them in its own way. Other codes, another body, or median \
                lengths or rows that are more than 5 % apart: void; with --expect-different a \
                note.",
    why: "A comparison of speed is about servers that do the same work. Published comparisons have \
          compared a small reply with a large one, or a page with a redirect.",
    remedy: "Fetch both with curl -i and make them return the same reply. If they are meant to \
             differ, use --expect-different. Contenders with different protocols need the same \
             workload on both sides, or a comparison of the CPU time that an operation costs the \
             targets.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let pairs = evidence.question.pairs.iter();
    let of_pair = |pair| about_pair(evidence, pair).into_iter().map(move |finding| (pair, finding));
    let of_pairs: Vec<(&Pair, Finding)> = pairs.flat_map(of_pair).collect();
    let mut findings: Vec<Finding> = if evidence.question.is_ranked {
        by_majority(evidence, of_pairs)
    } else {
        of_pairs.into_iter().map(|(_, finding)| finding).collect()
    };
    findings.extend(notes(evidence));
    findings
}

/// In a ranking, a contender whose replies differ from those of most others is named, once. If there is no
/// majority, no contender is.
fn by_majority(evidence: &Evidence, of_pairs: Vec<(&Pair, Finding)>) -> Vec<Finding> {
    let others = evidence.remaining().saturating_sub(1);
    let differ: BTreeSet<(u32, u32)> = of_pairs
        .iter()
        .filter(|(_, finding)| finding.weight == Weight::Void)
        .map(|(pair, _)| (pair.a, pair.b))
        .collect();
    let is_odd = |number: u32| {
        2 * differ.iter().filter(|(a, b)| [*a, *b].contains(&number)).count() > others
    };
    let mut named = BTreeSet::new();
    let about = |(pair, finding): (&Pair, Finding)| {
        let odd = [pair.a, pair.b].into_iter().find(|side| is_odd(*side));
        match odd {
            _ if finding.weight != Weight::Void => Some(finding),
            None => Some(Finding { contender: None, ..finding }),
            Some(odd) => named
                .insert(odd)
                .then(|| Finding { contender: Some(evidence.name(odd).to_owned()), ..finding }),
        }
    };
    of_pairs.into_iter().filter_map(about).collect()
}

fn about_pair(evidence: &Evidence, pair: &Pair) -> Vec<Finding> {
    let side = |number: u32| evidence.contenders.get(number as usize);
    let (Some(a), Some(b)) = (side(pair.a), side(pair.b)) else {
        return Vec::new();
    };
    let both_from_workload =
        [pair.a, pair.b].iter().all(|side| evidence.has_workload(*side as usize));
    // program_output compares what programs print.
    let program = |driven: &DriveSummary| driven.judged.programs.runs > 0;
    let nothing = a.judged.operations == 0 || b.judged.operations == 0;
    if nothing || both_from_workload || program(a) || program(b) {
        return Vec::new();
    }
    let weight = if evidence.question.expect_different { Weight::Note } else { Weight::Void };
    let (name_a, name_b) = (evidence.name(pair.a), evidence.name(pair.b));
    let is_bodiless = |side: u32| {
        evidence.contender_question(side as usize).is_some_and(|question| question.bodiless)
    };
    let bodiless = is_bodiless(pair.a) && is_bodiless(pair.b);
    // Replies without a body have nothing to compare. Each database encodes rows in its own way, so
    // only their number is comparable.
    let bodies = if bodiless { rows_differ(a, b) } else { bodies_differ(a, b) };
    let differences = [codes_differ(a, b), bodies].into_iter().flatten();
    let remedy = remedy(evidence, pair);
    let finding = |seen: String| Finding {
        remedy: remedy.clone(),
        ..RULE.about(name_b, weight, format!("{name_a} and {name_b}: {seen}"))
    };
    let finding = |seen: String| {
        let expected = evidence.question.expect_different;
        if expected { finding(seen).expected() } else { finding(seen) }
    };
    differences.map(finding).collect()
}

/// Returns the remedy that fits the protocols of the two contenders.
fn remedy(evidence: &Evidence, pair: &Pair) -> String {
    let speaks = |side: u32| {
        let protocol =
            evidence.contender_question(side as usize).map(|question| question.protocol.as_str());
        protocol.filter(|protocol| !protocol.is_empty())
    };
    let expected = "If they are meant to differ, use --expect-different.";
    match (speaks(pair.a), speaks(pair.b)) {
        (Some(a), Some(b)) if a != b => format!(
            "{} speaks {a} and {} speaks {b}: give both the same workload, such as --workload kv \
             for stores, or custom operations with the same values in an experiment file; or say \
             --expect-different and compare the CPU time that an operation costs the targets.",
            evidence.name(pair.a),
            evidence.name(pair.b)
        ),
        _ => match evidence.contender_question(pair.a as usize).map(|of| of.client.as_str()) {
            None | Some("") => RULE.remedy.to_owned(),
            Some(client) => format!(
                "Send both the same request with their own client ({client}) and make them return \
                 the same rows, or the same reply. {expected}"
            ),
        },
    }
}

fn codes_differ(a: &DriveSummary, b: &DriveSummary) -> Option<String> {
    let (of_a, of_b) = (success_codes(a), success_codes(b));
    let written = |codes: &BTreeSet<u16>| {
        let codes: Vec<String> = codes.iter().map(u16::to_string).collect();
        if codes.is_empty() { "none".to_owned() } else { lists::listed(&codes) }
    };
    (of_a != of_b).then(|| {
        format!("codes of successful replies differ: {} and {}", written(&of_a), written(&of_b))
    })
}

/// Returns the expected codes that are more than a rare exception.
fn success_codes(driven: &DriveSummary) -> BTreeSet<u16> {
    let seen = &driven.judged;
    let total = seen.outcomes.total() as f64;
    let expected =
        |code: u16, n: u64| n - seen.outcomes.unexpected.get(&code).copied().unwrap_or(0).min(n);
    let codes = seen.codes.iter().map(|(code, n)| (*code, expected(*code, *n)));
    codes.filter(|(_, n)| *n as f64 > total * MOST).map(|(code, _)| code).collect()
}

fn bodies_differ(a: &DriveSummary, b: &DriveSummary) -> Option<String> {
    let (of_a, of_b) = (&a.judged.digests, &b.judged.digests);
    match (only(of_a), only(of_b)) {
        (Some(digest_a), Some(digest_b)) => {
            let lengths = median_lengths(a, b).map_or(String::new(), |(of_a, of_b)| {
                format!(" (median lengths: {of_a} and {of_b} bytes)")
            });
            (digest_a != digest_b).then(|| format!("bodies differ{lengths}"))
        }
        _ => lengths_differ(a, b),
    }
}

/// The mean number of rows per successful operation, for databases.
fn rows_differ(a: &DriveSummary, b: &DriveSummary) -> Option<String> {
    let mean =
        |driven: &DriveSummary| driven.judged.rows as f64 / driven.judged.outcomes.ok.max(1) as f64;
    let (of_a, of_b) = (mean(a), mean(b));
    let (less, more) = (of_a.min(of_b), of_a.max(of_b));
    (more > less * (1.0 + MOST_LENGTHS_DIFFER))
        .then(|| format!("mean rows per operation differ: {of_a:.3} and {of_b:.3}"))
}

fn lengths_differ(a: &DriveSummary, b: &DriveSummary) -> Option<String> {
    let (of_a, of_b) = median_lengths(a, b)?;
    let (less, more) = (of_a.min(of_b) as f64, of_a.max(of_b) as f64);
    (more > less * (1.0 + MOST_LENGTHS_DIFFER) && are_apart(a, b))
        .then(|| format!("median lengths of bodies differ: {of_a} and {of_b} bytes"))
}

/// Whether more than chance separates the median lengths. Replies of varying length have a median that
/// a few dozen of them do not show precisely.
fn are_apart(a: &DriveSummary, b: &DriveSummary) -> bool {
    match (median_interval(a), median_interval(b)) {
        (Some((low_a, high_a)), Some((low_b, high_b))) => high_a < low_b || high_b < low_a,
        _ => false,
    }
}

/// The interval of the median length, from the ranks of the lengths: it assumes no distribution. Returns
/// None if there are too few replies for one and their lengths vary.
fn median_interval(driven: &DriveSummary) -> Option<(u64, u64)> {
    let lengths = &driven.judged.body_bytes;
    let (shortest, longest) = (lengths.min()?, lengths.max()?);
    if shortest == longest {
        return Some((shortest, longest));
    }
    // The members of a room get copies of one message: these are one observation.
    let replies = lengths.len().min(driven.judged.outcomes.ok) as f64;
    let half = STANDARD_ERRORS / (2.0 * replies.sqrt());
    if half >= 0.5 {
        return None;
    }
    Some((lengths.quantile(0.5 - half)?, lengths.quantile(0.5 + half)?))
}

fn median_lengths(a: &DriveSummary, b: &DriveSummary) -> Option<(u64, u64)> {
    let median = |driven: &DriveSummary| driven.judged.body_bytes.quantile(0.5);
    Some((median(a)?, median(b)?))
}

/// Returns the digest that all digested bodies have, or None if they differ.
fn only(digests: &Digests) -> Option<u64> {
    match digests.kept() {
        [(digest, _)] if digests.others() == 0 => Some(*digest),
        _ => None,
    }
}

/// Notes about contenders of a pair whose bodies differ among themselves.
fn notes(evidence: &Evidence) -> Vec<Finding> {
    let compared = |number: u32| {
        evidence.question.pairs.iter().any(|pair| pair.a == number || pair.b == number)
    };
    let differ = |driven: &DriveSummary| {
        let digests = &driven.judged.digests;
        digests.total() > 0 && only(digests).is_none()
    };
    let each = (0u32..).zip(evidence.each());
    each.filter(|(number, (_, driven))| compared(*number) && differ(driven))
        .map(|(_, (name, _))| {
            let seen = "its own bodies differ among themselves, so digests were not compared with \
                        other contenders; median lengths were";
            let finding = RULE.about(name, Weight::Note, seen.to_owned());
            finding.with_short("bodies change from reply to reply", "their lengths were compared")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};
    use crate::random::Random;
    use std::cell::RefCell;

    fn with_lengths(a: u64, b: u64) -> SampleRun {
        let mut run = SampleRun::compare(4).with_operations(200);
        for (name, length) in [("a", a), ("b", b)] {
            run.each_seen(name, |_, seen| {
                seen.body_bytes = record::Histogram::new();
                (0..200).for_each(|_| seen.body_bytes.record(length));
            });
        }
        run
    }

    fn with_digests(mut run: SampleRun, a: &[u64], b: &[u64]) -> SampleRun {
        for (name, digests) in [("a", a), ("b", b)] {
            run.each_seen(name, |_, seen| {
                seen.digests = Digests::default();
                digests.iter().for_each(|digest| seen.digests.record(*digest));
            });
        }
        run
    }

    #[test]
    fn digests_decide_where_each_contender_has_one() {
        let run = |a: &[u64], b: &[u64]| with_digests(with_lengths(87, 87), a, b);
        assert_eq!(weights(&run(&[7, 7], &[7]), RULE.name), []);
        assert_eq!(weights(&run(&[7], &[8]), RULE.name), [Weight::Void]);
        let mut expected = run(&[7], &[8]);
        expected.question.expect_different = true;
        let hint = &expected.findings(RULE.name)[0].hint;
        assert_eq!(hint, "see that it is the difference that you expect");
        assert_eq!(weights(&expected, RULE.name), [Weight::Note]);
        assert_eq!(
            run(&[7], &[8]).findings(RULE.name)[0].evidence,
            "a and b: bodies differ (median lengths: 87 and 87 bytes)"
        );
    }

    #[test]
    fn databases_are_compared_by_their_rows_and_not_by_their_bytes() {
        let with_rows = |a: u64, b: u64| {
            let mut run = with_lengths(1, 400);
            run.ask_each([true, true], |of, bodiless| of.bodiless = bodiless);
            for (name, rows) in [("a", a), ("b", b)] {
                run.each_seen(name, |_, seen| seen.rows = rows);
            }
            run
        };
        assert_eq!(weights(&with_rows(2000, 2090), RULE.name), []);
        assert_eq!(weights(&with_rows(2110, 2000), RULE.name), [Weight::Void]);
        assert_eq!(
            with_rows(200, 0).findings(RULE.name)[0].evidence,
            "a and b: mean rows per operation differ: 1.000 and 0.000"
        );
    }

    #[test]
    fn the_advice_fits_the_protocols() {
        let remedy = |a: &str, b: &str| {
            let mut run = with_digests(with_lengths(87, 87), &[7], &[8]);
            run.ask_each([a, b], |of, protocol| {
                of.protocol = protocol.to_owned();
                of.client = if protocol == "HTTP" { String::new() } else { "its-cli".to_owned() };
            });
            run.findings(RULE.name)[0].remedy.clone()
        };
        assert_eq!(remedy("HTTP", "HTTP"), RULE.remedy);
        let stores = remedy("HTTP", "Store");
        assert!(
            stores.starts_with("a speaks HTTP and b speaks Store: give both the same workload")
        );
        assert!(!stores.contains("curl") && stores.contains("CPU"), "{stores}");
        assert!(remedy("Store", "Store").contains("with their own client (its-cli)"));
    }

    #[test]
    fn lengths_decide_where_digests_cannot() {
        let none = |a, b| with_digests(with_lengths(a, b), &[], &[]);
        assert_eq!(weights(&none(100, 105), RULE.name), []);
        assert_eq!(weights(&none(106, 100), RULE.name), [Weight::Void]);
        let differ = |a, b| with_digests(with_lengths(a, b), &[1, 2], &[3]);
        assert_eq!(weights(&differ(100, 105), RULE.name), [Weight::Note]);
        assert_eq!(weights(&differ(100, 106), RULE.name), [Weight::Void, Weight::Note]);
        assert!(RULE.threshold.contains(&text::units::show_percent(MOST_LENGTHS_DIFFER)));
    }

    /// 4 rounds of replies whose lengths are uniform between 40 and 400 bytes, those of b `longer` times.
    fn with_varied_lengths(seed: u64, each_round: u64, longer: f64) -> SampleRun {
        let mut run = SampleRun::compare(4).with_operations(each_round);
        let random = RefCell::new(Random(seed));
        for (name, factor) in [("a", 1.0), ("b", longer)] {
            run.each_seen(name, |_, seen| {
                seen.body_bytes = record::Histogram::new();
                seen.digests = Digests::default();
                for _ in 0..each_round {
                    let length = 40 + random.borrow_mut().bits() % 361;
                    seen.body_bytes.record((length as f64 * factor) as u64);
                    seen.digests.record(length);
                }
            });
        }
        run
    }

    #[test]
    fn a_few_dozen_replies_of_one_distribution_do_not_differ() {
        const SEEDS: u64 = 60;
        let voids = |each_round, longer| {
            let void = |seed: &u64| {
                let run = with_varied_lengths(*seed << 20, each_round, longer);
                weights(&run, RULE.name).contains(&Weight::Void)
            };
            (1..=SEEDS).filter(void).count() as u64
        };
        for each_round in [1, 2, 6, 9, 20, 60] {
            assert_eq!(voids(each_round, 1.0), 0, "4 × {each_round} replies");
        }
        assert_eq!(voids(9, 8.0), SEEDS, "a large difference shows in a few dozen replies");
        assert_eq!(voids(400, 1.5), SEEDS, "a smaller one in more");
        // With the medians alone, most of these would be void.
        let apart = |seed: &u64| {
            let of_each = RefCell::new([record::Histogram::new(), record::Histogram::new()]);
            with_varied_lengths(*seed << 20, 9, 1.0).each(|trial| {
                of_each.borrow_mut()[trial.contender as usize].merge(&trial.seen.body_bytes);
            });
            let [a, b] = of_each.into_inner().map(|of| of.quantile(0.5).expect("replies") as f64);
            a.max(b) > a.min(b) * (1.0 + MOST_LENGTHS_DIFFER)
        };
        assert!((1..=SEEDS).filter(apart).count() as u64 > SEEDS / 2);
    }

    #[test]
    fn other_codes_void_and_rare_ones_do_not() {
        let codes = |rare: u64| {
            let mut run = SampleRun::compare(4).with_operations(10_000);
            run.each_seen("b", |_, seen| seen.codes = [(200, 10_000 - rare), (203, rare)].into());
            run
        };
        assert_eq!(weights(&codes(10), RULE.name), []);
        assert_eq!(weights(&codes(11), RULE.name), [Weight::Void]);
        assert_eq!(
            codes(11).findings(RULE.name)[0].evidence,
            "a and b: codes of successful replies differ: 200 and 200 and 203"
        );
    }

    #[test]
    fn failures_are_left_to_their_own_rule() {
        let mut run = SampleRun::compare(4).with_operations(1000);
        run.each_seen("b", |_, seen| {
            seen.codes = [(200, 500), (500, 500)].into();
            seen.outcomes.ok = 500;
            seen.outcomes.unexpected = [(500, 500)].into();
        });
        assert_eq!(weights(&run, RULE.name), []);
        assert_eq!(weights(&run, "non_success"), [Weight::Void]);
    }
}
