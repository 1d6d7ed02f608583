//! What makes the rules raise findings, planted into a recorded journal: each function changes what
//! its rule looks at to what would have been recorded. The contender `b` has the cause.

use super::journal::{A, B, Journal};
use record::{
    AgentSeen, Case, CaseFigure, Cases, Digests, Event, Failure, Histogram, Metric, Nodes,
    Programs, Seen, Slice, StoreMoment, StoreReport, Withdrawn,
};
use std::collections::BTreeMap;

/// One operation in a hundred.
fn one_in_a_hundred(seen: &Seen) -> u64 {
    seen.operations / 100
}

/// Makes b take this many times as long as a, given the round, whatever the recorded ratio was.
fn slow_down_b(journal: &mut Journal, times: impl Fn(u32) -> f64) {
    let mut of_a = BTreeMap::new();
    for trial in journal.trials().filter(|trial| trial.contender == A) {
        of_a.insert(trial.round, trial.seen.throughput().expect("slices"));
    }
    journal.each(B, |round, seen| {
        let ratio = seen.throughput().expect("slices") / of_a[&round];
        seen.slices.iter_mut().for_each(|slice| stretch(slice, ratio * times(round)));
    });
}

/// The CPU time grows as well, so that the shares of it stay what they were.
fn stretch(slice: &mut Slice, times: f64) {
    let longer = |ns: u64| (ns as f64 * times) as u64;
    slice.took_ns = longer(slice.took_ns);
    slice.generator_cpu_ns = longer(slice.generator_cpu_ns);
    slice.target_cpu_ns.iter_mut().for_each(|cpu_ns| *cpu_ns = cpu_ns.map(longer));
}

// What the contenders are, beside the recorded ones. None of it is a cause.

/// Two stores that were loaded with 1000 items, and keep them.
pub(super) fn stores(journal: &mut Journal) {
    use StoreMoment::{LoadBegins, LoadEnds, RoundsBegin, RoundsEnd};
    journal.plan().question.contenders.iter_mut().for_each(|of| of.from_workload = true);
    for contender in [A, B] {
        for (when, items) in
            [(LoadBegins, 0), (LoadEnds, 1000), (RoundsBegin, 1000), (RoundsEnd, 1000)]
        {
            journal.add_before_the_end(Event::Store(StoreReport {
                contender,
                launch: 0,
                when,
                items: Some(items),
                bytes: Some(100 * items),
                evictions: Some(0),
                server: None,
                durable: Some(false),
                unreachable: None,
            }));
        }
    }
}

/// Two programs that are run once in each round, and print 1000 bytes.
pub(super) fn programs(journal: &mut Journal) {
    for contender in [A, B] {
        journal.each(contender, |_, seen| {
            seen.programs = Programs { runs: 1, output_bytes: 1000, ..Programs::default() };
        });
    }
}

/// Three agents that drive a third each and start their slices together.
pub(super) fn three_agents(journal: &mut Journal) {
    for trial in journal.trials() {
        let seen = &trial.seen;
        let agent = |rank| AgentSeen {
            rank,
            operations: seen.operations / 3,
            connections: seen.connections.requested / 3,
            took_ns: seen.slices.iter().map(|slice| slice.took_ns).sum(),
            ..AgentSeen::default()
        };
        trial.agents = (0..3).map(agent).collect();
    }
}

/// Two targets that are read by a watcher on their machine.
pub(super) fn watched(journal: &mut Journal) {
    for contender in [A, B] {
        journal.ready(contender).watched = Some("process 1".to_owned());
    }
}

/// Connections of which local ports allow 1000 a second.
pub(super) fn limited_ports(journal: &mut Journal) {
    journal.plan().question.contenders.iter_mut().for_each(|of| of.port_limit = Some(1000.0));
}

/// A ranking.
pub(super) fn ranked(journal: &mut Journal) {
    journal.plan().question.is_ranked = true;
}

