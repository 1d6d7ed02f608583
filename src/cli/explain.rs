//! `tiebreak explain`.

use super::audit::weight;
use super::outputs;
use super::text::wrapped;
use crate::exit::{Error, Exit};
use crate::near;
use crate::shown::shown;
use judge::audit::{RULES, Rule};

const EXAMPLES: &str = "\
Examples:
  tiebreak explain
      all rules, with the heaviest finding that each can raise
  tiebreak explain not_steady
      when it objects, why that matters, and what to do";

/// Explain a rule of the audit, or list them all
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ExplainArgs {
    /// Name of the rule, as findings give it
    #[arg(value_name = "RULE")]
    rule: Option<String>,
}

pub(super) fn perform(args: &ExplainArgs) -> Result<Exit, Error> {
    let width = outputs::width();
    let text = match &args.rule {
        None => list(width),
        Some(name) => match RULES.iter().find(|rule| rule.name == name) {
            Some(rule) => one(rule, width),
            None => return Err(unknown(name)),
        },
    };
    outputs::print(&text)?;
    Ok(Exit::Sound)
}

fn list(width: usize) -> String {
    let longest = RULES.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    let mut out = "The audit's rules, and the heaviest finding that each can raise.\n\n".to_owned();
    for rule in RULES.iter() {
        let lead = format!("{:<longest$}  {:<7}  ", rule.name, weight(rule.weight));
        out += &wrapped(&lead, rule.threshold, width);
    }
    out + "\n`tiebreak explain RULE` says why it matters and what to do.\n"
}

fn one(rule: &Rule, width: usize) -> String {
    let mut out = format!("{} ({} at most)\n", rule.name, weight(rule.weight));
    for (lead, text) in
        [("  when: ", rule.threshold), ("  why:  ", rule.why), ("  do:   ", rule.remedy)]
    {
        out += &wrapped(lead, text, width);
    }
    out
}

fn unknown(name: &str) -> Error {
    let meant = near::did_you_mean(name, RULES.iter().map(|rule| rule.name));
    Error::usage(format!("there is no rule `{}`{meant}; `tiebreak explain` lists all", shown(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_listed_and_explained() {
        let all = list(100);
        for rule in RULES.iter() {
            assert!(all.contains(rule.name));
            let told = one(rule, 1000);
            assert!(told.contains(rule.why) && told.contains(rule.remedy), "{told}");
        }
    }

    #[test]
    fn the_example_is_a_rule() {
        assert!(RULES.iter().any(|rule| EXAMPLES.contains(&format!("explain {}\n", rule.name))));
    }

    #[test]
    fn a_slip_is_seen() {
        let slip = format!("{}x", RULES[0].name);
        let error = unknown(&slip);
        assert_eq!(error.exit, Exit::Usage);
        assert!(error.text.contains(&format!("did you mean `{}`?", RULES[0].name)), "{error:?}");
    }
}
