use super::*;
use crate::plan::question::hash;
use crate::plan::settings;
use crate::plan::settings::commands::CustomCommands;
use crate::plan::settings::declared::Given as _;
use drivers::DatabaseAccess;
use http::HttpAccess;
use protocol::Exit;
use record::{Arrivals, Intensity, Metric};
use std::any::Any;
use std::net::SocketAddr;
use text::quantities;
use wire::remote::handshake::Refusal;
use wire::remote::watch::Description;

fn machine() -> Machine {
    Machine {
        cores: cores::Facts {
            allowed: vec![0, 1, 2, 3],
            physical: (0..4).map(|core| (core, core)).collect(),
            quota: None,
        },
        host: Host {
            kernel: "Linux 6.1".to_owned(),
            cpu: "A Processor".to_owned(),
            cores: vec![0, 1, 2, 3],
            memory_bytes: 1 << 30,
            clock: "tsc".to_owned(),
            descriptors: 1024,
            client_ports: (32768, 60999),
        },
        look: |_, named| Err(NotVisible(format!("it was not looked for, named: {named:?}"))),
        watch: Some(|address, _| match address.port() {
            9 => Err(RemoteError::Refused(Refusal::Token)),
            port => Ok(Description {
                machine: [if port == 8 { 8 } else { 7 }; 16],
                source: "process_clocks".to_owned(),
                name: "process 4711 (nginx)".to_owned(),
                cores: vec![0, 1],
                pids: vec![if port == 7 { 7 } else { 4711 }],
            }),
        }),
        watch_token: Some(Token::of("a-token-of-tests")),
        drawn_seed: 0x5eed,
    }
}

fn look_up(host: &str, port: u16) -> std::io::Result<Vec<SocketAddr>> {
    let address = match host {
        "app.test" => [10, 0, 0, 7],
        "web.test" => [93, 184, 216, 34],
        _ => return Ok(Vec::new()),
    };
    Ok(vec![(address, port).into()])
}

pub(super) fn settled(spec: &Spec) -> Result<Resolved, Error> {
    let mut resolver = Resolver::new(false, &look_up, &|_| true);
    resolve(spec, crate::plan::read(spec)?, &machine(), &mut resolver)
}

fn compare(contenders: &[&str]) -> Spec {
    Spec::new(Command::Compare, contenders.iter().map(|text| (*text).to_owned()).collect())
}

fn message(change: impl FnOnce(&mut Spec)) -> String {
    let mut spec = compare(&["a=http://127.0.0.1:1/", "b=http://127.0.0.1:2/"]);
    change(&mut spec);
    settled(&spec).err().expect("refused").text
}

#[test]
fn a_plan_with_everything_in_it() {
    let mut spec = compare(&[
        "keep=http://me:CANARY@app.test:8080/page?token=CANARY&n=1",
        "fresh=http://app.test:8080/page",
        "http+unix://%2Frun%2Fapp.sock/page",
    ]);
    spec.sets = ["fresh.reuse=never", "fresh.rate=200 k/s", "keep.header=X-Key: CANARY"]
        .map(str::to_owned)
        .to_vec();
    spec.common.body = Some(b"CANARY".as_slice().into());
    spec.common.expect = Some(vec![200, 304]);
    spec.run.slice = quantities::duration("50ms").ok();
    spec.run.seed = Some(7);
    spec.run.all_pairs = true;
    spec.run.confidence = Some(0.99);
    let resolved = settled(&spec).expect("a good plan");
    let text = serde_json::to_string_pretty(&resolved.plan).expect("json") + "\n";
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write("src/plan/resolved/snapshots/plan.json", &text).expect("snapshot");
    }
    assert_eq!(text, include_str!("snapshots/plan.json"));
    assert!(!text.contains("CANARY") && !format!("{:?}", resolved.plan).contains("CANARY"));
    assert_eq!(
        resolved.cautions,
        ["`fresh` will open 200 k/s connections, but local ports suffice for about 14.1 k/s: \
             lower its rate or widen net.ipv4.ip_local_port_range"]
    );
}

/// The access, if it is of this type.
pub(super) fn found<T: Access>(access: &dyn Access) -> Option<&T> {
    let access: &dyn Any = access;
    access.downcast_ref()
}

#[test]
fn secrets_travel_in_the_access_alone() {
    let mut spec = compare(&["a=http://u:CANARY@127.0.0.1:1/?k=CANARY", "b=http://127.0.0.1:1/"]);
    spec.common.headers.push(settings::header("X-Key: CANARY").expect("good"));
    let resolved = settled(&spec).expect("a good plan");
    let ContenderAccess::Attached { access, .. } = &resolved.accesses[0] else {
        panic!("it runs already")
    };
    let Some(access) = found::<HttpAccess>(&**access) else { panic!("HTTP") };
    let head = String::from_utf8_lossy(&access.head).into_owned();
    assert_eq!(head.matches("CANARY").count(), 2, "query and header: {head}");
    assert!(head.contains("Authorization: Basic dTpDQU5BUlk="), "{head}");
    let json = serde_json::to_string(&resolved.plan).expect("json");
    assert!(!json.contains("CANARY") && !json.contains("dTpDQU5BUlk"), "{json}");
    assert_eq!(resolved.plan.contenders[0].target, "http://127.0.0.1:1/?k=…");
    assert_eq!(
        resolved.plan.contenders[0].asks.request().expect("HTTP").header_names,
        ["X-Key", "Authorization"]
    );
}

#[test]
fn defaults() {
    let plan =
        settled(&compare(&["http://127.0.0.1:1/", "http://127.0.0.1:2/"])).expect("good").plan;
    assert_eq!(plan.command, "compare");
    assert_eq!(plan.question.names(), ["127.0.0.1:1", "127.0.0.1:2"]);
    assert_eq!((plan.seed, plan.rounds, plan.round_ns), (0x5eed, 10, 1_000_000_000));
    assert_eq!((plan.interleave, plan.slice_ns), (Interleave::Auto, None));
    assert_eq!(plan.warm_up_ns, 1_000_000_000);
    assert_eq!(plan.generator_cores, [2, 3]);
    assert!(!plan.question.shares_core);
    let first = &plan.contenders[0];
    assert_eq!((first.intensity.connections, first.timeout_ns), (64, 30_000_000_000));
    assert_eq!((first.reuse, first.intensity.arrivals), (Reuse::Always, Arrivals::Closed));
    assert_eq!(first.tls, None);
}

