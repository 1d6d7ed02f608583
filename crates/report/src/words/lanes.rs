//! The generator's own cost for each contender's lane, and the part of a difference that it
//! may explain.

use super::short_name;
use crate::View;
use judge::verdict::ContenderSummary;
use record::{Contender, SqlSettings};
use text::units;

/// `our CPU/op by itself, against the null server: old 3.2 µs (measured 3 h before),
/// new not known (disturbed)`. Returns None if no lane was driven by itself.
pub(crate) fn own_costs(view: &View) -> Option<String> {
    let plans = view.header.plan.contenders.iter();
    let cost = |(of, plan): (&ContenderSummary, &Contender)| {
        let name = short_name(&of.name, 28);
        Some(format!("{name} {}{}", own_cost(of)?, instead(plan.asks.sql())))
    };
    let costs: Vec<String> = view.contenders.iter().zip(plans).filter_map(cost).collect();
    let described =
        || format!("our CPU/op by itself, against the null server: {}", costs.join(", "));
    (!costs.is_empty()).then(described)
}

/// What a contender's lane costs by itself. Returns None if it was not driven by itself.
pub(crate) fn own_cost(of: &ContenderSummary) -> Option<String> {
    match (of.own_cpu_per_operation, of.own_cost_age_s) {
        (Some(cost), None) => Some(units::seconds(Some(cost))),
        (Some(cost), Some(age_s)) => {
            Some(format!("{} (measured {} before)", units::seconds(Some(cost)), age(age_s)))
        }
        (None, _) => of.driven_alone.then(|| "not known (disturbed)".to_owned()),
    }
}

/// `12 min`: an age of less than a day.
fn age(seconds: u64) -> String {
    match seconds {
        under_a_minute @ 0..60 => format!("{under_a_minute}\u{a0}s"),
        under_an_hour @ 60..3600 => format!("{}\u{a0}min", under_an_hour / 60),
        hours => format!("{}\u{a0}h", hours / 3600),
    }
}

/// A note if the contender's own server was used because the null server does not speak its
/// protocol.
fn instead(sql: Option<&SqlSettings>) -> &'static str {
    if sql.is_some_and(|sql| sql.asks_own_server) {
        " (its own server's cheapest statement)"
    } else {
        ""
    }
}

/// How much of the difference between the first contender and another may be a client
/// library's work, if only one of the two is driven through a client library. Returns None
/// if all are driven alike.
pub(crate) fn library_shares(view: &View) -> Option<String> {
    let plans = view.header.plan.contenders.iter();
    let mut lanes = view.contenders.iter().zip(plans).map(|(of, plan)| Lane {
        name: &of.name,
        has_library: plan.asks.sql().is_some(),
        // The smaller one, since other work on the machine only increases a measured cost.
        cost: of
            .own_cpu_per_operation
            .into_iter()
            .chain(of.generator_cpu_per_operation)
            .reduce(f64::min),
    });
    let first = lanes.next()?;
    shares(&first, lanes)
}

struct Lane<'a> {
    name: &'a str,
    has_library: bool,
    /// Seconds of CPU for each operation; None if they are not known.
    cost: Option<f64>,
}

fn shares<'a>(first: &Lane<'a>, others: impl Iterator<Item = Lane<'a>>) -> Option<String> {
    let share = |of: Lane<'a>| {
        let apart = (of.cost? - first.cost?).abs();
        let described = || format!("{} ({})", units::seconds(Some(apart)), short_name(of.name, 28));
        (of.has_library != first.has_library).then(described)
    };
    let shares: Vec<String> = others.filter_map(share).collect();
    let described = || {
        format!(
            "part of an operation's difference from {} that may be the client library's work: {}",
            short_name(first.name, 28),
            shares.join(", ")
        )
    };
    (!shares.is_empty()).then(described)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(name: &str, has_library: bool, microseconds: Option<f64>) -> Lane<'_> {
        Lane { name, has_library, cost: microseconds.map(|us| us / 1e6) }
    }

    fn described(first: Lane<'_>, others: Vec<Lane<'_>>) -> Option<String> {
        shares(&first, others.into_iter()).map(|described| described.replace('\u{a0}', " "))
    }

    #[test]
    fn a_library_on_one_side_alone_has_its_share() {
        let others = vec![
            lane("redis", false, Some(9.0)),
            lane("maria", true, Some(28.0)),
            lane("unmeasured", true, None),
        ];
        let wanted = "part of an operation's difference from memcached that may be the client \
                      library's work: 20.0 µs (maria)";
        assert_eq!(described(lane("memcached", false, Some(8.0)), others).as_deref(), Some(wanted));
        let backwards =
            described(lane("maria", true, Some(28.0)), vec![lane("redis", false, Some(8.0))]);
        assert!(backwards.is_some_and(|described| described.ends_with("20.0 µs (redis)")));
    }

    #[test]
    fn a_note_says_that_the_own_server_was_used() {
        let mut sql = SqlSettings {
            protocol: record::SqlProtocol::Prepared,
            table: None,
            reply_bytes: None,
            asks_own_server: true,
            library: String::new(),
            repeats: 1,
        };
        assert_eq!(instead(Some(&sql)), " (its own server's cheapest statement)");
        sql.asks_own_server = false;
        assert_eq!((instead(Some(&sql)), instead(None)), ("", ""));
    }

    #[test]
    fn an_own_cost_comes_with_its_age_or_with_why_it_is_not_known() {
        let described = |cost, own_cost_age_s, driven_alone| {
            let own_cpu_per_operation = cost;
            let of = ContenderSummary {
                own_cpu_per_operation,
                own_cost_age_s,
                driven_alone,
                ..Default::default()
            };
            own_cost(&of).map(|described| described.replace('\u{a0}', " "))
        };
        assert_eq!(described(Some(3.2e-6), None, true).as_deref(), Some("3.20 µs"));
        for (age_s, age) in [(0, "0 s"), (59, "59 s"), (60, "1 min"), (7300, "2 h")] {
            let wanted = format!("3.20 µs (measured {age} before)");
            assert_eq!(described(Some(3.2e-6), Some(age_s), false), Some(wanted));
        }
        assert_eq!(described(None, None, true).as_deref(), Some("not known (disturbed)"));
        assert_eq!(described(None, None, false), None);
    }

    #[test]
    fn no_shares_if_all_are_driven_alike() {
        for library in [true, false] {
            let others = vec![lane("b", library, Some(9.0))];
            assert_eq!(described(lane("a", library, Some(3.0)), others), None);
        }
    }
}
