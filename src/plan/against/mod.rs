//! `--against`: one contender of an experiment file, built from several revisions of its repository.

mod own_paths;

pub use crate::plan::spec::Against;

use crate::plan::Spec;
use crate::plan::contender::gather::{
    Inputs, NamedFile, RequestedContender, TargetLocation, read_allowed, wanted,
};
use crate::plan::experiment::{Contender, Experiment, FileText, RunInput, Target};
use crate::system::repository::Repository;
use crate::targets::exec::Program;
use crate::targets::launch;
use crate::targets::launch::{Failed, Launch, LaunchCommand, Secret, Snapshot};
use crate::targets::revisions::{self, BuiltSnapshot, SnapshotOrder, Tree};
use protocol::{Error, secrets};
use record::{Revision, WorkTree};
use report::bisect::Commit;
use std::path::{Path, PathBuf};
use text::near;
use text::shown::shown;

/// The experiment file of a repository, unless another one is named.
pub const FILE: &str = "tiebreak.toml";

/// A revision that is compared, with a name.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    /// The name of the contender.
    pub(crate) name: String,
    pub(crate) commit: Commit,
    /// Whether it is the working tree, whose HEAD the commit is.
    pub(crate) is_work_tree: bool,
}

/// The experiment of a repository that several revisions are built for.
pub(crate) struct RevisionExperiment {
    pub(crate) repository: Repository,
    file: NamedFile,
    /// The directory of the file, absolute.
    directory: PathBuf,
    /// That directory, relative to the top of the repository.
    below: PathBuf,
    pub(crate) contender: Contender,
    run: RunInput,
    secrets: Vec<Secret>,
    scale: Option<String>,
    is_their_experiment: bool,
}

/// What the sides are built with.
pub(crate) struct Building<'a> {
    /// Whether a signal asked tiebreak to stop.
    pub(crate) stopped: &'a dyn Fn() -> bool,
    /// Called with each step, in words.
    pub(crate) tell: &'a dyn Fn(&str),
}

impl RevisionExperiment {
    /// Reads the file that a spec names, or that of the repository around the current directory.
    ///
    /// # Errors
    /// If there is no repository or file, an argument is no file, or the contender is not clear.
    pub(crate) fn read(spec: &Spec) -> Result<RevisionExperiment, Error> {
        let named = named_file(&spec.contenders)?;
        let around = match &named {
            Some(file) => directory_of(file),
            None => std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
        };
        let repository = Repository::containing(&around)?;
        let file = named.unwrap_or_else(|| near_here(&repository.top().join(FILE)));
        if !file.exists() {
            return Err(Error::usage(format!(
                "the experiment file {} does not exist: `tiebreak init` writes a first one, or name yours",
                shown(file.display().to_string())
            )));
        }
        check_rebuilds(spec)?;
        let (allow_file, against) = (spec.allow_file, &spec.against);
        if against.is_their_experiment && !allow_file {
            return Err(Error::usage(
                "--their-experiment runs what the experiment file of another revision says, and such a file \
                 can do what you can: read it (`git show REVISION:tiebreak.toml`), then add --allow-file",
            ));
        }
        let text = read_allowed(&file, allow_file)?;
        let argument = file.display().to_string();
        let scale = spec.scale.clone();
        let experiment = Experiment::parse(&text, scale.as_deref(), &launch::environment)?;
        let contender = chosen(&experiment, against.contender.as_deref(), &argument)?;
        let directory = experiment.directory.clone();
        let top = repository.top().canonicalize().unwrap_or_else(|_| repository.top().to_owned());
        let below = directory.strip_prefix(&top).map(Path::to_owned).map_err(|_| {
            Error::usage(format!("{} is not in the repository {}", shown(&argument), top.display()))
        })?;
        check(&contender, &directory, &top)?;
        check_rebuilt(&contender, against.rebuilds)?;
        Ok(RevisionExperiment {
            repository,
            file: NamedFile { argument, file: text },
            directory,
            below,
            contender,
            run: experiment.run,
            secrets: experiment.secrets,
            scale,
            is_their_experiment: against.is_their_experiment,
        })
    }

    /// The sides of a comparison: the revisions as `old`, and the working tree as `new`.
    ///
    /// # Errors
    /// If a revision is not known.
    pub(crate) fn sides(&self, revisions: &[String]) -> Result<Vec<Side>, Error> {
        let mut sides = Vec::new();
        for (at, revision) in revisions.iter().enumerate() {
            let name =
                if revisions.len() == 1 { "old".to_owned() } else { format!("old-{}", at + 1) };
            let commit = self.repository.commit(revision)?;
            sides.push(Side { name, commit, is_work_tree: false });
        }
        let commit = self.repository.commit("HEAD")?;
        sides.push(Side { name: "new".to_owned(), commit, is_work_tree: true });
        Ok(sides)
    }