#[test]
fn a_run_has_one_contender_and_no_comparison() {
    let mut spec = Spec::new(Command::Run, vec!["http://127.0.0.1:1/".to_owned()]);
    let plan = settled(&spec).expect("good").plan;
    assert_eq!((plan.rounds, plan.round_ns), (1, 10_000_000_000));
    assert!(plan.question.pairs.is_empty());
    spec.run.operations = Some(1000);
    let plan = settled(&spec).expect("good").plan;
    assert_eq!(plan.round_ns, 3_600_000_000_000);
    assert_eq!(plan.contenders[0].operations, Some(1000));
}

#[test]
fn turns_last_longer_than_rounds_unless_a_round_is_given() {
    let mut spec = compare(&["http://127.0.0.1:1/", "http://127.0.0.1:2/"]);
    spec.run.interleave = Some(Interleave::Turns);
    assert_eq!(settled(&spec).expect("good").plan.round_ns, 2_500_000_000);
    spec.run.round = quantities::duration("200ms").ok();
    assert_eq!(settled(&spec).expect("good").plan.round_ns, 200_000_000);
}

/// No two workers share a room, so that one room needs one core.
#[test]
fn few_rooms_need_few_cores() {
    let mut spec = compare(&["a=ws://127.0.0.1:1/", "b=ws://127.0.0.1:2/"]);
    spec.workload.preset = Some("chat".to_owned());
    spec.sets = vec!["b.members=64".to_owned()];
    let plan = settled(&spec).expect("good").plan;
    assert_eq!(plan.generator_cores, [3]);
    assert_eq!(
        plan.contenders.iter().map(|contender| contender.asks.members()).collect::<Vec<_>>(),
        [8, 64]
    );
    spec.run.cores = Some(2);
    let refused = settled(&spec).err().expect("refused").text;
    assert!(refused.starts_with("--cores 2: a core without a connection"), "{refused}");
    spec.sets.push("a.connections=4".to_owned());
    let refused = settled(&spec).err().expect("refused").text;
    assert!(
        refused.starts_with("`a`: 4 connections cannot be divided into rooms of 8 members"),
        "{refused}"
    );
}

#[test]
fn few_connections_need_few_cores() {
    let mut spec = compare(&["a=http://127.0.0.1:1/", "b=http://127.0.0.1:2/"]);
    spec.sets = vec!["b.connections=1".to_owned()];
    assert_eq!(settled(&spec).expect("good").plan.generator_cores, [3]);
    spec.run.cores = Some(2);
    assert_eq!(
        settled(&spec).err().expect("refused").text,
        "--cores 2: a core without a connection would be idle, and one contender has only 1: \
         lower --cores"
    );
}

#[test]
fn what_cannot_be_done_is_refused_with_its_remedy() {
    type Change = fn(&mut Spec);
    let table: [(Change, &str); 19] = [
        (
            |spec| spec.contenders.truncate(1),
            "a comparison requires at least two contenders; for one use `tiebreak run URL`",
        ),
        (
            |spec| spec.command = Command::Run,
            "`tiebreak run` drives one contender; to compare several use `tiebreak compare`",
        ),
        (
            |spec| spec.contenders = vec!["a=http://127.0.0.1/".into(); 17],
            "17 contenders cannot be interleaved: at most 16; `tiebreak rank` ranks up to 64",
        ),
        (
            |spec| spec.contenders[1] = "b=ngnix".into(),
            "there is no recipe `ngnix`: nginx, lighttpd, caddy, apache, node, go, uvicorn, memcached, redis, cassandra, cassandra-cluster, cassandra-1.2, cassandra-1.2-cluster, postgres, postgres-unlogged, postgres-tmpfs, pgbouncer, mariadb-innodb, mariadb-memory; did you mean `nginx`? An address begins with a scheme, such as http:// or file:///; a program begins with exec:; the name of a file ends with .toml",
        ),
        (
            |spec| spec.run.launches = Some(10),
            "--launches launches every target anew, but the contender `a` is already running: let \
             tiebreak launch it (with a recipe or an experiment file)",
        ),
        (
            |spec| {
                spec.contenders = vec!["nginx".into(), "node".into(), "go".into()];
                spec.run.launches = Some(6);
            },
            "6 launches cannot support 2 comparisons at 5 %; at least 7 are needed: use --launches \
             10 or compare fewer",
        ),
        (
            |spec| {
                spec.contenders = vec!["nginx".into(), "node".into()];
                spec.run.rounds = Some(10);
                spec.run.requirements = vec!["throughput >= 0.97".into()];
            },
            "--require throughput >= 0.97: one launch of each shows how these launches differ, not \
             the programs: use --launches 8",
        ),
        (
            |spec| {
                spec.contenders = vec!["nginx".into(), "node".into()];
                spec.run.launches = Some(6);
                spec.run.until_decided = true;
            },
            "--launches 6: a first look after 6 launches cannot decide 1 comparison: with \
             --until-decided each look judges at the level of 1.25 %; the first look needs at \
             least 8 launches",
        ),
        (
            |spec| {
                spec.run.until_decided = true;
                spec.run.rounds = Some(7);
            },
            "--rounds 7: a first look after 7 rounds cannot decide 1 comparison: with \
             --until-decided each look judges at the level of 1.25 %; the first look needs at \
             least 8 rounds",
        ),
        (
            |spec| spec.run.requirements = vec!["b/a throughputs >= 1".into()],
            "--require `b/a throughputs >= 1`: no metric is called `throughputs`: this run judges throughput, p50 and p99; did you mean `throughput`?",
        ),
        (
            |spec| spec.contenders[1] = "localhost:80".into(),
            "contender 2: `localhost:80` is not an address: did you mean `http://localhost:80/`?",
        ),
        (
            |spec| spec.sets = vec!["c.reuse=never".into()],
            "--set: no contender is called `c`: a, b; did you mean `a`?",
        ),
        (
            |spec| spec.sets = vec!["a.arrivals=poisson".into()],
            "`a`: --arrivals says how a rate is spread: give --rate too, such as --rate 1000/s",
        ),
        (
            |spec| spec.run.rounds = Some(5),
            "5 rounds cannot support 1 comparison at 5 %; at least 6 are needed: use --rounds 10",
        ),
        (
            |spec| spec.run.rounds = Some(20_000),
            "--rounds 20000: at most 10000 are supported; use longer rounds (--round) instead",
        ),
        (
            |spec| spec.run.round = Some(Duration::from_secs(8000)),
            "this would take more than a day (2666 min 42 s): use fewer or shorter rounds",
        ),
        (
            |spec| spec.run.slice = Some(Duration::from_secs(2)),
            "--slice 2 s is longer than a round of 1 s: give a longer --round, or --interleave turns",
        ),
        (
            |spec| spec.common.connections = Some(600),
            "1200 connections in total need about 1280 descriptors, but this process may open \
             1024: use fewer --connections, or raise the hard limit (ulimit -Hn)",
        ),
        (
            |spec| spec.contenders[0] = "a=http://web.test/".into(),
            "`web.test` resolves to 93.184.216.34, a public address: put load only on servers \
             that you are allowed to load, and confirm it with --allow-public",
        ),
    ];
    for (change, expected) in table {
        assert_eq!(message(change), expected);
    }
    let unknown = message(|spec| spec.sets = vec!["a.resue=never".into()]);
    let begins = "--set a.resue: there is no key `resue`: reuse, connections, ";
    assert!(
        unknown.starts_with(begins) && unknown.ends_with("; did you mean `reuse`?"),
        "{unknown}"
    );
    let both = message(|spec| {
        spec.run.slice = Some(Duration::from_millis(50));
        spec.run.interleave = Some(Interleave::Turns);
    });
    assert_eq!(both, "--slice has no meaning with --interleave turns: leave one of them out");
    let mut unknown = compare(&["a=http://nohost/", "b=http://127.0.0.1:1/"]);
    assert_eq!(settled(&unknown).err().map(|error| error.exit), Some(Exit::TargetFailed));
    unknown.connect_to = vec!["nohost::127.0.0.1:9".to_owned()];
    let plan = settled(&unknown).expect("led elsewhere").plan;
    assert_eq!(plan.contenders[0].address, Address::Tcp(([127, 0, 0, 1], 9).into()));
    assert_eq!(plan.contenders[0].target, "http://nohost/");
}

