//! From a launch as it was written to orders for a keeper.

use crate::plan::experiment::{Around, Command, Launch, Process, Values};
use crate::targets::keeper::{ProcessOrder, programs, user};
use crate::targets::url::Url;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where Debian keeps servers, and where the PATH of a user does not look.
const SERVERS: &str = "/usr/sbin:/sbin";
/// PostgreSQL's are apart, by version.
const POSTGRES: &str = "/usr/lib/postgresql";

/// Where the target is driven. The path of a unix socket stands in an address
/// with its slashes encoded, and so does a folder in it.
pub(super) fn url(launch: &Launch, values: &Values) -> String {
    let url = launch.url.to_string();
    if !url.split(':').next().is_some_and(|scheme| scheme.ends_with("+unix")) {
        return launch.url.fill(values);
    }
    let encoded = |folder: &Path| {
        let bytes = folder.as_os_str().as_encoded_bytes().iter();
        let encode = |byte: &u8| match byte.is_ascii_alphanumeric() || b"-._".contains(byte) {
            true => char::from(*byte).to_string(),
            false => format!("%{byte:02X}"),
        };
        PathBuf::from(bytes.map(encode).collect::<String>())
    };
    let (temp, folder) = (encoded(&values.temp), encoded(&values.folder));
    launch.url.fill(&Values { temp, folder, ..values.clone() })
}

/// The same before there are ports: with others in their place.
pub(super) fn address(launch: &Launch) -> Option<Url> {
    let ports = launch.processes.iter().map(|process| (process.name.clone(), 1)).collect();
    Url::parse(&url(launch, &Values { port: 1, ports, ..Values::default() })).ok()
}

/// The order for one process.
pub(super) fn process(
    launch: &Launch,
    process: &Process,
    values: &Values,
    log: PathBuf,
) -> ProcessOrder {
    let mut order = command(launch, &process.command, &process.around, values, log);
    order.stop = process.stop;
    order.grace = process.stop_grace;
    order
}

/// The order for a program that runs to its end.
pub(super) fn command(
    launch: &Launch,
    command: &Command,
    around: &Around,
    values: &Values,
    log: PathBuf,
) -> ProcessOrder {
    ProcessOrder {
        argv: command.fill(values),
        cwd: cwd(launch, around, values),
        env: environment(around, values),
        user: around.user.clone(),
        log,
        cores: Vec::new(),
        stop: libc::SIGTERM,
        grace: Duration::from_secs(1),
        group: command.shell,
    }
}

fn cwd(launch: &Launch, around: &Around, values: &Values) -> PathBuf {
    match &around.cwd {
        Some(cwd) => launch.folder.join(cwd.fill(values)),
        None => launch.folder.clone(),
    }
}

/// PATH, HOME, LANG and TMPDIR as we have them, and what is named. Nothing
/// else of ours: a target must not depend on the shell that tiebreak is run
/// from.
fn environment(around: &Around, values: &Values) -> Vec<(String, String)> {
    let mut all = inherited(around.user.as_deref());
    for (name, value) in &around.env {
        all.retain(|(other, _)| other != name);
        all.push((name.clone(), value.fill(values)));
    }
    all
}

/// What a program that runs as this user (none: as we do) gets of ours.
pub(crate) fn inherited(user: Option<&str>) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for name in ["PATH", "HOME", "LANG", "TMPDIR"] {
        let ours = std::env::var(name).ok();
        let value = match (name, user) {
            ("PATH", _) => {
                let ours = ours.as_deref().unwrap_or("/usr/bin:/bin");
                Some(format!("{ours}:{SERVERS}{}", newest_postgres()))
            }
            ("HOME", Some(user)) => user::find(user).ok().map(|user| user.home),
            _ => ours,
        };
        all.extend(value.map(|value| (name.to_owned(), value)));
    }
    all
}

/// Where the newest PostgreSQL of Debian has its programs, behind a colon.
fn newest_postgres() -> String {
    let versions = std::fs::read_dir(POSTGRES).into_iter().flatten().flatten();
    let number = |name: std::ffi::OsString| name.to_str()?.parse::<u32>().ok();
    let newest = versions.filter_map(|version| number(version.file_name())).max();
    newest.map_or(String::new(), |version| format!(":{POSTGRES}/{version}/bin"))
}

/// The first program of a launch that is not installed, in a sentence with
/// Debian's package. Programs with a path are left out: `prepare` may build
/// them.
pub(super) fn missing(launch: &Launch, values: &Values) -> Option<String> {
    let before = launch.prepare.iter().chain(&launch.facts).map(|it| (it, &launch.around));
    let processes = launch.processes.iter().map(|it| (&it.command, &it.around));
    before.chain(processes).find_map(|(command, around)| {
        let program = command.fill(values).into_iter().next()?;
        let environment = environment(around, values);
        let path = environment.iter().find(|(name, _)| name == "PATH").map_or("", |(_, path)| path);
        if program.contains('/') || programs::find(&program, path, Path::new("/")).is_ok() {
            return None;
        }
        let remedy = match launch.packages.get(&program) {
            Some(package) => format!(": apt-get install {package}"),
            None => ": install it, or give its path".to_owned(),
        };
        let program = crate::shown::shown(&program);
        Some(format!("the program `{program}` is not installed (not found in PATH){remedy}"))
    })
}
