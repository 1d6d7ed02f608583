//! A first experiment file for a project, written by looking at its files (`tiebreak init`).

mod cargo;
mod go;
mod make;
mod node;
mod python;
mod source;

use source::Source;
use std::path::Path;

/// Drafts a file for a project. None if what it was recognised by cannot be read.
type Drafting = fn(&Source) -> Option<Draft>;

/// What a project was recognised by, in the order in which it is looked for.
const PROJECTS: [(&str, Drafting); 8] = [
    ("Cargo.toml", cargo::draft),
    ("go.mod", go::draft),
    ("package.json", node::draft),
    ("pyproject.toml", python::draft),
    ("requirements.txt", python::draft),
    ("Makefile", make::draft),
    ("Dockerfile", make::container),
    ("*.py", python::draft),
];

/// A first experiment file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstFile {
    /// Its text.
    pub text: String,
    /// What was found, in one sentence.
    pub found: String,
    /// What the files do not say, and the user must: one sentence each.
    pub unknown: Vec<String>,
}

/// Writes a file for the project in this directory. Returns None if no file of a known kind is there.
pub fn first_file(directory: &Path) -> Option<FirstFile> {
    let source = Source::of(directory);
    let known = PROJECTS.iter().filter(|(file, _)| source.has(file));
    let (file, draft) = known.filter_map(|(file, draft)| Some((file, draft(&source)?))).next()?;
    Some(draft.finish(file, &source))
}

/// The names of the files that a project is recognised by.
pub fn recognised() -> Vec<&'static str> {
    PROJECTS.iter().map(|(file, _)| *file).collect()
}

/// A file that is being written.
struct Draft {
    /// The name of the contender.
    name: String,
    /// What was found.
    found: String,
    lines: Vec<String>,
    unknown: Vec<String>,
}

impl Draft {
    fn new(name: &str, found: &str) -> Draft {
        let fits = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' };
        let name: String = name.chars().map(fits).take(40).collect();
        let name = name.trim_matches('-');
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
        let name = if starts { name.to_owned() } else { "mine".to_owned() };
        Draft { name, found: found.to_owned(), lines: Vec::new(), unknown: Vec::new() }
    }

    fn comment(mut self, text: &str) -> Draft {
        self.lines.push(format!("# {text}"));
        self
    }

    fn key(mut self, key: &str, value: &str) -> Draft {
        self.lines.push(format!("{key} = {value}"));
        self
    }

    fn unknown(mut self, text: &str) -> Draft {
        self.lines.push(format!("# Not known: {text}"));
        self.unknown.push(text.to_owned());
        self
    }

    fn build(self, commands: &[&[&str]]) -> Draft {
        if commands.is_empty() {
            return self;
        }
        let commands: Vec<String> = commands.iter().map(|words| list(words)).collect();
        self.comment(
            "How it is built: each revision in a copy of its own, with empty build directories.",
        )
        .key("build", &format!("[{}]", commands.join(", ")))
    }

    /// A suite: a program that prints the figures of its cases.
    fn suite(self, command: &str, figures: &str) -> Draft {
        let draft = self
            .comment("What is run, again and again; {case} is the case that is wanted, where the tool selects.")
            .key("url", &quoted(&format!("exec:{command}")));
        draft.comment("The tool whose output has the figures of the cases.").key("figures", figures)
    }

    /// A program that is run to its end.
    fn program(self, source: &Source, command: &str) -> Draft {
        let draft = self
            .comment("The program, which is run to its end again and again.")
            .key("url", &quoted(&format!("exec:{command}")));
        if source.prints_operations() {
            return draft.comment("Its last line says how much work the run did: `operations N`.");
        }
        draft
            .comment("A run counts as one operation: what is compared is how long a whole run takes. If revisions do different")
            .comment("amounts of work, print `operations N` as the last line, and remove this.")
            .key("operations", "1")
    }

    /// A server that gets a port.
    fn service(self, source: &Source, launch: &[&str]) -> Draft {
        let draft = self
            .comment("How it is started. tiebreak stops it in the end, with all that it started.")
            .key("launch", &list(launch))
            .comment("Each side gets a free port, in the variable PORT.")
            .key("env", "{ PORT = \"{port}\" }");
        let draft = match source.port() {
            Port::Variable => draft,
            Port::Fixed(port) => draft.unknown(&format!(
                "how it gets its port. Its files name {port}, but both sides run at the same time: let it \
                 listen on the port in the variable PORT, or write {{port}} into `launch`"
            )),
            Port::Unknown => draft.unknown(
                "how it gets its port: let it listen on the port in the variable PORT, or write {port} into \
                 `launch`",
            ),
        };
        draft
            .comment("What is requested. Name a page that does the work that matters.")
            .key("url", "\"http://127.0.0.1:{port}/\"")
            .comment("It is ready when it answers this request; 200 to 299 unless `expect` says otherwise.")
            .key("ready", "{ timeout = \"30s\" }")
    }

    fn finish(self, file: &str, source: &Source) -> FirstFile {
        let dockerfile = source.has("Dockerfile") && file != "Dockerfile";
        let mut text = format!(
            "# Written by `tiebreak init` from {file}: {}.\n\
             # `tiebreak compare --against HEAD~1` compares the commit before the last one with your working tree;\n\
             # `tiebreak help keys` explains every key.\n",
            self.found
        );
        if dockerfile {
            text += "# The Dockerfile is not used: tiebreak starts programs, not containers.\n";
        }
        text += &format!("\n[contender.{}]\n", self.name);
        self.lines.iter().for_each(|line| text += &format!("{line}\n"));
        FirstFile { text, found: format!("{file}: {}", self.found), unknown: self.unknown }
    }
}

/// How a server gets its port.
enum Port {
    /// From the variable PORT.
    Variable,
    /// Its files name this one.
    Fixed(String),
    Unknown,
}

/// A list of TOML.
fn list(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    format!("[{}]", words.join(", "))
}

/// A text of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