#[test]
fn the_hash_names_the_experiment_not_the_ports_nor_the_machine() {
    let hash = |spec: &Spec, machine: &Machine| {
        let mut resolver = Resolver::new(false, &look_up, &|_| true);
        hash::of(
            &resolve(spec, crate::plan::read(spec).expect("good"), machine, &mut resolver)
                .expect("good")
                .plan,
        )
    };
    let first = compare(&["http://127.0.0.1:1001/", "b=http://127.0.0.1:1002/"]);
    let moved = compare(&["http://127.0.0.1:2001/", "b=http://127.0.0.1:2002/"]);
    let mut elsewhere = machine();
    elsewhere.cores.allowed = vec![0, 1];
    elsewhere.host.kernel = "Linux 7".to_owned();
    elsewhere.host.client_ports = (1024, 65535);
    assert_eq!(hash(&first, &machine()), hash(&moved, &machine()));
    assert_eq!(hash(&first, &machine()), hash(&first, &elsewhere));
    // The seed is drawn anew for each run of one experiment.
    let mut seeded = first.clone();
    seeded.run.seed = Some(2);
    assert_eq!(hash(&first, &machine()), hash(&seeded, &machine()));
    let mut longer = first.clone();
    longer.run.rounds = Some(20);
    assert_ne!(hash(&first, &machine()), hash(&longer, &machine()));
    let mut fresh = first.clone();
    fresh.sets = vec!["b.reuse=never".to_owned()];
    assert_ne!(hash(&first, &machine()), hash(&fresh, &machine()));
}

#[test]
fn launches_and_looks_in_the_plan() {
    let mut spec = compare(&["nginx", "b=node"]);
    spec.run.launches = Some(8);
    let resolved = settled(&spec).expect("good");
    let question = &resolved.plan.question;
    assert_eq!(
        (question.rounds, question.restarts, question.rounds_of_a_launch()),
        (16, 8, Some(2))
    );
    spec.run.until_decided = true;
    let looked = settled(&spec).expect("good").plan.question;
    assert_eq!((looked.rounds, looked.restarts), (96, 48));
    assert_eq!(looked.interim_looks, [8, 13, 21, 32, 48]);
    // The first core that the generator leaves is tiebreak's own. The CPU time of a launched target
    // is visible.
    assert!(question.contenders.iter().all(|contender| contender.target_cores == [1]));
    assert_eq!(question.secondary.last(), Some(&Metric::TargetCpu));
    let contender = &resolved.plan.contenders[0];
    assert_eq!(contender.target, "http://127.0.0.1:{port}/");
    assert_eq!(contender.address, Address::Tcp(([127, 0, 0, 1], 0).into()));
    assert!(contender.launch.iter().any(|line| line.starts_with("start   nginx")));
    let mut spec = compare(&["a=http://127.0.0.1:1/", "b=http://127.0.0.1:2/"]);
    spec.run.until_decided = true;
    let question = settled(&spec).expect("good").plan.question;
    assert_eq!((question.rounds, question.interim_looks), (60, vec![10, 16, 26, 40, 60]));
}

#[test]
fn set_wins_over_flags_and_flags_over_the_file() {
    let scratch = crate::scratch::Scratch::new();
    let file = scratch.path().join("e.toml");
    let text = "rounds = 11\n[defaults]\nconnections = 5\ntimeout = '1s'\n\
                [contender.a]\nurl = 'http://127.0.0.1:1/'\n\
                [contender.b]\nurl = 'http://127.0.0.1:2/'\nconnections = 6\n";
    std::fs::write(&file, text).expect("a file");
    let mut spec = compare(&[&file.display().to_string()]);
    spec.allow_file = true;
    let connections = |spec: &Spec| {
        let plan = settled(spec).expect("good").plan;
        (plan.rounds, plan.contenders.iter().map(|c| c.intensity.connections).collect::<Vec<_>>())
    };
    assert_eq!(connections(&spec), (11, vec![5, 6]));
    spec.common.connections = Some(7);
    spec.sets = vec!["b.connections=8".to_owned()];
    spec.run.rounds = Some(12);
    assert_eq!(connections(&spec), (12, vec![7, 8]));
    let plan = settled(&spec).expect("good").plan;
    assert!(plan.contenders.iter().all(|contender| contender.timeout_ns == 1_000_000_000));
}

