use super::*;
use crate::scratch::Scratch;
use crate::targets::launch::{CoresFrom, Launch, LaunchCommand, Process, ReadySign, Text, Values};
use std::ffi::OsString;
use std::time::Duration;

pub(super) fn environment(name: &str) -> Option<OsString> {
    (name == "TOKEN").then(|| "CANARY".into())
}

pub(super) fn read(text: &str) -> Result<Experiment, Error> {
    read_at(text, None)
}

pub(super) fn read_at(text: &str, scale: Option<&str>) -> Result<Experiment, Error> {
    let source = Source {
        name: "e.toml".to_owned(),
        directory: "/here".into(),
        text,
        environment: &environment,
        secrets: RefCell::default(),
    };
    parse(&source, scale)
}

fn read_file(path: &Path) -> Result<Experiment, Error> {
    Experiment::parse(&FileText::read(path)?, None, &environment)
}

fn good(text: &str) -> Experiment {
    read(text).unwrap_or_else(|error| panic!("{}\n{text}", error.text))
}

pub(super) fn launch(contender: &Contender) -> &Launch {
    match &contender.target {
        Target::Launched(launch) => launch,
        _ => panic!("it is not launched"),
    }
}

pub(super) const FULL: &str = r#"
contenders = ["mine", "old", "nginx"]
rounds = 12
round = "500ms"
sweep = { rate = ["1k/s", 5000] }
warm_up = "2s"
interleave = "turns"
seed = 7
generator_cores = 1
matters = "2%"
confidence = "99%"
all_pairs = true
restarts = 10

[defaults]
connections = 500
timeout = "10s"
headers = { Accept = "text/html", X-Token = "Bearer ${TOKEN}" }
env = { LEVEL = "low", MODE = "fast" }
stop_grace = "2s"
cores = [0]

[contender.old]
url = "http://user:${TOKEN}@127.0.0.1:8080/page?key=${TOKEN}"
pid = 4711
connections = 10
rate = "5k/s"
arrivals = "poisson"
reuse = 100
expect = [200, 304]

[contender.mine]
about = "a server with a helper"
url = "http://127.0.0.1:{web.port}/index.html"
prepare = [["make", "-C", "{folder}", "server"], ["initdb", "{temp}/data"]]
prepare_timeout = "20m"
facts = [["./server", "--version"]]
packages = { initdb = "postgresql" }
user = "postgres"
data = "x=1"

[contender.mine.files]
"etc/server.conf" = "listen {web.port}; token ${TOKEN}; location / { }"

[[contender.mine.process]]
name = "db"
launch = ["./db", "{port}", "a b", "it's"]
ready = { log = "ready on {port}", timeout = "1m" }
stop = "INT"
stop_grace = "1m"
cwd = "data"
env = { LEVEL = "high", DB_TOKEN = "${TOKEN}" }

[[contender.mine.process]]
name = "web"
shell = true
launch = "./server --db {db.port} | tee x"
ready = { expect = 204, path = "/health", bytes = 0 }
cores = [0, 1]
cores_from = "ready"

[contender.spare]
launch = ["spare"]
"#;

#[test]
fn everything_that_can_be_said_is_understood() {
    let experiment = good(FULL);
    let names: Vec<&str> = experiment.contenders.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["mine", "old", "nginx"]);
    let sweep = experiment.run.sweep.as_ref();
    let sweep = sweep.map(|sweep| (sweep.factor, sweep.values.as_slice()));
    assert_eq!(sweep, Some((record::Factor::Rate, [1000.0, 5000.0].as_slice())));
    let run = &experiment.run.settings;
    assert_eq!((run.rounds, run.seed, run.launches), (Some(12), Some(7), Some(10)));
    assert_eq!(
        (run.round, run.warm_up),
        (Some(Duration::from_millis(500)), Some(Duration::from_secs(2)))
    );
    assert_eq!((run.matters, run.confidence, run.slice), (Some(0.02), Some(0.99), None));
    assert_eq!(run.interleave, Some(record::Interleave::Turns));
    assert_eq!((run.all_pairs, run.expect_different, run.until_decided), (true, false, false));
}

#[test]
fn an_attached_contender_has_its_settings_over_the_defaults() {
    let experiment = good(FULL);
    let old = &experiment.contenders[1];
    let Target::Attached { url } = &old.target else { panic!("it is launched") };
    assert_eq!(old.settings.pids, Some(vec![4711]));
    assert_eq!(url.to_string(), "http://user:${TOKEN}@127.0.0.1:8080/page?key=${TOKEN}");
    let filled = url.fill(&Values::default());
    assert_eq!(filled, "http://user:CANARY@127.0.0.1:8080/page?key=CANARY");
    let settings = &old.settings;
    assert_eq!((settings.connections, settings.rate), (Some(10), Some(5000.0)));
    assert_eq!(settings.reuse, Some(record::Reuse::Times(100)));
    assert_eq!(settings.expect, Some(vec![200, 304]));
    assert_eq!(settings.timeout, Some(Duration::from_secs(10)));
    let headers: Vec<_> =
        settings.headers.iter().map(|(n, v)| (n.as_str(), v.as_slice())).collect();
    assert_eq!(headers, [("Accept", &b"text/html"[..]), ("X-Token", b"Bearer CANARY")]);
}

