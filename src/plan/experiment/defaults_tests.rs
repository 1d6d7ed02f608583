//! What `[defaults]` says about the targets, and what is built into the cache.

use super::tests::{launch, read};
use super::{Experiment, Target};
use crate::targets::launch::{LaunchCommand, Process};

/// Two contenders that differ by a variable, one with its own processes, and two that `[defaults]`
/// does not affect.
const SHARED: &str = r#"
[defaults]
url = "http://127.0.0.1:{web.port}/page"
build = [["make", "OUT={cache}"]]
prepare = [["{cache}/load", "{temp}"]]
prepare_timeout = "1m"
facts = [["web", "-v"]]
files = { "a.conf" = "listen {web.port}; db {db.port}" }
packages = { web = "web-server" }
more_ports = ["storage"]
env = { MODE = "slow", DB = "{db.port}", BUILT = "{cache}/lib.so" }
process = [
    { name = "db", launch = ["db", "{port}", "{storage.port}"], ready = { log = "up" } },
    { name = "web", launch = ["web", "{port}"] },
]

[scale.full]
defaults = { prepare_timeout = "2m", env = { MODE = "full" } }

[contender.slow]

[contender.fast]
env = { MODE = "fast" }

[contender.cached]
process = [
    { name = "db", launch = ["db", "{port}"], ready = { log = "up" } },
    { name = "cache", launch = ["cache", "{db.port}"], ready = { log = "up" } },
    { name = "web", launch = ["web", "{cache.port}"] },
]
prepare = []

[contender.runs]
url = "http://127.0.0.1:8080/"

[contender.known]
recipe = "nginx"
"#;

fn good(text: &str, scale: Option<&str>) -> Experiment {
    super::tests::read_at(text, scale).unwrap_or_else(|error| panic!("{}\n{text}", error.text))
}

fn texts(commands: &[LaunchCommand]) -> Vec<String> {
    commands.iter().map(LaunchCommand::to_string).collect()
}

fn env(process: &Process, name: &str) -> String {
    let of_name = process.context.env.iter().find(|(other, _)| other == name);
    of_name.map_or(String::new(), |(_, value)| value.to_string())
}

#[test]
fn contenders_have_what_the_defaults_say_of_a_launch() {
    let experiment = good(SHARED, None);
    for (at, mode) in [(0, "slow"), (1, "fast")] {
        let launch = launch(&experiment.contenders[at]);
        assert_eq!(launch.url.to_string(), "http://127.0.0.1:{web.port}/page");
        assert_eq!(texts(&launch.build), ["make OUT={cache}"]);
        assert_eq!(texts(&launch.prepare), ["{cache}/load {temp}"]);
        assert_eq!(launch.prepare_timeout.as_secs(), 60);
        assert_eq!(texts(&launch.facts), ["web -v"]);
        assert_eq!(launch.files[0].text.to_string(), "listen {web.port}; db {db.port}");
        assert_eq!(launch.packages["web"], "web-server");
        let [db, web] = launch.processes.as_slice() else { panic!("two processes") };
        assert_eq!(db.command.to_string(), "db {port} {storage.port}");
        assert_eq!((db.name.as_str(), web.name.as_str()), ("db", "web"));
        assert_eq!((env(web, "MODE").as_str(), env(web, "DB").as_str()), (mode, "{db.port}"));
        assert_eq!(env(db, "BUILT"), "{cache}/lib.so");
    }
}

#[test]
fn what_a_contender_says_itself_replaces_it() {
    let experiment = good(SHARED, None);
    let cached = launch(&experiment.contenders[2]);
    let names: Vec<&str> = cached.processes.iter().map(|process| process.name.as_str()).collect();
    assert_eq!(names, ["db", "cache", "web"]);
    assert!(cached.prepare.is_empty());
    assert_eq!(texts(&cached.build), ["make OUT={cache}"]);
    let Target::Attached { url, .. } = &experiment.contenders[3].target else { panic!("runs") };
    assert_eq!(url.to_string(), "http://127.0.0.1:8080/");
    let nginx = launch(&experiment.contenders[4]);
    assert!(nginx.build.is_empty() && nginx.processes[0].command.to_string().contains("nginx"));
    let alone = "[defaults]\nprocess = [{ name = 'web', launch = ['web'] }]\n\
                 [contender.alone]\nlaunch = ['alone', '{port}']\n";
    let alone = good(alone, None);
    let alone = launch(&alone.contenders[0]);
    assert_eq!(alone.processes.len(), 1);
    assert_eq!(alone.processes[0].command.to_string(), "alone {port}");
}

