//! Errors that the server sends are counted by name, and as the server's.

use crate::common::{in_one_slice, order};
use crate::counted::{classes, only};
use crate::name_of;

use crate::proxy::{Fault, PREPARE, Proxy, STARTUP, Which, string};
use crate::{access, driven};
use record::LaneTask;

const OPERATIONS: u64 = 40;
/// A consistency level.
const ONE: [u8; 2] = [0, 1];

fn with(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

/// Codes with their messages, with the additional content of section 9 of the protocol, and with
/// the names under which they are counted.
fn errors() -> Vec<(u32, &'static str, Vec<u8>, &'static str)> {
    let (zero, one, two) = (&[0u8; 4], &[0, 0, 0, 1], &[0, 0, 0, 2]);
    let (simple, list_of_one) = (string("SIMPLE"), with(&[&[0, 1], &string("int")]));
    vec![
        (0x0000, "out of sorts", vec![], "server_error"),
        (0x000a, "what was that?", vec![], "protocol_violation"),
        (0x1000, "too few nodes", with(&[&ONE, two, one]), "unavailable"),
        (0x1001, "busy", vec![], "overloaded"),
        (0x1002, "starting", vec![], "server_starts"),
        (0x1003, "no", vec![], "truncate_error"),
        (0x1100, "slow", with(&[&ONE, zero, one, &simple]), "write_timeout"),
        (0x1200, "slow", with(&[&ONE, zero, one, &[0]]), "read_timeout"),
        (0x1300, "tombstones", with(&[&ONE, zero, one, one, &[0]]), "read_failure"),
        (0x1400, "no", with(&[&string("k"), &string("f"), &list_of_one]), "function_failure"),
        (0x1500, "no", with(&[&ONE, zero, one, one, &simple]), "write_failure"),
        (0x2000, "line 1:0", vec![], "syntax_error"),
        (0x2100, "user has no permission", vec![], "not_allowed"),
        (0x2200, "some key parts are missing", vec![], "invalid"),
        (0x2200, "unconfigured table t", vec![], "no_such_table"),
        (0x2200, "Undefined column name marked in table app.t", vec![], "no_such_column"),
        (0x2300, "no such strategy", vec![], "config_error"),
        (0x2400, "there", with(&[&string("k"), &string("t")]), "already_there"),
        (0x7777, "of a later version", vec![], "other_error"),
    ]
}

#[test]
fn an_error_of_the_server_ends_one_operation_and_goes_by_its_name() {
    for (code, message, more, name) in errors() {
        for prepares in [true, false] {
            let fault = Fault::Error(code, message, more.clone());
            let proxy = Proxy::with(Which::OneIn(4), fault);
            let order = in_one_slice(order(proxy.address(), LaneTask::Ask), OPERATIONS);
            let seen = driven(&order, &access(prepares));
            let counted = only(&seen, name_of, name, &format!("{name} {prepares}"));
            assert_eq!((counted, proxy.given()), (OPERATIONS / 4, OPERATIONS / 4), "{name}");
            assert_eq!(seen.outcomes.ok, OPERATIONS - counted, "{name}: {:?}", seen.outcomes);
            // It loses no connection.
            assert_eq!(proxy.requests(STARTUP), 2, "{name}: control, and operations");
        }
    }
}

#[test]
fn an_error_of_preparing_goes_by_its_name() {
    for (code, message, more, name) in errors() {
        let proxy = Proxy::with(Which::All(PREPARE), Fault::Error(code, message, more));
        let order = in_one_slice(order(proxy.address(), LaneTask::Ask), OPERATIONS);
        let seen = driven(&order, &access(true));
        let counted = only(&seen, name_of, name, "prepare");
        // The library tries a second time before it gives up.
        assert_eq!((counted, proxy.given()), (OPERATIONS, 2 * OPERATIONS), "{name}");
    }
}

#[test]
fn an_error_of_the_log_in_goes_by_its_name() {
    for (code, name) in
        [(0x0100, "wrong_password"), (0x1001, "overloaded"), (0x1002, "server_starts")]
    {
        let proxy = Proxy::with(Which::All(STARTUP), Fault::Error(code, "no", vec![]));
        let order = in_one_slice(order(proxy.address(), LaneTask::Ask), 8);
        let seen = driven(&order, &access(true));
        assert_eq!(only(&seen, name_of, name, "login"), seen.operations, "{name}");
        assert_eq!(seen.outcomes.ok, 0, "{name}");
    }
}

/// A node that was restarted has forgotten all statements.
#[test]
fn a_statement_that_the_server_forgot_is_prepared_anew() {
    let proxy = Proxy::with(Which::OneIn(5), Fault::Unprepared);
    let order = in_one_slice(order(proxy.address(), LaneTask::Ask), OPERATIONS);
    let seen = driven(&order, &access(true));
    assert_eq!(seen.outcomes.ok, OPERATIONS, "{:?}", classes(&seen, name_of));
    assert!(proxy.given() >= OPERATIONS / 5, "{}", proxy.given());
}

#[test]
fn a_statement_that_the_server_always_forgets_is_counted() {
    let proxy = Proxy::with(Which::OneIn(1), Fault::Unprepared);
    let order = in_one_slice(order(proxy.address(), LaneTask::Ask), OPERATIONS);
    let seen = driven(&order, &access(true));
    assert_eq!(only(&seen, name_of, "not_prepared", "always"), OPERATIONS);
    assert_eq!(proxy.given(), 2 * OPERATIONS, "each is prepared anew once");
}
