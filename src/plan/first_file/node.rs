//! A package of Node.

use super::Draft;
use super::source::Source;
use serde_json::Value;
use text::shell_words;

pub(super) fn draft(source: &Source) -> Option<Draft> {
    let package: Value = serde_json::from_str(&source.text("package.json")).ok()?;
    let name = package["name"].as_str().map_or_else(|| source.name(), str::to_owned);
    let script = |name: &str| package["scripts"][name].as_str();
    let has = |key: &str| package[key].as_object().is_some_and(|all| !all.is_empty());
    let mut build: Vec<&[&str]> = Vec::new();
    if has("dependencies") || script("build").is_some() && has("devDependencies") {
        let is_locked = source.has("package-lock.json") || source.has("npm-shrinkwrap.json");
        build.push(if is_locked {
            &["npm", "ci"]
        } else {
            &["npm", "install", "--no-package-lock"]
        });
    }
    if script("build").is_some() {
        build.push(&["npm", "run", "build"]);
    }
    if let Some(start) = script("start") {
        let words = shell_words::split(start).unwrap_or_default();
        let is_plain = words.first().is_some_and(|word| word == "node")
            && !start.contains(['&', '|', ';', '$', '>', '<']);
        let launch: Vec<&str> = match is_plain {
            true => words.iter().map(String::as_str).collect(),
            false => vec!["npm", "start"],
        };
        let draft = Draft::new(&name, "the script `start`").build(&build);
        return Some(draft.service(source, &launch));
    }
    if let Some(bench) = ["bench", "benchmark"].into_iter().find(|name| script(name).is_some()) {
        let draft = Draft::new(&name, &format!("the script `{bench}`")).build(&build);
        return Some(draft.suite(&format!("npm run --silent {bench}"), "true"));
    }
    let main = package["main"].as_str().unwrap_or("index.js");
    let draft = Draft::new(&name, "no script `start` or `bench`").build(&build).unknown(
        "whether it is a server: then give `launch`, `env` and an address, as `tiebreak help keys` shows",
    );
    Some(draft.program(source, &format!("node {}", shell_words::quote(main))))
}
