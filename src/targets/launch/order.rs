//! What is to be launched and how, as an experiment file or a recipe says it.

use crate::targets::launch::command::LaunchCommand;
use crate::targets::launch::template::Text;
use protocol::Software;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How to launch a target.
#[derive(Clone)]
pub struct Launch {
    /// The contender's name, which is also the name of its logs.
    pub name: String,
    /// A description of one line, for people.
    pub about: Option<String>,
    /// The address at which it is driven.
    pub url: Text,
    /// The absolute path of the directory of the file.
    pub directory: PathBuf,
    /// The directory that it serves. None means a page of 87 bytes.
    pub site: Option<PathBuf>,
    /// The directory in which its temporary directory is created. None means that of the system.
    pub temp: Option<PathBuf>,
    /// Whether each launch begins with an empty temporary directory.
    pub fresh: bool,
    /// The files that are written into its temporary directory.
    pub files: Vec<File>,
    /// What the user can choose, in the order of the file.
    pub choices: Vec<Choice>,
    /// The software that it needs, if no package contains that.
    pub(crate) software: Option<&'static Software>,
    /// Names of further ports that it needs in addition to one for each process.
    pub more_ports: Vec<String>,
    /// The hosts of its nodes, if its address has several: process *n* is node *n*, and all
    /// are launched at once. If empty, its processes are launched one after the other.
    pub nodes: Vec<String>,
    /// The snapshot that it is launched from, if it is a revision of a repository.
    pub snapshot: Option<Snapshot>,
    /// The same launch from each further build of the revision (`--rebuilds`), in the order of launches.
    pub rebuilt: Vec<Launch>,
    /// Commands that build into the user's cache. They run to completion before `prepare`.
    pub build: Vec<LaunchCommand>,
    /// Commands that run to completion once, before the first launch.
    pub prepare: Vec<LaunchCommand>,
    /// The longest time that each command of `prepare` may take.
    pub prepare_timeout: Duration,
    /// Commands whose first line of output is recorded.
    pub facts: Vec<LaunchCommand>,
    /// The surroundings in which `prepare` and `facts` run.
    pub context: ProcessContext,
    /// The Debian packages of programs, and of files by their path, that may be missing.
    pub packages: BTreeMap<String, String>,
    /// The processes, in the order in which they are started. The last one is driven, or all of
    /// them if they are nodes.
    pub processes: Vec<Process>,
}

impl Launch {
    /// What is launched at the launch with this number, from 1: each build of a revision in turn.
    pub(crate) fn at(&self, launch: u32) -> &Launch {
        let builds = self.rebuilt.len() + 1;
        match (launch.max(1) as usize - 1) % builds {
            0 => self,
            further => &self.rebuilt[further - 1],
        }
    }

    /// Launches it from a snapshot, if its directory is that of an experiment file: that of a recipe is another.
    pub(crate) fn move_to(&mut self, of_file: &Path, snapshot: &Snapshot) {
        if self.directory == of_file {
            self.directory.clone_from(&snapshot.directory);
        }
        self.snapshot = Some(snapshot.clone());
    }

    /// Gives the launch the name of a contender. A single process gets this name, too. Several
    /// processes keep their names, because they refer to each other's ports by them.
    pub(crate) fn rename(&mut self, name: &str) {
        self.name = name.to_owned();
        if let [alone] = &mut self.processes[..] {
            alone.name = name.to_owned();
        }
    }
}

/// A snapshot of a revision in which the `build` commands ran already. It has no `Debug` because an
/// environment can contain secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The directory that stands for that of the experiment file.
    pub directory: PathBuf,
    /// The directory that was built into: `{cache}`.
    pub cache: PathBuf,
    /// The variables that its programs get beside those of the file, instead of [`inherited`] ones.
    ///
    /// [`inherited`]: super::inherited
    pub env: Vec<(String, String)>,
}

/// A file in the temporary directory.
#[derive(Clone)]
pub struct File {
    /// Its path in the directory. A path that contains `{process}` is written for each process.
    pub path: String,
    /// Its content.
    pub text: Text,
}

impl File {
    /// Whether it is written for each process.
    pub(crate) fn is_of_each_process(&self) -> bool {
        self.path.contains(PROCESS)
    }

    pub(crate) fn path_for(&self, process: &str) -> String {
        self.path.replace(PROCESS, process)
    }
}

/// The placeholder for the name of a process in the path of a file.
const PROCESS: &str = "{process}";

/// Something that the user of a recipe can choose. What was chosen is a fact of the launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its name.
    pub name: String,
    /// The word that was chosen.
    pub chosen: String,
    /// The words that can be chosen, each with the text that then replaces `{choice.NAME}`. If
    /// empty, any word can be chosen, and is the text itself.
    pub options: Vec<(String, String)>,
}

impl Choice {
    /// The text that replaces `{choice.NAME}`.
    pub(crate) fn text(&self) -> String {
        let option = self.options.iter().find(|(word, _)| *word == self.chosen);
        option.map_or_else(|| self.chosen.clone(), |(_, text)| text.clone())
    }
}

/// One process of a launched target.
#[derive(Clone)]
pub struct Process {
    /// Its name, or that of the contender if this is its only process.
    pub name: String,
    /// The command that is started.
    pub command: LaunchCommand,
    /// The surroundings in which it runs.
    pub context: ProcessContext,
    /// The condition under which it counts as ready.
    pub ready: ReadyCondition,
    /// The signal that asks it to stop.
    pub stop: i32,
    /// The longest time that it may take to stop.
    pub stop_grace: Duration,
    /// The cores that it is pinned to. None means the cores for targets.
    pub cores: Option<Vec<u32>>,
    /// When it is pinned.
    pub cores_from: CoresFrom,
}

/// The directory, the environment and the user of a program.
#[derive(Clone, Default)]
pub struct ProcessContext {
    /// The working directory, relative to the directory of the experiment file.
    pub cwd: Option<Text>,
    /// Environment variables in addition to PATH, HOME, LANG and TMPDIR.
    pub env: Vec<(String, Text)>,
    /// The user as whom it runs. None means the user of tiebreak.
    pub user: Option<String>,
}

/// When a process is pinned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoresFrom {
    /// Before it starts.
    #[default]
    Start,
    /// When it is ready, because some programs start as many threads as they find cores.
    Ready,
}

/// The condition under which a process counts as ready.
#[derive(Clone)]
pub struct ReadyCondition {
    /// The sign that shows it.
    pub sign: ReadySign,
    /// Texts that must also be in its log.
    pub also_log: Vec<Text>,
    /// The longest time to wait for it.
    pub timeout: Duration,
}

/// The sign that a process is ready.
#[derive(Clone)]
pub enum ReadySign {
    /// A reply to a request.
    Reply {
        /// The path of the request. None means the path of the target's address.
        path: Option<Text>,
        /// The accepted statuses. An empty list means 200 to 299.
        expect: Vec<u16>,
        /// The length that its body must have, in bytes.
        bytes: Option<u64>,
    },
    /// A text in its log.
    Log(Text),
    /// A program that exits with status 0.
    Run(LaunchCommand),
}
