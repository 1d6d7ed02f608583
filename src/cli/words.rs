//! The words of a command for the journal, so that a report can name the exact command of a next run. Words that
//! could hold a secret are not recorded, and then no word is.

use crate::plan::settings::declared::Declared;
use crate::plan::{RunSettings, Settings, WorkloadSettings};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};
use protocol::address::harmless;
use text::shown::is_hidden;

/// Flags that are left out: those of the length, which the next command sets in its own way, and those of the
/// output.
const LEFT_OUT: [&str; 14] = [
    "rounds",
    "launches",
    "until-decided",
    "see",
    "within",
    "matters",
    "out",
    "json",
    "html",
    "markdown",
    "junit",
    "no-cache",
    "verbose",
    "quiet",
];
/// Flags without a setting that hold no secret.
const PLAIN: [&str; 16] = [
    "against",
    "contender",
    "their-experiment",
    "rebuilds",
    "scale",
    "connect-to",
    "allow-public",
    "allow-destructive",
    "allow-file",
    "secret-env",
    "insecure",
    "cacert",
    "tls-resume",
    "agents",
    "gather",
    "set",
];

/// The words of this subcommand as they were given, contenders first. Empty if one of them can hold a secret.
pub(super) fn of(command: &clap::Command, name: &str, given: &ArgMatches) -> Vec<String> {
    let Some(subcommand) = command.find_subcommand(name) else { return Vec::new() };
    let typed = |argument: &&Arg| {
        given.try_contains_id(argument.get_id().as_str()).is_ok()
            && given.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine)
    };
    let (contenders, flags): (Vec<&Arg>, Vec<&Arg>) =
        subcommand.get_arguments().filter(typed).partition(|argument| argument.is_positional());
    let mut words = vec![name.to_owned()];
    for argument in contenders.into_iter().chain(flags) {
        match words_of(argument, given) {
            Some(of) => words.extend(of),
            None => return Vec::new(),
        }
    }
    words
}

/// The words of one argument. Returns None if they can hold a secret.
fn words_of(argument: &Arg, given: &ArgMatches) -> Option<Vec<String>> {
    let values = given.get_raw(argument.get_id().as_str())?;
    let values: Option<Vec<String>> =
        values.map(|value| value.to_str().map(str::to_owned)).collect();
    let values = values.filter(|all| !all.iter().any(|value| value.chars().any(is_hidden)))?;
    let Some(long) = argument.get_long() else {
        return values.iter().all(|value| is_harmless(value)).then_some(values);
    };
    if LEFT_OUT.contains(&long) {
        return Some(Vec::new());
    }
    if !(PLAIN.contains(&long) || is_of_a_plain_setting(long))
        || !values.iter().all(|value| is_plain(long, value))
    {
        return None;
    }
    let flag = format!("--{long}");
    if !argument.get_action().takes_values() {
        return Some(vec![flag]);
    }
    Some(values.into_iter().flat_map(|value| [flag.clone(), value]).collect())
}

/// Whether a contender is as its journal names it: an address without a login and without values of a query.
fn is_harmless(contender: &str) -> bool {
    harmless(contender) == contender
}

/// Whether the flag sets something that journals record.
fn is_of_a_plain_setting(long: &str) -> bool {
    fn has<S: Declared>(long: &str) -> bool {
        let mut flags = S::table().flat_map(|row| row.setting.named_flags());
        flags.any(|flag| flag.long == long && !flag.unquoted)
    }
    has::<Settings>(long) || has::<RunSettings>(long) || has::<WorkloadSettings>(long)
}

/// Whether the value of a flag is recorded elsewhere, too. `--set` sets anything.
fn is_plain(long: &str, value: &str) -> bool {
    if long != "set" {
        return true;
    }
    let key = value.split_once('=').and_then(|(name, _)| name.rsplit_once('.'));
    key.is_some_and(|(_, key)| {
        let mut rows = Settings::table().filter(|row| row.setting.key == key);
        rows.any(|row| {
            let flags = row.setting.flags;
            !flags.is_empty() && flags.iter().all(|flag| !flag.unquoted)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command;

    fn words(typed: &str) -> String {
        let typed = typed.split(' ').map(|word| word.replace('_', " "));
        let command = command();
        let matches = command.clone().try_get_matches_from(typed).expect("good words");
        let (name, given) = matches.subcommand().expect("a subcommand");
        of(&command, name, given).join(" ")
    }

    #[test]
    fn the_length_and_the_output_are_left_out() {
        assert_eq!(
            words(
                "tiebreak compare --rounds 20 a=http://127.0.0.1:1/x --quiet b=nginx --out DIR -c 8 \
                   --json - --all-pairs --require p99_<=_1.1x --set b.reuse=never --matters 2%"
            ),
            "compare a=http://127.0.0.1:1/x b=nginx --all-pairs --require p99 <= 1.1x --connections 8 \
             --set b.reuse=never"
        );
        assert_eq!(words("tiebreak rank x.toml y.toml --see 1%"), "rank x.toml y.toml");
    }

    #[test]
    fn words_that_can_hold_a_secret_are_not_recorded() {
        for typed in [
            "compare http://user:pass@127.0.0.1:1/ b=http://127.0.0.1:2/",
            "compare a=http://127.0.0.1:1/?token=canary b=http://127.0.0.1:2/",
            "compare a=nginx b=node -H X-Key:_canary",
            "compare a=nginx b=node -d canary",
            "compare a=nginx b=node -X canary",
            "compare a=nginx b=node --set b.header=X-Key:canary",
            "compare a=nginx b=node --set b.data=canary",
            "compare a=nginx b=node --secret canary",
        ] {
            assert_eq!(words(&format!("tiebreak {typed}")), "", "{typed}");
        }
        let named = "compare a=http://127.0.0.1:1/${TOKEN} b=nginx --secret-env TOKEN";
        assert_eq!(words(&format!("tiebreak {named}")), named);
    }
}
