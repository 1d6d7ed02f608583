//! Declared secrets: values of `${NAME}` in an experiment file or an address, and those of
//! `--secret` and `--secret-env`.
//!
//! A process has one list of them, and it only grows: an error may be reported after the plan that
//! it comes from was dropped. All text that leaves the process is checked against the list: the
//! journal (and so every report), progress, errors, `check`. Keepers mask the logs of targets; they
//! get the list when they start.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::{Mutex, PoisonError};
use text::blot::{self, SHORTEST};
use text::percent;
use text::shown::{shown, shown_sentence, shown_whole};

/// Replaces a secret in a text. It has the same length for all, so that the secret's length stays
/// unknown.
const HIDDEN: &str = "****";

/// Longer secrets are also masked in pieces of this many bytes, since an error may quote only a
/// part of one.
const PIECE: usize = 16;

static DECLARED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Passwords of addresses. They are masked only in what a target says: as words of their own, such as
/// `postgres`, they may be in every text.
static LOGINS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Checks that a value can be a secret. The message follows the value's name.
///
/// # Errors
/// If it is too short.
pub fn check(value: &str) -> Result<(), String> {
    match value.len() {
        SHORTEST.. => Ok(()),
        bytes => Err(format!(
            "has {bytes} bytes, but a secret must have at least {SHORTEST}: a shorter one would \
             be masked in every word and number that happens to contain it"
        )),
    }
}

/// From now on no text of this process contains the value. A value that is too short is ignored;
/// [`check`] reports it.
pub fn declare(value: &str) {
    keep(&DECLARED, value);
}

fn keep(known: &Mutex<Vec<String>>, value: &str) {
    sys::limits::hide_memory();
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    for form in forms(value) {
        if !known.contains(&form) {
            known.push(form);
        }
    }
}

/// From now on nothing that a target said and that this process shows contains this password of an address.
pub fn declare_login(password: &[u8]) {
    if !password.is_empty() {
        keep(&LOGINS, &String::from_utf8_lossy(password));
    }
}

/// What a target said, as messages and journals quote it: without secrets and without passwords of addresses, and
/// escaped.
pub fn quote(text: impl AsRef<[u8]>) -> String {
    shown(masked(&shown_whole(text)))
}

/// What a target said, without secrets and without passwords of addresses.
pub fn masked(text: &str) -> String {
    let logins = LOGINS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    without(text, &[declared(), logins].concat())
}

