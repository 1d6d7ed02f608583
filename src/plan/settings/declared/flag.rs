//! How a flag is declared. The command line makes its arguments from this.

use crate::plan::Command;

/// A flag of a setting.
#[derive(Clone, Copy)]
pub struct Flag {
    /// Its name. Empty if it is called as the key of its setting.
    pub long: &'static str,
    /// The name of its value in the help. None if it is a switch.
    pub value: Option<&'static str>,
    /// Its help.
    pub help: &'static str,
    /// Further paragraphs of `--help`.
    pub more: &'static str,
    /// The commands that have it.
    pub commands: &'static [Command],
    /// Its short form, of one letter.
    pub short: Option<char>,
    /// The heading under which the help lists it. None means the options of the command itself.
    pub heading: Option<Heading>,
    /// Its position under the heading.
    pub position: u8,
    /// Whether it may be given several times.
    pub repeated: bool,
    /// Whether its value can be secret, so that it is read after the argument parser, whose
    /// messages quote values.
    pub unquoted: bool,
    /// Whether its value is any text, also one that begins with a hyphen, or the name of a file.
    pub text_or_file: bool,
    /// Whether the help leaves it out.
    pub hidden: bool,
    /// Whether the short help, `-h`, has it. All flags are in `--help`.
    pub common: bool,
}

/// A heading of the help, in the order of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Heading {
    /// The length of a comparison, and how contenders take turns.
    Rounds,
    /// What the verdict is about.
    Verdict,
    /// How contenders are driven.
    Load,
    /// What is sent.
    Request,
    /// What is done to the data of stores.
    Workload,
}

impl Heading {
    /// Returns the heading as the help prints it.
    pub fn title(self) -> &'static str {
        match self {
            Heading::Rounds => "Rounds",
            Heading::Verdict => "Verdict",
            Heading::Load => "Load",
            Heading::Request => "Request",
            Heading::Workload => "Workload of stores",
        }
    }
}

impl Flag {
    /// A flag with a value, of `compare` and `run`.
    pub const fn new(value: &'static str, help: &'static str) -> Flag {
        Flag {
            long: "",
            value: Some(value),
            help,
            more: "",
            commands: &[Command::Compare, Command::Run],
            short: None,
            heading: None,
            position: 0,
            repeated: false,
            unquoted: false,
            text_or_file: false,
            hidden: false,
            common: false,
        }
    }

    /// A flag without a value.
    pub const fn switch(help: &'static str) -> Flag {
        Flag { value: None, ..Flag::new("", help) }
    }

    /// Gives the flag a name that is not the key of its setting.
    pub const fn named(self, long: &'static str) -> Flag {
        Flag { long, ..self }
    }

    /// Restricts the flag to these commands.
    pub const fn only(self, commands: &'static [Command]) -> Flag {
        Flag { commands, ..self }
    }

    /// Adds further paragraphs for `--help`.
    pub const fn more(self, more: &'static str) -> Flag {
        Flag { more, ..self }
    }

    /// Adds a short form of one letter.
    pub const fn short(self, short: char) -> Flag {
        Flag { short: Some(short), ..self }
    }

    /// Puts the flag at this position under a heading.
    pub const fn under(self, heading: Heading, position: u8) -> Flag {
        Flag { heading: Some(heading), position, ..self }
    }

    /// Lets the flag be given several times.
    pub const fn repeated(self) -> Flag {
        Flag { repeated: true, ..self }
    }

    /// Prevents messages from quoting its value.
    pub const fn unquoted(self) -> Flag {
        Flag { unquoted: true, ..self }
    }

    /// Accepts any text, or the name of a file, as its value.
    pub const fn text_or_file(self) -> Flag {
        Flag { text_or_file: true, ..self }
    }

    /// Leaves the flag out of the help.
    pub const fn hidden(self) -> Flag {
        Flag { hidden: true, ..self }
    }

    /// Includes the flag in the short help, `-h`, too.
    pub const fn common(self) -> Flag {
        Flag { common: true, ..self }
    }

    /// Returns its name in messages: the short form if it has one.
    pub fn name(&self) -> String {
        self.short.map_or_else(|| format!("--{}", self.long), |short| format!("-{short}"))
    }
}