#[test]
fn a_file_from_elsewhere_does_nothing_without_permission() {
    let scratch = crate::scratch::Scratch::new();
    let file = scratch.path().join("e.toml");
    let text = "contenders = ['nginx', 'node']\n";
    std::fs::write(&file, text).expect("a file");
    let mut spec = compare(&[&file.display().to_string()]);
    let refused = settled(&spec).err().expect("refused").text;
    assert!(refused.ends_with("then add --allow-file"), "{refused}");
    spec.allow_file = true;
    assert!(settled(&spec).is_ok());
}

#[test]
fn databases_get_a_table_of_their_own_or_are_asked_their_statement() {
    let mut spec = compare(&[
        "p=postgres://me:CANARY@127.0.0.1:1/b",
        "m=mysql://me:CANARY@127.0.0.1:2/b",
        "s=mysql://me@127.0.0.1:2/b",
    ]);
    spec.sets = ["p.protocol=simple", "m.table=memory", "m.pool.max=9", "s.query=SELECT 7"]
        .map(str::to_owned)
        .to_vec();
    let resolved = settled(&spec).unwrap_or_else(|error| panic!("{}", error.text));
    let contenders = &resolved.plan.contenders;
    let protocols = [0, 1, 2].map(|at| contenders[at].asks.sql().expect("SQL").protocol.name());
    assert_eq!(protocols, ["simple", "prepared", "prepared"]);
    let loaded = [0, 1, 2].map(|at| contenders[at].asks.workload().is_some());
    assert_eq!(loaded, [true, true, false]);
    assert!(matches!(contenders[1].reuse, Reuse::Pool(record::Pool { max: 9, .. })));
    let tables = resolved.accesses.iter().map(|contender_access| match contender_access {
        ContenderAccess::Attached { access, .. } => {
            found::<DatabaseAccess>(&**access).expect("databases").database.count_rows()
        }
        _ => panic!("databases"),
    });
    for (counts, table) in
        tables.zip(["FROM \"tiebreak00\"", "FROM `tiebreak01_memory`", "FROM `tiebreak02`"])
    {
        assert!(counts.ends_with(table), "{counts}");
    }
    let statements = contenders.iter().map(|contender| contender.asks.statement());
    assert_eq!(statements.collect::<Vec<_>>(), [None, None, Some("SELECT 7")]);
    let code_names = |at: usize| resolved.plan.question.code_names(at);
    assert_eq!(
        (code_names(1)[&1040].as_str(), code_names(0).get(&1040)),
        ("too_many_connections", None)
    );
    assert_eq!((code_names(0)[&11].as_str(), code_names(1).get(&11)), ("deadlock", None));
    assert_eq!(code_names(1), code_names(2));
    let json = serde_json::to_string(&resolved.plan).expect("json");
    assert!(!json.contains("CANARY"), "{json}");
}

#[test]
fn what_databases_cannot_do_is_refused() {
    let of_databases = format!(
        "`c`: query, protocol, table, pool and reply.max apply only to databases ({})",
        PROTOCOLS.written_as(Protocol::is_sql)
    );
    for (sets, workload, wanted) in [
        (
            &["a.depth=4"][..],
            "kv",
            "`a`: a client library has one statement in flight on a connection: leave out depth for databases",
        ),
        (
            &["a.dialect=text"],
            "kv",
            "`a`: protocol (simple, extended, text, prepared) sets how statements are sent: leave \
             out dialect for databases",
        ),
        (&["b.protocol=simple"], "kv", "`b`: mysql supports the protocols prepared, text"),
        (
            &["a.protocol=text"],
            "kv",
            "`a`: postgres supports the protocols prepared, extended, simple",
        ),
        (
            &["a.table=memory"],
            "kv",
            "`a`: postgres has no table of kind memory; it has logged, unlogged",
        ),
        (
            &["a.query=SELECT 1"],
            "kv",
            "`a`: --query and a workload cannot be combined: give one of them",
        ),
        (
            &["a.pool.max=4", "a.reuse=never"],
            "kv",
            "`a`: pool and reuse cannot be combined: give one",
        ),
        (&["a.locking=flock"], "kv", "`a`: locking, fsync and expires apply only to file:///"),
        (&["c.protocol=text"], "kv", &of_databases),
    ] {
        let mut spec = compare(&[
            "a=postgres://me@127.0.0.1:1/b",
            "b=mysql://me@127.0.0.1:2/b",
            "c=redis://127.0.0.1:3",
        ]);
        spec.sets = sets.iter().map(|set| (*set).to_owned()).collect();
        spec.workload.preset = Some(workload.to_owned());
        assert_eq!(settled(&spec).err().expect("refused").text, wanted, "{sets:?}");
    }
    let mut spec = compare(&["a=mysql://me@127.0.0.1:1/b", "b=mysql://me@127.0.0.1:2/b"]);
    spec.sets = vec!["a.table=memory".to_owned()];
    spec.workload.value = crate::plan::settings::workload::value("70kB").ok();
    let message = settled(&spec).err().expect("refused").text;
    assert!(message.starts_with("`a`: a MEMORY table has no BLOBs"), "{message}");
    let mut spec = compare(&["a=mysql://me@127.0.0.1:1/b", "b=mysql://me@127.0.0.1:2/b"]);
    spec.workload.mix = crate::plan::settings::workload::mix("incr=1").ok();
    let message = settled(&spec).err().expect("refused").text;
    assert_eq!(
        message,
        "`a` cannot run the mix: counters are only supported by caches: a table's values are bytes"
    );
}

/// A workload of statements does not have what verifying would compare.
#[test]
fn verify_is_refused_where_statements_say_what_they_expect() {
    let mut spec = compare(&["a=mysql://me@127.0.0.1:1/b", "b=mysql://me@127.0.0.1:2/b"]);
    spec.workload.preset = Some("point-select".to_owned());
    let verified = |resolved: Resolved| {
        resolved.plan.contenders[0].asks.workload().map(|workload| workload.verify)
    };
    assert_eq!(verified(settled(&spec).expect("a good plan")), Some(record::Verify::Off));
    spec.workload.verify = Some(record::Verify::Off);
    assert_eq!(verified(settled(&spec).expect("a good plan")), Some(record::Verify::Off));
    spec.workload.verify = Some(record::Verify::All);
    let message = settled(&spec).err().expect("refused").text;
    assert!(message.contains("define what they expect"), "{message}");
    assert!(message.contains("leave out `verify`"), "{message}");
}