#[test]
fn processes_have_their_own_keys_over_the_contenders_over_the_defaults() {
    let experiment = good(FULL);
    let mine = launch(&experiment.contenders[0]);
    let [db, web] = mine.processes.as_slice() else { panic!("two processes") };
    assert_eq!((db.name.as_str(), web.name.as_str()), ("db", "web"));
    assert_eq!((db.stop, web.stop), (libc::SIGINT, libc::SIGTERM));
    assert_eq!((db.stop_grace.as_secs(), web.stop_grace.as_secs()), (60, 2));
    assert_eq!((db.cores.as_deref(), web.cores.as_deref()), (Some(&[0][..]), Some(&[0, 1][..])));
    assert_eq!((db.cores_from, web.cores_from), (CoresFrom::Start, CoresFrom::Ready));
    assert_eq!(db.context.user.as_deref(), Some("postgres"));
    assert_eq!(db.context.cwd.as_ref().map(Text::to_string).as_deref(), Some("data"));
    let env = |process: &Process| -> Vec<String> {
        process.context.env.iter().map(|(name, value)| format!("{name}={value}")).collect()
    };
    assert_eq!(env(db), ["MODE=fast", "LEVEL=high", "DB_TOKEN=${TOKEN}"]);
    assert_eq!(env(web), ["LEVEL=low", "MODE=fast"]);
    assert!(
        matches!(&db.ready.sign, ReadySign::Log(text) if text.to_string() == "ready on {port}")
    );
    assert_eq!(db.ready.timeout, Duration::from_secs(60));
    let ReadySign::Reply { path, expect, bytes } = &web.ready.sign else { panic!("HTTP") };
    assert_eq!(path.as_ref().map(Text::to_string).as_deref(), Some("/health"));
    assert_eq!((expect.as_slice(), *bytes), (&[204][..], Some(0)));
    assert_eq!(db.command.to_string(), r"./db {port} 'a b' 'it'\''s'");
    assert_eq!(web.command.to_string(), "sh -c './server --db {db.port} | tee x'");
    assert!(web.command.shell && !db.command.shell);
}

#[test]
fn a_recipe_is_launched_with_what_its_user_chooses() {
    let text = "[contender.a]\nrecipe = 'cassandra-cluster'\n\
                choices = { commitlog_sync = 'batch', heap = '1G' }\n";
    let experiment = good(text);
    let cluster = launch(&experiment.contenders[0]);
    let chosen: Vec<_> = cluster.choices.iter().map(|it| (&*it.name, &*it.chosen)).collect();
    let wanted = [("heap", "1G"), ("commitlog_sync", "batch")];
    assert_eq!(chosen, wanted);
    assert_eq!(cluster.choices[0].text(), "1G");
    assert_eq!(cluster.choices[1].text(), "commitlog_sync: batch");
    assert_eq!(cluster.nodes, ["127.0.0.1", "127.0.0.2", "127.0.0.3"]);
    let names: Vec<_> = cluster.processes.iter().map(|process| &*process.name).collect();
    assert_eq!(names, ["node1", "node2", "node3"], "they keep their names");
    assert_eq!(cluster.more_ports, ["storage"]);
    assert!(cluster.fresh);
}

#[test]
fn a_launch_knows_files_commands_and_packages() {
    let experiment = good(FULL);
    let mine = launch(&experiment.contenders[0]);
    assert_eq!(mine.url.to_string(), "http://127.0.0.1:{web.port}/index.html");
    let prepare: Vec<String> = mine.prepare.iter().map(LaunchCommand::to_string).collect();
    assert_eq!(prepare, ["make -C {folder} server", "initdb {temp}/data"]);
    assert_eq!(mine.prepare_timeout, Duration::from_secs(1200));
    assert_eq!(mine.facts[0].to_string(), "./server --version");
    assert_eq!(mine.packages["initdb"], "postgresql");
    assert_eq!(mine.files[0].path, "etc/server.conf");
    let shown = mine.files[0].text.to_string();
    assert_eq!(shown, "listen {web.port}; token ${TOKEN}; location / { }");
    assert_eq!(experiment.contenders[0].settings.body.as_deref(), Some(&b"x=1"[..]));
    assert_eq!(mine.about.as_deref(), Some("a server with a helper"));
    assert_eq!(experiment.secrets.len(), 5, "one for each place");
    assert!(experiment.secrets.iter().all(|secret| secret.reveal() == "CANARY"));
    assert_eq!(experiment.secrets[0].to_string(), "${TOKEN}");
}

