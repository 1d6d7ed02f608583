//! Replies with an empty body.

use super::{Check, Checked, Rule, fine, found};
use crate::key::{Key, Label};
use crate::run::PublishedRun;
use crate::tools::ToolKind;
use judge::verdict::Weight;

pub(super) const RULE: Rule = Rule {
    name: "empty_reply",
    weight: Weight::Void,
    threshold: "Checks the bytes of a reply's body (ab: Document Length; hey, oha: Size/request), \
                and the bytes of all bodies. 0 bytes although there were operations: void.",
    why: "A page of 0 bytes failed, or does not send what it computed. A published comparison of \
          database drivers rested on such pages: their script never fetched the query's result.",
    remedy: "Look at the reply with curl -i. If the server is meant to send no body, let it answer \
             204, and state that with the figures.",
    check: Check::Run(check),
};

fn check(run: &PublishedRun) -> Checked {
    // vegeta can be told to discard bodies, and then counts none.
    let discards = run.text(Label::Command).is_some_and(|at| at.value.contains("-max-body"));
    if run.tool.kind != ToolKind::Http || discards {
        return fine();
    }
    let operations = run.operations().is_some_and(|at| at.value > 0.0);
    let bodies = [Key::ReplyBytes, Key::BodyBytes].map(|key| run.figure(key));
    match bodies.into_iter().flatten().find(|at| at.value == 0.0) {
        Some(at) if operations => {
            found(Weight::Void, "the bodies of the replies had 0 bytes", [at.line])
        }
        Some(_) => fine(),
        None if bodies.iter().all(Option::is_none) => Err("how long the replies were"),
        None => fine(),
    }
}
