//! The entries of settings in `schema/experiment.v1.json` are made from their tables:
//! `TIEBREAK_WRITE_SCHEMA=1 cargo test --lib plan::experiment::schema` writes them.

use crate::plan::experiment::target::{LAUNCH_KEYS, TARGET_KEYS};
use crate::plan::settings::declared::{Declared, InFile, Row, Setting};
use crate::plan::settings::of_groups;
use crate::plan::{RunSettings, Settings, WorkloadSettings};
use crate::protocols::PROTOCOLS;
use serde_json::{Map, Value as Json, json};
use std::path::Path;

/// Objects of the schema that have an entry for each row of a table.
const OF_SETTINGS: [&str; 2] = ["/$defs/defaults", "/$defs/contender"];
const OF_WORKLOAD: &str = "/properties/workload";
const OF_GROUPS: &str = "/$defs/groups/items";

fn path() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/schema/experiment.v1.json"))
}

/// What the schema allows for a value. Returns None for a list whose items have keys of
/// their own: these are in no table, and the schema file itself says what they are.
fn shape(setting: &Setting) -> Option<Json> {
    let shape = match setting.in_file {
        InFile::Text | InFile::Body => json!({"type": "string"}),
        InFile::Texts => json!({
            "type": ["string", "array"],
            "minItems": 1,
            "items": {"type": "string"}
        }),
        InFile::Count => json!({"$ref": "#/$defs/count"}),
        InFile::Bytes => json!({"$ref": "#/$defs/bytes"}),
        InFile::Duration => json!({"$ref": "#/$defs/duration"}),
        InFile::Percent => json!({"$ref": "#/$defs/percent"}),
        InFile::Rate => json!({"$ref": "#/$defs/rate"}),
        InFile::Words(words) => json!({"enum": words}),
        InFile::ProtocolWords => {
            json!({"enum": PROTOCOLS.words(setting.words.expect("its words"))})
        }
        InFile::CountOr(words) => {
            json!({"anyOf": [{"enum": words}, {"$ref": "#/$defs/count"}]})
        }
        InFile::Switch => json!({"type": "boolean"}),
        InFile::Statuses => json!({"$ref": "#/$defs/statuses"}),
        InFile::Headers => json!({"$ref": "#/$defs/headers"}),
        InFile::Pids => json!({"$ref": "#/$defs/pids"}),
        InFile::Mix => json!({
            "type": ["string", "object"],
            "additionalProperties": {"type": ["number", "string"]},
            "examples": [{"get": 0.9, "set": 0.1}]
        }),
        InFile::Processes => json!({
            "type": ["string", "array"],
            "minItems": 1,
            "examples": [["haproxy", "nginx"]],
            "items": {"$ref": "#/$defs/process"}
        }),
        InFile::Commands | InFile::Nowhere => return None,
    };
    Some(shape)
}

/// The entry of a setting: its description, and what the schema allows for it.
fn entry(setting: &Setting, now: &Json) -> Json {
    let mut entry = Map::new();
    entry.insert("description".to_owned(), description(setting).into());
    let shape = shape(setting).unwrap_or_else(|| now.clone());
    let shape = shape.as_object().expect("an object");
    entry.extend(shape.iter().filter(|(key, _)| *key != "description").map(cloned));
    if let Some(example) = example(setting) {
        entry.insert("examples".to_owned(), json!([example]));
    }
    entry.into()
}

/// With the words that each protocol has, or the protocols that have the setting.
fn description(setting: &Setting) -> String {
    let about = setting.description;
    match (setting.words, setting.protocols()) {
        (Some(of), _) => format!("{about}: {}.", PROTOCOLS.words_by_protocol(of)),
        (None, Some(protocols)) => format!("{about} Only for {protocols}."),
        (None, None) => about.to_owned(),
    }
}

