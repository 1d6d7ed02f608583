//! The command line: one file per subcommand.

mod against;
mod agents;
mod agents_over_ssh;
mod commands;
mod conduct;
mod flags;
mod habits;
mod help;
mod options;
mod output_file;
mod outputs;
mod plain_text;
mod words;

use ::text::shown::is_hidden;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use protocol::{Error, Exit};
use std::io;
use std::panic::catch_unwind;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  tiebreak demo
      no server needed: two real comparisons in under a minute
  tiebreak compare old=http://127.0.0.1:8080/ new=http://127.0.0.1:8081/
      which of two servers answers more requests
  tiebreak compare a=http://127.0.0.1:8080/ b=http://127.0.0.1:8081/ --rate 5k/s
      which answers sooner when both get 5000 requests a second
  tiebreak compare experiments/http-servers.toml
      servers that tiebreak launches itself, described in a file that anyone can run again
  tiebreak rank nginx lighttpd node
      which of several is best, and which cannot be told apart
  tiebreak run http://127.0.0.1:8080/ --duration 10s
      one server, with the same audit

Exit codes: 0 the answer is sound (also if undecided) · 1 a --require is not met ·
2 the command cannot be understood · 3 void: the audit refused · 4 a target failed ·
5 tiebreak failed · 130 stopped twice";

/// The maximum width of the help, in columns.
const HELP_WIDTH: usize = 100;

/// Which of these backends is faster, by how much, and can the answer be trusted?
///
/// tiebreak drives all contenders in turns of some tens of milliseconds, so that
/// all of them run under the same conditions. It pairs them round by round and audits
/// the result: if an answer cannot be trusted, tiebreak says so and gives no verdict.
#[derive(Parser)]
#[command(name = "tiebreak", version, disable_help_subcommand = true, after_help = after_help(), max_term_width = HELP_WIDTH)]
struct Cli {
    #[command(subcommand)]
    command: CommandArgs,
}

#[derive(Subcommand)]
enum CommandArgs {
    // Not at the arguments, because `check` takes the same ones and has its own examples.
    #[command(after_help = commands::compare::EXAMPLES, after_long_help = commands::compare::after_long_help())]
    Compare(Box<commands::compare::CompareArgs>),
    /// Rank contenders: which is best, and which cannot be told apart
    ///
    /// Every contender is compared with every other one, and all ranks hold together with the
    /// confidence that is asked for. Contenders that cannot be told apart share their ranks. Takes what
    /// `tiebreak compare` takes.
    #[command(after_help = commands::compare::EXAMPLES_OF_RANK)]
    Rank(Box<commands::compare::CompareArgs>),
    Plan(Box<commands::plan::PlanArgs>),
    Bisect(Box<commands::bisect::BisectArgs>),
    Check(Box<commands::check::CheckArgs>),
    Run(Box<commands::run::RunArgs>),
    Load(Box<commands::load::LoadArgs>),
    Demo(commands::demo::DemoArgs),
    Report(commands::report::ReportArgs),
    Audit(commands::audit::AuditArgs),
    Explain(commands::explain::ExplainArgs),
    Recipes(commands::recipes::RecipesArgs),
    Setup(commands::setup::SetupArgs),
    Conformance(commands::conformance::ConformanceArgs),
    /// Run a server of known behaviour, to test tiebreak and other tools with it
    Testserver(Box<commands::testserver::TestserverArgs>),
    Init(commands::init::InitArgs),
    Clean(commands::clean::CleanArgs),
    Watch(commands::watch::WatchArgs),
    Agents(commands::agents_job::AgentsArgs),
    Completions(commands::completions::CompletionsArgs),
    Man(commands::man::ManArgs),
    Help(help::HelpArgs),
}

fn after_help() -> String {
    format!("{EXAMPLES}\n\n{}", help::topics())
}

/// The command line, with the help grouped by task.
fn command() -> clap::Command {
    let command = Cli::command();
    let template = help::template(&command, outputs::width().min(HELP_WIDTH));
    command.help_template(template)
}

