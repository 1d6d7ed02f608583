//! What the first reply of each target shows: that the audit would refuse the run.

use protocol::secrets;
use record::{Contender, Pair, Plan, RequestPlan, Seen};
use text::shown::shown;

/// Bytes that are shown of each of two different bodies, and how many of them come before the difference.
const EXCERPT: usize = 32;
const BEFORE: usize = 12;

#[derive(Clone, Debug, Default)]
pub(super) struct FirstReply {
    /// Its code, if it has one, and whether that counts as success.
    code: Option<u16>,
    is_success: bool,
    /// What it says if it is no success. Without secrets, and escaped.
    words: Option<String>,
    /// The beginning of its body.
    body: Vec<u8>,
}

impl FirstReply {
    pub(super) fn of(seen: &Seen) -> FirstReply {
        FirstReply {
            code: seen.codes.keys().next().copied(),
            is_success: seen.outcomes.unexpected.is_empty(),
            words: seen.reasons.said.first().map(|said| shown(&said.text)),
            body: seen.first_body.clone(),
        }
    }
}

/// Returns what the audit would object to, in sentences: replies of web servers that are no success, and those of
/// two contenders that differ.
pub(super) fn objections(plan: &Plan, replies: &[FirstReply]) -> Vec<String> {
    let each = plan.contenders.iter().zip(replies);
    let failures = each.filter_map(|(contender, reply)| failure(contender, reply));
    let is_expected = plan.question.expect_different;
    let pairs = plan.question.pairs.iter().filter(|_| !is_expected);
    failures.chain(pairs.filter_map(|pair| difference(plan, replies, pair))).collect()
}

fn failure(contender: &Contender, reply: &FirstReply) -> Option<String> {
    contender.asks.request().filter(|_| !reply.is_success)?;
    let code = reply.code?;
    let words =
        reply.words.as_ref().map_or(String::new(), |words| format!(" and says \"{words}\""));
    Some(format!(
        "`{}` ({}) answers with status {code}{words}; if requests go on to fail, the audit refuses the run: \
         correct the request, or name the code (--expect {code})",
        contender.name, contender.target
    ))
}

fn difference(plan: &Plan, replies: &[FirstReply], pair: &Pair) -> Option<String> {
    let [a, b] = [pair.a, pair.b].map(|number| number as usize);
    let names = [plan.contenders.get(a)?, plan.contenders.get(b)?];
    let of_web_servers =
        names.iter().all(|contender| matches!(contender.asks, RequestPlan::Request(_)));
    let [a, b] = [replies.get(a)?, replies.get(b)?];
    if !of_web_servers || !a.is_success || !b.is_success {
        return None;
    }
    let how = if a.code == b.code {
        bodies_differ(&a.body, &b.body)?
    } else {
        format!(": status {} and {}", a.code?, b.code?)
    };
    let [a, b] = names.map(|contender| &contender.name);
    Some(format!(
        "the first replies of `{a}` and `{b}` differ{how}; if all replies do, the audit refuses the run: make \
         them equal, or use --expect-different"
    ))
}

/// Shows the first difference of two bodies. Returns None if their beginnings are equal.
fn bodies_differ(a: &[u8], b: &[u8]) -> Option<String> {
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    if same == a.len() && same == b.len() {
        return None;
    }
    let [a, b] = [a, b].map(|body| excerpt(body, same.saturating_sub(BEFORE)));
    Some(format!(" from byte {} on: {a} and {b}", same + 1))
}

/// A part of a body, without secrets and in quotes.
fn excerpt(body: &[u8], from: usize) -> String {
    let part = &body[from.min(body.len())..];
    if part.is_empty() {
        return "nothing".to_owned();
    }
    // The whole text is searched, because a secret may begin before the part.
    let text = String::from_utf8_lossy(body);
    let hidden = secrets::masked(&text) != text;
    let ends = if part.len() > EXCERPT { "…" } else { "" };
    let part = if hidden { b"a secret".as_slice() } else { &part[..part.len().min(EXCERPT)] };
    format!("\"{}{ends}\"", shown(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::example;

    fn reply(code: u16, body: &str) -> FirstReply {
        let (code, is_success) = (Some(code), code < 300);
        FirstReply { code, is_success, words: None, body: body.into() }
    }

    fn said(replies: &[FirstReply]) -> Vec<String> {
        objections(&example::plan(|_| {}), replies)
    }

    #[test]
    fn failures_and_differences_are_seen_and_equal_replies_are_not() {
        assert_eq!(said(&[reply(200, "same"), reply(200, "same")]), [""; 0]);
        let failed =
            said(&[reply(200, "x"), FirstReply { words: Some("gone".into()), ..reply(404, "y") }]);
        assert_eq!(failed.len(), 1, "{failed:?}");
        let wanted = " answers with status 404 and says \"gone\"; if requests";
        assert!(failed[0].contains(wanted) && failed[0].contains("--expect 404"), "{failed:?}");
        let codes = said(&[reply(200, ""), reply(204, "")]);
        assert!(codes[0].contains(" differ: status 200 and 204; "), "{codes:?}");
        let bodies = said(&[reply(200, "hello, world\u{1b}"), reply(200, "hello, World")]);
        let wanted = " differ from byte 8 on: \"hello, world\\u{1b}\" and \"hello, World\"; if all";
        assert!(bodies[0].contains(wanted), "{bodies:?}");
        let longer = said(&[
            reply(200, "a page"),
            reply(200, "a page and more of it than is shown here, really"),
        ]);
        let wanted = " differ from byte 7 on: \"a page\" and \"a page and more of it than is sh…\"";
        assert!(longer[0].contains(wanted), "{longer:?}");
        let empty = said(&[reply(200, ""), reply(200, "text")]);
        assert!(empty[0].contains(" differ from byte 1 on: nothing and \"text\""), "{empty:?}");
    }

    #[test]
    fn a_difference_that_is_expected_is_none() {
        let plan = example::plan(|spec| spec.run.expect_different = true);
        assert_eq!(objections(&plan, &[reply(200, "a"), reply(200, "b")]), [""; 0]);
    }

    #[test]
    fn a_body_with_a_secret_is_not_shown() {
        secrets::declare_login(b"pw-of-a-first-reply");
        let bodies = said(&[reply(200, "x pw-of-a-first-reply"), reply(200, "y")]);
        assert!(bodies[0].contains("\"a secret\" and \"y\""), "{bodies:?}");
    }
}
