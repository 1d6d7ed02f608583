//! A project in Python.

use super::Draft;
use super::cargo::{table, word};
use super::source::Source;
use std::path::PathBuf;
use toml::de::DeTable;

const REQUIREMENTS: [&str; 5] = [
    "requirements.txt",
    "requirements-dev.txt",
    "dev-requirements.txt",
    "requirements/dev.txt",
    "requirements-test.txt",
];

/// Installs into its virtual environment what follows.
const INSTALL: [&str; 3] = ["{cache}/venv/bin/pip", "install", "--quiet"];

pub(super) fn draft(source: &Source) -> Option<Draft> {
    let files: Vec<&str> = REQUIREMENTS.into_iter().filter(|file| source.has(file)).collect();
    let is_required = files.iter().any(|file| source.text(file).contains("pytest-benchmark"));
    let project = source.text("pyproject.toml");
    let is_used = is_required || project.contains("pytest-benchmark");
    let manifest = DeTable::parse(&project).ok();
    let packages: Vec<&DeTable<'_>> =
        manifest.iter().flat_map(|of| packages(of.get_ref())).collect();
    let mut install = INSTALL.to_vec();
    files.iter().for_each(|file| install.extend(["--requirement", file]));
    if !packages.is_empty() {
        install.push(".");
    }
    if is_used && !is_required {
        // It is among the extras or groups of pyproject.toml, whose names are not fixed.
        install.push("pytest-benchmark");
    }
    let mut build: Vec<&[&str]> = vec![&["python3", "-m", "venv", "{cache}/venv"]];
    // pip refuses to install nothing.
    if install.len() > INSTALL.len() {
        build.push(&install);
    }
    let name = packages.iter().find_map(|of| word(of, "name")).unwrap_or_else(|| source.name());
    if is_used {
        let draft = Draft::new(&name, "benchmarks of pytest-benchmark").build(&build);
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
        let draft = Draft::new(&name, &format!("an application for {server}"));
        return Some(draft.build(&build).service(source, &launch));
    }
    if let Some(script) = script(&packages, &name) {
        let draft = Draft::new(&name, &format!("the script `{script}`"))
            .comment("{cache} is a directory that each revision has for itself: its virtual environment is there.")
            .build(&build)
            .unknown(
                "which arguments make it do the work that matters: write them after its name; if it is a server, give \
                 `launch` and an address, as `tiebreak help keys` shows",
            );
        return Some(draft.program(source, &format!("{{cache}}/venv/bin/{script}")));
    }
    let serves = |file: &&PathBuf| source.text(file).contains("serve_forever(");
    if let Some(file) = source.ending(".py").find(serves) {
        let file = file.display().to_string();
        let draft = Draft::new(&name, "a server of Python's own library").build(&build);
        return Some(draft.service(source, &["{cache}/venv/bin/python", &file]));
    }
    let main = source.ending(".py").find(|file| source.text(file).contains("__main__"));
    let program = main.map_or("NAME.py".to_owned(), |file| file.display().to_string());
    let draft = Draft::new(
        &name,
        "neither benchmarks of pytest-benchmark, nor scripts, nor a known server",
    );
    let draft = draft.build(&build).unknown(
        "whether it is a server: then give `launch` and an address, as `tiebreak help keys` shows",
    );
    Some(draft.program(source, &format!("{{cache}}/venv/bin/python {program}")))
}

/// The tables that make it a package, which pip can install.
fn packages<'a, 'b>(manifest: &'a DeTable<'b>) -> Vec<&'a DeTable<'b>> {
    let poetry = table(manifest, "tool").and_then(|tool| table(tool, "poetry"));
    [table(manifest, "project"), poetry].into_iter().flatten().collect()
}

/// The script that an installation makes: that with the name of the project, or the first one.
fn script(packages: &[&DeTable<'_>], name: &str) -> Option<String> {
    let scripts = packages.iter().filter_map(|of| table(of, "scripts"));
    let names: Vec<String> =
        scripts.flat_map(|all| all.keys().map(|key| key.get_ref().to_string())).collect();
    let is_plain =
        |of: &&String| of.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    names.iter().find(|of| *of == name).or(names.first()).filter(is_plain).cloned()
}