/// Runs the command that was typed.
pub fn main() -> ExitCode {
    let typed = match agents_over_ssh::of_agent(std::env::args_os().collect()) {
        Ok(typed) => typed,
        Err(error) => {
            outputs::complain(&format!("error: the arguments cannot be read: {error}"));
            return Exit::Failed.into();
        }
    };
    if let Err(error) = habits::check(&typed) {
        outputs::complain(&format!("error: {}", error.text));
        return error.exit.into();
    }
    let is_plain = typed.iter().all(|word| !word.to_string_lossy().chars().any(is_hidden));
    let matches = command().try_get_matches_from(typed);
    let matches = matches.unwrap_or_else(|error| refuse(&error, is_plain));
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if let Err(error) = prepare_process() {
        outputs::complain(&format!("error: {error}"));
        return Exit::Failed.into();
    }
    // A bug must not look like an answer: a panic would exit with 101.
    let words = matches.subcommand().map(|(name, given)| words::of(&command(), name, given));
    match catch_unwind(|| perform(&cli.command, words.unwrap_or_default())) {
        Ok(exit) => exit,
        Err(_) => {
            outputs::complain(
                "error: this is a bug in tiebreak; please report what is printed above",
            );
            Exit::Failed.into()
        }
    }
}

/// Ends the process with the message of the argument parser. It quotes arguments, which may be names of files of
/// somebody else (`compare *`) and then are not plain.
fn refuse(error: &clap::Error, is_plain: bool) -> ! {
    if is_plain || !error.use_stderr() {
        error.exit();
    }
    outputs::complain(error.to_string().trim_end());
    std::process::exit(error.exit_code())
}

fn prepare_process() -> io::Result<()> {
    keeper::survive_a_file_size_limit()?;
    sys::limits::forbid_core_files()?;
    current_directory()
}

/// # Errors
/// If the directory that tiebreak was started in was removed, because nothing could be read
/// from it or written to it.
fn current_directory() -> io::Result<()> {
    match std::env::current_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(io::Error::other(
            "the current directory was removed or moved; change to an existing one (cd)",
        )),
        _ => Ok(()),
    }
}

fn perform(typed: &CommandArgs, words: Vec<String>) -> ExitCode {
    // Of most commands only an error has another exit code.
    let sound = |done: Result<(), Error>| done.map(|()| Exit::Sound);
    let result = match typed {
        CommandArgs::Compare(args) => commands::compare::perform(args, words),
        CommandArgs::Rank(args) => commands::compare::rank(args, words),
        CommandArgs::Plan(args) => commands::plan::perform(args),
        CommandArgs::Bisect(args) => sound(commands::bisect::perform(args)),
        CommandArgs::Check(args) => sound(commands::check::perform(args)),
        CommandArgs::Run(args) => commands::run::perform(args),
        CommandArgs::Load(args) => commands::load::perform(args),
        CommandArgs::Demo(args) => commands::demo::perform(args),
        CommandArgs::Report(args) => commands::report::perform(args),
        CommandArgs::Audit(args) => commands::audit::perform(args),
        CommandArgs::Explain(args) => sound(commands::explain::perform(args)),
        CommandArgs::Recipes(args) => sound(commands::recipes::perform(args)),
        CommandArgs::Setup(args) => sound(commands::setup::perform(args)),
        CommandArgs::Conformance(args) => commands::conformance::perform(args),
        CommandArgs::Testserver(args) => return commands::testserver::run(args),
        CommandArgs::Init(_) => sound(commands::init::perform()),
        CommandArgs::Clean(_) => sound(commands::clean::perform()),
        CommandArgs::Watch(args) => sound(commands::watch::perform(args)),
        CommandArgs::Agents(args) => sound(commands::agents_job::perform(args)),
        CommandArgs::Completions(args) => sound(commands::completions::perform(args)),
        CommandArgs::Man(args) => sound(commands::man::perform(args)),
        CommandArgs::Help(args) => sound(help::perform(args, command())),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(Error { exit, text }) => {
            outputs::complain(&format!("error: {text}"));
            exit.into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cli, HELP_WIDTH, command};
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_short_help_of_a_comparison_fits_one_screen() {
        let root = command();
        let compare = root.find_subcommand("compare").expect("a subcommand");
        let help = compare.clone().term_width(HELP_WIDTH).render_help().to_string();
        assert!((24..=50).contains(&help.lines().count()), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= HELP_WIDTH), "{help}");
        let long = compare.clone().render_long_help().to_string();
        let visible = compare.get_arguments().filter(|argument| !argument.is_hide_set());
        for flag in visible.filter_map(clap::Arg::get_long) {
            assert!(long.contains(&format!("--{flag}")), "--{flag} is not in --help");
        }
        for line in help.lines().filter(|line| line.starts_with("  tiebreak")) {
            assert!(long.contains(line), "an example of -h that --help lacks: {line}");
        }
    }

    #[test]
    fn the_help_of_every_subcommand_has_examples() {
        for command in Cli::command().get_subcommands() {
            let help = command.clone().render_long_help().to_string();
            let name = command.get_name();
            let example = format!("\nExamples:\n  tiebreak {name}");
            assert!(help.contains(&example), "tiebreak {name} --help: {help}");
        }
    }
}