#[test]
fn a_recipe_can_be_named_or_changed() {
    let site = Scratch::new();
    let text = format!(
        "contenders = ['node', 'two', 'nginx']\n[defaults]\nconnections = 8\ncores = [1]\n\
         [contender.two]\nrecipe = 'nginx'\nsite = '{}'\ncores = [0, 1]\nrate = 100\n\
         [contender.node]\nlaunch = ['my', 'node']\n",
        site.path().display()
    );
    let experiment = good(&text);
    let [node, two, nginx] = experiment.contenders.as_slice() else { panic!("three") };
    assert_eq!(launch(node).processes[0].command.to_string(), "my node", "the file's own wins");
    assert_eq!((launch(two).name.as_str(), launch(nginx).name.as_str()), ("two", "nginx"));
    assert_eq!(launch(two).processes[0].name, "two");
    assert_eq!(launch(two).site.as_deref(), Some(site.path()));
    assert_eq!(launch(two).processes[0].cores.as_deref(), Some(&[0, 1][..]));
    assert_eq!(launch(nginx).processes[0].cores.as_deref(), Some(&[1][..]));
    assert_eq!((two.settings.rate, nginx.settings.rate), (Some(100.0), None));
    assert!(experiment.contenders.iter().all(|c| c.settings.connections == Some(8)));
}

#[test]
fn what_is_left_out_has_a_default() {
    let experiment =
        good("[contender.a]\nlaunch = ['a']\n[contender.b]\nurl = 'http://127.0.0.1:1/'\n");
    let names: Vec<&str> = experiment.contenders.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["a", "b"], "in the order of the file");
    assert!(experiment.run == RunInput::default());
    let a = launch(&experiment.contenders[0]);
    assert_eq!(a.url.to_string(), "http://127.0.0.1:{port}/");
    assert_eq!(a.directory, Path::new("/here"));
    let process = &a.processes[0];
    assert_eq!((process.name.as_str(), process.stop), ("a", libc::SIGTERM));
    assert_eq!((process.stop_grace.as_secs(), process.ready.timeout.as_secs()), (5, 30));
    assert!(
        matches!(&process.ready.sign, ReadySign::Reply { path: None, expect, bytes: None } if expect.is_empty())
    );
    assert!(process.cores.is_none() && process.context.cwd.is_none());
    let z = good("[contender.z]\nlaunch=['z']\n[contender.y]\nlaunch=['y']\n");
    assert_eq!(z.contenders[0].name, "z");
}

