//! Settings of a process of a launched target: where and as which user it runs, when it is ready,
//! how it is stopped.

use crate::plan::experiment::command;
use crate::plan::experiment::scope::Scope;
use crate::plan::experiment::table::{Table, Value};
use crate::plan::settings;
use crate::targets::launch::{
    CoresFrom, LaunchCommand, Process, ProcessContext, ReadyCondition, ReadySign, Text,
};
use keeper::{signals, user};
use protocol::Error;
use std::time::Duration;
use text::near;
use text::quantities;

/// A key of a process, and the function that reads it.
struct ProcessKey {
    key: &'static str,
    read: fn(&mut ProcessSettings, &Value<'_>, Scope<'_>) -> Result<(), Error>,
}

/// The keys of a process. They can also be given for the whole contender or in the defaults.
const ROWS: [ProcessKey; 10] = [
    row("user", |given, value, _| set(&mut given.context.user, value.owned_word())),
    row("instead_of_root", |given, value, _| set(&mut given.instead_of_root, value.owned_word())),
    row("cwd", |given, value, scope| set(&mut given.context.cwd, value.text_in(scope))),
    row("env", |given, value, scope| {
        given.context.env = variables(value, scope)?;
        Ok(())
    }),
    row("ready", |given, value, scope| set(&mut given.ready, ready(value, scope))),
    row("stop", |given, value, _| set(&mut given.stop, value.quantity(signals::number))),
    row("stop_grace", |given, value, _| set(&mut given.stop_grace, value.quantity(span))),
    row("cores", |given, value, _| set(&mut given.cores, cores(value))),
    row("cores_from", |given, value, _| set(&mut given.cores_from, from(value))),
    row("shell", |given, value, _| set(&mut given.shell, value.flag())),
];

fn set<T>(given: &mut Option<T>, value: Result<T, Error>) -> Result<(), Error> {
    *given = Some(value?);
    Ok(())
}

const fn row(
    key: &'static str,
    read: fn(&mut ProcessSettings, &Value<'_>, Scope<'_>) -> Result<(), Error>,
) -> ProcessKey {
    ProcessKey { key, read }
}

pub(super) const KEYS: [&str; ROWS.len()] = {
    let mut keys = [""; ROWS.len()];
    let mut at = 0;
    while at < ROWS.len() {
        keys[at] = ROWS[at].key;
        at += 1;
    }
    keys
};

pub(super) const READY_KEYS: [&str; 7] =
    ["expect", "path", "bytes", "log", "run", "also_log", "timeout"];

/// The default time limit for a target to become ready.
const READY: Duration = Duration::from_secs(30);

/// The default time limit for it to stop.
const GRACE: Duration = Duration::from_secs(5);

/// The largest limit of both.
const LONGEST: Duration = Duration::from_secs(600);

/// The keys that were given.
#[derive(Clone, Default)]
pub(super) struct ProcessSettings {
    pub(super) context: ProcessContext,
    /// The user if tiebreak runs as root: some servers refuse to run as root.
    instead_of_root: Option<String>,
    pub(super) ready: Option<ReadyCondition>,
    stop: Option<i32>,
    stop_grace: Option<Duration>,
    /// The cores that it is pinned to.
    pub(super) cores: Option<Vec<u32>>,
    cores_from: Option<CoresFrom>,
    pub(super) shell: Option<bool>,
}

impl ProcessSettings {
    pub(super) fn read(table: &Table<'_>, scope: Scope<'_>) -> Result<ProcessSettings, Error> {
        let mut given = ProcessSettings::default();
        // In the order of the file, so that the first wrong value is reported. The caller reads the
        // other keys.
        for (key, value) in table.entries() {
            if let Some(row) = ROWS.iter().find(|row| row.key == key) {
                (row.read)(&mut given, &value, scope)?;
            }
        }
        if user::ours() == 0 && given.context.user.is_none() {
            given.context.user = given.instead_of_root.take();
        }
        Ok(given)
    }

    /// Merges these keys with the common ones; these take precedence. All variables are kept; of
    /// one name the last applies.
    pub(super) fn over(self, common: &ProcessSettings) -> ProcessSettings {
        // A field that is forgotten here does not compile.
        let ProcessSettings {
            context,
            instead_of_root: _,
            ready,
            stop,
            stop_grace,
            cores,
            cores_from,
            shell,
        } = self;
        let ProcessContext { cwd, env: of_its_own, user } = context;
        let mut env = common.context.env.clone();
        env.retain(|(name, _)| !of_its_own.iter().any(|(own, _)| own == name));
        env.extend(of_its_own);
        ProcessSettings {
            context: ProcessContext {
                cwd: cwd.or_else(|| common.context.cwd.clone()),
                env,
                user: user.or_else(|| common.context.user.clone()),
            },
            // If it applies, it was already copied to `user`.
            instead_of_root: None,
            ready: ready.or_else(|| common.ready.clone()),
            stop: stop.or(common.stop),
            stop_grace: stop_grace.or(common.stop_grace),
            cores: cores.or_else(|| common.cores.clone()),
            cores_from: cores_from.or(common.cores_from),
            shell: shell.or(common.shell),
        }
    }

