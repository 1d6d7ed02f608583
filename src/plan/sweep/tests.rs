use super::*;
use crate::plan::Settings;
use crate::plan::settings::sweep_settings::parse;
use crate::plan::settings::workload::WorkloadSettings;
use crate::system::remote::RemoteError;
use keeper::process::NotVisible;
use protocol::address::resolver;
use record::Host;

fn parsed(text: &str) -> SweepSettings {
    parse(text).unwrap_or_else(|message| panic!("{text}: {message}"))
}

/// A sweep of two HTTP servers, or of the contenders that `change` names.
fn spec(sweep: &str, change: impl FnOnce(&mut Spec)) -> Spec {
    let contenders = ["a=http://127.0.0.1:1/", "b=http://127.0.0.1:2/"].map(str::to_owned);
    let mut spec = Spec::new(Command::Compare, contenders.to_vec());
    spec.sweep = Some(parsed(sweep));
    change(&mut spec);
    spec
}

fn settled(spec: &Spec, cores: Vec<u32>) -> Result<Settled, Error> {
    let machine = Machine {
        cores: crate::system::cores::Facts { allowed: cores, ..Default::default() },
        host: Host { descriptors: 10_000, ..Host::default() },
        look: |_, _| Err(NotVisible("it was not looked for".to_owned())),
        watch: Some(|_, _| Err(RemoteError::Closed)),
        watch_token: None,
        drawn_seed: 0x5eed,
    };
    let mut resolver = Resolver::new(false, &resolver::look_up, &|_| true);
    let inputs = crate::plan::read(spec)?;
    load_points(spec, &inputs)?.expect("a sweep").settle(&machine, &mut resolver)
}

fn refused(sweep: &str, change: impl FnOnce(&mut Spec)) -> String {
    settled(&spec(sweep, change), vec![0, 1]).err().map(|error| error.text).unwrap_or_default()
}

fn stores(spec: &mut Spec) {
    spec.contenders = vec!["m=memcached://127.0.0.1:1".into(), "r=redis://127.0.0.1:2".into()];
}

#[test]
fn points_are_read_and_put_in_order() {
    let table = [
        ("connections=1,8, 32,1k", Factor::Connections, vec![1.0, 8.0, 32.0, 1000.0]),
        ("rate=5k/s,250,1.5k", Factor::Rate, vec![250.0, 1500.0, 5000.0]),
        ("value=4KiB,32B", Factor::Value, vec![32.0, 4096.0]),
        ("depth=16,1", Factor::Depth, vec![1.0, 16.0]),
    ];
    for (text, factor, values) in table {
        assert_eq!(parsed(text), SweepSettings { factor, values }, "{text}");
    }
}

#[test]
fn what_is_no_sweep_says_what_one_is() {
    let many = format!("depth={}", (1..=17).map(|n| n.to_string()).collect::<Vec<_>>().join(","));
    let table = [
        ("connections", "write the factor and its load points, such as connections=1,8,32,128"),
        (
            "conections=1,2",
            "`conections` cannot be swept: connections, rate, value, depth; did you",
        ),
        ("connections=8", "a sweep must have 2 to 16 load points, not 1"),
        (&many, "a sweep must have 2 to 16 load points, not 17"),
        ("connections=8,1,8", "the load point 8 is given twice"),
        ("rate=1k,1000/s", "the load point 1000 is given twice"),
        ("connections=0,1", "`0` is not a number of connections from 1 to 1M"),
        ("connections=1,,2", "`` is not a whole number"),
        ("depth=1,2000", "`2000` is not a number of operations in flight"),
        ("rate=0,1", "a rate must be above 0"),
        ("value=1..2kB,4kB", "`1..2kB` is not a load point: it must be one size above 0"),
        ("value=0,4kB", "`0` is not a load point"),
    ];
    for (text, message) in table {
        let output = parse(text).expect_err(text);
        assert!(output.starts_with(message), "{text}: {output}");
    }
}

