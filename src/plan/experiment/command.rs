//! Commands in a file: a list of a program and its arguments, or a text for a shell.

use crate::plan::experiment::scope::Scope;
use crate::plan::experiment::table::Value;
use crate::targets::launch::{LaunchCommand, Text};
use protocol::Error;

pub(super) fn read(
    value: &Value<'_>,
    shell: bool,
    scope: Scope<'_>,
) -> Result<LaunchCommand, Error> {
    if value.is_text() {
        if !shell {
            return Err(value.error(
                "a text is run by a shell, which requires `shell = true`; otherwise write a list \
                 of the program and its arguments, such as [\"nginx\", \"-v\"]",
            ));
        }
        return Ok(LaunchCommand::of_shell(value.open_text_in(scope)?));
    }
    let parts = value.list()?;
    if shell {
        return Err(value.error("with `shell = true` a command is one text, not a list"));
    }
    let argv = parts.iter().map(|part| part.open_text_in(scope));
    let argv: Vec<Text> = argv.collect::<Result<_, _>>()?;
    match argv.first().map(Text::to_string) {
        None => Err(value.error("the list is empty: it must begin with a program")),
        Some(program) if program.is_empty() => Err(parts[0].error("the program has no name")),
        Some(_) => Ok(LaunchCommand::new(argv)),
    }
}

pub(super) fn read_all(
    value: &Value<'_>,
    shell: bool,
    scope: Scope<'_>,
) -> Result<Vec<LaunchCommand>, Error> {
    value.list()?.iter().map(|command| read(command, shell, scope)).collect()
}
