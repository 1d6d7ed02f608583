//! Projects of which only a Makefile or a Dockerfile is known.

use super::Draft;
use super::source::Source;

const NO_PROGRAMS: [&str; 8] =
    ["all", "clean", "test", "install", "check", "default", "help", "distclean"];

pub(super) fn draft(source: &Source) -> Option<Draft> {
    let text = source.text("Makefile");
    let target = |line: &str| {
        let (name, rest) = line.split_once(':')?;
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_/".contains(c);
        let is_program = !name.is_empty()
            && name.chars().all(fits)
            && !rest.starts_with('=')
            && !NO_PROGRAMS.contains(&name);
        is_program.then(|| name.to_owned())
    };
    let draft = Draft::new(&source.name(), "a Makefile");
    Some(match text.lines().find_map(target) {
        Some(name) => draft.build(&[&["make", &name]]).program(source, &format!("./{name}")),
        None => draft
            .build(&[&["make"]])
            .unknown("which program `make` builds: write its name for NAME")
            .program(source, "./NAME"),
    })
}

/// What a Dockerfile says of how its program is started.
pub(super) fn container(source: &Source) -> Option<Draft> {
    let text = source.text("Dockerfile");
    let words = text.lines().rev().find_map(|line| {
        let command =
            line.trim().strip_prefix("CMD ").or(line.trim().strip_prefix("ENTRYPOINT "))?;
        serde_json::from_str::<Vec<String>>(command)
            .ok()
            .or_else(|| text::shell_words::split(command).ok())
    });
    let words =
        words.filter(|words| !words.is_empty()).unwrap_or_else(|| vec!["./NAME".to_owned()]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let draft = Draft::new(&source.name(), "a Dockerfile")
        .comment("tiebreak starts programs, not containers: this is the command of the Dockerfile.")
        .unknown("how it is built without a container: list the commands as `build`");
    Some(draft.service(source, &words))
}
