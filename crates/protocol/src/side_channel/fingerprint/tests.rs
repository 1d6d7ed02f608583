use super::*;
use engine::workload::preset;
use proptest::prelude::*;
use record::{Generator, KeysAs, Parameter, Step, ValueBytes, ValuesAs};

const ID: &str = "0123456789abcdef0123456789abcdef01234567";

fn workload(change: impl Fn(&mut Workload)) -> Workload {
    let kv = preset("kv").expect("a preset");
    let mut workload = Workload { prefix: "tiebreak00:".to_owned(), ..kv };
    change(&mut workload);
    workload
}

fn wanted() -> RequestedData {
    RequestedData::of(&workload(|_| {}))
}

/// A store that still has all keys with which it was loaded.
fn about() -> About {
    About {
        items: Some(100_001),
        evictions: Some(7),
        start: Some(ServerStart::Run(ID.to_owned())),
        ..About::default()
    }
}

fn found(state: LoadState) -> Fingerprint {
    let start = ServerStart::Run(ID.to_owned());
    Fingerprint { spec: Some(wanted().spec), start, evictions: Some(7), state }
}

fn decide(found: &Fingerprint, about: &About) -> Decision {
    wanted().decide(Ok(Some(found.text().into_bytes())), Some(about))
}

fn anew(why: &str) -> Decision {
    Decision::anew(Some(why.to_owned()))
}

#[test]
fn what_was_written_makes_the_spec_and_what_is_done_to_it_does_not() {
    let spec = |change: fn(&mut Workload)| RequestedData::of(&workload(change)).spec;
    let base = spec(|_| {});
    let others: [fn(&mut Workload); 6] = [
        |workload| workload.keys += 1,
        |workload| workload.value = ValueBytes::Uniform(32, 32),
        |workload| workload.compressible = !workload.compressible,
        |workload| workload.prefix = "tiebreak01:".to_owned(),
        |workload| workload.keys_as = KeysAs::Md5,
        |workload| workload.values_as = ValuesAs::Crc32,
    ];
    assert!(others.into_iter().all(|change| spec(change) != base));
    assert_eq!(base, spec(|workload| workload.mix.truncate(1)));
    assert_eq!(base, spec(|workload| workload.hot = 0.1));
    // Data keys have digits after the prefix.
    assert_eq!(wanted().key, "tiebreak00:loaded");
}

/// What a load of each of these workloads writes, and its hash. A change of either requires a new version of
/// the fingerprint.
#[test]
fn what_is_hashed_is_fixed() {
    let own = workload(|workload| {
        let column = Parameter { name: "n".to_owned(), from: Generator::Key(1) };
        let table = Table { name: "t".to_owned(), keys_per_row: 10, columns: vec![column] };
        workload.value = ValueBytes::Steps(vec![Step { bytes: 100, weight: 0.5 }]);
        workload.compressible = true;
        workload.keys_as = KeysAs::Md5;
        workload.values_as = ValuesAs::Crc32;
        workload.custom.setup = vec!["CREATE TABLE {t} (n int)".to_owned()];
        workload.custom.tables = vec![table];
    });
    let table = [
        (
            workload(|_| {}),
            concat!(
                r#"{"mark":"tiebreak-load/2","prefix":"tiebreak00:","keys":100000,"values":true,"#,
                r#""value":{"fixed":32},"compressible":false,"wide":false,"keys_as":"number","#,
                r#""values_as":"version","setup":[],"tables":[]}"#,
            ),
            0xd293_4fb2_bfab_b8e3,
        ),
        (
            own,
            concat!(
                r#"{"mark":"tiebreak-load/2","prefix":"tiebreak00:","keys":110000,"values":true,"#,
                r#""value":{"steps":[{"bytes":100,"weight":0.5}]},"compressible":true,"wide":false,"#,
                r#""keys_as":"md5","values_as":"crc32","setup":["CREATE TABLE {t} (n int)"],"tables":"#,
                r#"[{"name":"t","keys_per_row":10,"columns":[{"name":"n","from":"key(1)"}]}]}"#,
            ),
            0xd662_f2e5_8284_52cc,
        ),
    ];
    for (workload, text, hash) in table {
        assert_eq!(HashedData::of(&workload).text(), text);
        assert_eq!(RequestedData::of(&workload).spec, hash);
    }
    let found = found(LoadState::Loading(7));
    let text = format!("tiebreak-load/2 d2934fb2bfabb8e3 run:{ID} 7 loading upto 7");
    assert_eq!(found.text(), text);
}

/// A fingerprint of version 1, as it was written, says that the data are tiebreak's. They are loaded again.
#[test]
fn the_hash_of_version_1_is_not_trusted() {
    for state in ["clean", "dirty", "loading upto 300"] {
        for hash in [wanted().spec, 0] {
            let note = format!("tiebreak-load/1 {hash:016x} run:{ID} 7 {state}");
            assert!(Fingerprint::is_one(note.as_bytes()), "{note}");
            let decision = wanted().decide(Ok(Some(note.into_bytes())), Some(&about()));
            assert_eq!(decision, anew("an earlier version of tiebreak loaded it"));
        }
    }
}

