//! Which placeholders have a meaning where.

use crate::exit::Error;
use crate::near;
use crate::plan::experiment::table::Value;
use crate::plan::experiment::text::{Placeholder, Text};
use crate::shown::shown;

/// Where a text stands.
#[derive(Clone, Copy)]
pub(super) enum Scope<'a> {
    /// Of a target that is not launched: nothing is decided.
    Attached,
    /// Before the launch: there are folders, but no ports yet.
    Before,
    /// Of one process, beside others of these names.
    Process(&'a [String]),
    /// Of the whole target, whose processes have these names.
    Target(&'a [String]),
}

impl Scope<'_> {
    fn check(self, placeholder: &Placeholder) -> Result<(), String> {
        match (self, placeholder) {
            (Scope::Attached, _) => {
                Err(format!("{placeholder} has a meaning only for targets that tiebreak launches"))
            }
            (Scope::Before, Placeholder::Port | Placeholder::PortOf(_)) => {
                Err(format!("{placeholder} is chosen at the launch, and this runs before it"))
            }
            (Scope::Target(names), Placeholder::Port) if names.len() > 1 => {
                let ports: Vec<String> =
                    names.iter().map(|name| format!("{{{name}.port}}")).collect();
                Err(format!("there are several processes: write {}", ports.join(" or ")))
            }
            (Scope::Process(names) | Scope::Target(names), Placeholder::PortOf(name))
                if !names.contains(name) =>
            {
                let meant = near::did_you_mean(name, names.iter().map(String::as_str));
                Err(format!("no process is called `{}`: {}{meant}", shown(name), names.join(", ")))
            }
            _ => Ok(()),
        }
    }
}

impl Value<'_> {
    /// A text whose placeholders have a meaning here. Braces are taken to mean
    /// something: a slip is an error.
    pub(super) fn text_in(&self, scope: Scope<'_>) -> Result<Text, Error> {
        let text = self.template_in(scope)?;
        match text.slip() {
            Some((word, meant)) if !matches!(scope, Scope::Attached) => {
                let message = format!("`{{{word}}}` is not known; did you mean `{{{meant}}}`?");
                Err(self.error(&message))
            }
            _ => Ok(text),
        }
    }

    /// The same for the text of a file, in which braces mean anything.
    pub(super) fn template_in(&self, scope: Scope<'_>) -> Result<Text, Error> {
        let text = self.text()?;
        for placeholder in text.placeholders() {
            scope.check(placeholder).map_err(|message| self.error(&message))?;
        }
        Ok(text)
    }

    /// The same, without secrets, for what others can see.
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
