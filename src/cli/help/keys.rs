//! `tiebreak help keys`: every key of an experiment file, from the file's schema, whose settings are made from the
//! tables of `plan::declared`.

use crate::cli::plain_text::wrapped;
use crate::plan::settings::declared::{Declared, outer};
use crate::plan::settings::workload;
use crate::plan::{Settings, contender_keys};
use crate::targets::software;
use serde_json::{Map, Value as Json};

const SCHEMA: &str = include_str!("../../../schema/experiment.v1.json");

/// Columns before the meaning of a key.
const INDENT: &str = "      ";

/// The tables of an experiment file: heading, place in the schema, and keys that are not listed there, because they have
/// a table of their own or are a former name.
const TABLES: [(&str, &str, &[&str]); 14] = [
    (
        "At the top of the file, for the whole run",
        "",
        &["workload", "groups", "defaults", "contender", "published", "scale", "restarts"],
    ),
    (
        "[contender.NAME], one for each contender; [defaults], for all of them",
        CONTENDER,
        &["groups"],
    ),
    ("[[contender.NAME.process]], one for each process of a target", "/$defs/process", &["ready"]),
    ("ready = { … } of a contender or a process", "/$defs/ready", &[]),
    ("[workload]", "/properties/workload", &OPERATIONS),
    ("[[workload.commands]]", "/properties/workload/properties/commands/items", &[]),
    ("[[workload.statements]]", "/properties/workload/properties/statements/items", &[]),
    ("[[workload.requests]]", "/properties/workload/properties/requests/items", &[]),
    ("[[workload.tables]]", "/properties/workload/properties/tables/items", &[]),
    ("[workload.feeds.NAME]", "/properties/workload/properties/feeds/additionalProperties", &[]),
    ("[[groups]], for all contenders, or [[contender.NAME.groups]]", "/$defs/groups/items", &[]),
    ("[published]", "/properties/published", &["method"]),
    ("[published.method], or method = 'one run'", METHOD, &[]),
    (
        "[scale.NAME], chosen by --scale NAME: any key of the top of the file, and",
        "/$defs/scale",
        &[],
    ),
];

const CONTENDER: &str = "/$defs/contender";
const OPERATIONS: [&str; 5] = ["commands", "statements", "requests", "tables", "feeds"];
const METHOD: &str = "/properties/published/properties/method";

/// All keys, each with an example, and below it its meaning and its default.
pub(in crate::cli) fn text(width: usize) -> String {
    let schema: Json = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let mut text =
        "Keys of an experiment file (tiebreak compare FILE.toml), each with an example.\n\
                    Settings of a contender are also set by --set NAME.KEY=VALUE.\n"
            .to_owned();
    for (heading, place, elsewhere) in TABLES {
        text += &format!("\n{heading}\n");
        for (key, entry) in entries(&schema, place, elsewhere) {
            let example = match key.as_str() {
                "preset" => choice(workload::presets()),
                "software" => choice(software::all().map(|of| of.name)),
                _ => example(&schema, entry),
            };
            text += &wrapped("  ", &format!("{key} = {example}"), width);
            text += &wrapped(INDENT, meaning(&schema, entry), width);
        }
    }
    text
}

/// Whether a contender of this build can have a key. The schema is that of all builds.
fn is_of_this_build(key: &str) -> bool {
    let settings = Settings::table().map(|row| &row.setting);
    let mut unused = settings.filter(|setting| !setting.is_used());
    let is_without_software = key == "software" && software::all().next().is_none();
    !is_without_software
        && contender_keys().contains(&key)
        && unused.all(|setting| outer(setting.key_in_file()) != key)
}

/// The keys of a table with their entries in the schema. Those of an inner table follow its name and a dot.
fn entries<'s>(schema: &'s Json, place: &str, elsewhere: &[&str]) -> Vec<(String, &'s Json)> {
    let table = schema.pointer(place).and_then(properties).expect("a table of the schema");
    let mut all = Vec::new();
    for (key, entry) in table {
        let is_reference = place == "/$defs/scale" && key != "defaults";
        let is_of_another_build = place == CONTENDER && !is_of_this_build(key);
        match properties(entry) {
            _ if elsewhere.contains(&key.as_str()) || is_reference || is_of_another_build => {}
            Some(inner) => {
                all.extend(inner.iter().map(|(inner, entry)| (format!("{key}.{inner}"), entry)));
            }
            None => all.push((key.clone(), entry)),
        }
    }
    all
}

