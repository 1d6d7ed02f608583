//! Why operations failed, in words.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How many different texts of a target a trial keeps for each worker. A server that puts a number into each of
/// its errors would otherwise fill the journal.
const MOST_TEXTS: usize = 8;
/// Longest text of a target, in bytes; the rest is left out.
const LONGEST: usize = 200;

/// How often operations failed for which reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reasons {
    /// How the replies violated the protocol, in our words.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub faults: BTreeMap<String, u64>,
    /// What the target said, by text, ascending. It may contain anything. Not a map, because secrets are masked
    /// in the values of a record and not in its keys.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<TargetText>,
}

/// A text of the target, and how often it came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetText {
    /// Its beginning.
    pub text: String,
    /// How often it came.
    pub times: u64,
}

impl Reasons {
    /// Returns true if nothing is known.
    pub fn is_empty(&self) -> bool {
        self.faults.is_empty() && self.said.is_empty()
    }

    /// Counts a violation of the protocol.
    pub fn fault(&mut self, text: &str) {
        match self.faults.get_mut(text) {
            Some(times) => *times += 1,
            None => {
                self.faults.insert(text.to_owned(), 1);
            }
        }
    }

    /// Counts what the target said, unless it said too many different things.
    pub fn said(&mut self, words: &[u8]) {
        let text = String::from_utf8_lossy(&words[..words.len().min(LONGEST)]);
        let text = text.trim_end_matches(['\u{fffd}', '\r', '\n', ' ']);
        if !text.is_empty() {
            self.add(text, 1, MOST_TEXTS);
        }
    }

    /// Replaces each text of the target.
    pub fn replace_said(&mut self, with: impl Fn(&str) -> String) {
        for said in std::mem::take(&mut self.said) {
            self.add(&with(&said.text), said.times, usize::MAX);
        }
    }

    /// Adds those of other operations.
    pub fn merge(&mut self, other: &Reasons) {
        for (text, times) in &other.faults {
            *self.faults.entry(text.clone()).or_default() += times;
        }
        for said in &other.said {
            self.add(&said.text, said.times, usize::MAX);
        }
    }

    fn add(&mut self, text: &str, times: u64, most: usize) {
        match self.said.binary_search_by(|said| said.text.as_str().cmp(text)) {
            Ok(at) => self.said[at].times += times,
            Err(at) if self.said.len() < most => {
                self.said.insert(at, TargetText { text: text.to_owned(), times });
            }
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(reasons: &Reasons) -> Vec<(&str, u64)> {
        reasons.said.iter().map(|said| (said.text.as_str(), said.times)).collect()
    }

    #[test]
    fn texts_are_counted_and_cut() {
        let mut reasons = Reasons::default();
        for words in ["NOPERM no", "LOADING x", "NOPERM no\r\n", ""] {
            reasons.said(words.as_bytes());
        }
        assert_eq!(said(&reasons), [("LOADING x", 1), ("NOPERM no", 2)]);
        // A character that is cut is left out.
        let mut long = Reasons::default();
        long.said("é".repeat(LONGEST).as_bytes());
        long.said(format!("x{}", "é".repeat(LONGEST)).as_bytes());
        let lengths: Vec<usize> = long.said.iter().map(|said| said.text.len()).collect();
        assert_eq!(lengths, [LONGEST - 1, LONGEST]);
    }

    #[test]
    fn a_target_with_a_new_text_each_time_fills_no_journal() {
        let mut reasons = Reasons::default();
        (0..100).for_each(|number| reasons.said(format!("error {number}").as_bytes()));
        assert_eq!(reasons.said.len(), MOST_TEXTS);
    }

    #[test]
    fn texts_that_become_equal_are_one() {
        let mut reasons = Reasons::default();
        ["a1", "a2", "b1"].into_iter().for_each(|words| reasons.said(words.as_bytes()));
        reasons.replace_said(|text| text[..1].to_owned());
        assert_eq!(said(&reasons), [("a", 2), ("b", 1)]);
    }

    #[test]
    fn merging_adds_all() {
        let mut one = Reasons::default();
        one.fault("two lengths");
        one.said(b"b");
        let mut other = Reasons::default();
        other.fault("two lengths");
        other.fault("masked");
        ["a", "b"].into_iter().for_each(|words| other.said(words.as_bytes()));
        let mut both = one.clone();
        both.merge(&other);
        other.merge(&one);
        assert_eq!(both, other);
        assert_eq!(said(&both), [("a", 1), ("b", 2)]);
        let faults = [("masked".to_owned(), 1), ("two lengths".to_owned(), 2)];
        assert_eq!(both.faults, faults.into());
    }
}
