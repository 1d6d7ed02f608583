//! The flags of settings, made from their tables: arguments for clap, and the way back from
//! what clap read to settings.

use crate::plan::settings::declared::{Declared, Flag, Heading, Row};
use crate::plan::{Command, RunSettings, Settings, Spec, WorkloadSettings};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, ValueHint};
use protocol::Error;

/// The flags of `tiebreak compare`.
pub(super) const COMPARE: u8 = Command::Compare as u8;
/// Those of `tiebreak run`.
pub(super) const RUN: u8 = Command::Run as u8;
/// Those of `tiebreak load`.
pub(super) const LOAD: u8 = Command::Load as u8;

/// The flags of one command, as they were given. No `Debug`: they hold secrets.
#[derive(Clone)]
pub(super) struct Flags<const COMMAND: u8> {
    common: Settings,
    run: RunSettings,
    workload: WorkloadSettings,
    unquoted: Vec<Unquoted>,
}

/// A value that clap must not read, since its messages would quote it.
#[derive(Clone)]
struct Unquoted {
    /// Its name in messages.
    name: String,
    row: &'static Row<Settings>,
    text: String,
}

impl<const COMMAND: u8> Flags<COMMAND> {
    /// Sets them in a spec.
    ///
    /// # Errors
    /// If a header or a body is invalid. The message does not quote it.
    pub(super) fn fill(&self, spec: &mut Spec) -> Result<(), Error> {
        spec.run = self.run.clone();
        spec.common = self.common.clone();
        spec.workload = self.workload.clone();
        for value in &self.unquoted {
            value
                .row
                .set(&mut spec.common, &value.text)
                .map_err(|message| Error::usage(format!("{}: {message}", value.name)))?;
        }
        Ok(())
    }
}

impl<const COMMAND: u8> clap::Args for Flags<COMMAND> {
    fn augment_args(command: clap::Command) -> clap::Command {
        let mut all = [
            arguments::<Settings>(COMMAND),
            arguments::<RunSettings>(COMMAND),
            arguments::<WorkloadSettings>(COMMAND),
        ]
        .concat();
        all.sort_by_key(|(flag, _)| (flag.heading, flag.position));
        command.args(all.into_iter().map(|(_, argument)| argument))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Flags::<COMMAND>::augment_args(command)
    }
}

impl<const COMMAND: u8> clap::FromArgMatches for Flags<COMMAND> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Flags {
            common: read(COMMAND, matches)?,
            run: read(COMMAND, matches)?,
            workload: read(COMMAND, matches)?,
            unquoted: unquoted(COMMAND, matches),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Flags::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The rows that have a flag of this command, each with the flag.
fn of<S: Declared>(command: u8) -> impl Iterator<Item = (&'static Row<S>, Flag)> {
    let has = move |flag: &Flag| flag.commands.iter().any(|one| *one as u8 == command);
    S::table().filter_map(move |row| Some((row, row.setting.named_flags().find(has)?)))
}

fn arguments<S: Declared>(command: u8) -> Vec<(Flag, Arg)> {
    of::<S>(command).map(|(row, flag)| (flag, argument(row, flag))).collect()
}

fn argument<S: Declared>(row: &'static Row<S>, flag: Flag) -> Arg {
    let argument = Arg::new(flag.long)
        .long(flag.long)
        .short(flag.short)
        .help(flag.help)
        .help_heading(flag.heading.map(Heading::title))
        .hide(flag.hidden)
        .hide_short_help(!flag.common);
    let argument = match flag.more {
        "" => argument,
        more => argument.long_help(format!("{}\n\n{more}", flag.help)),
    };
    let argument = match row.setting.former {
        former if !former.is_empty() && flag.long == row.setting.key => argument.alias(former),
        _ => argument,
    };
    let argument = if flag.text_or_file {
        argument.allow_hyphen_values(true).value_hint(ValueHint::FilePath)
    } else {
        argument
    };
    let Some(value) = flag.value else { return argument.action(ArgAction::SetTrue) };
    let action = if flag.repeated { ArgAction::Append } else { ArgAction::Set };
    let argument = argument.value_name(value).action(action);
    if flag.unquoted {
        return argument;
    }
    argument.value_parser(|text: &str| row.set(&mut S::default(), text).map(|()| text.to_owned()))
}

/// The settings that clap accepted. Their texts are valid, because clap ran their parsers.
fn read<S: Declared>(command: u8, matches: &ArgMatches) -> Result<S, clap::Error> {
    let mut settings = S::default();
    for (row, flag) in of::<S>(command).filter(|(_, flag)| !flag.unquoted) {
        let texts: Vec<&str> = match flag.value {
            None if matches.get_flag(flag.long) => vec!["true"],
            None => Vec::new(),
            Some(_) => {
                let texts = matches.get_many::<String>(flag.long).into_iter().flatten();
                texts.map(String::as_str).collect()
            }
        };
        for text in texts {
            row.set(&mut settings, text)
                .map_err(|message| clap::Error::raw(ErrorKind::InvalidValue, message))?;
        }
    }
    Ok(settings)
}

fn unquoted(command: u8, matches: &ArgMatches) -> Vec<Unquoted> {
    let mut all = Vec::new();
    for (row, flag) in of::<Settings>(command).filter(|(_, flag)| flag.unquoted) {
        let texts = matches.get_many::<String>(flag.long).into_iter().flatten();
        for (at, text) in texts.enumerate() {
            let number = if flag.repeated { format!(", number {}", at + 1) } else { String::new() };
            let name = flag.name() + &number;
            all.push(Unquoted { name, row, text: text.clone() });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Command, heading and place of every flag.
    fn positions<S: Declared>() -> Vec<(u8, String)> {
        let flags = S::table().flat_map(|row| row.setting.flags);
        let each = flags.flat_map(|flag| flag.commands.iter().map(move |one| (*one as u8, flag)));
        each.map(|(command, flag)| (command, format!("{:?} {}", flag.heading, flag.position)))
            .collect()
    }

    #[test]
    fn no_two_flags_have_one_place_in_the_help() {
        let all =
            [positions::<Settings>(), positions::<RunSettings>(), positions::<WorkloadSettings>()]
                .concat();
        let different: BTreeSet<_> = all.iter().collect();
        assert_eq!(different.len(), all.len(), "{all:?}");
    }

    #[test]
    fn only_settings_of_contenders_are_unquoted() {
        // No others are read after clap.
        let of_run = RunSettings::table().flat_map(|row| row.setting.flags);
        let of_workload = WorkloadSettings::table().flat_map(|row| row.setting.flags);
        assert!(!of_run.chain(of_workload).any(|flag| flag.unquoted));
    }
}
