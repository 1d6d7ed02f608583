//! From the arguments of a comparison to its contenders: addresses, recipes by
//! name, and those of an experiment file.

use crate::plan::experiment::recipes;
use crate::plan::experiment::{
    self, Article, Experiment, FileText, IN_A_DIRECTORY, Method, RunInput, Target,
};
use crate::plan::settings::group_given::GroupGiven;
use crate::plan::settings::names;
use crate::plan::{Command, Settings, Spec};
use crate::protocols::PROTOCOLS;
use crate::targets::exec::Program;
use crate::targets::launch;
use crate::targets::launch::{Launch, Missing, Secret, Values};
use crate::targets::software;
use protocol::Software;
use protocol::address::{Url, begins_with_a_port};
use protocol::secrets;
use protocol::{Error, address};
use record::{Revision, Work};
use std::path::{Path, PathBuf};
use text::shown::shown;

/// The contenders that the arguments name, and the settings of an experiment file.
#[derive(Clone, Default)]
pub struct Inputs {
    pub(in crate::plan) contenders: Vec<RequestedContender>,
    pub(in crate::plan) run: RunInput,
    /// The article that the experiment file repeats.
    pub(in crate::plan) article: Option<Article>,
    /// Every secret of the experiment file, and all others that were declared.
    pub(in crate::plan) secrets: Vec<Secret>,
    /// The experiment file.
    pub file: Option<NamedFile>,
}

/// An experiment file that an argument names.
#[derive(Clone)]
pub struct NamedFile {
    pub argument: String,
    pub file: FileText,
}

/// A contender as the user gave it.
#[derive(Clone)]
pub(in crate::plan) struct RequestedContender {
    pub(in crate::plan) name: Option<String>,
    pub(in crate::plan) location: TargetLocation,
    /// Its settings in the experiment file. Flags and `--set` take precedence.
    pub(in crate::plan) settings: Settings,
    /// Its own groups. Empty means the groups of all contenders.
    pub(in crate::plan) groups: Vec<GroupGiven>,
    /// The revision that it is built from. None if it is not one of several.
    pub(in crate::plan) revision: Option<Revision>,
}

/// Where its target is.
#[derive(Clone)]
pub(in crate::plan) enum TargetLocation {
    /// It is already running.
    Attached { url: Url },
    /// tiebreak launches it.
    Launched(Box<Launch>),
    /// tiebreak runs it to its end.
    Program(Box<Program>),
}

/// A contender that is to be resolved, with all that is known of it before its target is contacted.
/// No `Debug`: settings hold secrets.
#[derive(Clone)]
pub(in crate::plan) struct Candidate {
    pub(in crate::plan) name: String,
    /// Its address. Of a target that is not launched yet, the ports are placeholders.
    pub(in crate::plan) url: Url,
    pub(in crate::plan) location: TargetLocation,
    pub(in crate::plan) settings: Settings,
    pub(in crate::plan) groups: Vec<GroupGiven>,
    /// None if all of its operations are the same.
    pub(in crate::plan) work: Option<Work>,
}

impl TargetLocation {
    /// Returns the address. For a target that is not launched yet, its ports are placeholders.
    pub(in crate::plan) fn url(&self) -> Result<Url, Error> {
        match self {
            TargetLocation::Attached { url, .. } => Ok(url.clone()),
            TargetLocation::Program(program) => Ok(PROTOCOLS.program(program.command.clone())),
            TargetLocation::Launched(launch) => launch::address(launch).map_err(Error::usage),
        }
    }
}

/// Reads the experiment files that the arguments name.
pub fn files(arguments: &[String]) -> impl Iterator<Item = Result<NamedFile, Error>> {
    let whats = arguments.iter().map(|argument| (argument, names::split(argument).1));
    whats.filter(|(_, what)| matches!(kind(what), ArgumentKind::File)).map(|(argument, what)| {
        Ok(NamedFile { argument: argument.clone(), file: FileText::read(&file_of(what))? })
    })
}

/// Returns the file that an argument names: the file itself, or the experiment file in that
/// directory.
fn file_of(what: &str) -> PathBuf {
    let inside = Path::new(what).join(IN_A_DIRECTORY);
    if inside.exists() { inside } else { PathBuf::from(what) }
}

/// Reads the arguments of a spec, and the experiment file if one of them names it.
///
/// # Errors
/// When an argument or the file is not valid, or the file is outside the current directory and not
/// allowed.
pub fn read(spec: &Spec) -> Result<Inputs, Error> {
    read_with(spec, Vec::new())
}

/// Reads the arguments of a spec, of which these files were read already.
///
/// # Errors
/// As [`read`].
pub fn read_with(spec: &Spec, files: Vec<NamedFile>) -> Result<Inputs, Error> {
    let mut inputs = read_undeclared(spec, files)?;
    inputs.declare(secrets::declared());
    Ok(inputs)
}

