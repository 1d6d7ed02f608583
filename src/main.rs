//! The `tiebreak` command.
#![forbid(unsafe_code)]

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    // tiebreak starts itself again as the keeper of each target.
    if env::args_os().nth(1).is_some_and(|argument| argument == keeper::ARGUMENT) {
        return keeper::keep();
    }
    tiebreak::cli::main()
}
