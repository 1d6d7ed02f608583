//! A setting that is accepted changes what is done; otherwise it is refused. This is checked for
//! every row of the tables, so that a setting that nothing reads is found.

use super::tests::{found, settled};
use super::*;
use crate::plan::Settings;
use crate::plan::contender::access::Observed;
use crate::plan::settings::custom::CustomSettings;
use crate::plan::settings::declared::Declared as _;
use crate::plan::settings::samples;
use crate::plan::{RunSettings, WorkloadSettings};
use http::HttpAccess;
use memcached::MemcachedAccess;
use record::{Custom, CustomOperation, OperationText};
use std::path::Path;

/// Everything that a plan does, as text. Contenders that are driven alike give the same text.
fn resolved_text(resolved: &Resolved) -> String {
    let accesses = resolved.accesses.iter().map(|contender_access| match contender_access {
        ContenderAccess::Attached { access, .. } => {
            let http = found::<HttpAccess>(&**access)
                .map(|access| (&access.head, &access.body, &access.expect));
            let dialect = found::<MemcachedAccess>(&**access).map(|access| access.dialect);
            format!("{http:?} {dialect:?}")
        }
        ContenderAccess::Files(directory) => {
            let facts = (directory.files.facts)(Path::new("/"), &directory.settings);
            format!("{:?}", facts.expect("the facts of a directory"))
        }
        ContenderAccess::Launched { .. } | ContenderAccess::Program { .. } => String::new(),
    });
    let tokens = resolved.accesses.iter().filter_map(|contender_access| match contender_access {
        ContenderAccess::Attached { sight: Ok(Observed::Watched(watcher)), .. } => {
            Some(watcher.token.reveal())
        }
        _ => None,
    });
    let unseen = resolved.accesses.iter().filter_map(|contender_access| match contender_access {
        ContenderAccess::Attached { sight: Err(why), .. } => Some(why.to_string()),
        _ => None,
    });
    let plan = serde_json::to_string(&resolved.plan).expect("json");
    plan + &accesses.collect::<Vec<_>>().join("\n")
        + &tokens.collect::<Vec<_>>().join("\n")
        + &unseen.collect::<String>()
}

/// The setting that must be given together with this one so that it has an effect.
fn beside(key: &str) -> Option<(&'static str, &'static str)> {
    match key {
        "arrivals" => Some(("rate", "5k/s")),
        "failover" => Some(("distribution", "consistent")),
        "watch_token_file" => Some(("watch", "127.0.0.1:9310")),
        "pool.wait" | "pool.upkeep" => Some(("pool.max", "9")),
        _ => None,
    }
}

#[test]
fn every_setting_of_a_contender_changes_what_it_does_or_is_refused() {
    for row in Settings::table() {
        let key = row.setting.key;
        let mut used = 0;
        for url in [
            "http://127.0.0.1:1/",
            "ws://127.0.0.1:1/",
            "memcached://127.0.0.1:1",
            "memcached://127.0.0.1:1,127.0.0.2:1",
            "redis://127.0.0.1:1",
            "cassandra+thrift://127.0.0.1:1/k",
            "mysql://me@127.0.0.1:1/b",
            "cassandra://127.0.0.1:1/b",
            "file:///tmp/x",
            "exec:true",
        ] {
            let spec = |set: Option<(&str, &str)>| {
                let contenders = vec![format!("a={url}"), format!("b={url}")];
                let mut spec = Spec::new(Command::Compare, contenders);
                // Only this workload has rooms.
                spec.workload.preset = (key == "members").then(|| "chat".to_owned());
                for (key, value) in beside(key).into_iter().chain(set) {
                    spec.sets.push(format!("a.{key}={value}"));
                }
                settled(&spec)
            };
            let (without, with) = (spec(None), spec(Some((key, samples::of(key)))));
            let (Ok(without), Ok(with)) = (without, with) else { continue };
            assert!(
                resolved_text(&without) != resolved_text(&with),
                "{url} accepts {key} and ignores it"
            );
            used += 1;
        }
        // oracledb speaks in one character set, and is not in every build. Batches require
        // statements, which only an experiment file can have.
        assert!(used > 0 || ["charset", "batch_size"].contains(&key), "nobody uses {key}");
    }
}

#[test]
fn every_setting_of_the_run_changes_the_plan() {
    for row in RunSettings::table() {
        let key = row.setting.key;
        let command = row.setting.flags[0].commands[0];
        let contenders: &[&str] = match (command, key) {
            (Command::Run, _) => &["nginx"],
            (_, "figures" | "control") => &["a=exec:true", "b=exec:true"],
            _ => &["nginx", "node", "c=node"],
        };
        let contenders = contenders.iter().map(|what| (*what).to_owned()).collect();
        let mut spec = Spec::new(command, contenders);
        spec.run.rank = key == "by";
        spec.run.figures = (key == "control").then(|| "go".to_owned());
        let without = settled(&spec).unwrap_or_else(|error| panic!("{}", error.text));
        let sample = match key {
            "rounds" => "20",
            "round" | "warm_up" | "pilot" | "duration" => "3s",
            "slice" => "20ms",
            "interleave" => "turns",
            "operations" => "100",
            "seed" => "7",
            "generator_cores" => "1",
            "matters" | "see" => "2%",
            "within" => "2min",
            "confidence" => "99%",
            "launches" => "12",
            "all_pairs" | "expect_different" | "until_decided" | "rank" | "control" => "true",
            "figures" => "go",
            "require" => "throughput >= 0.9",
            "by" => "p50",
            "slo" => "p99 <= 5ms",
            new => panic!("give a value of {new} here"),
        };
        row.set(&mut spec.run, sample).unwrap_or_else(|message| panic!("{key}: {message}"));
        let with = settled(&spec).unwrap_or_else(|error| panic!("{key}: {}", error.text));
        assert!(resolved_text(&without) != resolved_text(&with), "{key} is accepted and ignored");
    }
}

/// Only operations with names can be compared one by one.
fn two_commands() -> CustomSettings {
    let operation = |name: &str| CustomOperation {
        name: name.to_owned(),
        parameters: Vec::new(),
        says: OperationText::Command(vec!["PING".to_owned()]),
    };
    let operations = ["one", "two"].map(operation).to_vec();
    let definition = Custom { operations, ..Custom::default() };
    CustomSettings { definition, weights: vec![1.0, 1.0], ..CustomSettings::default() }
}

#[test]
fn every_setting_of_a_workload_changes_it() {
    for row in WorkloadSettings::table() {
        let key = row.setting.key;
        let contenders = ["a=redis://127.0.0.1:1", "b=redis://127.0.0.1:2"];
        let mut spec = Spec::new(Command::Compare, contenders.map(str::to_owned).to_vec());
        if key == "by_request" {
            spec.workload.custom = two_commands();
        }
        let without = settled(&spec).unwrap_or_else(|error| panic!("{}", error.text));
        let sample = match key {
            "by_request" => "true",
            "preset" => "ycsb-b",
            "keys" => "5k",
            "value" => "100B",
            "compressible" => "true",
            "keys_as" => "md5",
            "values_as" => "crc32",
            "mix" => "get=1",
            "commands" => "PING",
            "distribution" => "latest",
            "hot" => "10%",
            "verify" => "off",
            new => panic!("give a value of {new} here"),
        };
        row.set(&mut spec.workload, sample).unwrap_or_else(|message| panic!("{key}: {message}"));
        let with = settled(&spec).unwrap_or_else(|error| panic!("{key}: {}", error.text));
        assert!(resolved_text(&without) != resolved_text(&with), "{key} is accepted and ignored");
    }
}
