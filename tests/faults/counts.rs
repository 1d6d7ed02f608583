//! Counts: what the journal says about a contender in all phases, and what must add up in every
//! report.

use crate::case::Ended;
use serde_json::Value;
use std::collections::BTreeMap;

/// One contender's counts over all phases of a run.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Replies of whatever code.
    pub(crate) replies: u64,
    /// Operations without a reply, by class.
    pub(crate) failed: BTreeMap<String, u64>,
    /// Requests that its server can have counted: those of the launch, those that ended, and
    /// those in flight at the end.
    pub(crate) sent: u64,
    pub(crate) unfinished: u64,
    /// Due, but never sent.
    pub(crate) unsent: u64,
    /// Requests at the launch that checked its readiness.
    pub(crate) asked_at_launch: u64,
    pub(crate) trials: u64,
}

impl Counts {
    pub(crate) fn failures(&self) -> u64 {
        self.failed.values().sum()
    }

    pub(crate) fn failed(&self, class: &str) -> u64 {
        self.failed.get(class).copied().unwrap_or(0)
    }

    fn add(&mut self, seen: &Value) {
        let outcomes = &seen["outcomes"];
        self.replies += sum(&seen["codes"]);
        for (class, n) in outcomes["failed"].as_object().into_iter().flatten() {
            *self.failed.entry(class.clone()).or_default() += whole(n);
        }
        self.sent += whole(&seen["sent"]) + whole(&seen["unfinished"]);
        self.unfinished += whole(&seen["unfinished"]);
        self.unsent += whole(&seen["unsent"]);
        self.trials += 1;
        let ended =
            whole(&outcomes["ok"]) + sum(&outcomes["unexpected"]) + sum(&outcomes["failed"]);
        assert_eq!(whole(&seen["operations"]), ended, "every operation has an outcome: {outcomes}");
    }
}

pub(crate) fn whole(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("a count instead of {value}"))
}

fn sum(counts: &Value) -> u64 {
    counts.as_object().into_iter().flatten().map(|(_, n)| whole(n)).sum()
}

impl Ended<'_> {
    /// The counts of contender number `at`, from the journal.
    pub(crate) fn counts(&self, at: u64) -> Counts {
        let mut counts = Counts::default();
        for (kind, event) in self.journal() {
            match kind.as_str() {
                // The null server is not the target.
                "trial" if event["phase"] == "null" => {}
                "trial" if event["contender"] == at => counts.add(&event["seen"]),
                "target" if event["contender"] == at => {
                    counts.asked_at_launch += whole(&event["ready_requests"]);
                }
                _ => {}
            }
        }
        counts.sent += counts.asked_at_launch;
        counts
    }

    /// Returns what the test server of a contender counted, from its log; the sum over several
    /// launches.
    pub(crate) fn server(&self, name: &str) -> Value {
        let launched = format!("run/logs/{name}.log");
        let attached = format!("{name}.out");
        let log = if self.case.file(&launched).exists() { launched } else { attached };
        let text = self.case.read(&log);
        let lines = text.lines().filter(|line| line.starts_with("{\"connections\""));
        let mut sum: BTreeMap<String, u64> = BTreeMap::new();
        for line in lines {
            let counts: Value = serde_json::from_str(line).expect("JSON");
            for (key, n) in counts.as_object().expect("counts") {
                *sum.entry(key.clone()).or_default() += n.as_u64().unwrap_or(0);
            }
        }
        assert!(!sum.is_empty(), "{log}: {text}");
        serde_json::to_value(sum).expect("JSON")
    }

    /// Checks that the server counted exactly the requests that were sent.
    pub(crate) fn server_agrees(&self, at: u64, name: &str) {
        let (counts, server) = (self.counts(at), self.server(name));
        assert_eq!(whole(&server["requests"]), counts.sent, "`{name}`: {counts:?}\n{server}");
        let unanswered = whole(&server["unanswered"]);
        assert!(counts.unfinished <= unanswered, "`{name}`: {counts:?}\n{server}");
    }

    /// Checks what must add up in every report.
    pub(crate) fn adds_up(&self) {
        let report = self.report();
        for contender in report["contenders"].as_array().expect("contenders") {
            let of = |key: &str| whole(&contender[key]);
            let with_latency =
                of("latency_samples") + of("burn_in_excluded") + of("without_latency");
            // Operations that were never sent have a lower bound of theirs.
            let unsent = contender["unsent_times"].as_u64().unwrap_or(0);
            assert_eq!(of("operations") + unsent, with_latency, "{contender}");
        }
        assert_eq!(report["end"]["reason"], self.end(), "the journal's end is the report's");
    }
}
