//! Fetches with `mvn` into a separate repository: the user's repository is neither trusted nor
//! changed. The user's settings, such as mirrors, apply.

use keeper::{Keeper, LaunchOptions, ProcessOrder, programs};
use protocol::{Artifact, Error, Software};
use std::fs;
use std::path::Path;
use std::time::Duration;
use text::shown::shown;

/// The plugin that is used, in a version with known options.
const PLUGIN: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1";

/// How long fetching may take.
const LONGEST: Duration = Duration::from_secs(3600);

/// How long mvn may take to stop.
const GRACE: Duration = Duration::from_secs(2);

/// The programs that fetching requires, and their Debian packages.
pub(crate) const PROGRAMS: [(&str, &str); 3] =
    [("java", "default-jre-headless"), ("mvn", "maven"), ("tar", "tar")];

/// Which required programs are missing on this machine, with the remedy. Returns None if none are.
pub(super) fn missing(path: &str) -> Option<String> {
    let is_missing =
        |(program, _): &&(&str, &str)| programs::find(program, path, Path::new("/")).is_err();
    let (names, packages): (Vec<&str>, Vec<&str>) =
        PROGRAMS.iter().filter(is_missing).copied().unzip();
    let (names, packages) = (names.join(", "), packages.join(" "));
    (!names.is_empty())
        .then(|| format!("not found in PATH: {names}; run: apt-get install {packages}"))
}

/// Fetches the files of the software into `to`. It works below `stage`, an existing directory, and
/// reports the number of fetched files to `count` now and then.
///
/// # Errors
/// If mvn fails, with the first line of its output that gives the reason.
pub(super) fn fetch(
    software: &Software,
    stage: &Path,
    to: &Path,
    count: &dyn Fn(usize),
) -> Result<(), Error> {
    let refused =
        |why: &str| Error::failed(format!("{} could not be fetched: {why}", software.shown()));
    fs::write(stage.join("pom.xml"), project(software))
        .map_err(|error| refused(&error.to_string()))?;
    let mut argv =
        vec!["mvn".to_owned(), "--batch-mode".to_owned(), "--strict-checksums".to_owned()];
    argv.push(format!("-Dmaven.repo.local={}", stage.join("repository").display()));
    argv.extend(goal(software, to));
    let log = stage.join("mvn.log");
    run(argv, stage, &log, &|| count(fetched(&log))).map_err(|why| {
        let first_line = first_error(&log)
            .map_or(String::new(), |first_line| format!("; its error is: {first_line}",));
        refused(&format!("{why}{first_line}"))
    })
}

/// A project that depends on the artifacts to fetch.
fn project(software: &Software) -> String {
    let dependencies = match software.artifact {
        Artifact::Archive { .. } => String::new(),
        Artifact::Jars { group, name } => format!(
            "<dependencies><dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>\
             <version>{}</version></dependency></dependencies>",
            software.version
        ),
    };
    format!(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>\
         <groupId>tiebreak</groupId><artifactId>software</artifactId><version>1</version>\
         {dependencies}</project>\n"
    )
}

/// The goal for mvn.
fn goal(software: &Software, to: &Path) -> Vec<String> {
    let to = format!("-DoutputDirectory={}", to.display());
    match software.artifact {
        Artifact::Jars { .. } => {
            let only = "-DincludeScope=runtime".to_owned();
            vec![format!("{PLUGIN}:copy-dependencies"), only, to]
        }
        Artifact::Archive { group, name, kind } => {
            let artifact = format!("-Dartifact={group}:{name}:{}:{kind}", software.version);
            vec![format!("{PLUGIN}:copy"), artifact, to]
        }
    }
}

/// Runs a program to its end, with our environment. A keeper runs it, so that no process of it is
/// left if tiebreak is killed. `meanwhile` is called now and then.
pub(super) fn run(
    argv: Vec<String>,
    cwd: &Path,
    log: &Path,
    meanwhile: &dyn Fn(),
) -> Result<(), String> {
    let text = |text: std::ffi::OsString| text.into_string().ok();
    let env = std::env::vars_os().filter_map(|(name, value)| Some((text(name)?, text(value)?)));
    let program = argv[0].clone();
    let order = ProcessOrder {
        argv,
        cwd: cwd.to_owned(),
        env: env.collect(),
        user: None,
        log: log.to_owned(),
        cores: Vec::new(),
        stop: libc::SIGTERM,
        grace: GRACE,
        group: false,
    };
    let mut keeper =
        Keeper::start(LaunchOptions::default()).map_err(|trouble| trouble.to_string())?;
    let glance = || {
        meanwhile();
        false
    };
    let ended = keeper.run(&order, LONGEST, &glance).map_err(|trouble| trouble.to_string());
    let stopped = keeper.stop().map_err(|trouble| trouble.to_string());
    match ended? {
        Some(how) if how.good() => stopped.map(drop),
        Some(how) => Err(format!("`{program}` {how}")),
        None => Err(format!("`{program}` did not end within an hour")),
    }
}

/// The number of fetched files according to a log.
fn fetched(log: &Path) -> usize {
    let text = fs::read(log).unwrap_or_default();
    String::from_utf8_lossy(&text).matches("Downloaded from").count()
}

/// The first line that begins like an error of mvn.
fn first_error(log: &Path) -> Option<String> {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let mut errors = text.lines().filter_map(|line| line.strip_prefix("[ERROR] "));
    errors.next().map(shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn missing_programs_are_reported_with_their_packages() {
        let message = missing("/nowhere").expect("nothing is there");
        assert_eq!(
            message,
            "not found in PATH: java, mvn, tar; run: apt-get install default-jre-headless \
             maven tar"
        );
    }

    #[test]
    fn each_artifact_is_requested_in_its_version() {
        let jars = super::super::named("cassandra-5.0").expect("known");
        assert!(project(jars).contains("<artifactId>cassandra-all</artifactId><version>5.0.9<"));
        assert!(goal(jars, Path::new("/to"))[0].ends_with(":copy-dependencies"));
        let archive = super::super::named("cassandra-1.2").expect("known");
        let wanted = "-Dartifact=org.apache.cassandra:apache-cassandra:1.2.8:tar.gz:bin";
        assert_eq!(goal(archive, Path::new("/to"))[1..], [wanted, "-DoutputDirectory=/to"]);
    }

    #[test]
    fn the_log_tells_how_far_it_is_and_what_went_wrong() {
        let scratch = Scratch::new();
        let log = scratch.path().join("mvn.log");
        assert_eq!((fetched(&log), first_error(&log)), (0, None));
        let text = "[INFO] Downloading from central: x\n[INFO] Downloaded from central: x\n\
                    [ERROR] no \u{1b}[1msuch thing\n[ERROR] more\n";
        fs::write(&log, text).expect("scratch");
        assert_eq!(fetched(&log), 1);
        assert_eq!(first_error(&log), Some("no \\u{1b}[1msuch thing".to_owned()));
    }
}
