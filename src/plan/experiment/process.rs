//! What a process of a launched target needs: where and as whom it runs, when
//! it is ready, how it stops.

use crate::exit::Error;
use crate::near;
use crate::plan::experiment::command::Command;
use crate::plan::experiment::scope::Scope;
use crate::plan::experiment::table::{Table, Value};
use crate::plan::experiment::text::Text;
use crate::plan::{settings, units};
use crate::targets::keeper::{signals, user};
use std::time::Duration;

/// Keys of a process that the whole contender, or the defaults, can give.
pub(super) const KEYS: [&str; 10] = [
    "user",
    "instead_of_root",
    "cwd",
    "env",
    "ready",
    "stop",
    "stop_grace",
    "cores",
    "cores_from",
    "shell",
];

/// Keys of `ready`.
pub(super) const READY_KEYS: [&str; 6] = ["expect", "path", "bytes", "log", "run", "timeout"];

/// How long a target has to become ready.
const READY: Duration = Duration::from_secs(30);

/// How long it has to stop.
const GRACE: Duration = Duration::from_secs(5);

/// Longest time to become ready, and to stop.
const LONGEST: Duration = Duration::from_secs(600);

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
    /// The cores that it is pinned to; none: those that are left for targets.
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
    /// How long to wait for it.
    pub timeout: Duration,
}

/// What tells that a process is ready.
#[derive(Clone)]
pub enum Sign {
    /// A reply over HTTP.
    Http {
        /// What is asked for; none: the path of the target's address.
        path: Option<Text>,
        /// The statuses that will do; empty: 200 to 299.
        expect: Vec<u16>,
        /// How long its body must be.
        bytes: Option<u64>,
    },
    /// A text in its log.
    Log(Text),
    /// A program that ends with status 0.
    Run(Command),
}

/// Keys as far as they were given.
#[derive(Clone, Default)]
pub(super) struct Given {
    around: Around,
    /// The user where tiebreak is root: some servers refuse to be it.
    instead_of_root: Option<String>,
    ready: Option<Ready>,
    stop: Option<i32>,
    stop_grace: Option<Duration>,
    cores: Option<Vec<u32>>,
    cores_from: Option<CoresFrom>,
    pub(super) shell: Option<bool>,
}

impl Given {
    pub(super) fn read(table: &Table<'_>, scope: Scope<'_>) -> Result<Given, Error> {
        let mut given = Given::default();
        for (key, value) in table.entries() {
            match key {
                "user" => given.around.user = Some(value.word()?.to_owned()),
                "cwd" => given.around.cwd = Some(value.text_in(scope)?),
                "env" => given.around.env = variables(&value, scope)?,
                "instead_of_root" => given.instead_of_root = Some(value.word()?.to_owned()),
                "ready" => given.ready = Some(ready(&value, scope)?),
                "stop" => given.stop = Some(value.quantity(signals::number)?),
                "stop_grace" => given.stop_grace = Some(value.quantity(span)?),
                "cores" => given.cores = Some(cores(&value)?),
                "cores_from" => given.cores_from = Some(from(&value)?),
                "shell" => given.shell = Some(value.flag()?),
                _ => {}
            }
        }
        if user::ours() == 0 && given.around.user.is_none() {
            given.around.user = given.instead_of_root.take();
        }
        Ok(given)
    }

    /// These where they are given, else the common ones. Variables add up; the
    /// last of a name wins.
    pub(super) fn over(self, common: &Given) -> Given {
        let mut env = common.around.env.clone();
        env.retain(|(name, _)| !self.around.env.iter().any(|(own, _)| own == name));
        env.extend(self.around.env);
        Given {
            around: Around {
                cwd: self.around.cwd.or_else(|| common.around.cwd.clone()),
                env,
                user: self.around.user.or_else(|| common.around.user.clone()),
            },
            instead_of_root: None,
            ready: self.ready.or_else(|| common.ready.clone()),
            stop: self.stop.or(common.stop),
            stop_grace: self.stop_grace.or(common.stop_grace),
            cores: self.cores.or_else(|| common.cores.clone()),
            cores_from: self.cores_from.or(common.cores_from),
            shell: self.shell.or(common.shell),
        }
    }

    pub(super) fn around(&self) -> Around {
        self.around.clone()
    }

    /// The cores that it is pinned to.
    pub(super) fn cores(&self) -> Vec<u32> {
        self.cores.clone().unwrap_or_default()
    }

    /// Whether it says when the process is ready.
    pub(super) fn has_ready(&self) -> bool {
        self.ready.is_some()
    }

