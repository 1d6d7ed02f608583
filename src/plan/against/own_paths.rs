//! Words that would lead every side to the user's own working tree, or to one program for all.

use crate::plan::experiment::Target;
use crate::targets::exec::Program;
use crate::targets::launch::{Launch, LaunchCommand, ProcessContext};
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};
use text::shown::shown;

/// File systems stamp with a clock that may be this much behind.
const CLOCK_STEP: Duration = Duration::from_millis(20);

/// Checks a launch. An error says what is wrong, to follow the contender's name.
pub(super) fn check_launch(launch: &Launch, top: &Path) -> Result<(), String> {
    let commands = launch.build.iter().chain(&launch.prepare);
    let commands = commands.chain(launch.processes.iter().map(|process| &process.command));
    commands.map(LaunchCommand::to_string).try_for_each(|text| check(&text, top))?;
    let contexts = launch.processes.iter().map(|process| &process.context);
    contexts.chain([&launch.context]).try_for_each(|context| check_context(context, top))
}

/// Checks a program, and the servers that it talks to.
pub(super) fn check_program(program: &Program, top: &Path) -> Result<(), String> {
    let build = program.build.iter().map(LaunchCommand::to_string);
    build.chain([program.command.shown()]).try_for_each(|text| check(&text, top))?;
    program.env.iter().filter(|(name, _)| name != "PATH" && name != "HOME").try_for_each(
        |(name, value)| check(value, top).map_err(|why| format!("{why} (in the variable {name})")),
    )?;
    program.servers.as_ref().map_or(Ok(()), |servers| check_launch(&servers.launch, top))
}

/// Refuses a contender whose commands name a file that its builds wrote outside of the snapshots: the last
/// build would be all sides.
///
/// # Errors
/// A sentence that names the file.
pub(super) fn check_written(target: &Target, began: SystemTime) -> Result<(), String> {
    let texts: Vec<String> = match target {
        Target::Launched(launch) => {
            launch.processes.iter().map(|process| process.command.to_string()).collect()
        }
        Target::Program(program) => vec![program.command.shown()],
        Target::Attached { .. } => Vec::new(),
    };
    let words = texts.iter().flat_map(|text| text.split_whitespace());
    let words = words.map(|word| word.trim_matches(['\'', '"', ';', ')']));
    let is_written = |word: &&str| {
        let about = fs::metadata(word).ok().filter(|about| about.is_file());
        let modified = about.and_then(|about| about.modified().ok());
        modified.is_some_and(|modified| modified + CLOCK_STEP >= began)
    };
    match words.filter(|word| word.starts_with('/')).find(is_written) {
        Some(word) => Err(format!(
            "--against: the build wrote {}, which every side would run: build into the directory of the \
             experiment file or into {{cache}}, and run it from there",
            shown(word)
        )),
        None => Ok(()),
    }
}

fn check_context(context: &ProcessContext, top: &Path) -> Result<(), String> {
    if let Some(user) = &context.user {
        return Err(format!(
            "runs as `{}`, who cannot read a snapshot in your cache directory: leave out `user`",
            shown(user)
        ));
    }
    let texts = context.env.iter().map(|(_, value)| value.to_string());
    texts.chain(context.cwd.iter().map(ToString::to_string)).try_for_each(|text| check(&text, top))
}

/// Refuses the absolute path of the repository.
fn check(text: &str, top: &Path) -> Result<(), String> {
    let top = top.display().to_string();
    let is_top = |rest: &str| {
        let next = rest.chars().next();
        next.is_none_or(|next| !next.is_alphanumeric() && !"-_.".contains(next))
    };
    match text.match_indices(&top).any(|(at, _)| is_top(&text[at + top.len()..])) {
        true => Err(format!(
            "names {}, so that every side would use the files of your working tree: write the path relative \
             to the experiment file, or with {{folder}}",
            shown(&top)
        )),
        false => Ok(()),
    }
}
