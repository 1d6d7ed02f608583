use super::*;
use crate::plan::Settings;
use crate::plan::settings::sweep_settings::parse;
use crate::plan::settings::workload::WorkloadSettings;
use crate::system::remote::RemoteError;
use keeper::process::NotVisible;
use protocol::address::resolver;
use record::{Contender, Host};

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

/// The plan of a sweep, and its cautions.
fn settled(spec: &Spec, cores: Vec<u32>) -> Result<Resolved, Error> {
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

fn plan_of(sweep: &str, change: impl FnOnce(&mut Spec)) -> record::Plan {
    settled(&spec(sweep, change), vec![0, 1]).unwrap_or_else(|e| panic!("{}", e.text)).plan
}

#[test]
fn each_point_sets_the_factor_and_nothing_else() {
    let all = |figure: fn(&Contender) -> f64, plan: record::Plan| {
        plan.contenders.iter().map(figure).collect::<Vec<f64>>()
    };
    let connections = all(|c| c.intensity.connections.into(), plan_of("connections=1,8", |_| {}));
    assert_eq!(connections, [1.0, 1.0, 8.0, 8.0]);
    let rate = |c: &Contender| c.intensity.arrivals.rate().unwrap_or(0.0);
    assert_eq!(all(rate, plan_of("rate=100,5k", |_| {})), [100.0, 100.0, 5000.0, 5000.0]);
    let depth = all(|c| c.intensity.depth.into(), plan_of("depth=1,16", stores));
    assert_eq!(depth, [1.0, 1.0, 16.0, 16.0]);
    let bytes = |c: &Contender| match c.asks.workload().map(|workload| workload.value.clone()) {
        Some(ValueBytes::Fixed(bytes)) => f64::from(bytes),
        other => panic!("{other:?}"),
    };
    assert_eq!(all(bytes, plan_of("value=32B,1kB", stores)), [32.0, 32.0, 1000.0, 1000.0]);
    let mut plan = plan_of("connections=1,8", |_| {});
    for contender in &mut plan.contenders {
        contender.intensity.connections = 1;
        contender.name.clear();
    }
    assert_eq!(plan.contenders[..2], plan.contenders[2..]);
}

#[test]
fn every_target_is_a_contender_at_every_load_point() {
    let plan =
        plan_of("connections=1,8", |spec| spec.contenders.push("c=http://127.0.0.1:3/".into()));
    let names = plan.question.names();
    let wanted = ["a@connections-1", "b@connections-1", "c@connections-1", "a@connections-8"];
    assert_eq!(names[..4], wanted);
    let pairs: Vec<(u32, u32)> = plan.question.pairs.iter().map(|it| (it.a, it.b)).collect();
    assert_eq!(pairs, [(0, 1), (0, 2), (3, 4), (3, 5)], "of the same load point, in one family");
    assert_eq!(plan.question.load_points, ["connections-1", "connections-8"]);
    assert_eq!(plan.question.one_target, [[0, 3], [1, 4], [2, 5]]);
    assert_eq!((0..6).map(|of| plan.target_of(of)).collect::<Vec<_>>(), [0, 1, 2, 0, 1, 2]);
    assert_eq!(plan.check_size(), Ok(()));
    let of_one = plan_of("connections=1,8", |spec| {
        spec.command = Command::Run;
        spec.contenders.truncate(1);
    });
    assert_eq!(of_one.question.names(), ["connections-1", "connections-8"]);
    assert_eq!(of_one.sweep.map(|sweep| sweep.targets), Some(vec!["a".to_owned()]));
}

#[test]
fn load_points_that_only_read_share_their_keys() {
    let data = |sweep, mix: &str| {
        let plan = plan_of(sweep, |spec| {
            stores(spec);
            spec.workload.mix = Some(crate::plan::settings::workload::mix(mix).expect("a mix"));
        });
        (0..4).map(|of| plan.data_of(of)).collect::<Vec<_>>()
    };
    assert_eq!(data("connections=1,8", "get=1"), [0, 1, 0, 1]);
    assert_eq!(data("connections=1,8", "get=1,set=1"), [0, 1, 2, 3]);
    assert_eq!(data("value=32B,1kB", "get=1"), [0, 1, 2, 3]);
}

#[test]
fn a_requirement_applies_at_every_load_point() {
    use crate::plan::question::require::Requirement;
    let question = plan_of("connections=1,8", |_| {}).question;
    for text in ["b/a throughput >= 0.9", "b@connections-8/a@connections-8 throughput >= 0.9"] {
        Requirement::parse(text, &question).unwrap_or_else(|why| panic!("{text}: {why}"));
    }
    let crossed = Requirement::parse("b@connections-8/a@connections-1 p99 <= 2", &question);
    assert!(crossed.is_err_and(|why| why.contains("are not compared with each other")));
}

#[test]
fn more_than_64_contenders_at_load_points_are_refused() {
    let text = refused("connections=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", |spec| {
        spec.contenders = (1..=5).map(|n| format!("c{n}=http://127.0.0.1:{n}/")).collect();
    });
    assert_eq!(
        text,
        "5 contenders at 16 load points are 80, but one run can hold at most 64: leave out load \
         points or contenders"
    );
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
fn the_generators_cores_are_no_second_factor() {
    let workers = |sweep: &str| {
        let resolved = settled(&spec(sweep, |_| {}), vec![0, 1, 2, 3]);
        let resolved = resolved.unwrap_or_else(|e| panic!("{}", e.text));
        let caution = "every load point uses 1 generator core(s)";
        let is_said = resolved.cautions.iter().any(|text| text.starts_with(caution));
        (resolved.plan.generator_cores.len(), is_said)
    };
    assert_eq!(workers("connections=1,2,8"), (1, true));
    assert_eq!(workers("connections=2,8"), (2, false));
}

/// A sweep of the two servers of an experiment file with these lines.
fn of_file(text: &str, change: impl FnOnce(&mut Spec)) -> Result<Resolved, String> {
    let scratch = crate::scratch::Scratch::new();
    let file = scratch.path().join("e.toml");
    let servers = "[contender.a]\nurl = 'http://127.0.0.1:1/'\n\
                   [contender.b]\nurl = 'http://127.0.0.1:2/'\n";
    std::fs::write(&file, format!("{text}\n{servers}")).expect("a file");
    let spec = spec("connections=1,8", |spec| {
        spec.contenders = vec![file.display().to_string()];
        spec.allow_file = true;
        change(spec);
    });
    settled(&spec, vec![0, 1]).map_err(|error| error.text)
}

#[test]
fn a_typed_sweep_replaces_the_ranking_of_the_file() {
    let plan = of_file("rank = true\nby = 'p99'", |_| {}).expect("no ranking").plan;
    let question = &plan.question;
    assert_eq!((question.is_ranked, question.primary), (false, record::Metric::Throughput));
    let typed = of_file("", |spec| spec.run.rank = true).err().expect("both typed");
    assert!(typed.contains("leave out --sweep or --rank"), "{typed}");
}

#[test]
fn objectives_of_a_sweep_are_named_where_they_are() {
    let in_file = of_file("slo = ['p99 <= 5ms']", |_| {}).err().expect("objectives");
    assert!(in_file.ends_with("leave out --sweep or slo in the experiment file"), "{in_file}");
    let limit_ns = 5_000_000;
    let slo = record::Objective::ResponseTime { percentile: record::Percentile::P99, limit_ns };
    let typed = of_file("sweep = { connections = [1, 8] }", |spec| {
        spec.sweep = None;
        spec.run.slo = vec![slo];
    });
    let typed = typed.err().expect("objectives");
    assert!(typed.ends_with("leave out the sweep in the experiment file or --slo"), "{typed}");
    let both =
        of_file("sweep = { connections = [1, 8] }\nslo = ['p99 <= 5ms']", |spec| spec.sweep = None);
    assert_eq!(
        both.err().expect("objectives"),
        "slo in the experiment file finds the load by itself, or checks one rate: leave out the sweep in the \
         experiment file or slo in the experiment file"
    );
}
