//! SQLSTATEs as numbers, by which the record counts replies.

use drivers::Refusal;

/// The states with a number of their own: those that a load can meet. Journals contain the numbers,
/// so a new one must be added at the end.
const KNOWN: [(&str, &str); 25] = [
    ("53300", "too_many_connections"),
    ("28P01", "wrong_password"),
    ("28000", "not_allowed_to_log_in"),
    ("3D000", "no_such_database"),
    ("42P01", "no_such_table"),
    ("42703", "no_such_column"),
    ("42804", "wrong_type"),
    ("42601", "syntax_error"),
    ("42501", "not_allowed"),
    ("42883", "no_such_function"),
    ("40P01", "deadlock"),
    ("40001", "serialization_failure"),
    ("55P03", "lock_timeout"),
    ("57014", "statement_timeout"),
    ("57P01", "server_shut_down"),
    ("57P02", "server_crashed"),
    ("57P03", "server_starts"),
    ("23505", "already_there"),
    ("53100", "disk_full"),
    ("53200", "out_of_memory"),
    ("22P02", "wrong_text"),
    ("26000", "no_such_statement"),
    ("25006", "read_only"),
    ("08P01", "protocol_violation"),
    ("42P05", "duplicate_statement"),
];

/// Numbers from here on stand for a class: the first two characters of the state.
const CLASSES: u16 = 10_000;

/// The number of a state, from 1 on.
pub(crate) fn code(state: &str) -> u16 {
    if let Some(at) = KNOWN.iter().position(|(known, _)| *known == state) {
        return at as u16 + 1;
    }
    let class = state.chars().take(2).map(|of| of.to_digit(36).unwrap_or(0) as u16);
    CLASSES + class.fold(0, |sum, digit| 36 * sum + digit)
}

/// What a number of [`code`] means, as far as tiebreak reacts to it.
pub(crate) fn refusal(number: u16) -> Option<Refusal> {
    Refusal::of(names(), number)
}

/// The classes of states that PostgreSQL has.
const OF_POSTGRES: [&str; 43] = [
    "00", "01", "02", "03", "08", "09", "0A", "0B", "0F", "0L", "0P", "0Z", "20", "21", "22", "23",
    "24", "25", "26", "27", "28", "2B", "2D", "2F", "34", "38", "39", "3B", "3D", "3F", "40", "42",
    "44", "53", "54", "55", "57", "58", "72", "F0", "HV", "P0", "XX",
];

/// All numbers by which a server's replies can be counted, and their names.
pub fn names() -> impl Iterator<Item = (u16, String)> {
    let known = 1..=KNOWN.len() as u16;
    let all = known.chain(OF_POSTGRES.iter().map(|class| code(class)));
    all.filter_map(|code| Some((code, name(code)?)))
}

/// The name of a number of [`code`] in the record. Returns None if it is not such a number.
fn name(code: u16) -> Option<String> {
    if let Some((_, name)) = usize::from(code).checked_sub(1).and_then(|at| KNOWN.get(at)) {
        return Some((*name).to_owned());
    }
    let class = code.checked_sub(CLASSES).filter(|class| *class < 36 * 36)?;
    let digit = |of: u16| char::from_digit(u32::from(of), 36).expect("below 36");
    Some(format!("sqlstate_{}{}xxx", digit(class / 36), digit(class % 36)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_state_has_a_number_and_the_number_a_name() {
        for (state, wanted) in [
            ("53300", "too_many_connections"),
            ("08P01", "protocol_violation"),
            ("22012", "sqlstate_22xxx"),
            ("XX000", "sqlstate_xxxxx"),
            ("", "sqlstate_00xxx"),
        ] {
            assert_eq!(name(code(state)).as_deref(), Some(wanted), "{state}");
        }
        assert_eq!((name(0), name(999), name(u16::MAX)), (None, None, None));
    }

    #[test]
    fn states_have_meanings() {
        assert_eq!(refusal(code("42P01")), Some(Refusal::NoSuchTable));
        assert_eq!(refusal(code("57P03")), Some(Refusal::NotUp));
        assert_eq!((refusal(code("40P01")), refusal(942)), (None, None));
    }

    #[test]
    fn no_state_stands_twice() {
        let states: BTreeSet<&str> = KNOWN.iter().map(|(state, _)| *state).collect();
        let names: BTreeSet<&str> = KNOWN.iter().map(|(_, name)| *name).collect();
        assert_eq!((states.len(), names.len()), (KNOWN.len(), KNOWN.len()));
        assert!(states.iter().all(|state| state.len() == 5));
    }
}