    /// Whether the contender is run to its end again and again.
    pub(crate) fn is_program(&self) -> bool {
        matches!(self.contender.target, Target::Program(_))
    }

    /// Whether it is a program without servers.
    pub(crate) fn is_program_alone(&self) -> bool {
        matches!(&self.contender.target, Target::Program(program) if program.servers.is_none())
    }

    /// Whether its runs give the figures of cases.
    pub(crate) fn is_suite(&self) -> bool {
        matches!(&self.contender.target, Target::Program(program) if program.figures.is_some())
    }

    /// The file, as it was read.
    pub(crate) fn file(&self) -> &FileText {
        &self.file.file
    }

    pub(crate) fn file_below_the_top(&self) -> String {
        let name = self.file.file.path.file_name().unwrap_or_default();
        self.below.join(name).display().to_string()
    }

    /// What is compared, before anything is built: each side is then the contender of today's file.
    ///
    /// # Errors
    /// If the contender is not valid.
    pub(crate) fn unbuilt(&self, sides: &[Side], rebuilds: Option<u32>) -> Result<Inputs, Error> {
        let requested = sides.iter().map(|side| {
            let work_tree = side.is_work_tree.then(WorkTree::default);
            let revision = revision(&side.commit, work_tree, rebuilds.unwrap_or(0));
            requested_as(side, self.contender.clone(), revision, None)
        });
        Ok(self.inputs(requested.collect::<Result<_, _>>()?, rebuilds, self.secrets.clone()))
    }

    /// Builds every side, so often. The snapshots must live as long as the sides are driven.
    ///
    /// # Errors
    /// If a side does not build, with its name and the end of the log.
    pub(crate) fn build(
        &self,
        sides: &[Side],
        rebuilds: Option<u32>,
        building: &Building<'_>,
    ) -> Result<(Inputs, Vec<BuiltSnapshot>), NotBuilt> {
        let (mut requested, mut all) = (Vec::new(), Vec::new());
        let mut secrets = self.secrets.clone();
        for (position, side) in sides.iter().enumerate() {
            let built = self.build_side(side, rebuilds, building);
            let mut built = built.map_err(|error| NotBuilt { position, error })?;
            requested.push(built.requested);
            secrets.extend(built.secrets);
            all.append(&mut built.snapshots);
        }
        Ok((self.inputs(requested, rebuilds, secrets), all))
    }

    fn build_side(
        &self,
        side: &Side,
        rebuilds: Option<u32>,
        building: &Building<'_>,
    ) -> Result<BuiltSide, Error> {
        let theirs = self.their_experiment(side)?;
        let contender = theirs.as_ref().map_or(&self.contender, |theirs| &theirs.contender);
        let mut built = Vec::new();
        for number in 0..rebuilds.unwrap_or(1) {
            let rebuild = rebuilds.map(|_| number + 1);
            built.push(self.build_one(side, contender, rebuild, building)?);
        }
        // Read again where it stays: its data are there.
        let theirs = theirs.map(|_| self.read_theirs(side, &built[0])).transpose()?;
        let (contender, of_file) = match &theirs {
            Some(theirs) => (&theirs.contender, &theirs.directory),
            None => (&self.contender, &self.directory),
        };
        let work_tree = built[0].changes.as_ref().map(|changes| WorkTree {
            changed_files: changes.changed,
            untracked_files: changes.untracked,
        });
        let revision = revision(&side.commit, work_tree, rebuilds.unwrap_or(0));
        let snapshots: Vec<Snapshot> = built.iter().map(BuiltSnapshot::snapshot).collect();
        let snapshots = (of_file.as_path(), &snapshots[..]);
        let requested = requested_as(side, contender.clone(), revision, Some(snapshots))?;
        let secrets = theirs.map_or(Vec::new(), |theirs| theirs.secrets);
        Ok(BuiltSide { requested, snapshots: built, secrets })
    }

    fn build_one(
        &self,
        side: &Side,
        contender: &Contender,
        rebuild: Option<u32>,
        building: &Building<'_>,
    ) -> Result<BuiltSnapshot, Error> {
        let what = describe(side);
        let tell = |command: &LaunchCommand, _: &Path| {
            (building.tell)(&format!("{what}: {command}"));
        };
        let order = SnapshotOrder {
            name: &what,
            below: &self.below,
            build: commands(&contender.target),
            rebuild,
            secrets: &self.secrets,
            stopped: building.stopped,
            tell: &tell,
            check: &|snapshot, began| {
                own_paths::check_written(&contender.target, snapshot, began).map_err(Error::usage)
            },
        };
        let tree = if side.is_work_tree { Tree::WorkTree } else { Tree::Commit };
        let tree = tree(&side.commit.id);
        let built =
            revisions::build(&self.repository, tree, &order).map_err(|failed| match failed {
                Failed::Error(error) => error,
                Failed::Stopped => Error::failed("the build was stopped"),
            })?;
        if built.was_kept && !commands(&contender.target).is_empty() {
            (building.tell)(&format!("{what}: its build is kept from before"));
        }
        built.lacks.iter().for_each(|lack| (building.tell)(&format!("{what}: {lack}")));
        Ok(built)
    }

