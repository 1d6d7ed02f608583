//! Fresh connections against persistent ones, of a real nginx.

use crate::common::{TestDirectory, number, sent};
use crate::compared::in_words;
use crate::driver::{exact, figure, truths};
use crate::size::pilot;
use crate::web::{log_lines, nginx};

truths! {
    Changed: fresh_connections_are_compared_with_persistent_ones,
}

/// A connection costs nginx and the client several times what a request on one that is
/// open does: a ratio near 0.4, ln −0.9. A round scatters by 0.1 in a bad hour, so that
/// even one of six on the wrong side of 1 is a matter of nine standard deviations: a
/// right tool fails this less than once in 10 000 runs.
fn fresh_connections_are_compared_with_persistent_ones() {
    for connections in ["16", "64"] {
        fresh_against_persistent(connections);
    }
}

fn fresh_against_persistent(connections: &str) {
    let (served, directory) = (TestDirectory::new(), TestDirectory::new());
    let nginx = nginx(&served);
    let (keep, fresh) = (format!("keep={}", nginx.url()), format!("fresh={}", nginx.url()));
    let words = ["compare", &keep, &fresh, "--set", "fresh.reuse=never"];
    let short = ["--rounds", "6", "--round", "300ms", "--warm-up", "200ms"];
    let (code, report) =
        directory.report(&[&words[..], &short, pilot(), &["--connections", connections]].concat());
    assert_eq!(code, 0, "{}", report["findings"]);
    let comparison = &report["comparisons"][0];
    figure(format!("{connections} connections: {}", in_words(comparison)), "slower");
    assert_eq!(comparison["verdict"], "slower", "{connections} connections: {comparison}");
    let share = &comparison["client_share"];
    assert!(number(&share["client"]) > 0.0, "the client opens connections too: {share}");
    drop(nginx);
    let contenders = report["contenders"].as_array().expect("contenders");
    exact(|| assert_eq!(log_lines(&served), contenders.iter().map(sent).sum::<u64>()));
}
