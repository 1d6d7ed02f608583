//! Examples of protocols, in the help of commands.

use crate::protocols::PROTOCOLS;
use protocol::Examples;

/// The examples of this command for all protocols that this build speaks, each in two lines behind a line's end.
pub(in crate::cli) fn of(
    command: &str,
    which: impl Fn(&Examples) -> &'static [(&'static str, &'static str)],
) -> String {
    let all = PROTOCOLS.iter().flat_map(|row| which(&row.examples));
    all.map(|(words, about)| format!("\n  tiebreak {command} {words}\n      {about}")).collect()
}
