//! Any bytes as the output of a benchmark program: on standard output, as a file of criterion's directory, for each kind
//! and for none. Seeds: crates/figures/tests/data.
#![no_main]

use figures::{Kind, Printed, Read, read};
use std::collections::BTreeSet;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let name = Printed { path: "a/new/benchmark.json", bytes: b"{\"full_id\": \"a\"}" };
    let named = Kind::NAMES.iter().map(|name| Kind::named(name));
    let pattern = Kind::pattern(r"(?<name>\w+)\W+(?<number>[0-9.,e+-]+) *(?<unit>\S*)", None, None);
    for kind in named.chain([None, pattern.ok()]) {
        for path in ["", "a/new/estimates.json"] {
            let Ok(Read { figures: cases, failed }) =
                read(kind.as_ref(), &[Printed { path, bytes }, name])
            else {
                continue;
            };
            let names: BTreeSet<&str> = cases.iter().map(|case| case.case.as_str()).collect();
            assert!(names.len() == cases.len() && !names.is_empty() && !names.contains(""));
            assert!(failed.iter().all(|name| !names.contains(name.as_str())));
            assert!(cases.iter().all(|case| case.value.is_finite() && case.value > 0.0));
        }
    }
});
