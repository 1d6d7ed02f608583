//! What is to be launched, and how: as a file says it, settled.

use crate::launch::command::Command;
use crate::launch::template::Text;
use crate::software::Software;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// How to launch a target.
#[derive(Clone)]
pub struct Launch {
    /// The contender's name: its logs are called after it.
    pub name: String,
    /// A line for people.
    pub about: Option<String>,
    /// Where it is driven.
    pub url: Text,
    /// The folder of the file, absolute.
    pub folder: PathBuf,
    /// What it serves. None means a page of 87 bytes.
    pub site: Option<PathBuf>,
    /// The folder that its temporary folder is made in. None means the system's.
    pub temp: Option<PathBuf>,
    /// It begins each launch with an empty temporary folder.
    pub fresh: bool,
    /// Written into its temporary folder, by path.
    pub files: Vec<File>,
    /// What its user can choose, in the order of the file.
    pub choices: Vec<Choice>,
    /// The software that it is part of, where no package brings that.
    pub(crate) software: Option<&'static Software>,
    /// Names of ports that it needs beside one for each process.
    pub more_ports: Vec<String>,
    /// The hosts of its nodes, where its address has several: process *n* is node *n*, and
    /// all are launched at once. Empty: its processes are launched one after the other.
    pub nodes: Vec<String>,
    /// Run to their end before anything is prepared: they build into the user's cache.
    pub build: Vec<Command>,
    /// Run to their end, once, before the first launch.
    pub prepare: Vec<Command>,
    /// How long each of them may take.
    pub prepare_timeout: Duration,
    /// Their first line is recorded.
    pub facts: Vec<Command>,
    /// Where `prepare` and `facts` run.
    pub around: Around,
    /// Debian's package for a program that may be missing.
    pub packages: BTreeMap<String, String>,
    /// Started in this order. The last one is driven; of several nodes all are.
    pub processes: Vec<Process>,
}

impl Launch {
    /// A process that is alone is called after its contender. Several keep their names:
    /// they speak of each other's ports by them.
    pub(crate) fn rename(&mut self, name: &str) {
        self.name = name.to_owned();
        if let [alone] = &mut self.processes[..] {
            alone.name = name.to_owned();
        }
    }
}

/// A file in the temporary folder.
#[derive(Clone)]
pub struct File {
    /// Its path there. One with `{process}` in it is written for each process.
    pub path: String,
    /// What is in it.
    pub text: Text,
}

impl File {
    /// Whether there is one for each process.
    pub(crate) fn is_of_each_process(&self) -> bool {
        self.path.contains(PROCESS)
    }

    /// Its path for the process of this name.
    pub(crate) fn path_for(&self, process: &str) -> String {
        self.path.replace(PROCESS, process)
    }
}

/// What stands for the name of a process in the path of a file.
const PROCESS: &str = "{process}";

/// Something that the user of a recipe can choose. What was chosen is a fact of the launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What it is called.
    pub name: String,
    /// What was chosen: a word.
    pub chosen: String,
    /// What can be chosen, and what `{choice.NAME}` then stands for. Empty: any word, which
    /// stands for itself.
    pub options: Vec<(String, String)>,
}

impl Choice {
    /// What `{choice.NAME}` stands for.
    pub(crate) fn text(&self) -> String {
        let option = self.options.iter().find(|(word, _)| *word == self.chosen);
        option.map_or_else(|| self.chosen.clone(), |(_, text)| text.clone())
    }
}

/// One process of a launched target.
#[derive(Clone)]
pub struct Process {
    /// Its name; the contender's where it has only one.
    pub name: String,
    /// What is started.
    pub command: Command,
    /// Where and as whom.
    pub around: Around,
    /// When it counts as ready.
    pub ready: Ready,
    /// The signal that asks it to stop.
    pub stop: i32,
    /// How long it may take to stop.
    pub stop_grace: Duration,
    /// The cores that it is pinned to. None means those that are left for targets.
    pub cores: Option<Vec<u32>>,
    /// From when on.
    pub cores_from: CoresFrom,
}

/// Where and as whom programs run.
#[derive(Clone, Default)]
pub struct Around {
    /// The folder; relative to that of the experiment file.
    pub cwd: Option<Text>,
    /// Variables beside PATH, HOME, LANG and TMPDIR.
    pub env: Vec<(String, Text)>,
    /// The user.
    pub user: Option<String>,
}

/// From when on a process is pinned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoresFrom {
    /// Before it starts.
    #[default]
    Start,
    /// Once it is ready: some programs start their threads by the cores that
    /// they find.
    Ready,
}

/// When a process counts as ready.
#[derive(Clone)]
pub struct Ready {
    /// What is looked at.
    pub sign: Sign,
    /// Texts that must be in its log beside that.
    pub also_log: Vec<Text>,
    /// How long to wait for it.
    pub timeout: Duration,
}

/// What tells that a process is ready.
#[derive(Clone)]
pub enum Sign {
    /// A reply over HTTP.
    Http {
        /// What is asked for. None means the path of the target's address.
        path: Option<Text>,
        /// The statuses that will do. An empty list means 200 to 299.
        expect: Vec<u16>,
        /// How long its body must be.
        bytes: Option<u64>,
    },
    /// A text in its log.
    Log(Text),
    /// A program that ends with status 0.
    Run(Command),
}
