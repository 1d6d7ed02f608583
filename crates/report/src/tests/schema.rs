//! The published schema describes what is really written: every report is valid, and has no
//! field that the schema does not name.

use super::super::{json, samples};
use super::validator::{schema, wrong};
use serde_json::{Value, json};

#[test]
fn every_report_is_valid() {
    for (name, input) in samples::all() {
        let report: Value = serde_json::from_str(&json::report(&input.view())).expect("JSON");
        assert_eq!(wrong(&report), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn what_is_no_sweep_is_found() {
    let mut all = samples::all().into_iter();
    let (_, input) = all.find(|(name, _)| *name == "sweep").expect("a sample");
    let mut report: Value = serde_json::from_str(&json::report(&input.view())).expect("JSON");
    report["sweep"]["bends"][0]["outcome"] = json!("perhaps");
    report["sweep"]["levels"][0]["colour"] = json!("red");
    assert_eq!(wrong(&report).len(), 2, "{:?}", wrong(&report));
}

#[test]
fn every_kind_of_error_is_found() {
    let input = samples::faster();
    let sound: Value = serde_json::from_str(&json::report(&input.view())).expect("JSON");
    let breaches: [(&str, Value); 10] = [
        ("/schema", json!("tiebreak.report/2")),
        ("/void", json!(null)),
        ("/rules_checked", json!(-1)),
        ("/rules_checked", json!(1.5)),
        ("/comparisons/0/verdict", json!("quicker")),
        ("/comparisons/0/confidence", json!(95)),
        ("/contenders/0/metrics/response_time/p50", json!("2 ms")),
        ("/contenders/0/codes/200", json!("all")),
        ("/plan/contenders/0/reuse", json!("sometimes")),
        ("/host/client_ports", json!([32768])),
    ];
    for (pointer, breach) in breaches {
        let mut report = sound.clone();
        *report.pointer_mut(pointer).expect("there") = breach;
        assert_eq!(wrong(&report).len(), 1, "{pointer}: {:?}", wrong(&report));
    }
    let mut lacking = sound.clone();
    lacking["contenders"][0].as_object_mut().expect("an object").remove("outcomes");
    lacking["findings"][0]["colour"] = json!("red");
    assert_eq!(wrong(&lacking).len(), 2, "{:?}", wrong(&lacking));
}

#[test]
fn every_field_is_described() {
    fn walk(schema: &Value, path: &str, silent: &mut Vec<String>) {
        for (key, property) in schema["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}.{key}");
            if property.get("description").is_none() && property.get("$ref").is_none() {
                silent.push(path.clone());
            }
            walk(property, &path, silent);
            walk(&property["items"], &path, silent);
        }
    }
    let mut silent = Vec::new();
    walk(&schema(), "report", &mut silent);
    assert_eq!(silent, Vec::<String>::new());
}