    /// The experiment of a side, if each revision has its own: from a snapshot in which nothing is built.
    fn their_experiment(&self, side: &Side) -> Result<Option<TheirExperiment>, Error> {
        if !self.is_their_experiment || side.is_work_tree {
            return Ok(None);
        }
        let tree = revisions::unbuilt(&self.repository, &side.commit.id, &self.below)?;
        self.read_theirs(side, &tree).map(Some)
    }

    fn read_theirs(&self, side: &Side, tree: &BuiltSnapshot) -> Result<TheirExperiment, Error> {
        let name = self.file.file.path.file_name().unwrap_or_default();
        let named =
            |error: Error| Error { text: format!("{}: {}", describe(side), error.text), ..error };
        let text = FileText::read(&tree.directory().join(name)).map_err(named)?;
        let known: Vec<&str> = launch::variables(&self.file.file.text).collect();
        if let Some(other) = launch::variables(&text.text).find(|name| !known.contains(name)) {
            return Err(Error::usage(format!(
                "{}: its experiment file names the variable {}, which today's file does not name: a file of \
                 another revision may read only what today's file reads",
                describe(side),
                shown(other)
            )));
        }
        let experiment = Experiment::parse(&text, self.scale.as_deref(), &launch::environment)?;
        let contender = chosen(&experiment, Some(&self.contender.name), &describe(side))?;
        check(&contender, &experiment.directory, self.repository.top())?;
        let (directory, secrets) = (experiment.directory, experiment.secrets);
        Ok(TheirExperiment { contender, directory, secrets })
    }

    fn inputs(
        &self,
        contenders: Vec<RequestedContender>,
        rebuilds: Option<u32>,
        secrets: Vec<Secret>,
    ) -> Inputs {
        let mut run = self.run.clone();
        if let Some(rebuilds) = rebuilds {
            // Each build is one launch of a server, or one round of a program.
            let is_launched = matches!(self.contender.target, Target::Launched(_));
            run.settings.launches = is_launched.then_some(rebuilds);
            run.settings.rounds = (!is_launched).then_some(rebuilds);
            (run.settings.see, run.settings.within) = (None, None);
            run.settings.until_decided = false;
        }
        let mut inputs =
            Inputs { contenders, run, article: None, secrets, file: Some(self.file.clone()) };
        inputs.declare(secrets::declared());
        inputs
    }
}

/// The side that does not build, by its position, and why.
pub(crate) struct NotBuilt {
    pub(crate) position: usize,
    pub(crate) error: Error,
}

/// A side as it was built.
struct BuiltSide {
    requested: RequestedContender,
    snapshots: Vec<BuiltSnapshot>,
    /// Those of its own experiment file.
    secrets: Vec<Secret>,
}

/// What the file of another revision says of the contender.
struct TheirExperiment {
    contender: Contender,
    /// The directory of the file, absolute.
    directory: PathBuf,
    secrets: Vec<Secret>,
}

/// The contender as one side, in its snapshots instead of the directory of its file.
fn requested_as(
    side: &Side,
    mut contender: Contender,
    revision: Revision,
    snapshots: Option<(&Path, &[Snapshot])>,
) -> Result<RequestedContender, Error> {
    contender.rename(&side.name);
    let mut requested = wanted(contender)?;
    requested.revision = Some(revision);
    if let Some((of_file, snapshots)) = snapshots {
        match &mut requested.location {
            TargetLocation::Launched(launch) => {
                let (first, rebuilt) = in_each(&**launch, snapshots, |launch, snapshot| {
                    launch.move_to(of_file, snapshot);
                });
                **launch = Launch { rebuilt, ..first };
            }
            TargetLocation::Program(program) => {
                let (first, rebuilt) = in_each(&**program, snapshots, |program, snapshot| {
                    program.move_to(of_file, snapshot);
                });
                **program = Program { rebuilt, ..first };
            }
            TargetLocation::Attached { .. } => {}
        }
    }
    Ok(requested)
}

/// A target in each of its snapshots: in the first one, and in the further ones.
fn in_each<T: Clone>(
    target: &T,
    snapshots: &[Snapshot],
    move_to: impl Fn(&mut T, &Snapshot),
) -> (T, Vec<T>) {
    let mut each = snapshots.iter().map(|snapshot| {
        let mut target = target.clone();
        move_to(&mut target, snapshot);
        target
    });
    (each.next().expect("at least one build"), each.collect())
}

