//! `tiebreak explain`.

use crate::cli::outputs;
use crate::cli::plain_text::wrapped;
use judge::audit;
use judge::verdict::Weight;
use protocol::Error;
use published::rules;
use report::words::weight;
use text::near;
use text::shown::shown;

const EXAMPLES: &str = "\
Examples:
  tiebreak explain
      all rules, with the most serious finding that each can raise
  tiebreak explain not_steady
      when it objects, why that matters, and what to do
  tiebreak explain sums_differ
      a rule of `tiebreak audit`, which reads the output of other tools";

/// Explain a rule of an audit, or list them all
///
/// There are two audits: that of runs of tiebreak itself, and that of the printed output of
/// other tools (`tiebreak audit FILE`).
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct ExplainArgs {
    /// Name of the rule, as it is in findings
    #[arg(value_name = "RULE")]
    rule: Option<String>,
}

pub(in crate::cli) fn perform(args: &ExplainArgs) -> Result<(), Error> {
    let width = outputs::width();
    let text = match &args.rule {
        None => list(width),
        Some(name) => explained(name, width)?,
    };
    outputs::print(&text)
}

/// The texts of a rule that are printed.
struct Explained {
    name: &'static str,
    weight: Weight,
    /// When it objects, why that matters, and what to do.
    texts: [&'static str; 3],
}

/// The rules by which tiebreak's own runs are audited.
fn of_own_runs() -> impl Iterator<Item = Explained> {
    audit::RULES.iter().map(|rule| Explained {
        name: rule.name,
        weight: rule.weight,
        texts: [rule.threshold, rule.why, rule.remedy],
    })
}

/// The rules by which the output of other tools is audited.
fn of_published_output() -> impl Iterator<Item = Explained> {
    rules::RULES.iter().map(|rule| Explained {
        name: rule.name,
        weight: rule.weight,
        texts: [rule.threshold, rule.why, rule.remedy],
    })
}

/// The rule of this name; two rules if both audits have one.
fn explained(name: &str, width: usize) -> Result<String, Error> {
    let own = of_own_runs().filter(|rule| rule.name == name).map(|rule| one(&rule, "", width));
    let published = of_published_output().filter(|rule| rule.name == name);
    let published = published.map(|rule| one(&rule, ", of the output of other tools", width));
    let found: Vec<String> = own.chain(published).collect();
    if found.is_empty() { Err(unknown(name)) } else { Ok(found.join("\n")) }
}

fn list(width: usize) -> String {
    let all = of_own_runs().chain(of_published_output());
    let longest = all.map(|rule| rule.name.len()).max().unwrap_or(0);
    let line = |rule: Explained| {
        let lead = format!("{:<longest$}  {:<7}  ", rule.name, weight(rule.weight));
        wrapped(&lead, rule.texts[0], width)
    };
    let mut out =
        "The rules of the audit, and the most serious finding that each can raise.\n\n".to_owned();
    out.extend(of_own_runs().map(line));
    out += "\nThe rules by which `tiebreak audit` checks the output of other tools.\n\n";
    out.extend(of_published_output().map(line));
    out + "\n`tiebreak explain RULE` says why it matters and what to do.\n"
}

/// One rule. `of` names the audit if it is not that of runs of tiebreak itself.
fn one(rule: &Explained, audit: &str, width: usize) -> String {
    let mut out = format!("{} ({} at most{audit})\n", rule.name, weight(rule.weight));
    for (lead, text) in ["  when: ", "  why:  ", "  do:   "].into_iter().zip(rule.texts) {
        out += &wrapped(lead, text, width);
    }
    out
}

fn unknown(name: &str) -> Error {
    let all = of_own_runs().chain(of_published_output());
    let meant = near::did_you_mean(name, all.map(|rule| rule.name));
    Error::usage(format!("there is no rule `{}`{meant}; `tiebreak explain` lists all", shown(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Exit;

    #[test]
    fn every_rule_is_listed_and_explained() {
        let all = list(100);
        for rule in of_own_runs().chain(of_published_output()) {
            assert!(all.contains(rule.name));
            let explanation = explained(rule.name, 1000).expect("a rule");
            let has = |text: &&str| explanation.contains(*text);
            assert!(rule.texts.iter().all(has), "{explanation}");
        }
    }

    #[test]
    fn the_examples_are_rules() {
        let names = || of_own_runs().chain(of_published_output()).map(|rule| rule.name);
        for line in EXAMPLES.lines().filter_map(|line| line.split_once("explain ")) {
            assert!(names().any(|name| name == line.1), "{line:?}");
        }
    }

    #[test]
    fn a_slip_is_seen() {
        let slip = format!("{}x", audit::RULES[0].name);
        let error = unknown(&slip);
        assert_eq!(error.exit, Exit::Usage);
        let meant = format!("did you mean `{}`?", audit::RULES[0].name);
        assert!(error.text.contains(&meant), "{error:?}");
    }
}