/// A suite of one case, in which b is a copy of a.
pub(super) fn suite_with_control(journal: &mut Journal) {
    let question = &mut journal.plan().question;
    (question.is_suite, question.primary) = (true, Metric::Cost);
    question.control = Some(question.pairs[0]);
    let case = Case { name: "parse".to_owned(), unit: "ns".to_owned(), larger_is_better: false };
    let cases = Cases { compared: vec![case], replicates: 6, ..Cases::default() };
    journal.add_after_the_header(Event::Cases(Box::new(cases)));
    for contender in [A, B] {
        journal.each(contender, |round, seen| {
            let value = 100.0 + f64::from(round);
            let figure = CaseFigure {
                case: "parse".to_owned(),
                value,
                unit: "ns".to_owned(),
                larger_is_better: false,
            };
            seen.programs = Programs { runs: 1, figures: vec![figure], ..Programs::default() };
        });
    }
}

// Causes.

/// A case of the copy costs a tenth more than that of its original.
pub(super) fn one_in_ten_dearer(journal: &mut Journal) {
    journal.each(B, |_, seen| seen.programs.figures[0].value *= 1.1);
}

/// The target of b ended, and only one other is left.
pub(super) fn left_the_ranking(journal: &mut Journal) {
    let why = "it was killed by signal 9".to_owned();
    let left = Withdrawn { contender: B, launch: 1, round: 6, why };
    journal.add_before_the_end(Event::Withdrawn(left));
}

pub(super) fn pages_not_found(journal: &mut Journal) {
    journal.each(B, |_, seen| {
        let bad = one_in_a_hundred(seen);
        seen.outcomes.ok -= bad;
        seen.outcomes.unexpected = [(404, bad)].into();
        seen.codes = [(200, seen.operations - bad), (404, bad)].into();
    });
}

pub(super) fn keys_not_found(journal: &mut Journal) {
    journal.each(B, |_, seen| {
        seen.outcomes.miss = 2 * one_in_a_hundred(seen);
        seen.outcomes.ok -= seen.outcomes.miss;
    });
}

pub(super) fn foreign_values(journal: &mut Journal) {
    journal.each(B, |_, seen| {
        seen.outcomes.wrong = one_in_a_hundred(seen);
        seen.outcomes.ok -= seen.outcomes.wrong;
    });
}

pub(super) fn empty_bodies(journal: &mut Journal) {
    journal.each(B, |_, seen| seen.empty = one_in_a_hundred(seen));
}

pub(super) fn another_body(journal: &mut Journal) {
    journal.each(B, |_, seen| {
        let digested = seen.digests.total();
        seen.digests = Digests::default();
        (0..digested).for_each(|_| seen.digests.record(7));
    });
}

pub(super) fn half_the_output(journal: &mut Journal) {
    journal.each(B, |_, seen| seen.programs.output_bytes /= 2);
}

/// The last report of b's store.
fn last_report(journal: &mut Journal) -> &mut StoreReport {
    let last =
        |report: &&mut StoreReport| report.contender == B && report.when == StoreMoment::RoundsEnd;
    journal.stores().find(last).expect("a report after the rounds")
}

pub(super) fn evicted_items(journal: &mut Journal) {
    last_report(journal).evictions = Some(12);
}

pub(super) fn more_items(journal: &mut Journal) {
    last_report(journal).items = Some(1100);
}

pub(super) fn waits_for_the_disk(journal: &mut Journal) {
    journal.stores().filter(|of| of.contender == B).for_each(|of| of.durable = Some(true));
}

pub(super) fn node_that_ended(journal: &mut Journal) {
    journal.done(B).lost_nodes = vec!["node 2 was killed by signal 9".to_owned()];
}

/// A node of b's cluster that is at a public address.
pub(super) fn public_node(journal: &mut Journal) {
    let mut nodes = Nodes::default();
    nodes.refuses("203.0.113.7:9042".parse().expect("an address"));
    journal.ready(B).nodes = Some(nodes);
}

