//! Redis commands that affect more than a contender's own keys. They are sent only if the command
//! line has `--allow-destructive`; an experiment file cannot allow them.

use crate::plan::Spec;
use protocol::Error;
use record::{Contender, OperationText};
use text::shown::shown;

/// What such a command does, and the commands that do it.
const REACH: [(&str, &[&str]); 4] = [
    (
        "removes or replaces data that is not the contender's own",
        &["FLUSHALL", "FLUSHDB", "SWAPDB", "MOVE", "MIGRATE", "RESTORE", "RESTORE-ASKING"],
    ),
    (
        "runs a script or loads code in the server, which may do anything there",
        &["EVAL", "EVALSHA", "FCALL", "FUNCTION", "SCRIPT", "MODULE"],
    ),
    (
        "changes the server's settings, users or replication",
        &["CONFIG", "ACL", "REPLICAOF", "SLAVEOF", "REPLCONF", "FAILOVER", "CLUSTER", "SENTINEL"],
    ),
    (
        "ends the server, stops it for a while, or makes it write files",
        &["SHUTDOWN", "DEBUG", "SAVE", "BGSAVE", "BGREWRITEAOF", "PFDEBUG"],
    ),
];

/// Refuses such commands unless the command line allows them.
///
/// # Errors
/// Names the contender, the command, what it does and the remedy.
pub(in crate::plan) fn check(spec: &Spec, contenders: &[Contender]) -> Result<(), Error> {
    if spec.allow_destructive {
        return Ok(());
    }
    for contender in contenders {
        for name in command_names(contender) {
            if let Some(does) = reach(name) {
                return Err(Error::usage(format!(
                    "`{}`: the command `{}` {does}: add --allow-destructive to the command line to \
                     allow it",
                    shown(&contender.name),
                    shown(name),
                )));
            }
        }
    }
    Ok(())
}

/// First words of all custom commands. Groups share those of their contender.
fn command_names(contender: &Contender) -> impl Iterator<Item = &String> {
    contender.asks.workload().into_iter().flat_map(|workload| {
        let custom =
            workload.custom.operations.iter().filter_map(|operation| match &operation.says {
                OperationText::Command(words) => Some(words),
                OperationText::Sql(_) | OperationText::Request { .. } => None,
            });
        workload.commands.iter().chain(custom).filter_map(|words| words.first())
    })
}

/// What the command does beyond the contender's own keys, or None if that is nothing.
fn reach(name: &str) -> Option<&'static str> {
    let is = |names: &&[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    REACH.iter().find(|(_, names)| is(names)).map(|(does, _)| *does)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_every_class_are_known_in_any_case() {
        for (does, names) in REACH {
            for name in names {
                assert_eq!(reach(name), Some(does));
                assert_eq!(reach(&name.to_lowercase()), Some(does));
            }
        }
        for name in ["GET", "LPUSH", "EVAL_RO", "EVALSHA_RO", "FCALL_RO", "DEL", "COPY"] {
            assert_eq!(reach(name), None, "{name}");
        }
    }
}