/// (line 1 is `[contender.a]`, what follows it, the message).
const WRONG_CONTENDERS: &[(&str, &str)] = &[
    ("lanch = ['a']", "e.toml:2: contender.a.lanch: this key is not known; did you mean `launch`?"),
    (
        "launch = ['a']\n\nready = { expct = 200 }",
        "e.toml:4: contender.a.ready.expct: this key is not known; did you mean `expect`?",
    ),
    ("launch = ['a']\nzzz = 1", "e.toml:3: contender.a.zzz: this key is not known"),
    (
        "launch = ['a']\nready = { timeout = '30' }",
        "e.toml:3: contender.a.ready.timeout: `30` has no unit: write 30s or 30ms",
    ),
    (
        "launch = ['a']\nready = { timeout = 30 }",
        "e.toml:3: contender.a.ready.timeout: `30` has no unit: write 30s or 30ms",
    ),
    (
        "launch = ['a']\nready = { timeout = '30 sec' }",
        "e.toml:3: contender.a.ready.timeout: `30 sec` is not a duration: write a number and a unit, such as 100us, 1.5ms, 2s or 1m",
    ),
    (
        "launch = ['a']\nready = { timeout = '0s' }",
        "e.toml:3: contender.a.ready.timeout: must be above 0",
    ),
    (
        "launch = ['a']\nstop_grace = '11m'",
        "e.toml:3: contender.a.stop_grace: `11m` is too long: it must be at most 10m",
    ),
    ("launch = ['a']\nready = 200", "e.toml:3: contender.a.ready: must be a table, not a number"),
    (
        "launch = ['a']\nready = { expect = 2 }",
        "e.toml:3: contender.a.ready.expect: `2` is not a status of a final reply: write numbers from 200 to 599, such as 200,304",
    ),
    (
        "launch = ['a']\nready = { expect = [] }",
        "e.toml:3: contender.a.ready.expect: the list is empty: leave it out to expect 200 to 299",
    ),
    (
        "launch = ['a']\nready = { path = 'x' }",
        "e.toml:3: contender.a.ready.path: a path must begin with `/`",
    ),
    (
        "launch = ['a']\nready = { log = 'x', bytes = 1 }",
        "e.toml:3: contender.a.ready: `log` cannot be combined with `bytes`: give one",
    ),
    (
        "launch = ['a']\nready = { run = ['x'], log = 'y' }",
        "e.toml:3: contender.a.ready: `log` cannot be combined with `run`: give one",
    ),
    (
        "launch = 'a b'",
        "e.toml:2: contender.a.launch: a text is run by a shell, which requires `shell = true`; \
         otherwise write a list of the program and its arguments, such as [\"nginx\", \"-v\"]",
    ),
    (
        "shell = true\nlaunch = ['a']",
        "e.toml:3: contender.a.launch: with `shell = true` a command is one text, not a list",
    ),
    (
        "launch = []",
        "e.toml:2: contender.a.launch: the list is empty: it must begin with a program",
    ),
    ("launch = ['']", "e.toml:2: contender.a.launch[0]: the program has no name"),
    ("launch = ['a', 1]", "e.toml:2: contender.a.launch[1]: must be a text, not a number"),
    ("launch = 1", "e.toml:2: contender.a.launch: must be a list, not a number"),
    (
        "prepare = ['make']\nlaunch = ['a']",
        "e.toml:2: contender.a.prepare[0]: a text is run by a shell, which requires `shell = \
         true`; otherwise write a list of the program and its arguments, such as [\"nginx\", \
         \"-v\"]",
    ),
    (
        "launch = ['a', '${TOKEN}']",
        "e.toml:2: contender.a.launch[1]: everyone on this machine can read the arguments of a process, so ${TOKEN} must not be one: pass it in `env` or `files`",
    ),
    (
        "shell = true\nlaunch = 'a ${TOKEN}'",
        "e.toml:3: contender.a.launch: everyone on this machine can read the arguments of a process, so ${TOKEN} must not be one: pass it in `env` or `files`",
    ),
    (
        "launch = ['a']\nenv = { A = '${NONE}' }",
        "e.toml:3: contender.a.env.A: the environment variable `NONE` is not set: export it, or write $${NONE} for the text itself",
    ),
    (
        "launch = ['a']\nenv = { 'A=B' = '' }",
        "e.toml:3: contender.a.env.A=B: the name of a variable must not be empty or contain `=`",
    ),
    (
        "launch = ['a', '{prot}']",
        "e.toml:2: contender.a.launch[1]: `{prot}` is not known; did you mean `{port}`?",
    ),
    (
        "launch = ['a', '{b.port}']",
        "e.toml:2: contender.a.launch[1]: no process is called `b`: a; did you mean `a`?",
    ),
    (
        "launch = ['a']\nprepare = [['make', '{port}']]",
        "e.toml:3: contender.a.prepare[0][1]: {port} is chosen at the launch, but this runs before \
         it",
    ),
    (
        "launch = ['a']\nfacts = [['a', '-v']]\ncwd = '{port}'",
        "e.toml:4: contender.a.cwd: {port} is chosen at the launch, but this runs before it",
    ),
    (
        "launch = ['a']\nstop = 'TREM'",
        "e.toml:3: contender.a.stop: `TREM` is not a signal that stops a server; use one of TERM, \
         INT, QUIT, HUP, USR1, USR2, WINCH, KILL; did you mean `TERM`?",
    ),
    (
        "launch = ['a']\ncores = ['x']",
        "e.toml:3: contender.a.cores[0]: `x` is not a core number: write one such as 0",
    ),
    (
        "launch = ['a']\ncores = []",
        "e.toml:3: contender.a.cores: the list is empty: leave it out to use the remaining cores",
    ),
    (
        "launch = ['a']\ncores_from = 'redy'",
        "e.toml:3: contender.a.cores_from: `redy` is not one of `start`, `ready`; did you mean \
         `ready`?",
    ),
    (
        "launch = ['a']\nshell = 'yes'",
        "e.toml:3: contender.a.shell: must be true or false, not a text",
    ),
    ("launch = ['a']\nuser = 1", "e.toml:3: contender.a.user: must be a text, not a number"),
    (
        "launch = ['a']\nfiles = { '../x' = '' }",
        "e.toml:3: contender.a.files.../x: files are written into the temporary directory: the path must be relative and without `..`",
    ),
    (
        "launch = ['a']\nfiles = { '/x' = '' }",
        "e.toml:3: contender.a.files./x: files are written into the temporary directory: the path must be relative and without `..`",
    ),
    ("launch = ['a']\nsite = 'none'", "e.toml:3: contender.a.site: the directory does not exist"),
    (
        "launch = ['a']\nurl = 'ftp://x/'",
        "e.toml:3: contender.a.url: the scheme `ftp` is not known; supported schemes: http, https, \
         http+unix, ws, wss, ws+unix, memcached, memcached+unix, redis, redis+unix, cassandra, \
         cassandra+thrift, postgres, postgres+unix, mysql, mysql+unix, file, exec",
    ),
    (
        "launch = ['a']\npid = 1",
        "e.toml:3: contender.a.pid: tiebreak launches this target and knows its processes",
    ),
    (
        "launch = ['a']\nprepare_timeout = '1m'",
        "e.toml:3: contender.a.prepare_timeout: prepare_timeout requires `prepare`",
    ),
    (
        "url = 'exec:true'\ntemp = '/dev/shm'",
        "e.toml:3: contender.a.temp: this key is only for servers that are launched, and exec: \
         runs a program to its end: give `launch`, `process` or `recipe` for servers that it talks \
         to",
    ),
    (
        "url = 'exec:true'\nlaunch = ['a']",
        "e.toml:3: contender.a.launch: `ready` is required, so that the program can be run: ready \
         = { log = \"…\" }, { run = [\"…\"] } or { path = \"/\" }",
    ),
    (
        "url = 'exec:true'\nprocess = [{ name = 'b', launch = ['b'], ready = { log = 'x' } }, { name = 'c', launch = ['c'] }]",
        "e.toml:3: contender.a.process[1]: `ready` is required, so that the program can be run: \
         ready = { log = \"…\" }, { run = [\"…\"] } or { path = \"/\" }",
    ),
    (
        "url = 'exec:php x.php {url}'\nlaunch = ['a']\nready = { log = 'x' }",
        "e.toml:2: contender.a.url: {url} is the address of the server of a `recipe`: write its address, with {port} in it",
    ),
    (
        "url = 'exec:php x.php {redis.port}'\nrecipe = 'memcached'",
        "e.toml:2: contender.a.url: no process is called `redis`: a",
    ),
    (
        "url = 'exec:php x.php {prot}'\nrecipe = 'memcached'",
        "e.toml:2: contender.a.url: `{prot}` is not known; did you mean `{port}`?",
    ),
    (
        "url = 'exec:php x.php'\nrecipe = 'memcached'\nready = { log = 'x' }",
        "e.toml:4: contender.a.ready: the recipe sets this itself; allowed with `recipe` and a \
         program are `site`, `choices`, `user`, `cores`, `cores_from`, `packages`, and `cwd` and \
         `env` of the program",
    ),
    (
        "url = 'exec:php x.php'\nrecipe = 'memcached'\nenv = { A = '{process}' }",
        "e.toml:4: contender.a.env.A: {process} is valid only for one process: in its `launch`, or in a file with {process} in its path",
    ),
    (
        "url = 'exec:true'\ninstead_of_root = 'nobody'",
        "e.toml:3: contender.a.instead_of_root: a program runs as the user who runs tiebreak, \
         without a shell: write exec:sh -c '…' to use one",
    ),
    ("url = 'exec:true'\noperations = 0", "e.toml:3: contender.a.operations: must be at least 1"),
    (
        "url = 'exec:true'\noperations = 1\nfigures = 'go'",
        "e.toml:3: contender.a.operations: a suite has figures in place of operations: remove this key",
    ),
    (
        "url = 'http://127.0.0.1:1/'\noperations = 1",
        "e.toml:3: contender.a.operations: only a run of a program (url = 'exec:…') counts as a number of operations: \
         remove this key",
    ),
    (
        "url = 'http://127.0.0.1:{port}/'",
        "e.toml:2: contender.a.url: {port} is valid only for targets that tiebreak launches",
    ),
    (
        "url = 'http://h/'\nstop = 'TERM'",
        "e.toml:3: contender.a.stop: this key is only for targets that tiebreak launches, and this \
         one is already running (`url`)",
    ),
    ("url = 'http://h/'\npid = 0", "e.toml:3: contender.a.pid: `0` is not a process ID"),
    (
        "url = 'http://h/'\nlaunch = ['a']\nprocess = []",
        "e.toml:4: contender.a.process: `process` cannot be combined with `launch`: give one",
    ),
    (
        "recipe = 'nginx'\nlaunch = ['a']",
        "e.toml:3: contender.a.launch: `launch` cannot be combined with `recipe`: give one",
    ),
    (
        "recipe = 'ngnix'",
        "e.toml:2: contender.a.recipe: there is no recipe `ngnix`: nginx, lighttpd, caddy, apache, node, go, uvicorn, memcached, redis, cassandra, cassandra-cluster, cassandra-1.2, cassandra-1.2-cluster, postgres, postgres-unlogged, postgres-tmpfs, pgbouncer, mariadb-innodb, mariadb-memory; did you mean `nginx`?",
    ),
    (
        "recipe = 'nginx'\nstop = 'TERM'",
        "e.toml:3: contender.a.stop: the recipe sets this itself; allowed with `recipe` are \
         `site`, `choices`, `user`, `cores`, `cores_from` and settings of requests",
    ),
    (
        "recipe = 'nginx'\nchoices = { heap = '1G' }",
        "e.toml:3: contender.a.choices.heap: the recipe `nginx` has no choices",
    ),
    (
        "recipe = 'cassandra'\nchoices = { heep = '1G' }",
        "e.toml:3: contender.a.choices.heep: `heep` is not a choice of `cassandra`: heap, commitlog_sync; did you mean `heap`?",
    ),
    (
        "recipe = 'cassandra'\nchoices = { commitlog_sync = 'periodc' }",
        "e.toml:3: contender.a.choices.commitlog_sync: `periodc` is not one of `commitlog_sync`: periodic, batch; did you mean `periodic`?",
    ),
    (
        "recipe = 'cassandra'\nchoices = { heap = '1G -version' }",
        "e.toml:3: contender.a.choices.heap: a choice must be a word of letters, digits and `_-.+`",
    ),
    (
        "launch = ['x', '{choice.heap}']\nchoices = { heat = '1' }",
        "e.toml:2: contender.a.launch[1]: no choice is called `heap`: heat; did you mean `heat`?",
    ),
    (
        "launch = ['x']\nchoices = { heat = {} }",
        "e.toml:3: contender.a.choices.heat: the table is empty: list the options",
    ),
    (
        "launch = ['x', '{software}']",
        "e.toml:2: contender.a.launch[1]: {software} is valid only with `software`: name it there",
    ),
    (
        "launch = ['x']\nsoftware = 'cassandra'",
        "e.toml:3: contender.a.software: the software `cassandra` is not known: cassandra-5.0, \
         cassandra-1.2",
    ),
    (
        "launch = ['x']\nprepare = [['y']]\nfresh = true",
        "e.toml:4: contender.a.fresh: `fresh` cannot be combined with `prepare`: what is prepared \
         lies in the temporary directory",
    ),
    (
        "launch = ['x']\nmore_ports = ['s', 's']",
        "e.toml:3: contender.a.more_ports[1]: two ports are called `s`",
    ),
    (
        "launch = ['x']\nfacts = [['y', '{host}']]",
        "e.toml:3: contender.a.facts[0][1]: {host} is valid only for one process: in its `launch`, or in a file with {process} in its path",
    ),
    (
        "launch = ['x']\nurl = 'cassandra://127.0.0.1:{port},127.0.0.2:{port}/k'",
        "e.toml:3: contender.a.url: the address has 2 nodes: give a `process` for each of them, in the order of the address",
    ),
    (
        "connections = 1",
        "e.toml:1: contender.a: there is no target: give `url` for one that runs, or `launch`, `process` or `recipe` for one to launch",
    ),
    (
        "url = 'http://h/'\nconnections = 0",
        "e.toml:3: contender.a.connections: `0` is not a number of connections from 1 to 1M",
    ),
    (
        "url = 'http://h/'\nconnections = true",
        "e.toml:3: contender.a.connections: must be a text or a number, not true or false",
    ),
    (
        "url = 'http://h/'\nconnections = 2026-01-01",
        "e.toml:3: contender.a.connections: must be a text or a number, not a date",
    ),
    (
        "url = 'http://h/'\nrate = '5k/min'",
        "e.toml:3: contender.a.rate: `5k/min` is not a rate: write operations per second, such as 5k/s, 1000/s or 250",
    ),
    (
        "url = 'http://h/'\nheaders = { 'A B' = 'CANARY' }",
        "e.toml:3: contender.a.headers.A B: write a header as 'Name: value'; a name consists of letters, digits and -",
    ),
    (
        "url = 'http://h/'\nheaders = ['A: CANARY']",
        "e.toml:3: contender.a.headers: must be a table, not a list",
    ),
    (
        "url = 'http://h/'\nheader = { A = 'CANARY' }",
        "e.toml:3: contender.a.header: this key is not known; did you mean `headers`?",
    ),
    (
        "url = 'http://h/'\ndata = '@none.json'",
        "e.toml:3: contender.a.data: the file none.json cannot be read: No such file or directory (os error 2)",
    ),
    (
        "url = 'http://h/?a=\u{1b}[31m'",
        "e.toml:2: the file is not valid TOML: invalid literal string, expected non-single-quote visible characters",
    ),
    ("process = []", "e.toml:2: contender.a.process: the list is empty: give at least one process"),
    (
        "process = [{ launch = ['a'] }]",
        "e.toml:2: contender.a.process[0]: every process requires a `name`",
    ),
    ("process = [{ name = 'x' }]", "e.toml:2: contender.a.process[0]: the process has no `launch`"),
    (
        "process = [{ name = '../x' }]",
        "e.toml:2: contender.a.process[0].name: a name must consist of letters, digits and - _ ., and begin with a letter, a digit or _",
    ),
    (
        "[[contender.a.process]]\nname = 'x'\nlaunch = ['x']\nready = { log = 'up' }\n[[contender.a.process]]\nname = 'x'",
        "e.toml:7: contender.a.process[1].name: two processes are called `x`",
    ),
    (
        "[[contender.a.process]]\nname = 'x'\nlaunch = ['x']\n[[contender.a.process]]\nname = 'y'\nlaunch = ['y']",
        "e.toml:2: contender.a.process[0]: `ready` is required, so that the next one can start: \
         ready = { log = \"…\" }, { run = [\"…\"] } or { path = \"/\" }",
    ),
    (
        "url = 'http://127.0.0.1:{port}/'\nprocess = [{ name = 'x', launch = ['x'], ready = {} }, { name = 'y', launch = ['y'] }]",
        "e.toml:2: contender.a.url: there are several processes: write {x.port} or {y.port}",
    ),
    (
        "process = [{ name = 'x', launch = ['x'], redy = {} }]",
        "e.toml:2: contender.a.process[0].redy: this key is not known; did you mean `ready`?",
    ),
];