/// A tenth of the operations never fell due.
pub(super) fn slow_schedule(journal: &mut Journal) {
    journal.each(B, |_, seen| {
        let kept = seen.operations * 9 / 10;
        (seen.operations, seen.sent, seen.outcomes.ok) = (kept, kept, kept);
        seen.codes = [(200, kept)].into();
    });
}

/// Operations were sent as late as they usually took.
pub(super) fn late_sends(journal: &mut Journal) {
    journal.each(B, |_, seen| {
        let late = seen.response_time.quantile(0.5).expect("replies");
        seen.own_lag = Histogram::new();
        seen.own_lag.record_many(late, seen.operations);
    });
}

/// The last agent starts each slice after a twentieth of it.
pub(super) fn late_agent(journal: &mut Journal) {
    for trial in journal.trials().filter(|trial| trial.contender == B) {
        let sending_ns: u64 = trial.seen.slices.iter().map(|slice| slice.sending_ns).sum();
        trial.agents[2].behind_ns = sending_ns / 20;
    }
}

/// The last agent answers for half of what the others do.
pub(super) fn slow_agent(journal: &mut Journal) {
    for trial in journal.trials().filter(|trial| trial.contender == B) {
        trial.agents[2].operations /= 2;
    }
}

pub(super) fn no_local_port(journal: &mut Journal) {
    journal.each(B, |_, seen| {
        seen.outcomes.failed = [(Failure::NoPort, 1)].into();
        seen.outcomes.ok -= 1;
    });
}

/// The generator was never idle, and its target half of the time.
pub(super) fn busy_generator(journal: &mut Journal) {
    journal.slices(B, |_, slice| {
        slice.generator_cpu_ns = slice.took_ns;
        slice.target_cpu_ns[B as usize] = Some(slice.took_ns / 2);
    });
}

pub(super) fn one_core(journal: &mut Journal) {
    let question = &mut journal.plan().question;
    question.contenders[B as usize].target_cores = question.generator_cores.clone();
}

/// 4 of 32 connections get no reply from the first slice on.
pub(super) fn too_few_workers(journal: &mut Journal) {
    journal.each(B, |_, seen| {
        seen.waits.units = 32;
        seen.waits.longest_ns = 10_000_000_000;
        seen.waits.at_end.insert(0, 4);
    });
}

pub(super) fn refused_connection(journal: &mut Journal) {
    journal.each(B, |round, seen| seen.connections.established -= u64::from(round == 3));
}

/// A second reply, on connections with one in a hundred of all operations.
pub(super) fn second_replies(journal: &mut Journal) {
    journal.each(B, |_, seen| seen.unasked = one_in_a_hundred(seen));
}

/// A connection for each operation.
pub(super) fn keep_alive_off(journal: &mut Journal) {
    journal.each(B, |_, seen| seen.connections.closed_by_target = seen.operations);
}

/// 900 connections a second, where 1000 are possible.
pub(super) fn many_new_connections(journal: &mut Journal) {
    journal.each(B, |_, seen| {
        let first = seen.slices.iter().map(|slice| slice.starts_ns).min();
        let last = seen.slices.iter().map(|slice| slice.starts_ns + slice.took_ns).max();
        let span_ns = last.zip(first).map_or(0, |(last, first)| last - first);
        seen.connections.opened = span_ns * 9 / 10_000_000;
    });
}

pub(super) fn few_operations(journal: &mut Journal) {
    journal.each(B, |round, seen| {
        if round == 3 {
            seen.operations = 99;
        }
    });
}

/// Of 20 latencies one is left.
pub(super) fn few_latencies(journal: &mut Journal) {
    journal.each(B, |_, seen| {
        let all = std::mem::take(&mut seen.response_time);
        let ranks = (20..all.len()).step_by(40);
        ranks.filter_map(|rank| all.at_rank(rank)).for_each(|ns| seen.response_time.record(ns));
    });
}