impl Inputs {
    /// Adds the secrets that were declared elsewhere.
    pub(in crate::plan) fn declare(&mut self, declared: Vec<String>) {
        for wanted in &mut self.contenders {
            if let TargetLocation::Program(program) = &mut wanted.location {
                let of_file = self.secrets.iter().map(|secret| secret.reveal().to_owned());
                program.secrets.extend(of_file.chain(declared.iter().cloned()));
            }
        }
        self.secrets.extend(declared.into_iter().map(Secret::unnamed));
    }
}

fn read_undeclared(spec: &Spec, mut files: Vec<NamedFile>) -> Result<Inputs, Error> {
    let (command, arguments) = (spec.command, &spec.contenders);
    let mut inputs = Inputs::default();
    let mut file = None;
    for (at, argument) in arguments.iter().enumerate() {
        let (name, what) = names::split(argument);
        match kind(what) {
            ArgumentKind::Address => inputs.contenders.push(address(command, at, name, what)?),
            ArgumentKind::Recipe => inputs.contenders.push(recipe(name, what)?),
            ArgumentKind::File if name.is_some() => {
                return Err(Error::usage(format!(
                    "{}: an experiment file names its own contenders; leave out `{}=`",
                    shown(what),
                    shown(name.unwrap_or_default())
                )));
            }
            ArgumentKind::File if file.replace(what).is_some() => {
                return Err(Error::usage(
                    "only one experiment file is supported: describe all contenders in it",
                ));
            }
            ArgumentKind::File => {
                let was_read = files.iter().position(|named| named.argument == *argument);
                let file = match was_read {
                    Some(at) => files.swap_remove(at).file,
                    None => read_allowed(&file_of(what), spec.allow_file)?,
                };
                from_file(&file, spec, &mut inputs)?;
                inputs.file = Some(NamedFile { argument: argument.clone(), file });
            }
        }
    }
    match (&spec.scale, file) {
        (Some(_), None) => Err(Error::usage(
            "--scale chooses a table [scale.NAME] of an experiment file, and no file is given",
        )),
        _ => Ok(inputs),
    }
}

enum ArgumentKind {
    Address,
    File,
    Recipe,
}

/// An argument with `://`, or that starts with `exec:`, is an address; one with `/` or `.toml` is a
/// file; any other is the name of a recipe. A name with a dot must be that of an existing recipe:
/// otherwise it may be meant as a host.
fn kind(what: &str) -> ArgumentKind {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if PROTOCOLS.looks_like_an_address(what) || begins_with_a_port(what) {
        ArgumentKind::Address
    } else if what.contains('/') || what.ends_with(".toml") {
        ArgumentKind::File
    } else if !what.is_empty() && what.chars().all(is_word) || recipes::find(what).is_some() {
        ArgumentKind::Recipe
    } else {
        // The error of the address parser says what an address looks like.
        ArgumentKind::Address
    }
}

fn address(
    command: Command,
    at: usize,
    name: Option<&str>,
    what: &str,
) -> Result<RequestedContender, Error> {
    let url = filled(what).and_then(|what| PROTOCOLS.url(&what)).map_err(|message| {
        match (command, name) {
            (Command::Run, _) => Error::usage(message),
            (_, Some(name)) => Error::usage(format!("`{}`: {message}", shown(name))),
            (_, None) => Error::usage(format!("contender {}: {message}", at + 1)),
        }
    })?;
    let location = match url.endpoint {
        address::Endpoint::Program(command) => {
            TargetLocation::Program(Box::new(Program::new(command, None)))
        }
        _ => TargetLocation::Attached { url },
    };
    let (settings, groups) = (Settings::default(), Vec::new());
    let name = name.map(str::to_owned);
    Ok(RequestedContender { name, location, settings, groups, revision: None })
}

/// Replaces `${NAME}` in an address by the variable, so that a token need not be an argument of
/// this process. Programs (`exec:`) refuse it themselves.
fn filled(what: &str) -> Result<String, String> {
    if !what.contains("${") || address::is_program(what) {
        return Ok(what.to_owned());
    }
    let text = launch::Text::parse(what, &launch::environment)?;
    match text.placeholders().next() {
        Some(placeholder) => {
            Err(format!("{placeholder} is valid only for targets that tiebreak launches"))
        }
        None => Ok(text.fill(&Values::default())),
    }
}