#[test]
fn what_is_wrong_with_a_contender_is_reported_with_its_place() {
    for (text, message) in WRONG_CONTENDERS {
        let error = read(&format!("[contender.a]\n{text}\n")).err();
        let error = error.unwrap_or_else(|| panic!("it was taken:\n{text}"));
        // A build with Oracle's driver has one more scheme.
        let said = error.text.replace("mysql+unix, oracle, ", "mysql+unix, ");
        assert_eq!(said, *message, "{text}");
        assert_eq!(error.exit, protocol::Exit::Usage);
        assert!(!error.text.contains("CANARY"), "{}", error.text);
    }
}

#[test]
fn a_workload_has_commands_lengths_and_flags() {
    let text = "[contender.a]\nurl = 'redis://h:1/'\n[workload]\nvalue = '32B=3,1kB=1'\n\
                compressible = true\nmix = 'get=1'\n\
                commands = [{ run = 'SET {key} \"a b\"', weight = 0.5 }, { run = 'PING' }]";
    let workload = good(text).run.workload;
    let step = |bytes, weight| record::Step { bytes, weight };
    let steps = record::ValueBytes::Steps(vec![step(32, 3.0), step(1000, 1.0)]);
    assert_eq!((workload.value, workload.compressible), (Some(steps), true));
    let custom = workload.commands.0.iter().map(|custom| (custom.words.join("|"), custom.weight));
    assert!(custom.eq([("SET|{key}|a b".to_owned(), 0.5), ("PING".to_owned(), 1.0)]));
}