/// Refuses other lengths beside rebuilds, which are the replicates.
fn check_rebuilds(spec: &Spec) -> Result<(), Error> {
    let Some(rebuilds) = spec.against.rebuilds else { return Ok(()) };
    match spec.run.first_flag(&["rounds", "launches", "see", "within", "until_decided"]) {
        Some(flag) => Err(Error::usage(format!(
            "--rebuilds {rebuilds}: each build is one replicate, so their number is the length: leave out {flag}"
        ))),
        None => Ok(()),
    }
}

/// Refuses rebuilds of a program with servers, which are launched once and would be those of the first build.
fn check_rebuilt(contender: &Contender, rebuilds: Option<u32>) -> Result<(), Error> {
    match (&contender.target, rebuilds) {
        (Target::Program(program), Some(_)) if program.servers.is_some() => {
            Err(Error::usage(format!(
                "--rebuilds: the contender `{}` is a program with servers, which are launched once for all of \
             its runs, so only one build of them would be compared: leave out --rebuilds",
                contender.name
            )))
        }
        _ => Ok(()),
    }
}

/// A side in words.
pub(crate) fn describe(side: &Side) -> String {
    let what = if side.is_work_tree { "the working tree at " } else { "" };
    format!("{} ({what}{})", side.name, shown(&side.commit.short))
}

fn revision(commit: &Commit, work_tree: Option<WorkTree>, rebuilds: u32) -> Revision {
    Revision {
        id: commit.id.clone(),
        short: commit.short.clone(),
        subject: commit.subject.clone(),
        author: commit.author.clone(),
        authored: commit.authored.clone(),
        work_tree,
        rebuilds,
    }
}

/// The commands that build it.
pub(crate) fn commands(target: &Target) -> &[LaunchCommand] {
    match target {
        Target::Launched(launch) => &launch.build,
        Target::Program(program) => match &program.servers {
            Some(servers) => &servers.launch.build,
            None => &program.build,
        },
        Target::Attached { .. } => &[],
    }
}

/// The file that the arguments name. None if they name nothing.
fn named_file(arguments: &[String]) -> Result<Option<PathBuf>, Error> {
    match arguments {
        [] => Ok(None),
        [one] if one.contains('/') && !one.contains("://") || one.ends_with(".toml") => {
            let path = PathBuf::from(one);
            Ok(Some(if path.is_dir() { path.join(FILE) } else { path }))
        }
        [one] => Err(Error::usage(format!(
            "--against builds one contender from several revisions, and `{}` is not built from a repository: \
             give an experiment file with `build` and `launch`, or leave it out for {FILE}",
            shown(secrets::hidden(one))
        ))),
        _ => Err(Error::usage(
            "--against compares revisions of one contender: give one experiment file, or none for tiebreak.toml",
        )),
    }
}

fn directory_of(file: &Path) -> PathBuf {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new(".")).to_owned()
}

/// The path as it would be typed, if the file is in the current directory.
fn near_here(file: &Path) -> PathBuf {
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
    file.strip_prefix(here).map_or_else(|_| file.to_owned(), Path::to_owned)
}

/// The contender that is asked for, or the only one.
fn chosen(experiment: &Experiment, name: Option<&str>, file: &str) -> Result<Contender, Error> {
    let all = &experiment.contenders;
    let names = || all.iter().map(|contender| contender.name.as_str());
    let listed = || names().collect::<Vec<_>>().join(", ");
    match (name, &all[..]) {
        (None, [one]) => Ok(one.clone()),
        (None, _) => Err(Error::usage(format!(
            "{} has several contenders, and --against builds one: choose it with --contender ({})",
            shown(file),
            listed()
        ))),
        (Some(name), _) => all.iter().find(|of| of.name == name).cloned().ok_or_else(|| {
            let meant = near::did_you_mean(name, names());
            Error::usage(format!(
                "{} has no contender `{}`: {}{meant}",
                shown(file),
                shown(name),
                listed()
            ))
        }),
    }
}

/// Refuses a contender of which both sides would be the same program.
fn check(contender: &Contender, of_file: &Path, top: &Path) -> Result<(), Error> {
    let refused = |why: &str| {
        Err(Error::usage(format!("--against: the contender `{}` {why}", contender.name)))
    };
    match &contender.target {
        Target::Attached { .. } => refused(
            "is already running (`url`), so it is not built from a revision: describe how to `build` and \
             `launch` it",
        ),
        Target::Launched(launch) if launch.directory != of_file => refused(
            "is a recipe, which no revision changes: describe how to `build` and `launch` your own program",
        ),
        Target::Launched(launch) => {
            own_paths::check_launch(launch, top).or_else(|why| refused(&why))
        }
        Target::Program(program) => {
            own_paths::check_program(program, of_file, top).or_else(|why| refused(&why))
        }
    }
}
