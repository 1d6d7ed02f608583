//! Nodes that servers announced at addresses that must not be dialled.

use super::{Evidence, Rule};
use crate::verdict::{Finding, Weight};
use record::Nodes;
use std::net::SocketAddr;
use text::lists;

/// How many addresses a sentence names.
const NAMED: usize = 8;

/// How they are dialled after all.
pub const DIAL_THEM: &str = "allow them with --allow-public";

pub(super) const RULE: Rule = Rule {
    name: "announced_nodes",
    short: "announced nodes were not dialled",
    hint: DIAL_THEM,
    weight: Weight::Caution,
    threshold: "Checks whether a server announced further nodes, or a redirect, at public addresses \
                without --allow-public. One such address is enough.",
    why: "Addresses that a server announces are dialled only under the policy for addresses that \
          are given: load and login would otherwise go wherever a server points. The figures are \
          those of the nodes that were driven, and not of the whole cluster.",
    remedy: "Name the addresses of the nodes that are to be driven in the address of the target, \
             and confirm with --allow-public that you may load them. If the addresses are not \
             yours, find out why the server announces them.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let found = evidence.each().filter_map(|(name, driven)| {
        let what = not_dialled(driven.target.nodes.as_ref()?)?;
        Some(RULE.about(name, Weight::Caution, what))
    });
    found.collect()
}

/// Which announced addresses were not dialled, and why. Returns None if there are none.
pub fn not_dialled(nodes: &Nodes) -> Option<String> {
    let some = !nodes.not_dialled.is_empty();
    some.then(|| {
        format!(
            "public addresses that its servers announced were not dialled: {}",
            addresses(&nodes.not_dialled)
        )
    })
}

/// Addresses in a sentence.
pub fn addresses(all: &[SocketAddr]) -> String {
    let mut texts: Vec<String> = all.iter().take(NAMED).map(SocketAddr::to_string).collect();
    if all.len() > NAMED {
        texts.push(format!("{} more", all.len() - NAMED));
    }
    lists::listed(&texts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::SampleRun;
    use record::TargetReady;

    fn found(nodes: Option<Nodes>) -> Vec<String> {
        let mut judge = SampleRun::compare(8).judge();
        judge.target(&TargetReady { contender: 1, nodes, ..TargetReady::default() });
        let verdict = judge.verdict();
        let of = |finding: &&Finding| finding.rule == RULE.name;
        verdict.findings().iter().filter(of).map(|finding| finding.evidence.clone()).collect()
    }

    #[test]
    fn each_address_that_was_not_dialled_is_named() {
        let node = |text: &str| text.parse::<SocketAddr>().expect("an address");
        let driven = Nodes { driven: vec![node("127.0.0.1:9042")], not_dialled: Vec::new() };
        assert_eq!(found(None), [""; 0]);
        assert_eq!(found(Some(driven.clone())), [""; 0]);
        let public = vec![node("203.0.113.7:9042"), node("[2001:db8::1]:9042")];
        let evidence = "public addresses that its servers announced were not dialled: \
                        203.0.113.7:9042 and [2001:db8::1]:9042";
        assert_eq!(found(Some(Nodes { not_dialled: public, ..driven })), [evidence]);
    }

    #[test]
    fn a_sentence_names_some_addresses_and_counts_the_others() {
        let all: Vec<SocketAddr> = (1..=10).map(|port| ([10, 0, 0, 1], port).into()).collect();
        assert_eq!(addresses(&all[..2]), "10.0.0.1:1 and 10.0.0.1:2");
        assert!(addresses(&all).ends_with("10.0.0.1:8 and 2 more"), "{}", addresses(&all));
    }
}