fn properties(entry: &Json) -> Option<&Map<String, Json>> {
    entry.get("properties")?.as_object()
}

/// What an entry or the type that it refers to says under this keyword.
fn says<'s>(schema: &'s Json, entry: &'s Json, keyword: &str) -> Option<&'s Json> {
    let own = entry.get(keyword);
    own.or_else(|| {
        let place = entry.get("$ref")?.as_str()?.strip_prefix('#')?;
        says(schema, schema.pointer(place)?, keyword)
    })
}

fn meaning<'s>(schema: &'s Json, entry: &'s Json) -> &'s str {
    says(schema, entry, "description").and_then(Json::as_str).unwrap_or_default()
}

/// Names of this build, where the schema lists those of all builds.
fn choice(names: impl IntoIterator<Item = &'static str>) -> String {
    let names = names.into_iter().map(|name| format!("'{name}'"));
    names.collect::<Vec<_>>().join(" | ")
}

/// The first example of an entry, as it is written in the file; of a choice, all words.
fn example(schema: &Json, entry: &Json) -> String {
    if let Some(examples) = says(schema, entry, "examples") {
        return examples.get(0).map(toml).unwrap_or_default();
    }
    let alternatives = says(schema, entry, "anyOf").and_then(Json::as_array);
    let mut choices = std::iter::once(entry).chain(alternatives.into_iter().flatten());
    if let Some(words) = choices.find_map(|one| says(schema, one, "enum")?.as_array()) {
        return words.iter().map(toml).collect::<Vec<_>>().join(" | ");
    }
    match entry.get("type").and_then(Json::as_str) {
        Some("boolean") => "true".to_owned(),
        _ => String::new(),
    }
}

/// A value in the syntax of TOML.
fn toml(value: &Json) -> String {
    match value {
        Json::String(text) => format!("'{text}'"),
        Json::Array(list) => {
            format!("[{}]", list.iter().map(toml).collect::<Vec<_>>().join(", "))
        }
        Json::Object(table) => {
            let entries =
                table.iter().map(|(key, value)| format!("{} = {}", bare(key), toml(value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// A key, in quotes if it needs them.
fn bare(key: &str) -> String {
    let is_bare = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if is_bare { key.to_owned() } else { format!("'{key}'") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::settings::declared::keys_in_file;
    use crate::plan::{RunSettings, WorkloadSettings};
    use ::toml::de::DeTable;

    #[test]
    fn every_key_has_a_meaning_and_an_example_that_is_toml() {
        let schema: Json = serde_json::from_str(SCHEMA).expect("JSON");
        for (heading, place, elsewhere) in TABLES {
            for (key, entry) in entries(&schema, place, elsewhere) {
                assert!(meaning(&schema, entry).len() > 5, "{heading}: {key}");
                let example = example(&schema, entry);
                for one in example.split(" | ") {
                    let line = format!("{key} = {one}");
                    assert!(!one.is_empty() && DeTable::parse(&line).is_ok(), "{heading}: {line}");
                }
            }
        }
    }

    fn lists_all<S: Declared>(text: &str) {
        let former: Vec<&str> = S::table().map(|row| row.setting.former).collect();
        for key in keys_in_file::<S>().into_iter().filter(|key| !former.contains(key)) {
            let places = [format!("\n  {key} = "), format!("\n  {key}."), format!(".{key}]]\n")];
            assert!(places.iter().any(|place| text.contains(place)), "{key}");
        }
    }

    #[test]
    fn every_setting_is_listed_once_in_a_table() {
        let text = text(100);
        lists_all::<RunSettings>(&text);
        lists_all::<WorkloadSettings>(&text);
        lists_all::<Settings>(&text);
        for line in ["  connections = 64\n", "  pool.max = 10\n", "  ready.timeout = "] {
            assert_eq!(text.contains(line), line != "  ready.timeout = ", "{line}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
}