/// All secrets, in every form in which they may appear.
pub fn declared() -> Vec<String> {
    DECLARED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The forms of a secret: plain, percent-encoded for an address, escaped for display, and escaped
/// for JSON.
fn forms(value: &str) -> Vec<String> {
    let bytes = value.as_bytes();
    let json = Value::from(value).to_string();
    let mut forms = vec![
        value.to_owned(),
        value.trim().to_owned(),
        percent::encoded(bytes),
        percent_decoded(value),
        shown_sentence(value),
        json[1..json.len() - 1].to_owned(),
    ];
    if bytes.len() >= 2 * PIECE {
        let pieces = bytes.chunks_exact(PIECE).map(String::from_utf8_lossy);
        forms.extend(pieces.map(|piece| piece.trim_matches('\u{fffd}').to_owned()));
    }
    forms.retain(|form| form.len() >= SHORTEST);
    forms.sort();
    forms.dedup();
    forms
}

fn percent_decoded(text: &str) -> String {
    let decoded = percent::decoded(text).map(String::from_utf8);
    decoded.and_then(Result::ok).unwrap_or_default()
}

/// The text without secrets.
pub fn hidden(text: &str) -> String {
    without(text, &declared())
}

fn without(text: &str, secrets: &[String]) -> String {
    let mut found = blot::found(text.len(), text.as_bytes(), secrets);
    found.sort_unstable();
    let (mut left, mut at) = (String::new(), 0);
    for (from, length) in found {
        // Overlapping matches share one mask.
        if from >= at {
            left.push_str(&text[at..from]);
            left.push_str(HIDDEN);
        }
        at = at.max(from + length);
    }
    left + &text[at..]
}

/// Returns the same value with the secrets masked in its texts. A text that must be one of our own
/// words (`"closed"`, a histogram) is kept, because the value could not be read without it.
pub fn without_secrets<T: Serialize + DeserializeOwned>(thing: T) -> T {
    let secrets = declared();
    let Ok(whole) = serde_json::to_value(&thing) else { return thing };
    if secrets.is_empty() || !appear(&whole.to_string(), &secrets) {
        return thing;
    }
    let mut masked = whole.clone();
    mask_each(&mut masked, &secrets);
    if let Ok(read) = T::deserialize(&masked) {
        return read;
    }
    // The texts are masked one by one. A text without which the value cannot be read is restored.
    let mut good = whole;
    let mut paths = Vec::new();
    texts_with(&good, &secrets, &mut String::new(), &mut paths);
    for path in paths {
        let before = good.clone();
        if let Some(text) = good.pointer_mut(&path) {
            mask_each(text, &secrets);
        }
        if T::deserialize(&good).is_err() {
            good = before;
        }
    }
    T::deserialize(good).unwrap_or(thing)
}

/// Whether the text contains a secret.
pub fn appear_in(text: &str) -> bool {
    appear(text, &declared())
}

fn appear(text: &str, secrets: &[String]) -> bool {
    !blot::found(text.len(), text.as_bytes(), secrets).is_empty()
}

fn mask_each(value: &mut Value, secrets: &[String]) {
    match value {
        Value::String(text) => *text = without(text, secrets),
        Value::Array(list) => list.iter_mut().for_each(|value| mask_each(value, secrets)),
        Value::Object(map) => map.values_mut().for_each(|value| mask_each(value, secrets)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Pointers to the texts that contain a secret.
fn texts_with(value: &Value, secrets: &[String], at: &mut String, paths: &mut Vec<String>) {
    let mut below = |key: &str, value: &Value| {
        let length = at.len();
        at.push('/');
        at.push_str(&key.replace('~', "~0").replace('/', "~1"));
        texts_with(value, secrets, at, paths);
        at.truncate(length);
    };
    match value {
        Value::String(text) if appear(text, secrets) => paths.push(at.clone()),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, value)| below(&index.to_string(), value));
        }
        Value::Object(map) => map.iter().for_each(|(key, value)| below(key, value)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use record::{Address, End, EndReason, Event};

    #[test]
    fn short_ones_are_refused_with_the_reason() {
        assert_eq!(check("1234"), Ok(()));
        for (value, bytes) in [("", 0), ("x", 1), ("abc", 3)] {
            let why = check(value).unwrap_err();
            assert!(
                why.starts_with(&format!("has {bytes} bytes, but a secret must have at least 4",)),
                "{why}"
            );
            assert_eq!(forms(value), [""; 0]);
        }
    }

    #[test]
    fn a_target_may_not_repeat_the_password_of_its_address() {
        declare_login(b"pw of an address");
        assert_eq!(quote("denied for me/pw of an address"), "denied for me/****");
        assert_eq!(hidden("pw of an address"), "pw of an address", "elsewhere it is a word");
    }

    #[test]
    fn a_text_loses_them_in_every_form() {
        let all = forms("s3/cr\"t\n");
        for text in ["s3/cr\"t", "s3%2Fcr%22t%0A", "s3/cr\\\"t\\n", "x s3/cr\"t\n y"] {
            let left = without(text, &all);
            assert!(left.contains(HIDDEN) && !left.contains("cr"), "{text}: {left}");
        }
        assert_eq!(without("/pa%2Fth", &forms("pa%2Fth")), "/****");
        assert_eq!(without("pa/th", &forms("pa%2Fth")), "****");
        let overlapping: Vec<String> = ["abcd", "cdef"].map(str::to_owned).into();
        assert_eq!(without("-abcdef-abcd-", &overlapping), "-****-****-");
        assert_eq!(without("größe abcd größe", &overlapping), "größe **** größe");
        let long = "0123456789abcdefghijklmnopqrstuvwxyzABCDEF";
        let cut = without(&long[..40], &forms(long));
        assert!(cut.len() < 2 * PIECE && cut.starts_with(HIDDEN), "{cut}");
    }

    proptest! {
        #[test]
        fn nothing_of_them_stays(text in "[abc%é]{0,60}", one in "[abcé]{4,6}", two in "[abc]{4,6}") {
            let all = [forms(&one), forms(&two)].concat();
            let left = without(&text, &all);
            prop_assert!(all.iter().all(|form| !left.contains(form.as_str())), "{}", left);
        }
    }

    /// The process has one list, so these values occur in no other test.
    #[test]
    fn an_event_loses_them_and_stays_one() {
        declare("CANARY-of-secrets-rs");
        declare("complete");
        let end = |detail: &str| {
            Event::End(End { reason: EndReason::Complete, detail: detail.to_owned() })
        };
        let left = without_secrets(end("at CANARY-of-secrets-rs: complete"));
        // The reason is one of our own words; the detail is not.
        assert_eq!(left, end("at ****: ****"));
        let socket = Address::Unix("/run/CANARY-of-secrets-rs.sock".to_owned());
        assert_eq!(without_secrets(socket), Address::Unix("/run/****.sock".to_owned()));
        assert!(appear_in("xCANARY-of-secrets-rsx") && !appear_in("CANARY"));
    }
}
