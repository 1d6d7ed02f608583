//! What may be concluded from a leaderboard, in sentences.

use super::list::CLOSE;
use super::{Answer, BoardList};
use judge::unpaired::UnpairedRanking;
use judge::{ALPHA, stats::rounds};
use text::lists::listed;
use text::units::{show_counted, show_level, show_percent, show_whole};

/// The largest number of entries that are named in a sentence.
const MOST_NAMED: usize = 4;

/// The list that is shown in full: of those by which the board ranks (of all, if there are none) the one with the most
/// entries.
pub fn main(lists: &[BoardList]) -> Option<&BoardList> {
    let weight = |of: &BoardList| (of.primary, of.entries.len());
    lists.iter().reduce(|most, of| if weight(of) > weight(most) { of } else { most })
}

/// What a list is and how it is sorted: `64 connections by throughput (larger is better)`.
pub fn heading(list: &BoardList) -> String {
    let better = if list.metric.larger_is_better() { "larger" } else { "smaller" };
    format!("{} by {} ({better} is better)", list.name, list.metric.name())
}

/// The conclusion. Empty without lists.
pub(crate) fn conclusion(lists: &[BoardList]) -> Vec<String> {
    let Some(main) = main(lists) else { return Vec::new() };
    let mut sentences = match &main.answer {
        Answer::Alone => alone(main),
        Answer::OneRun => one_run(main),
        Answer::TooFewRuns => too_few(main),
        Answer::Ranked(ranking) => ranked(main, ranking),
    };
    sentences.extend(others(main, lists));
    sentences.extend(copies(main));
    if !main.without.is_empty() {
        sentences.push(match main.without.len() {
            1 => "1 more entry has no figure.".to_owned(),
            more => format!("{} more have no figure.", entries(more)),
        });
    }
    sentences
}

fn entries(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{} entries", show_whole(count as u64)) }
}

fn alone(list: &BoardList) -> Vec<String> {
    vec![format!(
        "There is nothing to compare: {} has {} with a figure. Files about one entry each must be given together.",
        heading(list),
        entries(list.entries.len()),
    )]
}

fn one_run(list: &BoardList) -> Vec<String> {
    vec![
        format!(
            "Which of two neighbours is faster cannot be said: {} has {} with one figure each, and without repeated \
             runs nothing shows how much a second run would differ.",
            heading(list),
            entries(list.entries.len()),
        ),
        close(list),
        format!("To say which entries differ, {}", rounds_to_publish(list)),
    ]
}

fn close(list: &BoardList) -> String {
    format!(
        "{} of {} lie within {} of a neighbour, which is roughly what single runs of one server differ by (often \
         it is more); this is no test.",
        show_whole(list.close() as u64),
        entries(list.entries.len()),
        show_percent(CLOSE - 1.0),
    )
}

/// What would have to be published.
fn rounds_to_publish(list: &BoardList) -> String {
    let pairs = list.pairs();
    let one = match pairs {
        1 => String::new(),
        _ => format!(
            " So many are needed for all {} together; one pair that is chosen before the runs needs {}.",
            show_counted(pairs as u64, "pair"),
            rounds::fewest(1, ALPHA)
        ),
    };
    format!(
        "at least {} runs of each would have to be published, interleaved: rounds that run every entry once, in an \
         order drawn anew.{one}",
        list.fewest_rounds(),
    )
}

fn too_few(list: &BoardList) -> Vec<String> {
    vec![
        format!(
            "Which of two neighbours is faster cannot be said: {} has {} with {}, too few to separate any of {} if \
             they are not paired. At least {} runs of each would do.",
            heading(list),
            entries(list.entries.len()),
            runs(list),
            show_counted(list.pairs() as u64, "pair"),
            list.fewest_unpaired_runs(),
        ),
        close(list),
        format!("Paired runs would say more: {}", rounds_to_publish(list)),
    ]
}

/// How many runs the entries have: `3 runs each`, `1 to 3 runs each`.
fn runs(list: &BoardList) -> String {
    let counts = || list.entries.iter().map(|of| of.runs.len());
    let (fewest, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
    if fewest == most {
        format!("{most} runs each")
    } else {
        format!("{fewest} to {most} runs each")
    }
}

fn ranked(list: &BoardList, ranking: &UnpairedRanking) -> Vec<String> {
    let first: Vec<&str> =
        ranking.ranked.iter().filter(|of| of.best == 1).map(|of| of.name.as_str()).collect();
    let first = match first.len() {
        1 => format!("{} is the first", first[0]),
        2..=MOST_NAMED => format!("Each of {} may be the first", listed(&first)),
        many => format!("Each of {} may be the first", entries(many)),
    };
    vec![
        format!(
            "{first}, and {} of {} are separated: {} has {} with {}, which were judged as unpaired.",
            show_whole(ranking.separated as u64),
            show_counted(ranking.pairs as u64, "pair"),
            heading(list),
            entries(list.entries.len()),
            runs(list),
        ),
        format!(
            "All ranks of this list hold together with {} if the runs were made in random order. This cannot exclude that runs at \
             different times met a different machine: nothing in the file shows when each was made.",
            show_level(1.0 - ALPHA)
        ),
        format!("To exclude it, {}", rounds_to_publish(list)),
    ]
}

/// Whether the other lists have the same answer.
fn others(main: &BoardList, lists: &[BoardList]) -> Option<String> {
    let is_alike = lists.iter().all(|of| matches!(of.answer, Answer::OneRun | Answer::Alone));
    // Those with fewer than two entries have no neighbours.
    let others = lists.iter().filter(|of| of.answer == Answer::OneRun).count().checked_sub(1)?;
    if !is_alike || main.answer != Answer::OneRun {
        return None;
    }
    Some(match others {
        0 => return None,
        1 => "The same is true of the other list.".to_owned(),
        _ => format!("The same is true of the other {others} lists."),
    })
}

fn copies(list: &BoardList) -> Option<String> {
    let count = list.entries.iter().filter(|of| of.is_copied()).count();
    (count > 0).then(|| {
        format!(
            "All runs of {} have the same figure, as copies have; they count as one run.",
            entries(count)
        )
    })
}
