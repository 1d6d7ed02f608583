//! The description of a launch: every command and every file, as `tiebreak check` and the start of
//! a run print them. Secrets appear as `${NAME}`.

use crate::protocols::PROTOCOLS;
use crate::targets::launch::{CoresFrom, Launch, Process, ReadyCondition, ReadySign};
use keeper::signals;
use protocol::address::harmless;
use std::time::Duration;
use text::shown::shown_sentence;
use text::units::{nanoseconds, show_ns};

impl Launch {
    /// Returns its lines, without line ends. They contain no secrets.
    pub fn outline(&self) -> Vec<String> {
        let url = harmless(&self.url.to_string());
        let drive = shown_sentence(format!("{:8}{url}", "drive"));
        std::iter::once(drive).chain(self.outline_of_servers()).collect()
    }

    /// Returns the lines for servers that tiebreak does not drive.
    pub(crate) fn outline_of_servers(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut line = |what: &str, text: String| lines.push((what.to_owned(), text));
        match &self.site {
            Some(site) => line("site", site.display().to_string()),
            None if self.uses_site() => line("site", "a page of 87 bytes".to_owned()),
            None => {}
        }
        if let Some(temp) = &self.temp {
            line("temp", temp.display().to_string());
        }
        if let Some(software) = self.software {
            let setup = software.setup;
            line("needs", format!("{} (tiebreak setup {setup})", software.title));
        }
        for choice in &self.choices {
            line("choice", format!("{} = {}", choice.name, choice.chosen));
        }
        if self.fresh {
            line("fresh", "an empty temporary directory for each launch".to_owned());
        }
        for file in &self.files {
            let (path, count) = (&file.path, file.text.to_string().lines().count());
            line("file", format!("{{temp}}/{path} ({count} {})", plural(count, "line")));
        }
        for command in &self.build {
            line("build", command.to_string());
        }
        for command in &self.prepare {
            line("prepare", command.to_string());
        }
        for command in &self.facts {
            line("fact", command.to_string());
        }
        for process in &self.processes {
            line("start", process.command.to_string());
            line("", details(process, self.is_of_store()));
        }
        lines.iter().map(|(what, text)| shown_sentence(format!("{what:8}{text}"))).collect()
    }

    /// Whether its readiness is checked in a protocol of its own, and not by a request for a page.
    fn is_of_store(&self) -> bool {
        let protocol = PROTOCOLS.of_recorded(&self.url.to_string());
        protocol.is_none_or(|protocol| protocol.requests().is_none())
    }

    fn uses_site(&self) -> bool {
        let texts = self.files.iter().map(|file| file.text.to_string());
        let commands = self.processes.iter().map(|process| process.command.to_string());
        let variables = self.processes.iter().flat_map(|process| &process.context.env);
        let variables = variables.map(|(_, value)| value.to_string());
        texts.chain(commands).chain(variables).any(|text| text.contains("{site}"))
    }
}

fn plural(count: usize, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

fn details(process: &Process, of_store: bool) -> String {
    let mut parts = Vec::new();
    if let Some(cwd) = &process.context.cwd {
        parts.push(format!("in {cwd}"));
    }
    if let Some(user) = &process.context.user {
        parts.push(format!("as {user}"));
    }
    for (name, value) in &process.context.env {
        parts.push(format!("{name}={value}"));
    }
    if let Some(cores) = &process.cores {
        let cores: Vec<String> = cores.iter().map(u32::to_string).collect();
        let from = match process.cores_from {
            CoresFrom::Start => "",
            CoresFrom::Ready => " once ready",
        };
        parts.push(format!("on cores {}{from}", cores.join(",")));
    }
    parts.push(format!("ready when {}", ready(&process.ready, of_store)));
    let stop = signals::name(process.stop).unwrap_or("?");
    parts.push(format!("stop with SIG{stop} within {}", time(process.stop_grace)));
    parts.join("; ")
}

fn ready(ready: &ReadyCondition, of_store: bool) -> String {
    let sign = match &ready.sign {
        ReadySign::Reply { path: None, .. } if of_store => "it answers in its protocol".to_owned(),
        ReadySign::Reply { path, expect, bytes } => {
            let who = path.as_ref().map_or("it".to_owned(), |path| format!("GET {path}"));
            let expect: Vec<String> = expect.iter().map(u16::to_string).collect();
            let statuses =
                if expect.is_empty() { "200 to 299".to_owned() } else { expect.join(" or ") };
            let bytes = bytes.map(|bytes| format!(", {bytes} bytes")).unwrap_or_default();
            format!("{who} answers {statuses}{bytes}")
        }
        ReadySign::Log(text) => format!("its log says '{text}'"),
        ReadySign::Run(command) => format!("`{command}` exits with 0"),
    };
    let also: String =
        ready.also_log.iter().map(|text| format!(", its log says '{text}'")).collect();
    format!("{sign}{also} within {}", time(ready.timeout))
}

fn time(span: Duration) -> String {
    show_ns(nanoseconds(span))
}
