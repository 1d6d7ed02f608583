//! Journals of version 2: they are translated into version 3 before anything is read. Most of it is words.

use record::journal::SCHEMA;
use record::limits::MOST_CONTENDERS;
use serde_json::Value;
use serde_json::value::RawValue;

/// Where an object stands in an event (`*` is each entry of a list), its word of version 2, and the word
/// of version 3. They are replaced in this order.
const WORDS: [(&str, &str, &str); 15] = [
    ("header plan question", "looks", "interim_looks"),
    ("header plan contenders * reuse pool", "upkeep", "maintenance"),
    ("target", "out_of_sight", "cpu_unavailable"),
    ("store", "silent", "unreachable"),
    ("trial", "asked", "requested"),
    ("trial requested reuse pool", "upkeep", "maintenance"),
    ("trial seen", "left_out", "burn_in_excluded"),
    ("trial seen connections", "asked", "requested"),
    ("trial seen connections", "got", "established"),
    ("trial seen groups *", "left_out", "burn_in_excluded"),
    ("trial seen groups * connections", "asked", "requested"),
    ("trial seen groups * connections", "got", "established"),
    ("trial seen requests *", "left_out", "burn_in_excluded"),
    ("trial seen requests * connections", "asked", "requested"),
    ("trial seen requests * connections", "got", "established"),
];

/// An event of version 2 as one of version 3.
///
/// # Errors
/// If it is not JSON.
pub(super) fn translated(event: &RawValue) -> serde_json::Result<Value> {
    let mut event: Value = serde_json::from_str(event.get())?;
    for (place, old, new) in WORDS {
        rename(&mut event, place, old, new);
    }
    if let Some(question) = event.pointer_mut("/header/plan/question") {
        name_codes_by_contender(question);
    }
    if let Some(contenders) = event.pointer_mut("/header/plan/contenders") {
        tell_libraries(contenders);
    }
    if let Some(schema) = event.pointer_mut("/header/schema") {
        *schema = SCHEMA.into();
    }
    Ok(event)
}

/// Gives each contender the names of codes, which were those of all contenders.
fn name_codes_by_contender(question: &mut Value) {
    let Some(names) = question.as_object_mut().and_then(|all| all.remove("code_names")) else {
        return;
    };
    // A question about more is refused when it is read.
    let contenders = question.get_mut("contenders").and_then(Value::as_array_mut);
    for contender in contenders.into_iter().flatten().take(MOST_CONTENDERS) {
        if let Some(contender) = contender.as_object_mut() {
            contender.insert("code_names".to_owned(), names.clone());
        }
    }
}

/// Puts the settings of client libraries into words. Only Cassandra's had some.
fn tell_libraries(contenders: &mut Value) {
    for contender in contenders.as_array_mut().into_iter().flatten().take(MOST_CONTENDERS) {
        let asks = contender.get_mut("asks").and_then(Value::as_object_mut);
        let sql = asks
            .into_iter()
            .flat_map(|asks| asks.values_mut())
            .find_map(|asks| asks.get_mut("sql").and_then(Value::as_object_mut));
        let Some(sql) = sql else { continue };
        let Some(Value::Object(settings)) = sql.remove("cassandra") else { continue };
        let value = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let words = settings.iter().map(|(key, of)| format!("{key} {}", value(of)));
        sql.insert("library".to_owned(), words.collect::<Vec<_>>().join(", ").into());
        if let Some(times) = settings.get("batch_size") {
            sql.insert("repeats".to_owned(), times.clone());
        }
    }
}

