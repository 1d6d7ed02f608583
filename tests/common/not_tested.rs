//! What a test says that cannot run here. Included by unit tests, too.

use std::io::Write;

/// Says that a test was left out, and why. With CI=true, as in `./test`, nothing may be
/// left out, and it fails.
pub(crate) fn not_tested(why: &str) {
    assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "NOT TESTED: {why}");
    // Not by a macro: the harness would keep what a passing test prints.
    writeln!(std::io::stderr(), "\nNOT TESTED: {why}").expect("standard error");
}