#[test]
fn each_point_sets_the_factor_and_nothing_else() {
    let points = |sweep: &str, change: fn(&mut Spec)| {
        let settled =
            settled(&spec(sweep, change), vec![0, 1]).unwrap_or_else(|e| panic!("{}", e.text));
        settled.points.into_iter().map(|(value, it)| (value, it.plan)).collect::<Vec<_>>()
    };
    let all = |contender: fn(&record::Contender) -> f64, points: Vec<(f64, record::Plan)>| {
        points.iter().all(|(value, plan)| plan.contenders.iter().all(|c| contender(c) == *value))
    };
    assert!(all(|c| f64::from(c.intensity.connections), points("connections=1,8", |_| {})));
    assert!(all(|c| c.intensity.arrivals.rate().unwrap_or(0.0), points("rate=100,5k", |_| {})));
    assert!(all(|c| f64::from(c.intensity.depth), points("depth=1,16", stores)));
    let bytes =
        |c: &record::Contender| match c.asks.workload().map(|workload| workload.value.clone()) {
            Some(ValueBytes::Fixed(bytes)) => f64::from(bytes),
            other => panic!("{other:?}"),
        };
    assert!(all(bytes, points("value=32B,1kB", stores)));
    let mut points = points("connections=1,8", |_| {});
    points[1].1.contenders.iter_mut().for_each(|contender| contender.intensity.connections = 1);
    assert_eq!(points[0].1, points[1].1);
}

#[test]
fn a_point_that_cannot_work_is_named_before_anything_is_launched() {
    type Change = fn(&mut Spec);
    let table: [(&str, Change, &str); 9] = [
        ("connections=1,9k", |_| {}, "at connections 9000: 18000 connections in total need about"),
        (
            "depth=1,16",
            |_| {},
            "at depth 1: `a` is not a store, and depth can be swept only for stores",
        ),
        ("value=1kB,2kB", |_| {}, "at value 1000: a workload requires stores"),
        (
            "value=1kB,2kB",
            |spec| spec.contenders[1] = "redis://127.0.0.1:2".into(),
            "at value 1000: `a` is not a store",
        ),
        ("connections=1,8", |spec| spec.run.cores = Some(2), "at connections 1: --cores 2: a core"),
        (
            "connections=1,8",
            |spec| spec.common.connections = Some(64),
            "--connections fixes what the sweep of connections varies for all contenders: leave one",
        ),
        (
            "rate=1,8",
            |spec| spec.sets = vec!["b.rate=9".into()],
            "--set b.rate fixes what the sweep of rate varies",
        ),
        (
            "value=1,8",
            |spec| {
                stores(spec);
                spec.workload =
                    WorkloadSettings { value: Some(ValueBytes::Fixed(9)), ..Default::default() };
            },
            "--value fixes what",
        ),
        (
            "connections=1,8",
            |spec| spec.command = Command::Run,
            "at connections 1: `tiebreak run` drives one contender; to compare several",
        ),
    ];
    for (sweep, change, message) in table {
        let cores = if message.contains("--cores") { vec![0, 1, 2, 3] } else { vec![0, 1] };
        let text = settled(&spec(sweep, change), cores).err().map(|e| e.text).unwrap_or_default();
        assert!(text.starts_with(message), "{sweep}: {text}");
    }
    let header = |spec: &mut Spec| {
        spec.common = Settings::default();
        spec.sets = vec!["a.header=X: b.connections=CANARY".into()];
    };
    assert_eq!(refused("connections=1,8", header), "", "a value is no key");
}

#[test]
fn all_points_have_one_seed() {
    let seeds = |change: fn(&mut Spec)| {
        let settled = settled(&spec("connections=1,2,8", change), vec![0, 1]);
        let settled = settled.unwrap_or_else(|e| panic!("{}", e.text));
        settled.points.iter().map(|(_, it)| it.plan.seed).collect::<Vec<_>>()
    };
    assert_eq!(seeds(|_| {}), [0x5eed; 3]);
    assert_eq!(seeds(|spec| spec.run.seed = Some(9)), [9; 3]);
}

#[test]
fn the_generators_cores_are_no_second_factor() {
    let four = vec![0, 1, 2, 3];
    let workers = |sweep: &str| {
        let settled =
            settled(&spec(sweep, |_| {}), four.clone()).unwrap_or_else(|e| panic!("{}", e.text));
        let workers = settled.points.iter().map(|(_, it)| it.plan.generator_cores.len());
        (workers.collect::<Vec<_>>(), !settled.cautions.is_empty())
    };
    assert_eq!(workers("connections=1,2,8"), (vec![1, 1, 1], true));
    assert_eq!(workers("connections=2,8"), (vec![2, 2], false));
}
