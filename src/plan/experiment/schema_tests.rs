//! `schema/experiment.v1.json` describes what is really read: the keys are the same, and every
//! example is valid against it.
//!
//! The few keywords that the schema uses are checked here; one that is not
//! known is an error, so nothing in it goes unchecked.

use super::tests::FULL;
use super::{contender, custom, groups, launched, process, published, run, target};
use crate::plan::Settings;
use crate::plan::settings::declared::keys_in_file;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use toml::de::{DeTable, DeValue};

fn schema() -> Value {
    let text = include_str!("../../../schema/experiment.v1.json");
    serde_json::from_str(text).expect("the schema is JSON")
}

fn json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Integer(number) => Value::from(number.as_str().parse::<i64>().expect("decimal")),
        DeValue::Float(number) => Value::from(number.as_str().parse::<f64>().expect("plain")),
        DeValue::Boolean(flag) => Value::from(*flag),
        DeValue::Datetime(date) => Value::from(date.to_string()),
        DeValue::Array(list) => list.iter().map(|value| json(value.get_ref())).collect(),
        DeValue::Table(table) => object(table),
    }
}

fn object(table: &DeTable<'_>) -> Value {
    let entry = |(key, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
        let key: &std::borrow::Cow<'_, str> = key.get_ref();
        (key.to_string(), json(value.get_ref()))
    };
    Value::Object(table.iter().map(entry).collect::<Map<_, _>>())
}

/// Everything in a text that a part of the schema does not allow.
fn wrong(part: &str, text: &str) -> Vec<String> {
    let table = DeTable::parse(text).expect("TOML");
    let (root, mut wrong) = (schema(), Vec::new());
    let part = root.pointer(part).expect("a part of the schema");
    check(&root, part, &object(table.get_ref()), "", &mut wrong);
    wrong
}

fn check(root: &Value, schema: &Value, value: &Value, path: &str, wrong: &mut Vec<String>) {
    for (keyword, wanted) in schema.as_object().expect("a schema is an object") {
        let fits = match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" | "examples" | "properties" => {
                true
            }
            "$ref" => {
                let target = wanted.as_str().and_then(|to| to.strip_prefix('#')).expect("local");
                check(root, root.pointer(target).expect("defined"), value, path, wrong);
                true
            }
            "type" => match wanted {
                Value::Array(kinds) => kinds.iter().any(|kind| is(kind, value)),
                kind => is(kind, value),
            },
            "enum" => wanted.as_array().expect("a list").contains(value),
            "minimum" => value.as_i64().is_none_or(|n| Some(n) >= wanted.as_i64()),
            "exclusiveMinimum" => value.as_f64().is_none_or(|n| Some(n) > wanted.as_f64()),
            "maxItems" => value
                .as_array()
                .is_none_or(|l| l.len() as u64 <= wanted.as_u64().expect("a number")),
            "minItems" => value
                .as_array()
                .is_none_or(|l| l.len() as u64 >= wanted.as_u64().expect("a number")),
            "required" => wanted.as_array().expect("a list").iter().all(|key| {
                value.as_object().is_none_or(|o| o.contains_key(key.as_str().expect("a key")))
            }),
            "additionalProperties" => {
                entries(root, schema, value, path, wrong);
                true
            }
            "items" => {
                for (at, value) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, wanted, value, &format!("{path}[{at}]"), wrong);
                }
                true
            }
            "anyOf" => wanted.as_array().expect("a list").iter().any(|one| {
                let mut inside = Vec::new();
                check(root, one, value, path, &mut inside);
                inside.is_empty()
            }),
            other => panic!("the schema says {other}, which nothing here checks"),
        };
        if !fits {
            wrong.push(format!("{path}: {keyword}"));
        }
    }
}

fn entries(root: &Value, schema: &Value, value: &Value, path: &str, wrong: &mut Vec<String>) {
    for (key, value) in value.as_object().into_iter().flatten() {
        let path = format!("{path}.{key}");
        let known = schema.get("properties").and_then(|known| known.get(key));
        match (known, &schema["additionalProperties"]) {
            (Some(known), _) => check(root, known, value, &path, wrong),
            (None, Value::Bool(false)) => wrong.push(format!("{path}: additionalProperties")),
            (None, other) => check(root, other, value, &path, wrong),
        }
    }
}

fn is(kind: &Value, value: &Value) -> bool {
    match kind.as_str().expect("a type") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64(),
        "number" => value.is_number(),
        other => panic!("the schema has the type {other}"),
    }
}

