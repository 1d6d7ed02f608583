//! Whether the contenders of a file are suites.

use crate::plan::experiment::contender::Contender;
use crate::plan::experiment::table::{Table, Value};
use crate::plan::experiment::target::Target;
use protocol::Error;

/// Checks that all contenders have figures, or none.
pub(super) fn check(root: &Table<'_>, contenders: &[Contender]) -> Result<(), Error> {
    let has = |contender: &Contender| matches!(&contender.target, Target::Program(it) if it.figures.is_some());
    let (with, without) = (
        contenders.iter().find(|contender| has(contender)),
        contenders.iter().find(|contender| !has(contender)),
    );
    let (Some(with), Some(without)) = (with, without) else { return Ok(()) };
    let name = &without.name;
    let table = root.read("contender", Value::table)?;
    let own = table.and_then(|table| table.get(name));
    let message = format!(
        "`figures` is missing: `{}` is a suite, and all contenders of a comparison must be one",
        with.name
    );
    Err(own.map_or_else(|| root.error(&message), |value| value.error(&message)))
}