#[test]
fn stores_get_a_workload_in_a_key_space_of_their_own() {
    let spec = compare(&["m=memcached://127.0.0.1:1", "r=redis://:CANARY@127.0.0.1:2/3"]);
    let resolved = settled(&spec).expect("a good plan");
    let workload =
        |at: usize| resolved.plan.contenders[at].asks.workload().cloned().expect("a store");
    assert_eq!(
        (workload(0).prefix, workload(1).prefix),
        ("tiebreak00:".into(), "tiebreak01:".into())
    );
    assert_eq!((workload(0).keys, workload(0).verify), (100_000, record::Verify::Sample));
    assert_eq!(workload(0).mix, workload(1).mix);
    assert!(resolved.plan.question.contenders.iter().all(|contender| contender.from_workload));
    let code_names = |at: usize| resolved.plan.question.code_names(at);
    assert_eq!((code_names(1)[&2003].as_str(), code_names(0).get(&2003)), ("oom", None));
    let json = serde_json::to_string(&resolved.plan).expect("json");
    assert!(!json.contains("CANARY"), "{json}");
    assert_eq!(resolved.plan.contenders[1].target, "redis://127.0.0.1:2/3");
}

/// Others may have keys in a store that runs already, and in a store that load points share.
#[test]
fn keys_that_are_hashes_have_no_prefix_where_nobody_else_has_keys() {
    let mut spec = compare(&[
        "m=memcached://127.0.0.1:1",
        "memcached",
        "p=postgres://me@127.0.0.1:2/b",
        "f=file:///tmp/x",
    ]);
    let prefixes = |spec: &Spec| -> Vec<String> {
        let resolved = settled(spec).unwrap_or_else(|error| panic!("{}", error.text));
        let workloads =
            resolved.plan.contenders.iter().map(|contender| contender.asks.workload().cloned());
        workloads.map(|workload| workload.expect("a store").prefix).collect()
    };
    let usual = ["tiebreak00:", "tiebreak01:", "tiebreak02:", "tiebreak03:"];
    assert_eq!(prefixes(&spec), usual);
    spec.workload.keys_as = Some(record::KeysAs::Md5);
    assert_eq!(prefixes(&spec), ["tiebreak00:", "", "", ""]);
}

/// An experiment file with these lines before its two stores.
fn with_groups(text: &str, change: impl FnOnce(&mut Spec)) -> Result<Resolved, String> {
    let stores = "[contender.a]\nurl = 'redis://127.0.0.1:1'\n\
                  [contender.b]\nurl = 'memcached://127.0.0.1:2'\n";
    of_file(&format!("{text}\n{stores}"), change)
}

fn of_file(text: &str, change: impl FnOnce(&mut Spec)) -> Result<Resolved, String> {
    let scratch = crate::scratch::Scratch::new();
    let file = scratch.path().join("e.toml");
    std::fs::write(&file, text).expect("a file");
    let mut spec = compare(&[&file.display().to_string()]);
    spec.allow_file = true;
    change(&mut spec);
    settled(&spec).map_err(|error| error.text)
}

const READERS_AND_WRITERS: &str = "[[groups]]\nname = 'readers'\nconnections = 20\ndepth = 32\n\
     mix = { get = 3, 'multi-get:10' = 1 }\n\
     [[groups]]\nname = 'writers'\nconnections = 2\nrate = '5k/s'\nmix = 'set=1'\n";

#[test]
fn groups_share_a_contender_and_are_judged_apart() {
    let sets = |spec: &mut Spec| spec.sets = vec!["b.writers.connections=3".to_owned()];
    let plan = with_groups(READERS_AND_WRITERS, sets).expect("good").plan;
    let [a, b] = plan.contenders.as_slice() else { panic!("two") };
    let groups_of = |contender: &Contender| {
        let groups = contender.groups.iter().map(|group| group.intensity);
        groups
            .map(|intensity| (intensity.connections, intensity.depth, intensity.arrivals))
            .collect::<Vec<_>>()
    };
    let rate = Arrivals::Constant(5000.0);
    assert_eq!(groups_of(a), [(20, 32, Arrivals::Closed), (2, 1, rate)]);
    assert_eq!(groups_of(b), [(20, 32, Arrivals::Closed), (3, 1, rate)]);
    let together = Intensity { connections: 22, depth: 32, arrivals: Arrivals::Closed };
    assert_eq!(a.intensity, together);
    let workload = a.asks.workload().expect("a store");
    let mixes: Vec<usize> = workload.mixes().iter().map(|mix| mix.len()).collect();
    assert_eq!((workload.mix.len(), mixes), (3, vec![2, 1]));
    let question = &plan.question;
    assert_eq!((question.primary, question.secondary.len()), (Metric::Throughput, 0));
    let metrics = |at: usize| question.groups[at].metrics.as_slice();
    assert_eq!(metrics(0), [Metric::Throughput, Metric::ResponseP50, Metric::ResponseP99]);
    assert_eq!(metrics(1), [Metric::ResponseP99, Metric::ResponseP50]);
    // As many workers as the smallest group has connections, and no more.
    let one = READERS_AND_WRITERS.replace("connections = 2\n", "connections = 1\n");
    let refused = with_groups(&one, |spec| spec.run.cores = Some(2)).err().expect("refused");
    assert!(refused.starts_with("--cores 2: a core without a connection"), "{refused}");
}

#[test]
fn a_groups_metric_can_be_required() {
    let require = |text: &str| {
        let text = text.to_owned();
        with_groups(READERS_AND_WRITERS, |spec| spec.run.requirements = vec![text]).err()
    };
    assert_eq!(require("b/a p99 of writers <= 1.05x"), None);
    assert_eq!(require("throughput of readers >= 0.9"), None);
    assert_eq!(require("throughput >= 0.9"), None);
    let refused = |text, end: &str| {
        let message = require(text).expect("refused");
        assert!(message.ends_with(end), "{message}");
    };
    refused("p99 of writer <= 1", "there are readers and writers; did you mean `writers`?");
    refused("throughput of writers >= 1", "only p99 and p50: require one of these");
    refused("p99 <= 1", "only throughput: require one of these");
}