/// Renames a key of the objects at this place, if they have it.
fn rename(value: &mut Value, place: &str, old: &str, new: &str) {
    let (first, rest) = place.split_once(' ').unwrap_or((place, ""));
    match value {
        Value::Object(map) if first.is_empty() => {
            if let Some(held) = map.remove(old) {
                map.insert(new.to_owned(), held);
            }
        }
        Value::Object(map) => {
            if let Some(held) = map.get_mut(first) {
                rename(held, rest, old, new);
            }
        }
        Value::Array(list) if first == "*" => {
            list.iter_mut().for_each(|one| rename(one, rest, old, new));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn translate(event: &Value) -> Value {
        let text = RawValue::from_string(event.to_string()).expect("JSON");
        translated(&text).expect("JSON")
    }

    #[test]
    fn each_word_of_version_2_becomes_one_of_version_3() {
        let pool = |word: &str| json!({ "pool": { "max": 2, word: "ping" } });
        let seen = |excluded: &str, requested: &str, established: &str| {
            let part = |parts: Value| {
                let mut value =
                    json!({ excluded: 3, "connections": { requested: 2, established: 1 } });
                value["parts"] = parts;
                value
            };
            let mut seen = part(json!(null));
            seen["groups"] = json!([part(json!(1)), part(json!(2))]);
            seen["requests"] = json!([part(json!(3))]);
            seen
        };
        let header = |schema: &str, looks: &str, upkeep: &str| {
            let contender = json!({ "name": "upkeep", "reuse": pool(upkeep) });
            let plan = json!({ "question": { looks: [6] }, "contenders": [contender] });
            json!({ "header": { "schema": schema, "plan": plan } })
        };
        let trial = |order: &str, upkeep: &str, seen: Value| json!({ "trial": { order: { "reuse": pool(upkeep) }, "seen": seen } });
        let table = [
            (
                header("tiebreak.journal/2", "looks", "upkeep"),
                header("tiebreak.journal/3", "interim_looks", "maintenance"),
            ),
            (
                json!({ "target": { "contender": 0, "out_of_sight": "why" } }),
                json!({ "target": { "contender": 0, "cpu_unavailable": "why" } }),
            ),
            (json!({ "store": { "silent": "got" } }), json!({ "store": { "unreachable": "got" } })),
            (
                trial("asked", "upkeep", seen("left_out", "asked", "got")),
                trial(
                    "requested",
                    "maintenance",
                    seen("burn_in_excluded", "requested", "established"),
                ),
            ),
        ];
        for (old, new) in table {
            assert_eq!(translate(&old), new);
            // What has the words of version 3 has none to replace.
            assert_eq!(translate(&new), new);
        }
    }

    #[test]
    fn settings_of_a_library_become_words() {
        let header = |sql: Value| {
            let contender = json!({ "name": "a", "asks": { "database": { "sql": sql } } });
            json!({ "header": { "plan": { "contenders": [contender, { "asks": "program" }] } } })
        };
        let settings = json!({ "routing": "token-aware", "page_size": 5000, "batch_size": 10 });
        let old = header(json!({ "protocol": "prepared", "cassandra": settings }));
        let words = "routing token-aware, page_size 5000, batch_size 10";
        let new = json!({ "protocol": "prepared", "library": words, "repeats": 10 });
        assert_eq!(translate(&old), header(new));
    }

    #[test]
    fn names_of_codes_become_those_of_each_contender() {
        let header = |question: Value| json!({ "header": { "plan": { "question": question } } });
        let names = json!({ "404": "oom" });
        let old = header(
            json!({ "code_names": names, "contenders": [{ "name": "a" }, { "name": "b" }] }),
        );
        let contender = |name: &str| json!({ "name": name, "code_names": names });
        assert_eq!(
            translate(&old),
            header(json!({ "contenders": [contender("a"), contender("b")] }))
        );
        // A number of contenders that is refused makes no large memory.
        let many = header(json!({ "code_names": names, "contenders": vec![json!({}); 9000] }));
        let many = translate(&many).to_string();
        assert_eq!(many.matches("oom").count(), MOST_CONTENDERS);
    }

    #[test]
    fn what_has_another_form_is_left_as_it_is() {
        for event in [
            json!([{ "target": { "out_of_sight": null } }]),
            json!({ "trial": { "seen": [{ "left_out": 1 }], "asked": "asked" } }),
            json!({ "end": { "reason": "complete", "asked": 1 } }),
            json!(7),
        ] {
            let kept = event.to_string().replace("\"asked\":\"asked\"", "\"requested\":\"asked\"");
            assert_eq!(translate(&event).to_string(), kept);
        }
    }
}
