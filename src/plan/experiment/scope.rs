//! Which placeholders are valid in which texts.

use crate::plan::experiment::table::Value;
use crate::targets::launch::{Placeholder, Text};
use protocol::Error;
use text::near;
use text::shown::shown;

/// The parts of a launch that placeholders can name.
#[derive(Clone, Copy, Default)]
pub(super) struct LaunchNames<'a> {
    pub(super) processes: &'a [String],
    /// Names of ports that it needs in addition to those of its processes.
    pub(super) more_ports: &'a [String],
    pub(super) choices: &'a [String],
    /// Whether it has the key `software`.
    pub(super) software: bool,
    /// Whether it has an address that a program can be given.
    pub(super) url: bool,
    /// Whether it builds something into the cache.
    pub(super) build: bool,
}

/// The context of a text.
#[derive(Clone, Copy)]
pub(super) enum Scope<'a> {
    /// A target that is not launched: no placeholder has a value.
    Attached,
    /// Before the launch: there are directories, but no ports yet.
    Before(LaunchNames<'a>),
    /// One process.
    Process(LaunchNames<'a>),
    /// The whole target.
    Target(LaunchNames<'a>),
    /// A program that talks to the servers of the target.
    Program(LaunchNames<'a>),
    /// All contenders, whatever each of them launches.
    Defaults,
    /// What is built into the cache, for all contenders and before anything is launched.
    Build,
    /// The method of an article, which can use only the address of each target and the directory of
    /// the file.
    Method,
}

impl Scope<'_> {
    fn check(self, placeholder: &Placeholder) -> Result<(), String> {
        let known = match self {
            Scope::Attached => {
                return Err(format!(
                    "{placeholder} is valid only for targets that tiebreak launches"
                ));
            }
            Scope::Method => {
                return match placeholder {
                    Placeholder::Url | Placeholder::Directory => Ok(()),
                    _ => Err(format!(
                        "{placeholder} has no meaning here: the method can use {{url}}, the \
                         address of each contender, and {{folder}}, the directory of this file"
                    )),
                };
            }
            Scope::Build => {
                return match placeholder {
                    Placeholder::Cache | Placeholder::Directory => Ok(()),
                    _ => Err(format!(
                        "{placeholder} has no meaning here: `build` can use {{cache}}, the directory \
                         that it builds into, and {{folder}}, the directory of this file"
                    )),
                };
            }
            // What each contender launches is known when the contender is read.
            Scope::Defaults => return Ok(()),
            Scope::Before(known)
            | Scope::Process(known)
            | Scope::Target(known)
            | Scope::Program(known) => known,
        };
        match (self, placeholder) {
            (Scope::Program(_), Placeholder::Url) if known.url => Ok(()),
            (Scope::Program(_), Placeholder::Url) => Err(format!(
                "{placeholder} is the address of the server of a `recipe`: write its address, with \
                 {{port}} in it"
            )),
            (_, Placeholder::Url) => Err(format!(
                "{placeholder} is valid only in published.method.run, and for a program (exec:) \
                 beside the server of a recipe"
            )),
            (Scope::Before(_), Placeholder::Port | Placeholder::PortOf(_)) => {
                Err(format!("{placeholder} is chosen at the launch, but this runs before it"))
            }
            (
                Scope::Before(_) | Scope::Target(_) | Scope::Program(_),
                Placeholder::Process | Placeholder::Host,
            ) => Err(format!(
                "{placeholder} is valid only for one process: in its `launch`, or in a \
                     file with {{process}} in its path"
            )),
            (Scope::Target(_) | Scope::Program(_), Placeholder::Port)
                if known.processes.len() > 1 =>
            {
                let ports: Vec<String> =
                    known.processes.iter().map(|name| format!("{{{name}.port}}")).collect();
                Err(format!("there are several processes: write {}", ports.join(" or ")))
            }
            _ => known.check(placeholder),
        }
    }
}

impl LaunchNames<'_> {
    fn check(self, placeholder: &Placeholder) -> Result<(), String> {
        match placeholder {
            Placeholder::PortOf(name)
                if !self.processes.contains(name) && !self.more_ports.contains(name) =>
            {
                Err(none_of("process is", name, &[self.processes, self.more_ports].concat()))
            }
            Placeholder::Choice(name) if !self.choices.contains(name) => {
                Err(none_of("choice is", name, self.choices))
            }
            Placeholder::Software if !self.software => {
                Err(format!("{placeholder} is valid only with `software`: name it there"))
            }
            Placeholder::Cache if !self.build => {
                Err(format!("{placeholder} is valid only with `build`: list the commands there"))
            }
            _ => Ok(()),
        }
    }
}

/// Returns the error for an unknown name.
fn none_of(what: &str, name: &str, known: &[String]) -> String {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    near::unknown(format!("no {what} called `{}`", shown(name)), name, &known)
}

impl Value<'_> {
    /// Reads a text whose placeholders are valid in this scope. A misspelt placeholder is an error.
    pub(super) fn text_in(&self, scope: Scope<'_>) -> Result<Text, Error> {
        let text = self.template_in(scope)?;
        self.without_slip(text, scope)
    }

    fn without_slip(&self, text: Text, scope: Scope<'_>) -> Result<Text, Error> {
        match text.slip() {
            Some((word, meant)) if !matches!(scope, Scope::Attached) => {
                let message = format!("`{{{word}}}` is not known; did you mean `{{{meant}}}`?");
                Err(self.error(&message))
            }
            _ => Ok(text),
        }
    }

    /// Does the same for the text of a file, in which braces can have another meaning.
    pub(super) fn template_in(&self, scope: Scope<'_>) -> Result<Text, Error> {
        let text = self.text()?;
        for placeholder in text.placeholders() {
            scope.check(placeholder).map_err(|message| self.error(&message))?;
        }
        Ok(text)
    }

    /// Does the same for a word of this text.
    pub(super) fn word_in(&self, word: &str, scope: Scope<'_>) -> Result<Text, Error> {
        let text = Text::with_placeholders(word);
        for placeholder in text.placeholders() {
            scope.check(placeholder).map_err(|message| self.error(&message))?;
        }
        self.without_slip(text, scope)
    }

    /// Does the same, but refuses secrets, for texts that others can see.
    pub(super) fn open_text_in(&self, scope: Scope<'_>) -> Result<Text, Error> {
        let text = self.text_in(scope)?;
        if let Some(secret) = text.secrets().next() {
            return Err(self.error(&format!(
                "everyone on this machine can read the arguments of a process, so {secret} must \
                 not be one: pass it in `env` or `files`"
            )));
        }
        Ok(text)
    }
}