fn recipe(name: Option<&str>, what: &str) -> Result<RequestedContender, Error> {
    let Some(recipe) = recipes::find(what) else {
        let unknown = recipes::unknown(what);
        let stop = if unknown.ends_with('?') { "" } else { "." };
        return Err(Error::usage(format!(
            "{unknown}{stop} An address begins with a scheme, such as http:// or file:///; a program \
             begins with exec:; the name of a file ends with .toml"
        )));
    };
    let mut contender = recipes::contender(recipe);
    if let Some(name) = name {
        names::check_key(name)
            .map_err(|message| Error::usage(format!("`{}`: {message}", shown(name))))?;
        contender.rename(name);
    }
    wanted(contender)
}

/// Returns what the experiments of an argument require: those of a file, or of all files in a
/// directory with an `experiment.toml`.
///
/// # Errors
/// When a file cannot be read, or is outside the current directory and not allowed.
pub fn needs(what: &str, allow_file: bool) -> Result<Needs, Error> {
    let path = file_of(what);
    let mut files = vec![read_allowed(&path, allow_file)];
    if path != Path::new(what) {
        files.extend(experiment::others_in(Path::new(what)));
    }
    let mut needs = Needs::default();
    for file in files {
        needs.add(Experiment::parse(&file?, None, &launch::environment)?);
    }
    Ok(needs)
}

/// What must exist before an experiment can be run.
#[derive(Default)]
pub struct Needs {
    /// Programs and files that are missing.
    pub(crate) missing: Vec<Missing>,
    /// Software that tiebreak fetches and that is not installed.
    pub(crate) software: Vec<&'static Software>,
    /// What is launched.
    pub(crate) launches: Vec<Launch>,
    /// Programs (`exec:`) without servers, by the name of the contender.
    pub(crate) programs: Vec<(String, Program)>,
    /// Every secret of the files.
    pub(crate) secrets: Vec<Secret>,
}

impl Needs {
    fn add(&mut self, experiment: Experiment) {
        for contender in experiment.contenders {
            match contender.target {
                Target::Launched(launch) => {
                    self.missing.extend(launch::all_missing(&launch));
                    self.launches.push(*launch);
                }
                Target::Program(program) => {
                    self.missing.extend(program.all_missing());
                    match program.servers {
                        Some(servers) => self.launches.push(servers.launch),
                        None => self.programs.push((contender.name, *program)),
                    }
                }
                Target::Attached { .. } => {}
            }
        }
        if let Some(Method::Command(method)) = experiment.article.and_then(|it| it.method) {
            self.missing.extend(method.missing());
        }
        self.secrets.extend(experiment.secrets);
        let wanted = self.launches.iter().filter_map(|launch| launch.software);
        self.software = wanted.filter(|wanted| software::find(wanted).is_err()).collect();
        self.software.dedup_by_key(|software| software.name);
        if !self.software.is_empty() {
            let programs = software::FETCHING.iter().filter_map(|(program, package)| {
                launch::missing_program(program, &launch::inherited(None), Some((*package).into()))
            });
            self.missing.extend(programs);
        }
    }
}

fn from_file(file: &FileText, spec: &Spec, inputs: &mut Inputs) -> Result<(), Error> {
    let experiment = Experiment::parse(file, spec.scale.as_deref(), &launch::environment)?;
    for contender in experiment.contenders {
        inputs.contenders.push(wanted(contender)?);
    }
    inputs.run = experiment.run;
    inputs.article = experiment.article;
    inputs.secrets = experiment.secrets;
    Ok(())
}

/// Reads an experiment file. One outside the current directory that is not allowed is refused before
/// it, the environment and other files are read.
///
/// # Errors
/// When the file cannot be read, or is outside the current directory and not allowed.
pub(in crate::plan) fn read_allowed(file: &Path, allow_file: bool) -> Result<FileText, Error> {
    let current = std::env::current_dir().unwrap_or_default();
    if !allow_file && file.is_file() && experiment::is_outside(file, &current) {
        let file = shown(file.display().to_string());
        return Err(Error::usage(format!(
            "{file} lies outside the current directory. An experiment file can do what you can: \
             start programs, send files and variables of your environment, change databases. Read \
             it (`tiebreak check` shows all that it contains), then add --allow-file"
        )));
    }
    FileText::read(file)
}