#[test]
fn what_does_not_go_with_groups_is_refused() {
    let both = READERS_AND_WRITERS;
    let two = |second: &str| format!("[[groups]]\nname = 'a'\n[[groups]]\n{second}\n");
    let table: [(String, Invalidate<'_>, &str); 11] = [
        (
            both.into(),
            &|spec| spec.common.connections = Some(5),
            "`a`: connections must be set for each",
        ),
        (both.into(), &|spec| spec.common.rate = Some(5.0), "`a`: rate must be set for each group"),
        (
            both.into(),
            &|spec| spec.sets = vec!["b.depth=2".into()],
            "`b`: depth must be set for each",
        ),
        (
            both.into(),
            &|spec| spec.sets = vec!["a.writers.reuse=never".into()],
            "--set a.writers.reuse: a group has no key `reuse`: connections, depth",
        ),
        (
            both.into(),
            &|spec| spec.sets = vec!["a.writer.rate=1".into()],
            "--set a.writer.rate: there is no key `writer.rate`",
        ),
        (
            both.into(),
            &|spec| {
                spec.workload.mix =
                    Some(crate::plan::settings::workload::mix("get=1").expect("a mix"))
            },
            "every group has its own mix",
        ),
        (
            both.into(),
            &|spec| spec.workload.distribution = Some(record::Distribution::Latest),
            "workload: groups: insert and latest are not supported",
        ),
        (
            both.into(),
            &|spec| spec.common.reuse = Some(Reuse::Never),
            "`a`: group `readers`: a depth above 1",
        ),
        (two("name = 'a'"), &|_| (), "two groups are called `a`"),
        (two("name = 'b.c'"), &|_| (), "the name of a group must not contain a dot"),
        (two("name = 'b'\nmix = {}"), &|_| (), "the mix is empty"),
    ];
    for (text, change, message) in table {
        let output = with_groups(&text, change).err().expect(message);
        assert!(output.contains(message), "{output}\n{message}");
    }
    let custom = |name: &str| {
        let of_a = format!("url = 'redis://127.0.0.1:1'\ngroups = [{{ name = '{name}' }}]");
        let of_b = "url = 'redis://127.0.0.1:2'\ngroups = [{ name = 'one', depth = 2 }]";
        let text = format!("{both}[contender.a]\n{of_a}\n[contender.b]\n{of_b}\n");
        of_file(&text, |_| ())
    };
    assert!(custom("one").is_ok(), "a contender's own groups are in place of those of all");
    let output = custom("other").err().expect("refused");
    assert!(output.starts_with("the groups of `b` differ from those of `a`"), "{output}");
    let many: String = (0..9).map(|n| format!("[[groups]]\nname = 'g{n}'\n")).collect();
    let output = with_groups(&many, |_| ()).err().expect("refused");
    assert!(
        output.ends_with("groups: there are 9 groups, but at most 8 are supported"),
        "{output}"
    );
}

/// Two databases, with `text` before them and `each` in each of them.
fn databases_with_groups(text: &str, each: &str) -> Result<Resolved, String> {
    let a = format!("[contender.a]\nurl = 'postgres://me@127.0.0.1:1/d'\n{each}\n");
    let b = format!("[contender.b]\nurl = 'mysql://me@127.0.0.1:2/d'\n{each}\n");
    of_file(&format!("{text}\n{a}{b}"), |spec| spec.run.cores = Some(2))
}

#[test]
fn databases_have_groups_each_with_a_pool_of_its_own() {
    let flat = READERS_AND_WRITERS.replace("depth = 32\n", "");
    let flat = flat.replace(", 'multi-get:10' = 1", "");
    let plan = databases_with_groups(&flat, "pool = { max = 2 }").expect("good").plan;
    for contender in &plan.contenders {
        let connections: Vec<u32> =
            contender.groups.iter().map(|group| group.intensity.connections).collect();
        assert_eq!((connections, contender.intensity.connections), (vec![20, 2], 22));
        assert_eq!(contender.asks.workload().expect("a store").groups, [1, 1]);
    }
    let same = flat.replace("mix = { get = 3 }\n", "").replace("mix = 'set=1'\n", "");
    assert!(databases_with_groups(&same, "query = 'SELECT 1'").is_ok());
    let single_connection = flat.replace("connections = 2\n", "connections = 1\n");
    for (text, each, message) in [
        (READERS_AND_WRITERS, "", "`a`: group `readers`: a client library has one statement in"),
        (&flat, "query = 'SELECT 1'", "`a`: group `readers`: a mix requires a workload"),
        (&single_connection, "pool = { max = 2 }", "--cores 2: a core without a connection"),
        (&flat, "pool = { max = 1 }", "--cores 2: a core without a connection"),
    ] {
        let output = databases_with_groups(text, each).err().expect(message);
        assert!(output.contains(message), "{output}\n{message}");
    }
}

/// Makes a valid spec invalid.
type Invalidate<'a> = &'a dyn Fn(&mut Spec);

#[test]
fn what_a_store_cannot_do_is_refused() {
    let both = ["m=memcached://127.0.0.1:1", "r=redis://127.0.0.1:2"];
    let with = |change: Invalidate<'_>| {
        let mut spec = compare(&both);
        change(&mut spec);
        settled(&spec).err().expect("refused").text
    };
    let table: [(Invalidate<'_>, &str); 14] = [
        (
            &|spec| spec.workload.preset = Some("wide-rows".into()),
            "`m` cannot run wide-rows: each of its keys has one value; use cassandra://, cassandra+thrift://",
        ),
        (
            &|spec| {
                spec.workload.mix =
                    Some(crate::plan::settings::workload::mix("newest=1").expect("a mix"))
            },
            "newest, one and insert are operations on wide rows: add --workload wide-rows",
        ),
        (
            &|spec| {
                spec.workload.preset = Some("wide-rows".into());
                spec.workload.mix =
                    Some(crate::plan::settings::workload::mix("get=1").expect("a mix"));
            },
            "the operations of wide-rows are newest, one and insert: name some of them",
        ),
        (
            &|spec| spec.workload.preset = Some("ycsb-e".into()),
            "`m` cannot run ycsb-e: it stores keys by their hash and cannot scan them in order; use a store that sorts its keys",
        ),
        (
            &|spec| {
                spec.workload.mix =
                    Some(crate::plan::settings::workload::mix("cas=1").expect("a mix"))
            },
            "`r` cannot run cas: it has no cas: WATCH, MULTI and EXEC take four requests",
        ),
        (
            &|spec| {
                spec.workload
                    .commands
                    .give(crate::plan::settings::commands::custom("PING").expect("one"))
            },
            "`m` cannot run --command: it has no user-defined commands; use redis://",
        ),
        (&|spec| spec.workload.value = Some(record::ValueBytes::Fixed(8)), "workload: value = 8"),
        (
            &|spec| spec.common.method = Some("HEAD".into()),
            "`m`: method applies only to HTTP requests",
        ),
        (
            &|spec| {
                spec.common.depth = Some(16);
                spec.common.reuse = Some(Reuse::Never);
            },
            "`m`: a depth above 1 requires persistent connections: --reuse always",
        ),
        (
            &|spec| spec.sets = vec!["m.dialect=resp3".into()],
            "`m`: memcached supports the dialects",
        ),
        (&|spec| spec.sets = vec!["r.dialect=meta".into()], "`r`: redis supports the dialects"),
        (
            &|spec| {
                spec.contenders[1] = "r=cassandra+thrift://127.0.0.1:2/k".into();
                spec.sets = vec!["r.dialect=text".into()];
            },
            "`r`: cassandra+thrift has no dialects: leave out dialect",
        ),
        (
            &|spec| {
                spec.contenders[1] = "r=cassandra+thrift://127.0.0.1:2/k".into();
                spec.sets = vec!["r.consistency=local-one".into()];
            },
            "`r`: cassandra+thrift does not support the consistency level local-one; it supports one, \
             two, three, quorum, all, local-quorum, each-quorum",
        ),
        (
            &|spec| {
                spec.contenders =
                    vec!["a=http://127.0.0.1:1".into(), "b=http://127.0.0.1:2".into()];
                spec.workload.keys = Some(5);
            },
            "a workload requires stores",
        ),
    ];
    for (change, message) in table {
        let text = with(change);
        assert!(text.starts_with(message), "{text}\n{message}");
    }
}

#[test]
fn the_command_line_overrides_the_operations_of_a_file() {
    let file = "[contender.a]\nurl = 'exec:true'\noperations = '2k'\n\
                [contender.b]\nurl = 'exec:true'\n";
    let counted = |given: Option<u64>| {
        let plan = of_file(file, |spec| spec.run.operations = given).expect("valid").plan;
        let runs = plan.contenders.into_iter().map(|of| of.launch.last().cloned());
        runs.map(Option::unwrap_or_default).collect::<Vec<_>>()
    };
    let with = |number: u64| {
        format!("run     true; {number} operations per run unless the program announces a number")
    };
    assert_eq!(counted(None), [with(2000), "run     true".to_owned()]);
    assert_eq!(counted(Some(7)), [with(7), with(7)]);
}

#[test]
fn what_would_be_ignored_is_refused() {
    let files = ["m=memcached://127.0.0.1:1", "f=file:///tmp/x"];
    let programs = ["a=exec:true", "b=exec:true"];
    let of_databases = "query, protocol, table, pool and reply.max apply only to databases";
    let of_files = "locking, fsync and expires apply only to file:///";
    for (contenders, sets, name, message) in [
        (files, &["f.pool.max=2"][..], "f", of_databases),
        (files, &["f.query=SELECT 1"], "f", of_databases),
        (programs, &["b.reply.max=1MB"], "b", of_databases),
        (programs, &["a.fsync=true"], "a", of_files),
    ] {
        let mut spec = compare(&contenders);
        spec.sets = sets.iter().map(|set| (*set).to_owned()).collect();
        let text = settled(&spec).err().expect("refused").text;
        assert!(text.starts_with(&format!("`{name}`: {message}")), "{sets:?}: {text}");
    }
}

#[test]
fn a_run_refuses_what_its_file_says_of_comparisons() {
    let scratch = crate::scratch::Scratch::new();
    let file = scratch.path().join("e.toml");
    let settled = |text: &str| {
        let text = format!("{text}\n[contender.a]\nurl = 'http://127.0.0.1:1/'\n");
        std::fs::write(&file, text).expect("a file");
        let mut spec = Spec::new(Command::Run, vec![file.display().to_string()]);
        spec.allow_file = true;
        settled(&spec).map_err(|error| error.text)
    };
    assert!(settled("seed = 7\nwarm_up = '1s'\ngenerator_cores = 1").is_ok());
    for text in ["interleave = 'turns'", "all_pairs = true", "matters = '2%'"] {
        let key = text.split(' ').next().expect("a key");
        let message = settled(text).err().expect("refused");
        assert!(
            message.starts_with(&format!("{key} in the experiment file is only for")),
            "{message}"
        );
    }
}

#[test]
fn commands_that_reach_beyond_the_contenders_keys_need_permission_on_the_command_line() {
    let redis = ["a=redis://127.0.0.1:1".to_owned(), "b=redis://127.0.0.1:2".to_owned()];
    let mut spec = compare(&redis.each_ref().map(String::as_str));
    for (command, does) in [
        ("EVAL 'return 1' 0", "runs a script"),
        ("config SET save ''", "changes the server's settings"),
        ("FLUSHALL", "removes or replaces data"),
        ("SAVE", "ends the server, stops it for a while, or makes it write files"),
    ] {
        spec.workload.commands =
            CustomCommands(vec![crate::plan::settings::commands::custom(command).expect("one")]);
        let message = settled(&spec).err().expect("refused").text;
        let name = command.split(' ').next().expect("a word");
        assert!(message.starts_with(&format!("`a`: the command `{name}` {does}")), "{message}");
        assert!(
            message.ends_with("add --allow-destructive to the command line to allow it"),
            "{message}"
        );
        spec.allow_destructive = true;
        assert!(settled(&spec).is_ok(), "{command}");
        spec.allow_destructive = false;
    }
}

#[test]
fn batches_of_several_times_need_statements_that_only_write() {
    let refused = |sets: &[&str]| {
        let mut spec = compare(&["a=cassandra://127.0.0.1/k", "b=cassandra://127.0.0.1/k"]);
        spec.sets = sets.iter().map(|set| (*set).to_owned()).collect();
        settled(&spec).err().expect("refused").text
    };
    let message = refused(&["a.batch_size=10"]);
    let wanted = "`a`: batch_size requires custom statements that only write";
    assert!(message.starts_with(wanted), "{message}");
    let message = refused(&["b.batch_size=10", "b.batch=none"]);
    assert_eq!(message, "`b`: batch_size requires batches: leave out batch=none");
}

#[test]
fn contenders_with_other_batches_get_a_caution() {
    let text = "[contender.one]\nurl = 'cassandra://127.0.0.1/k'\n\
                [contender.ten]\nurl = 'cassandra://127.0.0.1/k'\nbatch_size = 10\n\
                [[workload.statements]]\nname = 'add'\nparameters = { id = 'seq(1)' }\n\
                sql = 'INSERT INTO t (id) VALUES ({id})'\n";
    let resolved = of_file(text, |_| {}).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        resolved.cautions,
        ["an operation of `one` sends its statements once (batch_size), and one of `ten` 10 \
             times: figures count operations, not statements"]
    );
}

