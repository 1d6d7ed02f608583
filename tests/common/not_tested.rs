//! Reports a test that cannot run here. Included by unit tests, too.

use std::io::Write;

/// Reports that a test was skipped, and why. With CI=true, as in `./test`, nothing may be
/// skipped, and it fails.
pub(crate) fn not_tested(why: &str) {
    assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "NOT TESTED: {why}");
    // Not by a macro, because the harness would capture what a passing test prints.
    writeln!(std::io::stderr(), "\nNOT TESTED: {why}").expect("standard error");
}
