//! The `tiebreak` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    tiebreak::cli::main()
}
