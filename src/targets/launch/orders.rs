//! Converts a launch to orders for a keeper.

use crate::protocols::PROTOCOLS;
use crate::targets::launch::{Launch, LaunchCommand, Process, ProcessContext, Values};
use keeper::{ProcessOrder, programs, user};
use protocol::address::Url;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use text::percent;
use text::shown::shown;

/// The directories in which Debian installs servers, which are not in the PATH of a user.
const SERVERS: &str = "/usr/sbin:/sbin";

impl Values {
    pub(super) fn for_process(&self, launch: &Launch, number: usize) -> Values {
        let name = &launch.processes[number].name;
        let host = launch.nodes.get(number).map_or("127.0.0.1", String::as_str);
        Values {
            port: self.ports.get(name).copied().unwrap_or(0),
            process: name.clone(),
            host: host.to_owned(),
            ..self.clone()
        }
    }
}

/// The address at which the target is driven. In the address of a unix socket the slashes of
/// the path, and thus of a directory in it, are encoded.
pub(super) fn url(launch: &Launch, values: &Values) -> String {
    let url = launch.url.to_string();
    if !url.split(':').next().is_some_and(|scheme| scheme.ends_with("+unix")) {
        return launch.url.fill(values);
    }
    let encoded = |directory: &Path| {
        PathBuf::from(percent::encoded(directory.as_os_str().as_encoded_bytes()))
    };
    let (temp, directory) = (encoded(&values.temp), encoded(&values.directory));
    launch.url.fill(&Values { temp, directory, ..values.clone() })
}

/// The address of a launch before ports are chosen, with the port 1 instead.
pub(crate) fn address(launch: &Launch) -> Result<Url, String> {
    PROTOCOLS.url(&address_at(launch, 1))
}

/// The address of a launch once this port was chosen.
pub(crate) fn address_at(launch: &Launch, port: u16) -> String {
    let ports = launch.processes.iter().map(|process| (process.name.clone(), port)).collect();
    url(launch, &Values { port, ports, ..Values::default() })
}

pub(super) fn process(
    launch: &Launch,
    process: &Process,
    values: &Values,
    log: PathBuf,
) -> ProcessOrder {
    let mut order = command(launch, &process.command, &process.context, values, log);
    order.stop = process.stop;
    order.grace = process.stop_grace;
    order
}

/// The order for a program that runs to completion.
pub(super) fn command(
    launch: &Launch,
    command: &LaunchCommand,
    context: &ProcessContext,
    values: &Values,
    log: PathBuf,
) -> ProcessOrder {
    ProcessOrder {
        argv: command.fill(values),
        cwd: cwd(launch, context, values),
        env: environment(launch, context, values),
        user: context.user.clone(),
        log,
        cores: Vec::new(),
        stop: libc::SIGTERM,
        grace: Duration::from_secs(1),
        group: command.shell,
    }
}

fn cwd(launch: &Launch, context: &ProcessContext, values: &Values) -> PathBuf {
    match &context.cwd {
        Some(cwd) => launch.directory.join(cwd.fill(values)),
        None => launch.directory.clone(),
    }
}

/// PATH, HOME, LANG and TMPDIR of tiebreak, and the variables that the launch names. Nothing
/// else is inherited, because a target must not depend on the shell in which tiebreak is run. A revision that
/// was built gets those of its snapshot.
pub(crate) fn environment(
    launch: &Launch,
    context: &ProcessContext,
    values: &Values,
) -> Vec<(String, String)> {
    let mut all = match &launch.snapshot {
        Some(snapshot) => snapshot.env.clone(),
        None => inherited(context.user.as_deref()),
    };
    for (name, value) in &context.env {
        all.retain(|(other, _)| other != name);
        all.push((name.clone(), value.fill(values)));
    }
    all
}

/// The variables that a program inherits if it runs as this user. None means the user of
/// tiebreak.
pub(crate) fn inherited(user: Option<&str>) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for name in ["PATH", "HOME", "LANG", "TMPDIR"] {
        let ours = std::env::var(name).ok();
        let value = match (name, user) {
            ("PATH", _) => {
                let ours = ours.as_deref().unwrap_or("/usr/bin:/bin");
                Some(format!("{ours}:{SERVERS}{}", newest_servers()))
            }
            ("HOME", Some(user)) => user::find(user).ok().map(|user| user.home),
            _ => ours,
        };
        all.extend(value.map(|value| (name.to_owned(), value)));
    }
    all
}

/// The directories with the programs of the newest servers that are in no directory of PATH, each after a
/// colon.
fn newest_servers() -> String {
    let directories = PROTOCOLS.iter().filter_map(|row| row.programs);
    directories.filter_map(newest).map(|directory| format!(":{directory}")).collect()
}