    pub(super) fn process(self, name: &str, command: LaunchCommand) -> Process {
        Process {
            name: name.to_owned(),
            command,
            context: self.context,
            ready: self.ready.unwrap_or_else(usual_ready),
            stop: self.stop.unwrap_or(libc::SIGTERM),
            stop_grace: self.stop_grace.unwrap_or(GRACE),
            cores: self.cores,
            cores_from: self.cores_from.unwrap_or_default(),
        }
    }

    /// Applies the changes that a user of a recipe may make.
    pub(super) fn change(self, process: &mut Process) {
        if self.cores.is_some() {
            process.cores = self.cores;
        }
        process.cores_from = self.cores_from.unwrap_or(process.cores_from);
        if self.context.user.is_some() {
            process.context.user = self.context.user;
        }
    }
}

fn usual_ready() -> ReadyCondition {
    let sign = ReadySign::Reply { path: None, expect: Vec::new(), bytes: None };
    ReadyCondition { sign, also_log: Vec::new(), timeout: READY }
}

fn ready(value: &Value<'_>, scope: Scope<'_>) -> Result<ReadyCondition, Error> {
    let table = value.table()?;
    table.only(&READY_KEYS)?;
    let mut ready = usual_ready();
    if let Some(timeout) = table.get("timeout") {
        ready.timeout = timeout.quantity(span)?;
    }
    if let Some(texts) = table.get("also_log") {
        let texts = texts.list()?;
        ready.also_log = texts.iter().map(|text| text.text_in(scope)).collect::<Result<_, _>>()?;
    }
    let given = |key| table.get(key);
    let of_http = ["expect", "path", "bytes"].into_iter().find(|key| given(key).is_some());
    ready.sign = match (given("log"), given("run"), of_http) {
        (Some(log), None, None) => ReadySign::Log(log.text_in(scope)?),
        (None, Some(run), None) => ReadySign::Run(command::read(&run, run.is_text(), scope)?),
        (None, None, _) => http(&table, scope)?,
        (Some(_), Some(_), _) => {
            return Err(value.error("`log` cannot be combined with `run`: give one"));
        }
        (log, _, Some(key)) => {
            let other = if log.is_some() { "log" } else { "run" };
            return Err(
                value.error(&format!("`{other}` cannot be combined with `{key}`: give one"))
            );
        }
    };
    Ok(ready)
}

fn http(table: &Table<'_>, scope: Scope<'_>) -> Result<ReadySign, Error> {
    let path = table.read("path", |path| path.text_in(scope))?;
    if let (Some(path), Some(value)) = (&path, table.get("path"))
        && !path.to_string().starts_with('/')
    {
        return Err(value.error("a path must begin with `/`"));
    }
    let expect = table.read("expect", statuses)?;
    let bytes = table.read("bytes", |bytes| bytes.quantity(quantities::count))?;
    Ok(ReadySign::Reply { path, expect: expect.unwrap_or_default(), bytes })
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
            return Err(value.error("the name of a variable must not be empty or contain `=`"));
        }
        Ok((name.to_owned(), value.text_in(scope)?))
    };
    value.table()?.entries().into_iter().map(variable).collect()
}

fn cores(value: &Value<'_>) -> Result<Vec<u32>, Error> {
    let core = |text: &str| match text.parse::<u32>() {
        Ok(core @ ..1024) => Ok(core),
        _ => Err(format!("`{text}` is not a core number: write one such as 0")),
    };
    let all = value.list()?;
    if all.is_empty() {
        return Err(value.error("the list is empty: leave it out to use the remaining cores"));
    }
    all.iter().map(|value| value.quantity(core)).collect()
}

fn from(value: &Value<'_>) -> Result<CoresFrom, Error> {
    match value.word()? {
        "start" => Ok(CoresFrom::Start),
        "ready" => Ok(CoresFrom::Ready),
        other => {
            let meant = near::did_you_mean(other, ["start", "ready"]);
            Err(value.error(&format!("`{other}` is not one of `start`, `ready`{meant}")))
        }
    }
}

/// A time above 0 and up to ten minutes.
pub(super) fn span(text: &str) -> Result<Duration, String> {
    match quantities::duration(text)? {
        Duration::ZERO => Err("must be above 0".to_owned()),
        long if long > LONGEST => Err(format!("`{text}` is too long: it must be at most 10m")),
        span => Ok(span),
    }
}
