//! A published experiment, as data.

use crate::View;
use judge::single_runs;
use record::{Published, SingleRun};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct PublishedData<'a> {
    #[serde(flatten)]
    published: &'a Published,
    single_runs: Vec<SingleRunData<'a>>,
    would_mislead: Vec<WouldMisleadData<'a>>,
}

#[derive(Serialize)]
struct SingleRunData<'a> {
    contender: &'a str,
    command: &'a str,
    figure: Option<f64>,
    trouble: Option<&'a str>,
}

/// How many of all pairs of a round of `a` and another round of `b` contradict the verdict.
#[derive(Serialize)]
struct WouldMisleadData<'a> {
    a: &'a str,
    b: &'a str,
    pairs: u64,
    wrong: u64,
}

impl<'a> PublishedData<'a> {
    pub(super) fn of(view: &View<'a>) -> Option<PublishedData<'a>> {
        let published = view.header.plan.published.as_ref()?;
        let single_runs = view.single_runs.iter().map(|run| SingleRunData::of(view, run));
        let would_mislead = view.primaries().filter_map(|of| {
            let counted = single_runs::of_comparison(of, view.contenders, &view.plan().question)?;
            Some(WouldMisleadData {
                a: &of.a,
                b: &of.b,
                pairs: counted.pairs,
                wrong: counted.wrong,
            })
        });
        let single_runs = single_runs.collect();
        Some(PublishedData { published, single_runs, would_mislead: would_mislead.collect() })
    }
}

impl<'a> SingleRunData<'a> {
    fn of(view: &View<'a>, run: &'a SingleRun) -> SingleRunData<'a> {
        let contender = view.contenders.get(run.contender as usize);
        SingleRunData {
            contender: contender.map_or("", |of| of.name.as_str()),
            command: &run.command,
            figure: run.figure,
            trouble: Some(run.trouble.as_str()).filter(|why| !why.is_empty()),
        }
    }
}