/// In each round one slice has all slow replies.
pub(super) fn one_burst(journal: &mut Journal) {
    journal.each(B, |_, seen| {
        let usual = seen.response_time.quantile(0.5).expect("replies");
        seen.slices.iter_mut().for_each(|slice| slice.max_response_ns = usual);
        seen.slices[0].max_response_ns = seen.response_time.max().expect("replies");
    });
}

/// Replies take longer than a slice.
pub(super) fn slow_replies(journal: &mut Journal) {
    const TIMES: u64 = 300;
    journal.each(B, |_, seen| {
        let all = std::mem::take(&mut seen.response_time);
        all.buckets().for_each(|(ns, count)| seen.response_time.record_many(TIMES * ns, count));
        seen.slices.iter_mut().for_each(|slice| slice.max_response_ns *= TIMES);
    });
}

/// One slice waits for its last reply for twice as long as it sent.
pub(super) fn slow_last_reply(journal: &mut Journal) {
    journal.each(B, |round, seen| {
        if round == 3 {
            seen.slices[0].took_ns = 3 * seen.slices[0].sending_ns;
        }
    });
}

/// b's watcher does not answer from round 4 on.
pub(super) fn silent_watcher(journal: &mut Journal) {
    for contender in [A, B] {
        journal.slices(contender, |round, slice| {
            if round >= 4 {
                slice.target_cpu_ns[B as usize] = None;
            }
        });
    }
}

/// b uses a twentieth of a core while a is driven.
pub(super) fn work_at_rest(journal: &mut Journal) {
    journal.slices(A, |_, slice| slice.target_cpu_ns[B as usize] = Some(slice.took_ns / 20));
}

/// b is slower after itself, because it does in its own time what it left undone.
pub(super) fn work_for_the_next(journal: &mut Journal) {
    journal.slices(B, |_, slice| {
        if slice.after == Some(B) {
            stretch(slice, 1.1);
        }
    });
    // The number of such slices is not the same in each round.
    slow_down_b(journal, |_| 1.0);
}

/// Both get slower from round to round, so that their ratio stays.
pub(super) fn both_get_slower(journal: &mut Journal) {
    for contender in [A, B] {
        let times = |round| 1.0 + f64::from(round) / 10.0;
        journal.slices(contender, |round, slice| stretch(slice, times(round)));
    }
}

pub(super) fn slow_first_round(journal: &mut Journal) {
    slow_down_b(journal, |round| if round == 1 { 1.08 } else { 1.0 });
}

/// Too little to be unsteady: b gets slower by 1.5 % from round to round.
pub(super) fn b_gets_slower(journal: &mut Journal) {
    slow_down_b(journal, |round| 1.0 + 0.015 * f64::from(round));
}

/// b is faster by a tenth, and five times as fast in one round.
pub(super) fn one_wild_round(journal: &mut Journal) {
    slow_down_b(journal, |round| if round == 3 { 0.2 } else { 0.9 });
}

/// The generator has no core for a twentieth of the time.
pub(super) fn busy_machine(journal: &mut Journal) {
    journal.slices(B, |_, slice| slice.waited_ns = slice.took_ns / 20);
}

pub(super) fn small_difference(journal: &mut Journal) {
    slow_down_b(journal, |_| 0.98);
}

pub(super) fn half_as_fast(journal: &mut Journal) {
    slow_down_b(journal, |_| 2.0);
}

pub(super) fn another_timeout(journal: &mut Journal) {
    for trial in journal.trials().filter(|trial| trial.contender == B) {
        trial.lane_order.timeout_ns *= 2;
    }
}

pub(super) fn log_that_was_not_cleaned(journal: &mut Journal) {
    journal.done(B).log_troubles = vec!["its log could not be read".to_owned()];
}

pub(super) fn killed(journal: &mut Journal) {
    journal.remove_end();
}
