//! Any bytes as a histogram of a journal, and as the event of one of its lines, which is
//! then judged. Run it with a limit of memory (`-rss_limit_mb=512`): a short text must
//! not become a large one.
#![no_main]

use judge::Judge;
use record::{Event, Histogram, Question};

/// Two contenders, as the smallest comparison has them.
const QUESTION: &str = r#"{"contenders":[
    {"name":"a","cpu_in_sight":false,"bodiless":false,"port_limit":null},
    {"name":"b","cpu_in_sight":false,"bodiless":false,"port_limit":null}],
    "primary":"throughput","secondary":[],
    "pairs":[{"a":0,"b":1}],"alpha":0.05,"matters":0.01,"rounds":6,"expect_different":false,
    "shares_core":false,"workers":1}"#;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(histogram) = Histogram::decode(text)
    {
        let packed = histogram.encode().expect("memory");
        assert_eq!(Histogram::decode(&packed).expect("our own text"), histogram);
    }
    let Ok(event) = serde_json::from_slice(bytes) else { return };
    let question: Question = serde_json::from_str(QUESTION).expect("a question");
    let mut judge = Judge::new(&question);
    match event {
        Event::Header(header) => drop(header.plan.check_size()),
        Event::Target(ready) => judge.target(&ready),
        Event::TargetDone(done) => judge.target_done(&done),
        Event::Store(report) => judge.store(&report),
        Event::Loaded(loaded) => judge.loaded(&loaded),
        Event::SingleRun(_) | Event::Agents(_) | Event::Clocks(_) => {}
        Event::OwnCost(cost) => judge.own_cost(&cost),
        Event::Pilot(choice) => judge.pilot(&choice),
        Event::Cases(cases) => judge.cases(&cases),
        Event::SecondStage(stage) => judge.second_stage(&stage),
        Event::Trial(trial) => judge.add(&trial),
        Event::Withdrawn(of) => judge.withdrawn(&of),
        Event::End(end) => judge.end(&end),
    }
    judge.verdict();
});
