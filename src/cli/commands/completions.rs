//! `tiebreak completions`.

use crate::cli::{Cli, outputs};
use clap::CommandFactory;
use clap_complete::Shell;
use protocol::Error;

const EXAMPLES: &str = "\
Examples:
  tiebreak completions bash > ~/.local/share/bash-completion/completions/tiebreak
      if the package bash-completion is installed; otherwise add this to ~/.bashrc:
      source <(tiebreak completions bash)
  tiebreak completions zsh > ~/.zfunc/_tiebreak
      with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc
  tiebreak completions fish > ~/.config/fish/completions/tiebreak.fish
  tiebreak completions elvish >> ~/.config/elvish/rc.elv
  tiebreak completions powershell >> $PROFILE

They take effect in a new shell. The directories must exist: mkdir -p creates them.";

/// Print a script with which your shell completes the commands and options of tiebreak
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct CompletionsArgs {
    /// The shell that the script is for
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(in crate::cli) fn perform(args: &CompletionsArgs) -> Result<(), Error> {
    let mut command = Cli::command();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "tiebreak", &mut script);
    outputs::print(&String::from_utf8_lossy(&script))
}