#[test]
fn what_is_wrong_with_a_workload_is_reported_with_its_place() {
    for (line, message) in [
        ("commands = 'PING'", "commands: must be a list, not a text"),
        ("commands = ['PING']", "commands[0]: must be a table, not a text"),
        (
            "commands = []",
            "commands: the list is empty: leave it out for the operations of the preset",
        ),
        (
            "commands = [{ weight = 2 }]",
            "commands[0]: `run` is missing: give the command, such as 'LPUSH {key} {value}'",
        ),
        (
            "commands = [{ run = 'PING', wieght = 2 }]",
            "commands[0].wieght: this key is not known; did you mean `weight`?",
        ),
        (
            "commands = [{ run = 'PING', weight = 0 }]",
            "commands[0].weight: `0` is not a weight: write a number above 0",
        ),
        (
            "commands = [{ run = 'SELECT 3' }]",
            "commands[0].run: `SELECT` would change the connection for later operations",
        ),
        (
            "commands = [{ run = 'AUTHS ${TOKEN}' }]",
            "commands[0].run: `${TOKEN}` is not filled in: commands are recorded, so they must not \
             hold secrets",
        ),
        ("compressible = 'yes'", "compressible: must be true or false, not a text"),
        (
            "value = '32B=x'",
            "value: `32B=x`: write lengths and weights, such as 32B=70,1kB=25,64kB=5",
        ),
    ] {
        let text = format!("[workload]\n{line}");
        let error = read(&text).err().unwrap_or_else(|| panic!("it was taken:\n{text}"));
        assert_eq!(error.text, format!("e.toml:2: workload.{message}"), "{text}");
    }
}