/// The value at the beginning of a setting's example, for types without better examples of their own.
fn example(setting: &Setting) -> Option<Json> {
    let ends = [": ", " (", " or ", ", "].into_iter().filter_map(|end| setting.example.find(end));
    let value = &setting.example[..ends.min().unwrap_or(setting.example.len())];
    let value = value.trim_matches('\'');
    match setting.in_file {
        _ if value.is_empty() => None,
        InFile::Count => Some(value.parse::<u64>().map_or(json!(value), Json::from)),
        InFile::Text
        | InFile::Texts
        | InFile::Body
        | InFile::Bytes
        | InFile::Duration
        | InFile::Percent
        | InFile::Rate => Some(json!(value)),
        _ => None,
    }
}

fn cloned((key, value): (&String, &Json)) -> (String, Json) {
    (key.clone(), value.clone())
}

/// Writes the entry of each row into an object of the schema.
fn write<'a, S: 'a>(schema: &mut Json, object: &str, rows: impl Iterator<Item = &'a Row<S>>) {
    for row in rows.filter(|row| row.setting.in_file != InFile::Nowhere) {
        let mut properties = &mut schema.pointer_mut(object).expect("an object")["properties"];
        let mut key = row.setting.key_in_file();
        if let Some((outer, inner)) = key.split_once('.') {
            (properties, key) = (&mut properties[outer]["properties"], inner);
        }
        properties[key] = entry(&row.setting, &properties[key]);
        if !row.setting.former.is_empty() {
            let description = format!("The former name of `{key}`.");
            let mut former = properties[key].clone();
            former["description"] = description.into();
            properties[row.setting.former] = former;
        }
    }
}

/// The schema with the entries of all tables.
fn from_tables(now: &Json) -> Json {
    let mut schema = now.clone();
    write(&mut schema, "", RunSettings::table());
    write(&mut schema, OF_WORKLOAD, WorkloadSettings::table());
    for object in OF_SETTINGS {
        write(&mut schema, object, Settings::table());
    }
    write(&mut schema, OF_GROUPS, of_groups());
    copy_to_defaults(&mut schema);
    schema
}

/// Copies the entries of a contender's launch to `[defaults]`, which can have the same keys.
fn copy_to_defaults(schema: &mut Json) {
    for key in LAUNCH_KEYS.iter().chain(&TARGET_KEYS) {
        let entry = schema["$defs"]["contender"]["properties"][key].clone();
        schema["$defs"]["defaults"]["properties"][key] = entry;
    }
}

#[test]
fn entries_of_settings_are_made_from_their_tables() {
    let text = std::fs::read_to_string(path()).expect("the schema");
    let now: Json = serde_json::from_str(&text).expect("the schema is JSON");
    let made = serde_json::to_string_pretty(&from_tables(&now)).expect("JSON") + "\n";
    if std::env::var_os("TIEBREAK_WRITE_SCHEMA").is_some() {
        std::fs::write(path(), made).expect("the schema is written");
    } else {
        let remedy = "write it: TIEBREAK_WRITE_SCHEMA=1 cargo test --lib plan::experiment::schema";
        assert!(text == made, "schema/experiment.v1.json is not what the tables say; {remedy}");
    }
}

/// The tables list exactly the words that are accepted.
#[test]
fn every_word_of_the_tables_is_taken() {
    every_word_is_taken::<RunSettings>();
    every_word_is_taken::<WorkloadSettings>();
    every_word_is_taken::<Settings>();
}

fn every_word_is_taken<S: Declared>() {
    for row in S::table() {
        let (InFile::Words(words) | InFile::CountOr(words)) = row.setting.in_file else {
            continue;
        };
        for word in words {
            let taken = row.set(&mut S::default(), word);
            taken.unwrap_or_else(|message| panic!("{} {word}: {message}", row.setting.key));
        }
        let refused = row.set(&mut S::default(), "no-such-word");
        assert!(refused.is_err(), "{} takes any word", row.setting.key);
    }
}
