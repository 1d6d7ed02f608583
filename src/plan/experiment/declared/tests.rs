//! Checks that every declared setting is read from a file.

use super::super::tests::read;
use super::*;
use crate::plan::settings::samples;
use crate::plan::{RunSettings, WorkloadSettings};

/// The line of a file that gives this setting.
fn line<S>(row: &Row<S>) -> String {
    let key = row.setting.key_in_file();
    let value = match row.setting.in_file {
        InFile::Words(words) | InFile::CountOr(words) => format!("'{}'", words[0]),
        InFile::ProtocolWords => format!("'{}'", samples::of(key)),
        InFile::Count if key == "depth" => "16".to_owned(),
        InFile::Count if ["members", "replication", "sockets_per_node"].contains(&key) => {
            "3".to_owned()
        }
        InFile::Count => "'5k'".to_owned(),
        InFile::Texts => "['p99 <= 5ms', 'errors <= 0.1 %']".to_owned(),
        InFile::Bytes => "'4kB'".to_owned(),
        InFile::Duration => "'1s'".to_owned(),
        InFile::Percent => "'5%'".to_owned(),
        InFile::Rate => "'5k/s'".to_owned(),
        InFile::Text => format!("'{}'", text_of(key)),
        InFile::Mix => "'get=1'".to_owned(),
        InFile::Switch => "true".to_owned(),
        InFile::Statuses => "[200, 304]".to_owned(),
        InFile::Headers => "{ A = 'b' }".to_owned(),
        InFile::Pids => "[4711, 4712]".to_owned(),
        InFile::Processes => "['pgbouncer', 'postgres']".to_owned(),
        InFile::Body => "'x'".to_owned(),
        InFile::Commands => "[{ run = 'GET {key}' }]".to_owned(),
        InFile::Nowhere => unreachable!("no file has it"),
    };
    format!("{key} = {value}")
}

/// A text that this key accepts.
fn text_of(key: &str) -> &'static str {
    match key {
        "distribution" => "latest",
        "hot" => "10%",
        "watch" => "10.0.0.5:9310",
        _ => "5000",
    }
}

#[test]
fn a_mix_can_be_a_table() {
    let mix = |mix: &str| {
        let file =
            read(&format!("workload.mix = {mix}\n[contender.a]\nurl = 'redis://127.0.0.1:1'\n"));
        file.map(|file| file.run.workload.mix).map_err(|error| error.text)
    };
    assert_eq!(mix("{ get = 0.9, set = '0.1' }"), mix("'get=0.9,set=0.1'"));
    assert!(mix("'get=0.9,set=0.1'").is_ok_and(|mix| mix.is_some()));
    let empty = mix("{}").expect_err("no operation");
    assert!(empty.contains("workload.mix: the mix is empty"), "{empty}");
}

#[test]
fn every_setting_is_read() {
    let url = "url = 'http://127.0.0.1:1/'";
    for row in RunSettings::table().filter(|row| row.setting.in_file != InFile::Nowhere) {
        let line = line(row);
        let file = read(&format!("{line}\n[contender.a]\n{url}\n"));
        let file = file.unwrap_or_else(|error| panic!("{}", error.text));
        assert!(row.is_given(&file.run.settings), "{line}");
    }
    for row in WorkloadSettings::table().filter(|row| row.setting.in_file != InFile::Nowhere) {
        let line = format!("workload.{}", line(row));
        let file = read(&format!("{line}\n[contender.a]\n{url}\n"));
        let file = file.unwrap_or_else(|error| panic!("{}", error.text));
        assert!(row.is_given(&file.run.workload), "{line}");
    }
    for row in Settings::table().filter(|row| row.setting.in_file != InFile::Nowhere) {
        let line = line(row);
        for text in [
            format!("[contender.a]\n{url}\n{line}\n"),
            format!("[defaults]\n{line}\n[contender.a]\n{url}\n"),
        ] {
            let file = read(&text).unwrap_or_else(|error| panic!("{}", error.text));
            let given = &file.contenders[0].settings;
            assert!(row.is_given(given), "{text}");
            let others = Settings::table().filter(|other| other.is_given(given));
            assert_eq!(others.count(), 1, "{text}");
        }
    }
}

#[test]
fn every_setting_of_a_contender_has_an_example_and_a_place_in_the_file() {
    for row in Settings::table() {
        assert!(!row.setting.full_example().is_empty(), "{}", row.setting.key);
        assert_ne!(row.setting.in_file, InFile::Nowhere, "{}", row.setting.key);
    }
}