/// The directory of the newest version that has this program of a server. A newer client has a directory of
/// its own, without it.
fn newest((programs, server): (&str, &str)) -> Option<String> {
    let versions = std::fs::read_dir(programs).ok()?.flatten();
    let number = |name: std::ffi::OsString| name.to_str()?.parse::<u32>().ok();
    let directory = |version: u32| format!("{programs}/{version}/bin");
    let has_server = |version: &u32| Path::new(&directory(*version)).join(server).exists();
    let numbers = versions.filter_map(|version| number(version.file_name()));
    numbers.filter(has_server).max().map(directory)
}

/// Something that a launch needs and this machine lacks.
pub(crate) struct Missing {
    /// Its description.
    what: String,
    /// The Debian package that contains it.
    pub(crate) package: Option<String>,
    /// What to do without a package.
    remedy: &'static str,
}

const INSTALL: &str = "install it, or give its path";

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.package {
            Some(package) => write!(f, "{}: apt-get install {package}", self.what),
            None => write!(f, "{}: {}", self.what, self.remedy),
        }
    }
}

/// A program that is not in the PATH of this environment. Returns None if it is in PATH, or if
/// the program is given by its path.
pub(crate) fn missing_program(
    program: &str,
    environment: &[(String, String)],
    package: Option<String>,
) -> Option<Missing> {
    let path = environment.iter().find(|(name, _)| name == "PATH").map_or("", |(_, path)| path);
    if program.contains('/') || programs::find(program, path, Path::new("/")).is_ok() {
        return None;
    }
    let what = format!("the program `{}` is not installed (not found in PATH)", shown(program));
    Some(Missing { what, package, remedy: INSTALL })
}

/// Programs of a launch that are not installed, and files in its `packages` that do not exist.
/// Programs that are given by their path are left out, because `prepare` may build them.
pub(super) fn missing(launch: &Launch, values: &Values) -> Vec<Missing> {
    let before = launch.build.iter().chain(&launch.prepare).chain(&launch.facts);
    let before = before.map(|it| (it, &launch.context));
    let processes = launch.processes.iter().map(|it| (&it.command, &it.context));
    let programs = before.chain(processes).filter_map(|(command, context)| {
        let program = command.fill(values).into_iter().next()?;
        let package = launch.packages.get(&program).cloned();
        missing_program(&program, &environment(launch, context, values), package)
    });
    let files = launch.packages.iter().filter(|(file, _)| file.starts_with('/'));
    let files = files.filter(|(file, _)| !any_exists(file)).map(|(file, package)| {
        let what = format!("the file `{}` does not exist", shown(file));
        Missing { what, package: Some(package.clone()), remedy: INSTALL }
    });
    let contexts = launch.processes.iter().map(|it| &it.context).chain([&launch.context]);
    let directories = contexts.filter_map(|context| missing_directory(launch, context));
    programs.chain(files).chain(directories).collect()
}

/// The directory of a process if it does not exist. `build` and `prepare` may create one, and one with a
/// placeholder exists later.
fn missing_directory(launch: &Launch, context: &ProcessContext) -> Option<Missing> {
    let given = context.cwd.as_ref()?;
    let comes_later = given.placeholders().next().is_some()
        || !launch.build.is_empty()
        || !launch.prepare.is_empty();
    let directory = cwd(launch, context, &Values::default());
    (!comes_later && !directory.is_dir()).then(|| no_directory(&directory))
}

/// A directory that a program was to run in.
pub(crate) fn no_directory(directory: &Path) -> Missing {
    let what = format!("the directory `{}` does not exist", shown(directory.display().to_string()));
    Missing { what, package: None, remedy: "create it, or correct `cwd`" }
}

/// Whether there is a file at this path. A `*` in the name of a file or directory matches any text,
/// such as the version that Debian puts there.
fn any_exists(pattern: &str) -> bool {
    let mut found = vec![PathBuf::from("/")];
    for name in pattern.split('/').filter(|name| !name.is_empty()) {
        found = match name.split_once('*') {
            Some(around) => found.iter().flat_map(|path| matching(path, around)).collect(),
            None => found.iter().map(|path| path.join(name)).collect(),
        };
    }
    found.iter().any(|path| path.exists())
}

/// The entries of a directory whose name begins and ends so.
fn matching(directory: &Path, (before, after): (&str, &str)) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let is_it = |name: &str| name.strip_prefix(before).is_some_and(|rest| rest.ends_with(after));
    let named = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_it));
    named.map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::any_exists;

    #[test]
    fn a_star_in_the_path_of_a_file_matches_any_text() {
        for (pattern, exists) in [
            ("/proc/self/status", true),
            ("/proc/self/nothing", false),
            ("/proc/sel*/status", true),
            ("/proc/*/status", true),
            ("/proc/self/sta*us", true),
            ("/proc/self/*", true),
            ("/proc/self/status*", true),
            ("/proc/self/statuss*s", false),
            ("/proc/*/nothing", false),
            ("/proc/self/status/*", false),
            ("/nothing/*", false),
        ] {
            assert_eq!(any_exists(pattern), exists, "{pattern}");
        }
    }
}