/// Four servers, with watchers at these addresses.
fn watched(addresses: [&str; 4]) -> Result<Resolved, Error> {
    let contenders = (1..=4).map(|port| format!("c{port}=http://127.0.0.1:{port}/"));
    let mut spec = Spec::new(Command::Compare, contenders.collect());
    for (number, address) in (1..).zip(addresses) {
        if !address.is_empty() {
            spec.sets.push(format!("c{number}.watch={address}"));
        }
    }
    settled(&spec)
}

#[test]
fn a_watcher_takes_the_place_of_the_local_meter() {
    let addresses = ["10.0.0.1:6", "10.0.0.1:7", "10.0.0.2:8", "10.0.0.1:5"];
    let resolved = watched(addresses).unwrap_or_else(|error| panic!("{}", error.text));
    let question = &resolved.plan.question;
    assert!(
        question
            .contenders
            .iter()
            .all(|contender| contender.cpu_in_sight && contender.target_cores == [0, 1])
    );
    let machines: Vec<u32> =
        question.contenders.iter().map(|contender| contender.machine).collect();
    assert_eq!(machines, [1, 1, 2, 1], "one machine has one number");
    assert_eq!(question.sharing, [[0, 3]], "the same process of the same machine");
    assert!(!question.shares_core, "cores of another machine are not the generator's");
    assert!(question.secondary.contains(&Metric::TargetCpu));
    assert_eq!(resolved.plan.contenders[2].watch, Some(([10, 0, 0, 2], 8).into()));
    let text = serde_json::to_string(&resolved.plan).expect("a plan");
    assert!(!text.contains("a-token-of-tests"));
    assert!(resolved.secrets.iter().any(|secret| secret.reveal() == "a-token-of-tests"));
    let other = watched(["10.0.0.1:6", "10.0.0.1:6", "10.0.0.1:6", ""]);
    let other = other.unwrap_or_else(|error| panic!("{}", error.text));
    assert!(!other.plan.question.contenders[3].cpu_in_sight);
    assert_eq!(
        hash::of(&resolved.plan),
        hash::of(&other.plan),
        "the machines are not the question"
    );
}