#[test]
fn what_is_wrong_with_a_file_is_reported_with_its_place() {
    for (text, message) in [
        ("", "e.toml:1: there is no contender: describe one as [contender.NAME]"),
        (
            "\n\nround = \"1s",
            "e.toml:3: the file is not valid TOML: invalid basic string, expected `\"`",
        ),
        ("rounds = 1\n\nrounds = 2", "e.toml:3: the file is not valid TOML: duplicate key"),
        (
            "[contender.a]\nurl='http://h/'\n[contender.a]\nurl='http://h/'",
            "e.toml:3: the file is not valid TOML: duplicate key",
        ),
        ("contender = 1", "e.toml:1: contender: must be a table, not a number"),
        ("[contender]\na = 1", "e.toml:2: contender.a: must be a table, not a number"),
        ("[contenders.a]\nurl = 'http://h/'", "e.toml:1: contenders: must be a list, not a table"),
        (
            "[contender.'a b']\nurl = 'http://h/'",
            "e.toml:1: contender.a b: a name must consist of letters, digits and - _ ., and begin with a letter, a digit or _",
        ),
        (
            "[contender.aaaaaaaaaabbbbbbbbbbccccccccccddddddddddX]\nurl = 'http://h/'",
            "e.toml:1: contender.aaaaaaaaaabbbbbbbbbbccccccccccddddddddddX: a name must have 1 to 40 characters",
        ),
        ("contenders = ['nginx', 'nginx']", "e.toml:1: contenders[1]: `nginx` is named twice"),
        (
            "contenders = ['nodee']",
            "e.toml:1: contenders[0]: there is no [contender.nodee], and no recipe of that name (nginx, lighttpd, caddy, apache, node, go, uvicorn, memcached, redis, cassandra, cassandra-cluster, cassandra-1.2, cassandra-1.2-cluster, postgres, postgres-unlogged, postgres-tmpfs, pgbouncer, mariadb-innodb, mariadb-memory); did you mean `node`?",
        ),
        (
            "contenders = ['mien']\n[contender.mine]\nurl = 'http://h/'",
            "e.toml:1: contenders[0]: there is no [contender.mien], and no recipe of that name (nginx, lighttpd, caddy, apache, node, go, uvicorn, memcached, redis, cassandra, cassandra-cluster, cassandra-1.2, cassandra-1.2-cluster, postgres, postgres-unlogged, postgres-tmpfs, pgbouncer, mariadb-innodb, mariadb-memory); did you mean `mine`?",
        ),
        ("contenders = [1]", "e.toml:1: contenders[0]: must be a text, not a number"),
        ("[default]", "e.toml:1: default: this key is not known; did you mean `defaults`?"),
        ("[defaults]\nabout = 'a'", "e.toml:2: defaults.about: this key is not known"),
        ("rounds = 0", "e.toml:1: rounds: must be above 0"),
        (
            "rounds = 'ten'",
            "e.toml:1: rounds: `ten` is not a whole number: write one such as 64 or 10k",
        ),
        (
            "rounds = 1.5",
            "e.toml:1: rounds: `1.5` is not a whole number: write one such as 64 or 10k",
        ),
        ("round = '1'", "e.toml:1: round: `1` has no unit: write 1s or 1ms"),
        ("matters = 1", "e.toml:1: matters: `1` is ambiguous: write 1%"),
        (
            "interleave = 'slice'",
            "e.toml:1: interleave: `slice` is not one of auto, slices, turns; did you mean \
             `slices`?",
        ),
        ("all_pairs = 1", "e.toml:1: all_pairs: must be true or false, not a number"),
    ] {
        let error = read(text).err().unwrap_or_else(|| panic!("it was taken:\n{text}"));
        assert_eq!(error.text, message, "{text}");
    }
}