#[test]
fn a_scale_comes_before_the_defaults() {
    let experiment = good(SHARED, Some("full"));
    let [slow, fast] = [0, 1].map(|at| launch(&experiment.contenders[at]));
    assert_eq!(slow.prepare_timeout.as_secs(), 120);
    assert_eq!(env(&slow.processes[1], "MODE"), "full");
    assert_eq!(env(&fast.processes[1], "MODE"), "fast", "the contender's own comes first");
}

#[test]
fn what_is_wrong_is_reported_with_its_place() {
    let none = "this key is only for contenders that the file launches, but none of them has a \
                `launch` or a `process`";
    let known = "`build` can use {cache}, the directory that it builds into, and {folder}, the directory \
                 of this file";
    let cases = [
        (
            "[defaults]\nprepare = [['a']]\n[contender.a]\nurl = 'http://h/'\n".to_owned(),
            format!("e.toml:2: defaults.prepare: {none}"),
        ),
        (
            "[defaults]\nfresh = true\n[contender.a]\nrecipe = 'nginx'\n".to_owned(),
            format!("e.toml:2: defaults.fresh: {none}"),
        ),
        (
            "[defaults]\nenv = { A = '{db.port}' }\n[contender.a]\nlaunch = ['a']\n".to_owned(),
            "e.toml:2: defaults.env.A: no process is called `db`: a".to_owned(),
        ),
        (
            "[defaults]\nlaunch = ['a']\nprocess = []\n[contender.a]\n".to_owned(),
            "e.toml:3: defaults.process: `process` cannot be combined with `launch`: give \
             one".to_owned(),
        ),
        (
            "[defaults]\nlaunch = ['a', '{cache}']\n[contender.a]\n".to_owned(),
            "e.toml:2: defaults.launch[1]: {cache} is valid only with `build`: list the \
             commands there"
                .to_owned(),
        ),
        (
            "[contender.a]\nlaunch = ['a']\nbuild = [['make', '{temp}']]\n".to_owned(),
            format!("e.toml:3: contender.a.build[0][1]: {{temp}} has no meaning here: {known}"),
        ),
        (
            "[defaults]\nprocess = [\n{ name = 'a', lanch = ['a'] }]\n[contender.a]\n".to_owned(),
            "e.toml:3: defaults.process[0].lanch: this key is not known; did you mean `launch`?"
                .to_owned(),
        ),
        (
            "[scale.full.defaults]\nprepare = 1\n[contender.a]\nlaunch = ['a']\n".to_owned(),
            "e.toml:2: scale.full.defaults.prepare: must be a list, not a number".to_owned(),
        ),
        (
            "[defaults]\nenv = { A = '{temp}' }\n[contender.a]\nurl = 'exec:true'\n".to_owned(),
            "e.toml:4: contender.a.url: the variable `A` of [defaults] has {temp}, which is \
             valid only for targets that tiebreak launches"
                .to_owned(),
        ),
        (
            "[defaults]\nurl = 'http://h/'\n[contender.a]\nurl = 'ftp://x/'\n[contender.b]\npid = 0\n"
                .to_owned(),
            "e.toml:4: contender.a.url: the scheme `ftp` is not known".to_owned(),
        ),
    ];
    for (text, wanted) in cases {
        let error = read(&text).err().unwrap_or_else(|| panic!("it is refused: {text}"));
        assert!(error.text.starts_with(&wanted), "{}\ninstead of {wanted}", error.text);
    }
}
