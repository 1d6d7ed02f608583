//! `tiebreak --help` shows the commands, grouped by task. `tiebreak help` shows the same, the
//! help of one command, or a chapter of the guide.

pub(super) mod keys;
pub(super) mod pager;
pub(super) mod topics;

use super::outputs;
use crate::cli::HELP_WIDTH;
use crate::cli::plain_text::wrapped;
use crate::protocols::PROTOCOLS;
use clap::Command;
use clap::builder::Styles;
use protocol::{Error, Examples};
use std::fmt::Write;
use text::near;
use text::shown::shown;

const EXAMPLES: &str = "\
Examples:
  tiebreak help
      all commands, grouped by task
  tiebreak help compare
      all options of a command, like tiebreak compare --help
  tiebreak help keys
      every key of an experiment file, with its meaning, default and an example
  tiebreak help interleaving
      a chapter of the guide";

/// Print the help of a command, or a chapter of the guide
///
/// On a terminal a chapter is shown in the pager that the environment variable PAGER names;
/// the default is less.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct HelpArgs {
    /// A command (with its subcommand, such as conformance null), or a topic of the guide
    #[arg(value_name = "COMMAND|TOPIC")]
    names: Vec<String>,
}

pub(super) fn perform(args: &HelpArgs, mut root: Command) -> Result<(), Error> {
    root.build();
    if args.names.as_slice() == [KEYS.0] {
        return pager::show(&keys::text(outputs::width().min(HELP_WIDTH)));
    }
    if let [name] = args.names.as_slice()
        && let Some(chapter) = topics::find(name).and_then(topics::Topic::chapter)
    {
        return pager::show(&chapter);
    }
    let mut command = &mut root;
    for name in &args.names {
        if command.find_subcommand(name).is_none() {
            return Err(unknown(name, command));
        }
        command = command.find_subcommand_mut(name).expect("it was found");
    }
    print_help(command)
}

fn print_help(command: &mut Command) -> Result<(), Error> {
    let help = command.render_long_help();
    let text = if outputs::style().colour { help.ansi().to_string() } else { help.to_string() };
    outputs::print(&text)
}

/// The topic that is no chapter of the guide, and what it is about.
const KEYS: (&str, &str) = ("keys", "Every key of an experiment file");

fn topic_names() -> Vec<&'static str> {
    topics::all().iter().map(|topic| topic.name).chain([KEYS.0]).collect()
}

/// The list of topics, which ends the help of the whole program.
pub(super) fn topics() -> String {
    let topics = topics::all();
    let all = topics.iter().map(|topic| (topic.name, topic.heading)).chain([KEYS]);
    let longest = all.clone().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = all.map(|(name, about)| format!("  {name:<longest$}  {about}"));
    format!("Topics (tiebreak help TOPIC):\n{}", lines.collect::<Vec<_>>().join("\n"))
}

fn unknown(name: &str, root: &Command) -> Error {
    let commands = root.get_subcommands().map(Command::get_name);
    let topics = topic_names();
    let meant = near::did_you_mean(name, commands.chain(topics.iter().copied()));
    Error::usage(format!(
        "there is no command or topic `{}`{meant}; topics are {}, and `tiebreak --help` lists the \
         commands",
        shown(name),
        topics.join(", ")
    ))
}

/// The examples of this command for all protocols that this build speaks, each in two lines behind a line's end.
pub(super) fn examples(
    command: &str,
    which: impl Fn(&Examples) -> &'static [(&'static str, &'static str)],
) -> String {
    let all = PROTOCOLS.iter().flat_map(|row| which(&row.examples));
    all.map(|(words, about)| format!("\n  tiebreak {command} {words}\n      {about}")).collect()
}

const GROUPS: [(&str, &[&str]); 7] = [
    ("Compare", &["compare", "rank", "bisect", "demo"]),
    ("Run one target", &["run"]),
    ("Prepare", &["init", "check", "plan", "recipes", "setup", "load", "clean"]),
    ("Read results", &["report", "audit", "explain"]),
    ("Use several machines", &["watch", "agents"]),
    ("Check the tool", &["conformance", "testserver"]),
    ("Shell and manual", &["completions", "man", "help"]),
];

/// The template of the help, for lines of this width. It is needed because clap itself puts all
/// commands under one heading.
pub(super) fn template(root: &Command, width: usize) -> String {
    let longest = GROUPS.iter().flat_map(|(_, names)| names.iter()).map(|name| name.len()).max();
    let longest = longest.unwrap_or(0);
    let mut groups = String::new();
    let styles = Styles::default();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    for (title, names) in GROUPS {
        // Writing to memory cannot fail.
        let _ = writeln!(groups, "{header}{title}:{header:#}");
        for name in names {
            let lead = format!("  {name:<longest$}  ");
            let line = wrapped(&lead, &about(root, name), width);
            let styled = format!("{literal}{name}{literal:#}");
            groups += &line.replacen(name, &styled, 1);
        }
        groups.push('\n');
    }
    format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\
         {header}Options:{header:#}\n{{options}}{{after-help}}"
    )
}

fn about(root: &Command, name: &str) -> String {
    let command = root.find_subcommand(name);
    command.and_then(Command::get_about).map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;

    #[test]
    fn every_command_is_in_one_group() {
        let visible = Cli::command();
        let visible = visible.get_subcommands().filter(|command| !command.is_hide_set());
        let mut names: Vec<&str> = visible.map(Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        names.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, names);
    }

    #[test]
    fn no_topic_has_the_name_of_a_command_and_the_list_has_all() {
        for name in topic_names() {
            assert!(Cli::command().find_subcommand(name).is_none(), "{name}");
            assert!(topics().contains(&format!("\n  {name} ")), "{name}");
        }
    }

    #[test]
    fn a_slip_is_seen() {
        let error = unknown("interleave", &Cli::command());
        assert!(error.text.contains("did you mean `interleaving`?"), "{}", error.text);
    }

    #[test]
    fn the_help_lists_the_groups_in_order() {
        for width in [60, HELP_WIDTH] {
            let root = Cli::command();
            let template = template(&root, width);
            let help = root.help_template(template).term_width(width).render_help().to_string();
            let mut rest = help.as_str();
            for (title, names) in GROUPS {
                for part in [format!("\n{title}:\n")]
                    .into_iter()
                    .chain(names.iter().map(|name| format!("\n  {name} ")))
                {
                    let at = rest.find(&part).unwrap_or_else(|| panic!("{part:?}: {help}"));
                    // The line break may also begin the next part.
                    rest = &rest[at + part.len() - 1..];
                }
            }
            let commands = help.split("Options:").next().expect("a first part");
            assert!(commands.lines().all(|line| line.chars().count() <= width), "{help}");
        }
    }
}