    pub(super) fn process(self, name: &str, command: Command) -> Process {
        Process {
            name: name.to_owned(),
            command,
            around: self.around,
            ready: self.ready.unwrap_or_else(Ready::usual),
            stop: self.stop.unwrap_or(libc::SIGTERM),
            stop_grace: self.stop_grace.unwrap_or(GRACE),
            cores: self.cores,
            cores_from: self.cores_from.unwrap_or_default(),
        }
    }

    /// What a user of a recipe may change.
    pub(super) fn change(self, process: &mut Process) {
        if self.cores.is_some() {
            process.cores = self.cores;
        }
        process.cores_from = self.cores_from.unwrap_or(process.cores_from);
        if self.around.user.is_some() {
            process.around.user = self.around.user;
        }
    }
}

impl Ready {
    fn usual() -> Ready {
        Ready { sign: Sign::Http { path: None, expect: Vec::new(), bytes: None }, timeout: READY }
    }
}

fn ready(value: &Value<'_>, scope: Scope<'_>) -> Result<Ready, Error> {
    let table = value.table()?;
    table.only(&READY_KEYS)?;
    let mut ready = Ready::usual();
    if let Some(timeout) = table.get("timeout") {
        ready.timeout = timeout.quantity(span)?;
    }
    let given = |key| table.get(key);
    let of_http = ["expect", "path", "bytes"].into_iter().find(|key| given(key).is_some());
    ready.sign = match (given("log"), given("run"), of_http) {
        (Some(log), None, None) => Sign::Log(log.text_in(scope)?),
        (None, Some(run), None) => Sign::Run(Command::read(&run, run.is_text(), scope)?),
        (None, None, _) => http(&table, scope)?,
        (Some(_), Some(_), _) => return Err(value.error("`log` does not go with `run`: give one")),
        (log, _, Some(key)) => {
            let other = if log.is_some() { "log" } else { "run" };
            return Err(value.error(&format!("`{other}` does not go with `{key}`: give one")));
        }
    };
    Ok(ready)
}

fn http(table: &Table<'_>, scope: Scope<'_>) -> Result<Sign, Error> {
    let path = table.get("path").map(|path| path.text_in(scope)).transpose()?;
    if let (Some(path), Some(value)) = (&path, table.get("path"))
        && !path.to_string().starts_with('/')
    {
        return Err(value.error("a path begins with `/`"));
    }
    let expect = table.get("expect").map(|expect| statuses(&expect)).transpose()?;
    let bytes = table.get("bytes").map(|bytes| bytes.quantity(units::count)).transpose()?;
    Ok(Sign::Http { path, expect: expect.unwrap_or_default(), bytes })
}

/// One status, or a list of them.
pub(super) fn statuses(value: &Value<'_>) -> Result<Vec<u16>, Error> {
    if !value.is_list() {
        return value.quantity(settings::expect);
    }
    let all = value.list()?;
    if all.is_empty() {
        return Err(value.error("the list is empty: leave it out to expect 200 to 299"));
    }
    let one = |value: &Value<'_>| value.quantity(settings::expect);
    Ok(all.iter().map(one).collect::<Result<Vec<_>, _>>()?.concat())
}

fn variables(value: &Value<'_>, scope: Scope<'_>) -> Result<Vec<(String, Text)>, Error> {
    let variable = |(name, value): (&str, Value<'_>)| {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(value.error("a variable's name is not empty and holds no `=`"));
        }
        Ok((name.to_owned(), value.text_in(scope)?))
    };
    value.table()?.entries().into_iter().map(variable).collect()
}

fn cores(value: &Value<'_>) -> Result<Vec<u32>, Error> {
    let core = |text: &str| match text.parse::<u32>() {
        Ok(core @ ..1024) => Ok(core),
        _ => Err(format!("`{text}` is not the number of a core: write one such as 0")),
    };
    let all = value.list()?;
    if all.is_empty() {
        return Err(value.error("the list is empty: leave it out for the cores that are left"));
    }
    all.iter().map(|value| value.quantity(core)).collect()
}

fn from(value: &Value<'_>) -> Result<CoresFrom, Error> {
    match value.word()? {
        "start" => Ok(CoresFrom::Start),
        "ready" => Ok(CoresFrom::Ready),
        other => {
            let meant = near::did_you_mean(other, ["start", "ready"]);
            Err(value.error(&format!("`{other}` is neither `start` nor `ready`{meant}")))
        }
    }
}

/// A time above 0 and up to ten minutes.
pub(super) fn span(text: &str) -> Result<Duration, String> {
    match units::duration(text)? {
        Duration::ZERO => Err("must be above 0".to_owned()),
        long if long > LONGEST => Err(format!("`{text}` is too long: 10m at most")),
        span => Ok(span),
    }
}
