//! `[published]` and `[scale.NAME]`.

use super::tests::environment;
use super::*;
use std::collections::BTreeMap;

const FILE: &str = r#"
contenders = ["nginx", "node"]
rounds = 10

[defaults]
connections = 64
timeout = "1s"

[published]
question = "Which one?"
article = "A journal, 2012."
unit = "requests/s"
figures = { nginx = 4612, node = 2043.5 }
method = { run = ["ab", "-n", "10", "{url}"], prints = "Requests per second:", package = "apache2-utils" }

[scale.full]
rounds = 20
defaults = { connections = 500 }

[scale.tiny]
round = "100ms"
"#;

fn read(text: &str, scale: Option<&str>) -> Result<Experiment, String> {
    let source = Source {
        name: "e.toml".to_owned(),
        directory: "/here".into(),
        text,
        environment: &environment,
        secrets: RefCell::default(),
    };
    parse(&source, scale).map_err(|error| error.text)
}

#[test]
fn an_article_has_a_question_figures_and_a_method() {
    let experiment = read(FILE, None).unwrap_or_else(|error| panic!("{error}"));
    let article = experiment.article.expect("an article");
    let figures = BTreeMap::from([("nginx".to_owned(), 4612.0), ("node".to_owned(), 2043.5)]);
    assert_eq!(article.published.figures, figures);
    assert_eq!(article.published.scale, None);
    let Some(Method::Command(method)) = article.method else { panic!("a command") };
    assert_eq!(method.command.to_string(), "ab -n 10 {url}");
    assert_eq!(method.package.as_deref(), Some("apache2-utils"));
}

#[test]
fn the_method_of_programs_is_one_run() {
    let text = "[published]\nquestion = 'a'\narticle = 'b'\nunit = 'c'\nmethod = 'one run'\n\
                [contender.a]\nurl = 'exec:true'\n";
    let experiment = read(text, None).unwrap_or_else(|error| panic!("{error}"));
    let method = experiment.article.expect("an article").method;
    assert!(matches!(method, Some(Method::OneRun)));
    let refused = |method: &str, more: &str| {
        let text = text.replace("'one run'", method) + more;
        read(&text, None).err().unwrap_or_else(|| panic!("{method}: no error"))
    };
    for (message, wanted) in [
        (
            refused("'one run'", "[contender.b]\nlaunch = ['x']\n"),
            "e.toml:5: published.method: \"one run\" requires programs (exec:), and `b` is not one: give",
        ),
        (
            refused("{ run = ['x', '{url}'], prints = 'y' }", ""),
            "e.toml:5: published.method: programs (exec:) have no address",
        ),
        (refused("'two runs'", ""), "e.toml:5: published.method: must be a table with `run` and"),
    ] {
        assert!(message.starts_with(wanted), "wanted: {wanted}\nsaid:   {message}");
    }
}

#[test]
fn a_scale_stands_over_the_file() {
    let settled = |scale| {
        let experiment = read(FILE, scale).unwrap_or_else(|error| panic!("{error}"));
        let settings = &experiment.contenders[0].settings;
        let (run, timeout) = (&experiment.run.settings, settings.timeout.map(|it| it.as_secs()));
        let scale = experiment.article.expect("an article").published.scale;
        (run.rounds, run.round.map(|it| it.as_millis()), settings.connections, timeout, scale)
    };
    assert_eq!(settled(None), (Some(10), None, Some(64), Some(1), None));
    let full = Some("full".to_owned());
    assert_eq!(settled(Some("full")), (Some(20), None, Some(500), Some(1), full));
    let tiny = Some("tiny".to_owned());
    assert_eq!(settled(Some("tiny")), (Some(10), Some(100), Some(64), Some(1), tiny));
}

#[test]
fn mistakes_name_line_key_and_remedy() {
    let without = |line: &str| FILE.replace(line, "");
    let with = |from: &str, to: &str| FILE.replace(from, to);
    for (text, scale, message) in [
        (
            without("question = \"Which one?\"\n"),
            None,
            "e.toml:9: published: `question` is missing",
        ),
        (
            with("\"-n\", \"10\"", "\"{port}\""),
            None,
            "{port} has no meaning here: the method can use {url}",
        ),
        (with(", prints = \"Requests per second:\"", ""), None, "`prints` is missing"),
        (with("Requests per second:", " "), None, "published.method.prints: is empty"),
        (with("2043.5", "'many'"), None, "published.figures.node: must be a number"),
        (with("unit = ", "units = "), None, "published.units: this key is not known; did you mean"),
        (with("round = \"100ms\"", "round = \"soon\""), None, "scale.tiny.round"),
        (
            with("round = \"100ms\"", "contenders = []"),
            None,
            "scale.tiny.contenders: this key is not known",
        ),
        (FILE.to_owned(), Some("ful"), "--scale ful: the file has full and tiny; did you mean"),
        ("contenders = ['nginx', 'node']".to_owned(), Some("full"), "the file has no scales"),
        (
            "contenders = ['a']\n[contender.a]\nlaunch = ['x', '{url}']".to_owned(),
            None,
            "{url} is valid only in published.method.run, and for a program",
        ),
    ] {
        let error = read(&text, scale).err().unwrap_or_else(|| panic!("{message}: no error"));
        assert!(error.contains(message), "wanted: {message}\nsaid:   {error}");
    }
}
