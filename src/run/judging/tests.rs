use super::*;

/// A judged run with these requirements, whose second contender is twice as fast.
fn judged(requirements: &[&str]) -> Judged {
    example::judged(requirements, |trial| {
        let faster = u64::from(trial.contender) + 1;
        trial.seen.slices.iter_mut().for_each(|slice| slice.took_ns /= faster);
    })
}

#[test]
fn a_requirement_that_is_not_met_makes_a_sound_run_exit_with_1() {
    let table: [(&[&str], Exit, &[RequirementStatus]); 4] = [
        (&[], Exit::Sound, &[]),
        (&["b/a throughput >= 1.9"], Exit::Sound, &[RequirementStatus::Met]),
        (
            &["throughput >= 1.9", "throughput >= 2.1"],
            Exit::NotMet,
            &[RequirementStatus::Met, RequirementStatus::NotMet],
        ),
        (&["throughput at will"], Exit::NotMet, &[RequirementStatus::Undetermined]),
    ];
    for (requirements, exit, expected) in table {
        let judged = judged(requirements);
        let seen: Vec<RequirementStatus> =
            judged.checked.iter().map(|checked| checked.status).collect();
        assert_eq!(seen, expected, "{:?}", judged.checked);
        assert_eq!(judged.exit(), exit, "{:?}", judged.verdict().findings());
        assert_eq!(judged.report_input().checked.len(), requirements.len());
        assert_eq!(judged.failure(), None);
    }
}

#[test]
fn a_requirement_of_another_version_is_a_sentence() {
    let judged = judged(&["speed of light >= 1"]);
    let checked = &judged.report_input().checked[0];
    assert_eq!(checked.requirement, "speed of light >= 1");
    let begins = "this version of tiebreak cannot read it: --require `speed of light >= 1`: ";
    assert!(checked.why.starts_with(begins), "{}", checked.why);
    assert!(
        report::terminal(
            &judged.report_input(),
            report::Style { colour: false, width: 100 },
            report::Detail::Short
        )
        .contains("UNDETERMINED")
    );
}