#[test]
fn a_file_that_is_none_is_refused_before_it_is_read() {
    let directory = Scratch::new();
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(directory.path().join(name), bytes).expect("scratch");
    };
    write("latin1.toml", b"# fine\n# caf\xe9\n");
    let large = std::fs::File::create(directory.path().join("large.toml")).expect("scratch");
    // The file is sparse, so that a test which read all of it by accident would be slow.
    large.set_len(100 << 20).expect("scratch");
    write("just.toml", &vec![b'#'; 1 << 20]);
    let at = |name: &str| directory.path().join(name);
    let here = directory.path().display();
    for (name, message) in [
        (
            "none.toml",
            format!(
                "the file {here}/none.toml cannot be read: No such file or directory (os error 2)"
            ),
        ),
        ("latin1.toml", format!("{here}/latin1.toml:2: the file is not UTF-8: save it as UTF-8")),
        (
            "large.toml",
            format!(
                "{here}/large.toml has 104857600 bytes, but an experiment file may have at most 1 MiB"
            ),
        ),
        (".", format!("{here}/. is a directory without an experiment.toml")),
        (
            "just.toml",
            format!("{here}/just.toml:1: there is no contender: describe one as [contender.NAME]"),
        ),
    ] {
        assert_eq!(read_file(&at(name)).err().expect(name).text, message);
    }
    assert!(read_file(Path::new("/dev/zero")).is_err());
}

#[test]
fn a_file_from_elsewhere_needs_permission() {
    let directory = Scratch::new();
    let below = directory.path().join("a/b");
    std::fs::create_dir_all(&below).expect("scratch");
    let file = below.join("e.toml");
    std::fs::write(&file, "contenders = ['nginx', 'node']\n").expect("scratch");
    let experiment = read_file(&file).unwrap_or_else(|e| panic!("{}", e.text));
    assert_eq!(experiment.directory, below.canonicalize().expect("there"));
    assert!(!is_outside(&file, directory.path()) && !is_outside(&file, &below));
    assert!(!is_outside(&file, &below.join("../b")));
    assert!(is_outside(&file, &directory.path().join("a/c")));
    assert!(is_outside(&file, &below.join("deeper")));
    // A link does not move a file.
    let link = directory.path().join("link.toml");
    std::os::unix::fs::symlink(&file, &link).expect("scratch");
    assert!(is_outside(&link, &directory.path().join("other")) && !is_outside(&link, &below));
}

#[test]
fn a_launch_is_outlined_without_its_secrets() {
    let experiment = good(FULL);
    let outline = |at: usize| launch(&experiment.contenders[at]).outline().join("\n") + "\n";
    assert_eq!(outline(0), include_str!("snapshots/full.txt"));
    assert_eq!(outline(2), include_str!("snapshots/nginx.txt"));
}

#[test]
fn what_is_outlined_is_harmless() {
    let hostile = good("[contender.a]\nlaunch = ['a', \"\\u001b[31m\\u202e\"]\n");
    let lines = launch(&hostile.contenders[0]).outline();
    assert_eq!(lines[1], r"start   a '\u{1b}[31m\u{202e}'");
}

/// Its words and variables are filled once its server has a port.
#[test]
fn a_program_gets_its_servers() {
    let text = "[contender.a]\nrecipe = 'memcached'\nenv = { AT = '{port}' }\ncwd = 'x'\n\
                url = \"exec:php run.php {url} '${HOME} {a.port}'\"\n";
    let experiment = good(text);
    let Target::Program(program) = &experiment.contenders[0].target else { panic!("a program") };
    assert_eq!(program.command.shown(), "php run.php {url} ${HOME} {a.port}");
    let servers = program.servers.as_ref().expect("a server");
    let values = Values {
        port: 4711,
        ports: [("a".to_owned(), 4712)].into(),
        url: "memcached://127.0.0.1:4711".to_owned(),
        ..Values::default()
    };
    let description = servers.with_values(program, &values);
    let words = ["php", "run.php", "memcached://127.0.0.1:4711", "${HOME} 4712"];
    assert_eq!(description.command.words(), words);
    assert!(
        description.env.contains(&("AT".to_owned(), "4711".to_owned())),
        "{:?}",
        description.env
    );
    assert_eq!(description.cwd, Path::new("/here/x"));
    let outline = program.outline();
    assert!(outline[0].starts_with("fact    memcached"), "{outline:?}");
    assert!(outline.iter().any(|line| line.starts_with("start   memcached -l")), "{outline:?}");
    assert_eq!(
        outline.last().map(String::as_str),
        Some("run     php run.php {url} ${HOME} {a.port}")
    );
}