pub(in crate::plan) fn wanted(
    contender: experiment::Contender,
) -> Result<RequestedContender, Error> {
    let location = match contender.target {
        Target::Launched(launch) => TargetLocation::Launched(launch),
        Target::Program(program) => TargetLocation::Program(program),
        Target::Attached { url } => {
            let url = PROTOCOLS.url(&url.fill(&Values::default())).map_err(Error::usage)?;
            TargetLocation::Attached { url }
        }
    };
    let (settings, groups) = (contender.settings, contender.groups);
    let name = Some(contender.name);
    Ok(RequestedContender { name, location, settings, groups, revision: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn gathered_with(allow_file: bool, arguments: &[&str]) -> Result<Inputs, String> {
        let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
        let spec = Spec { allow_file, ..Spec::new(Command::Compare, arguments) };
        read_undeclared(&spec, Vec::new()).map_err(|error| error.text)
    }

    fn inputs(arguments: &[&str]) -> Result<Inputs, String> {
        gathered_with(true, arguments)
    }

    #[test]
    fn a_file_from_elsewhere_does_nothing_without_permission() {
        let scratch = Scratch::new();
        let file = scratch.path().join("e.toml").display().to_string();
        // Its text does not matter, because no more of the file is read.
        for text in ["[contender.a]\nurl = 'http://127.0.0.1:1/${PATH}'\n", "no TOML"] {
            std::fs::write(&file, text).expect("a file");
            let refused = gathered_with(false, &[&file]).err().expect("refused");
            assert!(refused.starts_with(&format!("{file} lies outside the current")), "{refused}");
            assert!(refused.ends_with("then add --allow-file"), "{refused}");
        }
        let inside = gathered_with(false, &["tests/../experiments/pools.toml"]);
        assert!(inside.is_ok_and(|inside| inside.contenders.len() == 6));
    }

    #[test]
    fn an_address_takes_variables_and_nothing_else() {
        // SAFETY: no other test reads or writes this variable.
        unsafe { std::env::set_var("TIEBREAK_TEST_TOKEN", "CANARY-of-contenders-rs") };
        let all = inputs(&["a=http://127.0.0.1:1/x/${TIEBREAK_TEST_TOKEN}/y"]);
        let all = all.unwrap_or_else(|error| panic!("{error}"));
        let TargetLocation::Attached { url, .. } = &all.contenders[0].location else {
            panic!("attached")
        };
        assert_eq!(url.path(), "/x/CANARY-of-contenders-rs/y");
        assert_eq!(secrets::hidden(url.path()), "/x/****/y");
        for (slip, why) in [
            ("a=http://127.0.0.1:1/${TIEBREAK_NO_SUCH}", "`TIEBREAK_NO_SUCH` is not set"),
            ("a=http://127.0.0.1:1/${PATH}/{port}", "{port} is valid only for"),
        ] {
            let refused = inputs(&[slip]).err().expect("refused");
            assert!(refused.contains(why), "{refused}");
        }
    }

    #[test]
    fn addresses_recipes_and_files_are_distinguished() {
        let scratch = Scratch::new();
        let file = scratch.path().join("two.toml");
        let text = "rounds = 12\n[contender.x]\nurl = 'http://127.0.0.1:1/'\n\
                    [contender.y]\nlaunch = ['true']\n";
        std::fs::write(&file, text).expect("a file");
        let file = file.display().to_string();
        let all = inputs(&["a=http://h/?x=y", "nginx", "mine=node", "p=exec:a x=y", &file]);
        let all = all.unwrap_or_else(|error| panic!("{error}"));
        let named = |wanted: &RequestedContender| {
            let how = match &wanted.location {
                TargetLocation::Attached { .. } => "attached".to_owned(),
                TargetLocation::Launched(launch) => format!("launched as {}", launch.name),
                TargetLocation::Program(program) => format!("runs {}", program.command.shown()),
            };
            format!("{}: {how}", wanted.name.clone().unwrap_or_default())
        };
        let all_named: Vec<String> = all.contenders.iter().map(named).collect();
        assert_eq!(
            all_named,
            [
                "a: attached",
                "nginx: launched as nginx",
                "mine: launched as mine",
                "p: runs a x=y",
                "x: attached",
                "y: launched as y"
            ]
        );
        assert_eq!(all.run.settings.rounds, Some(12));
        let twice = inputs(&[&file, &file]).err();
        assert_eq!(
            twice.as_deref(),
            Some("only one experiment file is supported: describe all contenders in it")
        );
        let named = inputs(&[&format!("n={file}")]).err().expect("refused");
        assert!(
            named.ends_with("an experiment file names its own contenders; leave out `n=`"),
            "{named}"
        );
    }

    #[test]
    fn what_is_none_of_them_says_what_there_is() {
        let slip = inputs(&["ngnix"]).err().expect("refused");
        assert!(slip.contains("did you mean `nginx`?"), "{slip}");
        assert!(slip.ends_with("the name of a file ends with .toml"), "{slip}");
        let nowhere = inputs(&["no/such.toml"]).err().expect("refused");
        assert!(nowhere.starts_with("the file no/such.toml cannot be read"), "{nowhere}");
        let name = inputs(&["a/b=nginx"]).err().expect("refused");
        assert!(name.contains("a name must consist of letters"), "{name}");
        for slip in ["127.0.0.1:8080", "localhost:8080/x", "a.test"] {
            let message = inputs(&[slip]).err().expect("refused");
            assert!(message.contains(&format!("did you mean `http://{slip}")), "{message}");
        }
    }
}
