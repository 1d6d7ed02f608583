//! Replies of Cassandra in pages.

use crate::common::scratch::Scratch;
use crate::cql_proxy::{MARKED, Proxy};
use record::Address;
use std::collections::HashSet;
use std::process::Command;

/// The rows of a page that the server is asked for by a run with these settings of `c`.
fn pages(settings: &[&str]) -> HashSet<i32> {
    let (proxy, scratch) = (Proxy::new(), Scratch::new());
    let Address::Tcp(address) = proxy.address() else { unreachable!("it listens on TCP") };
    let target = format!("c=cassandra://{address}/app");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tiebreak"));
    command.args(["run", &target, "--query", MARKED, "-n", "20", "--warm-up", "0s", "-c", "2"]);
    for setting in settings {
        command.args(["--set", &format!("c.{setting}")]);
    }
    command.current_dir(scratch.path()).env("XDG_CACHE_HOME", scratch.path());
    let output = command.output().expect("the binary runs");
    assert!(output.status.success(), "{settings:?}: {}", String::from_utf8_lossy(&output.stderr));
    proxy.page_sizes()
}

#[test]
fn a_page_has_as_many_rows_as_its_key_says() {
    for protocol in ["protocol=prepared", "protocol=simple"] {
        assert_eq!(pages(&[protocol]), [5000].into(), "{protocol}");
        assert_eq!(pages(&[protocol, "page_size=7"]), [7].into(), "{protocol}");
    }
}
