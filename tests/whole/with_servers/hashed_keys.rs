//! Keys that are `md5(i)` and values that are `crc32(i)`, on real stores that run already.

use crate::common::stores::Store;
use crate::common::{BRIEF, TestDirectory, errors, number};
use serde_json::Value;

const HASHED: [&str; 6] = ["--keys-as", "md5", "--values-as", "crc32", "--keys", "100"];

/// The first key of the first contender. Others may have keys in a store that runs already.
const KEY: &str = "tiebreak00:cfcd208495d565ef66e7dff9f98764da";

fn gets(directory: &TestDirectory, stores: &[&str]) -> (i32, Value) {
    let words = [&["compare"], stores, &BRIEF, &HASHED, &["--mix", "get=1"]].concat();
    directory.report(&words)
}

fn outcomes(report: &Value, contender: usize) -> &Value {
    &report["contenders"][contender]["outcomes"]
}

#[test]
fn every_value_is_the_crc32_of_its_key_or_wrong() {
    let directory = TestDirectory::new();
    let (memcached, redis) = (Store::memcached(&[]), Store::redis(&[]));
    let (m, r) = (format!("m={}", memcached.url()), format!("r={}", redis.url()));
    let both = [m.as_str(), &r];
    let output = directory.tiebreak(&[&["load"], &both[..], &HASHED].concat());
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let held = memcached.says(&format!("get {KEY}\r\n"));
    assert_eq!(held, format!("VALUE {KEY} 0 10\r\n4108050209\r\nEND\r\n"));
    let held = redis.says("GET tiebreak01:c4ca4238a0b923820dcc509a6f75849b\r\n");
    assert_eq!(held, "$10\r\n2212294583\r\n");

    let (code, report) = gets(&directory, &both);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    for contender in 0..2 {
        let operations = &report["contenders"][contender]["operations"];
        assert_eq!(&outcomes(&report, contender)["ok"], operations);
        assert_eq!(report["contenders"][contender]["store"]["load"]["how"], "found");
    }
    let description = report["plan"]["contenders"][0]["workload"].as_str().expect("words");
    let description = description.replace('\u{a0}', " ");
    let wanted = "get 100 % of 100 keys md5(i); uniform; values crc32(i); every byte verified";
    assert_eq!(description, wanted);

    // A single digit that is another, and nothing at all.
    for wrong in ["4108050208", ""] {
        let length = wrong.len();
        let set = memcached.says(&format!("set {KEY} 0 0 {length}\r\n{wrong}\r\n"));
        assert_eq!(set, "STORED\r\n");
        let (code, report) = gets(&directory, &both);
        assert_eq!(code, 3, "{:#}", report["findings"]);
        let of_memcached = &outcomes(&report, 0)["wrong"];
        assert!(number(of_memcached) > 0.0, "{:#}", outcomes(&report, 0));
        assert_eq!(outcomes(&report, 1)["ok"], report["contenders"][1]["operations"]);
    }
}

#[test]
fn a_key_of_somebody_else_is_not_overwritten() {
    let directory = TestDirectory::new();
    let memcached = Store::memcached(&[]);
    assert_eq!(memcached.says(&format!("set {KEY} 0 0 4\r\nmine\r\n")), "STORED\r\n");
    let url = memcached.url();
    let output = directory.tiebreak(&[&["load", &url][..], &HASHED].concat());
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
    let stderr = errors(&output);
    assert!(stderr.contains(&format!("the key `{KEY}` was not written by tiebreak")), "{stderr}");
}

#[test]
fn what_hashes_cannot_do_is_refused_by_name() {
    let directory = TestDirectory::new();
    for (words, message) in [
        (
            &["--workload", "ycsb-e", "--keys-as", "md5"][..],
            "keys_as = md5: a scan reads keys in the order of their numbers",
        ),
        (&["--values-as", "crc32", "--value", "32B"], "values_as = crc32 determines the values"),
        (&["--values-as", "crc"], "`crc` is not a way to make values: version, crc32"),
    ] {
        let urls = ["postgres://a@127.0.0.1:1/b", "postgres://a@127.0.0.1:2/b"];
        let output = directory.tiebreak(&[&["compare"], &urls[..], words].concat());
        assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
        assert!(errors(&output).contains(message), "{}", errors(&output));
    }
}
