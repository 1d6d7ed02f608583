//! Words that would lead every side to the user's own working tree, or to one program for all.

use crate::plan::experiment::Target;
use crate::targets::exec::Program;
use crate::targets::launch;
use crate::targets::launch::{Launch, LaunchCommand, ProcessContext, Snapshot, Values};
use keeper::programs;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
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
    contexts.chain([&launch.context]).try_for_each(|context| {
        let cwd = context.cwd.as_ref().map(|cwd| launch.directory.join(cwd.to_string()));
        check_context(context, top)?;
        cwd.map_or(Ok(()), |cwd| check_directory(&cwd, &launch.directory, top))
    })
}

/// Checks a program, and the servers that it talks to.
pub(super) fn check_program(program: &Program, of_file: &Path, top: &Path) -> Result<(), String> {
    check_directory(&program.cwd, of_file, top)?;
    let build = program.build.iter().map(LaunchCommand::to_string);
    build.chain([program.command.shown()]).try_for_each(|text| check(&text, top))?;
    program.env.iter().filter(|(name, _)| name != "PATH" && name != "HOME").try_for_each(
        |(name, value)| check(value, top).map_err(|why| format!("{why} (in the variable {name})")),
    )?;
    program.servers.as_ref().map_or(Ok(()), |servers| check_launch(&servers.launch, top))
}

/// Refuses a contender whose commands run a file that its build wrote outside of the snapshot: the last build
/// would be all sides.
///
/// # Errors
/// A sentence that names the file.
pub(super) fn check_written(
    target: &Target,
    snapshot: &Snapshot,
    began: SystemTime,
) -> Result<(), String> {
    let mut words = Vec::new();
    match target {
        Target::Launched(launch) => words.extend(words_of_launch(launch, snapshot)),
        Target::Program(program) => {
            let mut program = (**program).clone();
            let of_file = program.directory.clone();
            program.move_to(&of_file, snapshot);
            if let Some(servers) = &program.servers {
                words.extend(words_of_launch(&servers.launch, snapshot));
            }
            let program = program.built();
            let of_command = program.command.words().iter();
            words.extend(of_command.map(|word| (word.clone(), path_of(&program.env))));
        }
        Target::Attached { .. } => {}
    }
    let places = [snapshot.directory.clone(), snapshot.cache.clone()];
    let files = words.iter().flat_map(|(text, path)| files_of(text, path));
    let mut outside = files.filter(|file| !places.iter().any(|place| file.starts_with(place)));
    match outside.find(|file| was_written(file, began)) {
        Some(file) => Err(format!(
            "--against: the build wrote {}, which every side would run: build into the directory of the \
             experiment file or into {{cache}}, and run it from there",
            shown(file.display().to_string())
        )),
        None => Ok(()),
    }
}

/// The words that processes of a launch are started with, each with the PATH that it gets.
fn words_of_launch(launch: &Launch, snapshot: &Snapshot) -> Vec<(String, String)> {
    let launch = Launch { snapshot: Some(snapshot.clone()), ..launch.clone() };
    let (cache, directory) = (snapshot.cache.clone(), snapshot.directory.clone());
    let values = Values { cache, directory, ..Values::default() };
    let words = launch.processes.iter().flat_map(|process| {
        let path = path_of(&launch::environment_of(&launch, &process.context, &values));
        process.command.fill(&values).into_iter().map(move |word| (word, path.clone()))
    });
    words.collect()
}

fn path_of(env: &[(String, String)]) -> String {
    env.iter().find(|(name, _)| name == "PATH").map_or(String::new(), |(_, path)| path.clone())
}

/// The files that a word may name: one with an absolute path, or a program in PATH. A word for a shell has
/// several.
fn files_of(text: &str, path: &str) -> Vec<PathBuf> {
    let words = text.split([' ', '\t', '\n', ';', '&', '|', '(', ')', '=']);
    let words = words.map(|word| word.trim_matches(['\'', '"'])).filter(|word| !word.is_empty());
    let file = |word: &str| match word.contains('/') {
        true => Some(PathBuf::from(word)).filter(|file| file.is_absolute()),
        false => programs::find(word, path, Path::new("/")).ok(),
    };
    words.filter_map(file).collect()
}

/// Whether a file, or the link to it, was written or changed since then, whatever time a copy gave to it.
fn was_written(file: &Path, began: SystemTime) -> bool {
    let is_new = |about: io::Result<Metadata>| {
        let about = about.ok().filter(|about| !about.is_dir());
        about.is_some_and(|about| {
            let changed = Duration::new(about.ctime().unsigned_abs(), about.ctime_nsec() as u32);
            SystemTime::UNIX_EPOCH + changed + CLOCK_STEP >= began
        })
    };
    is_new(fs::metadata(file)) || is_new(fs::symlink_metadata(file))
}

/// Refuses a directory of the working tree that no snapshot stands for.
fn check_directory(directory: &Path, of_file: &Path, top: &Path) -> Result<(), String> {
    let top = top.canonicalize().unwrap_or_else(|_| top.to_owned());
    let is_theirs = directory.canonicalize().is_ok_and(|directory| directory.starts_with(&top));
    if directory.strip_prefix(of_file).is_err() && is_theirs {
        return Err(format!(
            "runs in {} of your working tree, as every side would: write `cwd` relative to the experiment file",
            shown(directory.display().to_string())
        ));
    }
    Ok(())
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