#[test]
fn the_schema_has_the_keys_that_are_read() {
    let schema = schema();
    let keys = |part: &str| -> BTreeSet<String> {
        let properties = schema.pointer(&format!("{part}/properties")).expect("properties");
        properties.as_object().expect("an object").keys().cloned().collect()
    };
    let set = |lists: &[&[&str]]| {
        let all = lists.concat();
        let different: BTreeSet<String> = all.iter().map(|key| (*key).to_owned()).collect();
        assert_eq!(different.len(), all.len(), "a key is declared twice: {all:?}");
        different
    };
    assert_eq!(keys(""), set(&[&super::TABLES, &run::keys()]));
    assert_eq!(keys("/$defs/groups/items"), set(&[&groups::keys()]));
    assert_eq!(keys("/properties/workload"), set(&[&run::workload_keys()]));
    let of_command = "/properties/workload/properties/commands/items";
    assert_eq!(keys(of_command), set(&[&run::COMMAND_KEYS]));
    let custom = "/properties/workload/properties";
    assert_eq!(keys(&format!("{custom}/statements/items")), set(&[&custom::STATEMENT_KEYS]));
    assert_eq!(keys(&format!("{custom}/requests/items")), set(&[&custom::REQUEST_KEYS]));
    assert_eq!(keys(&format!("{custom}/tables/items")), set(&[&custom::TABLE_KEYS]));
    assert_eq!(keys(&format!("{custom}/feeds/additionalProperties")), set(&[&custom::FEED_KEYS]));
    let settings = keys_in_file::<Settings>();
    // It is a setting with the names of processes, and for launched targets a list of tables.
    assert!(settings.contains(&"process"));
    let of_targets = target::TARGET_KEYS.into_iter().filter(|key| *key != "process");
    let of_targets: Vec<&str> = of_targets.collect();
    let of_defaults = [&settings[..], &process::KEYS, &target::LAUNCH_KEYS, &of_targets];
    assert_eq!(keys("/$defs/defaults"), set(&of_defaults));
    assert_eq!(
        keys("/$defs/contender"),
        set(&[&contender::KEYS, &target::LAUNCH_KEYS, &keys_in_file::<Settings>(), &process::KEYS])
    );
    assert_eq!(keys("/$defs/process"), set(&[&launched::PROCESS_KEYS, &process::KEYS]));
    assert_eq!(keys("/$defs/ready"), set(&[&process::READY_KEYS]));
    assert_eq!(keys("/properties/published"), set(&[&published::KEYS]));
    let method = "/properties/published/properties/method";
    assert_eq!(keys(method), set(&[&published::METHOD_KEYS]));
    assert_eq!(keys("/$defs/scale"), set(&[&["defaults"], &run::keys()]));
}

#[test]
fn every_example_and_every_recipe_is_valid() {
    assert_eq!(wrong("", FULL), [""; 0]);
    for recipe in crate::plan::recipes::all() {
        assert_eq!(wrong("/$defs/contender", recipe.text), [""; 0], "{}", recipe.name);
    }
    for text in [
        super::custom_tests::STATEMENTS,
        super::custom_tests::REQUESTS,
        include_str!("../../../workloads/point-select.toml"),
        include_str!("../../../workloads/tpcb-like.toml"),
    ] {
        assert_eq!(wrong("/properties/workload", text), [""; 0], "{text}");
    }
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments");
    let mut count = 0;
    let entries = |directory: &std::path::Path| {
        let entries = std::fs::read_dir(directory).expect("a directory");
        entries.map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>()
    };
    let directory = std::path::Path::new(directory);
    let (directories, mut files): (Vec<_>, Vec<_>) =
        entries(directory).into_iter().partition(|path| path.is_dir());
    let published = directories.iter().flat_map(|directory| entries(directory));
    let of_published = published.flat_map(|directory| entries(&directory));
    files.extend(of_published.filter(|file| file.extension().is_some_and(|it| it == "toml")));
    for path in files {
        let text = std::fs::read_to_string(&path).expect("UTF-8");
        assert_eq!(wrong("", &text), [""; 0], "{}", path.display());
        let file = super::FileText { path, text };
        let experiment = super::Experiment::parse(&file, None, &|_| None);
        let experiment = experiment.unwrap_or_else(|error| panic!("{}", error.text));
        assert!(experiment.contenders.len() >= 2, "{}", file.path.display());
        count += 1;
    }
    assert!(count >= 2, "the examples are there");
}

#[test]
fn the_schema_refuses_what_is_refused() {
    for (text, place) in [
        ("round = true", ".round: type"),
        ("sweep.depth = [1]", ".sweep.depth: minItems"),
        ("sweep.keys = [1, 2]", ".sweep.keys: additionalProperties"),
        ("groups = []", ".groups: minItems"),
        ("groups = [{ rate = 5 }]", ".groups[0]: required"),
        ("groups = [{ name = 'a', reuse = 'never' }]", ".groups[0].reuse: additionalProperties"),
        ("interleave = 'slice'", ".interleave: enum"),
        ("contenders = []", ".contenders: minItems"),
        ("zzz = 1", ".zzz: additionalProperties"),
        (
            "workload.statements = [{ sqll = 'x' }]",
            ".workload.statements[0].sqll: additionalProperties",
        ),
        ("workload.requests = []", ".workload.requests: minItems"),
        ("workload.feeds.a = 1", ".workload.feeds.a: type"),
        ("contender.a.lanch = ['a']", ".contender.a.lanch: additionalProperties"),
        ("contender.a.launch = []", ".contender.a.launch: anyOf"),
        ("contender.a.launch = ['a', 1]", ".contender.a.launch: anyOf"),
        ("contender.a.cores = [-1]", ".contender.a.cores[0]: minimum"),
        ("contender.a.process = [{ launch = ['a'] }]", ".contender.a.process[0]: required"),
        ("contender.a.ready = 200", ".contender.a.ready: type"),
        ("contender.a.env.A = 1", ".contender.a.env.A: type"),
    ] {
        assert_eq!(wrong("", text), [place], "{text}");
        assert!(super::tests::read(text).is_err(), "{text}");
    }
}