#[test]
fn only_what_is_clean_and_of_this_start_is_found() {
    let all = |how, from| Decision { how, from, why: None };
    assert_eq!(decide(&found(LoadState::Clean), &about()), all(LoadMethod::Found, 100_000));
    assert_eq!(decide(&found(LoadState::Loading(300)), &about()), all(LoadMethod::Resumed, 300));
    assert_eq!(decide(&found(LoadState::Loading(0)), &about()), Decision::anew(None));
    assert_eq!(wanted().decide(Ok(None), Some(&about())), Decision::anew(None));
    let dirty = decide(&found(LoadState::Dirty), &about());
    assert_eq!(
        dirty,
        anew(
            "its keys were changed after the load, or not all of them could be \
                            loaded"
        )
    );
    for state in [LoadState::Clean, LoadState::Loading(300)] {
        let other = Fingerprint { spec: Some(1), ..found(state) };
        assert_eq!(decide(&other, &about()), anew("it holds other keys or values"));
        let before = Fingerprint { start: ServerStart::Run("b".to_owned()), ..found(state) };
        let why = "its server was restarted after it was loaded";
        assert_eq!(decide(&before, &about()), anew(why));
        let silent = About { start: None, ..about() };
        let why = "the server does not report when it was started";
        assert_eq!(decide(&found(state), &silent), anew(why));
        let kept = Ok(Some(found(state).text().into_bytes()));
        assert_eq!(wanted().decide(kept, None), anew(why));
    }
}

#[test]
fn what_is_missing_is_loaded_again() {
    let evicted = About { evictions: Some(9), ..about() };
    let why = "it has evicted 2 items since it was loaded";
    assert_eq!(decide(&found(LoadState::Clean), &evicted), anew(why));
    assert_eq!(decide(&found(LoadState::Loading(300)), &evicted), anew(why));
    let set_back = About { evictions: Some(6), ..about() };
    let why = "its counters were reset after it was loaded";
    assert_eq!(decide(&found(LoadState::Clean), &set_back), anew(why));
    let fewer = About { items: Some(99_999), ..about() };
    let why = "it holds 99999 items but was loaded with 100000";
    assert_eq!(decide(&found(LoadState::Clean), &fewer), anew(why));
    assert_eq!(decide(&found(LoadState::Loading(300)), &fewer).how, LoadMethod::Resumed);
    let unknown = About { items: None, evictions: None, ..about() };
    assert_eq!(decide(&found(LoadState::Clean), &unknown).how, LoadMethod::Found);
}

#[test]
fn what_cannot_be_read_is_loaded_again() {
    let unread = wanted().decide(Err("it did not reply in time".to_owned()), Some(&about()));
    assert_eq!(unread, anew("its fingerprint cannot be read: it did not reply in time"));
    let whole = found(LoadState::Clean).text();
    let hostile = [
        String::new(),
        whole.replace("load/2", "load/3"),
        whole.replace("clean", "clean "),
        whole.replace("run:", "run"),
        format!("{whole} twice"),
        found(LoadState::Loading(100_001)).text(),
        found(LoadState::Loading(5)).text().replace('5', "-5"),
    ];
    for text in hostile {
        let decision = wanted().decide(Ok(Some(text.clone().into_bytes())), Some(&about()));
        assert_eq!(decision, anew("its fingerprint is damaged"), "{text}");
    }
}

#[test]
fn the_clock_of_memcached_may_be_off_by_a_second() {
    let began = |pid, began| ServerStart::Process { pid, began };
    assert!(began(1, 100).is(&began(1, 101)) && began(1, 101).is(&began(1, 100)));
    assert!(!began(1, 100).is(&began(1, 102)) && !began(1, 100).is(&began(2, 100)));
    assert!(!began(1, 100).is(&ServerStart::Run(ID.to_owned())));
}

proptest! {
    #[test]
    fn a_fingerprint_reads_back(
        spec: Option<u64>,
        pid: u64,
        began: u64,
        evictions: Option<u64>,
        upto: Option<u64>,
        redis: bool,
        clean: bool,
    ) {
        let start = if redis { ServerStart::Run(ID.to_owned()) } else { ServerStart::Process { pid, began } };
        let state = match (upto, clean) {
            (Some(upto), _) => LoadState::Loading(upto),
            (None, true) => LoadState::Clean,
            (None, false) => LoadState::Dirty,
        };
        let fingerprint = Fingerprint { spec, start, evictions, state };
        prop_assert_eq!(Fingerprint::parse(fingerprint.text().as_bytes()), Some(fingerprint));
    }

    #[test]
    fn no_bytes_panic(bytes: Vec<u8>) {
        let _ = Fingerprint::parse(&bytes);
    }
}
