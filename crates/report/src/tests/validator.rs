//! Validates a report against the published schema. The tests in `tests/` include this
//! file, too, and validate what real runs wrote.
//!
//! The `jsonschema` crate would add 45 crates and a minute of building for a dozen keywords, so
//! these are checked here. An unknown keyword is an error, so nothing in the schema is left
//! unchecked.

use serde_json::Value;

const SCHEMA: &str = include_str!("../../../../schema/report.v1.json");

pub(crate) fn schema() -> Value {
    serde_json::from_str(SCHEMA).expect("the schema is JSON")
}

/// All errors in `value`, each with its path.
pub(crate) fn wrong(value: &Value) -> Vec<String> {
    wrong_by(&schema(), value)
}

/// Fails the test if `value` has an error by the schema with this text.
pub(crate) fn assert_fits(schema: &str, value: &Value) {
    let schema = serde_json::from_str(schema).expect("the schema is JSON");
    assert_eq!(wrong_by(&schema, value), Vec::<String>::new());
}

/// All errors in `value` by another schema.
pub(crate) fn wrong_by(root: &Value, value: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    check(root, root, value, "report", &mut wrong);
    wrong
}

fn check(root: &Value, schema: &Value, value: &Value, path: &str, wrong: &mut Vec<String>) {
    for (keyword, wanted) in schema.as_object().expect("a schema is an object") {
        let holds = match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" | "examples" => true,
            "$ref" => {
                let pointer = wanted.as_str().and_then(|to| to.strip_prefix('#')).expect("local");
                check(root, root.pointer(pointer).expect("defined"), value, path, wrong);
                true
            }
            "type" => is_type(wanted, value),
            "const" => value == wanted,
            "enum" => wanted.as_array().expect("a list").contains(value),
            "minimum" => value.as_f64().is_none_or(|n| n >= wanted.as_f64().expect("a number")),
            "maximum" => value.as_f64().is_none_or(|n| n <= wanted.as_f64().expect("a number")),
            "minItems" => value.as_array().is_none_or(|l| l.len() as u64 >= number(wanted)),
            "maxItems" => value.as_array().is_none_or(|l| l.len() as u64 <= number(wanted)),
            "required" => required(wanted, value),
            "properties" => {
                properties(root, schema, value, path, wrong);
                true
            }
            "additionalProperties" => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    check(root, wanted, value, &format!("{path}.{key}"), wrong);
                }
                true
            }
            "items" => {
                for (at, value) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, wanted, value, &format!("{path}[{at}]"), wrong);
                }
                true
            }
            "anyOf" => any_of(root, wanted, value, path),
            other => panic!("{path}: the schema says {other}, which nothing here checks"),
        };
        if !holds {
            wrong.push(format!("{path}: {keyword} {wanted}"));
        }
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a whole number")
}

fn is_type(wanted: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str().expect("a type's name") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("unknown type {other}"),
    };
    match wanted {
        Value::Array(names) => names.iter().any(is),
        name => is(name),
    }
}

fn required(wanted: &Value, value: &Value) -> bool {
    let has = |key: &Value| value.get(key.as_str().expect("a key")).is_some();
    !value.is_object() || wanted.as_array().expect("a list").iter().all(has)
}

fn any_of(root: &Value, wanted: &Value, value: &Value, path: &str) -> bool {
    wanted.as_array().expect("a list").iter().any(|schema| {
        let mut wrong = Vec::new();
        check(root, schema, value, path, &mut wrong);
        wrong.is_empty()
    })
}

/// Readers ignore unknown fields. This test does not, so that the schema stays complete.
fn properties(root: &Value, schema: &Value, value: &Value, path: &str, wrong: &mut Vec<String>) {
    for (key, value) in value.as_object().into_iter().flatten() {
        let path = format!("{path}.{key}");
        match schema["properties"].get(key) {
            Some(schema) => check(root, schema, value, &path, wrong),
            None => wrong.push(format!("{path}: not in the schema")),
        }
    }
}