#[test]
fn a_watcher_that_cannot_be_used_is_an_error_with_its_remedy() {
    let error = |address| watched([address, "", "", ""]).err().map(|error| error.text);
    let refused = error("10.0.0.1:9").expect("refused");
    assert!(refused.starts_with("`c1`: watch=10.0.0.1:9: it refused the token"), "{refused}");
    let public = error("8.8.8.8:9310").expect("refused");
    assert!(public.contains("8.8.8.8 is a public address"), "{public}");
    let bad = error("10.0.0.1").expect("refused");
    assert!(bad.contains("such as 10.0.0.5:9310"), "{bad}");
    let mut launched = Spec::new(Command::Compare, vec!["nginx".into(), "node".into()]);
    launched.sets.push("nginx.watch=10.0.0.1:6".into());
    let error = settled(&launched).err().map(|error| error.text).expect("refused");
    assert!(error.contains("tiebreak launches this target"), "{error}");
}

#[test]
fn typed_objectives_replace_the_ranking_and_the_lengths_of_the_file() {
    let servers = "[contender.a]\nurl = 'http://127.0.0.1:1/'\n\
                   [contender.b]\nurl = 'http://127.0.0.1:2/'\n";
    let text = format!(
        "rank = true\nby = 'p99'\nrounds = 20\nslice = '50ms'\ninterleave = 'slices'\n{servers}"
    );
    let limit_ns = 5_000_000;
    let percentile = record::Percentile::P99;
    let slo = record::Objective::ResponseTime { percentile, limit_ns };
    let plan = of_file(&text, |spec| spec.run.slo = vec![slo]).expect("replaced").plan;
    assert_eq!((plan.rounds, plan.question.is_ranked), (10, false));
    assert_eq!(plan.question.primary, record::Metric::Capacity);
}

#[test]
fn memory_ranks_what_starts_anew_for_each_replicate() {
    let ranked = |spec: &mut Spec| {
        spec.run.rank = true;
        spec.run.by = Some(Metric::PeakMemory);
    };
    let launched = "[contender.a]\nlaunch = ['/bin/true', '{port}']\n\
                    [contender.b]\nlaunch = ['/bin/false', '{port}']\n";
    let question = of_file(launched, ranked).expect("launched").plan.question;
    assert_eq!(
        (question.primary, question.restarts, question.dear),
        (Metric::PeakMemory, 10, None)
    );
    assert_eq!(question.secondary[0], Metric::Throughput);
    let programs = "[contender.a]\nurl = 'exec:true'\n\
                    [contender.b]\nurl = 'exec:false'\n";
    let counted = |spec: &mut Spec| {
        ranked(spec);
        spec.run.operations = Some(1);
    };
    let question = of_file(programs, counted).expect("programs").plan.question;
    assert_eq!((question.primary, question.restarts), (Metric::PeakMemory, 0));
    type Change = fn(&mut Spec);
    let running = "[contender.a]\nurl = 'http://127.0.0.1:1/'\n\
                   [contender.b]\nurl = 'http://127.0.0.1:2/'\n";
    let table: [(&str, Change, &str); 4] = [
        (running, |_| {}, "--by memory: the peak of a target is that since its start, so each"),
        (launched, |spec| spec.run.launches = Some(1), "there is one: use --launches 8"),
        (launched, |spec| spec.run.see = Some(0.02), "leave out --until-decided and --see"),
        (launched, |spec| spec.run.rank = false, "give --rank, too"),
    ];
    for (file, change, expected) in table {
        let both = |spec: &mut Spec| {
            ranked(spec);
            change(spec);
        };
        let error = of_file(file, both).err().expect("refused");
        assert!(error.contains(expected), "{error}");
    }
}
