//! A project in Python.

use super::Draft;
use super::cargo::{table, word};
use super::source::Source;
use toml::de::DeTable;

/// Where its requirements are.
const REQUIREMENTS: [&str; 5] = [
    "requirements.txt",
    "requirements-dev.txt",
    "dev-requirements.txt",
    "requirements/dev.txt",
    "requirements-test.txt",
];

pub(super) fn draft(source: &Source) -> Option<Draft> {
    let files: Vec<&str> = REQUIREMENTS.into_iter().filter(|file| source.has(file)).collect();
    let is_required = files.iter().any(|file| source.text(file).contains("pytest-benchmark"));
    let project = source.text("pyproject.toml");
    let is_used = is_required || project.contains("pytest-benchmark");
    let mut install = vec!["{cache}/venv/bin/pip", "install", "--quiet"];
    files.iter().for_each(|file| install.extend(["--requirement", file]));
    if project.contains("[project]") {
        install.push(".");
    }
    if is_used && !is_required {
        // It is among the extras or groups of pyproject.toml, whose names are not fixed.
        install.push("pytest-benchmark");
    }
    let build: [&[&str]; 2] = [&["python3", "-m", "venv", "{cache}/venv"], &install];
    if is_used {
        let draft = Draft::new(&name(source), "benchmarks of pytest-benchmark").build(&build);
        let command = "{cache}/venv/bin/python -m pytest -q -p no:cacheprovider --benchmark-only --benchmark-json {figures}";
        return Some(draft.suite(command, "{ kind = \"pytest-benchmark\", file = \"{figures}\" }"));
    }
    let app = source.ending(".py").find_map(|file| {
        let text = source.text(file);
        let kinds = [("FastAPI(", "uvicorn"), ("Starlette(", "uvicorn"), ("Flask(", "flask")];
        let (_, server) = kinds.iter().find(|(call, _)| text.contains(call))?;
        let module = file.with_extension("").to_string_lossy().replace('/', ".");
        Some((module, *server))
    });
    if let Some((module, server)) = app {
        let app = format!("{module}:app");
        let launch: Vec<&str> = match server {
            "uvicorn" => vec!["{cache}/venv/bin/python", "-m", "uvicorn", &app, "--port", "{port}"],
            _ => vec![
                "{cache}/venv/bin/python",
                "-m",
                "flask",
                "--app",
                &module,
                "run",
                "--port",
                "{port}",
            ],
        };
        let draft = Draft::new(&name(source), &format!("an application for {server}"));
        return Some(draft.build(&build).service(source, &launch));
    }
    let main = source.ending(".py").find(|file| source.text(file).contains("__main__"));
    let program = main.map_or("NAME.py".to_owned(), |file| file.display().to_string());
    let draft =
        Draft::new(&name(source), "neither benchmarks of pytest-benchmark nor a known server");
    let draft = draft.build(&build).unknown(
        "whether it is a server: then give `launch` and an address, as `tiebreak help keys` shows",
    );
    Some(draft.program(source, &format!("{{cache}}/venv/bin/python {program}")))
}

/// The name that pyproject.toml has, or that of the directory.
fn name(source: &Source) -> String {
    let text = source.text("pyproject.toml");
    let named = DeTable::parse(&text).ok();
    let named = named.and_then(|file| word(table(file.get_ref(), "project")?, "name"));
    named.unwrap_or_else(|| source.name())
}
